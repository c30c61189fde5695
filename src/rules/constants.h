// What the compiled rules compute with constants, in canonical bits (ir/bits.h). Operations ask the evaluator
// of ops.
#pragma once

#include <braid/type.h>

#include <cstdint>

#include "ir/bits.h"
#include "ir/eval_op.h"

namespace braid::rules {

using ir::Op;
using ir::TypeRule;

constexpr bool is_one_of(Kind kind, KindSet set) { return (kind_bit(kind) & set) != 0; }

constexpr uint64_t literal(Kind kind, int64_t value) {
  return ir::canonical(kind, static_cast<uint64_t>(value));
}

/// `bits` are those of the number as f64; it is exact as f32.
inline uint64_t real_literal(Kind kind, uint64_t bits) {
  return kind == Kind::f32 ? ir::bits_of(static_cast<float>(ir::as_float<double>(bits))) : bits;
}

/// Of kinds that are no numbers, as if of 64 bits.
constexpr uint64_t min_signed(Kind kind) {
  const int width = bit_width(kind);
  return ir::canonical(kind, uint64_t{1} << (width == 0 ? 63 : width - 1));
}
constexpr uint64_t max_signed(Kind kind) { return ir::canonical(kind, ~min_signed(kind)); }

/// The inverse of an odd number, by Newton's iteration: each step doubles the bits that are right.
constexpr uint64_t inverse(Kind kind, uint64_t odd) {
  uint64_t x = odd;  // three bits are right
  for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
  return ir::canonical(kind, x);
}

/// Calls `f.template operator()<Width>()`; kinds of 64 bits that are no integers count as such.
template <typename F>
constexpr uint64_t at_width(Kind kind, F&& f) {
  switch (kind) {
    case Kind::i1: return f.template operator()<1>();
    case Kind::i8: return f.template operator()<8>();
    case Kind::i16: return f.template operator()<16>();
    case Kind::i32: return f.template operator()<32>();
    default: return f.template operator()<64>();
  }
}

/// One operation on constants whose kinds fit it.
template <Op op>
uint64_t compute(Kind from, Kind to, uint64_t a, uint64_t b) {
  if constexpr (op == Op::eq || op == Op::ne || op == Op::ult || op == Op::ule || op == Op::ugt ||
                op == Op::uge) {
    return ir::eval_int_compare<op>(a, b);
  } else if constexpr (op == Op::slt || op == Op::sle || op == Op::sgt || op == Op::sge) {
    return at_width(from, [&]<int W>() { return uint64_t{ir::eval_int_compare<op, W>(a, b)}; });
  } else if constexpr (op == Op::fdiv) {
    return to == Kind::f32 ? ir::eval_float_binary<op, float>(a, b) : ir::eval_float_binary<op, double>(a, b);
  } else {
    return at_width(to, [&]<int W>() { return ir::eval_int_binary<op, W>(a, b); });
  }
}
template <Op op>
uint64_t compute(Kind from, Kind to, uint64_t a) {
  if constexpr (op == Op::trunc)
    return ir::canonical(to, a);
  else if constexpr (op == Op::zext)
    return at_width(from, [&]<int W>() { return ir::eval_zext<W>(a); });
  else if constexpr (op == Op::sext)
    return at_width(from, [&]<int W>() { return ir::eval_sext<W>(a); });
  else
    return at_width(to, [&]<int W>() { return ir::eval_int_unary<op, W>(a); });
}

/// Float arithmetic answers one NaN; what only moves bits does not.
constexpr bool makes_canonical_nan(Op op) {
  switch (op) {
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::frem:
    case Op::fmin:
    case Op::fmax:
    case Op::fsqrt:
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::sitofp:
    case Op::uitofp:
    case Op::fpext:
    case Op::fptrunc: return true;
    default: return false;
  }
}

}  // namespace braid::rules
