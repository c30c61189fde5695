// Graphs and depth-first orders.
#include "flow/orders.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "flow/graph.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

Graph graph_of(size_t count, std::vector<std::pair<uint32_t, uint32_t>> pairs) {
  std::vector<Edge> edges;
  for (auto [from, to] : pairs) edges.push_back({Node{from}, Node{to}});
  return Graph::from_edges(count, Node{0}, edges);
}

std::vector<uint32_t> numbers(auto&& nodes) {
  std::vector<uint32_t> result;
  for (Node n : nodes) result.push_back(index(n));
  return result;
}

using Numbers = std::vector<uint32_t>;

TEST(Graph, KeepsOrderAndParallelEdges) {
  Graph graph = graph_of(4, {{2, 1}, {0, 2}, {0, 1}, {0, 2}, {1, 1}, {2, 1}});
  EXPECT_EQ(graph.node_count(), 4u);
  EXPECT_EQ(graph.edge_count(), 6u);
  EXPECT_EQ(numbers(graph.successors.row(Node{0})), (Numbers{2, 1, 2}));
  EXPECT_EQ(numbers(graph.successors.row(Node{3})), Numbers{});
  EXPECT_EQ(numbers(graph.predecessors.row(Node{1})), (Numbers{2, 0, 1, 2}));
  EXPECT_EQ(numbers(graph.predecessors.row(Node{2})), (Numbers{0, 0}));
}

TEST(Graph, BuildFromVisitor) {
  Graph graph = Graph::build(3, Node{0}, [](auto&& emit) {
    emit(Node{2}, Node{1});
    emit(Node{0}, Node{1});
    emit(Node{0}, Node{2});
  });
  EXPECT_EQ(numbers(graph.successors.row(Node{0})), (Numbers{1, 2}));
  EXPECT_EQ(numbers(graph.predecessors.row(Node{1})), (Numbers{0, 2}));
}

TEST(Graph, Reversed) {
  Graph graph = reversed(graph_of(3, {{0, 1}, {1, 2}, {0, 2}}), Node{2});
  EXPECT_EQ(index(graph.entry), 2u);
  EXPECT_EQ(numbers(graph.successors.row(Node{2})), (Numbers{1, 0}));
  EXPECT_EQ(numbers(graph.predecessors.row(Node{0})), (Numbers{1, 2}));
}

TEST(Orders, SuccessorsInOrder) {
  // The search goes down the first successor as far as it can before it looks at the second.
  Graph graph = graph_of(6, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {3, 4}, {5, 0}});
  EXPECT_EQ(numbers(post_order(graph)), (Numbers{4, 3, 1, 2, 0}));
  EXPECT_EQ(numbers(reverse_post_order(graph)), (Numbers{0, 2, 1, 3, 4}));
  DepthFirst search = depth_first(graph);
  EXPECT_EQ(numbers(search.preorder), (Numbers{0, 1, 3, 4, 2}));
  EXPECT_EQ(search.parent[Node{4}], Node{3});
  EXPECT_TRUE(is_none(search.parent[Node{0}]));
  EXPECT_FALSE(search.is_reachable(Node{5}));
  EXPECT_TRUE(search.is_ancestor(Node{1}, Node{4}));
  EXPECT_TRUE(search.is_ancestor(Node{1}, Node{1}));
  EXPECT_FALSE(search.is_ancestor(Node{2}, Node{3}));
  EXPECT_FALSE(search.is_ancestor(Node{5}, Node{5}));
  IdSet<Node> found = reachable(graph);
  EXPECT_EQ(found.count(), 5u);
  EXPECT_FALSE(found.test(Node{5}));
}

TEST(Orders, EmptyAndSingle) {
  Graph empty;
  EXPECT_TRUE(post_order(empty).empty());
  EXPECT_TRUE(depth_first(empty).preorder.empty());
  EXPECT_TRUE(reachable(empty).empty());
  Graph loop = graph_of(1, {{0, 0}, {0, 0}});
  EXPECT_EQ(numbers(post_order(loop)), Numbers{0});
  EXPECT_EQ(reachable(loop).count(), 1u);
}

TEST(Orders, RandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    uint32_t count = 1 + random() % 15;
    std::vector<Edge> edges;
    for (uint32_t i = random() % (2 * count + 1); i > 0; --i) {
      edges.push_back({Node(random() % count), Node(random() % count)});
    }
    Graph graph = Graph::from_edges(count, Node(random() % count), edges);
    IdSet<Node> found = reachable(graph);
    DepthFirst search = depth_first(graph);
    EXPECT_EQ(numbers(search.postorder), numbers(post_order(graph)));
    std::vector<Node> reversed_order = reverse_post_order(graph);
    EXPECT_EQ(reversed_order.size(), found.count());
    EXPECT_EQ(reversed_order.front(), graph.entry);
    EXPECT_EQ(search.preorder.size(), found.count());
    EXPECT_EQ(search.preorder.front(), graph.entry);
    for (uint32_t i = 0; i < count; ++i) {
      Node n{i};
      ASSERT_EQ(search.is_reachable(n), found.test(n));
      if (!found.test(n)) continue;
      EXPECT_EQ(search.preorder[search.pre_number[n]], n);
      EXPECT_EQ(search.postorder[search.post_number[n]], n);
      for (Node to : graph.successors.row(n)) {
        ASSERT_TRUE(found.test(to));
        // Depth-first search has no edge from left to right: an edge that does not go down in the postorder
        // goes to an ancestor.
        if (search.post_number[to] >= search.post_number[n]) {
          EXPECT_TRUE(search.is_ancestor(to, n));
        }
      }
      Node parent = search.parent[n];
      if (n == graph.entry) {
        EXPECT_TRUE(is_none(parent));
      } else {
        auto successors = graph.successors.row(parent);
        EXPECT_NE(std::find(successors.begin(), successors.end(), n), successors.end());
        EXPECT_TRUE(search.is_ancestor(parent, n));
      }
    }
  }
}

TEST(Orders, MillionNodesDeepUseNoStack) {
  constexpr uint32_t count = 1000000;
  std::vector<Edge> edges;
  for (uint32_t i = 0; i + 1 < count; ++i) edges.push_back({Node{i}, Node{i + 1}});
  Graph graph = Graph::from_edges(count, Node{0}, edges);
  run_on_small_stack([&] {
    std::vector<Node> order = reverse_post_order(graph);
    ASSERT_EQ(order.size(), count);
    for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(index(order[i]), i);
    EXPECT_EQ(depth_first(graph).preorder.size(), count);
    EXPECT_EQ(reachable(graph).count(), count);
  });
}

}  // namespace
}  // namespace braid::flow
