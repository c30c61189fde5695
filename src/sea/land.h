// From the sea back to land: the blocks and the order of a schedule as statements of linear SSA.
//
// Comparisons whose value is an integer get a `zext` where that value is needed and none where they are only
// asked; branches on integers ask `ne x, 0`. Pis that say nothing new, exits that are never taken and blocks
// that only lead on vanish. O(schedule). Iterative.
#pragma once

#include "ir/function.h"
#include "sea/graph.h"
#include "sea/lift.h"

namespace braid::sea {

/// Replaces the body of `f`, a function of the graph's module with the parameters and variables that the
/// graph speaks of. The result is at rest. Where control ends without a terminator stands an `unreachable`
/// that says so.
void land(const Graph& graph, ir::Function& f, const SourceNames* names = nullptr);

}  // namespace braid::sea
