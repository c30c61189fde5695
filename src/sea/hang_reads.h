// Reads hang on the effect that they see, not on the one before them.
//
// Links of other alias classes (sea/alias_classes.h) do not change what a load gives: its effect input becomes the nearest one
// above that may. Then equal loads on both sides of a call are one, and a load leaves a loop that writes elsewhere. Links
// keep their one order.
//
// O(nodes + inputs) for each class, apart from the dominator tree and the frontier; nothing if all is one class.
#pragma once

#include "sea/graph.h"

namespace braid::sea {

/// For loads that float: those without control.
void hang_reads(Graph& graph);

}  // namespace braid::sea
