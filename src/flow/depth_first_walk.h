// The one depth-first walk of this room, with a callback where a node is found and one where it is left.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

/// Calls `discover(node, parent)` and later `leave(node)` once for each reachable node; `discover` says
/// whether the node is new. The entry's parent is none. The stack lies on the heap: depth is limited by
/// memory only.
template <class Discover, class Leave>
void depth_first_walk(const Graph& graph, Discover&& discover, Leave&& leave) {
  struct Frame {
    Node node;
    uint32_t next;  // position in the list of all successors
    uint32_t end;
  };
  if (graph.node_count() == 0) return;
  const std::vector<Node>& successors = graph.successors.items();
  auto frame_of = [&](Node n) {
    return Frame{n, graph.successors.start(index(n)), graph.successors.start(size_t{index(n)} + 1)};
  };
  std::vector<Frame> stack;
  discover(graph.entry, none_id<Node>);
  stack.push_back(frame_of(graph.entry));
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.end) {
      leave(top.node);
      stack.pop_back();
      continue;
    }
    Node to = successors[top.next++];
    if (discover(to, top.node)) stack.push_back(frame_of(to));
  }
}

}  // namespace braid::flow
