// The dominator tree of blocks with the questions of scheduling: the nearest block that dominates two others,
// the least deeply nested block between a block and one that dominates it, and the highest block of a set
// there.
//
// All are climbs along jump pointers of skew-binary lengths (E. W. Myers, An Applicative Random-Access Stack,
// 1983): over the tree, over the chains that lead from each block to the nearest dominator in fewer loops,
// and over those that lead to the nearest dominator in the set. O(log blocks) each.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bit_set.h"
#include "flow/dominators.h"
#include "flow/graph.h"
#include "flow/loops.h"

namespace braid::sea {

class BlockTree {
 public:
  explicit BlockTree(const flow::Graph& graph)
      : tree_(graph), up_(graph.node_count()), out_(graph.node_count()) {
    if (may_go_back(graph)) loops_.emplace(graph);
    for (flow::Node n : tree_.preorder()) {
      uint32_t b = index(n);
      flow::Node idom = tree_.idom(n);
      link(up_, b, is_none(idom) ? b : index(idom), [&](uint32_t x) { return level(x); });
      link(out_, b, depth(b) == 0 ? b : less_deep(index(idom), depth(b)),
           [&](uint32_t x) { return out_[x].length; });
    }
  }

  uint32_t level(uint32_t b) const { return tree_.level(static_cast<flow::Node>(b)); }
  /// In how many loops a block is.
  uint32_t depth(uint32_t b) const { return loops_ ? loops_->depth(static_cast<flow::Node>(b)) : 0; }
  const flow::Dominators& dominators() const { return tree_; }
  uint32_t idom(uint32_t b) const { return up_[b].parent; }

  /// The nearest block that dominates both.
  uint32_t common(uint32_t a, uint32_t b) const {
    if (level(a) < level(b)) std::swap(a, b);
    while (level(a) > level(b)) a = level(up_[a].jump) >= level(b) ? up_[a].jump : up_[a].parent;
    while (a != b) {
      bool far = up_[a].jump != up_[b].jump;
      a = far ? up_[a].jump : up_[a].parent;
      b = far ? up_[b].jump : up_[b].parent;
    }
    return a;
  }

  /// A set of blocks, for `highest`.
  class Marks;
  Marks mark(BitSet set) const;
  /// Of the marked blocks from `late` up to before `early`, which dominates it, the highest; `early` if there
  /// is none.
  uint32_t highest(const Marks& marks, uint32_t late, uint32_t early) const;

  /// Of the blocks from `late` up to `early`, which dominates it, the lowest of those in the fewest loops.
  uint32_t cheapest(uint32_t late, uint32_t early) const {
    uint32_t least = level(early);
    for (;;) {
      const Jump& at = out_[late];
      if (at.jump != late && level(at.jump) >= least)
        late = at.jump;
      else if (at.parent != late && level(at.parent) >= least)
        late = at.parent;
      else
        return late;
    }
  }

 private:
  struct Jump {
    uint32_t parent = 0, jump = 0, length = 0;
  };

  /// Every cycle has an edge that does not lead to a higher number.
  static bool may_go_back(const flow::Graph& graph) {
    for (uint32_t b = 0; b < graph.node_count(); ++b)
      for (flow::Node to : graph.successors.row(b))
        if (index(to) <= b) return true;
    return false;
  }

  template <class Length>
  static void link(std::vector<Jump>& chain, uint32_t b, uint32_t parent, Length&& length) {
    if (parent == b) {
      chain[b] = {b, b, 0};
      return;
    }
    uint32_t far = chain[parent].jump;
    bool joins = length(parent) - length(far) == length(far) - length(chain[far].jump);
    chain[b] = {parent, joins ? chain[far].jump : parent, chain[parent].length + 1};
  }
  /// The nearest of `b` and what dominates it that is in fewer loops than this; the entry is in none.
  uint32_t less_deep(uint32_t b, uint32_t depth_limit) const {
    while (depth(b) >= depth_limit) b = depth(out_[b].jump) >= depth_limit ? out_[b].jump : out_[b].parent;
    return b;
  }

  flow::Dominators tree_;
  std::optional<flow::Loops> loops_;  ///< if there may be any
  std::vector<Jump> up_;      ///< over the tree
  std::vector<Jump> out_;  ///< to the nearest dominator in fewer loops; the block itself if it is in none
};

class BlockTree::Marks {
 private:
  friend BlockTree;
  std::vector<Jump> chain_;  ///< to the nearest dominator in the set, or the entry
  BitSet set_;
};

inline BlockTree::Marks BlockTree::mark(BitSet set) const {
  Marks marks;
  marks.chain_.resize(up_.size());
  for (flow::Node n : tree_.preorder()) {
    uint32_t b = index(n), above = up_[b].parent;
    if (b != above && !set.test(above)) above = marks.chain_[above].parent;
    // The entry ends every chain, marked or not.
    link(marks.chain_, b, above, [&](uint32_t x) { return marks.chain_[x].length; });
  }
  marks.set_ = std::move(set);
  return marks;
}

inline uint32_t BlockTree::highest(const Marks& marks, uint32_t late, uint32_t early) const {
  uint32_t least = level(early) + 1;
  if (!marks.set_.test(late)) late = marks.chain_[late].parent;
  if (level(late) < least) return early;
  for (;;) {
    const Jump& at = marks.chain_[late];
    if (level(at.jump) >= least)
      late = at.jump;
    else if (level(at.parent) >= least)
      late = at.parent;
    else
      return late;
  }
}

}  // namespace braid::sea
