// Dominance frontiers, checked against their definition.
#include "flow/frontiers.h"

#include "flow_graphs.h"
#include "growth.h"

namespace braid::flow {
namespace {

void expect_matches_definition(const Graph& graph) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  Relation dominates = dominance_by_definition(graph);
  Dominators dominators(graph);
  Frontiers frontiers(graph, dominators);
  uint64_t entries = frontiers.rows().item_count();
  EXPECT_EQ(count_frontier_entries(graph, dominators, entries), entries);
  if (entries > 1) {
    EXPECT_EQ(count_frontier_entries(graph, dominators, entries - 2), entries - 1);
  }
  for (uint32_t a = 0; a < count; ++a) {
    std::vector<Node> wanted;
    for (uint32_t b = 0; b < count; ++b) {
      if (!dominates[b][b] || (a != b && dominates[a][b])) continue;
      bool predecessor_dominated = false;
      for (Node from : graph.predecessors.row(b)) predecessor_dominated |= dominates[a][index(from)];
      if (predecessor_dominated) wanted.push_back(Node{b});
    }
    auto found = frontiers.of(Node{a});
    ASSERT_EQ(std::vector<Node>(found.begin(), found.end()), wanted) << a;
  }
}

TEST(Frontiers, SmallCases) {
  expect_matches_definition(Graph());
  // The entry is a loop's header; it has one predecessor only, and is in its own frontier.
  Graph loop = graph_of(2, {{0, 1}, {1, 0}});
  Frontiers frontiers(loop, Dominators(loop));
  ASSERT_EQ(frontiers.of(Node{0}).size(), 1u);
  EXPECT_EQ(frontiers.of(Node{0})[0], Node{0});
  expect_matches_definition(graph_of(1, {{0, 0}, {0, 0}}));
}

TEST(Frontiers, RandomGraphs) {
  for_random_graphs("frontiers", 5000,
                    [](const Graph& graph, std::mt19937&) { expect_matches_definition(graph); });
}

TEST(Frontiers, GrowsLinearlyWhereTheAnswerDoes) {
  for (const Shape& shape : {Shape{"chain", chain}, Shape{"diamonds", diamonds}, Shape{"ladder", ladder},
                             Shape{"wide join", wide_join}, Shape{"row of loops", loop_row}}) {
    auto prepare = [&](size_t size) {
      Graph graph = shape.make(size);
      Dominators dominators(graph);
      return std::pair(std::move(graph), std::move(dominators));
    };
    double ratio = growth_ratio(40000, prepare, [](const auto& input) {
      ASSERT_NE(Frontiers(input.first, input.second).rows().row_count(), 0u);
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

}  // namespace
}  // namespace braid::flow
