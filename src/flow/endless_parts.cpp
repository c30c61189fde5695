#include "flow/endless_parts.h"

#include "base/bit_set.h"

namespace braid::flow {

std::vector<Node> exits_of_endless_parts(const Graph& graph, std::span<const Node> order, std::span<const Node> ends) {
  BitSet leads_out(graph.node_count());
  std::vector<Node> work;
  auto spread = [&](Node from) {
    if (leads_out.insert(index(from))) work.push_back(from);
    while (!work.empty()) {
      const Node n = work.back();
      work.pop_back();
      for (Node before : graph.predecessors.row(n))
        if (leads_out.insert(index(before))) work.push_back(before);
    }
  };
  for (Node n : order)
    if (graph.successors.row(n).empty()) spread(n);
  for (Node n : ends) spread(n);
  std::vector<Node> exits;
  for (size_t i = order.size(); i-- > 0;) {
    if (leads_out.test(index(order[i]))) continue;
    exits.push_back(order[i]);
    spread(order[i]);
  }
  return exits;
}

}  // namespace braid::flow
