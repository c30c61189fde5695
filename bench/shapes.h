// The functions that are measured: one program per shape, written once with Braid's Builder and once with LLVM's IRBuilder,
// so that both have the same blocks, the same phis and the same number of statements.
#pragma once

#include <braid/module.h>

#include <cstdint>
#include <string_view>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace braid::bench {

enum class Shape : uint8_t {
  straight,  ///< arithmetic over three variables, one block
  diamonds,  ///< a chain of conditions with two sides that assign: three blocks and two phis each
  loops,     ///< a chain of nests of three loops: nine blocks and six phis each
};
inline constexpr Shape shapes[] = {Shape::straight, Shape::diamonds, Shape::loops};
std::string_view name(Shape shape);

/// `i64 @f(i64, i64, i64, i64)` with about so many statements. Not verified.
Func& build(Module& module, Shape shape, uint32_t statements);
/// The same with blocks and phis by hand.
Func& build_by_hand(Module& module, Shape shape, uint32_t statements);
/// With phis by hand, too.
llvm::Function& build(llvm::Module& module, Shape shape, uint32_t statements);
/// The same with variables in stack slots, which mem2reg turns into values then.
llvm::Function& build_and_promote(llvm::Module& module, Shape shape, uint32_t statements);
/// mem2reg, with its analyses.
void promote(llvm::Function& f);

/// How often the shape's piece is repeated to come near to so many statements.
uint32_t pieces(Shape shape, uint32_t statements);

}  // namespace braid::bench
