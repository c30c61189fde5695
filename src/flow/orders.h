// Orders of depth-first search from the entry, successors in their order. Iterative; O(nodes + edges).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

/// Children before parents, the entry last; only reachable nodes.
std::vector<Node> post_order(const Graph& graph);
/// The entry first; every node before its successors, except along back edges; only reachable nodes.
std::vector<Node> reverse_post_order(const Graph& graph);

/// The nodes that can be reached from the entry, the entry included.
IdSet<Node> reachable(const Graph& graph);

/// The numbers of one depth-first search.
struct DepthFirst {
  static constexpr uint32_t unreached = 0xffffffffu;

  std::vector<Node> preorder;         // the reachable nodes as they were found
  std::vector<Node> postorder;        // the reachable nodes as they were left
  IdMap<Node, uint32_t> pre_number;   // position in `preorder`, or `unreached`
  IdMap<Node, uint32_t> post_number;  // position in `postorder`, or `unreached`
  IdMap<Node, Node> parent;           // in the depth-first tree; none for the entry and unreachable nodes

  bool is_reachable(Node n) const { return pre_number[n] != unreached; }
  /// `a` is `b` or above it in the depth-first tree; false if either is unreachable.
  bool is_ancestor(Node a, Node b) const {
    return is_reachable(a) && is_reachable(b) && pre_number[a] <= pre_number[b] &&
           post_number[a] >= post_number[b];
  }
};

DepthFirst depth_first(const Graph& graph);

}  // namespace braid::flow
