// What kind of node a node is: a place, a fork, an end, a computation that floats.
#pragma once

#include "ir/module.h"
#include "sea/effects.h"
#include "sea/graph.h"
#include "sea/op_class.h"

namespace braid::sea {

/// Control that nothing reaches: a region without ways in.
inline bool is_dead_control(const Graph& g, NodeId n) { return g.op(n) == NodeOp::region && g.input_count(n) == 0; }

/// Whether it has ways out that are projections.
inline bool splits_control(NodeOp op) {
  return op == ir::Op::branch || op == ir::Op::switch_ || op == ir::Op::enter || op == NodeOp::never;
}
/// Whether it ends the function and is an input of stop.
inline bool ends_function(NodeOp op) {
  return op == ir::Op::ret || op == ir::Op::throw_ || op == ir::Op::deopt || op == ir::Op::unreachable;
}
/// Whether input 0 is control that the node stands under; it may be none. Phis name their region there: another thing.
inline bool stands_under_control(const Graph& g, NodeId n) {
  NodeOp op = g.op(n);
  return op == ir::Op::pi || op == ir::Op::branch || op == ir::Op::switch_ || op == NodeOp::never || takes_effect(g, n);
}

/// It only computes: same inputs, same value, wherever it stands.
inline bool floats(const Graph& g, NodeId n) {
  const OpClass op = class_of(g.op(n));
  return (op & computes) != 0 || ((op & may_compute) != 0 && !takes_effect(g, n));
}

/// Its value is a truth; of type i1 in the table, of any integer type in a graph.
inline bool is_comparison(NodeOp op) { return has(op, compares); }

/// The way in which a branch or switch with this condition leaves; the payload of its projection.
inline uint32_t way_of(const Graph& g, NodeId splitter, uint64_t condition) {
  if (g.is(splitter, ir::Op::branch)) return condition != 0 ? 0 : 1;
  std::span<const uint32_t> cases = g.words(splitter);
  for (uint32_t k = 0; k < cases.size(); ++k)
    if (g.module().constants.value(ir::Operand::from_word(cases[k])).bits == condition) return k + 1;
  return 0;
}

}  // namespace braid::sea
