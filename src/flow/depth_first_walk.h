// The one depth-first walk, with a callback where a node is found and one where it is left.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/id.h"
#include "flow/graph.h"

namespace braid::flow {

/// Calls `discover(node, parent)` for each way that leads from a reachable node, and for the entry, whose
/// parent is none; it says whether the node is new. Calls `leave(node)` once for each node, behind all that
/// was found from it. `ways(node)` are the first and the end of a range of numbers, `target(number)` is where
/// a way leads. The stack lies on the heap: depth is limited by memory only.
template <Id Node, class Ways, class Target, class Discover, class Leave>
[[gnu::always_inline]] inline void depth_first_walk(Node entry, Ways&& ways, Target&& target,
                                                    Discover&& discover, Leave&& leave) {
  struct Frame {
    Node node;
    uint32_t next, end;
  };
  std::vector<Frame> stack;
  auto frame_of = [&](Node n) {
    const std::pair<uint32_t, uint32_t> range = ways(n);
    return Frame{n, range.first, range.second};
  };
  discover(entry, none_id<Node>);
  stack.push_back(frame_of(entry));
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.end) {
      leave(top.node);
      stack.pop_back();
      continue;
    }
    const Node to = target(top.next++);
    if (discover(to, top.node)) stack.push_back(frame_of(to));
  }
}

/// The same along the successors in a graph.
template <class Discover, class Leave>
[[gnu::always_inline]] inline void depth_first_walk(const Graph& graph, Discover&& discover, Leave&& leave) {
  if (graph.node_count() == 0) return;
  const Node* successors = graph.successors.items().data();
  depth_first_walk(
      graph.entry,
      [&](Node n) {
        return std::pair(graph.successors.start(index(n)), graph.successors.start(size_t{index(n)} + 1));
      },
      [&](uint32_t number) { return successors[number]; }, discover, leave);
}

}  // namespace braid::flow
