// Sparse conditional constant propagation (M. N. Wegman and F. K. Zadeck, Constant Propagation with Conditional Branches,
// 1991) over the types of the lattice: values begin at `none`, control unreachable, and both grow together.
//
// A value in a loop is what flows in, not what might: so that a variable that a loop never changes, and a branch that no
// value ever takes, are found even where each depends on the other. Phis are widened after some steps. Each type grows a bounded
// number of times: O(inputs and uses).
//
// Where all cycles go through loops, and the types that are known are a fixpoint from above, only phis of loops can get
// narrower: those whose value from outside is narrower than they are. So the walk begins there, as if no loop came back, goes down
// as far as types change, and then lets back what comes round. Nothing else is looked at: a graph without such a phi costs
// O(phis of loops).
#pragma once

#include <span>
#include <vector>

#include "sea/graph.h"
#include "sea/types.h"

namespace braid::sea {

/// The types of all nodes, as narrow as flow from the start tells; unreachable control is `none`.
void flow_types(Graph& graph, NodeTypes& types);

struct NarrowedType {
  NodeId node;
  Type type;
};
/// The same for a graph in which control goes round in these loops only, where `known` are types at a fixpoint: those that are
/// narrower, in the order of ids. They are as before when it is done.
std::vector<NarrowedType> flow_types_of_loops(Graph& graph, NodeTypes& known, std::span<const NodeId> loops);

}  // namespace braid::sea
