// What one walk over a whole graph tells: which nodes nothing depends on, and where control goes round.
//
// Of use is what stop depends on, control that can be reached and effects there, what is kept, and what these depend on. Most
// nodes stand behind their inputs, so two sweeps in the order of ids, up for control and down for uses, see all but a few, which
// wait on a list. O(nodes and inputs), in the order in which they lie in memory.
#pragma once

#include <vector>

#include "sea/graph.h"

namespace braid::sea {

struct Survey {
  std::vector<NodeId> unused;  ///< in the order of ids; only they use each other
  std::vector<NodeId> loops;
  /// All control but back edges of loops comes from nodes of lesser ids. A cycle without a loop, into which several ways lead,
  /// is not like that.
  bool in_order = true;
};
Survey survey(const Graph& graph);

}  // namespace braid::sea
