// Functions with variables, the input of SSA construction: one program per shape, and the same program for LLVM, with a stack
// slot for each variable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "ir/function.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace braid::bench {

enum class Flow : uint8_t {
  straight,       ///< one block
  diamonds,       ///< a chain of conditions with two sides
  loops,          ///< a chain of nests of three loops
  exits,          ///< a chain of loops with break and continue
  random,         ///< conditions and loops, nested at random: reducible
  ladder,         ///< pairs of blocks that lead to each other and both to the next pair: irreducible, phis everywhere
  deep,           ///< loops inside loops, as deep as there are statements for
  wide_join,      ///< one join of 100,000 predecessors
  thousand_loops, ///< 1,000 loops inside each other
};
std::string_view name(Flow flow);

/// Those that are as large as one wants.
inline constexpr Flow growing_flows[] = {Flow::straight, Flow::diamonds, Flow::loops, Flow::exits,
                                         Flow::random,   Flow::ladder,   Flow::deep};
/// With few variables or with many.
inline uint32_t variables_of(uint32_t statements, bool many) { return many ? std::max(8u, statements / 20) : 8; }
/// In a deep nest every variable needs a phi in each loop around its uses: with many variables the result is quadratic.
inline uint32_t largest_size(Flow flow, bool many) { return flow == Flow::deep && many ? 100'000 : 1'000'000; }

/// `i64 @f(i64, i64)` with about so many statements, at rest. All variables are assigned in the entry.
ir::Function& build(ir::Module& module, Flow flow, uint32_t statements, uint32_t variables, uint64_t seed = 1);
/// How much there is to do from a function with variables to its SSA or back: a unit is a statement of either, or an operand of a
/// phi.
double units(const ir::Function& with_variables, const ir::Function& in_ssa);
/// The same function, block by block and statement by statement; `get` and `set` become loads and stores.
llvm::Function& translate(llvm::Module& module, const ir::Function& f);

}  // namespace braid::bench
