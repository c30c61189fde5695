// Iterated dominance frontiers: where the phis of a variable go. Made once for a graph, asked for many sets,
// without allocation.
//
// The frontier of x is what the join edges out of x's dominator subtree lead to, at a level not below x; a
// join edge is one whose source is not the immediate dominator of its target (V. C. Sreedhar and G. R. Gao, A
// Linear Time Algorithm for Placing Phi-Nodes, 1995). As in their algorithm the deepest node of the set comes
// first, and a subtree that was looked through is not looked through again for a node above. They walk
// subtrees: linear for one set, but a variable that is assigned near the entry costs the whole graph, and so
// does each of many variables. Here the join edges stand in the order of their sources in the tree's
// preorder, so that a subtree is an interval, and a tree of minima (flow/least_tree.h) finds those that lead
// high enough without looking at the rest. An edge that was found knows by whom; whoever finds it again joins
// the two intervals (union-find) and goes on behind.
//
// O((set + join edges into the answer) * log edges) for `of`, where the logarithm is to the base of sixteen
// and near neighbours cost O(1). With a predicate, edges into the frontier that the predicate turns down
// count as well. `of_live` looks only at edges into the nodes where the variable is live: O((set + live nodes
// + edges into them) * log edges), whatever else the definitions dominate. O(nodes + edges) to build.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/id_map.h"
#include "flow/dominators.h"
#include "flow/graph.h"
#include "flow/least_tree.h"
#include "flow/level_bank.h"

namespace braid::flow {

/// Who watches the search is told of each node X that is taken off the work list, and of each Y that an edge out of its
/// subtree leads to: whether it is new to the answer, and whether it goes to the work list.
struct FrontierWatcher {
  void take(Node) {}
  void look(Node, Node, bool, bool) {}
};

/// Unreachable nodes are in no answer and change none. Answers are in the order in which they were found, the
/// deepest about first, and hold until the next call.
class IteratedFrontier {
 public:
  IteratedFrontier(const Graph& graph, const Dominators& dominators);

  std::span<const Node> of(std::span<const Node> set) {
    return of(set, [](Node) { return true; });
  }

  /// Only the nodes for which `live_in(node)` holds, and what follows from those: the phis of pruned SSA.
  template <class LiveIn>
  std::span<const Node> of(std::span<const Node> set, LiveIn&& live_in) {
    FrontierWatcher nobody;
    return of(set, live_in, nobody);
  }
  template <class LiveIn, class Watcher>
  std::span<const Node> of(std::span<const Node> set, LiveIn&& live_in, Watcher& watcher) {
    begin(set);
    while (!bank_.empty()) look_from(bank_.take(), all_, live_in, watcher);
    return found_;
  }

  /// Whether the node has a frontier; without one it is never taken.
  bool leads_out(Node n) const { return places_[n].first_edge != places_[n].last_edge; }

  /// The same, with the live nodes as a list.
  std::span<const Node> of_live(std::span<const Node> set, std::span<const Node> live_in);

 private:
  struct Place {
    uint32_t first_edge = 0;  // the join edges out of the subtree; empty if none leads out of it
    uint32_t last_edge = 0;
    uint32_t level = 0;
    uint32_t stamp = 0;  // `round_` if the node is in the set, one more if it is in the answer
  };
  /// A node whose edges were looked through.
  struct Owner {
    uint32_t last_edge;
    uint32_t above;  // the owner that has taken over, or itself
  };

  void begin(std::span<const Node> set);
  void put(Node n, const Place& place) {
    if (place.first_edge != place.last_edge) bank_.put(n, place.level);
  }

  template <class LiveIn, class Watcher>
  void look_from(Node n, const LeastTree& edges, LiveIn&& live_in, Watcher& watcher) {
    watcher.take(n);
    Place place = places_[n];
    uint32_t self = static_cast<uint32_t>(owners_.size());
    owners_.push_back({place.last_edge, self});
    uint32_t edge = place.first_edge;
    while ((edge = edges.find(edge, place.last_edge, place.level)) != place.last_edge) {
      // Of an earlier set, this is out of range.
      uint32_t other = owner_of_[edge] - first_owner_;
      if (other < self) {
        other = topmost(other);
        owners_[other].above = self;
        edge = owners_[other].last_edge;
        continue;
      }
      owner_of_[edge] = first_owner_ + self;
      Node target = target_[edge++];
      Place& at = places_[target];
      bool is_new = at.stamp != round_ + 1 && live_in(target);
      watcher.look(n, target, is_new, is_new && at.stamp != round_ && at.first_edge != at.last_edge);
      if (!is_new) continue;
      if (at.stamp != round_) put(target, at);
      at.stamp = round_ + 1;
      found_.push_back(target);
    }
  }

  uint32_t topmost(uint32_t owner) {
    while (owners_[owner].above != owner) {
      owners_[owner].above = owners_[owners_[owner].above].above;
      owner = owners_[owner].above;
    }
    return owner;
  }

  IdMap<Node, Place> places_;
  std::vector<Node> target_;        // of the join edges, by the preorder of their sources
  std::vector<uint32_t> owner_of_;  // by join edge: who found it last
  LeastTree all_;                   // the levels of the targets
  LeastTree live_;                  // the same of the edges into live nodes; all greatest between calls
  Csr<uint32_t> edges_into_;        // by node; made when first needed
  LevelBank bank_;
  std::vector<Owner> owners_;
  uint32_t first_owner_ = 1;  // the owners of each set are numbered on from those of the set before
  uint32_t round_ = 0;        // even, two more for each set
  std::vector<Node> found_;
};

}  // namespace braid::flow
