#include "flow/iterated_frontier.h"

#include <algorithm>

namespace braid::flow {

IteratedFrontier::IteratedFrontier(const Graph& graph, const Dominators& dominators)
    : places_(dominators.node_count()) {
  std::span<const Node> preorder = dominators.preorder();
  uint32_t count = static_cast<uint32_t>(preorder.size());
  target_.reserve(graph.edge_count());
  std::vector<uint32_t> first_edge(count + 1);
  std::vector<uint32_t> least_level(count, LeastTree::greatest);  // that an edge out of the subtree leads to
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Node from = preorder[i];
    first_edge[i] = static_cast<uint32_t>(target_.size());
    deepest = std::max(deepest, dominators.level(from));
    for (Node to : graph.successors.row(from)) {
      if (dominators.idom(to) == from) continue;
      target_.push_back(to);
      least_level[i] = std::min(least_level[i], dominators.level(to));
    }
  }
  uint32_t edge_count = static_cast<uint32_t>(target_.size());
  first_edge[count] = edge_count;
  // Children stand behind their parent, so one sweep from the back gathers subtrees.
  for (uint32_t i = count; i-- > 0;) {
    Node n = preorder[i];
    Place& place = places_[n];
    place.level = dominators.level(n);
    if (least_level[i] <= place.level) {
      place.first_edge = first_edge[i];
      place.last_edge = first_edge[i + dominators.dominated_by(n).size()];
    }
    if (i == 0) break;
    uint32_t& above = least_level[dominators.preorder_number(dominators.idom(n))];
    above = std::min(above, least_level[i]);
  }
  all_.build(edge_count, [&](uint32_t edge) { return dominators.level(target_[edge]); });
  owner_of_.assign(edge_count, 0);
  bank_.resize(deepest + 1);
}

void IteratedFrontier::begin(std::span<const Node> set) {
  found_.clear();
  round_ += 2;
  if (round_ == 0) {
    for (Place& place : places_) place.stamp = 0;
    round_ = 2;
  }
  // A set has at most one owner for each node.
  first_owner_ += static_cast<uint32_t>(owners_.size());
  if (first_owner_ > 0xffffffffu - places_.size()) {
    owner_of_.assign(owner_of_.size(), 0);
    first_owner_ = 1;
  }
  owners_.clear();
  for (Node n : set) {
    Place& place = places_[n];
    if (place.stamp == round_) continue;
    place.stamp = round_;
    put(n, place);
  }
}

std::span<const Node> IteratedFrontier::of_live(std::span<const Node> set, std::span<const Node> live_in) {
  begin(set);
  if (bank_.empty()) return found_;
  if (edges_into_.row_count() == 0) {
    uint32_t edge_count = static_cast<uint32_t>(target_.size());
    live_.build(edge_count, [](uint32_t) { return LeastTree::greatest; });
    edges_into_.build_again(places_.size(), [&](auto&& emit) {
      for (uint32_t edge = 0; edge < edge_count; ++edge) emit(index(target_[edge]), edge);
    });
  }
  for (Node n : live_in) {
    for (uint32_t edge : edges_into_.row(n)) live_.lower(edge, places_[n].level);
  }
  FrontierWatcher nobody;
  while (!bank_.empty()) look_from(bank_.take(), live_, [](Node) { return true; }, nobody);
  for (Node n : live_in) {
    for (uint32_t edge : edges_into_.row(n)) live_.clear(edge);
  }
  return found_;
}

}  // namespace braid::flow
