// Control dependence (J. Ferrante, K. J. Ottenstein and J. D. Warren, The Program Dependence Graph and Its
// Use in Optimization, 1987): a node depends on an edge if taking the edge means that the node will be
// reached, and not taking it may mean that it will not. For the edge a -> b these are the nodes from b up to
// the immediate post-dominator of a in the post-dominator tree. O(nodes + edges + size of the answer); the
// answer may be quadratic.
//
// Endless loops are taken to be left as flow/post_dominators.h says; the edges to the virtual exit are no
// edges of the graph and are not listed.
#pragma once

#include <cstdint>
#include <span>

#include "base/csr.h"
#include "flow/graph.h"
#include "flow/post_dominators.h"

namespace braid::flow {

struct Dependence {
  Node branch;
  uint32_t edge;  // position in `graph.successors.items()`

  bool operator==(const Dependence&) const = default;
};

/// How many entries all nodes have together. Counting ends beyond `limit`, so that it costs O(nodes + edges +
/// limit).
uint64_t count_dependences(const Graph& graph, const PostDominators& post_dominators, uint64_t limit);

class ControlDependence {
 public:
  ControlDependence() = default;
  ControlDependence(const Graph& graph, const PostDominators& post_dominators);

  /// The edges that `n` depends on, by their positions. Parallel edges count each for itself.
  std::span<const Dependence> of(Node n) const { return rows_.row(n); }
  const Csr<Dependence>& rows() const { return rows_; }

 private:
  Csr<Dependence> rows_;
};

}  // namespace braid::flow
