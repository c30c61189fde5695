// Whether a graph is reducible: every loop is entered at one node only. O(nodes + edges) once dominators are
// known.
#pragma once

#include "flow/dominators.h"
#include "flow/graph.h"

namespace braid::flow {

/// Looks at the reachable part.
bool is_reducible(const Graph& graph, const Dominators& dominators);

}  // namespace braid::flow
