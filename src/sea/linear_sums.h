// Integer sums in linear normal form: c1*x1 + ... + cn*xn + C, where that leaves fewer nodes.
//
// The rules of src/rules take a sum apart only where nobody else uses its parts. A part that is used twice, by one sum in the end
// or by several, is left alone by each of them, though all together would do without it. So from the top of a sum, through
// operations that are linear in one value each (sums, differences, multiples by a number), all is brought together, and put
// together anew in the way that needs the fewest nodes: each part that others use is taken apart or not, multiples are
// made over multiples that are there, pairs of terms that several sums have are added once (sea/sum_plan.h). What dies is counted to
// the node. Where a part stands in several sums and nowhere else, they are all done at once.
//
// Each rewrite leaves fewer nodes, so it ends. O(1) per node that is asked about: everything here has a limit.
#pragma once

#include <functional>
#include <span>

#include "sea/graph.h"
#include "sea/rewriter.h"

namespace braid::sea {

/// From these nodes, tops or parts of sums; some may be dead by now. `counts_constants`: they are nodes like others. `done` says
/// whether to go on.
void make_linear_sums(Graph& graph, const Rewriter& rewriter, std::span<const NodeId> candidates, bool counts_constants,
                      const std::function<bool(Rewrite, NodeId)>& done);

}  // namespace braid::sea
