// Graphs for the tests of this room: random ones of every kind, with a count of what came up, and large
// shapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flow/dominators.h"
#include "flow/graph.h"
#include "flow/orders.h"
#include "flow/reducible.h"

namespace braid::flow {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

inline std::vector<Edge> edges_of(const Pairs& pairs) {
  std::vector<Edge> edges;
  edges.reserve(pairs.size());
  for (auto [from, to] : pairs) edges.push_back({Node{from}, Node{to}});
  return edges;
}

inline Graph graph_of(size_t count, const Pairs& pairs, Node entry = Node{0}) {
  return Graph::from_edges(count, entry, edges_of(pairs));
}

inline Pairs pairs_of(const Graph& graph) {
  Pairs pairs;
  for (uint32_t n = 0; n < graph.node_count(); ++n) {
    for (Node to : graph.successors.row(n)) pairs.push_back({n, index(to)});
  }
  return pairs;
}

/// What can be reached from `start` without passing through `removed`; `successors(node)` is a range of
/// nodes.
template <class Successors>
std::vector<bool> reached_without(size_t count, Node start, Node removed, Successors&& successors) {
  std::vector<bool> seen(count);
  if (start == removed) return seen;
  std::vector<Node> work{start};
  seen[index(start)] = true;
  while (!work.empty()) {
    Node n = work.back();
    work.pop_back();
    for (Node to : successors(n)) {
      if (to == removed || seen[index(to)]) continue;
      seen[index(to)] = true;
      work.push_back(to);
    }
  }
  return seen;
}

using Relation = std::vector<std::vector<bool>>;

/// By definition: `a` dominates `b` if `b` can be reached, but not without `a`.
inline Relation dominance_by_definition(const Graph& graph) {
  size_t count = graph.node_count();
  auto successors = [&](Node n) { return graph.successors.row(n); };
  std::vector<bool> all = reached_without(count, graph.entry, none_id<Node>, successors);
  Relation dominates(count, std::vector<bool>(count));
  for (uint32_t a = 0; a < count; ++a) {
    std::vector<bool> without = reached_without(count, graph.entry, Node{a}, successors);
    for (uint32_t b = 0; b < count; ++b) dominates[a][b] = all[b] && !without[b];
  }
  return dominates;
}

// ---- random graphs ----

/// Structured code: sequences, branches, loops with breaks and continues, all ends joined. Reducible.
class StructuredCode {
 public:
  StructuredCode(std::mt19937& random, uint32_t size) : random_(random), budget_(size) {
    uint32_t last = body(new_node(), none, none, 0);
    if (pick(4) != 0) edge(last, new_node());
  }
  uint32_t count() const { return count_; }
  const Pairs& pairs() const { return pairs_; }

 private:
  static constexpr uint32_t none = 0xffffffffu;
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t new_node() { return count_++; }
  void edge(uint32_t from, uint32_t to) { pairs_.push_back({from, to}); }

  uint32_t body(uint32_t at, uint32_t on_break, uint32_t on_continue, int depth) {
    for (uint32_t i = pick(4); i <= 3 && count_ < budget_; ++i) {
      switch (depth > 6 ? 0 : pick(6)) {
        case 0: {
          uint32_t next = new_node();
          edge(at, next);
          at = next;
          break;
        }
        case 1:
        case 2: {
          uint32_t then = new_node(), other = new_node(), join = new_node();
          edge(at, then);
          edge(at, other);
          edge(body(then, on_break, on_continue, depth + 1), join);
          edge(body(other, on_break, on_continue, depth + 1), join);
          at = join;
          break;
        }
        case 3:
        case 4: {
          uint32_t head = new_node(), inner = new_node(), after = new_node();
          edge(at, head);
          edge(head, inner);
          if (pick(5) != 0) edge(head, after);
          uint32_t end = body(inner, after, head, depth + 1);
          edge(end, head);
          if (pick(3) == 0) edge(end, after);
          at = after;
          break;
        }
        default: {
          if (on_break == none) break;
          uint32_t next = new_node();
          edge(at, next);
          edge(at, pick(2) == 0 ? on_break : on_continue);
          at = next;
        }
      }
    }
    return at;
  }

  std::mt19937& random_;
  uint32_t budget_;
  uint32_t count_ = 0;
  Pairs pairs_;
};

/// One of several kinds, numbered from 0 to `random_kinds - 1`.
inline constexpr int random_kinds = 5;
inline Graph random_graph_of_kind(std::mt19937& random, int kind, uint32_t most) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Pairs pairs;
  uint32_t count = 1 + below(most);
  Node entry{0};
  switch (kind) {
    case 0:    // structured
    case 1: {  // structured, spoilt by jumps
      StructuredCode code(random, count);
      pairs = code.pairs();
      count = code.count();
      if (kind == 1) {
        for (uint32_t i = 1 + below(3); i > 0; --i) pairs.push_back({below(count), below(count)});
      }
      break;
    }
    case 2:  // every node reachable, dense
      for (uint32_t i = 1; i < count; ++i) pairs.push_back({below(i), i});
      for (uint32_t i = below(2 * count + 1); i > 0; --i) pairs.push_back({below(count), below(count)});
      break;
    case 3:  // anything
      for (uint32_t i = below(3 * count + 1); i > 0; --i) pairs.push_back({below(count), below(count)});
      entry = Node{below(count)};
      break;
    default:  // deep
      for (uint32_t i = 1; i < count; ++i) pairs.push_back({below(8) == 0 ? below(i) : i - 1, i});
      for (uint32_t i = below(6); i > 0; --i) pairs.push_back({below(count), below(count)});
      for (uint32_t i = below(3); i > 0; --i) pairs.push_back({count - 1 - below(count), below(count)});
  }
  if (kind != 0 || below(2) == 0) std::shuffle(pairs.begin(), pairs.end(), random);
  if (!pairs.empty() && below(4) == 0) pairs.push_back(pairs[below(static_cast<uint32_t>(pairs.size()))]);
  return graph_of(count, pairs, entry);
}

/// What a series of random graphs has shown.
struct Coverage {
  uint32_t graphs = 0, nodes = 0, edges = 0;
  uint32_t reducible = 0, irreducible = 0, self_loops = 0, parallel_edges = 0, unreachable = 0, endless = 0;

  void add(const Graph& graph) {
    ++graphs;
    nodes += static_cast<uint32_t>(graph.node_count());
    edges += static_cast<uint32_t>(graph.edge_count());
    Dominators dominators(graph);
    (is_reducible(graph, dominators) ? reducible : irreducible)++;
    bool self_loop = false, parallel = false, not_reached = false, never_ends = false;
    Graph backward = reversed(graph, graph.entry);
    std::vector<bool> ends(graph.node_count());
    for (uint32_t n = 0; n < graph.node_count(); ++n) {
      auto row = graph.successors.row(n);
      std::vector<Node> sorted(row.begin(), row.end());
      std::sort(sorted.begin(), sorted.end());
      parallel |= std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      self_loop |= std::find(sorted.begin(), sorted.end(), Node{n}) != sorted.end();
      not_reached |= !dominators.is_reachable(Node{n});
      if (!row.empty()) continue;
      auto seen = reached_without(graph.node_count(), Node{n}, none_id<Node>,
                                  [&](Node at) { return backward.successors.row(at); });
      for (size_t i = 0; i < seen.size(); ++i) ends[i] = ends[i] || seen[i];
    }
    for (uint32_t n = 0; n < graph.node_count(); ++n)
      never_ends |= dominators.is_reachable(Node{n}) && !ends[n];
    self_loops += self_loop;
    parallel_edges += parallel;
    unreachable += not_reached;
    endless += never_ends;
  }

  /// Prints the counts; each kind must have come up in a tenth of the graphs.
  void check(const char* what) const {
    std::printf(
        "%s: %u graphs, %u nodes, %u edges; reducible %u, irreducible %u, self loops %u, parallel edges %u, "
        "unreachable parts %u, endless loops %u\n",
        what, graphs, nodes, edges, reducible, irreducible, self_loops, parallel_edges, unreachable, endless);
    for (uint32_t kind : {reducible, irreducible, self_loops, parallel_edges, unreachable, endless}) {
      EXPECT_GE(kind, graphs / 10) << what;
    }
  }
};

/// Calls `test(graph)` with random graphs of all kinds, small ones and some larger ones, until one fails.
template <class Test>
void for_random_graphs(const char* what, uint32_t rounds, Test&& test) {
  std::mt19937 random(20240607);
  Coverage coverage;
  for (uint32_t round = 0; round < rounds; ++round) {
    uint32_t most = round % 50 == 0 ? 70 : 1 + static_cast<uint32_t>(random() % 40);
    Graph graph = random_graph_of_kind(random, static_cast<int>(round % random_kinds), most);
    coverage.add(graph);
    test(graph, random);
    if (testing::Test::HasFatalFailure()) {
      std::string text;
      for (auto [from, to] : pairs_of(graph)) text += std::to_string(from) + "->" + std::to_string(to) + " ";
      FAIL() << what << " round " << round << " entry " << index(graph.entry) << ": " << text;
    }
  }
  coverage.check(what);
}

// ---- large shapes ----

inline Graph chain(size_t size) {
  Pairs pairs;
  for (uint32_t i = 0; i + 1 < size; ++i) pairs.push_back({i, i + 1});
  return graph_of(size, pairs);
}

/// Two parallel chains with rungs both ways between them: irreducible, and almost all is dominated by the
/// entry only.
inline Graph ladder(size_t size) {
  Pairs pairs;
  uint32_t half = static_cast<uint32_t>(size / 2);
  for (uint32_t i = 0; i < half; ++i) {
    pairs.push_back({2 * i, 2 * i + 1});
    pairs.push_back({2 * i + 1, 2 * i});
    if (i + 1 < half) {
      pairs.push_back({2 * i, 2 * i + 2});
      pairs.push_back({2 * i + 1, 2 * i + 3});
    }
  }
  return graph_of(2 * half, pairs);
}

/// The entry branches to all others, and all of those to the last node.
inline Graph wide_join(size_t size) {
  Pairs pairs;
  uint32_t last = static_cast<uint32_t>(size - 1);
  for (uint32_t i = 1; i < last; ++i) {
    pairs.push_back({0, i});
    pairs.push_back({i, last});
  }
  return graph_of(size, pairs);
}

/// head -> {left, right} -> next head, three nodes each.
inline Graph diamonds(size_t size) {
  Pairs pairs;
  uint32_t count = static_cast<uint32_t>(size / 3);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t head = 3 * i;
    pairs.insert(pairs.end(),
                 {{head, head + 1}, {head, head + 2}, {head + 1, head + 3}, {head + 2, head + 3}});
  }
  return graph_of(3 * count + 1, pairs);
}

/// Loops inside each other: all heads, then all ends; each end goes back to its head or out to the next end.
inline Graph nested_loops(size_t size) {
  Pairs pairs;
  uint32_t half = static_cast<uint32_t>(size / 2);
  for (uint32_t i = 0; i + 1 < 2 * half; ++i) pairs.push_back({i, i + 1});
  for (uint32_t i = 0; i < half; ++i) pairs.push_back({2 * half - 1 - i, i});
  return graph_of(2 * half, pairs);
}

/// Nests of three loops, one behind the other.
inline Graph loop_row(size_t size) {
  Pairs pairs;
  uint32_t count = static_cast<uint32_t>(size / 8);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t first = 8 * i;
    for (uint32_t k = 0; k < 8; ++k) pairs.push_back({first + k, first + k + 1});
    pairs.insert(pairs.end(), {{first + 6, first + 1}, {first + 5, first + 2}, {first + 4, first + 3}});
    pairs.push_back({first + 1, first + 7});
  }
  return graph_of(8 * count + 1, pairs);
}

/// A chain whose end branches to many nodes that the entry reaches as well.
inline Graph chain_and_two_switches(size_t size) {
  Pairs pairs;
  uint32_t half = static_cast<uint32_t>(size / 2);
  for (uint32_t i = 0; i + 1 < half; ++i) pairs.push_back({i, i + 1});
  for (uint32_t i = half; i < size; ++i) {
    pairs.push_back({half - 1, i});
    pairs.push_back({0, i});
  }
  return graph_of(size, pairs);
}

/// A chain with an edge back to half the way from every node.
inline Graph chain_with_back_edges(size_t size) {
  Pairs pairs;
  for (uint32_t i = 0; i + 1 < size; ++i) {
    pairs.push_back({i, i + 1});
    pairs.push_back({i + 1, i / 2});
  }
  return graph_of(size, pairs);
}

inline Graph large_random(size_t size) {
  std::mt19937 random(3);
  auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  Pairs pairs;
  for (uint32_t i = 1; i < size; ++i) pairs.push_back({below(i), i});
  for (uint32_t i = 0; i < size; ++i) pairs.push_back({below(size), below(size)});
  return graph_of(size, pairs);
}

struct Shape {
  const char* name;
  Graph (*make)(size_t);
};
inline constexpr Shape large_shapes[] = {{"chain", chain},
                                         {"diamonds", diamonds},
                                         {"ladder", ladder},
                                         {"wide join", wide_join},
                                         {"nested loops", nested_loops},
                                         {"row of loops", loop_row},
                                         {"chain and two switches", chain_and_two_switches},
                                         {"chain with back edges", chain_with_back_edges},
                                         {"random", large_random}};

}  // namespace braid::flow
