// Ways round assignments, against a search of all ways.
#include "flow/bypass.h"

#include <set>

#include "flow_graphs.h"
#include "growth.h"

namespace braid::flow {
namespace {

/// The nodes on ways from the end of `from` to the start of `to` that do not come back to `from`.
std::vector<bool> between(const Graph& graph, Node from, Node to) {
  size_t count = graph.node_count();
  auto spread = [&](std::span<const Node> starts, const Csr<Node>& next) {
    std::vector<bool> seen(count);
    std::vector<Node> work;
    auto reach = [&](Node n) {
      if (n == from || seen[index(n)]) return;
      seen[index(n)] = true;
      work.push_back(n);
    };
    for (Node n : starts) reach(n);
    while (!work.empty()) {
      Node n = work.back();
      work.pop_back();
      for (Node other : next.row(n)) reach(other);
    }
    return seen;
  };
  std::vector<bool> down = spread(graph.successors.row(from), graph.successors);
  std::vector<bool> up = spread(graph.predecessors.row(to), graph.predecessors);
  for (size_t n = 0; n < count; ++n) down[n] = down[n] && up[n];
  return down;
}

TEST(Bypass, RandomGraphs) {
  uint64_t climbed = 0, possible = 0;
  for_random_graphs("bypass", 3000, [&](const Graph& graph, std::mt19937& random) {
    Dominators tree(graph);
    uint32_t count = static_cast<uint32_t>(graph.node_count());
    std::vector<bool> stops(count);
    std::vector<Node> barriers;
    for (uint32_t n = 0; n < count && random() % 3 == 0; ++n)
      if (random() % 10 == 0) barriers.push_back(Node{n});
    Bypass bypass(graph, tree);
    std::set<uint32_t> seen;
    for (Node n : tree.preorder()) ASSERT_TRUE(seen.insert(bypass.number(n)).second);
    std::vector<uint32_t> assignments;
    uint32_t one_in = 1 + random() % 8;
    for (uint32_t n = 0; n < count; ++n) {
      if (!tree.is_reachable(Node{n}) || random() % one_in != 0) continue;
      stops[n] = true;
      assignments.push_back(bypass.number(Node{n}));
    }
    std::sort(assignments.begin(), assignments.end());
    std::vector<Bypass::Barrier> bounded;
    std::vector<std::vector<bool>> thrown(count);
    for (Node barrier : barriers) {
      bounded.push_back({barrier, static_cast<uint32_t>(random() % (count + 1))});
      for (uint32_t n = 0; n < count; ++n)
        thrown[index(barrier)].push_back(tree.is_reachable(Node{n}) && bypass.number(Node{n}) <= bounded.back().last);
    }
    bypass.set_barriers(tree, bounded);
    // What is assigned below `from` may come to a barrier there.
    auto is_free = [&](Node from, Node to) {
      std::vector<bool> ways = between(graph, from, to);
      for (uint32_t n = 0; n < count; ++n) {
        if (!stops[n]) continue;
        if (ways[n]) return false;
        for (Node barrier : barriers) {
          bool on_way = barrier == to || ways[index(barrier)];
          if (on_way && thrown[index(barrier)][n] && tree.strictly_dominates(from, Node{n})) return false;
        }
      }
      return true;
    };
    for (Node n : tree.preorder()) {
      Node idom = tree.idom(n), above = bypass.above(n, assignments);
      if (!is_none(above)) {
        ASSERT_TRUE(tree.strictly_dominates(above, n));
        ASSERT_TRUE(is_free(above, n)) << index(n) << " up to " << index(above);
      }
      if (is_none(idom) || !is_free(idom, n)) continue;
      ++possible;
      climbed += !is_none(above);
    }
  });
  std::printf("bypass: %llu of %llu possible climbs\n", static_cast<unsigned long long>(climbed),
              static_cast<unsigned long long>(possible));
  EXPECT_GE(climbed * 10, possible * 7);
}

TEST(Bypass, ClimbsToTheTopAtOnce) {
  for (Graph (*make)(size_t) : {chain, diamonds, loop_row, nested_loops, ladder}) {
    Graph graph = make(1000);
    Dominators tree(graph);
    Bypass bypass(graph, tree);
    for (Node n : tree.preorder())
      if (n != graph.entry) {
        ASSERT_EQ(bypass.above(n, {}), graph.entry);
      }
  }
}

TEST(Bypass, ManyVariablesCostWhatTheyClimb) {
  for (Graph (*make)(size_t) : {chain, diamonds, loop_row, nested_loops, ladder}) {
    double ratio = growth_ratio(20000, make, [](const Graph& graph) {
      Dominators tree(graph);
      Bypass bypass(graph, tree);
      uint32_t count = static_cast<uint32_t>(graph.node_count());
      size_t found = 0;
      for (uint32_t v = 0; v < count; ++v) {
        uint32_t assignment = bypass.number(Node{v});
        found += !is_none(bypass.above(Node{count - 1}, std::span<const uint32_t>(&assignment, 1)));
      }
      ASSERT_LE(found, count);
    });
    EXPECT_LT(ratio, 3.0);
  }
}

}  // namespace
}  // namespace braid::flow
