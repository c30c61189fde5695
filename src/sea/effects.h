// What nodes with control and effect inputs do to the chain of effects: the one place that decides it.
//
// There is one chain. What must not vanish when nobody uses its value stands in it, as does what is new each
// time it is made: so that no two are taken for one. What only reads hangs on the chain and may float between
// two links of it. Which links end what it sees, sea/alias_classes.h says.
#pragma once

#include <array>
#include <cstdint>

#include "sea/graph.h"

namespace braid::sea {

enum class EffectRole : uint8_t {
  none,     ///< takes no effect: floats
  reads,    ///< takes an effect and is none
  changes,  ///< takes an effect and is the next one
};

/// The role of an op with these traits. An upsilon writes what its handler reads, whatever the table says.
constexpr EffectRole effect_role(ir::Op op, ir::Traits traits) {
  constexpr ir::Traits reads = ir::reads_memory | ir::reads_variable | ir::reads_exception;
  if (op == ir::Op::upsilon || (traits & (ir::keeps_alive | ir::identity)) != 0) return EffectRole::changes;
  if (op == ir::Op::save_state || (traits & reads) != 0) return EffectRole::reads;
  return EffectRole::none;
}

/// The traits of a table op, with those that an intrinsic or an external declares; `words` are those of the
/// node.
ir::Traits declared_traits(const ir::Module& module, ir::Op op, std::span<const uint32_t> words);

/// By op of the table: whether it takes an effect. What only its callee says is left to `callee_takes_effect`.
inline constexpr std::array<bool, ir::op_count> effect_takers = [] {
  using namespace ir;
  std::array<bool, ir::op_count> takers{};
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) \
  takers[static_cast<size_t>(ir::Op::id)] = effect_role(ir::Op::id, traits) != EffectRole::none;
#include "ir/ops.def"
#undef OP
#undef SECTION
  takers[static_cast<size_t>(ir::Op::branch)] = takers[static_cast<size_t>(ir::Op::switch_)] = false;
  return takers;
}();
bool callee_takes_effect(const Graph& graph, NodeId n);

/// Whether inputs 0 and 1 are control and effect. It depends on op and callee only, not on what is known of
/// one node.
inline bool takes_effect(const Graph& graph, NodeId n) {
  const NodeOp op = graph.op(n);
  if (!is_table_op(op)) return false;
  if (op == ir::Op::call || op == ir::Op::intrinsic) return callee_takes_effect(graph, n);
  return effect_takers[static_cast<size_t>(op)];
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
/// a load that can has control, a get that can has something hanging on it. O(uses) for a get, otherwise O(1).
bool is_link(const Graph& graph, NodeId n);

/// What is known of a statement beyond its op (ir::StmtFlag), as the last of its words; there only where it
/// matters.
uint8_t statement_flags(const Graph& graph, NodeId n);

}  // namespace braid::sea
