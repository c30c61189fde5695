// Iterated dominance frontiers of many small sets, each at a cost that depends on the answer, not on the graph.
//
// The frontier of x is what the join edges (edges that are not tree edges of the dominator tree) out of x's subtree lead to,
// at a level not below x (Sreedhar and Gao, "A Linear Time Algorithm for Placing Phi-Nodes", 1995). Their algorithm walks
// subtrees, which is linear for one set but costs a whole subtree for each of many. Here the join edges stand in the order
// of their sources in the tree's preorder, so that a subtree is an interval, under a tree of minima over the levels of
// their targets; edges that lead far enough up are found without looking at the others. An edge that was found is taken
// out until the set is done, so each counts once.
//
// O((set + join edges into the answer) * log edges) per set; O(nodes + edges) to build.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/dominators.h"
#include "flow/graph.h"

namespace braid::flow {

class JoinEdges {
 public:
  JoinEdges(const Graph& graph, const Dominators& dominators);

  /// The nodes of the iterated frontier of `set`, in the order in which they are found; valid until the next call.
  /// Unreachable nodes of the set are ignored.
  std::span<const Node> iterated_frontier(std::span<const Node> set);

 private:
  static constexpr uint32_t removed = 0xffffffffu;

  void take(uint32_t first, uint32_t last, uint32_t level);
  void set_key(uint32_t edge, uint32_t key);

  const Dominators& dominators_;
  std::vector<uint32_t> first_edge_;   ///< by preorder number: the first join edge of the node; one more at the end
  std::vector<Node> target_;
  std::vector<uint32_t> least_level_;  ///< by preorder number: the least level that an edge out of the subtree reaches
  std::vector<uint32_t> minimum_;      ///< a complete binary tree over the edges; the leaves begin at leaves_
  uint32_t leaves_ = 1;
  std::vector<uint32_t> stamp_;        ///< by node: the set in whose answer it is
  uint32_t round_ = 0;
  std::vector<Node> found_;
  std::vector<uint32_t> taken_;
};

}  // namespace braid::flow
