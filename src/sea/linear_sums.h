// Integer sums in linear normal form: c1*x1 + ... + cn*xn + C, where that leaves fewer nodes.
//
// The rules of src/rules take a sum apart only where nobody else uses its parts. A part that is used twice, by one sum in the end
// or by several, is left alone by each of them, though all together would do without it. So from the top of a sum, through
// operations that are linear in one value each (sums, differences, multiples by a number), all is brought together, and put
// together anew in the way that needs the fewest nodes: each part that others use is taken apart or not, multiples are
// made over multiples that are there, pairs of terms that several sums have are added once (sea/sum_plan.h). What dies is counted to
// the node. Where a part stands in several sums and nowhere else, they are all done at once.
//
// Each rewrite leaves fewer nodes, so it ends. O(1) per node that is asked about: everything here has a limit.
#pragma once

#include <functional>
#include <span>

#include "sea/graph.h"
#include "sea/rewriter.h"

namespace braid::sea {

constexpr bool is_sum_op(NodeOp op) {
  return op == ir::Op::add || op == ir::Op::sub || op == ir::Op::neg || op == ir::Op::mul || op == ir::Op::shl ||
         op == ir::Op::not_;
}
/// A sum or difference of integers, a multiple by a number, or a complement, which is one less than the negative.
inline bool is_linear_sum(const Graph& graph, NodeId n) {
  const Node& x = graph.node(n);
  if (!is_sum_op(x.op)) return false;
  if (x.type != i64) {
    const KindSet kinds = graph.module().types.kinds(x.type);
    constexpr KindSet integers = (i8 | i16 | i32 | i64).bits;
    if ((kinds & integers) != kinds || (kinds & (kinds - 1)) != 0) return false;
  }
  if (is_none(x.slot[0].def)) return false;
  if (x.shape == 1) return true;
  const NodeId right = x.slot[1].def;
  if (is_none(right) || x.op == ir::Op::add || x.op == ir::Op::sub) return !is_none(right);
  if (!graph.is_constant(right) || graph.is_constant(x.slot[0].def)) return false;
  const int width = bit_width(*graph.module().types.single_kind(x.type));
  return x.op == ir::Op::mul || graph.constant_value(right).bits < static_cast<uint64_t>(width);
}

/// Of a sum that was left alone since others use this part of it: false if taking it apart would only make more of it. Cheap.
inline bool is_worth_a_look(const Graph& graph, NodeId sum, NodeId part) {
  if (!is_sum_op(graph.op(sum)) || !is_linear_sum(graph, part)) return false;
  if (!graph.is(sum, ir::Op::add) || !graph.is(part, ir::Op::add) || graph.is_constant(graph.input(part, 1))) return true;
  uint32_t uses = 0;
  graph.for_each_use(part, [&](NodeId, uint32_t) { return ++uses < 3; });
  return uses == 3;
}

/// From these nodes, tops or parts of sums; some may be dead by now. `counts_constants`: they are nodes like others. `done` says
/// whether to go on.
void make_linear_sums(Graph& graph, const Rewriter& rewriter, std::span<const NodeId> candidates, bool counts_constants,
                      const std::function<bool(Rewrite, NodeId)>& done);

}  // namespace braid::sea
