// Which sums are worth to be looked at by sea/linear_sums.h. Asked of many, so it is cheap; O(1).
#pragma once

#include "sea/graph.h"
#include "sea/rewriter.h"
#include "sea/sum_parts.h"

namespace braid::sea {

/// Of a sum that was left alone since others use this part of it: false if taking it apart would only make more of it. Cheap.
inline bool is_worth_a_look(const Graph& graph, NodeId sum, NodeId part) {
  if (!is_sum_op(graph.op(sum)) || !is_linear_sum(graph, part)) return false;
  if (!graph.is(sum, ir::Op::add) || !graph.is(part, ir::Op::add) || graph.is_constant(graph.input(part, 1))) return true;
  uint32_t uses = 0;
  graph.for_each_use(part, [&](NodeId, uint32_t) { return ++uses < 3; });
  return uses == 3;
}

/// Whether a part that others use, taken apart, has something to join. `n` is a linear sum.
bool is_promising_sum(const Graph& graph, const Rewriter& rewriter, NodeId n);

}  // namespace braid::sea
