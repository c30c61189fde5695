// Which nodes take control and effect, which of their inputs these are, and which nodes are links of the chain of effects.
//
// What an op has to do with the chain, sea/effect_role.h decides; here a node is looked at as a whole: a call does what its callee
// declares, and what is known of one statement may make a link of it, or a read.
#pragma once

#include <cstdint>
#include <span>

#include "sea/effect_role.h"
#include "sea/graph.h"

namespace braid::sea {

/// The traits of a table op, with those that an intrinsic or an external declares; `words` are those of the
/// node.
ir::Traits declared_traits(const ir::Module& module, ir::Op op, std::span<const uint32_t> words);

/// The same, without what is known not to happen at one node.
ir::Traits traits_of(const Graph& graph, NodeId n);

/// Whether a call or intrinsic takes an effect: its callee says so.
bool callee_takes_effect(const Graph& graph, NodeId n);

/// Whether inputs 0 and 1 are control and effect. It depends on op and callee only, not on what is known of
/// one node.
inline bool takes_effect(const Graph& graph, NodeId n) {
  const NodeOp op = graph.op(n);
  if (op == ir::Op::call || op == ir::Op::intrinsic) return callee_takes_effect(graph, n);
  return has(op, takes_effects);
}

/// The number of the first input that is a value.
inline uint32_t first_value(const Graph& graph, NodeId n) {
  const NodeOp op = graph.op(n);
  if (op == ir::Op::phi_c) return 2;
  if (op == ir::Op::phi || op == ir::Op::pi || op == ir::Op::branch || op == ir::Op::switch_) return 1;
  return takes_effect(graph, n) ? 2 : 0;
}

/// Whether input `i` of `n` is an effect.
inline bool is_effect_input(const Graph& graph, NodeId n, uint32_t i) {
  if (graph.is(n, ir::Op::phi)) return i > 0 && graph.type(n) == void_type;
  return i == 1 && (graph.is(n, ir::Op::phi_c) || takes_effect(graph, n));
}

/// Whether `n` is a link of the chain. Whether a load or get can fail, and so must stay, was known when it was made:
/// one that can has control, and a get no flag that it cannot throw. O(1).
bool is_link(const Graph& graph, NodeId n);

/// What is known of a statement beyond its op (ir::StmtFlag), as the last of its words; there only where it
/// matters.
uint8_t statement_flags(const Graph& graph, NodeId n);

}  // namespace braid::sea
