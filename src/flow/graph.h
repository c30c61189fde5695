// A directed graph with an entry, and nothing else: what the algorithms of this room work on. Both directions
// are held as compressed sparse rows. Parallel edges and self loops are legal and kept. O(nodes + edges) to
// build.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/csr.h"
#include "base/id.h"

namespace braid::flow {

enum class Node : uint32_t {};

struct Edge {
  Node from;
  Node to;

  bool operator==(const Edge&) const = default;
};

struct Graph {
  Csr<Node> successors;
  Csr<Node> predecessors;
  Node entry = none_id<Node>;

  size_t node_count() const { return successors.row_count(); }
  size_t edge_count() const { return successors.item_count(); }
  bool operator==(const Graph&) const = default;

  /// Successors and predecessors stand in the order of the edges.
  static Graph from_edges(size_t node_count, Node entry, std::span<const Edge> edges) {
    assert(node_count == 0 || index(entry) < node_count);
    Graph graph;
    graph.entry = entry;
    graph.successors.build_again(node_count, [&](auto&& emit) {
      for (const Edge& edge : edges) emit(index(edge.from), edge.to);
    });
    graph.predecessors.build_again(node_count, [&](auto&& emit) {
      for (const Edge& edge : edges) emit(index(edge.to), edge.from);
    });
    return graph;
  }

  /// For a caller with its own blocks: `visit(emit)` calls `emit(from, to)` for each edge; it is run twice,
  /// and nothing is copied between. Successors stand in the order of the calls, predecessors in the order of
  /// their numbers.
  template <class Visit>
  static Graph build(size_t node_count, Node entry, Visit&& visit) {
    assert(node_count == 0 || index(entry) < node_count);
    Graph graph;
    graph.entry = entry;
    graph.successors.build_again(
        node_count, [&](auto&& emit) { visit([&](Node from, Node to) { emit(index(from), to); }); });
    graph.predecessors.build_again(node_count, [&](auto&& emit) {
      for (uint32_t from = 0; from < node_count; ++from) {
        for (Node to : graph.successors.row(from)) emit(index(to), static_cast<Node>(from));
      }
    });
    return graph;
  }
};

/// The same graph with all edges turned round: dominators of it are postdominators. A caller with several
/// exits adds one node behind all of them first.
inline Graph reversed(const Graph& graph, Node entry) {
  return {graph.predecessors, graph.successors, entry};
}

}  // namespace braid::flow
