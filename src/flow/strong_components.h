// Strongly connected components (R. E. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972), over
// those edges of a graph that a predicate keeps. Iterative; O(nodes + edges) over all searches together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

/// Remembers what was found, so that several searches cover a graph without finding a node twice.
class StrongComponents {
 public:
  explicit StrongComponents(const Graph& graph) : graph_(graph), state_(graph.node_count()) {}

  bool was_found(Node n) const { return state_[n].number != 0; }
  /// The next search may find `n` again.
  void forget(Node n) { state_[n] = {}; }

  /// Calls `emit(component)` with the nodes of each component that can be reached from `root` and was not
  /// found before, each component before those that lead to it. The first node of a component is the one that
  /// the depth-first search entered it by. `keep(edge)`, with a position in `graph.successors.items()`, says
  /// which edges there are.
  template <class Keep, class Emit>
  void search(Node root, Keep&& keep, Emit&& emit) {
    if (was_found(root)) return;
    const std::vector<Node>& successors = graph_.successors.items();
    enter(root);
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      if (top.next != top.end) {
        uint32_t edge = top.next++;
        if (!keep(edge)) continue;
        Node to = successors[edge];
        if (!was_found(to)) {
          enter(to);
        } else {
          // A node in a finished component has the greatest number of all.
          lower(top.node, state_[to].number);
        }
        continue;
      }
      Node n = top.node;
      frames_.pop_back();
      if (!frames_.empty()) lower(frames_.back().node, state_[n].low);
      if (state_[n].low != state_[n].number) continue;
      auto first = std::find(open_.rbegin(), open_.rend(), n).base() - 1;
      for (auto at = first; at != open_.end(); ++at) state_[*at] = {finished, finished};
      emit(std::span<const Node>(first, open_.end()));
      open_.erase(first, open_.end());
    }
  }

 private:
  static constexpr uint32_t finished = 0xffffffffu;
  struct State {
    uint32_t number = 0;  // in the order of discovery, from 1
    uint32_t low = 0;     // the least number in the same component that is known to be reachable
  };
  struct Frame {
    Node node;
    uint32_t next;
    uint32_t end;
  };

  void enter(Node n) {
    ++last_number_;
    state_[n] = {last_number_, last_number_};
    open_.push_back(n);
    frames_.push_back({n, graph_.successors.start(index(n)), graph_.successors.start(size_t{index(n)} + 1)});
  }
  void lower(Node n, uint32_t low) { state_[n].low = std::min(state_[n].low, low); }

  const Graph& graph_;
  IdMap<Node, State> state_;
  uint32_t last_number_ = 0;
  std::vector<Node> open_;  // found, but the component is not complete yet
  std::vector<Frame> frames_;
};

}  // namespace braid::flow
