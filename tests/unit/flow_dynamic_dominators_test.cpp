// The dominator tree under insertion and removal of edges, compared with a fresh one after every change.
#include "flow/dynamic_dominators.h"

#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

void expect_matches_fresh(const DynamicDominators& dynamic, bool compare_all_pairs) {
  Graph graph = dynamic.graph().snapshot();
  Dominators fresh(graph);
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  std::vector<uint32_t> children(count, 0);
  for (uint32_t n = 0; n < count; ++n) {
    ASSERT_EQ(dynamic.idom(Node{n}), fresh.idom(Node{n})) << n;
    ASSERT_EQ(dynamic.is_reachable(Node{n}), fresh.is_reachable(Node{n})) << n;
    for (Node child = dynamic.first_child(Node{n}); !is_none(child); child = dynamic.next_sibling(child)) {
      ASSERT_EQ(dynamic.idom(child), Node{n});
      ++children[n];
    }
    ASSERT_EQ(children[n], fresh.children(Node{n}).size());
    if (!compare_all_pairs) continue;
    for (uint32_t b = 0; b < count; ++b) {
      ASSERT_EQ(dynamic.dominates(Node{n}, Node{b}), fresh.dominates(Node{n}, Node{b})) << n << " over " << b;
    }
  }
}

/// A number for each node from 1 on, 0 for none.
std::vector<uint32_t> idoms(const DynamicDominators& dominators) {
  std::vector<uint32_t> result;
  for (uint32_t n = 0; n < dominators.graph().node_count(); ++n) {
    result.push_back(is_none(dominators.idom(Node{n})) ? 0 : index(dominators.idom(Node{n})) + 1);
  }
  return result;
}

TEST(DynamicDominators, JuliasSeries) {
  // 1 -> {2,3}, 2 -> 5, 3 -> 4, 4 -> 6, 6 -> {5,3}; numbered from 0 here.
  Graph graph = graph_of(6, {{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 5}, {5, 4}, {5, 2}});
  DepthFirst search = depth_first(graph);
  std::vector<uint32_t> preorder;
  for (uint32_t n = 0; n < 6; ++n) preorder.push_back(search.pre_number[Node{n}] + 1);
  using Numbers = std::vector<uint32_t>;
  EXPECT_EQ(preorder, (Numbers{1, 2, 4, 5, 3, 6}));

  DynamicDominators dominators(graph);
  auto insert = [&](uint32_t from, uint32_t to) { dominators.insert_edge(Node{from - 1}, Node{to - 1}); };
  auto remove = [&](uint32_t from, uint32_t to) { dominators.remove_edge(Node{from - 1}, Node{to - 1}); };
  Numbers original{0, 1, 1, 3, 1, 4};
  EXPECT_EQ(idoms(dominators), original);
  remove(2, 5);
  EXPECT_EQ(idoms(dominators), (Numbers{0, 1, 1, 3, 6, 4}));
  insert(2, 5);
  EXPECT_EQ(idoms(dominators), original);
  remove(6, 5);
  EXPECT_EQ(idoms(dominators), (Numbers{0, 1, 1, 3, 2, 4}));
  insert(6, 5);
  EXPECT_EQ(idoms(dominators), original);
  remove(6, 3);
  EXPECT_EQ(idoms(dominators), original);
  insert(6, 3);
  EXPECT_EQ(idoms(dominators), original);
  remove(1, 2);
  EXPECT_EQ(idoms(dominators), (Numbers{0, 0, 1, 3, 6, 4}));
  remove(1, 3);
  EXPECT_EQ(idoms(dominators), (Numbers{0, 0, 0, 0, 0, 0}));
  insert(1, 2);
  EXPECT_EQ(idoms(dominators), (Numbers{0, 1, 0, 0, 2, 0}));
  insert(1, 3);
  EXPECT_EQ(idoms(dominators), original);
}

struct Changes {
  uint32_t insertions = 0, removals = 0, moved_by_insertion = 0, moved_by_removal = 0, became_reachable = 0,
           lost = 0;
};

void change_at_random(const Graph& graph, std::mt19937& random, uint32_t steps, uint32_t budget,
                      Changes& total) {
  DynamicDominators dominators(graph, budget);
  auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<EdgeId> edges;
  for (uint32_t e = 0; e < graph.edge_count(); ++e) edges.push_back(EdgeId{e});
  size_t wanted = graph.edge_count();
  expect_matches_fresh(dominators, true);
  for (uint32_t step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
    size_t count = dominators.graph().node_count();
    std::vector<uint32_t> before = idoms(dominators);
    bool insert = edges.empty() || below(2 * wanted + 1) >= edges.size();
    if (below(40) == 0) dominators.add_node();
    if (insert) {
      edges.push_back(dominators.insert_edge(Node{below(count)}, Node{below(count)}));
      ++total.insertions;
    } else {
      uint32_t at = below(edges.size());
      dominators.remove_edge(edges[at]);
      edges[at] = edges.back();
      edges.pop_back();
      ++total.removals;
    }
    std::vector<uint32_t> after = idoms(dominators);
    bool moved = false, reached = false, lost = false;
    for (size_t n = 0; n < count; ++n) {
      moved |= before[n] != 0 && after[n] != 0 && before[n] != after[n];
      reached |= before[n] == 0 && after[n] != 0;
      lost |= before[n] != 0 && after[n] == 0;
    }
    (insert ? total.moved_by_insertion : total.moved_by_removal) += moved;
    total.became_reachable += reached;
    total.lost += lost;
    expect_matches_fresh(dominators, count < 30 && step % 4 == 0);
  }
}

void check(const char* what, const Changes& total) {
  std::printf(
      "%s: %u insertions, %u moved nodes, %u reached new ones; %u removals, %u moved nodes, %u lost some\n",
      what, total.insertions, total.moved_by_insertion, total.became_reachable, total.removals,
      total.moved_by_removal, total.lost);
  EXPECT_GE(total.moved_by_insertion, total.insertions / 20);
  EXPECT_GE(total.became_reachable, total.insertions / 50);
  EXPECT_GE(total.moved_by_removal, total.removals / 20);
  EXPECT_GE(total.lost, total.removals / 50);
}

TEST(DynamicDominators, RandomGraphs) {
  // Small budgets, so that all searches get their turn.
  Changes total;
  for_random_graphs("dynamic dominators", 4000, [&](const Graph& graph, std::mt19937& random) {
    change_at_random(graph, random, 40, 1 + static_cast<uint32_t>(random() % 40), total);
  });
  check("small graphs", total);
}

TEST(DynamicDominators, LargerRandomGraphs) {
  std::mt19937 random(9);
  Changes total;
  for (int round = 0; round < 60 && !HasFatalFailure(); ++round) {
    Graph graph = random_graph_of_kind(random, round % random_kinds, 400);
    change_at_random(graph, random, 200, 1 + static_cast<uint32_t>(random() % 100), total);
  }
  check("larger graphs", total);
}

TEST(DynamicDominators, FromNothingAndBack) {
  // All edges of a graph one by one, then none again, in several orders.
  std::mt19937 random(10);
  for (int round = 0; round < 300 && !HasFatalFailure(); ++round) {
    Graph graph = random_graph_of_kind(random, round % random_kinds, 40);
    DynamicDominators dominators(graph_of(graph.node_count(), {}, graph.entry), 8);
    Pairs pairs = pairs_of(graph);
    std::vector<EdgeId> edges;
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (auto [from, to] : pairs) {
      edges.push_back(dominators.insert_edge(Node{from}, Node{to}));
      expect_matches_fresh(dominators, false);
    }
    std::shuffle(edges.begin(), edges.end(), random);
    for (EdgeId e : edges) {
      dominators.remove_edge(e);
      expect_matches_fresh(dominators, false);
    }
  }
}

/// Edges to take away and put back, spread over the graph; without those whose target nothing else leads to,
/// because then all behind it becomes unreachable, which is no local change.
std::vector<std::pair<Node, Node>> local_changes(const Graph& graph, size_t count) {
  std::mt19937 random(11);
  Dominators dominators(graph);
  std::vector<std::pair<Node, Node>> result;
  while (result.size() < count) {
    Node from = static_cast<Node>(random() % graph.node_count());
    auto row = graph.successors.row(from);
    if (row.empty()) continue;
    Node to = row[random() % row.size()];
    bool is_needed = true;
    for (Node other : graph.predecessors.row(to))
      is_needed &= other == from || dominators.dominates(to, other);
    if (!is_needed || dominators.dominates(to, from)) result.push_back({from, to});
  }
  return result;
}

TEST(DynamicDominators, LocalChangesDoNotDependOnTheSizeOfTheGraph) {
  for (const Shape& shape :
       {Shape{"diamonds", diamonds}, Shape{"row of loops", loop_row}, Shape{"wide join", wide_join}}) {
    struct Input {
      DynamicDominators dominators;
      std::vector<std::pair<Node, Node>> changes;
    };
    auto prepare = [&](size_t size) {
      Graph graph = shape.make(size);
      return Input{DynamicDominators(graph), local_changes(graph, 3000)};
    };
    double ratio = growth_ratio(20000, prepare, [&](Input& input) {
      run_on_small_stack([&] {
        for (auto [from, to] : input.changes) {
          input.dominators.remove_edge(from, to);
          input.dominators.insert_edge(from, to);
        }
      });
    }, 1.7);
    // Caches make far-away places slower, searches over the graph would make it twice as slow per doubling.
    EXPECT_LT(ratio, 1.8) << shape.name;
  }
}

TEST(DynamicDominators, LongChainOneEdgeAtATime) {
  double ratio = growth_ratio(
      20000, [](size_t size) { return graph_of(size, {}); },
      [](const Graph& empty) {
        DynamicDominators dominators(empty);
        uint32_t count = static_cast<uint32_t>(empty.node_count());
        for (uint32_t n = 0; n + 1 < count; ++n) dominators.insert_edge(Node{n}, Node{n + 1});
        for (uint32_t n = 0; n + 2 < count; n += 3) dominators.insert_edge(Node{n}, Node{n + 2});
        ASSERT_TRUE(dominators.dominates(Node{0}, Node{count - 1}));
        for (uint32_t n = count - 1; n > 0; --n) dominators.remove_edge(Node{n - 1}, Node{n});
      });
  EXPECT_LT(ratio, 3.0);
}

TEST(DynamicDominators, ManyQueriesAreNumbered) {
  Graph graph = chain(100000);
  DynamicDominators dominators(graph);
  dominators.insert_edge(Node{5}, Node{7});
  for (uint32_t i = 0; i < 100000; ++i) {
    ASSERT_TRUE(dominators.dominates(Node{0}, Node{99999}));
    ASSERT_FALSE(dominators.dominates(Node{6}, Node{99999}));
  }
  EXPECT_EQ(dominators.common_dominator(Node{6}, Node{9}), Node{5});
}

}  // namespace
}  // namespace braid::flow
