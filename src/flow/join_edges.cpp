#include "flow/join_edges.h"

#include <algorithm>
#include <bit>

namespace braid::flow {

JoinEdges::JoinEdges(const Graph& graph, const Dominators& dominators) : dominators_(dominators) {
  std::span<const Node> preorder = dominators.preorder();
  uint32_t count = static_cast<uint32_t>(preorder.size());
  first_edge_.reserve(count + 1);
  for (Node from : preorder) {
    first_edge_.push_back(static_cast<uint32_t>(target_.size()));
    for (Node to : graph.successors.row(from))
      if (dominators.idom(to) != from) target_.push_back(to);
  }
  first_edge_.push_back(static_cast<uint32_t>(target_.size()));

  // Children stand behind their parents in preorder, so one backward sweep gathers subtrees.
  least_level_.assign(count, removed);
  for (uint32_t i = count; i-- > 0;) {
    for (uint32_t e = first_edge_[i]; e < first_edge_[i + 1]; ++e)
      least_level_[i] = std::min(least_level_[i], dominators.level(target_[e]));
    Node parent = dominators.idom(preorder[i]);
    if (is_none(parent)) continue;
    uint32_t& above = least_level_[dominators.preorder_number(parent)];
    above = std::min(above, least_level_[i]);
  }

  leaves_ = std::bit_ceil(std::max<uint32_t>(1, static_cast<uint32_t>(target_.size())));
  minimum_.assign(2 * size_t{leaves_}, removed);
  for (uint32_t e = 0; e < target_.size(); ++e) minimum_[leaves_ + e] = dominators.level(target_[e]);
  for (uint32_t i = leaves_; i-- > 1;) minimum_[i] = std::min(minimum_[2 * i], minimum_[2 * i + 1]);
  stamp_.assign(dominators.node_count(), 0);
}

void JoinEdges::set_key(uint32_t edge, uint32_t key) {
  uint32_t i = leaves_ + edge;
  minimum_[i] = key;
  for (i /= 2; i >= 1; i /= 2) {
    uint32_t least = std::min(minimum_[2 * i], minimum_[2 * i + 1]);
    if (minimum_[i] == least) break;
    minimum_[i] = least;
  }
}

/// Takes out every edge from `first` up to `last` whose target is at `level` or above.
void JoinEdges::take(uint32_t first, uint32_t last, uint32_t level) {
  while (first < last) {
    // Up to the left end of the next part of the tree that holds such an edge, then down to its first one.
    uint32_t i = leaves_ + first;
    while (minimum_[i] > level) {
      while (i % 2 == 1) i /= 2;  // a right child: its parent's part ends here, too
      if (i == 0) return;
      ++i;
    }
    while (i < leaves_) i = minimum_[2 * i] <= level ? 2 * i : 2 * i + 1;
    uint32_t edge = i - leaves_;
    if (edge >= last) return;
    taken_.push_back(edge);
    set_key(edge, removed);
    Node to = target_[edge];
    if (stamp_[index(to)] != round_) {
      stamp_[index(to)] = round_;
      found_.push_back(to);
    }
    first = edge + 1;
  }
}

std::span<const Node> JoinEdges::iterated_frontier(std::span<const Node> set) {
  ++round_;
  found_.clear();
  taken_.clear();
  auto look = [&](Node x) {
    if (!dominators_.is_reachable(x)) return;
    uint32_t number = dominators_.preorder_number(x);
    if (least_level_[number] > dominators_.level(x)) return;
    uint32_t behind = number + static_cast<uint32_t>(dominators_.dominated_by(x).size());
    take(first_edge_[number], first_edge_[behind], dominators_.level(x));
  };
  for (Node x : set) look(x);
  for (size_t i = 0; i < found_.size(); ++i) look(found_[i]);
  for (uint32_t edge : taken_) set_key(edge, dominators_.level(target_[edge]));
  return found_;
}

}  // namespace braid::flow
