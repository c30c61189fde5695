// Types of all values of a function in SSA: sparse, optimistic, conditional (M. N. Wegman and F. K. Zadeck, Constant
// Propagation with Conditional Branches, 1991), over the whole lattice: kinds, constants, ranges and tuples at once.
//
// Every value starts at `none` and all blocks but the entry as unreachable; both grow together. Statements are visited
// once, in the order of the vector, where dominators come first. Only what grew after its users had been visited needs a
// list of users and a second look; functions in which nothing does, never build one. Phis take what flows in edge by edge,
// so that wide ones cost no more than their width, and are widened after a few steps. Each type grows a bounded number of
// times: O(statements + operands), whatever the loops.
#pragma once

#include <span>
#include <vector>

#include "base/bit_set.h"
#include "base/id_map.h"
#include "ir/function.h"

namespace braid::infer {

/// What callers may know of a function, whoever calls it.
struct Summary {
  Type result = none;      ///< `none`: it never returns
  bool may_throw = false;
  bool is_known = false;   ///< otherwise what its signature says
};
using Summaries = IdMap<ir::FuncId, Summary>;

class Types {
 public:
  /// The type of a value: of a statement that is never reached, or never ends, `none`.
  Type of(ir::Operand operand) const;
  Type at(uint32_t position) const { return types_[position]; }
  bool is_reachable(ir::BlockId b) const { return reachable_.test(index(b)); }
  /// Behind the last statement of a reachable block that control comes to: one before may throw always.
  uint32_t end_of(ir::BlockId b) const { return ends_[index(b)]; }
  bool is_open(ir::EdgeId e) const { return open_.test(index(e)); }
  /// The join of what the function returns; `none` if it never does.
  Type result() const { return result_; }
  /// How many statements were looked at, each time they were: the cost.
  uint64_t steps() const { return steps_; }

 private:
  friend class Engine;
  const ir::Function* f_ = nullptr;
  std::vector<Type> types_;
  BitSet reachable_, open_;
  std::vector<uint32_t> ends_;
  Type result_ = none;
  uint64_t steps_ = 0;
};

/// Needs `f` at rest, in SSA (variables are of their declared types). `summaries` may be null, or lack functions.
Types infer(const ir::Function& f, const Summaries* summaries = nullptr);

/// Whether a statement may throw, for operands of these types.
bool may_throw(const ir::Function& f, ir::Operand id, const Types& types, const Summaries* summaries = nullptr);

/// Summaries of these functions and of all that they call, directly or not: callees first, rings of calls together from `none`
/// upwards. Functions that are not at rest stay unknown. What is answered of a function does not depend on who else is asked
/// for; it holds until somebody edits the function, or one that it calls. O(statements + calls) of these functions.
Summaries summarise(ir::Module& module, std::span<const ir::FuncId> roots);

/// Adds what a function calls directly, each as often as it does.
void append_callees(const ir::Function& f, std::vector<ir::FuncId>& callees);

}  // namespace braid::infer
