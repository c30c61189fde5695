// A variable for each class that has a phi in it: name, type, and what is to be copied where.
//
// The name is that of the source variable most phis of the class have, as far as the column is there, of a
// parameter in the class, or a new one. The type is the join of all members. Where a phi has no value on some
// edge, the variable is not assigned there; if it is copied to another one, it is declared `zero`, so that
// copying what nobody will use is no fault.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dessa/coalescing.h"
#include "dessa/leave_ssa.h"
#include "dessa/webs.h"

namespace braid::dessa {

class Variables {
 public:
  /// Declares them in `f`.
  Variables(ir::Function& f, const Survey& survey, const Webs& webs, const LiveRanges& live, const Coalescing& classes);

  /// None if the node lives in no variable.
  ir::VarId of_node(uint32_t node) const { return of_node_[std::min(node, node_count_)]; }
  ir::VarId of(ir::Operand operand) const { return of_node(webs_.node_of(operand)); }
  /// Whether an edge must assign the variable of the web; it has none if nobody reads the phi.
  bool needs_copy(const Web& web, ir::Operand operand) const {
    if (operand.is_undef() || is_none(of_node_[web.node]) || shares(web.node, operand)) return false;
    uint32_t node = webs_.node_of(operand);
    return node == nothing || !classes_.is_copied_to(node, web.node);
  }
  bool needs_store(const Slot& slot, ir::Operand operand) const {
    return !operand.is_undef() && !shares(slot.node, operand);
  }
  /// Whether the value of a phi must be taken out of the variable at the start of its block.
  bool needs_start_copy(uint32_t node, uint32_t value) const {
    return of_node_[node] != of_node_[value] && live_.is_used(value);
  }
  bool has_early_copies() const { return classes_.has_copied(); }
  /// Calls `visit(VarId)` for the variables that a value is copied to where it is made.
  template <class Visit>
  void for_each_copy_of(ir::Operand operand, Visit&& visit) const {
    uint32_t node = webs_.node_of(operand);
    if (node == nothing || !webs_.is_hub(node)) return;
    for (const Coalescing::Copied& copied : classes_.copies_of(node)) visit(of_node_[copied.to]);
  }
  /// Whether what the node holds is in the variable of another one. A variable belongs to one class.
  bool shares(uint32_t node, ir::Operand operand) const {
    uint32_t other = webs_.node_of(operand);
    return other != nothing && of_node_[node] == of_node_[other];
  }

 private:
  struct Wish {
    ir::VarId source = none_id<ir::VarId>;
    Symbol name = none_id<Symbol>;
  };

  std::vector<Wish> wishes() const;
  std::vector<bool> copied_variables(const ir::Function& f) const;

  const Webs& webs_;
  const LiveRanges& live_;
  const Coalescing& classes_;
  const uint32_t node_count_;
  std::vector<ir::VarId> of_node_;  ///< the last one is that of what is no node: none
};

}  // namespace braid::dessa
