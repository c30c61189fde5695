// The steps that dominators and iterated frontiers report to those who watch: they follow from each other and
// lead to the answer, and watching changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flow/frontiers.h"
#include "flow/iterated_frontier.h"
#include "flow_graphs.h"

namespace braid::flow {
namespace {

using Kind = DominatorStep::Kind;

TEST(Steps, DominatorsOfADiamond) {
  Graph graph = graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  std::vector<DominatorStep> steps;
  Dominators dominators(graph, steps);
  constexpr Node none = none_id<Node>;
  std::vector<DominatorStep> expected = {
      {Kind::reached, Node{0}, none, none},          {Kind::reached, Node{1}, none, Node{0}},
      {Kind::reached, Node{3}, none, Node{1}},       {Kind::reached, Node{2}, none, Node{0}},
      {Kind::candidate, Node{2}, Node{0}, Node{0}},  {Kind::semidominator, Node{2}, none, Node{0}},
      {Kind::candidate, Node{3}, Node{1}, Node{1}},  {Kind::candidate, Node{3}, Node{2}, Node{0}},
      {Kind::semidominator, Node{3}, none, Node{0}}, {Kind::candidate, Node{1}, Node{0}, Node{0}},
      {Kind::semidominator, Node{1}, none, Node{0}}, {Kind::idom, Node{1}, none, Node{0}},
      {Kind::climb, Node{3}, Node{1}, Node{0}},      {Kind::idom, Node{3}, none, Node{0}},
      {Kind::idom, Node{2}, none, Node{0}}};
  EXPECT_EQ(steps, expected);
}

TEST(Steps, DominatorsOfRandomGraphs) {
  uint64_t climbs = 0;
  for_random_graphs("dominator steps", 1000, [&](const Graph& graph, std::mt19937&) {
    std::vector<DominatorStep> steps;
    Dominators watched(graph, steps), silent(graph);
    DepthFirst search = depth_first(graph);
    size_t reached = 0, idoms = 0;
    Node best = none_id<Node>, at = none_id<Node>;
    for (const DominatorStep& step : steps) {
      ASSERT_EQ(watched.idom(step.node), silent.idom(step.node));
      switch (step.kind) {
        case Kind::reached:
          ASSERT_EQ(search.preorder[reached++], step.node);
          ASSERT_EQ(search.parent[step.node], step.value);
          break;
        case Kind::candidate:
          ASSERT_TRUE(std::ranges::count(graph.predecessors.row(step.node), step.other));
          if (is_none(best) || search.pre_number[step.value] < search.pre_number[best]) best = step.value;
          break;
        case Kind::semidominator:
          ASSERT_EQ(step.value, best) << "the least of its candidates";
          best = none_id<Node>;
          break;
        case Kind::climb:
          ++climbs;
          ASSERT_EQ(step.other, is_none(at) ? search.parent[step.node] : at);
          ASSERT_TRUE(silent.strictly_dominates(step.value, step.other));
          at = step.value;
          break;
        case Kind::idom:
          ++idoms;
          ASSERT_EQ(step.value, is_none(at) ? search.parent[step.node] : at);
          ASSERT_EQ(step.value, silent.idom(step.node));
          at = none_id<Node>;
          break;
      }
    }
    ASSERT_EQ(reached, search.preorder.size());
    ASSERT_EQ(idoms + 1, reached);
  });
  EXPECT_GT(climbs, 1000u);
}

struct Watcher {
  std::set<Node> taken, found, waiting;
  std::vector<Edge> looks;
  void take(Node x) {
    EXPECT_TRUE(taken.insert(x).second) << "taken once";
    waiting.erase(x);
  }
  void look(Node x, Node y, bool is_new, bool goes_to_work) {
    EXPECT_TRUE(taken.contains(x));
    EXPECT_EQ(found.insert(y).second, is_new);
    EXPECT_TRUE(is_new || !goes_to_work);
    if (goes_to_work) {
      EXPECT_TRUE(waiting.insert(y).second);
    }
    looks.push_back({x, y});
  }
};

TEST(Steps, IteratedFrontiersOfRandomGraphs) {
  uint64_t looks = 0;
  for_random_graphs("frontier steps", 1000, [&](const Graph& graph, std::mt19937& random) {
    Dominators dominators(graph);
    IteratedFrontier frontier(graph, dominators);
    Frontiers frontiers(graph, dominators);
    std::vector<Node> set;
    for (uint32_t n = 0; n < graph.node_count(); ++n)
      if (random() % 4 == 0) set.push_back(Node{n});
    Watcher watcher;
    for (Node n : set)
      if (frontier.leads_out(n)) watcher.waiting.insert(n);
    std::span<const Node> answer = frontier.of(
        set, [](Node) { return true; }, watcher);
    ASSERT_EQ(std::set<Node>(answer.begin(), answer.end()), watcher.found);
    ASSERT_TRUE(watcher.waiting.empty()) << "all that waits is taken";
    for (const Edge& look : watcher.looks)
      ASSERT_TRUE(std::ranges::count(frontiers.of(look.from), look.to)) << "Y is in the frontier of X";
    looks += watcher.looks.size();
    for (uint32_t n = 0; n < graph.node_count(); ++n)
      ASSERT_EQ(frontier.leads_out(Node{n}), !frontiers.of(Node{n}).empty());
  });
  EXPECT_GT(looks, 1000u);
}

}  // namespace
}  // namespace braid::flow
