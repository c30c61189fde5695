// The first half of scheduling: which nodes are needed, and in which block each of them goes. See
// sea/schedule.h.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "sea/block_tree.h"
#include "sea/control_blocks.h"
#include "sea/graph.h"

namespace braid::sea {

enum class Need : uint8_t {
  nothing,  ///< not scheduled
  order,    ///< nothing but a place in the chain of effects
  value,    ///< a statement
};

class PlaceNodes {
 public:
  PlaceNodes(const Graph& graph, const ControlBlocks& control);

  /// By node. Constants, parameters and undef are in no block.
  std::vector<uint32_t> block_of;
  std::vector<Need> need;

 private:
  static constexpr uint32_t nowhere = ControlBlocks::nowhere;

  void find_needed();
  void need_value(NodeId n);
  void need_order(NodeId n);
  void need_inputs(NodeId n);
  bool is_pinned(NodeId n) const;
  bool floats(NodeId n) const;
  void order_floating();
  void visit_floating(NodeId root);
  uint32_t earliest(NodeId n) const;
  uint32_t block_of_effect(NodeId effect) const;
  uint32_t block_behind(NodeId effect) const;
  void place_late();
  uint32_t latest(NodeId n) const;
  uint32_t above_changes(NodeId read, uint32_t late) const;
  void find_changes();

  struct Frame {
    NodeId node;
    uint32_t next;
  };

  const Graph& graph_;
  const ControlBlocks& control_;
  flow::Graph flow_;
  BlockTree tree_;
  std::vector<NodeId> work_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;    ///< nodes that float, each behind its inputs
  std::vector<uint32_t> early_;  ///< by node that floats
  std::vector<NodeId> reads_;    ///< those that float
  BitSet has_next_;              ///< effects that a link in the same block ends
  BitSet links_;                 ///< blocks with links
  BitSet meets_;                 ///< blocks that begin with another effect than their dominator ends with
  BitSet changes_;               ///< either
};

}  // namespace braid::sea
