// Sparse conditional constant propagation (M. N. Wegman and F. K. Zadeck, Constant Propagation with Conditional Branches,
// 1991) over the types of the lattice: every value starts at `none`, all control unreachable, and both grow together.
//
// A value in a loop is what flows in, not what might: so that a variable that a loop never changes, and a branch that no
// value ever takes, are found even where each depends on the other. Phis are widened after some steps. Each type grows a bounded
// number of times: O(inputs and uses).
#pragma once

#include "sea/graph.h"
#include "sea/types.h"

namespace braid::sea {

/// The types of all nodes, as narrow as flow from the start tells; unreachable control is `none`.
void flow_types(Graph& graph, NodeTypes& types);

}  // namespace braid::sea
