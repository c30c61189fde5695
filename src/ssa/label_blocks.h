// Blocks with labels and phis by hand, in any order: labels are blocks of the function, and phis grow by a column for each
// edge. See ssa/labels.h for those that come in order.
//
// Cost: O(1) for each label, edge and value that is brought.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ssa/brought_values.h"

namespace braid::ssa {

class LabelBlocks {
 public:
  LabelBlocks(BlockEnd& at, BroughtValues& brought) : at_(&at), brought_(brought) {}

  /// The number of a new label.
  uint32_t make(Symbol name) {
    adopt(at_->f->new_block(name), 0, 0, 0);
    return count() - 1;
  }
  uint32_t count() const { return static_cast<uint32_t>(targets_.size()); }
  ir::BlockId block(uint32_t label) const { return targets_[label].block; }
  /// The function is done: what there was means nothing from now on.
  void forget() {
    current_ = nobody;
    targets_.clear();
  }

  // Of a construction that was in order: the next label, with its phis and edges so far; an edge to it; what the edge has
  // brought, if the block may get more phis.
  void adopt(ir::BlockId block, uint32_t first_phi, uint32_t phi_count, uint32_t edges) {
    Target& target = targets_.emplace_back();
    target.block = block;
    target.arrived = edges;
    for (uint32_t k = 0; k < phi_count; ++k) target.phis.push_back(static_cast<ir::Ref>(first_phi + k));
  }
  void adopt_edge(uint32_t label) { ++targets_[label].arrived; }
  void keep(uint32_t label, ir::EdgeId edge, std::span<const TypedWord> values);

  /// Fills the block from now on.
  void take_up(uint32_t label) { current_ = label; }
  /// The edge is there and has brought these values.
  void arrive(uint32_t label, ir::EdgeId edge, std::span<const TypedWord> values);
  /// Whether nothing but phis is in the current block, which has a label.
  bool may_have_phi() const;
  uint32_t phi(Type type);
  /// Nothing more comes: all mistakes are known.
  void find_mistakes();

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  struct Target {
    ir::BlockId block{};
    uint32_t arrived = 0;                   ///< edges that have brought something, or nothing
    uint32_t first = nobody, last = nobody; ///< in arrivals_, a chain
    std::vector<ir::Ref> phis;
  };
  struct Arrival {
    ir::EdgeId edge;
    uint32_t next;
    uint32_t first, count;  ///< in values_
  };
  /// Calls `visit(const Arrival&)` in their order.
  template <typename Visit>
  void for_each_arrival(const Target& target, Visit&& visit) const {
    for (uint32_t a = target.first; a != nobody; a = arrivals_[a].next) visit(arrivals_[a]);
  }

  BlockEnd* at_;
  BroughtValues& brought_;
  uint32_t current_ = nobody;    ///< the label of the current block
  std::vector<Target> targets_;  ///< by label
  std::vector<Arrival> arrivals_;
  std::vector<TypedWord> values_;
};

}  // namespace braid::ssa
