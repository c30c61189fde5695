#include "flow/frontiers.h"

#include <algorithm>

#include "base/id_map.h"

namespace braid::flow {
namespace {

/// `emit(node, join)` for each entry, by join, as long as it answers true.
template <class Emit>
void for_each_entry(const Graph& graph, const Dominators& dominators, IdMap<Node, Node>& last_join,
                    Emit&& emit) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  std::fill(last_join.begin(), last_join.end(), none_id<Node>);
  for (uint32_t n = 0; n < count; ++n) {
    Node join{n};
    if (!dominators.is_reachable(join)) continue;
    Node end = dominators.idom(join);
    for (Node from : graph.predecessors.row(join)) {
      if (!dominators.is_reachable(from)) continue;
      for (Node at = from; at != end && last_join[at] != join; at = dominators.idom(at)) {
        last_join[at] = join;
        if (!emit(at, join)) return;
      }
    }
  }
}

}  // namespace

uint64_t count_frontier_entries(const Graph& graph, const Dominators& dominators, uint64_t limit) {
  IdMap<Node, Node> last_join(graph.node_count(), none_id<Node>);
  uint64_t count = 0;
  for_each_entry(graph, dominators, last_join, [&](Node, Node) { return ++count <= limit; });
  return count;
}

Frontiers::Frontiers(const Graph& graph, const Dominators& dominators) {
  IdMap<Node, Node> last_join(graph.node_count(), none_id<Node>);
  rows_.build_again(graph.node_count(), [&](auto&& emit) {
    for_each_entry(graph, dominators, last_join, [&](Node at, Node join) {
      emit(index(at), join);
      return true;
    });
  });
}

}  // namespace braid::flow
