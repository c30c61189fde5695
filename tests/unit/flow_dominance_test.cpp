// Dominance by one forward pass, checked against the dominator tree on random graphs and on large ones.
#include "flow/dominance.h"

#include <random>

#include <gtest/gtest.h>

#include "flow_graphs.h"
#include "growth.h"

namespace braid::flow {
namespace {

struct Predecessors {
  explicit Predecessors(const Graph& graph) : nodes(graph.predecessors.items()) {
    for (size_t n = 0; n <= graph.node_count(); ++n) starts.push_back(graph.predecessors.start(n));
  }
  std::vector<uint32_t> starts;
  std::vector<Node> nodes;
};

/// Whether the pass takes the graph; what it says must be right then.
bool takes(const Graph& graph) {
  Predecessors predecessors(graph);
  Dominators tree(graph);
  Dominance taken, built;
  taken.take(tree);
  bool is_built = built.build(predecessors.starts, predecessors.nodes);
  for (uint32_t a = 0; a < graph.node_count(); ++a) {
    EXPECT_EQ(taken.is_reachable(Node{a}), tree.is_reachable(Node{a}));
    EXPECT_TRUE(!is_built || built.is_reachable(Node{a}) == tree.is_reachable(Node{a})) << a;
    for (uint32_t b = 0; b < graph.node_count(); ++b) {
      EXPECT_EQ(taken.dominates(Node{a}, Node{b}), tree.dominates(Node{a}, Node{b}));
      bool is_right = !is_built || built.dominates(Node{a}, Node{b}) == tree.dominates(Node{a}, Node{b});
      EXPECT_TRUE(is_right) << a << " over " << b;
    }
  }
  bool all = tree.preorder().size() == graph.node_count();
  EXPECT_EQ(taken.all_reachable(), all);
  EXPECT_TRUE(!is_built || built.all_reachable() == all);
  return is_built;
}

/// The graph with its reachable nodes numbered in reverse post-order, the others behind them.
Graph forwards(const Graph& graph) {
  std::vector<Node> order = reverse_post_order(graph);
  std::vector<uint32_t> number(graph.node_count(), 0xffffffffu);
  uint32_t next = 0;
  for (Node n : order) number[index(n)] = next++;
  for (uint32_t& n : number)
    if (n == 0xffffffffu) n = next++;
  Pairs pairs;
  for (auto [from, to] : pairs_of(graph)) pairs.push_back({number[from], number[to]});
  return graph_of(graph.node_count(), pairs);
}

TEST(Dominance, RandomGraphs) {
  std::mt19937 random(20);
  uint32_t taken = 0, with_back_edges = 0, with_unreachable = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    uint32_t count = 1 + random() % 14, edges = random() % (2 * count + 1);
    Pairs pairs;
    for (uint32_t i = 0; i < edges; ++i) pairs.push_back({random() % count, random() % count});
    Graph graph = graph_of(count, pairs);
    bool in_order = round % 2 == 0;
    if (in_order) graph = forwards(graph);
    bool has_back = std::ranges::any_of(pairs_of(graph), [](auto pair) { return pair.second <= pair.first; });
    bool is_taken = takes(graph);
    taken += is_taken;
    refused += !is_taken;
    with_back_edges += is_taken && has_back;
    with_unreachable += is_taken && reachable(graph).count() != count;
    EXPECT_TRUE(is_taken || !in_order || !is_reducible(graph, Dominators(graph)));
  }
  std::printf("taken %u, with back edges %u, with unreachable nodes %u, refused %u\n", taken, with_back_edges,
              with_unreachable, refused);
  EXPECT_GT(taken, 1000u);
  EXPECT_GT(with_back_edges, 500u);
  EXPECT_GT(with_unreachable, 500u);
  EXPECT_GT(refused, 200u);
}

TEST(Dominance, RefusesTwoWaysIntoALoop) {
  EXPECT_TRUE(takes(graph_of(3, {{0, 1}, {1, 2}, {2, 1}})));
  EXPECT_FALSE(takes(graph_of(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}})));
  EXPECT_FALSE(takes(graph_of(3, {{0, 2}, {2, 1}})));
}

TEST(Dominance, NoneEntriesAreLeftOut) {
  Dominance dominance;
  std::vector<uint32_t> starts{0, 0, 1, 3};
  std::vector<Node> nodes{Node{0}, none_id<Node>, Node{1}};
  ASSERT_TRUE(dominance.build(starts, nodes));
  EXPECT_TRUE(dominance.dominates(Node{1}, Node{2}));
  nodes = {none_id<Node>, Node{0}, Node{1}};
  ASSERT_TRUE(dominance.build(starts, nodes));
  EXPECT_FALSE(dominance.is_reachable(Node{1}));
  EXPECT_TRUE(dominance.dominates(Node{0}, Node{2}));
}

/// Two chains whose numbers alternate, and joins of their ends: a climb step by step would be quadratic.
Graph alternating_chains(size_t size) {
  uint32_t n = static_cast<uint32_t>(size);
  Pairs pairs{{0, 1}, {0, 2}};
  for (uint32_t i = 1; i + 2 <= n; ++i) pairs.push_back({i, i + 2});
  for (uint32_t i = n + 1; i < 2 * n; ++i) {
    pairs.push_back({n - 1, i});
    pairs.push_back({n, i});
  }
  return graph_of(2 * size, pairs);
}

TEST(Dominance, GrowsWithTheGraph) {
  double ratio = growth_ratio(
      50000, [](size_t n) { return Predecessors(alternating_chains(n)); },
      [](const Predecessors& predecessors) {
        Dominance dominance;
        ASSERT_TRUE(dominance.build(predecessors.starts, predecessors.nodes));
        ASSERT_TRUE(dominance.dominates(Node{0}, static_cast<Node>(predecessors.starts.size() - 2)));
      });
  EXPECT_LT(ratio, 3.0);
}

}  // namespace
}  // namespace braid::flow
