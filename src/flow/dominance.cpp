#include "flow/dominance.h"

#include <utility>

namespace braid::flow {

uint32_t Dominance::common_ancestor(uint32_t a, uint32_t b) const {
  if (places_[a].level < places_[b].level) std::swap(a, b);
  uint32_t level = places_[b].level;
  while (places_[a].level > level) {
    uint32_t jump = places_[a].jump;
    a = places_[jump].level >= level ? jump : places_[a].idom;
  }
  // Nodes of equal level jump equally far.
  while (a != b) {
    bool apart = places_[a].jump != places_[b].jump;
    a = apart ? places_[a].jump : places_[a].idom;
    b = apart ? places_[b].jump : places_[b].idom;
  }
  return a;
}

void Dominance::place(uint32_t n, uint32_t idom) {
  const Place& above = places_[idom];
  const Place& jumped = places_[above.jump];
  bool equal_jumps = above.level - jumped.level == jumped.level - places_[jumped.jump].level;
  places_[n] = {idom, above.level + 1, equal_jumps ? jumped.jump : idom};
}

bool Dominance::build(std::span<const uint32_t> starts, std::span<const Node> predecessors) {
  uint32_t count = static_cast<uint32_t>(starts.size()) - 1;
  places_.resize(count);
  all_reachable_ = true;
  bool any_back = false;
  if (count != 0) places_[0] = {0, 0, 0};
  for (uint32_t n = 1; n < count; ++n) {
    uint32_t idom = outside;
    for (uint32_t i = starts[n]; i < starts[n + 1]; ++i) {
      uint32_t from = index(predecessors[i]);
      if (from >= n) {
        any_back |= from != outside;
      } else if (places_[from].idom != outside && from != idom) {
        idom = idom == outside ? from : common_ancestor(idom, from);
      }
    }
    if (idom != outside) {
      place(n, idom);
    } else {
      places_[n] = {outside, 0, 0};
      all_reachable_ = false;
    }
  }
  number();
  if (!any_back) return true;
  for (uint32_t n = 0; n < count; ++n)
    for (uint32_t i = starts[n]; i < starts[n + 1]; ++i) {
      uint32_t from = index(predecessors[i]);
      if (from < n || from == outside) continue;
      if (is_reachable(predecessors[i]) && !dominates(static_cast<Node>(n), predecessors[i])) return false;
    }
  return true;
}

/// A dominator has a smaller number than what it dominates, so sizes add up from the back and places are given out from
/// the front. The jumps are not needed any more: where the next child goes stands in their place.
void Dominance::number() {
  uint32_t count = static_cast<uint32_t>(places_.size());
  intervals_.assign(count, {});
  if (count == 0) return;
  for (uint32_t n = 0; n < count; ++n)
    if (places_[n].idom != outside) intervals_[n].size = 1;
  for (uint32_t n = count; n-- > 1;)
    if (places_[n].idom != outside) intervals_[places_[n].idom].size += intervals_[n].size;
  intervals_[0].first = 0;
  places_[0].jump = 1;
  for (uint32_t n = 1; n < count; ++n) {
    if (places_[n].idom == outside) continue;
    uint32_t& next = places_[places_[n].idom].jump;
    intervals_[n].first = next;
    places_[n].jump = next + 1;
    next += intervals_[n].size;
  }
}

std::vector<Node> Dominance::preorder() const {
  std::vector<Node> order(intervals_.size());
  size_t reachable = 0;
  for (uint32_t n = 0; n < intervals_.size(); ++n) {
    if (intervals_[n].size == 0) continue;
    order[intervals_[n].first] = static_cast<Node>(n);
    ++reachable;
  }
  order.resize(reachable);
  return order;
}

void Dominance::add_dominators(BitSet& nodes) const {
  for (uint32_t n = static_cast<uint32_t>(places_.size()); n-- > 1;)
    if (nodes.test(n) && places_[n].idom != outside) nodes.set(places_[n].idom);
}

void Dominance::take(const Dominators& tree) {
  intervals_.assign(tree.node_count(), {});
  all_reachable_ = tree.preorder().size() == tree.node_count();
  for (Node n : tree.preorder())
    intervals_[index(n)] = {tree.preorder_number(n), static_cast<uint32_t>(tree.dominated_by(n).size())};
}

}  // namespace braid::flow
