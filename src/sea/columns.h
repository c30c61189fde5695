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
/// What such a value is on that way in.
std::optional<uint64_t> value_on_way(const Graph& graph, NodeId n, uint32_t way);

}  // namespace braid::sea
