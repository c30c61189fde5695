#include "flow/reachability.h"

#include <algorithm>
#include <functional>

namespace braid::flow {
namespace {

constexpr uint32_t no_component = 0xffffffffu;

}  // namespace

Reachability::Reachability(const Graph& graph, const Dominators& dominators)
    : graph_(graph),
      component_(graph.node_count(), no_component),
      search_(graph),
      back_edges_(graph.edge_count()),
      dead_edges_(graph.edge_count()),
      from_(graph.edge_count()),
      alive_(graph.node_count()),
      held_by_(graph.node_count(), no_edge),
      passed_(graph.node_count(), 0) {
  uint32_t edge = 0;
  for (uint32_t n = 0; n < graph.node_count(); ++n) {
    Node from{n};
    if (dominators.is_reachable(from)) alive_.set(from);
    for (Node to : graph.successors.row(n)) {
      from_[edge] = from;
      if (!dominators.is_reachable(from)) {
        dead_edges_.set(edge);
      } else if (dominators.dominates(to, from)) {
        back_edges_.set(edge);
      }
      ++edge;
    }
  }
  incoming_.build_again(graph.node_count(), [&](auto&& emit) {
    for (uint32_t e = 0; e < edge; ++e) {
      if (is_live(e) && !back_edges_.test(e)) emit(index(graph.successors.items()[e]), e);
    }
  });
  if (graph.node_count() == 0) return;
  order_.resize(dominators.preorder().size());
  uint32_t end = static_cast<uint32_t>(order_.size());
  search_.search(
      graph.entry, [&](uint32_t e) { return !back_edges_.test(e); },
      [&](std::span<const Node> nodes) {
        end -= static_cast<uint32_t>(nodes.size());
        place(nodes, end);
      });
  hold_all();
}

/// Every node by the edge that a search from the entry finds it by.
void Reachability::hold_all() {
  IdSet<Node> seen(graph_.node_count());
  seen.set(graph_.entry);
  work_.assign(1, graph_.entry);
  while (!work_.empty()) {
    Node n = work_.back();
    work_.pop_back();
    uint32_t edge = graph_.successors.start(index(n));
    for (Node to : graph_.successors.row(n)) {
      if (seen.insert(to)) {
        held_by_[to] = edge;
        work_.push_back(to);
      }
      ++edge;
    }
  }
}

/// Makes a component of `nodes`, from position `first` of the order on.
void Reachability::place(std::span<const Node> nodes, uint32_t first) {
  for (Node n : nodes) component_[n] = static_cast<uint32_t>(components_.size());
  std::copy(nodes.begin(), nodes.end(), order_.begin() + first);
  components_.push_back({first, static_cast<uint32_t>(nodes.size()), false});
}

uint32_t Reachability::find_edge(Node from, Node to) const {
  uint32_t edge = graph_.successors.start(index(from));
  for (Node candidate : graph_.successors.row(from)) {
    if (candidate == to && is_live(edge)) return edge;
    ++edge;
  }
  return no_edge;
}

void Reachability::remove_edge(uint32_t edge) {
  newly_dead_.clear();
  killed_.clear();
  if (!dead_edges_.insert(edge)) return;
  Node to = graph_.successors.items()[edge];
  uint32_t component = component_[to];
  if (component == component_[from_[edge]] && !back_edges_.test(edge))
    components_[component].has_changed = true;
  if (held_by_[to] != edge) return;
  orphan(to);
  while (!waiting_.empty()) {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    Node n = order_[waiting_.back()];
    waiting_.pop_back();
    if (unreachable(n)) continue;  // the component was settled before and has been split
    if (components_[component_[n]].size == 1) {
      settle(n);
    } else {
      settle_component(component_[n]);
    }
  }
  std::erase_if(killed_, [&](uint32_t e) { return unreachable(graph_.successors.items()[e]); });
}

/// The component of `n` has to look for another edge, after all components before it.
void Reachability::orphan(Node n) {
  held_by_[n] = no_edge;
  waiting_.push_back(components_[component_[n]].first);
  std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
}

void Reachability::settle(Node n) {
  if (held_by_[n] != no_edge || !alive_.test(n)) return;
  std::span<const uint32_t> incoming = incoming_.row(n);
  for (uint32_t& at = passed_[n]; at < incoming.size(); ++at) {
    if (!is_live(incoming[at])) continue;
    held_by_[n] = incoming[at];
    return;
  }
  kill(n);
}

/// Searches the component again from the edges that enter it.
void Reachability::settle_component(uint32_t component) {
  std::span<const Node> nodes(order_.data() + components_[component].first, components_[component].size);
  bool has_orphan = false;
  for (Node n : nodes) has_orphan |= held_by_[n] == no_edge;
  if (!has_orphan) return;
  work_.clear();
  for (Node n : nodes) {
    held_by_[n] = no_edge;
    for (uint32_t edge : incoming_.row(n)) {
      if (!is_live(edge) || component_[from_[edge]] == component) continue;
      held_by_[n] = edge;
      work_.push_back(n);
      break;
    }
  }
  while (!work_.empty()) {
    Node n = work_.back();
    work_.pop_back();
    uint32_t edge = graph_.successors.start(index(n));
    for (Node to : graph_.successors.row(n)) {
      if (component_[to] == component && held_by_[to] == no_edge && is_live(edge)) {
        held_by_[to] = edge;
        work_.push_back(to);
      }
      ++edge;
    }
  }
  for (Node n : nodes) {
    if (held_by_[n] == no_edge) kill(n);
  }
  split(component);
}

/// Into what is still strongly connected; dead nodes are in no component.
void Reachability::split(uint32_t component) {
  Component old = components_[component];
  std::span<const Node> nodes(order_.data() + old.first, old.size);
  work_.clear();
  for (Node n : nodes) {
    search_.forget(n);
    if (alive_.test(n)) {
      work_.push_back(n);
    } else {
      component_[n] = no_component;
    }
  }
  auto keep = [&](uint32_t edge) {
    return is_live(edge) && !back_edges_.test(edge) &&
           component_[graph_.successors.items()[edge]] == component;
  };
  uint32_t end = old.first + old.size;
  // Nodes of finished parts have another component already, so they are not kept; that changes nothing.
  for (Node n : work_) {
    search_.search(n, keep, [&](std::span<const Node> part) {
      end -= static_cast<uint32_t>(part.size());
      place(part, end);
    });
  }
}

void Reachability::kill(Node n) {
  alive_.reset(n);
  newly_dead_.push_back(n);
  uint32_t edge = graph_.successors.start(index(n));
  for (Node to : graph_.successors.row(n)) {
    if (dead_edges_.insert(edge) && alive_.test(to)) {
      killed_.push_back(edge);
      if (held_by_[to] == edge) orphan(to);
    }
    ++edge;
  }
}

uint32_t Reachability::component(Node n) {
  uint32_t component = component_[n];
  if (unreachable(n)) return no_component;
  if (components_[component].has_changed) split(component);
  return component_[n];
}

}  // namespace braid::flow
