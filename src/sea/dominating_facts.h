// What dominating branches tell: a walk over the dominator tree with scoped tables of what is known.
//
// Below a way out of a branch its condition is known; so are, by the same, the ranges of what it compares with constants
// (`x < 5` decides `x < 7`), the order of two values that it compares, both operands of an `and` that holds and of an
// `or` that does not, and the number that an equality or a case of a switch asked for. Branches that are decided by that ask a
// constant afterwards; uses below an equality name the number. The control graph stays as it is.
//
// The dominator tree comes from the room `flow`; the rest is O(control nodes, their uses and the columns of phis).
#pragma once

#include <functional>

#include "sea/rewriter.h"

namespace braid::sea {

/// `done(rewrite, node)` is told of every rewrite; false ends the walk.
void decide_by_dominance(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done);

}  // namespace braid::sea
