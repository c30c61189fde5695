// Liveness of variables, sparse: for each variable a backward walk from its exposed uses until its
// definitions (A. W. Appel and J. Palsberg, Modern Compiler Implementation, 2002, exercise of section 17.4;
// F. Brandner et al., Computing Liveness Sets for SSA-Form Programs, 2011, "by variable"). A variable costs
// the nodes where it is live, with their predecessors; there are no sets of nodes times variables. Iterative.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

enum class Variable : uint32_t {};

/// One variable at a time, without allocation: what placing phis needs. Keeps a reference to the graph.
class LiveWalk {
 public:
  explicit LiveWalk(const Graph& graph) : graph_(graph), mark_(graph.node_count(), 0) {}

  /// The nodes at whose start the variable is live, the exposed uses first; valid until the next call. An
  /// exposed use is a node that reads the variable before it defines it, if it does. O(uses + definitions +
  /// answer + edges into it).
  std::span<const Node> live_in(std::span<const Node> exposed_uses, std::span<const Node> definitions) {
    return live_in(exposed_uses, definitions, [](Node) { return true; });
  }
  /// The same among the nodes for which `within(node)` holds: the walk does not go beyond.
  template <class Within>
  std::span<const Node> live_in(std::span<const Node> exposed_uses, std::span<const Node> definitions, Within&& within) {
    return walk(exposed_uses, definitions, within, [](Node) { return none_id<Node>; });
  }
  /// The same without the nodes that the walk can do without: where `above(node)` is a dominator at whose end the variable has
  /// the value that it has at the start of the node, the walk goes on there.
  template <class Above>
  std::span<const Node> live_in_with_shortcuts(std::span<const Node> exposed_uses, std::span<const Node> definitions,
                                               Above&& above) {
    return walk(exposed_uses, definitions, [](Node) { return true; }, above);
  }

  /// Of the last variable asked for.
  bool is_live_in(Node n) const { return mark_[n] == round_ + 1; }

 private:
  template <class Within, class Above>
  std::span<const Node> walk(std::span<const Node> exposed_uses, std::span<const Node> definitions, Within&& within,
                             Above&& above) {
    begin(definitions);
    auto reach = [&](Node n) {
      if (!within(n)) return;
      mark_[n] = round_ + 1;
      live_.push_back(n);
    };
    for (Node n : exposed_uses)
      if (mark_[n] != round_ + 1) reach(n);
    for (size_t i = 0; i < live_.size(); ++i) {
      Node up = above(live_[i]);
      std::span<const Node> before = is_none(up) ? graph_.predecessors.row(live_[i]) : std::span<const Node>(&up, 1);
      for (Node from : before)
        if (mark_[from] < round_) reach(from);
    }
    return live_;
  }
  void begin(std::span<const Node> definitions);

  const Graph& graph_;
  IdMap<Node, uint32_t> mark_;  // `round_` at a definition, one more where the variable is live at the start
  uint32_t round_ = 0;          // even, two more for each variable
  std::vector<Node> live_;
};

/// Who does what to each variable: the rows are variables, repetitions do not matter.
struct Mentions {
  Csr<Node> exposed_uses;
  Csr<Node> definitions;

  size_t variable_count() const { return definitions.row_count(); }
};

/// How many nodes the lists of all variables have together. Counting ends with the variable that goes beyond
/// `limit`.
uint64_t count_live_nodes(const Graph& graph, const Mentions& mentions, uint64_t limit);

/// All variables. The memory is what the answers take: O(nodes + sum of the lists).
class Liveness {
 public:
  Liveness() = default;
  Liveness(const Graph& graph, const Mentions& mentions);

  /// The variables live at the start and at the end of a node, by number.
  std::span<const Variable> live_in(Node n) const { return live_in_.row(n); }
  std::span<const Variable> live_out(Node n) const {
    return is_none(only_successor_[n]) ? live_out_.row(n) : live_in_.row(only_successor_[n]);
  }
  /// The nodes at whose start the variable is live.
  std::span<const Node> nodes_of(Variable v) const {
    return std::span(nodes_).subspan(start_[v], start_[static_cast<Variable>(index(v) + 1)] - start_[v]);
  }

 private:
  IdMap<Variable, uint32_t> start_;  // in `nodes_`, and one more
  std::vector<Node> nodes_;
  Csr<Variable> live_in_;
  Csr<Variable> live_out_;               // of nodes that have several successors; the others live as their only one
  IdMap<Node, Node> only_successor_;     // or none
};

}  // namespace braid::flow
