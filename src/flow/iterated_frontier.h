// Iterated dominance frontiers: where the phis of a variable go. Made once for a graph, asked for many sets,
// without allocation.
//
// The frontier of x is what the join edges out of x's dominator subtree lead to, at a level not below x; a
// join edge is one whose source is not the immediate dominator of its target (V. C. Sreedhar and G. R. Gao, A
// Linear Time Algorithm for Placing Phi-Nodes, 1995). Their algorithm walks subtrees, in the order of levels:
// linear for one set, but a variable that is assigned near the entry then costs the whole graph. Here the
// join edges stand in the order of their sources in the tree's preorder, so that a subtree is an interval,
// and a tree of minima (flow/least_tree.h) finds those that lead high enough without looking at the rest. An
// edge that was found is taken out until the set is done; so each is found once, and the order does not
// matter.
//
// O((set + join edges into the answer) * log edges) for `of`. With a predicate, join edges into the frontier
// that the predicate turns down count as well. `of_live` looks only at edges into the nodes where the
// variable is live: O((set + live nodes + their predecessors) * log edges), whatever else the definitions
// dominate. O(nodes + edges) to build.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/id_map.h"
#include "flow/dominators.h"
#include "flow/graph.h"
#include "flow/least_tree.h"

namespace braid::flow {

/// Keeps a reference to the dominators. Unreachable nodes are in no answer and change none. Answers are in
/// the order in which they were found, and hold until the next call.
class IteratedFrontier {
 public:
  IteratedFrontier(const Graph& graph, const Dominators& dominators);

  std::span<const Node> of(std::span<const Node> set) {
    return of(set, [](Node) { return true; });
  }

  /// Only the nodes for which `live_in(node)` holds, and what follows from those: the phis of pruned SSA.
  template <class LiveIn>
  std::span<const Node> of(std::span<const Node> set, LiveIn&& live_in) {
    begin();
    taken_.clear();
    gather(set, all_, live_in, [&](uint32_t edge) { taken_.push_back(edge); });
    for (uint32_t edge : taken_) all_.set(edge, dominators_.level(target_[edge]));
    return found_;
  }

  /// The same, with the live nodes as a list without repetitions.
  std::span<const Node> of_live(std::span<const Node> set, std::span<const Node> live_in);

 private:
  struct Subtree {
    uint32_t first_edge;   // the first join edge out of the node; those of its subtree follow
    uint32_t least_level;  // the least level that an edge out of the subtree leads to
  };

  void begin() {
    found_.clear();
    if (++round_ == 0) {
      stamp_.assign(stamp_.size(), 0);
      round_ = 1;
    }
  }

  template <class LiveIn, class Taken>
  void gather(std::span<const Node> set, LeastTree& edges, LiveIn&& live_in, Taken&& taken) {
    for (Node n : set) gather_from(n, edges, live_in, taken);
    for (size_t i = 0; i < found_.size(); ++i) gather_from(found_[i], edges, live_in, taken);
  }

  template <class LiveIn, class Taken>
  void gather_from(Node n, LeastTree& edges, LiveIn&& live_in, Taken&& taken) {
    if (!dominators_.is_reachable(n)) return;
    uint32_t number = dominators_.preorder_number(n);
    uint32_t level = dominators_.level(n);
    if (subtrees_[number].least_level > level) return;
    uint32_t last = subtrees_[number + dominators_.dominated_by(n).size()].first_edge;
    for (uint32_t edge = subtrees_[number].first_edge; (edge = edges.find(edge, last, level)) != last;
         ++edge) {
      edges.set(edge, LeastTree::greatest);
      taken(edge);
      Node target = target_[edge];
      if (stamp_[target] == round_ || !live_in(target)) continue;
      stamp_[target] = round_;
      found_.push_back(target);
    }
  }

  void prepare_live();

  const Dominators& dominators_;
  std::vector<Node> target_;       // of the join edges, by the preorder of their sources
  std::vector<Subtree> subtrees_;  // by preorder number, and one more
  LeastTree all_;                  // the levels of the targets
  LeastTree live_;                 // the same of the edges into live nodes; all greatest between calls
  Csr<uint32_t> edges_into_;       // by node; made when first needed
  IdMap<Node, uint32_t> stamp_;    // the round in whose answer the node was last
  uint32_t round_ = 0;
  std::vector<Node> found_;
  std::vector<uint32_t> taken_;
};

}  // namespace braid::flow
