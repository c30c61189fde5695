// What no node sees alone: phis that only hand one value round, and nodes that only use each other.
//
// Rings of phis: strongly connected components of phis with one value from outside, after M. Braun et al., Simple and Efficient
// Construction of Static Single Assignment Form (2013), section 3.2. Unused rings: what neither stop, nor control that can be
// reached, nor an effect there, depends on. Linear, apart from rings in rings.
#pragma once

#include <vector>

#include "sea/graph.h"

namespace braid::sea {

struct RingOfPhis {
  std::vector<NodeId> phis;
  NodeId value;  ///< what all of them are
};
/// None of them overlaps another. The value of one may be a phi of another.
std::vector<RingOfPhis> rings_of_phis(const Graph& graph);

/// Nodes without any bearing on what the graph does, in the order of their ids. Only they use each other.
std::vector<NodeId> unused_nodes(const Graph& graph);

}  // namespace braid::sea
