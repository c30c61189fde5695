// The first half of scheduling: which nodes are needed, and in which block each of them goes. See
// sea/schedule.h.
#pragma once

#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "sea/alias_classes.h"
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
  /// By link: its place among those of its block, counted from 1; 0 for what a block begins with. Empty without reads.
  std::vector<uint32_t> position;
  /// Only if `position` is not empty.
  const AliasClasses& classes() const { return *classes_; }

 private:
  static constexpr uint32_t nowhere = ControlBlocks::nowhere;

  /// Where the state that the reads of one class see is changed.
  struct Changes {
    std::vector<uint32_t> last_link;  ///< by block: the position of the last link; 0: it has none
    BitSet meets;                     ///< blocks that begin with another state than their dominator ends with
    BlockTree::Marks marks;           ///< blocks with either
  };

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
  bool leads_on(NodeId n) const;
  void find_positions();
  void find_changes();
  Changes changes_of(uint8_t read_class) const;
  size_t table_of(uint8_t read_class) const { return read_class == AliasClasses::any ? classes_->count() : read_class; }

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
  std::optional<AliasClasses> classes_;            ///< if there are reads
  std::vector<std::optional<Changes>> changes_;    ///< by class, the last one for `any`; of classes that are read
};

}  // namespace braid::sea
