// What lifting must know of a function before it begins: the role of each statement, where effects meet,
// which values may be undefined, which blocks are never left. O(statements + operands + edges), apart from
// the frontier.
#pragma once

#include <span>
#include <vector>

#include "base/bit_set.h"
#include "base/csr.h"
#include "ir/function.h"
#include "ir/graph_view.h"
#include "ir/order.h"
#include "sea/effects.h"

namespace braid::sea {

class LiftFacts {
 public:
  LiftFacts(const ir::Function& f, const ir::PendingLists& lists, const ir::BlockDominance& dominance);

  EffectRole role(ir::Operand id) const { return static_cast<EffectRole>(roles_[f_.dense(id)] & role_mask); }
  /// A read that gives a value wherever it stands.
  bool cannot_fail(ir::Operand id) const { return (roles_[f_.dense(id)] & safe) != 0; }
  /// `operand` must be resolved.
  bool may_be_undef(ir::Operand operand) const {
    return maybe_undef_.size() != 0 && (operand.is_stmt() || operand.is_pending()) &&
           maybe_undef_.test(f_.dense(operand));
  }

  bool is_handler(ir::BlockId b) const { return handlers_.test(index(b)); }
  bool is_loop(ir::BlockId b) const { return loops_.test(index(b)); }
  bool effects_meet(ir::BlockId b) const { return effects_meet_.test(index(b)); }
  /// No way leads from here to the end of the function, and the exit that is never taken goes here.
  bool needs_exit(ir::BlockId b) const { return exits_.test(index(b)); }
  /// The live edges into a block from blocks that are reached; of a loop, the one from outside first.
  std::span<const ir::EdgeId> ways_into(ir::BlockId b) const { return ways_.row(b); }

 private:
  static constexpr uint8_t role_mask = 3, safe = 4;

  void find_roles(const ir::PendingLists& lists);
  uint8_t role_of(ir::Operand id) const;
  bool is_within_bounds(const ir::Stmt& load, Type type) const;
  void find_undef(const ir::PendingLists& lists);
  void find_ways();
  void find_meetings();
  void find_exits();

  const ir::Function& f_;
  const ir::BlockDominance& dominance_;
  std::vector<uint8_t> roles_;
  BitSet changing_;  ///< blocks with a link of the chain
  BitSet handlers_, loops_, effects_meet_, exits_;
  BitSet maybe_undef_;  ///< empty if nothing is undefined
  Csr<ir::EdgeId> ways_;
};

}  // namespace braid::sea
