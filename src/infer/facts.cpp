#include "infer/facts.h"

#include <algorithm>

#include "ir/transfer.h"
#include "type/int_bounds.h"

namespace braid::infer {

using ir::Op;
using ir::Operand;

namespace {

constexpr KindSet open_references = (array_type | object_type | ref).bits;
constexpr KindSet references = open_references | (null_type | string_type).bits;

}  // namespace

Type Facts::type_of(Operand operand) const { return ir::value_type(f_, operand); }

void Facts::add(Operand value, Type narrowed, std::vector<Fact>& out) {
  if (!value.is_stmt() && !value.is_param()) return;
  const Type known = type_of(value);
  narrowed = table_.meet(known, narrowed);
  if (narrowed != known && narrowed != none) out.push_back({value, narrowed});
}

void Facts::collect(Operand condition, bool outcome, std::vector<Fact>& out) {
  steps_.assign(1, {condition, outcome});
  for (size_t at = 0; at < steps_.size() && at < most_steps; ++at) look_at(steps_[at], out);
}

void Facts::look_at(const Step& step, std::vector<Fact>& out) {
  const Operand condition = f_.resolve(step.condition);
  if (!condition.is_stmt()) return add(condition, table_.int_constant(Kind::i1, step.outcome), out);
  add(condition, table_.int_constant(Kind::i1, step.outcome), out);
  const ir::Stmt s = f_.stmt(condition);
  auto operand = [&](uint32_t i) { return f_.resolve(f_.operand(s, i)); };
  const bool outcome = step.outcome;
  switch (s.op) {
    case Op::not_: steps_.push_back({operand(0), !outcome}); return;
    case Op::and_:
    case Op::or_:
      // Both are true where `and` is, both are false where `or` is.
      if (outcome == (s.op == Op::and_)) {
        steps_.push_back({operand(0), outcome});
        steps_.push_back({operand(1), outcome});
      }
      return;
    case Op::is: return of_kind_test(operand(0), table_.kinds(Type{f_.arg(s, 1)}), outcome, out);
    case Op::eq:
    case Op::ne:
    case Op::slt:
    case Op::sle:
    case Op::sgt:
    case Op::sge: {
      // A true i1 is -1 to signed comparisons: not worth it.
      const KindSet kinds = table_.kinds(type_of(operand(0))) | table_.kinds(type_of(operand(1)));
      if ((kinds & ~references) == 0 && (s.op == Op::eq || s.op == Op::ne))
        return of_identity(operand(0), operand(1), outcome == (s.op == Op::eq), out);
      if ((kinds & i1.bits) != 0) return;
      return of_order(outcome ? s.op : *ir::opposite_comparison(s.op), operand(0), operand(1), out);
    }
    case Op::dyn_lt:
    case Op::dyn_le: {
      const Op less = s.op == Op::dyn_lt ? Op::slt : Op::sle;
      // Only of integers compared with integers something is said, and of these one is less or it is not.
      return of_order(outcome ? less : *ir::opposite_comparison(less), operand(0), operand(1), out);
    }
    case Op::dyn_identical: return of_identity(operand(0), operand(1), outcome, out);
    case Op::dyn_truth: return of_truth(operand(0), outcome, out);
    default: return;
  }
}

void Facts::of_kind_test(Operand value, KindSet tested, bool outcome, std::vector<Fact>& out) {
  const Type known = type_of(value);
  const KindSet kinds = table_.kinds(known);
  // A reference of an open kind may be null, or a string: tests of reference kinds say nothing of it.
  const bool is_open = (kinds & open_references) != 0;
  if (outcome) {
    KindSet kept = tested & kinds;
    if (is_open && (tested & references) != 0) kept |= kinds & references;
    return add(value, table_.only(known, kept), out);
  }
  KindSet gone = tested;
  if (is_open) gone &= ~references;
  add(value, table_.without(known, gone), out);
}

void Facts::of_order(Op op, Operand a, Operand b, std::vector<Fact>& out) {
  // Of each side: what the other one, an integer of a known kind and range, leaves of its integers.
  auto narrow = [&](Op relation, Operand value, Operand other) {
    std::optional<Kind> kind = table_.single_kind(type_of(other));
    const Type known = type_of(value);
    if (!kind || !is_integer(*kind) || *kind == Kind::i1 || (table_.kinds(known) & kind_bit(*kind)) == 0) return;
    auto [low, high] = table_.range(known, *kind);
    auto [other_low, other_high] = table_.range(type_of(other), *kind);
    const bool is_only = table_.single_kind(known) == *kind;
    switch (relation) {
      case Op::slt: if (other_high == int_min(*kind)) return; high = std::min(high, other_high - 1); break;
      case Op::sle: high = std::min(high, other_high); break;
      case Op::sgt: if (other_low == int_max(*kind)) return; low = std::max(low, other_low + 1); break;
      case Op::sge: low = std::max(low, other_low); break;
      case Op::eq:
        if (!is_only) return;
        low = std::max(low, other_low);
        high = std::min(high, other_high);
        break;
      default:
        if (!is_only || other_low != other_high) return;
        if (low == other_low) ++low;
        else if (high == other_high) --high;
    }
    if (low > high) return;  // impossible: inference will find out
    add(value, table_.join(table_.int_range(*kind, low, high), table_.without(known, kind_bit(*kind))), out);
  };
  narrow(op, a, b);
  narrow(ir::swapped_comparison(op), b, a);
}

void Facts::of_identity(Operand a, Operand b, bool outcome, std::vector<Fact>& out) {
  auto narrow = [&](Operand value, Operand other) {
    const Type known = type_of(value), same = type_of(other);
    const KindSet kinds = table_.kinds(known);
    if ((kinds & open_references) != 0 || (table_.kinds(same) & open_references) != 0) return;
    if (outcome) {
      // Two floats may be equal and have different bits.
      KindSet common = table_.kinds(same) & kinds;
      Type type = table_.without(same, f64.bits | string_type.bits);
      return add(value, table_.only(table_.join(type, Type{common & (f64 | string_type).bits}), common), out);
    }
    if (same == null_type) add(value, table_.without(known, null_type.bits), out);
  };
  narrow(a, b);
  narrow(b, a);
}

void Facts::of_truth(Operand value, bool outcome, std::vector<Fact>& out) {
  const Type known = type_of(value);
  if ((table_.kinds(known) & open_references) != 0) return;
  Type narrowed = known;
  auto only_value = [&](Kind kind, int64_t value) {
    if ((table_.kinds(known) & kind_bit(kind)) == 0) return;
    const Type left = table_.meet(table_.only(known, kind_bit(kind)), table_.int_constant(kind, value));
    narrowed = table_.join(table_.without(narrowed, kind_bit(kind)), left);
  };
  only_value(Kind::i1, outcome);
  if (outcome) narrowed = table_.without(narrowed, null_type.bits);
  else only_value(Kind::i64, 0);
  add(value, narrowed, out);
}

}  // namespace braid::infer
