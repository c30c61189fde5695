// Endless loops: the nodes from which no way leads to an end of the graph, and where an exit that is never taken would give
// them one. O(nodes + edges).
#pragma once

#include <span>
#include <vector>

#include "flow/graph.h"

namespace braid::flow {

/// With edges from these nodes to an end, all nodes of `order` lead to one. Ends are the nodes without successors, and `ends`. `order`
/// has every node behind those that dominate it; of each endless part the last one is taken. They come last ones first.
std::vector<Node> exits_of_endless_parts(const Graph& graph, std::span<const Node> order, std::span<const Node> ends = {});

}  // namespace braid::flow
