// Values that hang on the way into one region only: phis of constants, and operations on them.
#pragma once

#include <optional>
#include <span>

#include "sea/graph.h"
#include "sea/rewriter.h"

namespace braid::sea {

/// What a floating operation with one or two operands gives for these; none if that is not known.
std::optional<uint64_t> fold_operation(const Graph& graph, NodeId n, std::span<const uint64_t> operands);

/// The region on which a phi of constants hangs, or one operation on such phis and constants; none if it is neither.
NodeId region_of_columns(const Graph& graph, const Rewriter& rewriter, NodeId n);
/// Quickly: false only if there is none.
inline bool may_have_columns(const Graph& graph, NodeId n) {
  if (graph.is(n, ir::Op::phi)) return true;
  const uint32_t count = graph.input_count(n);
  auto is_phi = [&](uint32_t i) { return !is_none(graph.input(n, i)) && graph.is(graph.input(n, i), ir::Op::phi); };
  return (count == 1 && is_phi(0)) || (count == 2 && (is_phi(0) || is_phi(1)));
}
/// What such a value is on that way in.
std::optional<uint64_t> value_on_way(const Graph& graph, NodeId n, uint32_t way);

}  // namespace braid::sea
