#include "flow/iterated_frontier.h"

#include <algorithm>

namespace braid::flow {

IteratedFrontier::IteratedFrontier(const Graph& graph, const Dominators& dominators)
    : dominators_(dominators), stamp_(dominators.node_count(), 0) {
  std::span<const Node> preorder = dominators.preorder();
  uint32_t count = static_cast<uint32_t>(preorder.size());
  target_.reserve(graph.edge_count());
  subtrees_.resize(count + 1);
  for (uint32_t i = 0; i < count; ++i) {
    Node from = preorder[i];
    uint32_t least = LeastTree::greatest;
    subtrees_[i].first_edge = static_cast<uint32_t>(target_.size());
    for (Node to : graph.successors.row(from)) {
      if (dominators.idom(to) == from) continue;
      target_.push_back(to);
      least = std::min(least, dominators.level(to));
    }
    subtrees_[i].least_level = least;
  }
  subtrees_[count] = {static_cast<uint32_t>(target_.size()), LeastTree::greatest};
  // Children stand behind their parent, so one sweep from the back gathers subtrees.
  for (uint32_t i = count; i-- > 1;) {
    uint32_t& above = subtrees_[dominators.preorder_number(dominators.idom(preorder[i]))].least_level;
    above = std::min(above, subtrees_[i].least_level);
  }

  uint32_t edge_count = static_cast<uint32_t>(target_.size());
  all_.assign(edge_count, LeastTree::greatest);
  for (uint32_t edge = 0; edge < edge_count; ++edge) all_.set_quietly(edge, dominators.level(target_[edge]));
  all_.gather();
}

void IteratedFrontier::prepare_live() {
  uint32_t edge_count = static_cast<uint32_t>(target_.size());
  live_.assign(edge_count, LeastTree::greatest);
  edges_into_.build_again(dominators_.node_count(), [&](auto&& emit) {
    for (uint32_t edge = 0; edge < edge_count; ++edge) emit(index(target_[edge]), edge);
  });
}

std::span<const Node> IteratedFrontier::of_live(std::span<const Node> set, std::span<const Node> live_in) {
  begin();
  if (target_.empty()) return found_;
  if (edges_into_.row_count() == 0) prepare_live();
  for (Node n : live_in) {
    for (uint32_t edge : edges_into_.row(n)) live_.set(edge, dominators_.level(n));
  }
  gather(
      set, live_, [](Node) { return true; }, [](uint32_t) {});
  for (Node n : live_in) {
    for (uint32_t edge : edges_into_.row(n)) {
      if (live_[edge] != LeastTree::greatest) live_.set(edge, LeastTree::greatest);
    }
  }
  return found_;
}

}  // namespace braid::flow
