#include "sea/columns.h"

#include <array>

#include "ir/eval_op.h"
#include "sea/layout.h"

namespace braid::sea {

std::optional<uint64_t> fold_operation(const Graph& graph, NodeId n, std::span<const uint64_t> operands) {
  if (graph.op(n) == NodeOp::is_zero) return operands[0] == 0 ? 1 : 0;
  const TypeTable& types = graph.module().types;
  const std::optional<Kind> from = types.single_kind(graph.type(graph.input(n, 0))), to = types.single_kind(graph.type(n));
  if (!from || !to) return std::nullopt;
  return ir::fold(table_op(graph.op(n)), *from, is_comparison(graph.op(n)) ? Kind::i1 : *to, operands);
}

NodeId region_of_columns(const Graph& graph, const Rewriter& rewriter, NodeId n) {
  if (graph.is(n, ir::Op::phi)) return rewriter.is_phi_of_constants(n) ? graph.input(n, 0) : no_node;
  const uint32_t count = graph.input_count(n);
  if (count == 0 || count > 2) return no_node;
  NodeId region = no_node;
  for (uint32_t i = 0; i < count; ++i) {
    const NodeId input = graph.input(n, i);
    if (is_none(input)) return no_node;
    if (graph.is_constant(input)) continue;
    if (!graph.is(input, ir::Op::phi) || !rewriter.is_phi_of_constants(input)) return no_node;
    if (!is_none(region) && graph.input(input, 0) != region) return no_node;
    region = graph.input(input, 0);
  }
  const bool is_plain = floats(graph, n) && graph.payload(n) == 0;
  return is_plain && !is_none(region) ? region : no_node;
}

std::optional<uint64_t> value_on_way(const Graph& graph, NodeId n, uint32_t way) {
  if (graph.is_constant(n)) return graph.constant_value(n).bits;
  if (graph.is(n, ir::Op::phi)) return graph.constant_value(graph.input(n, way + 1)).bits;
  std::array<uint64_t, 2> bits{};
  for (uint32_t i = 0; i < graph.input_count(n); ++i) {
    const NodeId input = graph.input(n, i);
    bits[i] = graph.constant_value(graph.is_constant(input) ? input : graph.input(input, way + 1)).bits;
  }
  return fold_operation(graph, n, std::span(bits.data(), graph.input_count(n)));
}

}  // namespace braid::sea
