// What integer sums are made of: operations that are linear in one value each, and the sums that they stand in.
#pragma once

#include <array>
#include <cstdint>

#include "sea/graph.h"
#include "sea/layout.h"

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

/// A sum that is asked whether it is a number: of all comparisons, only these can do with another number on both sides.
inline bool is_sum_equation(const Graph& graph, NodeId n) {
  return (graph.is(n, ir::Op::eq) || graph.is(n, ir::Op::ne)) && graph.is_constant(graph.input(n, 1)) &&
         is_linear_sum(graph, graph.input(n, 0));
}

/// A value times a number, which a sum adds up.
struct SumOperand {
  NodeId value;
  uint64_t factor;
};
/// What a linear operation adds up, or what an equation says to be 0; returns how many there are.
uint32_t sum_operands(const Graph& graph, NodeId n, std::array<SumOperand, 2>& all);
inline Kind kind_of_sum(const Graph& graph, NodeId n) {
  const NodeId sum = is_comparison(graph.op(n)) ? graph.input(n, 0) : n;
  return *graph.module().types.single_kind(graph.type(sum));
}
/// The negative of a value, if that is there; it is not looked for among many uses.
NodeId find_negative(const Graph& graph, NodeId n);
/// The sum that it stands in, as far up as nothing else uses what is between.
NodeId top_of_sum(const Graph& graph, NodeId n);

}  // namespace braid::sea
