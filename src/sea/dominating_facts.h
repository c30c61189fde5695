// What dominating branches tell: a walk over the dominator tree with scoped tables of what is known.
//
// Below a way out of a branch its condition is known; so are, by the same, the ranges of what it compares with constants
// (`x < 5` decides `x < 7`), the order of two values that it compares, both operands of an `and` that holds and of an
// `or` that does not, and the number that an equality or a case of a switch asked for. Branches that are decided by that ask a
// constant afterwards; uses below an equality name the number. What follows from a decided branch is done at once, so that the next
// one sees it: a chain of tests in which each hangs on what the one before has left takes one walk. What dominated a place still
// does after that.
//
// The dominator tree comes from the room `flow`; the rest is O(control nodes, their uses and the columns of phis).
#pragma once

#include <functional>

#include "sea/rewriter.h"

namespace braid::sea {

/// `done(rewrite, node)` is told of every rewrite; false ends the walk. `settle` does what follows from a decided branch, but no
/// more than local rewrites.
void decide_by_dominance(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done,
                         const std::function<void()>& settle);

}  // namespace braid::sea
