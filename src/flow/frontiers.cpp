#include "flow/frontiers.h"

#include <algorithm>

#include "base/id_map.h"

namespace braid::flow {

Frontiers::Frontiers(const Graph& graph, const Dominators& dominators) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  IdMap<Node, Node> last_join(count, none_id<Node>);
  rows_.build_again(count, [&](auto&& emit) {
    std::fill(last_join.begin(), last_join.end(), none_id<Node>);
    for (uint32_t n = 0; n < count; ++n) {
      Node join{n};
      if (!dominators.is_reachable(join)) continue;
      Node end = dominators.idom(join);
      for (Node from : graph.predecessors.row(join)) {
        if (!dominators.is_reachable(from)) continue;
        for (Node at = from; at != end && last_join[at] != join; at = dominators.idom(at)) {
          last_join[at] = join;
          emit(index(at), join);
        }
      }
    }
  });
}

}  // namespace braid::flow
