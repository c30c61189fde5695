// Who dominates whom, and nothing else, for graphs whose nodes are numbered forwards: the entry is 0 and every node
// stands behind its dominators, as compaction leaves the blocks of a function.
//
// One pass in the order of the numbers. A node's immediate dominator is the nearest common ancestor, in the tree built so
// far, of the predecessors before it; jump pointers (E. W. Myers, An Applicative Random-Access Stack, 1983) find it in
// O(log depth). Edges backwards are left out, which is right exactly if the target of each dominates its source: going
// round such a loop passes no node that was not passed before. If one does not, the graph is irreducible or not numbered
// forwards, and `build` refuses it; flow/dominators.h takes every graph. O(nodes + edges * log depth); flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bit_set.h"
#include "flow/dominators.h"

namespace braid::flow {

class Dominance {
 public:
  /// `predecessors[starts[n]]` up to `starts[n + 1]` are the predecessors of node n; `none` entries are left out. False if
  /// this way does not lead to the answer; nothing may be asked then.
  bool build(std::span<const uint32_t> starts, std::span<const Node> predecessors);
  /// The same answers as the tree gives.
  void take(const Dominators& tree);

  bool is_reachable(Node n) const { return intervals_[index(n)].size != 0; }
  /// As in Dominators: a node that cannot be reached dominates nothing and is dominated by nothing.
  bool dominates(Node a, Node b) const {
    Interval above = intervals_[index(a)];
    return intervals_[index(b)].first - above.first < above.size;
  }
  bool all_reachable() const { return all_reachable_; }
  /// The reachable nodes, each before those that it dominates. O(nodes).
  std::vector<Node> preorder() const;
  /// All those are added that dominate one of them. Only after `build`. O(nodes).
  void add_dominators(BitSet& nodes) const;

 private:
  /// The positions in a preorder of the tree; as in Dominators.
  struct Interval {
    uint32_t first = 0xffffffffu;
    uint32_t size = 0;
  };
  struct Place {
    uint32_t idom;  ///< `outside` for a node that is not in the tree
    uint32_t level;
    uint32_t jump;
  };
  static constexpr uint32_t outside = 0xffffffffu;

  uint32_t common_ancestor(uint32_t a, uint32_t b) const;
  void place(uint32_t n, uint32_t idom);
  void number();

  std::vector<Place> places_;
  std::vector<Interval> intervals_;
  bool all_reachable_ = true;
};

}  // namespace braid::flow
