// The last step of the optimiser: as few constants as do.
//
// Rules bring operations into one form (`x - 3` is `x + -3`, `x <= 4` is `x < 5`, `x + x` is `x << 1`), which may need a
// constant that the program did not have. Each such use could do with one of two; those that most need are left, so that as many
// others as possible go (a vertex cover, which is found from the leaves inwards). O(constants and their uses), expected.
#pragma once

#include <functional>
#include <span>

#include "sea/rewriter.h"

namespace braid::sea {

/// Of all constants of the graph, in the order of ids. `done(rewrite, node)` is told of every rewrite; false ends it.
void share_constants(Graph& graph, Rewriter& rewriter, std::span<const NodeId> constants,
                     const std::function<bool(Rewrite, NodeId)>& done);

}  // namespace braid::sea
