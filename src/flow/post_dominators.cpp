#include "flow/post_dominators.h"

#include "flow/strong_components.h"

namespace braid::flow {
namespace {

/// The nodes from which one of `ends` can be reached.
IdSet<Node> reaching(const Graph& graph, std::span<const Node> ends) {
  IdSet<Node> seen(graph.node_count());
  std::vector<Node> work(ends.begin(), ends.end());
  for (Node n : ends) seen.set(n);
  while (!work.empty()) {
    Node n = work.back();
    work.pop_back();
    for (Node from : graph.predecessors.row(n)) {
      if (seen.insert(from)) work.push_back(from);
    }
  }
  return seen;
}

}  // namespace

PostDominators::PostDominators(const Graph& graph) : virtual_exit_(static_cast<Node>(graph.node_count())) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  for (uint32_t n = 0; n < count; ++n) {
    if (graph.successors.row(n).empty()) exits_.push_back(Node{n});
  }
  end_count_ = exits_.size();
  IdSet<Node> ends = reaching(graph, exits_);
  if (ends.count() < count) add_endless_exits(graph, ends);

  Graph backward;
  backward.entry = virtual_exit_;
  backward.successors.build_again(count + 1, [&](auto&& emit) {
    for (uint32_t n = 0; n < count; ++n) {
      for (Node from : graph.predecessors.row(n)) emit(n, from);
    }
    for (Node exit : exits_) emit(count, exit);
  });
  backward.predecessors.build_again(count + 1, [&](auto&& emit) {
    for (uint32_t n = 0; n < count; ++n) {
      for (Node to : graph.successors.row(n)) emit(n, to);
    }
    for (Node exit : exits_) emit(index(exit), virtual_exit_);
  });
  tree_ = Dominators(backward);
}

void PostDominators::add_endless_exits(const Graph& graph, const IdSet<Node>& ends) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  StrongComponents components(graph);
  IdSet<Node> in_component(count);
  auto keep = [](uint32_t) { return true; };
  auto emit = [&](std::span<const Node> component) {
    if (ends.test(component.front())) return;
    for (Node n : component) in_component.set(n);
    bool is_left = false;
    for (Node n : component) {
      for (Node to : graph.successors.row(n)) is_left |= !in_component.test(to);
    }
    for (Node n : component) in_component.reset(n);
    if (!is_left) exits_.push_back(component.front());
  };
  components.search(graph.entry, keep, emit);
  for (uint32_t n = 0; n < count; ++n) components.search(Node{n}, keep, emit);
}

}  // namespace braid::flow
