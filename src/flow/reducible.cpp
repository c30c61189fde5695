// A graph is reducible exactly when the target of every retreating edge dominates its source (Hecht and
// Ullman 1974).
#include "flow/reducible.h"

#include "flow/orders.h"

namespace braid::flow {

bool is_reducible(const Graph& graph, const Dominators& dominators) {
  DepthFirst search = depth_first(graph);
  for (Node from : search.preorder)
    for (Node to : graph.successors.row(from))
      if (search.is_ancestor(to, from) && !dominators.dominates(to, from)) return false;
  return true;
}

}  // namespace braid::flow
