#include "flow/orders.h"

#include <algorithm>

#include "flow/depth_first_walk.h"

namespace braid::flow {

std::vector<Node> post_order(const Graph& graph) {
  std::vector<Node> order;
  order.reserve(graph.node_count());
  IdSet<Node> seen(graph.node_count());
  depth_first_walk(
      graph, [&](Node n, Node) { return seen.insert(n); }, [&](Node n) { order.push_back(n); });
  return order;
}

std::vector<Node> reverse_post_order(const Graph& graph) {
  std::vector<Node> order = post_order(graph);
  std::reverse(order.begin(), order.end());
  return order;
}

IdSet<Node> reachable(const Graph& graph) {
  IdSet<Node> seen(graph.node_count());
  if (graph.node_count() == 0) return seen;
  std::vector<Node> work{graph.entry};
  seen.set(graph.entry);
  while (!work.empty()) {
    Node n = work.back();
    work.pop_back();
    for (Node to : graph.successors.row(n)) {
      if (seen.insert(to)) work.push_back(to);
    }
  }
  return seen;
}

DepthFirst depth_first(const Graph& graph) {
  size_t count = graph.node_count();
  DepthFirst result;
  result.preorder.reserve(count);
  result.postorder.reserve(count);
  result.pre_number.assign(count, DepthFirst::unreached);
  result.post_number.assign(count, DepthFirst::unreached);
  result.parent.assign(count, none_id<Node>);
  depth_first_walk(
      graph,
      [&](Node n, Node parent) {
        if (result.is_reachable(n)) return false;
        result.pre_number[n] = static_cast<uint32_t>(result.preorder.size());
        result.parent[n] = parent;
        result.preorder.push_back(n);
        return true;
      },
      [&](Node n) {
        result.post_number[n] = static_cast<uint32_t>(result.postorder.size());
        result.postorder.push_back(n);
      });
  return result;
}

}  // namespace braid::flow
