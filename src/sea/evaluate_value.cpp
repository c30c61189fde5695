// Values that need more than 64 bits and an instruction: wide ones, tuples, variables, what may be undefined.
#include "ir/eval_op.h"
#include "sea/effects.h"
#include "sea/evaluate.h"

namespace braid::sea {

using ir::Op;

Evaluator::Cell& Evaluator::cell(const uint64_t* slots, uint32_t slot) {
  size_t at = (static_cast<size_t>(slots - slots_.data()) + slot) / evaluate_slot_words;
  if (at >= cells_.size()) cells_.resize(std::max(slots_.size() / evaluate_slot_words, at + 1));
  return cells_[at];
}

/// The type of the `Value` that 64 bits of a type are.
Type Evaluator::scalar_type(const Graph& graph, Type type) {
  const TypeTable& types = graph.module().types;
  if (std::optional<Kind> kind = types.single_kind(type)) return of(*kind);
  return types.storage(type) == Storage::ref ? ref : type;
}

bool Evaluator::read(const Site& site, EvaluateOperand operand, Value& out) {
  if (!operand.is_wide()) {
    out = Value(scalar_type(site.graph(), operand.type), site.slots[operand.slot()]);
    return true;
  }
  const Cell& from = cell(site.slots, operand.slot());
  if (!from.is_defined) {
    stop(Evaluation::Kind::trap, site.node(), "use of undef");
    ended_.uses_undef = true;
    return false;
  }
  out = from.value;
  return true;
}

bool Evaluator::read_bits(const Site& site, EvaluateOperand operand, uint64_t& out) {
  if (!operand.is_wide()) {
    out = site.slots[operand.slot()];
    return true;
  }
  Value value;
  if (!read(site, operand, value)) return false;
  out = value.bits;
  return true;
}

/// A value in the form of a type. Whether it can have that form is what the program claims.
Evaluator::Flow Evaluator::write(const Site& site, uint32_t slot, bool is_wide, Type type, Value value) {
  if (!fits(site.graph().module().types, value, type))
    return stop(Evaluation::Kind::trap, site.node(), "a value is not of the type that it is known to be of");
  site.set(slot, value.bits);
  if (is_wide) cell(site.slots, slot) = {std::move(value), true};
  return Flow::next;
}

Evaluator::Flow Evaluator::write(const Site& site, Value value) {
  return write(site, site.at->to, site.operands().has_wide_result(), site.graph().type(site.node()), std::move(value));
}

Evaluator::Flow Evaluator::write_bits(const Site& site, uint64_t bits) {
  if (site.operands().has_wide_result())
    return write(site, Value(scalar_type(site.graph(), site.graph().type(site.node())), bits));
  site.set(site.at->to, bits);
  return Flow::next;
}

Evaluator::Flow Evaluator::copy(const Site& site) { return copy(site, Type{*site.operands().behind()}); }

/// What is undefined stays so.
Evaluator::Flow Evaluator::copy(const Site& site, Type type) {
  EvaluateOperands operands = site.operands();
  EvaluateOperand from = operands[0];
  if (from.is_wide() && operands.has_wide_result() && !cell(site.slots, from.slot()).is_defined) {
    cell(site.slots, site.at->to).is_defined = false;
    site.set(site.at->to, 0);
    return Flow::next;
  }
  Value value;
  if (!read(site, from, value)) return Flow::stop;
  return write(site, site.at->to, operands.has_wide_result(), type, std::move(value));
}

/// An op that has no instruction of its own, or not for these operands.
Evaluator::Flow Evaluator::evaluate(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  EvaluateOperands operands = site.operands();
  if (!is_table_op(graph.op(n))) {  // is_zero of what may be undefined
    uint64_t bits;
    return read_bits(site, operands[0], bits) ? write_bits(site, bits == 0) : Flow::stop;
  }
  Op op = table_op(graph.op(n));
  std::span<const uint32_t> words = graph.words(n);
  switch (ir::info(op).rule) {
    case ir::TypeRule::tuple: {
      Value value;
      value.type = tuple_type;
      value.elements.resize(operands.size());
      for (uint32_t i = 0; i < operands.size(); ++i)
        if (!read(site, operands[i], value.elements[i])) return Flow::stop;
      return write(site, std::move(value));
    }
    case ir::TypeRule::extract: {
      Value value;
      if (!read(site, operands[0], value)) return Flow::stop;
      if (words.empty() || words[0] >= value.elements.size())
        return stop(Evaluation::Kind::trap, n, "a tuple is not of the type that it is known to be of");
      return write(site, Value(value.elements[words[0]]));
    }
    case ir::TypeRule::select: {
      uint64_t condition;
      Value value;
      if (!read_bits(site, operands[0], condition) || !read(site, operands[condition != 0 ? 1 : 2], value))
        return Flow::stop;
      return write(site, std::move(value));
    }
    case ir::TypeRule::pi:
    case ir::TypeRule::same: return copy(site, graph.type(n));
    case ir::TypeRule::dynamic:
    case ir::TypeRule::kind_test:
    case ir::TypeRule::variant_make:
    case ir::TypeRule::variant_tag:
    case ir::TypeRule::variant_get: return evaluate_dynamic(site);
    case ir::TypeRule::overflow: return evaluate_overflow(site);
    case ir::TypeRule::func_addr:
      return write_bits(site, ir::Memory::function_address(static_cast<ir::FuncId>(words[0])));
    case ir::TypeRule::global_addr:
    case ir::TypeRule::load: return access_memory(site);
    case ir::TypeRule::get:
    case ir::TypeRule::is_defined: return evaluate_variable(site);
    case ir::TypeRule::intrinsic: return call_intrinsic(site);
    case ir::TypeRule::call: return call_out(site, static_cast<ir::FuncId>(words[0]), operands, 0);
    default: return evaluate_fold(site);
  }
}

Evaluator::Flow Evaluator::evaluate_fold(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  EvaluateOperands operands = site.operands();
  std::vector<uint64_t> bits(operands.size());
  for (uint32_t i = 0; i < operands.size(); ++i)
    if (!read_bits(site, operands[i], bits[i])) return Flow::stop;
  for (uint32_t word : graph.words(n)) bits.push_back(word);
  FoldKinds kinds = fold_kinds(graph, n);
  std::optional<uint64_t> answer;
  if (kinds.operand && kinds.result) answer = ir::fold(table_op(graph.op(n)), *kinds.operand, *kinds.result, bits);
  if (answer) return write_bits(site, *answer);
  return stop(Evaluation::Kind::not_evaluated, n,
              std::string(ir::info(table_op(graph.op(n))).text) + ": such values are not evaluated");
}

Evaluator::Flow Evaluator::evaluate_overflow(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  EvaluateOperands operands = site.operands();
  uint64_t bits[2] = {};
  for (uint32_t i = 0; i < 2; ++i)
    if (!read_bits(site, operands[i], bits[i])) return Flow::stop;
  std::optional<Kind> kind = graph.module().types.single_kind(operands[0].type);
  std::optional<ir::OverflowResult> answer;
  if (kind) answer = ir::fold_overflow(table_op(graph.op(n)), *kind, bits);
  if (!answer) return stop(Evaluation::Kind::trap, n, "use of a value that cannot exist");
  Value value;
  value.type = tuple_type;
  value.elements = {Value(of(*kind), answer->value), Value(answer->overflow)};
  return write(site, std::move(value));
}

/// A variable is undefined until it is set in this activation.
Evaluator::Flow Evaluator::evaluate_variable(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  Op op = table_op(graph.op(n));
  EvaluateOperands operands = site.operands();
  uint32_t slot = *operands.behind();
  uint64_t start = site.slots[site.code->start_region_slot() + 1];
  bool is_defined = site.slots[slot + 1] >= start && cell(site.slots, slot).is_defined;
  if (op == Op::is_defined) return write_bits(site, is_defined);
  if (op == Op::set) {
    EvaluateOperand from = operands[0];
    bool becomes_defined = !from.is_wide() || cell(site.slots, from.slot()).is_defined;
    Value value;
    if (becomes_defined && !read(site, from, value)) return Flow::stop;
    cell(site.slots, slot) = {std::move(value), becomes_defined};
    site.set(slot, 0);
    return Flow::next;
  }
  if (is_defined) return write(site, Value(cell(site.slots, slot).value));
  ir::VarId variable = static_cast<ir::VarId>(graph.words(n)[0]);
  const ir::Function* function = site.code->function();
  if (function == nullptr || index(variable) >= function->variables.size())
    return stop(Evaluation::Kind::not_evaluated, n, "get: the function of this variable is not known");
  const ir::Variable& declared = function->variables[variable];
  std::string name(graph.module().name(declared.name));
  switch (declared.undef) {
    case ir::UndefMeaning::throws: return raise(error_name(ir::ErrorKind::undefined), name);
    case ir::UndefMeaning::zero: return write(site, zero_of(graph, declared.type));
    default: return stop(Evaluation::Kind::trap, n, "undefined variable '" + name + "'");
  }
}

/// Numbers 0, references null, tuples of these, the first kind of a mixed type. Recursive over nested tuples only, whose
/// depth the type table bounds.
Value Evaluator::zero_of(const Graph& graph, Type type) {
  const TypeTable& types = graph.module().types;
  Storage storage = types.storage(type);
  if (storage == Storage::tuple) {
    Value value;
    value.type = tuple_type;
    if (types.has_elements(type))
      for (Type element : types.elements(type)) value.elements.push_back(zero_of(graph, element));
    return value;
  }
  if (storage != Storage::mixed) return Value(scalar_type(graph, type), 0);
  KindSet kinds = types.kinds(type);
  return Value(Type{kinds & (0u - kinds)}, 0);
}

}  // namespace braid::sea
