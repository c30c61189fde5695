// Peephole simplification of one operation by the rewrite rules (src/rules/*.rules), which rulec has
// compiled.
//
// Any form of a program can be simplified that offers a view of its values: linear SSA, the sea of nodes, a
// builder. Rules look at the inputs of an operation and at their inputs, no deeper than the longest pattern,
// so that a call costs O(1); one that finds nothing allocates nothing and makes no virtual call.
#pragma once

#include <braid/type.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include "base/maybe.h"
#include "ir/eval_op.h"
#include "ir/op.h"
#include "rules/constants.h"
#include "rules/rule.h"

namespace braid::rules {

/// How a form of a program shows its values to the rules.
///
///   Value                    a small type that names a value; copied freely
///   op(v)                    the operation that gives the value, if it is a statement with value inputs that a
///                            pattern can look at; `Op::nothing` for all else (parameters, constants, phis, ...)
///   kind(v)                  its kind. A reference of several kinds is `ref`; a value that is kept as a variant
///                            is `void_`
///   input(v, i)              its value inputs, by their place among all operands, as the op table counts them
///   inputs<count>(v)         the first of them, at once, as an array; a view may do without
///   immediate(v)             the immediate of `extract` and `ptr_index`
///   constant_of(v)           its canonical bits, if it is a constant
///   same(a, b)               whether they are known to be the same value; no more than equality of names is
///                            expected
///   once(v)                  whether this value may be given up: it has one use. `false` is always right
///   make(op, kind, inputs)   a new operation, or one like it that is already there. Of `kind` tuple for
///                            operations that report overflow. It may simplify what it makes
///   constant(kind, bits)     a constant, `bits` canonical
template <typename V>
concept View = requires(V& view, const V& known, typename V::Value v, ir::Op op, Kind kind,
                        std::span<const typename V::Value> inputs) {
  { known.op(v) } -> std::same_as<ir::Op>;
  { known.kind(v) } -> std::same_as<Kind>;
  { known.input(v, uint32_t{0}) } -> std::same_as<typename V::Value>;
  { known.immediate(v) } -> std::same_as<uint64_t>;
  { known.constant_of(v) } -> std::same_as<Maybe<uint64_t>>;
  { known.same(v, v) } -> std::same_as<bool>;
  { known.once(v) } -> std::same_as<bool>;
  { view.make(op, kind, inputs) } -> std::same_as<typename V::Value>;
  { view.constant(kind, uint64_t{0}) } -> std::same_as<typename V::Value>;
};

namespace compiled {

template <typename V, typename... Inputs>
typename V::Value make(V& view, Op op, Kind kind, Inputs... inputs) {
  const std::array<typename V::Value, sizeof...(inputs)> all{inputs...};
  return view.make(op, kind, std::span<const typename V::Value>(all));
}

/// The first inputs of a value. Patterns look at all of them: one question is cheaper than several.
template <size_t count, typename V>
std::array<typename V::Value, count> inputs_of(const V& view, typename V::Value v) {
  if constexpr (requires { view.template inputs<count>(v); }) {
    return view.template inputs<count>(v);
  } else {
    std::array<typename V::Value, count> all;
    for (size_t i = 0; i < count; ++i) all[i] = view.input(v, static_cast<uint32_t>(i));
    return all;
  }
}

template <typename V, typename... Bits>
Maybe<typename V::Value> fold_constants(V& view, Op op, Kind from, Kind to, RuleId& fired, Bits... bits) {
  const std::array<uint64_t, sizeof...(bits)> all{bits...};
  std::optional<uint64_t> answer = ir::fold(op, from, to, all);
  if (!answer) return std::nullopt;
  fired = RuleId::fold;
  return view.constant(to, *answer);
}

/// Operations that no pattern begins with are folded all the same.
template <typename V, typename Value = typename V::Value>
Maybe<Value> fold_any(V& view, Op op, Kind kind, std::span<const Value> inputs, RuleId& fired) {
  if (inputs.empty() || inputs.size() > 2) return std::nullopt;
  Maybe<uint64_t> first = view.constant_of(inputs[0]);
  if (!first) return std::nullopt;
  if (inputs.size() == 1) return fold_constants(view, op, view.kind(inputs[0]), kind, fired, *first);
  Maybe<uint64_t> second = view.constant_of(inputs[1]);
  if (!second) return std::nullopt;
  return fold_constants(view, op, view.kind(inputs[0]), kind, fired, *first, *second);
}

#include "rules/rule_matcher.inc"

/// A field of a tuple of values, and of an operation that reports overflow on constants.
template <typename V, typename Value = typename V::Value>
Maybe<Value> field(V& view, Kind kind, Value tuple, uint64_t number, RuleId& fired) {
  const Op op = view.op(tuple);
  if (op == Op::tuple) {
    fired = RuleId::field_of_tuple;
    return view.input(tuple, static_cast<uint32_t>(number));
  }
  if (op == Op::nothing || ir::info(op).rule != TypeRule::overflow) return std::nullopt;
  const Value a = view.input(tuple, 0), b = view.input(tuple, 1);
  const Maybe<uint64_t> x = view.constant_of(a), y = view.constant_of(b);
  if (!x || !y) return std::nullopt;
  const uint64_t words[] = {*x, *y};
  const std::optional<ir::OverflowResult> answer = ir::fold_overflow(op, view.kind(a), words);
  if (!answer || number > 1) return std::nullopt;
  fired = RuleId::fold_overflow;
  return view.constant(kind, number == 0 ? answer->value : uint64_t{answer->overflow});
}

}  // namespace compiled

/// Whether `simplify` may be asked about an operation: pure, of one to three value inputs, or values and an
/// immediate.
inline bool can_simplify(ir::Op op) {
  switch (ir::info(op).rule) {
    case TypeRule::int_binary:
    case TypeRule::int_unary:
    case TypeRule::overflow:
    case TypeRule::float_binary:
    case TypeRule::float_unary:
    case TypeRule::equality:
    case TypeRule::signed_compare:
    case TypeRule::unsigned_compare:
    case TypeRule::float_compare:
    case TypeRule::int_narrow:
    case TypeRule::int_extend:
    case TypeRule::int_to_float:
    case TypeRule::float_to_int:
    case TypeRule::float_extend:
    case TypeRule::float_narrow:
    case TypeRule::bitcast:
    case TypeRule::ptr_to_int:
    case TypeRule::int_to_ptr:
    case TypeRule::select:
    case TypeRule::extract:
    case TypeRule::ptr_add:
    case TypeRule::ptr_diff: return true;
    default: return false;
  }
}

/// What a pure operation with these value inputs can be replaced by, if a rule or folding applies: a value
/// that is there, a constant, or what `view.make` has made. `kind` is that of its result (tuple for those
/// that report overflow), `immediate` that of `extract` and `ptr_index`. One step; whoever wants a fixpoint
/// asks again for what it got. `fired`, if given, says which rule it was. Only for what `can_simplify`. O(1).
template <View V>
[[gnu::always_inline]] inline Maybe<typename V::Value> simplify(
    V& view, ir::Op op, Kind kind, std::span<const typename V::Value> inputs, uint64_t immediate = 0,
    RuleId* fired = nullptr) {
  RuleId rule = RuleId::none;
  Maybe<typename V::Value> made;
  if (op == Op::extract) made = compiled::field(view, kind, inputs[0], immediate, rule);
  if (!made) made = compiled::match(view, op, kind, inputs, immediate, rule);
  if (fired != nullptr) *fired = rule;
  return made;
}

}  // namespace braid::rules
