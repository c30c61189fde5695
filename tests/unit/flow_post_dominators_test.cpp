// Post-dominators and control dependence, checked against their definitions, with endless loops.
#include "flow/post_dominators.h"

#include "flow/control_dependence.h"
#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

/// `b` cannot come to an exit without `a`. The virtual exit is the last node.
Relation post_dominance_by_definition(const Graph& graph, std::span<const Node> exits) {
  uint32_t count = static_cast<uint32_t>(graph.node_count()) + 1;
  std::vector<std::vector<Node>> backward(count);
  for (uint32_t n = 0; n + 1 < count; ++n) {
    for (Node to : graph.successors.row(n)) backward[index(to)].push_back(Node{n});
  }
  backward[count - 1].assign(exits.begin(), exits.end());
  Relation relation(count, std::vector<bool>(count));
  for (uint32_t a = 0; a < count; ++a) {
    auto without =
        reached_without(count, Node{count - 1}, Node{a}, [&](Node n) { return backward[index(n)]; });
    for (uint32_t b = 0; b < count; ++b) relation[a][b] = !without[b];
  }
  return relation;
}

Relation reachability_by_definition(const Graph& graph) {
  Relation reaches;
  for (uint32_t n = 0; n < graph.node_count(); ++n) {
    reaches.push_back(reached_without(graph.node_count(), Node{n}, none_id<Node>,
                                      [&](Node at) { return graph.successors.row(at); }));
  }
  return reaches;
}

/// The nodes without successors, and one node of each component that is never left.
void expect_right_exits(const Graph& graph, const PostDominators& post_dominators) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  Relation reaches = reachability_by_definition(graph);
  DepthFirst search = depth_first(graph);
  std::vector<Node> ends;
  for (uint32_t n = 0; n < count; ++n) {
    if (graph.successors.row(n).empty()) ends.push_back(Node{n});
  }
  auto exits = post_dominators.exits();
  auto endless = post_dominators.endless_exits();
  ASSERT_EQ(exits.size(), ends.size() + endless.size());
  ASSERT_TRUE(std::equal(ends.begin(), ends.end(), exits.begin()));
  std::vector<bool> has_exit(count);
  for (Node exit : endless) {
    ASSERT_FALSE(has_exit[index(exit)]) << "two exits in one component";
    for (uint32_t n = 0; n < count; ++n) {
      if (!reaches[index(exit)][n]) continue;
      ASSERT_TRUE(reaches[n][index(exit)]) << "the component can be left";
      ASSERT_FALSE(graph.successors.row(n).empty());
      has_exit[n] = true;
      if (search.is_reachable(exit)) {
        ASSERT_LE(search.pre_number[exit], search.pre_number[Node{n}]) << "not the first";
      }
    }
  }
  for (uint32_t n = 0; n < count; ++n) {
    bool leads_out = false;
    for (Node exit : exits) leads_out |= reaches[n][index(exit)];
    ASSERT_TRUE(leads_out) << n;
  }
}

void expect_right_dependence(const Graph& graph, const PostDominators& post_dominators,
                             const Relation& expected) {
  ControlDependence dependence(graph, post_dominators);
  uint64_t entries = dependence.rows().item_count();
  EXPECT_EQ(count_dependences(graph, post_dominators, entries), entries);
  if (entries > 1) {
    EXPECT_EQ(count_dependences(graph, post_dominators, entries - 2), entries - 1);
  }
  for (uint32_t n = 0; n < graph.node_count(); ++n) {
    std::vector<Dependence> wanted;
    uint32_t edge = 0;
    for (uint32_t from = 0; from < graph.node_count(); ++from) {
      for (Node to : graph.successors.row(from)) {
        bool strictly_above = n != from && expected[n][from];
        if (expected[n][index(to)] && !strictly_above) wanted.push_back({Node{from}, edge});
        ++edge;
      }
    }
    auto found = dependence.of(Node{n});
    ASSERT_EQ(std::vector<Dependence>(found.begin(), found.end()), wanted) << n;
  }
}

void expect_matches_definition(const Graph& graph) {
  PostDominators post_dominators(graph);
  expect_right_exits(graph, post_dominators);
  if (testing::Test::HasFatalFailure()) return;
  Relation expected = post_dominance_by_definition(graph, post_dominators.exits());
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  ASSERT_EQ(index(post_dominators.virtual_exit()), count);
  for (uint32_t b = 0; b <= count; ++b) {
    Node immediate = none_id<Node>;
    for (uint32_t a = 0; a <= count; ++a) {
      ASSERT_EQ(post_dominators.post_dominates(Node{a}, Node{b}), expected[a][b]) << a << " over " << b;
      ASSERT_EQ(post_dominators.strictly_post_dominates(Node{a}, Node{b}), expected[a][b] && a != b);
      if (a == b || !expected[a][b]) continue;
      if (is_none(immediate) || expected[index(immediate)][a]) immediate = Node{a};
    }
    ASSERT_EQ(post_dominators.immediate(Node{b}), immediate) << b;
    ASSERT_EQ(is_none(immediate), b == count) << "every node has a post-dominator";
  }
  expect_right_dependence(graph, post_dominators, expected);
}

TEST(PostDominators, Diamond) {
  PostDominators post_dominators(graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  for (uint32_t a = 0; a < 4; ++a) {
    for (uint32_t b = 0; b < 4; ++b) {
      EXPECT_EQ(post_dominators.strictly_post_dominates(Node{a}, Node{b}), a == 3 && b != 3);
    }
  }
}

TEST(PostDominators, EndlessLoopIsLeftAtItsHeader) {
  // 0 -> 1 -> 2 -> 3 -> 1, and 0 -> 4.
  Graph graph = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {0, 4}});
  PostDominators post_dominators(graph);
  EXPECT_EQ(post_dominators.endless_exits().size(), 1u);
  EXPECT_EQ(post_dominators.endless_exits()[0], Node{1});
  EXPECT_EQ(post_dominators.immediate(Node{1}), post_dominators.virtual_exit());
  EXPECT_EQ(post_dominators.immediate(Node{2}), Node{3});
  EXPECT_EQ(post_dominators.immediate(Node{3}), Node{1});
  EXPECT_EQ(post_dominators.immediate(Node{0}), post_dominators.virtual_exit());
  ControlDependence dependence(graph, post_dominators);
  ASSERT_EQ(dependence.of(Node{4}).size(), 1u);
  EXPECT_EQ(dependence.of(Node{4})[0].branch, Node{0});
  expect_matches_definition(graph);
  expect_matches_definition(Graph());
  expect_matches_definition(graph_of(1, {{0, 0}}));
}

TEST(PostDominators, RandomGraphs) {
  for_random_graphs("post-dominators and control dependence", 5000,
                    [](const Graph& graph, std::mt19937&) { expect_matches_definition(graph); });
}

TEST(PostDominators, LargeGraphsUseNoStack) {
  for (const Shape& shape : large_shapes) {
    Graph graph = shape.make(300000);
    run_on_small_stack([&] {
      PostDominators post_dominators(graph);
      EXPECT_EQ(post_dominators.tree().preorder().size(), graph.node_count() + 1) << shape.name;
      // The answer for loops inside each other is quadratic, as frontiers are.
      if (shape.make == nested_loops || shape.make == chain_with_back_edges) return;
      EXPECT_EQ(ControlDependence(graph, post_dominators).rows().row_count(), graph.node_count());
    });
  }
}

TEST(PostDominators, GrowsLinearly) {
  for (const Shape& shape : large_shapes) {
    double ratio = growth_ratio(40000, shape.make, [](const Graph& graph) {
      ASSERT_NE(PostDominators(graph).tree().preorder().size(), 0u);
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

}  // namespace
}  // namespace braid::flow
