#include "flow/control_dependence.h"

namespace braid::flow {
namespace {

/// `emit(node, dependence)` for each entry, by branch, as long as it answers true.
template <class Emit>
void for_each_entry(const Graph& graph, const PostDominators& post_dominators, Emit&& emit) {
  for (uint32_t n = 0; n < graph.node_count(); ++n) {
    Node branch{n};
    Node end = post_dominators.immediate(branch);
    uint32_t edge = graph.successors.start(n);
    for (Node to : graph.successors.row(n)) {
      for (Node at = to; at != end; at = post_dominators.immediate(at)) {
        if (!emit(at, Dependence{branch, edge})) return;
      }
      ++edge;
    }
  }
}

}  // namespace

uint64_t count_dependences(const Graph& graph, const PostDominators& post_dominators, uint64_t limit) {
  uint64_t count = 0;
  for_each_entry(graph, post_dominators, [&](Node, const Dependence&) { return ++count <= limit; });
  return count;
}

ControlDependence::ControlDependence(const Graph& graph, const PostDominators& post_dominators) {
  rows_.build_again(graph.node_count(), [&](auto&& emit) {
    for_each_entry(graph, post_dominators, [&](Node at, const Dependence& dependence) {
      emit(index(at), dependence);
      return true;
    });
  });
}

}  // namespace braid::flow
