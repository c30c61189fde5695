// The meaning of pure ops against a naive model: integers in 128 bits, all pairs of i8 (and i1), corners and random
// words of the other widths; floats against reference computations.
#include "ir/eval_op.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace braid::ir {
namespace {

using Int = WideSigned;

constexpr Kind int_kinds[] = {Kind::i1, Kind::i8, Kind::i16, Kind::i32, Kind::i64};

Int pow2(int n) { return Int{1} << n; }

/// Mathematical values, and back to canonical bits.
Int unsigned_value(Kind kind, uint64_t bits) {
  return static_cast<Int>(bits) & (pow2(bit_width(kind)) - 1);
}
Int signed_value(Kind kind, uint64_t bits) {
  Int u = unsigned_value(kind, bits);
  return u >= pow2(bit_width(kind) - 1) ? u - pow2(bit_width(kind)) : u;
}
uint64_t to_bits(Kind kind, Int value) {
  Int m = value & (pow2(bit_width(kind)) - 1);
  if (kind != Kind::i1 && m >= pow2(bit_width(kind) - 1)) m -= pow2(bit_width(kind));
  return static_cast<uint64_t>(static_cast<int64_t>(m));
}
bool fits(Kind kind, Int value, bool is_signed) {
  int w = bit_width(kind);
  return is_signed ? value >= -pow2(w - 1) && value < pow2(w - 1) : value >= 0 && value < pow2(w);
}

/// One bit at a time, so that it shares nothing with the code under test.
Int bits_model(Op op, Kind kind, Int a, Int b) {
  int w = bit_width(kind);
  Int r = 0;
  auto bit = [](Int v, int i) { return static_cast<int>((v >> i) & 1); };
  int count = static_cast<int>(b % w);
  for (int i = 0; i < w; ++i) {
    int out = 0;
    switch (op) {
      case Op::and_: out = bit(a, i) & bit(b, i); break;
      case Op::or_: out = bit(a, i) | bit(b, i); break;
      case Op::xor_: out = bit(a, i) ^ bit(b, i); break;
      case Op::shl: out = i - count >= 0 ? bit(a, i - count) : 0; break;
      case Op::lshr: out = i + count < w ? bit(a, i + count) : 0; break;
      case Op::ashr: out = bit(a, std::min(i + count, w - 1)); break;
      case Op::rotl: out = bit(a, (i - count + w) % w); break;
      case Op::rotr: out = bit(a, (i + count) % w); break;
      case Op::not_: out = 1 - bit(a, i); break;
      case Op::bswap: out = w < 16 ? bit(a, i) : bit(a, (w / 8 - 1 - i / 8) * 8 + i % 8); break;
      default: ADD_FAILURE();
    }
    r |= Int{out} << i;
  }
  return r;
}

/// The answer as a mathematical value (taken modulo the width afterwards).
Int model(Op op, Kind kind, uint64_t x, uint64_t y) {
  Int s = signed_value(kind, x), t = signed_value(kind, y), u = unsigned_value(kind, x), v = unsigned_value(kind, y);
  int w = bit_width(kind);
  switch (op) {
    case Op::add: return s + t;
    case Op::sub: return s - t;
    case Op::mul: return static_cast<Int>(static_cast<WideUnsigned>(u) * static_cast<WideUnsigned>(v));
    case Op::sdiv: return t == 0 ? 0 : s / t;
    case Op::srem: return t == 0 ? 0 : s % t;
    case Op::udiv: return v == 0 ? 0 : u / v;
    case Op::urem: return v == 0 ? 0 : u % v;
    case Op::smulh: return (s * t) >> w;
    case Op::umulh: return static_cast<Int>((static_cast<WideUnsigned>(u) * static_cast<WideUnsigned>(v)) >> w);
    case Op::smin: return std::min(s, t);
    case Op::smax: return std::max(s, t);
    case Op::umin: return std::min(u, v);
    case Op::umax: return std::max(u, v);
    case Op::neg: return -s;
    case Op::clz: {
      Int n = 0;
      while (n < w && ((u >> (w - 1 - static_cast<int>(n))) & 1) == 0) ++n;
      return n;
    }
    case Op::ctz: {
      Int n = 0;
      while (n < w && ((u >> static_cast<int>(n)) & 1) == 0) ++n;
      return n;
    }
    case Op::popcount: {
      Int n = 0;
      for (int i = 0; i < w; ++i) n += (u >> i) & 1;
      return n;
    }
    case Op::eq: return u == v;
    case Op::ne: return u != v;
    case Op::slt: return s < t;
    case Op::sle: return s <= t;
    case Op::sgt: return s > t;
    case Op::sge: return s >= t;
    case Op::ult: return u < v;
    case Op::ule: return u <= v;
    case Op::ugt: return u > v;
    case Op::uge: return u >= v;
    default: return bits_model(op, kind, u, v);
  }
}

std::vector<uint64_t> words_of(Kind kind) {
  std::vector<uint64_t> words;
  int w = bit_width(kind);
  if (w <= 8) {
    for (int i = 0; i < 1 << w; ++i) words.push_back(to_bits(kind, i));
    return words;
  }
  for (int i = 0; i < w; ++i)
    for (int d = -1; d <= 1; ++d) {
      words.push_back(to_bits(kind, pow2(i) + d));
      words.push_back(to_bits(kind, -pow2(i) + d));
    }
  std::mt19937_64 random(w);
  for (int i = 0; i < 60; ++i) words.push_back(to_bits(kind, static_cast<Int>(random() >> (random() % 64))));
  return words;
}

bool is_rule(Op op, std::initializer_list<TypeRule> rules) {
  for (TypeRule rule : rules)
    if (info(op).rule == rule) return true;
  return false;
}

template <typename F>
void for_each_op(F&& f) {
  for (unsigned i = 0; i < op_count; ++i) f(static_cast<Op>(i));
}

TEST(EvalOp, IntegersAgreeWithTheModel) {
  int ops = 0;
  for (Kind kind : int_kinds) {
    std::vector<uint64_t> words = words_of(kind);
    for_each_op([&](Op op) {
      bool compares = is_rule(op, {TypeRule::equality, TypeRule::signed_compare, TypeRule::unsigned_compare});
      if (!compares && !is_rule(op, {TypeRule::int_binary, TypeRule::int_unary})) return;
      ++ops;
      bool unary = info(op).rule == TypeRule::int_unary;
      Kind result = compares ? Kind::i1 : kind;
      int failures = 0;
      for (uint64_t a : words)
        for (uint64_t b : words) {
          uint64_t both[] = {a, b};
          std::optional<uint64_t> got = fold(op, kind, result, std::span(both, unary ? 1 : 2));
          uint64_t want = to_bits(result, model(op, kind, a, b));
          if (got != want && ++failures < 4)
            ADD_FAILURE() << info(op).text << " " << kind_name(kind) << " " << a << ", " << b << ": " << *got
                          << ", not " << want;
          if (unary) break;
        }
    });
  }
  EXPECT_EQ(ops, 5 * 37);
}

TEST(EvalOp, OverflowAgreesWithTheModel) {
  int ops = 0;
  for (Kind kind : int_kinds) {
    std::vector<uint64_t> words = words_of(kind);
    for_each_op([&](Op op) {
      if (info(op).rule != TypeRule::overflow) return;
      ++ops;
      bool is_signed = info(op).text[0] == 's';
      for (uint64_t x : words)
        for (uint64_t y : words) {
          Int a = is_signed ? signed_value(kind, x) : unsigned_value(kind, x);
          Int b = is_signed ? signed_value(kind, y) : unsigned_value(kind, y);
          bool add = op == Op::sadd_overflow || op == Op::uadd_overflow;
          bool sub = op == Op::ssub_overflow || op == Op::usub_overflow;
          bool overflow;
          Int exact = 0;
          if (add || sub) {
            exact = add ? a + b : a - b;
            overflow = !fits(kind, exact, is_signed);
          } else if (is_signed || bit_width(kind) < 64) {
            exact = a * b;
            overflow = !fits(kind, exact, is_signed);
          } else {
            exact = static_cast<Int>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
            overflow = (static_cast<WideUnsigned>(exact) >> 64) != 0;
          }
          uint64_t both[] = {x, y};
          std::optional<OverflowResult> got = fold_overflow(op, kind, both);
          ASSERT_TRUE(got);
          ASSERT_EQ(got->value, to_bits(kind, exact)) << info(op).text << " " << x << " " << y;
          ASSERT_EQ(got->overflow, overflow) << info(op).text << " " << kind_name(kind) << " " << x << " " << y;
        }
    });
  }
  EXPECT_EQ(ops, 5 * 6);
}

TEST(EvalOp, IntegerConversions) {
  for (Kind from : int_kinds)
    for (Kind to : int_kinds)
      for (uint64_t a : words_of(from)) {
        uint64_t one[] = {a};
        bool narrower = bit_width(to) < bit_width(from), wider = bit_width(to) > bit_width(from);
        auto trunc = fold(Op::trunc, from, to, one), zext = fold(Op::zext, from, to, one),
             sext = fold(Op::sext, from, to, one);
        ASSERT_EQ(trunc.has_value(), narrower);
        ASSERT_EQ(zext.has_value(), wider);
        ASSERT_EQ(sext.has_value(), wider);
        if (narrower) {
          ASSERT_EQ(*trunc, to_bits(to, unsigned_value(from, a)));
        }
        if (wider) {
          ASSERT_EQ(*zext, to_bits(to, unsigned_value(from, a)));
          ASSERT_EQ(*sext, to_bits(to, signed_value(from, a)));
        }
      }
}

std::vector<double> doubles() {
  std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.1, 1e300, -1e300, 5e-324, 1e-320,
                                0.49999999999999994, 4503599627370495.5, 4503599627370496.5, 9007199254740993.0,
                                std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  for (int i = 0; i <= 65; ++i)
    for (double d : {0.0, 0.5, -0.5, 1.0, -1.0}) {
      values.push_back(std::ldexp(1.0, i) + d);
      values.push_back(-std::ldexp(1.0, i) + d);
    }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) values.push_back(std::bit_cast<double>(random()));
  values.push_back(std::bit_cast<double>(uint64_t{0xfff0'0000'0000'0001}));  // a signalling NaN with a sign
  return values;
}
std::vector<float> floats() {
  std::vector<float> values;
  for (double d : doubles()) values.push_back(static_cast<float>(d));
  std::mt19937 random(9);
  for (int i = 0; i < 100; ++i) values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  return values;
}

template <typename Float>
uint64_t expected_bits(Float value) {
  if (std::isnan(value)) return sizeof(Float) == 4 ? 0x7fc00000u : 0x7ff8000000000000u;
  return bits_of(value);
}

/// Ties to even, without asking the rounding mode.
template <typename Float>
Float round_even(Float x) {
  if (!std::isfinite(x)) return x;
  Float down = std::floor(x), rest = x - down, r = down;
  if (rest > Float(0.5) || (rest == Float(0.5) && std::fmod(down, Float(2)) != 0)) r = down + 1;
  return std::copysign(r, x);
}

template <typename Float>
Float reference(Op op, Float x, Float y) {
  switch (op) {
    case Op::fadd: return x + y;
    case Op::fsub: return x - y;
    case Op::fmul: return x * y;
    case Op::fdiv: return x / y;
    case Op::frem: return std::fmod(x, y);
    case Op::fmin: return std::isnan(x) || std::isnan(y) ? NAN : x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
    case Op::fmax: return std::isnan(x) || std::isnan(y) ? NAN : x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
    case Op::fsqrt: return std::sqrt(x);
    case Op::ffloor: return std::floor(x);
    case Op::fceil: return std::ceil(x);
    case Op::ftrunc: return std::trunc(x);
    case Op::fround: return round_even(x);
    default: ADD_FAILURE() << info(op).text; return 0;
  }
}

template <typename Float>
void check_floats(Kind kind, const std::vector<Float>& values) {
  const uint64_t sign = uint64_t{1} << (bit_width(kind) - 1);
  int ops = 0;
  for_each_op([&](Op op) {
    if (!is_rule(op, {TypeRule::float_binary, TypeRule::float_unary, TypeRule::float_compare})) return;
    ++ops;
    bool unary = info(op).rule == TypeRule::float_unary;
    for (Float x : values)
      for (Float y : values) {
        uint64_t both[] = {bits_of(x), bits_of(y)};
        bool compares = info(op).rule == TypeRule::float_compare;
        std::optional<uint64_t> got = fold(op, kind, compares ? Kind::i1 : kind, std::span(both, unary ? 1 : 2));
        ASSERT_TRUE(got);
        uint64_t want;
        bool unordered = std::isnan(x) || std::isnan(y);
        switch (op) {
          case Op::fneg: want = both[0] ^ sign; break;
          case Op::fabs: want = both[0] & ~sign; break;
          case Op::fcopysign: want = (both[0] & ~sign) | (both[1] & sign); break;
          case Op::feq: want = !unordered && x == y; break;
          case Op::fne: want = unordered || x != y; break;
          case Op::flt: want = !unordered && std::isless(x, y); break;
          case Op::fle: want = !unordered && std::islessequal(x, y); break;
          case Op::fgt: want = !unordered && std::isgreater(x, y); break;
          case Op::fge: want = !unordered && std::isgreaterequal(x, y); break;
          default: want = expected_bits(reference(op, x, y));
        }
        ASSERT_EQ(*got, want) << info(op).text << " " << x << " " << y;
        if (unary) break;
      }
  });
  EXPECT_EQ(ops, 21);
}

TEST(EvalOp, DoublesAgreeWithReferences) { check_floats(Kind::f64, doubles()); }
TEST(EvalOp, FloatsAreComputedInFloat) { check_floats(Kind::f32, floats()); }

TEST(EvalOp, FloatToIntSaturates) {
  for (Kind from : {Kind::f32, Kind::f64})
    for (Kind to : int_kinds)
      for (double value : doubles()) {
        double x = from == Kind::f32 ? static_cast<double>(static_cast<float>(value)) : value;
        uint64_t one[] = {from == Kind::f32 ? bits_of(static_cast<float>(value)) : bits_of(value)};
        for (Op op : {Op::fptosi, Op::fptoui}) {
          bool is_signed = op == Op::fptosi;
          long double low = is_signed ? -std::ldexp(1.0L, bit_width(to) - 1) : 0.0L;
          long double high = std::ldexp(1.0L, bit_width(to) - is_signed) - 1;
          long double t = std::isnan(x) ? 0.0L : std::trunc(static_cast<long double>(x));
          Int want = static_cast<Int>(std::min(std::max(t, low), high));
          ASSERT_EQ(fold(op, from, to, one), to_bits(to, want)) << info(op).text << " " << x << " " << kind_name(to);
        }
      }
}

TEST(EvalOp, IntToFloatRoundsOnce) {
  for (Kind from : int_kinds)
    for (uint64_t a : words_of(from)) {
      uint64_t one[] = {a};
      auto s = static_cast<long double>(signed_value(from, a)), u = static_cast<long double>(unsigned_value(from, a));
      ASSERT_EQ(fold(Op::sitofp, from, Kind::f64, one), bits_of(static_cast<double>(s)));
      ASSERT_EQ(fold(Op::uitofp, from, Kind::f64, one), bits_of(static_cast<double>(u)));
      ASSERT_EQ(fold(Op::sitofp, from, Kind::f32, one), bits_of(static_cast<float>(s)));
      ASSERT_EQ(fold(Op::uitofp, from, Kind::f32, one), bits_of(static_cast<float>(u)));
    }
}

TEST(EvalOp, OtherConversions) {
  for (double d : doubles()) {
    uint64_t one[] = {bits_of(d)};
    EXPECT_EQ(fold(Op::fptrunc, Kind::f64, Kind::f32, one), expected_bits(static_cast<float>(d)));
    EXPECT_EQ(fold(Op::bitcast, Kind::f64, Kind::i64, one), bits_of(d)) << "a NaN keeps its bits";
    float f = static_cast<float>(d);
    uint64_t half[] = {bits_of(f)};
    EXPECT_EQ(fold(Op::fpext, Kind::f32, Kind::f64, half), expected_bits(static_cast<double>(f)));
  }
  uint64_t negative_zero[] = {0x80000000u};
  EXPECT_EQ(fold(Op::bitcast, Kind::f32, Kind::i32, negative_zero), 0xffffffff80000000u) << "i32 is sign-extended";
  uint64_t minimum[] = {0xffffffff80000000u};
  EXPECT_EQ(fold(Op::bitcast, Kind::i32, Kind::f32, minimum), 0x80000000u);
  uint64_t word[] = {42};
  EXPECT_EQ(fold(Op::ptrtoint, Kind::ptr, Kind::i64, word), 42u);
  EXPECT_EQ(fold(Op::inttoptr, Kind::i64, Kind::ptr, word), 42u);
}

TEST(EvalOp, SelectAndAddresses) {
  uint64_t yes[] = {1, 7, 9}, no[] = {0, 7, 9};
  EXPECT_EQ(fold(Op::select, Kind::i64, Kind::i64, yes), 7u);
  EXPECT_EQ(fold(Op::select, Kind::f32, Kind::f32, no), 9u);
  uint64_t element[] = {100, static_cast<uint64_t>(-2), 8};
  EXPECT_EQ(fold(Op::ptr_index, Kind::ptr, Kind::ptr, element), 84u);
  EXPECT_EQ(fold(Op::ptr_add, Kind::ptr, Kind::ptr, std::span(element, 2)), 98u);
  EXPECT_EQ(fold(Op::ptr_diff, Kind::ptr, Kind::i64, std::span(element, 2)), 102u);
}

TEST(EvalOp, OnlyPureScalarOpsFold) {
  uint64_t words[] = {1, 1, 1};
  for_each_op([&](Op op) {
    if (!has(op, keeps_alive | reads_memory | reads_variable | reads_exception | identity | declared_effect)) return;
    for (size_t n = 0; n <= 3; ++n)
      EXPECT_FALSE(fold(op, Kind::i64, Kind::i64, std::span(words, n))) << info(op).text;
  });
  EXPECT_FALSE(fold(Op::add, Kind::f64, Kind::f64, std::span(words, 2))) << "not for this kind";
  EXPECT_FALSE(fold(Op::fadd, Kind::i64, Kind::i64, std::span(words, 2)));
  EXPECT_FALSE(fold(Op::add, Kind::i64, Kind::i64, words)) << "not with three operands";
  EXPECT_FALSE(fold_overflow(Op::add, Kind::i64, std::span(words, 2)));
}

}  // namespace
}  // namespace braid::ir
