// Gives endless loops an exit that is never taken, so that all that control reaches hangs on stop: a `never` at the end of a block
// of the loop, and behind it `unreachable`.
//
// For graphs that come from a parser, when they are complete; lifting does the same for functions. Whoever prints such a graph,
// schedules or lands it, sees a way from everywhere to the end. A graph without loops is left alone at once; otherwise
// O(nodes + edges), apart from the dominator tree where there is an endless loop.
#pragma once

#include "sea/graph.h"

namespace braid::sea {

/// `has_effects`: there is a chain of effects, and the exits take what it is where they are. Loops that have an exit get no other.
void add_exits(Graph& graph, bool has_effects);

}  // namespace braid::sea
