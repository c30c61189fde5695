// The basic blocks of a graph: what control leads to, walked forward from start.
//
// A block begins with start, a region, a loop, or a projection of a branch, switch or `enter`; it ends with
// the one node that takes its control on. The way out of an endless loop that is never taken does not count,
// nor does the projection from an `enter` to its handler, where nothing can stand. Blocks are numbered in
// reverse post-order, so every block comes behind its dominators. O(control nodes and their uses).
#pragma once

#include <span>
#include <vector>

#include "flow/graph.h"
#include "sea/graph.h"

namespace braid::sea {

struct ControlBlocks {
  static constexpr uint32_t nowhere = 0xffffffffu;

  /// Where a block goes. `way` is the input of the region that begins the other block; 0 if no region does.
  struct Target {
    uint32_t block = nowhere;
    uint32_t way = 0;
  };
  struct Block {
    NodeId head;     ///< the control that it begins with
    NodeId control;  ///< the control that it ends with: another one behind start and `never`
    NodeId last =
        no_node;  ///< branch, switch, enter, ret, throw, deopt, unreachable; none: it jumps, or just ends
    uint32_t first_target = 0, target_count = 0;  ///< in the order of the terminator's operands
  };

  explicit ControlBlocks(const Graph& graph);

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  std::span<const Target> targets_of(uint32_t b) const {
    return std::span(targets).subspan(blocks[b].first_target, blocks[b].target_count);
  }
  /// The block in which control is there; `nowhere` if it is never reached. Also of terminators.
  uint32_t of(NodeId control) const { return is_none(control) ? nowhere : block_of[index(control)]; }
  /// The blocks as a graph of the room `flow`.
  flow::Graph flow_graph() const;

  std::vector<Block> blocks;
  std::vector<Target> targets;
  std::vector<uint32_t> block_of;  ///< by node

 private:
  class Finder;
};

}  // namespace braid::sea
