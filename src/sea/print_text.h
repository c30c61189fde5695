// The one-line form of chapter 8 of "Simple": what a graph returns, as an expression.
//
//   return Phi(Loop6,arg,(Phi_arg+1));        one return; otherwise Stop[ return 1; return 2; ]
//
// A node that was printed before is only named: `Phi_x` a phi of x, `Add` a sum, `Loop` a loop. Regions and loops show
// their number where they come first. Iterative, O(graph).
#pragma once

#include <string>

#include "sea/graph.h"

namespace braid::sea {

/// Everything that hangs on stop.
std::string print_text(const Graph& graph);
/// One node and what it hangs on.
std::string print_text(const Graph& graph, NodeId node);

}  // namespace braid::sea
