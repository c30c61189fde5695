#include "infer/lower.h"

#include <bit>

#include "type/int_bounds.h"

namespace braid::infer {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;

// ---- pieces ----

Operand Lowering::insert(Op op, Type type, std::initializer_list<Operand> operands) {
  if (!is_none(head_)) return append(head_, op, type, operands);
  return f_.insert(ir::Function::before(at_), f_.make(op, type, operands, f_.loc(at_)));
}

Operand Lowering::append(BlockId b, Op op, Type type, std::initializer_list<Operand> operands) {
  return f_.append(b, f_.make(op, type, operands, f_.loc(at_)));
}

Lowering::Done Lowering::replace(Operand value) {
  f_.replace(at_, value);
  return Done::in_place;
}

Lowering::Done Lowering::become(Op op, Type type, std::initializer_list<Operand> operands) {
  f_.overwrite(at_, f_.make(op, type, operands, f_.loc(at_)));
  return Done::in_place;
}

bool Lowering::is_whole(Operand operand) const {
  constexpr KindSet whole = (null_type | i1 | i64).bits;
  std::optional<Kind> k = kind(operand);
  return k && (whole & kind_bit(*k)) != 0;
}

bool Lowering::is_number(Operand operand) const { return is_whole(operand) || kind(operand) == Kind::f64; }

std::pair<int64_t, int64_t> Lowering::range(Operand operand) const {
  std::optional<Kind> k = kind(operand);
  return k && is_integer(*k) ? table_.range(types_.of(operand), *k) : std::pair<int64_t, int64_t>{0, 0};
}

bool Lowering::may_be(Operand operand, int64_t value) const {
  auto [low, high] = range(operand);
  return low <= value && value <= high;
}

Operand Lowering::as_integer(Operand operand) {
  switch (*kind(operand)) {
    case Kind::null_: return integer(0);
    case Kind::i1: {
      auto [low, high] = range(operand);
      return insert(Op::zext, table_.int_range(Kind::i64, low, high), {operand});
    }
    default: return operand;
  }
}

Operand Lowering::as_float(Operand operand) {
  switch (*kind(operand)) {
    case Kind::null_: return f_.module().constants.get(f64, 0);
    case Kind::i1: return insert(Op::uitofp, f64, {operand});
    case Kind::i64: return insert(Op::sitofp, f64, {operand});
    default: return operand;
  }
}

Operand Lowering::as_truth(Operand operand) {
  switch (*kind(operand)) {
    case Kind::null_: return f_.module().constant(i1, 0);
    case Kind::i64: return insert(Op::ne, i1, {operand, integer(0)});
    case Kind::f64: return insert(Op::fne, i1, {operand, f_.module().constants.get(f64, 0)});
    default: return operand;
  }
}

void Lowering::split() {
  head_ = block_;
  block_ = f_.split_block(block_, at_);
}

template <typename Yes, typename No>
Lowering::Done Lowering::choose(Operand condition, Yes&& if_true, No&& if_false) {
  BlockId yes = f_.new_block(), no = f_.new_block();
  f_.branch(head_, condition, yes, no, f_.loc(at_));
  Operand first = if_true(yes);
  f_.jump(yes, block_, f_.loc(at_));
  Operand second = if_false(no);
  f_.jump(no, block_, f_.loc(at_));
  f_.overwrite(at_, f_.make(Op::phi, types_.of(at_), {first, second}, f_.loc(at_)));
  return Done::two_exits;
}

// ---- numbers ----

namespace {

struct Plain {
  Op integer, checked, real;
};
Plain plain_of(Op op) {
  switch (op) {
    case Op::dyn_add: return {Op::add, Op::sadd_overflow, Op::fadd};
    case Op::dyn_sub: return {Op::sub, Op::ssub_overflow, Op::fsub};
    default: return {Op::mul, Op::smul_overflow, Op::fmul};
  }
}

}  // namespace

Lowering::Done Lowering::arithmetic() {
  if (!is_number(a_) || !is_number(b_)) return Done::no;
  const Plain plain = plain_of(op_);
  const Type result = types_.of(at_);
  const KindSet kinds = table_.kinds(result);
  if (kinds == f64.bits) return become(plain.real, result, {as_float(a_), as_float(b_)});
  if (!is_whole(a_) || !is_whole(b_)) return Done::no;
  if (kinds != i64.bits) split();
  Operand a = as_integer(a_), b = as_integer(b_);
  if (kinds == i64.bits) return become(plain.integer, result, {a, b});
  Type elements[] = {i64, i1};
  Operand sum = insert(plain.checked, table_.tuple(elements), {a, b});
  Operand overflows = field(head_, sum, 1, i1);
  return choose(
      overflows,
      [&](BlockId wide) {
        Operand x = append(wide, Op::sitofp, f64, {a}), y = append(wide, Op::sitofp, f64, {b});
        return append(wide, plain.real, table_.only(result, f64.bits), {x, y});
      },
      [&](BlockId fits) { return field(fits, sum, 0, table_.only(result, i64.bits)); });
}

Lowering::Done Lowering::quotient() {
  if (!is_number(a_) || !is_number(b_) || types_.of(at_) == none) return Done::no;
  const Type result = types_.of(at_);
  const bool whole = is_whole(a_) && is_whole(b_) && (table_.kinds(result) & i64.bits) != 0;
  if (!whole) {
    Operand divisor = as_float(b_);
    if (rules_->division_by_zero_throws && may_be_zero(b_)) {
      Operand is_one = insert(Op::fne, i1, {divisor, f_.module().constants.get(f64, 0)});
      insert(Op::check_zero, i1, {is_one});
    }
    return become(Op::fdiv, result, {as_float(a_), divisor});
  }
  split();
  Operand a = as_integer(a_), b = as_integer(b_);
  if (may_be_zero(b_)) b = insert(Op::check_zero, i64, {b});
  Operand rest = insert(Op::srem, i64, {a, b});
  Operand exact = insert(Op::eq, i1, {rest, integer(0)});
  if (may_be(a_, int_min(Kind::i64)) && may_be(b_, -1)) {
    // The one quotient that is exact and does not fit.
    Operand least = insert(Op::ne, i1, {a, integer(int_min(Kind::i64))});
    Operand minus = insert(Op::ne, i1, {b, integer(-1)});
    exact = insert(Op::and_, i1, {exact, insert(Op::or_, i1, {least, minus})});
  }
  return choose(
      exact, [&](BlockId yes) { return append(yes, Op::sdiv, i64, {a, b}); },
      [&](BlockId no) {
        Operand x = append(no, Op::sitofp, f64, {a}), y = append(no, Op::sitofp, f64, {b});
        return append(no, Op::fdiv, f64, {x, y});
      });
}

bool Lowering::may_be_zero(Operand operand) const {
  if (is_whole(operand)) return kind(operand) == Kind::null_ || may_be(operand, 0);
  std::optional<uint64_t> known = table_.known_float(types_.of(operand), Kind::f64);
  return !known || std::bit_cast<double>(*known) == 0;
}

Lowering::Done Lowering::remainder() {
  if (!is_whole(a_) || !is_whole(b_) || types_.of(at_) == none) return Done::no;
  Operand a = as_integer(a_), b = as_integer(b_);
  if (may_be_zero(b_)) b = insert(Op::check_zero, i64, {b});
  return become(Op::srem, types_.of(at_), {a, b});
}

Lowering::Done Lowering::bitwise() {
  if (!is_whole(a_) || !is_whole(b_)) return Done::no;
  const Op plain = op_ == Op::dyn_and ? Op::and_ : op_ == Op::dyn_or ? Op::or_ : Op::xor_;
  Operand a = as_integer(a_), b = as_integer(b_);
  return become(plain, types_.of(at_), {a, b});
}

Lowering::Done Lowering::shift() {
  if (!is_whole(a_) || !is_whole(b_)) return Done::no;
  auto [low, high] = range(b_);
  if (low < 0 || high > 63) return Done::no;
  Operand a = as_integer(a_), b = as_integer(b_);
  return become(op_ == Op::dyn_shl ? Op::shl : Op::ashr, types_.of(at_), {a, b});
}

// ---- comparisons, truth, conversions ----

Lowering::Done Lowering::comparison() {
  if (!is_number(a_) || !is_number(b_)) return Done::no;
  const Type result = types_.of(at_);
  auto pick = [&](Op equal, Op less, Op less_or_equal) {
    return op_ == Op::dyn_eq ? equal : op_ == Op::dyn_lt ? less : less_or_equal;
  };
  auto is_truth = [&](Operand operand) { return kind(operand) == Kind::null_ || kind(operand) == Kind::i1; };
  if (is_truth(a_) || is_truth(b_)) {
    Operand a = as_truth(a_), b = as_truth(b_);
    return become(pick(Op::eq, Op::ult, Op::ule), result, {a, b});
  }
  if (kind(a_) == Kind::i64 && kind(b_) == Kind::i64) return become(pick(Op::eq, Op::slt, Op::sle), result, {a_, b_});
  Operand a = as_float(a_), b = as_float(b_);
  return become(pick(Op::feq, Op::flt, Op::fle), result, {a, b});
}

Lowering::Done Lowering::identity() {
  if (!is_number(a_) || kind(a_) != kind(b_)) return Done::no;
  return become(kind(a_) == Kind::f64 ? Op::feq : Op::eq, types_.of(at_), {a_, b_});
}

Lowering::Done Lowering::conversion() {
  if (op_ == Op::dyn_to_string) return kind(a_) == Kind::string ? replace(a_) : Done::no;
  if (!is_number(a_)) return Done::no;
  if (op_ == Op::dyn_to_float) return replace(as_float(a_));
  return is_whole(a_) ? replace(as_integer(a_)) : Done::no;
}

// ---- one statement ----

Operand Lowering::field(BlockId b, Operand tuple, uint32_t number, Type type) {
  uint32_t words[] = {tuple.word(), number};
  return f_.append(b, f_.make(Op::extract, type, words, f_.loc(at_)));
}

Lowering::Done Lowering::run(BlockId b, Ref r) {
  if (rules_ == nullptr) return Done::no;
  block_ = b;
  at_ = r;
  op_ = f_.op(r);
  head_ = none_id<BlockId>;
  a_ = f_.operand(r, 0);
  b_ = f_.operand_count(f_.stmt(r)) == 2 ? f_.operand(r, 1) : Operand::undef();
  switch (op_) {
    case Op::dyn_add:
    case Op::dyn_sub:
    case Op::dyn_mul: return arithmetic();
    case Op::dyn_div: return quotient();
    case Op::dyn_rem: return remainder();
    case Op::dyn_and:
    case Op::dyn_or:
    case Op::dyn_xor: return bitwise();
    case Op::dyn_shl:
    case Op::dyn_shr: return shift();
    case Op::dyn_not: return kind(a_) == Kind::i64 ? become(Op::not_, types_.of(at_), {a_}) : Done::no;
    case Op::dyn_eq:
    case Op::dyn_lt:
    case Op::dyn_le: return comparison();
    case Op::dyn_identical: return identity();
    case Op::dyn_truth: return is_number(a_) ? replace(as_truth(a_)) : Done::no;
    case Op::dyn_to_int:
    case Op::dyn_to_float:
    case Op::dyn_to_string: return conversion();
    default: return Done::no;
  }
}

}  // namespace braid::infer
