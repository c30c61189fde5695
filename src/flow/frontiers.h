// Dominance frontiers: the nodes where the dominance of a node ends. Of each join, the path from a
// predecessor up to the join's immediate dominator has the join in its frontiers (K. D. Cooper, T. J. Harvey
// and K. Kennedy, A Simple, Fast Dominance Algorithm, 2001); a path that meets one already walked for the
// same join stops there. O(nodes + edges + size of the answer). The answer may be quadratic (do-while loops
// inside each other): for placing phis use flow/iterated_frontier.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/csr.h"
#include "flow/dominators.h"
#include "flow/graph.h"

namespace braid::flow {

/// How many entries all frontiers have together. Counting ends beyond `limit`, so that it costs O(nodes +
/// edges + limit).
uint64_t count_frontier_entries(const Graph& graph, const Dominators& dominators, uint64_t limit);

class Frontiers {
 public:
  Frontiers() = default;
  Frontiers(const Graph& graph, const Dominators& dominators);

  /// By number. A loop's header may be in its own frontier. Empty for unreachable nodes, which also are in
  /// none.
  std::span<const Node> of(Node n) const { return rows_.row(n); }
  const Csr<Node>& rows() const { return rows_; }

 private:
  Csr<Node> rows_;
};

}  // namespace braid::flow
