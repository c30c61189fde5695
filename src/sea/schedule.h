// Gives every node a block and every block an order: global code motion (C. Click, Global Code Motion, Global
// Value Numbering, 1995).
//
// What is pinned stays: phis and pis in their block, links of the chain of effects under their control. All
// else lies between an earliest block (the lowest of its inputs') and a latest one (the nearest that
// dominates its uses); of those in the fewest loops it gets the lowest. A read stays where the state that it
// reads is the current one: the chain is in SSA, so that is below the effect in the dominator tree, down to
// the first block with another. Nothing that may fail rises above its control. Inside a block the links come
// in the order of the chain, everything else just before it is needed.
//
// Only what is needed is scheduled: terminators, links that must not vanish, and what these use.
// O(nodes + inputs) * log(blocks), apart from the dominator tree and the loops. Iterative.
#pragma once

#include <span>
#include <vector>

#include "sea/control_blocks.h"
#include "sea/graph.h"

namespace braid::sea {

struct Schedule {
  static constexpr uint32_t nowhere = ControlBlocks::nowhere;

  explicit Schedule(const Graph& graph);

  /// The block of a node; `nowhere` if it is not needed, and for constants, parameters and undef, which have
  /// no place.
  uint32_t block(NodeId n) const { return block_of[index(n)]; }
  /// The nodes of a block: phis first, without the terminator, without effect phis and the like.
  std::span<const NodeId> nodes_of(uint32_t b) const {
    return std::span(nodes).subspan(first_node[b], first_node[b + 1] - first_node[b]);
  }

  ControlBlocks control;
  std::vector<uint32_t> block_of;    ///< by node
  std::vector<NodeId> nodes;         ///< block by block
  std::vector<uint32_t> first_node;  ///< by block, and the end
};

}  // namespace braid::sea
