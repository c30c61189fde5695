// The loop forest, checked against its definition.
#include "flow/loops.h"

#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

struct LoopCoverage {
  uint32_t loops = 0, irreducible = 0, single = 0, nested = 0;
};

/// By definition: of the nodes below `header` in the depth-first tree, those that are strongly connected with
/// it there. Empty if there is no cycle through `header`.
std::vector<bool> loop_by_definition(const Graph& graph, const DepthFirst& search, Node header) {
  size_t count = graph.node_count();
  auto is_below = [&](Node n) { return search.is_ancestor(header, n); };
  auto inside = [&](std::span<const Node> row) {
    std::vector<Node> nodes;
    for (Node n : row) {
      if (is_below(n)) nodes.push_back(n);
    }
    return nodes;
  };
  auto forward =
      reached_without(count, header, none_id<Node>, [&](Node n) { return inside(graph.successors.row(n)); });
  auto backward = reached_without(count, header, none_id<Node>,
                                  [&](Node n) { return inside(graph.predecessors.row(n)); });
  std::vector<bool> members(count);
  bool has_cycle = false;
  for (uint32_t n = 0; n < count; ++n) {
    members[n] = forward[n] && backward[n];
    if (!members[n]) continue;
    for (Node to : graph.successors.row(n)) has_cycle |= to == header;
  }
  if (!has_cycle) members.assign(count, false);
  return members;
}

void expect_matches_definition(const Graph& graph, LoopCoverage& coverage) {
  Loops loops(graph);
  DepthFirst search = depth_first(graph);
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  std::vector<std::vector<bool>> expected;
  std::vector<Node> headers;
  for (Node n : search.preorder) {
    auto members = loop_by_definition(graph, search, n);
    if (!members[index(n)]) continue;
    expected.push_back(members);
    headers.push_back(n);
  }
  ASSERT_EQ(loops.size(), expected.size());
  std::vector<Loop> innermost(count, none_id<Loop>);
  std::vector<uint32_t> depth(count, 0);
  for (uint32_t l = 0; l < expected.size(); ++l) {
    Loop loop{l};
    ASSERT_EQ(loops.header(loop), headers[l]);
    ASSERT_EQ(loops.parent(loop), innermost[index(headers[l])]);
    ASSERT_EQ(loops.members(loop)[0], headers[l]);
    ASSERT_EQ(loops.depth(loop), depth[index(headers[l])] + 1);
    std::vector<bool> members(count);
    for (Node n : loops.members(loop)) {
      ASSERT_FALSE(members[index(n)]) << "twice";
      members[index(n)] = true;
    }
    ASSERT_EQ(members, expected[l]);
    std::vector<Node> entries = loops.other_entries(graph, loop);
    std::vector<Node> wanted_entries;
    for (uint32_t n = 0; n < count; ++n) {
      ASSERT_EQ(loops.contains(loop, Node{n}), expected[l][n]);
      if (!expected[l][n]) continue;
      innermost[n] = loop;
      ++depth[n];
      bool from_outside = false;
      for (Node from : graph.predecessors.row(n)) {
        from_outside |= search.is_reachable(from) && !expected[l][index(from)];
      }
      if (from_outside && Node{n} != headers[l]) wanted_entries.push_back(Node{n});
    }
    std::sort(entries.begin(), entries.end());
    ASSERT_EQ(entries, wanted_entries);
    ASSERT_EQ(loops.is_reducible(loop), wanted_entries.empty());
    ++coverage.loops;
    coverage.irreducible += !wanted_entries.empty();
    coverage.single += loops.members(loop).size() == 1;
    coverage.nested += loops.depth(loop) >= 3;
  }
  for (uint32_t n = 0; n < count; ++n) {
    ASSERT_EQ(loops.innermost(Node{n}), innermost[n]);
    ASSERT_EQ(loops.depth(Node{n}), depth[n]);
    ASSERT_EQ(loops.is_header(Node{n}), std::find(headers.begin(), headers.end(), Node{n}) != headers.end());
  }
  // All is reducible exactly when the graph is.
  bool all_reducible = true;
  for (uint32_t l = 0; l < loops.size(); ++l) all_reducible &= loops.is_reducible(Loop{l});
  ASSERT_EQ(all_reducible, is_reducible(graph, Dominators(graph)));
}

TEST(Loops, SmallCases) {
  LoopCoverage coverage;
  expect_matches_definition(Graph(), coverage);
  expect_matches_definition(graph_of(1, {{0, 0}, {0, 0}}), coverage);
  // Two loops in each other, one with two entries, one unreachable.
  Graph graph =
      graph_of(8, {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 1}, {3, 4}, {3, 5}, {4, 5}, {5, 4}, {6, 7}, {7, 6}});
  expect_matches_definition(graph, coverage);
  Loops loops(graph);
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_EQ(loops.members(Loop{0}).size(), 3u);
  EXPECT_EQ(loops.parent(Loop{1}), Loop{0});
  EXPECT_EQ(loops.header(Loop{1}), Node{2});
  EXPECT_TRUE(loops.contains(Loop{0}, Loop{1}));
  EXPECT_FALSE(loops.is_reducible(Loop{2}));
  EXPECT_EQ(loops.header(Loop{2}), Node{4});
  EXPECT_EQ(loops.other_entries(graph, Loop{2}), std::vector<Node>{Node{5}});
  EXPECT_TRUE(is_none(loops.innermost(Node{6})));
}

TEST(Loops, RandomGraphs) {
  LoopCoverage coverage;
  for_random_graphs("loops", 6000,
                    [&](const Graph& graph, std::mt19937&) { expect_matches_definition(graph, coverage); });
  std::printf("loops: %u, irreducible %u, of one node %u, in two others or more %u\n", coverage.loops,
              coverage.irreducible, coverage.single, coverage.nested);
  EXPECT_GE(coverage.irreducible, coverage.loops / 20);
  EXPECT_GE(coverage.single, coverage.loops / 20);
  EXPECT_GE(coverage.nested, coverage.loops / 20);
}

TEST(Loops, AllGraphsOfFourNodes) {
  // 12 possible edges between different nodes.
  LoopCoverage coverage;
  for (uint32_t chosen = 0; chosen < 1u << 12; ++chosen) {
    Pairs pairs;
    uint32_t bit = 0;
    for (uint32_t from = 0; from < 4; ++from) {
      for (uint32_t to = 0; to < 4; ++to) {
        if (from != to && (chosen >> bit++ & 1) != 0) pairs.push_back({from, to});
      }
    }
    expect_matches_definition(graph_of(4, pairs), coverage);
    if (HasFatalFailure()) FAIL() << "edges " << chosen;
  }
}

TEST(Loops, HundredThousandInEachOther) {
  Graph graph = nested_loops(200000);
  run_on_small_stack([&] {
    Loops loops(graph);
    ASSERT_EQ(loops.size(), 100000u);
    for (uint32_t l = 0; l < 100000; ++l) {
      ASSERT_EQ(loops.depth(Loop{l}), l + 1);
      ASSERT_EQ(loops.members(Loop{l}).size(), 200000 - 2 * l);
    }
  });
}

/// A row of loops of ten nodes each, and the entry leads to every node.
Graph entered_everywhere(size_t size) {
  Pairs pairs;
  uint32_t count = static_cast<uint32_t>(size);
  for (uint32_t i = 0; i + 1 < count; ++i) pairs.push_back({i, i + 1});
  for (uint32_t i = 1; i < count; ++i) {
    pairs.push_back({0, i});
    if (i % 10 == 9) pairs.push_back({i, i - 9});
  }
  return graph_of(count, pairs);
}

TEST(Loops, GrowsLinearly) {
  std::vector<Shape> shapes(std::begin(large_shapes), std::end(large_shapes));
  shapes.push_back({"entered everywhere", entered_everywhere});
  for (const Shape& shape : shapes) {
    double ratio = growth_ratio(40000, shape.make, [](const Graph& graph) {
      Loops loops(graph);
      ASSERT_LE(loops.size(), graph.node_count());
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

}  // namespace
}  // namespace braid::flow
