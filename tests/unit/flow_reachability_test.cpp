// Reachability while edges are removed, checked against a search after every removal.
#include "flow/reachability.h"

#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

struct Removed {
  std::vector<bool> edges;
  uint32_t removals = 0, deaths = 0, killed = 0, splits = 0;
};

std::vector<bool> reached_without_edges(const Graph& graph, Node start, const std::vector<bool>& removed) {
  return reached_without(graph.node_count(), start, none_id<Node>, [&](Node n) {
    std::vector<Node> row;
    for (uint32_t e = graph.successors.start(index(n)); e < graph.successors.start(size_t{index(n)} + 1);
         ++e) {
      if (!removed[e]) row.push_back(graph.successors.items()[e]);
    }
    return row;
  });
}

/// Components are mutual reachability, without the back edges of the first dominator tree.
void expect_right_components(const Graph& graph, const Dominators& dominators, Reachability& reachability,
                             std::vector<bool> removed) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  for (uint32_t n = 0; n < count; ++n) {
    for (uint32_t e = graph.successors.start(n); e < graph.successors.start(n + 1); ++e) {
      if (dominators.dominates(graph.successors.items()[e], Node{n})) removed[e] = true;
      if (reachability.unreachable(Node{n})) removed[e] = true;
    }
  }
  Relation reaches;
  for (uint32_t n = 0; n < count; ++n) reaches.push_back(reached_without_edges(graph, Node{n}, removed));
  for (uint32_t a = 0; a < count; ++a) {
    for (uint32_t b = 0; b < count; ++b) {
      if (reachability.unreachable(Node{a}) || reachability.unreachable(Node{b})) continue;
      ASSERT_EQ(reachability.component(Node{a}) == reachability.component(Node{b}),
                reaches[a][b] && reaches[b][a]);
    }
  }
}

void expect_matches_search(const Graph& graph, std::mt19937& random, Removed& total) {
  Dominators dominators(graph);
  Reachability reachability(graph, dominators);
  std::vector<bool> removed(graph.edge_count());
  std::vector<bool> alive = reached_without_edges(graph, graph.entry, removed);
  std::vector<uint32_t> order(graph.edge_count());
  for (uint32_t e = 0; e < order.size(); ++e) order[e] = e;
  std::shuffle(order.begin(), order.end(), random);
  if (random() % 4 == 0) expect_right_components(graph, dominators, reachability, removed);
  for (uint32_t edge : order) {
    removed[edge] = true;
    std::vector<bool> now = reached_without_edges(graph, graph.entry, removed);
    std::vector<bool> dead(graph.node_count());
    std::vector<uint32_t> killed;
    reachability.remove_edge(
        edge,
        [&](Node n) {
          EXPECT_FALSE(dead[index(n)]) << "reported twice";
          dead[index(n)] = true;
        },
        [&](uint32_t e) { killed.push_back(e); });
    std::vector<uint32_t> wanted_killed;
    for (uint32_t n = 0; n < graph.node_count(); ++n) {
      ASSERT_EQ(reachability.unreachable(Node{n}), !now[n]);
      ASSERT_EQ(dead[n], alive[n] && !now[n]);
      total.deaths += dead[n];
      for (uint32_t e = graph.successors.start(n); e < graph.successors.start(n + 1); ++e) {
        ASSERT_EQ(reachability.is_live(e), now[n] && !removed[e]);
        if (dead[n] && !removed[e] && now[index(graph.successors.items()[e])]) wanted_killed.push_back(e);
      }
    }
    std::sort(killed.begin(), killed.end());
    ASSERT_EQ(killed, wanted_killed);
    alive = now;
    ++total.removals;
    total.killed += static_cast<uint32_t>(killed.size());
    if (random() % 8 == 0) {
      ++total.splits;
      expect_right_components(graph, dominators, reachability, removed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  ASSERT_EQ(std::count(alive.begin(), alive.end(), true), 1);
}

TEST(Reachability, RandomGraphs) {
  Removed total;
  for_random_graphs("reachability", 3000, [&](const Graph& graph, std::mt19937& random) {
    expect_matches_search(graph, random, total);
  });
  std::printf("reachability: %u removals, %u nodes died, %u edges killed, %u times components\n",
              total.removals, total.deaths, total.killed, total.splits);
  EXPECT_GE(total.deaths, total.removals / 10);
  EXPECT_GE(total.killed, total.removals / 50);
}

TEST(Reachability, DeadLoopHoldsNobody) {
  // 0 -> 1 -> 2 -> 3 -> 1, 3 -> 4; 0 -> 4: without 0 -> 1 the loop is dead, though its nodes lead to each
  // other.
  Graph graph = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}, {0, 4}});
  Dominators dominators(graph);
  Reachability reachability(graph, dominators);
  EXPECT_EQ(reachability.find_edge(Node{2}, Node{1}), Reachability::no_edge);
  reachability.remove_edge(reachability.find_edge(Node{0}, Node{1}));
  ASSERT_EQ(reachability.newly_dead().size(), 3u);
  EXPECT_EQ(reachability.newly_dead()[0], Node{1});
  ASSERT_EQ(reachability.killed_edges().size(), 1u);
  EXPECT_EQ(graph.successors.items()[reachability.killed_edges()[0]], Node{4});
  EXPECT_FALSE(reachability.unreachable(Node{4}));
  reachability.remove_edge(reachability.find_edge(Node{0}, Node{4}));
  EXPECT_TRUE(reachability.unreachable(Node{4}));
  // Again: it is dead, so nothing happens.
  reachability.remove_edge(0);
  EXPECT_TRUE(reachability.newly_dead().empty());
}

TEST(Reachability, RemovingAllEdgesIsLinear) {
  struct Input {
    Graph graph;
    Dominators dominators;
  };
  for (const Shape& shape : large_shapes) {
    if (shape.make == large_random) continue;  // one irreducible component of half the graph
    auto prepare = [&](size_t size) {
      Graph graph = shape.make(size);
      Dominators dominators(graph);
      return Input{std::move(graph), std::move(dominators)};
    };
    for (bool from_the_end : {false, true}) {
      double ratio = growth_ratio(30000, prepare, [&](const Input& input) {
        run_on_small_stack([&] {
          Reachability reachability(input.graph, input.dominators);
          size_t deaths = 0;
          uint32_t count = static_cast<uint32_t>(input.graph.edge_count());
          for (uint32_t i = 0; i < count; ++i) {
            reachability.remove_edge(from_the_end ? count - 1 - i : i);
            deaths += reachability.newly_dead().size();
          }
          ASSERT_EQ(deaths, input.graph.node_count() - 1);
        });
      });
      EXPECT_LT(ratio, 3.0) << shape.name;
    }
  }
}

}  // namespace
}  // namespace braid::flow
