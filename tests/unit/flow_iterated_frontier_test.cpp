// Iterated frontiers and liveness, checked against their definitions; and that many local variables cost
// little.
#include "flow/iterated_frontier.h"

#include <set>

#include "flow/liveness.h"
#include "flow_graphs.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::flow {
namespace {

using Nodes = std::vector<Node>;

Nodes sorted(std::span<const Node> nodes) {
  Nodes result(nodes.begin(), nodes.end());
  std::sort(result.begin(), result.end());
  return result;
}

/// By definition: the frontier of the set, the frontier of the set and that, and so on.
std::vector<bool> frontier_by_definition(const Graph& graph, const Relation& dominates, const Nodes& set) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  std::vector<bool> in_set(count), answer(count);
  for (Node n : set) in_set[index(n)] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < count; ++a) {
      if (!in_set[a] && !answer[a]) continue;
      for (uint32_t b = 0; b < count; ++b) {
        if (answer[b] || !dominates[b][b] || (a != b && dominates[a][b])) continue;
        for (Node from : graph.predecessors.row(b)) {
          if (!dominates[a][index(from)]) continue;
          answer[b] = changed = true;
        }
      }
    }
  }
  return answer;
}

/// By the equations: live at the start where it is used, or where it is live at the end and not defined.
std::vector<bool> live_in_by_definition(const Graph& graph, const Nodes& uses, const Nodes& definitions) {
  uint32_t count = static_cast<uint32_t>(graph.node_count());
  std::vector<bool> live(count), defined(count);
  for (Node n : uses) live[index(n)] = true;
  for (Node n : definitions) defined[index(n)] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < count; ++n) {
      if (live[n] || defined[n]) continue;
      for (Node to : graph.successors.row(n)) {
        if (!live[index(to)]) continue;
        live[n] = changed = true;
        break;
      }
    }
  }
  return live;
}

Nodes as_list(const std::vector<bool>& set) {
  Nodes result;
  for (uint32_t n = 0; n < set.size(); ++n) {
    if (set[n]) result.push_back(Node{n});
  }
  return result;
}

Nodes random_nodes(std::mt19937& random, size_t count) {
  Nodes nodes;
  for (uint32_t i = random() % 3 == 0 ? random() % (count + 1) : random() % 4; i > 0; --i) {
    nodes.push_back(Node(random() % count));
  }
  return nodes;
}

TEST(IteratedFrontier, RandomGraphs) {
  uint32_t sets = 0, phis = 0, pruned_phis = 0;
  for_random_graphs("iterated frontiers", 4000, [&](const Graph& graph, std::mt19937& random) {
    Relation dominates = dominance_by_definition(graph);
    Dominators dominators(graph);
    IteratedFrontier frontier(graph, dominators);
    LiveWalk walk(graph);
    for (int set = 0; set < 6; ++set) {
      Nodes definitions = random_nodes(random, graph.node_count());
      Nodes uses = random_nodes(random, graph.node_count());
      std::vector<bool> all = frontier_by_definition(graph, dominates, definitions);
      std::vector<bool> live = live_in_by_definition(graph, uses, definitions);
      ASSERT_EQ(sorted(frontier.of(definitions)), as_list(all));
      Nodes live_nodes = sorted(walk.live_in(uses, definitions));
      ASSERT_EQ(live_nodes, as_list(live));
      std::vector<bool> pruned(all);
      for (uint32_t n = 0; n < graph.node_count(); ++n) {
        pruned[n] = all[n] && live[n];
        ASSERT_EQ(walk.is_live_in(Node{n}), live[n]);
      }
      ASSERT_EQ(sorted(frontier.of(definitions, [&](Node n) { return live[index(n)]; })), as_list(pruned));
      ASSERT_EQ(sorted(frontier.of_live(definitions, live_nodes)), as_list(pruned));
      ++sets;
      phis += static_cast<uint32_t>(as_list(all).size());
      pruned_phis += static_cast<uint32_t>(as_list(pruned).size());
    }
  });
  std::printf("iterated frontiers: %u sets, %u phis, %u pruned phis\n", sets, phis, pruned_phis);
  EXPECT_GE(phis, sets);
  EXPECT_GE(pruned_phis, sets / 4);
}

TEST(IteratedFrontier, LargerRandomGraphs) {
  // Enough join edges for several rows of minima.
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    Graph graph = random_graph_of_kind(random, 1 + round % 4, 600);
    Relation dominates = dominance_by_definition(graph);
    Dominators dominators(graph);
    IteratedFrontier frontier(graph, dominators);
    for (int set = 0; set < 5; ++set) {
      Nodes definitions = random_nodes(random, graph.node_count());
      std::vector<bool> all = frontier_by_definition(graph, dominates, definitions);
      ASSERT_EQ(sorted(frontier.of(definitions)), as_list(all));
      auto all_nodes = as_list(std::vector<bool>(graph.node_count(), true));
      ASSERT_EQ(sorted(frontier.of_live(definitions, all_nodes)), as_list(all));
    }
  }
}

TEST(LeastTree, RandomKeys) {
  std::mt19937 random(6);
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (uint32_t count : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 5000u}) {
    std::vector<uint32_t> keys(count, LeastTree::greatest);
    for (uint32_t i = 0; i < count / 20; ++i) keys[below(count)] = 30 + below(50);
    LeastTree tree;
    tree.build(count, [&](uint32_t i) { return keys[i]; });
    for (int round = 0; round < 3; ++round) {
      for (int step = 0; step < 1000 && count > 0; ++step) {
        uint32_t at = below(count), key = below(80);
        tree.lower(at, key);
        keys[at] = std::min(keys[at], key);
        uint32_t first = below(count + 1);
        uint32_t last = first + below(count - first + 1);
        uint32_t limit = below(20);
        uint32_t wanted = first;
        while (wanted < last && keys[wanted] > limit) ++wanted;
        ASSERT_EQ(tree.find(first, last, limit), wanted) << count;
      }
      for (uint32_t i = 0; i < count; ++i) tree.clear(i);
      ASSERT_EQ(tree.find(0, count, LeastTree::greatest - 1), count);
      keys.assign(count, LeastTree::greatest);
    }
  }
}

TEST(LevelBank, DeepestFirst) {
  std::mt19937 random(7);
  for (uint32_t level_count : {1u, 64u, 65u, 4096u, 300000u}) {
    LevelBank bank;
    bank.resize(level_count);
    std::multiset<uint32_t> levels;
    EXPECT_TRUE(bank.empty());
    for (int step = 0; step < 3000; ++step) {
      if (random() % 2 == 0 || step < 100) {
        uint32_t level = static_cast<uint32_t>(random() % level_count);
        levels.insert(level);
        bank.put(Node{level}, level);
      } else if (!levels.empty()) {
        ASSERT_EQ(index(bank.take()), *levels.rbegin());
        levels.erase(std::prev(levels.end()));
      }
      ASSERT_EQ(bank.empty(), levels.empty());
    }
  }
}

TEST(Liveness, RandomGraphs) {
  for_random_graphs("liveness", 3000, [](const Graph& graph, std::mt19937& random) {
    uint32_t count = static_cast<uint32_t>(graph.node_count());
    uint32_t variable_count = random() % 6;
    std::vector<Nodes> uses, definitions;
    for (uint32_t v = 0; v < variable_count; ++v) {
      uses.push_back(random_nodes(random, count));
      definitions.push_back(random_nodes(random, count));
    }
    auto rows = [&](const std::vector<Nodes>& lists) {
      return Csr<Node>::build(variable_count, [&](auto&& emit) {
        for (uint32_t v = 0; v < variable_count; ++v) {
          for (Node n : lists[v]) emit(v, n);
        }
      });
    };
    Liveness liveness(graph, {rows(uses), rows(definitions)});
    std::vector<std::set<Variable>> live_in(count), live_out(count);
    for (uint32_t v = 0; v < variable_count; ++v) {
      std::vector<bool> live = live_in_by_definition(graph, uses[v], definitions[v]);
      ASSERT_EQ(sorted(liveness.nodes_of(Variable{v})), as_list(live));
      for (uint32_t n = 0; n < count; ++n) {
        if (live[n]) live_in[n].insert(Variable{v});
        for (Node to : graph.successors.row(n)) {
          if (live[index(to)]) live_out[n].insert(Variable{v});
        }
      }
    }
    auto list = [](std::span<const Variable> variables) {
      return std::vector<Variable>(variables.begin(), variables.end());
    };
    for (uint32_t n = 0; n < count; ++n) {
      ASSERT_EQ(list(liveness.live_in(Node{n})), std::vector(live_in[n].begin(), live_in[n].end()));
      ASSERT_EQ(list(liveness.live_out(Node{n})), std::vector(live_out[n].begin(), live_out[n].end()));
    }
  });
}

/// A graph, and variables that are all defined at the entry, and besides in a few nodes near each other.
struct LocalVariables {
  Graph graph;
  Dominators dominators;
  uint32_t variable_count;

  Nodes definitions(uint32_t v) const {
    auto preorder = dominators.preorder();
    size_t at = size_t{v} * preorder.size() / variable_count;
    return {graph.entry, preorder[at], preorder[std::min(at + 2, preorder.size() - 1)]};
  }
};

TEST(IteratedFrontier, ManyLocalVariablesCostWhatTheyTouch) {
  // The number of variables grows with the graph: a walk over the graph for each would be quadratic.
  for (const Shape& shape : {Shape{"chain", chain}, Shape{"diamonds", diamonds},
                             Shape{"wide join", wide_join}, Shape{"row of loops", loop_row}}) {
    auto prepare = [&](size_t size) {
      Graph graph = shape.make(size);
      Dominators dominators(graph);
      return LocalVariables{std::move(graph), std::move(dominators), static_cast<uint32_t>(size / 20)};
    };
    double ratio = growth_ratio(20000, prepare, [](const LocalVariables& input) {
      IteratedFrontier frontier(input.graph, input.dominators);
      size_t phis = 0;
      for (uint32_t v = 0; v < input.variable_count; ++v) phis += frontier.of(input.definitions(v)).size();
      ASSERT_LE(phis, 8 * input.variable_count);
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

TEST(IteratedFrontier, ShortLiveRangesCostLittleInWideFrontiers) {
  // Every definition reaches the frontier of half the graph, but the variable is live in two nodes only.
  auto prepare = [&](size_t size) {
    Graph graph = chain_and_two_switches(size);
    Dominators dominators(graph);
    return LocalVariables{std::move(graph), std::move(dominators), static_cast<uint32_t>(size / 20)};
  };
  double ratio = growth_ratio(20000, prepare, [](const LocalVariables& input) {
    IteratedFrontier frontier(input.graph, input.dominators);
    LiveWalk walk(input.graph);
    uint32_t half = static_cast<uint32_t>(input.graph.node_count() / 2);
    size_t phis = 0;
    for (uint32_t v = 0; v < input.variable_count; ++v) {
      Nodes definitions{Node{0}, Node{v}}, uses{Node{v + 1}, Node{half + v}};
      definitions.push_back(Node{half - 1});
      phis += frontier.of_live(definitions, walk.live_in(uses, definitions)).size();
    }
    ASSERT_EQ(phis, input.variable_count);
  });
  EXPECT_LT(ratio, 3.0);
}

TEST(IteratedFrontier, OneVariableEverywhere) {
  // Definitions in every node, also where frontiers add up to a quadratic size.
  for (const Shape& shape : large_shapes) {
    auto prepare = [&](size_t size) {
      Graph graph = shape.make(size);
      Dominators dominators(graph);
      return LocalVariables{std::move(graph), std::move(dominators), 1};
    };
    double ratio = growth_ratio(40000, prepare, [](const LocalVariables& input) {
      IteratedFrontier frontier(input.graph, input.dominators);
      auto preorder = input.dominators.preorder();
      size_t phis = frontier.of(preorder).size();
      ASSERT_EQ(frontier.of_live(preorder, preorder).size(), phis);
    });
    EXPECT_LT(ratio, 3.0) << shape.name;
  }
}

TEST(IteratedFrontier, JoinOfAHundredThousand) {
  Graph graph = wide_join(100002);
  run_on_small_stack([&] {
    Dominators dominators(graph);
    IteratedFrontier frontier(graph, dominators);
    Nodes definitions;
    for (uint32_t n = 1; n < 100001; n += 2) definitions.push_back(Node{n});
    auto phis = frontier.of(definitions);
    ASSERT_EQ(phis.size(), 1u);
    EXPECT_EQ(phis[0], Node{100001});
  });
}

}  // namespace
}  // namespace braid::flow
