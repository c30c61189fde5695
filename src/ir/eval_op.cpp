// Dispatch of `fold`: from the op to its rule's template, from kinds to widths. The ops come from the table.
#include "ir/eval_op.h"

namespace braid::ir {
namespace {

using Answer = std::optional<uint64_t>;
using Operands = std::span<const uint64_t>;

/// Calls `f.template operator()<Width>()` for an integer kind.
template <typename F>
auto with_width(Kind kind, F&& f) -> decltype(f.template operator()<64>()) {
  switch (kind) {
    case Kind::i1: return f.template operator()<1>();
    case Kind::i8: return f.template operator()<8>();
    case Kind::i16: return f.template operator()<16>();
    case Kind::i32: return f.template operator()<32>();
    case Kind::i64: return f.template operator()<64>();
    default: return std::nullopt;
  }
}

template <typename F>
Answer with_float(Kind kind, F&& f) {
  if (kind == Kind::f32) return f.template operator()<float>();
  if (kind == Kind::f64) return f.template operator()<double>();
  return std::nullopt;
}

bool is_reference(Kind kind) {
  return kind == Kind::null_ || kind == Kind::string || kind == Kind::array || kind == Kind::object || kind == Kind::ref;
}

template <Op op>
Answer fold_int_binary(Kind kind, Kind, Operands v) {
  return with_width(kind, [&]<int W>() -> Answer { return eval_int_binary<op, W>(v[0], v[1]); });
}
template <Op op>
Answer fold_int_unary(Kind kind, Kind, Operands v) {
  return with_width(kind, [&]<int W>() -> Answer { return eval_int_unary<op, W>(v[0]); });
}
template <Op op>
Answer fold_float_binary(Kind kind, Kind, Operands v) {
  return with_float(kind, [&]<typename F>() -> Answer { return eval_float_binary<op, F>(v[0], v[1]); });
}
template <Op op>
Answer fold_float_unary(Kind kind, Kind, Operands v) {
  return with_float(kind, [&]<typename F>() -> Answer { return eval_float_unary<op, F>(v[0]); });
}
template <Op op>
Answer fold_float_compare(Kind kind, Kind, Operands v) {
  return with_float(kind, [&]<typename F>() -> Answer { return eval_float_compare<op, F>(v[0], v[1]); });
}
template <Op op>
Answer fold_signed_compare(Kind kind, Kind, Operands v) {
  return with_width(kind, [&]<int W>() -> Answer { return eval_int_compare<op, W>(v[0], v[1]); });
}
template <Op op>
Answer fold_unsigned_compare(Kind kind, Kind, Operands v) {
  if (!is_integer(kind) && kind != Kind::ptr) return std::nullopt;
  return eval_int_compare<op>(v[0], v[1]);
}
template <Op op>
Answer fold_equality(Kind kind, Kind, Operands v) {
  if (!is_integer(kind) && kind != Kind::ptr && !is_reference(kind)) return std::nullopt;
  return eval_int_compare<op>(v[0], v[1]);
}
template <Op op>
Answer fold_int_narrow(Kind from, Kind to, Operands v) {
  if (!is_integer(from) || bit_width(to) >= bit_width(from)) return std::nullopt;
  return with_width(to, [&]<int W>() -> Answer { return canonical_int<W>(v[0]); });
}
template <Op op>
Answer fold_int_extend(Kind from, Kind to, Operands v) {
  if (!is_integer(to) || bit_width(to) <= bit_width(from)) return std::nullopt;
  return with_width(from, [&]<int W>() -> Answer { return op == Op::zext ? eval_zext<W>(v[0]) : eval_sext<W>(v[0]); });
}
template <Op op>
Answer fold_int_to_float(Kind from, Kind to, Operands v) {
  return with_float(to, [&]<typename F>() -> Answer {
    return with_width(from, [&]<int W>() -> Answer { return eval_int_to_float<op, W, F>(v[0]); });
  });
}
template <Op op>
Answer fold_float_to_int(Kind from, Kind to, Operands v) {
  return with_float(from, [&]<typename F>() -> Answer {
    return with_width(to, [&]<int W>() -> Answer { return eval_float_to_int<op, F, W>(v[0]); });
  });
}
template <Op op>
Answer fold_float_extend(Kind from, Kind to, Operands v) {
  if (from != Kind::f32 || to != Kind::f64) return std::nullopt;
  return eval_fpext(v[0]);
}
template <Op op>
Answer fold_float_narrow(Kind from, Kind to, Operands v) {
  if (from != Kind::f64 || to != Kind::f32) return std::nullopt;
  return eval_fptrunc(v[0]);
}
template <Op op>
Answer fold_bitcast(Kind from, Kind to, Operands v) {
  if (bit_width(from) == 0 || bit_width(from) != bit_width(to)) return std::nullopt;
  return canonical(to, v[0]);
}
template <Op op>
Answer fold_ptr_to_int(Kind from, Kind to, Operands v) {
  if (from != Kind::ptr || to != Kind::i64) return std::nullopt;
  return v[0];
}
template <Op op>
Answer fold_int_to_ptr(Kind from, Kind to, Operands v) {
  if (from != Kind::i64 || to != Kind::ptr) return std::nullopt;
  return v[0];
}
template <Op op>
Answer fold_select(Kind, Kind, Operands v) {
  return v[0] != 0 ? v[1] : v[2];
}
template <Op op>
Answer fold_ptr_add(Kind, Kind, Operands v) {
  return eval_ptr_index(v[0], v[1], op == Op::ptr_index ? v[2] : 1);
}
template <Op op>
Answer fold_ptr_diff(Kind, Kind, Operands v) {
  return v[0] - v[1];
}

/// The table has one fold function per rule; rules that are no pure scalar operations have none.
template <TypeRule rule, Op op>
constexpr auto pick() -> Answer (*)(Kind, Kind, Operands) {
  if constexpr (rule == TypeRule::int_binary) return fold_int_binary<op>;
  else if constexpr (rule == TypeRule::int_unary) return fold_int_unary<op>;
  else if constexpr (rule == TypeRule::float_binary) return fold_float_binary<op>;
  else if constexpr (rule == TypeRule::float_unary) return fold_float_unary<op>;
  else if constexpr (rule == TypeRule::float_compare) return fold_float_compare<op>;
  else if constexpr (rule == TypeRule::signed_compare) return fold_signed_compare<op>;
  else if constexpr (rule == TypeRule::unsigned_compare) return fold_unsigned_compare<op>;
  else if constexpr (rule == TypeRule::equality) return fold_equality<op>;
  else if constexpr (rule == TypeRule::int_narrow) return fold_int_narrow<op>;
  else if constexpr (rule == TypeRule::int_extend) return fold_int_extend<op>;
  else if constexpr (rule == TypeRule::int_to_float) return fold_int_to_float<op>;
  else if constexpr (rule == TypeRule::float_to_int) return fold_float_to_int<op>;
  else if constexpr (rule == TypeRule::float_extend) return fold_float_extend<op>;
  else if constexpr (rule == TypeRule::float_narrow) return fold_float_narrow<op>;
  else if constexpr (rule == TypeRule::bitcast) return fold_bitcast<op>;
  else if constexpr (rule == TypeRule::ptr_to_int) return fold_ptr_to_int<op>;
  else if constexpr (rule == TypeRule::int_to_ptr) return fold_int_to_ptr<op>;
  else if constexpr (rule == TypeRule::select) return fold_select<op>;
  else if constexpr (rule == TypeRule::ptr_add) return fold_ptr_add<op>;
  else if constexpr (rule == TypeRule::ptr_diff) return fold_ptr_diff<op>;
  else return nullptr;
}

constexpr Answer (*fold_table[op_count])(Kind, Kind, Operands) = {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) pick<TypeRule::rule, Op::id>(),
#include "ir/ops.def"
#undef OP
#undef SECTION
};

using OverflowAnswer = std::optional<OverflowResult>;

template <Op op>
OverflowAnswer fold_overflow_op(Kind kind, Operands v) {
  return with_width(kind, [&]<int W>() -> OverflowAnswer { return eval_overflow<op, W>(v[0], v[1]); });
}

template <TypeRule rule, Op op>
constexpr auto pick_overflow() -> OverflowAnswer (*)(Kind, Operands) {
  if constexpr (rule == TypeRule::overflow) return fold_overflow_op<op>;
  else return nullptr;
}

constexpr OverflowAnswer (*overflow_table[op_count])(Kind, Operands) = {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) pick_overflow<TypeRule::rule, Op::id>(),
#include "ir/ops.def"
#undef OP
#undef SECTION
};

}  // namespace

std::optional<uint64_t> fold(Op op, Kind operand_kind, Kind result_kind, std::span<const uint64_t> operands) {
  auto* evaluate = fold_table[static_cast<unsigned>(op)];
  if (evaluate == nullptr || !info(op).arity_ok(static_cast<uint32_t>(operands.size()))) return std::nullopt;
  return evaluate(operand_kind, result_kind, operands);
}

std::optional<OverflowResult> fold_overflow(Op op, Kind operand_kind, std::span<const uint64_t> operands) {
  auto* evaluate = overflow_table[static_cast<unsigned>(op)];
  if (evaluate == nullptr || operands.size() != 2) return std::nullopt;
  return evaluate(operand_kind, operands);
}

}  // namespace braid::ir
