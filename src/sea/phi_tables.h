// Values that hang on the way into one region only: phis of constants there, and all operations on them.
//
// Each such value is a column of constants, one per way. Taken one by one, an operation on a phi that others use, too, gains
// nothing by becoming a phi itself; taken together, operations in between vanish, and what is the same on all ways is a
// constant. So all that hang together are weighed at once, constants included, and either all become phis or none. O(values
// times ways), of at most `most_values` for one phi.
//
// A phi of constants that stands twice in one sum or product, with other terms in between, joins itself: `(x + p) + p` is `x + q`.
#pragma once

#include <functional>
#include <span>

#include "sea/graph.h"
#include "sea/rewriter.h"

namespace braid::sea {

/// From these phis; some may be dead or have changed by now. `done` says whether to go on.
void make_phi_tables(Graph& graph, Rewriter& rewriter, std::span<const NodeId> phis,
                     const std::function<bool(Rewrite, NodeId)>& done);

}  // namespace braid::sea
