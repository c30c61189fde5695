#include "ir/int_range.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "ir/eval_op.h"
#include "type/int_bounds.h"

namespace braid::ir {
namespace {

using Wide = WideSigned;

/// So many pairs of operands are simply tried.
constexpr uint64_t few = 16;

uint64_t count_less_one(IntRange r) { return static_cast<uint64_t>(r.high) - static_cast<uint64_t>(r.low); }
bool is_few(IntRange a, IntRange b) {
  return count_less_one(a) < few && count_less_one(b) < few && (count_less_one(a) + 1) * (count_less_one(b) + 1) <= few;
}

IntRange hull(IntRange a, IntRange b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// The results for all operands in small ranges.
template <typename Result>
IntRange try_all(IntRange a, IntRange b, Result&& result) {
  IntRange answer{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (uint64_t i = 0; i <= count_less_one(a); ++i)
    for (uint64_t k = 0; k <= count_less_one(b); ++k) {
      uint64_t operands[] = {static_cast<uint64_t>(a.low) + i, static_cast<uint64_t>(b.low) + k};
      int64_t value = static_cast<int64_t>(result(operands));
      answer = hull(answer, {value, value});
    }
  return answer;
}

/// Exact bounds, wrapped as the op wraps: if all of it leaves the kind on the same side, it comes back as one piece.
IntRange wrapped(Kind kind, Wide low, Wide high) {
  const Wide least = int_min(kind), greatest = int_max(kind), period = greatest - least + 1;
  if (low > greatest && high <= greatest + period) {
    low -= period;
    high -= period;
  } else if (high < least && low >= least - period) {
    low += period;
    high += period;
  }
  if (low < least || high > greatest) return whole(kind);
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

IntRange product(Kind kind, IntRange a, IntRange b, bool& exact) {
  Wide corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high};
  Wide low = *std::min_element(corners, corners + 4), high = *std::max_element(corners, corners + 4);
  exact = low >= int_min(kind) && high <= int_max(kind);
  return exact ? IntRange{static_cast<int64_t>(low), static_cast<int64_t>(high)} : whole(kind);
}

// ---- bits ----

/// The least 2^k - 1 that is not below a number >= 0.
int64_t ones_above(int64_t value) {
  return value == 0 ? 0 : static_cast<int64_t>(~uint64_t{0} >> std::countl_zero(static_cast<uint64_t>(value)));
}
IntRange complement(IntRange a) { return {~a.high, ~a.low}; }

IntRange and_range(IntRange a, IntRange b) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  if (b.low >= 0) return {0, b.high};
  // Both may be negative: then all bits above those of the lower one stay ones.
  int64_t low = ~ones_above(~std::min(a.low, b.low));
  bool negative = a.high < 0 && b.high < 0;
  return {low, negative ? std::min(a.high, b.high) : std::max(a.high, b.high)};
}
IntRange xor_range(IntRange a, IntRange b) {
  int64_t bits = 0;
  for (int64_t end : {a.low, a.high, b.low, b.high}) bits |= ones_above(end < 0 ? ~end : end);
  if (a.low >= 0 && b.low >= 0) return {0, bits};
  if (a.high < 0 && b.high < 0) return {0, bits};
  if ((a.low >= 0 && b.high < 0) || (a.high < 0 && b.low >= 0)) return {~bits, -1};
  return {~bits, bits};
}

IntRange shift_range(Op op, Kind kind, IntRange a, IntRange count) {
  if (count.low < 0 || count.high >= bit_width(kind)) {
    if (!count.is_constant()) return op == Op::shl || a.low < 0 ? whole(kind) : IntRange{0, a.high};
    int64_t masked = count.low & (bit_width(kind) - 1);
    count = {masked, masked};
  }
  switch (op) {
    case Op::shl: {
      if (!count.is_constant()) return whole(kind);
      return wrapped(kind, Wide{a.low} * (Wide{1} << count.low), Wide{a.high} * (Wide{1} << count.low));
    }
    case Op::ashr: return {std::min(a.low >> count.low, a.low >> count.high), std::max(a.high >> count.low, a.high >> count.high)};
    default: {
      if (a.low >= 0) return {a.low >> count.high, a.high >> count.low};
      if (count.low == 0) return whole(kind);
      int64_t all_ones = static_cast<int64_t>((uint64_t{1} << (bit_width(kind) - count.low)) - 1);
      return {0, all_ones};
    }
  }
}

// ---- division ----

IntRange quotient(Op op, Kind kind, IntRange a, IntRange b) {
  bool is_signed = op == Op::sdiv;
  if (!is_signed && a.low < 0) {
    // As an unsigned number the dividend is large. Any divisor above 1 brings it back below the sign.
    return b.low > 1 ? IntRange{0, int_max(kind)} : whole(kind);
  }
  if (b.low > 0)
    return {a.low < 0 ? a.low / b.low : a.low / b.high, a.high < 0 ? a.high / b.high : a.high / b.low};
  if (!is_signed) return {0, a.high};  // a divisor that is 0, or large, gives 0 or less than the dividend
  const IntRange by_least{0, a.low == int_min(kind) ? 1 : 0};  // only the least number divided by itself gives 1
  if (b.high == int_min(kind)) return by_least;
  if (b.high < -1) {
    IntRange flipped = quotient(op, kind, a, {-b.high, b.low == int_min(kind) ? int_max(kind) : -b.low});
    IntRange answer{-flipped.high, -flipped.low};
    return b.low == int_min(kind) ? hull(answer, by_least) : answer;
  }
  if (a.low == int_min(kind)) return whole(kind);  // divided by -1 it stays what it is
  int64_t most = std::max(std::abs(a.low), std::abs(a.high));
  return {-most, most};
}

IntRange remainder(Op op, Kind kind, IntRange a, IntRange b) {
  if (op == Op::urem) {
    if (b.low >= 0 && b.high > 0) {
      int64_t most = b.high - 1;
      return {0, a.low >= 0 ? std::min(most, a.high) : most};
    }
    if (b.low == 0) return {0, 0};  // by zero only
    return a.low >= 0 ? IntRange{0, a.high} : whole(kind);
  }
  Wide most = std::max(b.high < 0 ? -Wide{b.high} : Wide{b.high}, b.low < 0 ? -Wide{b.low} : Wide{b.low}) - 1;
  if (most < 0) return {0, 0};
  return {static_cast<int64_t>(std::max(std::min(Wide{a.low}, Wide{0}), -most)),
          static_cast<int64_t>(std::min(std::max(Wide{a.high}, Wide{0}), most))};
}

// ---- order ----

/// Whether unsigned order is signed order: all values on the same side of the sign.
bool same_side(IntRange a, IntRange b) { return (a.low >= 0 && b.low >= 0) || (a.high < 0 && b.high < 0); }

IntRange extreme(Op op, Kind kind, IntRange a, IntRange b) {
  bool least = op == Op::smin || op == Op::umin;
  if (op == Op::umin || op == Op::umax) {
    if (!same_side(a, b)) {
      if (least && a.low >= 0) return {std::min<int64_t>(a.low, b.low >= 0 ? b.low : 0), a.high};
      if (least && b.low >= 0) return {std::min<int64_t>(b.low, a.low >= 0 ? a.low : 0), b.high};
      return whole(kind);
    }
  }
  if (least) return {std::min(a.low, b.low), std::min(a.high, b.high)};
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

constexpr IntRange never{0, 0}, always{1, 1}, perhaps{0, 1};

IntRange less(IntRange a, IntRange b) { return a.high < b.low ? always : a.low >= b.high ? never : perhaps; }
IntRange unsigned_less(IntRange a, IntRange b) {
  if (same_side(a, b)) return less(a, b);
  if (a.low >= 0 && b.high < 0) return always;
  if (a.high < 0 && b.low >= 0) return never;
  return perhaps;
}
IntRange negated(IntRange truth) { return {1 - truth.high, 1 - truth.low}; }

IntRange comparison(Op op, IntRange a, IntRange b) {
  switch (op) {
    case Op::eq: return a.high < b.low || b.high < a.low ? never : perhaps;
    case Op::ne: return a.high < b.low || b.high < a.low ? always : perhaps;
    case Op::slt: return less(a, b);
    case Op::sgt: return less(b, a);
    case Op::sle: return negated(less(b, a));
    case Op::sge: return negated(less(a, b));
    case Op::ult: return unsigned_less(a, b);
    case Op::ugt: return unsigned_less(b, a);
    case Op::ule: return negated(unsigned_less(b, a));
    default: return negated(unsigned_less(a, b));
  }
}

IntRange by_formula(Op op, Kind kind, IntRange a, IntRange b) {
  switch (op) {
    case Op::add: return wrapped(kind, Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Op::sub: return wrapped(kind, Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Op::neg: return wrapped(kind, -Wide{a.high}, -Wide{a.low});
    case Op::mul: {
      bool exact;
      return product(kind, a, b, exact);
    }
    case Op::sdiv:
    case Op::udiv: return quotient(op, kind, a, b);
    case Op::srem:
    case Op::urem: return remainder(op, kind, a, b);
    case Op::and_: return and_range(a, b);
    case Op::or_: return complement(and_range(complement(a), complement(b)));
    case Op::xor_: return xor_range(a, b);
    case Op::not_: return complement(a);
    case Op::shl:
    case Op::lshr:
    case Op::ashr: return shift_range(op, kind, a, b);
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax: return extreme(op, kind, a, b);
    case Op::clz:
    case Op::ctz:
    case Op::popcount: return {0, bit_width(kind)};
    default: return whole(kind);
  }
}

bool is_comparison(Op op) {
  TypeRule rule = info(op).rule;
  return rule == TypeRule::equality || rule == TypeRule::signed_compare || rule == TypeRule::unsigned_compare;
}

}  // namespace

IntRange whole(Kind kind) { return {int_min(kind), int_max(kind)}; }

IntRange range_of(Op op, Kind kind, IntRange a, IntRange b) {
  bool unary = info(op).rule == TypeRule::int_unary;
  if (unary) b = {0, 0};
  if (is_few(a, b)) {
    Kind result_kind = is_comparison(op) ? Kind::i1 : kind;
    return try_all(a, b, [&](const uint64_t(&operands)[2]) {
      return *fold(op, kind, result_kind, std::span(operands, unary ? 1 : 2));
    });
  }
  return is_comparison(op) ? comparison(op, a, b) : by_formula(op, kind, a, b);
}

OverflowRange overflow_range(Op op, Kind kind, IntRange a, IntRange b) {
  if (is_few(a, b)) {
    auto part = [&](bool flag) {
      return try_all(a, b, [&](const uint64_t(&operands)[2]) {
        OverflowResult result = *fold_overflow(op, kind, operands);
        return flag ? uint64_t{result.overflow} : result.value;
      });
    };
    return {part(false), part(true)};
  }
  bool is_signed = op == Op::sadd_overflow || op == Op::ssub_overflow || op == Op::smul_overflow;
  Wide low, high;
  IntRange value = whole(kind);
  if (op == Op::sadd_overflow || op == Op::uadd_overflow) {
    low = Wide{a.low} + b.low;
    high = Wide{a.high} + b.high;
    value = wrapped(kind, low, high);
  } else if (op == Op::ssub_overflow || op == Op::usub_overflow) {
    low = Wide{a.low} - b.high;
    high = Wide{a.high} - b.low;
    value = wrapped(kind, low, high);
  } else {
    bool exact;
    value = product(kind, a, b, exact);
    low = exact ? Wide{value.low} : Wide{int_min(kind)} - 1;
    high = exact ? Wide{value.high} : Wide{int_max(kind)} + 1;
  }
  // Unsigned, numbers are known to be exact only among those that have no sign in any reading.
  bool in_signed = low >= int_min(kind) && high <= int_max(kind);
  bool fits = is_signed ? in_signed : in_signed && a.low >= 0 && b.low >= 0 && low >= 0;
  bool misses = is_signed && (low > int_max(kind) || high < int_min(kind)) && op != Op::smul_overflow;
  return {value, fits ? never : misses ? always : perhaps};
}

IntRange converted_range(Op op, Kind from, Kind to, IntRange a) {
  switch (op) {
    case Op::trunc:
      if (is_few(a, {0, 0}))
        return try_all(a, {0, 0}, [&](const uint64_t(&operands)[2]) { return canonical(to, operands[0]); });
      return a.low >= int_min(to) && a.high <= int_max(to) ? a : whole(to);
    case Op::zext: {
      if (a.low >= 0) return a;
      int64_t period = int64_t{1} << bit_width(from);
      return a.high < 0 ? IntRange{a.low + period, a.high + period} : IntRange{0, period - 1};
    }
    default: return from == Kind::i1 ? IntRange{-a.high, -a.low} : a;
  }
}

std::optional<IntRange> checked_range(Op op, Kind kind, IntRange a, IntRange b) {
  // As signed numbers, which checks look at, a true i1 is less than 0.
  if (op == Op::check_zero) {
    if (a.low == 0) ++a.low;
    if (a.high == 0) --a.high;
  } else if (op == Op::check_negative) {
    if (kind == Kind::i1) a.high = std::min<int64_t>(a.high, 0);
    a.low = std::max<int64_t>(a.low, 0);
  } else {
    if (kind == Kind::i1) return std::nullopt;  // no length is greater than 0
    a.low = std::max<int64_t>(a.low, 0);
    a.high = std::min(a.high, b.high == int_min(kind) ? b.high : b.high - 1);
  }
  if (a.low > a.high) return std::nullopt;
  return a;
}

}  // namespace braid::ir
