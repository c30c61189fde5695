#include "sea/effects.h"

#include "ir/function.h"

namespace braid::sea {

using ir::Op;

namespace {

/// The words that the op table asks for, of an op whose number of them is fixed.
uint32_t fixed_word_count(Op op) {
  const ir::OpInfo& info = ir::info(op);
  uint32_t count = 0;
  for (uint32_t i = 0; i < info.fixed_count; ++i)
    if (info.fixed[i] != ir::OperandKind::value && info.fixed[i] != ir::OperandKind::block) ++count;
  return count;
}

}  // namespace

ir::Traits declared_traits(const ir::Module& module, Op op, std::span<const uint32_t> words) {
  if (op == Op::intrinsic) {
    ir::IntrinsicId callee = static_cast<ir::IntrinsicId>(words[0]);
    return module.intrinsics.contains(callee) ? module.intrinsics[callee].traits : ir::any_effect;
  }
  if (op == Op::call) {
    ir::FuncId callee = static_cast<ir::FuncId>(words[0]);
    if (module.has_function(callee) && module.function(callee).is_external())
      return module.function(callee).external_traits;
  }
  return ir::info(op).traits;
}

ir::Traits traits_of(const Graph& graph, NodeId n) {
  const ir::Traits traits = declared_traits(graph.module(), table_op(graph.op(n)), graph.words(n));
  return (statement_flags(graph, n) & ir::cannot_throw) != 0 ? traits & ~ir::throws : traits;
}

bool callee_takes_effect(const Graph& graph, NodeId n) {
  const Op op = table_op(graph.op(n));
  return effect_role(op, declared_traits(graph.module(), op, graph.words(n))) != EffectRole::none;
}

bool is_link(const Graph& graph, NodeId n) {
  NodeOp op = graph.op(n);
  if (op == NodeOp::start || op == NodeOp::effect_entry) return true;
  if (!is_table_op(op) || has(op, computes)) return false;
  if (op == Op::phi) return graph.type(n) == void_type;
  if (op == Op::load) return !is_none(graph.input(n, 0));
  if (op == Op::get) return !is_none(graph.input(n, 0)) && (statement_flags(graph, n) & ir::cannot_throw) == 0;
  if (op == Op::branch || op == Op::switch_) return false;
  return effect_role(table_op(op), traits_of(graph, n)) == EffectRole::changes;
}

uint8_t statement_flags(const Graph& graph, NodeId n) {
  if (!is_table_op(graph.op(n))) return 0;
  Op op = table_op(graph.op(n));
  std::span<const uint32_t> words = graph.words(n);
  if (words.empty() || op == Op::save_state || op == Op::switch_) return 0;
  return words.size() > fixed_word_count(op) ? static_cast<uint8_t>(words.back()) : 0;
}

}  // namespace braid::sea
