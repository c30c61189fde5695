// What no node sees alone: phis that only hand one value round.
//
// Strongly connected components of phis with one value from outside, after M. Braun et al., Simple and Efficient Construction
// of Static Single Assignment Form (2013), section 3.2. Linear, apart from rings in rings.
#pragma once

#include <span>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

struct RingOfPhis {
  std::vector<NodeId> phis;
  NodeId value;  ///< what all of them are
};
/// None of them overlaps another. The value of one may be a phi of another. If `in_order`, control goes round in these loops
/// only, and so do values: phis that no phi of a loop leads to are not looked at.
std::vector<RingOfPhis> rings_of_phis(const Graph& graph, std::span<const NodeId> loops, bool in_order);

}  // namespace braid::sea
