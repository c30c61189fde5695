#include "flow/control_dependence.h"

namespace braid::flow {

ControlDependence::ControlDependence(const Graph& graph, const PostDominators& post_dominators) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  rows_.build_again(count, [&](auto&& emit) {
    for (uint32_t n = 0; n < count; ++n) {
      Node branch{n};
      Node end = post_dominators.immediate(branch);
      uint32_t edge = graph.successors.start(n);
      for (Node to : graph.successors.row(n)) {
        for (Node at = to; at != end; at = post_dominators.immediate(at)) {
          emit(index(at), Dependence{branch, edge});
        }
        ++edge;
      }
    }
  });
}

}  // namespace braid::flow
