// Dominators, checked against their definition, and on graphs that are large, deep or wide.
#include "flow/dominators.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "flow/orders.h"
#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

void expect_matches_definition(const Graph& graph) {
  Dominators dominators(graph);
  auto expected = dominance_by_definition(graph);
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  ASSERT_EQ(dominators.node_count(), count);
  size_t reachable_count = 0;
  for (uint32_t b = 0; b < count; ++b) {
    uint32_t level = 0;
    Node idom = none_id<Node>;
    for (uint32_t a = 0; a < count; ++a) {
      ASSERT_EQ(dominators.dominates(Node{a}, Node{b}), expected[a][b]) << a << " over " << b;
      ASSERT_EQ(dominators.strictly_dominates(Node{a}, Node{b}), expected[a][b] && a != b);
      if (a == b || !expected[a][b]) continue;
      ++level;
      // Dominators of a node form a chain; the immediate one is dominated by all others.
      if (is_none(idom) || expected[index(idom)][a]) idom = Node{a};
    }
    ASSERT_EQ(dominators.idom(Node{b}), idom);
    ASSERT_EQ(dominators.level(Node{b}), level);
    ASSERT_EQ(dominators.is_reachable(Node{b}), expected[b][b]);
    reachable_count += expected[b][b];
    std::vector<Node> children(dominators.children(Node{b}).begin(), dominators.children(Node{b}).end());
    std::vector<Node> expected_children;
    for (uint32_t c = 0; c < count; ++c) {
      if (dominators.idom(Node{c}) == Node{b}) expected_children.push_back(Node{c});
    }
    std::sort(children.begin(), children.end());
    ASSERT_EQ(children, expected_children);
    std::span<const Node> below = dominators.dominated_by(Node{b});
    ASSERT_EQ(below.size(), static_cast<size_t>(std::count(expected[b].begin(), expected[b].end(), true)));
    for (Node n : below) ASSERT_TRUE(expected[b][index(n)]);
  }
  ASSERT_EQ(dominators.preorder().size(), reachable_count);
  for (uint32_t i = 0; i < reachable_count; ++i) {
    ASSERT_EQ(dominators.preorder_number(dominators.preorder()[i]), i);
  }
}

TEST(Dominators, EveryOrderOfTheEdgeListsGivesTheSameTree) {
  // 1 -> {2,3}, 2 -> {4,5}, 3 -> {4}, 4 -> {5}: 4 is the parent of 5 in the depth-first tree, but not its
  // dominator. Numbered from 0 here. The lists with two entries can be turned round: those of nodes 1, 2
  // (successors), 4, 5 (predecessors).
  Graph first = Graph::from_edges(5, Node{0}, edges_of({{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {3, 4}}));
  EXPECT_EQ(depth_first(first).parent[Node{4}], Node{3});
  for (int turned = 0; turned < 16; ++turned) {
    auto list = [&](int which, uint32_t a, uint32_t b) {
      return turned >> which & 1 ? std::vector<uint32_t>{b, a} : std::vector<uint32_t>{a, b};
    };
    std::vector<std::vector<uint32_t>> successors{list(0, 1, 2), list(1, 3, 4), {3}, {4}, {}};
    std::vector<std::vector<uint32_t>> predecessors{{}, {0}, {0}, list(2, 1, 2), list(3, 1, 3)};
    Graph graph;
    graph.entry = Node{0};
    auto rows = [](const std::vector<std::vector<uint32_t>>& lists) {
      return Csr<Node>::build(lists.size(), [&](auto&& emit) {
        for (uint32_t row = 0; row < lists.size(); ++row) {
          for (uint32_t item : lists[row]) emit(row, Node{item});
        }
      });
    };
    graph.successors = rows(successors);
    graph.predecessors = rows(predecessors);
    Dominators dominators(graph);
    EXPECT_TRUE(is_none(dominators.idom(Node{0})));
    for (uint32_t n = 1; n < 5; ++n) EXPECT_EQ(dominators.idom(Node{n}), Node{0}) << turned;
    expect_matches_definition(graph);
  }
}

TEST(Dominators, Diamond) {
  Graph graph = Graph::from_edges(4, Node{0}, edges_of({{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  Dominators dominators(graph);
  Dominators postdominators(reversed(graph, Node{3}));
  for (uint32_t a = 0; a < 4; ++a) {
    for (uint32_t b = 0; b < 4; ++b) {
      EXPECT_EQ(dominators.strictly_dominates(Node{a}, Node{b}), a == 0 && b != 0);
      EXPECT_EQ(postdominators.strictly_dominates(Node{a}, Node{b}), a == 3 && b != 3);
    }
  }
}

TEST(Dominators, ManyBlocksIntoOneExit) {
  // Each of 2^14 blocks branches to the next one or to the exit.
  constexpr uint32_t count = 1 << 14;
  Pairs pairs;
  for (uint32_t i = 0; i < count; ++i) {
    if (i + 1 < count) pairs.push_back({i, i + 1});
    pairs.push_back({i, count});
  }
  Graph graph = Graph::from_edges(count + 1, Node{0}, edges_of(pairs));
  run_on_small_stack([&] {
    Dominators dominators(graph);
    for (uint32_t i = 1; i < count; ++i) ASSERT_EQ(dominators.idom(Node{i}), Node{i - 1});
    EXPECT_EQ(dominators.idom(Node{count}), Node{0});
    EXPECT_EQ(reverse_post_order(graph).size(), count + 1);
  });
}

TEST(Dominators, TheGraphOfLengauerAndTarjan) {
  // R=0 A=1 B=2 C=3 D=4 E=5 F=6 G=7 H=8 I=9 J=10 K=11 L=12; figure 1 of their paper, dominators in figure 2.
  Graph graph = Graph::from_edges(
      13, Node{0},
      edges_of({{0, 1}, {0, 2}, {0, 3},  {1, 4}, {2, 1},  {2, 4},  {2, 5},  {3, 6},  {3, 7},  {4, 12}, {5, 8},
                {6, 9}, {7, 9}, {7, 10}, {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 0}, {11, 9}, {12, 8}}));
  Dominators dominators(graph);
  std::vector<uint32_t> expected{0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4};
  for (uint32_t n = 1; n < 13; ++n) EXPECT_EQ(index(dominators.idom(Node{n})), expected[n]) << n;
  expect_matches_definition(graph);
}

TEST(Dominators, SmallCases) {
  Dominators none{Graph()};
  EXPECT_EQ(none.node_count(), 0u);
  EXPECT_TRUE(none.preorder().empty());

  Graph loop = Graph::from_edges(1, Node{0}, edges_of({{0, 0}}));
  Dominators one(loop);
  EXPECT_TRUE(one.dominates(Node{0}, Node{0}));
  EXPECT_TRUE(is_none(one.idom(Node{0})));

  // 1 and 2 cannot be reached, though they lead into the rest.
  Graph unreachable = Graph::from_edges(4, Node{0}, edges_of({{1, 2}, {2, 1}, {2, 3}, {0, 3}, {1, 1}}));
  Dominators dominators(unreachable);
  EXPECT_EQ(dominators.idom(Node{3}), Node{0});
  EXPECT_FALSE(dominators.is_reachable(Node{1}));
  for (uint32_t n = 0; n < 4; ++n) {
    EXPECT_FALSE(dominators.dominates(Node{1}, Node{n}));
    EXPECT_FALSE(dominators.dominates(Node{n}, Node{1}));
  }
  EXPECT_TRUE(dominators.dominated_by(Node{1}).empty());
  expect_matches_definition(unreachable);
}

TEST(Dominators, AllGraphsOfFourNodesWithoutParallelEdges) {
  // 12 possible edges between different nodes.
  for (uint32_t chosen = 0; chosen < 1u << 12; ++chosen) {
    Pairs pairs;
    uint32_t bit = 0;
    for (uint32_t from = 0; from < 4; ++from) {
      for (uint32_t to = 0; to < 4; ++to) {
        if (from != to && (chosen >> bit++ & 1) != 0) pairs.push_back({from, to});
      }
    }
    expect_matches_definition(Graph::from_edges(4, Node{0}, edges_of(pairs)));
    if (HasFatalFailure()) FAIL() << "edges " << chosen;
  }
}

TEST(Dominators, RandomGraphs) {
  // Irreducible loops, unreachable parts, self loops and parallel edges all come up often at these densities.
  std::mt19937 random(1);
  for (int round = 0; round < 6000; ++round) {
    uint32_t count = 1 + random() % 24;
    uint32_t edge_count = random() % (3 * count + 1);
    Pairs pairs;
    if (random() % 2 == 0) {
      for (uint32_t i = 1; i < count; ++i) pairs.push_back({static_cast<uint32_t>(random() % i), i});
    }
    for (uint32_t i = 0; i < edge_count; ++i) {
      pairs.push_back({static_cast<uint32_t>(random() % count), static_cast<uint32_t>(random() % count)});
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    expect_matches_definition(Graph::from_edges(count, Node(random() % count), edges_of(pairs)));
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(Dominators, RandomDeepGraphs) {
  // Long chains with few other edges: deep trees, long compressed paths, long climbs.
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    uint32_t count = 100 + random() % 60;
    Pairs pairs;
    for (uint32_t i = 1; i < count; ++i) {
      uint32_t back = random() % 8 == 0 ? 1 + static_cast<uint32_t>(random() % i) : 1;
      pairs.push_back({i - back, i});
    }
    for (uint32_t i = random() % 12; i > 0; --i) {
      pairs.push_back({static_cast<uint32_t>(random() % count), static_cast<uint32_t>(random() % count)});
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    expect_matches_definition(Graph::from_edges(count, Node{0}, edges_of(pairs)));
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(Dominators, MillionNodesUseNoStack) {
  constexpr uint32_t count = 1000000;
  Graph long_chain = chain(count), long_ladder = ladder(count), wide = wide_join(count);
  run_on_small_stack([&] {
    Dominators of_chain(long_chain);
    for (uint32_t i = 1; i < count; ++i) ASSERT_EQ(index(of_chain.idom(Node{i})), i - 1);
    EXPECT_EQ(of_chain.level(Node{count - 1}), count - 1);
    EXPECT_TRUE(of_chain.dominates(Node{0}, Node{count - 1}));
    EXPECT_FALSE(of_chain.dominates(Node{count - 1}, Node{0}));

    // Behind the entry's rung each rail is entered from both sides.
    Dominators of_ladder(long_ladder);
    for (uint32_t i = 1; i < count; ++i) ASSERT_EQ(index(of_ladder.idom(Node{i})), 0u) << i;

    Dominators of_wide(wide);
    EXPECT_EQ(of_wide.children(Node{0}).size(), count - 1);
    EXPECT_EQ(of_wide.level(Node{count - 1}), 1u);
  });
}

TEST(Dominators, GrowsLinearly) {
  for (const Shape& shape : large_shapes) {
    double ratio = growth_ratio(50000, shape.make, [](const Graph& graph) {
      Dominators dominators(graph);
      ASSERT_NE(dominators.preorder().size(), 0u);
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

}  // namespace
}  // namespace braid::flow
