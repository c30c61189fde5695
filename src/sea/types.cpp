#include "sea/types.h"

#include "ir/int_range.h"
#include "ir/transfer.h"

namespace braid::sea {

using ir::Op;
using ir::TypeRule;

Type NodeTypes::compute(NodeId n) {
  const NodeOp op = graph_.op(n);
  if (has(op, of_two)) {
    NodeId left = graph_.input(n, 0), right = graph_.input(n, 1);
    return is_none(left) || is_none(right) ? graph_.type(n) : of_two_values(n, left, right);
  }
  if (is_table_op(op)) return of_table_op(n);
  switch (op) {
    case NodeOp::projection: return of_projection(n);
    case NodeOp::region: {
      for (uint32_t i = 0; i < graph_.input_count(n); ++i)
        if (is_none(graph_.input(n, i)) || is_reachable(graph_.input(n, i))) return control_type;
      return none;
    }
    case NodeOp::loop: return of(graph_.input(n, 0));  // whoever comes back has come in before
    case NodeOp::effect_entry: return of(graph_.input(n, 0)) == none ? none : graph_.type(n);
    case NodeOp::is_zero: return of_zero_test(n, of(graph_.input(n, 0)));
    default: return declared(n);
  }
}

Type NodeTypes::ask(NodeId n, Type left, Type right, size_t count) {
  const NodeOp op = graph_.op(n);
  const Type declared = graph_.type(n);
  uint32_t hash = (left.bits * 0x9e3779b1u ^ right.bits) * 0x85ebca6bu;
  hash ^= (static_cast<uint32_t>(op) << 5 ^ declared.bits) * 0xc2b2ae35u;
  Asked& asked = asked_[hash >> asked_shift_];
  if (asked.op == op && asked.declared == declared && asked.left == left && asked.right == right) return asked.answer;
  const Type both[] = {left, right};
  const Type answer = compute_operation(n, std::span(both, count));
  asked = {op, declared, left, right, answer};
  // Small programs do with few.
  if (asked_shift_ != least_asked_shift && ++asked_missed_ > 2 * asked_.size()) {
    asked_shift_ = least_asked_shift;
    asked_.assign(size_t{1} << (32 - asked_shift_), {});
  }
  return answer;
}

bool NodeTypes::narrow_further(NodeId n, Type type) {
  constexpr uint8_t most_steps = 8;
  const Type known = of(n);
  type = table().meet(type, known);
  if (type == known) return false;
  if (steps_.size() <= index(n)) steps_.resize(graph_.size() + size_t{64});
  // Constants and dead control are always news.
  if (steps_[index(n)] == most_steps && type != none && !table().as_constant(type)) return false;
  if (steps_[index(n)] < most_steps) ++steps_[index(n)];
  set(n, type);
  return true;
}

Type NodeTypes::of_truth(NodeId n, int64_t low, int64_t high) {
  std::optional<Kind> kind = table().single_kind(graph_.type(n));
  return kind && is_integer(*kind) ? table().int_range(*kind, low, high) : graph_.type(n);
}

Type NodeTypes::of_zero_test(NodeId n, Type type) {
  if (type == none) return none;
  std::optional<TypeConstant> value = table().as_constant(type);
  if (value && value->bits == 0) return of_truth(n, 1, 1);
  return of_truth(n, 0, excludes_zero(type) ? 0 : 1);
}

Type NodeTypes::of_projection(NodeId n) const {
  NodeId from = graph_.input(n, 0);
  if (of(from) == none) return none;
  const NodeOp op = graph_.op(from);
  if (op != Op::branch && op != Op::switch_) return graph_.type(n);
  NodeId condition = graph_.input(from, 1);
  if (of(condition) == none) return none;
  Maybe<uint32_t> way = known_way(from);
  return way && *way != graph_.payload(n) ? none : control_type;
}

Type NodeTypes::of_phi(NodeId n) {
  NodeId region = graph_.input(n, 0);
  const Type declared = graph_.type(n);
  if (!is_region(graph_.op(region)) || is_dead_control(graph_, region)) return none;
  Type type = none;
  if (declared == void_type) return of(region) == none ? none : void_type;  // an effect may have a value's type, too
  for (uint32_t i = 1; i < graph_.input_count(n); ++i) {
    NodeId value = graph_.input(n, i);
    if (is_none(value) || is_none(graph_.input(region, i - 1))) return declared;
    if (is_way_open(region, i - 1)) type = type == none ? of(value) : table().join(type, of(value));
    if (type == declared) return declared;
  }
  return as_declared(type, declared);
}

Type NodeTypes::as_declared(Type type, Type declared) const {
  const Type met = table().meet(type, declared);
  return met == none && type != none ? declared : met;
}

Type NodeTypes::of_values(NodeId n, uint32_t first) {
  inputs_.clear();
  for (uint32_t i = first; i < graph_.input_count(n); ++i) {
    NodeId value = graph_.input(n, i);
    if (is_none(value)) return graph_.type(n);
    inputs_.push_back(of(value));
  }
  return of_operation(n, inputs_);
}

/// What `ir::transfer` says of an op of two integers, without the type of one bit that a wide truth begins as.
Maybe<Type> NodeTypes::of_two_integers(NodeId n, Type left, Type right) {
  const NodeOp op = graph_.op(n);
  const std::optional<Kind> kind = table().single_kind(left), result = table().single_kind(graph_.type(n));
  if (!kind || !is_integer(*kind) || table().single_kind(right) != kind || !graph_.type(n).is_plain() || !result ||
      !is_integer(*result) || (!has(op, compares) && result != kind))
    return std::nullopt;
  const auto [a_low, a_high] = table().range(left, *kind);
  const auto [b_low, b_high] = table().range(right, *kind);
  const ir::IntRange range = ir::range_of(table_op(op), *kind, {a_low, a_high}, {b_low, b_high});
  return table().int_range(*result, range.low, range.high);
}

Type NodeTypes::compute_operation(NodeId n, std::span<const Type> inputs) {
  if (graph_.op(n) == NodeOp::is_zero) return of_zero_test(n, inputs[0]);
  if (has(graph_.op(n), of_two))
    if (Maybe<Type> type = of_two_integers(n, inputs[0], inputs[1])) return *type;
  const Op op = table_op(graph_.op(n));
  const Type declared = graph_.type(n);
  std::span<const uint32_t> words;
  const TypeRule rule = ir::info(op).rule;
  if (rule == TypeRule::extract || rule == TypeRule::intrinsic || rule == TypeRule::kind_test) words = graph_.words(n);
  if (!is_comparison(graph_.op(n)) || declared == i1) return ir::transfer(graph_.module(), op, words, declared, inputs);
  Type truth = ir::transfer(graph_.module(), op, words, i1, inputs);
  if (truth == none) return none;
  auto [low, high] = table().range(truth, Kind::i1);
  return of_truth(n, low, high);
}

Type NodeTypes::of_table_op(NodeId n) {
  const Op op = table_op(graph_.op(n));
  const Type declared = graph_.type(n);
  switch (ir::info(op).rule) {
    case TypeRule::phi: return of_phi(n);
    case TypeRule::phi_c: return of(graph_.input(n, 0)) == none ? none : declared;
    case TypeRule::save_state: return declared;
    default: break;
  }
  if (!stands_under_control(graph_, n)) return of_values(n, 0);
  NodeId control = graph_.input(n, 0);
  if (!is_none(control) && !is_reachable(control)) return none;
  const uint32_t first = first_value(graph_, n);
  if (splits_control(graph_.op(n)) || ends_function(graph_.op(n)) || first > graph_.input_count(n)) return declared;
  const Type type = of_values(n, first);
  if (type != none) return type;
  // What always throws has no value, but control comes to it. If its value could not be, neither could a branch behind
  // it go any way, and nothing would be left that ends in the throw.
  for (uint32_t i = first; i < graph_.input_count(n); ++i)
    if (!is_none(graph_.input(n, i)) && of(graph_.input(n, i)) == none) return none;
  return declared;
}

std::optional<TypeConstant> NodeTypes::constant(NodeId n, Type type) const {
  if (type.is_plain()) return std::nullopt;  // null alone is one, and no number
  std::optional<TypeConstant> value = table().as_constant(type);
  if (!value || !(is_integer(value->kind) || is_float(value->kind))) return std::nullopt;
  if (table().single_kind(graph_.type(n)) != value->kind) return std::nullopt;
  return value;
}

bool NodeTypes::is_truth(Type type) const {
  std::optional<Kind> kind = table().single_kind(type);
  if (!kind || !is_integer(*kind)) return false;
  auto [low, high] = table().range(type, *kind);
  return low >= 0 && high <= 1;
}

bool NodeTypes::excludes_zero(Type type) const {
  std::optional<Kind> kind = table().single_kind(type);
  if (!kind || !is_integer(*kind)) return false;
  auto [low, high] = table().range(type, *kind);
  return low > 0 || high < 0;
}

Maybe<uint32_t> NodeTypes::known_way(NodeId splitter) const {
  if (!graph_.is(splitter, Op::branch) && !graph_.is(splitter, Op::switch_)) return std::nullopt;
  Type type = of(graph_.input(splitter, 1));
  if (type.is_plain()) return std::nullopt;
  const std::optional<Kind> kind = table().single_kind(type);
  if (!kind || !is_integer(*kind)) return std::nullopt;
  auto [low, high] = table().range(type, *kind);
  if (low == high) return way_of(graph_, splitter, static_cast<uint64_t>(low));
  if (graph_.is(splitter, Op::branch) && (low > 0 || high < 0)) return 0;
  return std::nullopt;
}

}  // namespace braid::sea
