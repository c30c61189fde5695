#include "sea/sum_parts.h"

namespace braid::sea {

using ir::Op;

uint32_t sum_operands(const Graph& graph, NodeId n, std::array<SumOperand, 2>& all) {
  const NodeOp op = graph.op(n);
  const NodeId left = graph.input(n, 0);
  if (op == Op::neg || op == Op::not_) {
    all[0] = {left, ~uint64_t{0}};
    return 1;
  }
  const NodeId right = graph.input(n, 1);
  if (op == Op::add || op == Op::sub || is_comparison(op)) {
    all = {SumOperand{left, 1}, SumOperand{right, op == Op::add ? 1 : ~uint64_t{0}}};
    return 2;
  }
  const uint64_t number = graph.constant_value(right).bits;
  all[0] = {left, op == Op::mul ? number : uint64_t{1} << number};
  return 1;
}

NodeId find_negative(const Graph& graph, NodeId n) {
  if (graph.is(n, Op::neg)) return graph.input(n, 0);
  constexpr uint32_t most_uses = 16;
  NodeId found = no_node;
  uint32_t seen = 0;
  graph.for_each_use(n, [&](NodeId user, uint32_t) {
    if (graph.is(user, Op::neg)) found = user;
    return is_none(found) && ++seen < most_uses;
  });
  return found;
}

NodeId top_of_sum(const Graph& graph, NodeId n) {
  constexpr uint32_t most_climb = 8;
  for (uint32_t k = 0; k < most_climb && !graph.is_kept(n); ++k) {
    const NodeId user = graph.first_use(n).user;
    if (graph.has_one_use(n)) {
      if (!is_linear_sum(graph, user) || !graph.has_uses(user)) break;
      n = user;
      continue;
    }
    if (graph.last_use(n).user != user || !is_linear_sum(graph, user) || !graph.has_uses(user)) break;
    bool only = true;
    graph.for_each_use(n, [&](NodeId other, uint32_t) { return only = other == user; });
    if (!only) break;
    n = user;
  }
  return n;
}

}  // namespace braid::sea
