// What can be reached from the entry while edges are removed. Each reachable node is held by one edge from a
// reachable node; only when that edge goes must the node look for another one, and an edge that was passed
// over once is dead for good. Edges whose target dominates their source hold nobody, and what they do not
// connect stays in one topological order; so in a reducible graph nothing can hold itself, and all removals
// together cost O(nodes * log nodes + edges). Where nodes remain strongly connected without such edges
// (irreducible loops), a node of the component that loses its edge makes the whole component be searched from
// its entries again and split: O(edges of the component) each time. Removing an edge that holds nobody is
// O(1) always.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bit_set.h"
#include "base/csr.h"
#include "base/id_map.h"
#include "flow/dominators.h"
#include "flow/graph.h"
#include "flow/strong_components.h"

namespace braid::flow {

/// Keeps a reference to the graph, which stays as it is. An edge is its position in
/// `graph.successors.items()`.
class Reachability {
 public:
  static constexpr uint32_t no_edge = 0xffffffffu;

  Reachability(const Graph& graph, const Dominators& dominators);

  bool is_reachable(Node n) const { return alive_.test(n); }
  bool unreachable(Node n) const { return !alive_.test(n); }
  /// Neither removed nor out of a dead node.
  bool is_live(uint32_t edge) const { return !dead_edges_.test(edge); }
  /// A live edge, or `no_edge`. O(successors of `from`).
  uint32_t find_edge(Node from, Node to) const;

  /// Removes an edge; nothing happens if it is dead already.
  void remove_edge(uint32_t edge);
  /// What died by the last removal: nodes in topological order, and the edges out of them into nodes that
  /// live. The removed edge itself is not among them.
  std::span<const Node> newly_dead() const { return newly_dead_; }
  std::span<const uint32_t> killed_edges() const { return killed_; }

  /// The same with callbacks: `on_node(node)` for each newly dead node, then `on_edge(edge)`.
  template <class OnNode, class OnEdge>
  void remove_edge(uint32_t edge, OnNode&& on_node, OnEdge&& on_edge) {
    remove_edge(edge);
    for (Node n : newly_dead_) on_node(n);
    for (uint32_t killed : killed_) on_edge(killed);
  }

  /// Two live nodes have the same number exactly when each can be reached from the other along live edges,
  /// without those whose target dominated their source in the beginning. O(1), after a removal inside of the
  /// component O(its edges).
  uint32_t component(Node n);

 private:
  struct Component {
    uint32_t first;  // in `order_`
    uint32_t size;
    bool has_changed;  // an edge inside was removed
  };

  void hold_all();
  void orphan(Node n);
  void settle(Node n);
  void settle_component(uint32_t component);
  void split(uint32_t component);
  void place(std::span<const Node> nodes, uint32_t first);
  void kill(Node n);

  const Graph& graph_;
  IdMap<Node, uint32_t> component_;
  std::vector<Component> components_;
  std::vector<Node> order_;  // components in topological order
  StrongComponents search_;

  BitSet back_edges_;  // the target dominated the source in the beginning
  BitSet dead_edges_;
  std::vector<Node> from_;  // by edge
  Csr<uint32_t> incoming_;  // by node: the edges that are not back edges
  IdSet<Node> alive_;
  IdMap<Node, uint32_t> held_by_;  // an edge
  IdMap<Node, uint32_t> passed_;   // by node: how many of its incoming edges are dead for good

  std::vector<uint32_t> waiting_;  // positions in `order_` of components with orphans; a heap
  std::vector<Node> work_;
  std::vector<Node> newly_dead_;
  std::vector<uint32_t> killed_;
};

}  // namespace braid::flow
