// The meaning of pure operations: the one place. Interpreter, constant folder, type transfer, SCCP and the sea evaluator ask it.
//
// Words go in and come out in canonical form (ir/bits.h). Everything is total. The templates are what an engine compiles
// into its handlers, one per op and width; `fold` picks the right one for kinds that are only known at run time.
#pragma once

#include <braid/type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "ir/bits.h"
#include "ir/op.h"

namespace braid::ir {

__extension__ using WideSigned = __int128;
__extension__ using WideUnsigned = unsigned __int128;

// ---- integers ----

template <int Width>
inline constexpr int64_t signed_min = Width == 1 ? -1 : static_cast<int64_t>(uint64_t{1} << 63) >> (64 - Width);
template <int Width>
inline constexpr int64_t signed_max = -(signed_min<Width> + 1);
template <int Width>
inline constexpr uint64_t unsigned_max = Width == 64 ? ~uint64_t{0} : (uint64_t{1} << (Width % 64)) - 1;

template <Op op, int Width>
constexpr uint64_t eval_int_binary(uint64_t a, uint64_t b) {
  const int64_t sa = as_signed<Width>(a), sb = as_signed<Width>(b);
  const uint64_t ua = as_unsigned<Width>(a), ub = as_unsigned<Width>(b);
  [[maybe_unused]] const unsigned count = static_cast<unsigned>(b) & (Width - 1);
  uint64_t r = 0;
  if constexpr (op == Op::add) r = a + b;
  else if constexpr (op == Op::sub) r = a - b;
  else if constexpr (op == Op::mul) r = a * b;
  else if constexpr (op == Op::sdiv) r = sb == 0 ? 0 : sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
  else if constexpr (op == Op::udiv) r = ub == 0 ? 0 : ua / ub;
  else if constexpr (op == Op::srem) r = sb == 0 || sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
  else if constexpr (op == Op::urem) r = ub == 0 ? 0 : ua % ub;
  else if constexpr (op == Op::smulh) r = static_cast<uint64_t>((WideSigned{sa} * sb) >> Width);
  else if constexpr (op == Op::umulh) r = static_cast<uint64_t>((WideUnsigned{ua} * ub) >> Width);
  else if constexpr (op == Op::and_) r = a & b;
  else if constexpr (op == Op::or_) r = a | b;
  else if constexpr (op == Op::xor_) r = a ^ b;
  else if constexpr (op == Op::shl) r = a << count;
  else if constexpr (op == Op::lshr) r = ua >> count;
  else if constexpr (op == Op::ashr) r = static_cast<uint64_t>(sa >> count);
  else if constexpr (op == Op::rotl) r = ua << count | ua >> ((Width - count) & (Width - 1));
  else if constexpr (op == Op::rotr) r = ua >> count | ua << ((Width - count) & (Width - 1));
  else if constexpr (op == Op::smin) r = sa < sb ? a : b;
  else if constexpr (op == Op::smax) r = sa > sb ? a : b;
  else if constexpr (op == Op::umin) r = ua < ub ? a : b;
  else if constexpr (op == Op::umax) r = ua > ub ? a : b;
  else static_assert(op == Op::add, "not a binary integer op");
  return canonical_int<Width>(r);
}

template <Op op, int Width>
constexpr uint64_t eval_int_unary(uint64_t a) {
  [[maybe_unused]] const uint64_t u = as_unsigned<Width>(a);
  uint64_t r = 0;
  if constexpr (op == Op::neg) r = 0 - a;
  else if constexpr (op == Op::not_) r = ~a;
  else if constexpr (op == Op::clz) r = static_cast<uint64_t>(std::countl_zero(u)) - (64 - Width);
  else if constexpr (op == Op::ctz) r = std::min<uint64_t>(static_cast<uint64_t>(std::countr_zero(u)), Width);
  else if constexpr (op == Op::popcount) r = static_cast<uint64_t>(std::popcount(u));
  else if constexpr (op == Op::bswap) {
    if constexpr (Width <= 8) r = a;
    else r = __builtin_bswap64(u) >> (64 - Width);
  }
  else static_assert(op == Op::neg, "not a unary integer op");
  return canonical_int<Width>(r);
}

struct OverflowResult {
  uint64_t value;
  bool overflow;
};

template <Op op, int Width>
constexpr OverflowResult eval_overflow(uint64_t a, uint64_t b) {
  constexpr bool is_signed = op == Op::sadd_overflow || op == Op::ssub_overflow || op == Op::smul_overflow;
  using Word = std::conditional_t<is_signed, int64_t, uint64_t>;
  Word x, y, r = 0;
  if constexpr (is_signed) {
    x = as_signed<Width>(a);
    y = as_signed<Width>(b);
  } else {
    x = as_unsigned<Width>(a);
    y = as_unsigned<Width>(b);
  }
  bool wide;
  if constexpr (op == Op::sadd_overflow || op == Op::uadd_overflow) wide = __builtin_add_overflow(x, y, &r);
  else if constexpr (op == Op::ssub_overflow || op == Op::usub_overflow) wide = __builtin_sub_overflow(x, y, &r);
  else wide = __builtin_mul_overflow(x, y, &r);
  if constexpr (Width < 64) {
    if constexpr (is_signed) wide = r < signed_min<Width> || r > signed_max<Width>;
    else wide = r > unsigned_max<Width>;
  }
  return {canonical_int<Width>(static_cast<uint64_t>(r)), wide};
}

/// Sign extension keeps the unsigned order, so that only signed comparisons of i1 look at the width.
template <Op op, int Width = 64>
constexpr bool eval_int_compare(uint64_t a, uint64_t b) {
  [[maybe_unused]] const int64_t sa = as_signed<Width>(a), sb = as_signed<Width>(b);
  if constexpr (op == Op::eq) return a == b;
  else if constexpr (op == Op::ne) return a != b;
  else if constexpr (op == Op::slt) return sa < sb;
  else if constexpr (op == Op::sle) return sa <= sb;
  else if constexpr (op == Op::sgt) return sa > sb;
  else if constexpr (op == Op::sge) return sa >= sb;
  else if constexpr (op == Op::ult) return a < b;
  else if constexpr (op == Op::ule) return a <= b;
  else if constexpr (op == Op::ugt) return a > b;
  else {
    static_assert(op == Op::uge, "not an integer comparison");
    return a >= b;
  }
}

// ---- floats ----

template <typename Float>
inline constexpr uint64_t sign_bit = uint64_t{1} << (sizeof(Float) * 8 - 1);

/// NaN if either is NaN; -0 < +0.
template <bool want_less, typename Float>
Float float_extreme(Float a, Float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) == want_less ? a : b;
  return (a < b) == want_less ? a : b;
}

template <Op op, typename Float>
uint64_t eval_float_binary(uint64_t a, uint64_t b) {
  [[maybe_unused]] const Float x = as_float<Float>(a), y = as_float<Float>(b);
  if constexpr (op == Op::fadd) return arithmetic_bits(x + y);
  else if constexpr (op == Op::fsub) return arithmetic_bits(x - y);
  else if constexpr (op == Op::fmul) return arithmetic_bits(x * y);
  else if constexpr (op == Op::fdiv) return arithmetic_bits(x / y);
  else if constexpr (op == Op::frem) return arithmetic_bits(std::fmod(x, y));
  else if constexpr (op == Op::fmin) return arithmetic_bits(float_extreme<true>(x, y));
  else if constexpr (op == Op::fmax) return arithmetic_bits(float_extreme<false>(x, y));
  else {
    static_assert(op == Op::fcopysign, "not a binary float op");
    return (a & ~sign_bit<Float>) | (b & sign_bit<Float>);
  }
}

template <Op op, typename Float>
uint64_t eval_float_unary(uint64_t a) {
  [[maybe_unused]] const Float x = as_float<Float>(a);
  if constexpr (op == Op::fneg) return a ^ sign_bit<Float>;
  else if constexpr (op == Op::fabs) return a & ~sign_bit<Float>;
  else if constexpr (op == Op::fsqrt) return arithmetic_bits(std::sqrt(x));
  else if constexpr (op == Op::ffloor) return arithmetic_bits(std::floor(x));
  else if constexpr (op == Op::fceil) return arithmetic_bits(std::ceil(x));
  else if constexpr (op == Op::ftrunc) return arithmetic_bits(std::trunc(x));
  else {
    static_assert(op == Op::fround, "not a unary float op");
    return arithmetic_bits(std::nearbyint(x));
  }
}

template <Op op, typename Float>
constexpr bool eval_float_compare(uint64_t a, uint64_t b) {
  const Float x = as_float<Float>(a), y = as_float<Float>(b);
  if constexpr (op == Op::feq) return x == y;
  else if constexpr (op == Op::fne) return x != y;
  else if constexpr (op == Op::flt) return x < y;
  else if constexpr (op == Op::fle) return x <= y;
  else if constexpr (op == Op::fgt) return x > y;
  else {
    static_assert(op == Op::fge, "not a float comparison");
    return x >= y;
  }
}

// ---- conversions ----

template <int From>
constexpr uint64_t eval_zext(uint64_t a) {
  return as_unsigned<From>(a);  // narrower than its result, so that it is canonical there
}
template <int From>
constexpr uint64_t eval_sext(uint64_t a) {
  return static_cast<uint64_t>(as_signed<From>(a));
}
template <Op op, int From, typename Float>
constexpr uint64_t eval_int_to_float(uint64_t a) {
  static_assert(op == Op::sitofp || op == Op::uitofp);
  if constexpr (op == Op::sitofp) return bits_of(static_cast<Float>(as_signed<From>(a)));
  else return bits_of(static_cast<Float>(as_unsigned<From>(a)));
}
template <Op op, typename Float, int To>
constexpr uint64_t eval_float_to_int(uint64_t a) {
  static_assert(op == Op::fptosi || op == Op::fptoui);
  const double x = as_float<Float>(a);
  if (x != x) return 0;
  if constexpr (op == Op::fptosi) {
    constexpr double bound = -static_cast<double>(signed_min<To>);  // a power of two: exact
    if (x >= bound) return canonical_int<To>(static_cast<uint64_t>(signed_max<To>));
    if (x <= -bound) return canonical_int<To>(static_cast<uint64_t>(signed_min<To>));
    return canonical_int<To>(static_cast<uint64_t>(static_cast<int64_t>(x)));
  } else {
    constexpr double bound = 2.0 * static_cast<double>(uint64_t{1} << (To - 1));
    if (x >= bound) return canonical_int<To>(unsigned_max<To>);
    if (x <= 0) return 0;
    return canonical_int<To>(static_cast<uint64_t>(x));
  }
}
constexpr uint64_t eval_fpext(uint64_t a) { return arithmetic_bits(static_cast<double>(as_float<float>(a))); }
constexpr uint64_t eval_fptrunc(uint64_t a) { return arithmetic_bits(static_cast<float>(as_float<double>(a))); }

// ---- addresses ----

constexpr uint64_t eval_ptr_index(uint64_t address, uint64_t element, uint64_t size) {
  return address + element * size;
}

// ---- for kinds known at run time ----

/// The result of a pure operation with one scalar result, or nothing if `op` is not one, or not for these kinds.
/// `operand_kind` is the kind of the operands (of the last one of a select). Immediates stand among the operands.
std::optional<uint64_t> fold(Op op, Kind operand_kind, Kind result_kind, std::span<const uint64_t> operands);

/// The same for the overflow-reporting operations.
std::optional<OverflowResult> fold_overflow(Op op, Kind operand_kind, std::span<const uint64_t> operands);

}  // namespace braid::ir
