// Types through operations: sound against evaluation, monotone, and as narrow as promised.
#include "ir/transfer.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/eval_op.h"
#include "ir/int_range.h"
#include "type/int_bounds.h"
#include "type/type_text.h"

namespace braid::ir {
namespace {

std::vector<Op> ops_of(std::initializer_list<TypeRule> rules) {
  std::vector<Op> ops;
  for (unsigned i = 0; i < op_count; ++i)
    for (TypeRule rule : rules)
      if (op_table[i].rule == rule) ops.push_back(static_cast<Op>(i));
  return ops;
}
const std::vector<Op> binary_ops =
    ops_of({TypeRule::int_binary, TypeRule::equality, TypeRule::signed_compare, TypeRule::unsigned_compare});
const std::vector<Op> unary_ops = ops_of({TypeRule::int_unary});
const std::vector<Op> overflow_ops = ops_of({TypeRule::overflow});

bool is_comparison(Op op) { return info(op).rule != TypeRule::int_binary && info(op).rule != TypeRule::int_unary; }

int64_t evaluate(Op op, Kind kind, int64_t a, int64_t b) {
  uint64_t operands[] = {static_cast<uint64_t>(a), static_cast<uint64_t>(b)};
  size_t count = info(op).fixed_count;
  return static_cast<int64_t>(*fold(op, kind, is_comparison(op) ? Kind::i1 : kind, std::span(operands, count)));
}

std::string show(IntRange r) { return "[" + std::to_string(r.low) + ".." + std::to_string(r.high) + "]"; }

std::vector<IntRange> byte_ranges() {
  std::vector<IntRange> ranges;
  for (int64_t low : {-128, -127, -65, -64, -33, -3, -1, 0, 1, 2, 7, 63, 64, 100, 127})
    for (int64_t length : {0, 1, 2, 5, 25}) ranges.push_back({low, std::min<int64_t>(low + length, 127)});
  ranges.push_back({-128, 127});
  ranges.push_back({0, 127});
  ranges.push_back({-128, -1});
  return ranges;
}

TEST(IntRanges, all_bytes) {
  std::vector<IntRange> ranges = byte_ranges();
  for (Op op : binary_ops) {
    for (IntRange a : ranges) {
      for (IntRange b : ranges) {
        IntRange answer = range_of(op, Kind::i8, a, b);
        IntRange exact{1000, -1000};
        for (int64_t x = a.low; x <= a.high; ++x)
          for (int64_t y = b.low; y <= b.high; ++y) {
            int64_t value = evaluate(op, Kind::i8, x, y);
            exact = {std::min(exact.low, value), std::max(exact.high, value)};
          }
        ASSERT_TRUE(answer.low <= exact.low && exact.high <= answer.high)
            << info(op).text << " " << show(a) << " " << show(b) << " gives " << show(exact) << ", not " << show(answer);
        bool few = (a.high - a.low + 1) * (b.high - b.low + 1) <= 16;
        ASSERT_TRUE(!few || answer == exact) << info(op).text << " " << show(a) << " " << show(b);
      }
    }
  }
}

TEST(IntRanges, all_bytes_unary_and_bits) {
  for (Op op : unary_ops)
    for (int64_t low = -128; low < 128; low += 3)
      for (int64_t high = low; high < 128; ++high) {
        IntRange answer = range_of(op, Kind::i8, {low, high}, {0, 0});
        for (int64_t x = low; x <= high; ++x)
          ASSERT_TRUE(answer.contains(evaluate(op, Kind::i8, x, 0))) << info(op).text << show({low, high});
      }
  for (Op op : binary_ops)
    for (IntRange a : {IntRange{0, 0}, IntRange{1, 1}, IntRange{0, 1}})
      for (IntRange b : {IntRange{0, 0}, IntRange{1, 1}, IntRange{0, 1}}) {
        IntRange answer = range_of(op, Kind::i1, a, b);
        for (int64_t x = a.low; x <= a.high; ++x)
          for (int64_t y = b.low; y <= b.high; ++y)
            ASSERT_TRUE(answer.contains(evaluate(op, Kind::i1, x, y))) << info(op).text;
      }
}

TEST(IntRanges, all_bytes_overflow) {
  for (Op op : overflow_ops)
    for (IntRange a : byte_ranges())
      for (IntRange b : byte_ranges()) {
        OverflowRange answer = overflow_range(op, Kind::i8, a, b);
        for (int64_t x = a.low; x <= a.high; ++x)
          for (int64_t y = b.low; y <= b.high; ++y) {
            uint64_t operands[] = {static_cast<uint64_t>(x), static_cast<uint64_t>(y)};
            OverflowResult result = *fold_overflow(op, Kind::i8, operands);
            ASSERT_TRUE(answer.value.contains(static_cast<int64_t>(result.value)) && answer.flag.contains(result.overflow))
                << info(op).text << " " << show(a) << " " << show(b) << ": " << x << ", " << y;
          }
      }
}

TEST(IntRanges, conversions_and_checks_of_all_bytes) {
  for (IntRange a : byte_ranges()) {
    for (Kind to : {Kind::i16, Kind::i64}) {
      for (Op op : {Op::zext, Op::sext}) {
        IntRange answer = converted_range(op, Kind::i8, to, a);
        uint64_t low = static_cast<uint64_t>(a.low), high = static_cast<uint64_t>(a.high);
        for (uint64_t x = low; x != high + 1; ++x)
          ASSERT_TRUE(answer.contains(static_cast<int64_t>(*fold(op, Kind::i8, to, std::span(&x, 1)))));
      }
    }
    IntRange bit = converted_range(Op::trunc, Kind::i8, Kind::i1, a);
    for (int64_t x = a.low; x <= a.high; ++x) ASSERT_TRUE(bit.contains(x & 1)) << show(a);
    for (IntRange b : byte_ranges())
      for (Op op : {Op::check_zero, Op::check_negative, Op::check_bounds}) {
        std::optional<IntRange> answer = checked_range(op, Kind::i8, a, b);
        for (int64_t x = a.low; x <= a.high; ++x)
          for (int64_t y = b.low; y <= b.high; ++y) {
            bool passes = op == Op::check_zero ? x != 0 : op == Op::check_negative ? x >= 0 : 0 <= x && x < y;
            ASSERT_TRUE(!passes || (answer && answer->contains(x))) << info(op).text << show(a) << show(b);
          }
      }
  }
  EXPECT_EQ(converted_range(Op::sext, Kind::i1, Kind::i8, {0, 1}), (IntRange{-1, 0}));
  EXPECT_EQ(checked_range(Op::check_zero, Kind::i8, {0, 0}, {0, 0}), std::nullopt);
  EXPECT_EQ(checked_range(Op::check_bounds, Kind::i8, {-5, 50}, {3, 9}), (IntRange{0, 8}));
}

/// Ranges of any size and place, often at the ends of the kind.
class RandomRanges {
 public:
  explicit RandomRanges(Kind kind) : kind_(kind) {}
  int64_t value() {
    const int64_t interesting[] = {0, 1, -1, 2, int_min(kind_), int_max(kind_), int_min(kind_) + 1, int_max(kind_) / 2};
    uint64_t bits = random_() >> (random_() % 64);
    int64_t any = static_cast<int64_t>(random_() % 2 == 0 ? bits : ~bits);
    int64_t pick = random_() % 3 == 0 ? interesting[random_() % 8] : any;
    return static_cast<int64_t>(canonical(kind_, static_cast<uint64_t>(pick)));
  }
  IntRange range() {
    int64_t a = value(), b = random_() % 4 == 0 ? a : value();
    return {std::min(a, b), std::max(a, b)};
  }
  int64_t inside(IntRange r) {
    uint64_t width = static_cast<uint64_t>(r.high) - static_cast<uint64_t>(r.low);
    uint64_t step = width == ~uint64_t{0} ? random_() : random_() % (width + 1);
    switch (random_() % 4) {
      case 0: return r.low;
      case 1: return r.high;
      default: return static_cast<int64_t>(static_cast<uint64_t>(r.low) + step);
    }
  }

 private:
  Kind kind_;
  std::mt19937_64 random_{42};
};

TEST(IntRanges, random_values_of_all_widths) {
  for (Kind kind : {Kind::i16, Kind::i32, Kind::i64}) {
    RandomRanges random(kind);
    for (int round = 0; round < 30000; ++round) {
      IntRange a = random.range(), b = random.range();
      for (const std::vector<Op>* ops : {&binary_ops, &unary_ops})
        for (Op op : *ops) {
          IntRange answer = range_of(op, kind, a, b);
          int64_t x = random.inside(a), y = random.inside(b);
          ASSERT_TRUE(answer.contains(evaluate(op, kind, x, y)))
              << info(op).text << " " << show(a) << " " << show(b) << " at " << x << ", " << y << ": " << show(answer);
        }
      for (Op op : overflow_ops) {
        uint64_t operands[] = {static_cast<uint64_t>(random.inside(a)), static_cast<uint64_t>(random.inside(b))};
        OverflowResult result = *fold_overflow(op, kind, operands);
        OverflowRange answer = overflow_range(op, kind, a, b);
        ASSERT_TRUE(answer.value.contains(static_cast<int64_t>(result.value)) && answer.flag.contains(result.overflow))
            << info(op).text << " " << show(a) << " " << show(b);
      }
    }
  }
}

TEST(IntRanges, larger_operands_give_no_smaller_answer) {
  for (Kind kind : {Kind::i8, Kind::i64}) {
    RandomRanges random(kind);
    auto part_of = [&](IntRange r) {
      int64_t x = random.inside(r), y = random.inside(r);
      return IntRange{std::min(x, y), std::max(x, y)};
    };
    for (int round = 0; round < 30000; ++round) {
      IntRange a = random.range(), b = random.range(), small_a = part_of(a), small_b = part_of(b);
      for (const std::vector<Op>* ops : {&binary_ops, &unary_ops})
        for (Op op : *ops) {
          IntRange large = range_of(op, kind, a, b), small = range_of(op, kind, small_a, small_b);
          ASSERT_TRUE(large.low <= small.low && small.high <= large.high)
              << info(op).text << " " << show(a) << " " << show(b) << " gives " << show(large) << ", but " << show(small_a)
              << " " << show(small_b) << " gives " << show(small);
        }
    }
  }
}

// ---- transfer ----

class TransferTest : public ::testing::Test {
 protected:
  Module m;
  Function& f = m.add_function(m.symbol("f"), {{i64, i1, f64}, i64});
  TypeTable& t = m.types;

  Type range(int64_t low, int64_t high) { return t.int_range(Kind::i64, low, high); }
  Type constant(int64_t value) { return t.int_constant(Kind::i64, value); }
  Type truth(int64_t value) { return t.int_constant(Kind::i1, value); }
  std::string type(Op op, Type declared, std::vector<Type> operands, std::vector<uint32_t> words = {}) {
    if (words.empty()) words.resize(operands.size(), Operand::undef().word());
    Inst inst = f.make(op, declared, words);
    return to_string(t, transfer(f, inst.stmt, declared, operands));
  }
};

TEST_F(TransferTest, arithmetic) {
  EXPECT_EQ(type(Op::add, i64, {constant(2), constant(3)}), "i64=5");
  EXPECT_EQ(type(Op::add, i64, {range(0, 100), range(10, 1000)}), "i64[10..1100]");
  EXPECT_EQ(type(Op::sub, i64, {range(0, 100), constant(1)}), "i64[-1..99]");
  EXPECT_EQ(type(Op::mul, i64, {range(-5, 100), range(-3, 200)}), "i64[-1000..20000]");
  EXPECT_EQ(type(Op::add, i64, {i64, constant(1)}), "i64");
  EXPECT_EQ(type(Op::and_, i64, {i64, constant(255)}), "i64[0..255]");
  EXPECT_EQ(type(Op::shl, i64, {range(0, 100), constant(3)}), "i64[0..800]");
  EXPECT_EQ(type(Op::lshr, i64, {i64, constant(60)}), "i64[0..15]");
  EXPECT_EQ(type(Op::ashr, i64, {range(-800, 80), constant(3)}), "i64[-100..10]");
  EXPECT_EQ(type(Op::smin, i64, {range(0, 100), range(50, 60)}), "i64[0..60]");
  EXPECT_EQ(type(Op::srem, i64, {i64, constant(10)}), "i64[-9..9]");
  EXPECT_EQ(type(Op::udiv, i64, {range(0, 100), constant(7)}), "i64[0..14]");
  EXPECT_EQ(type(Op::popcount, i64, {i64}), "i64[0..64]");
}

TEST_F(TransferTest, an_operand_that_cannot_exist) {
  EXPECT_EQ(type(Op::add, i64, {none, i64}), "none");
  EXPECT_EQ(type(Op::slt, i1, {i64, none}), "none");
  EXPECT_EQ(type(Op::phi, i64, {none, constant(3)}), "i64=3");
  EXPECT_EQ(type(Op::store, void_type, {none, ptr}), "void");
}

TEST_F(TransferTest, comparisons) {
  EXPECT_EQ(type(Op::slt, i1, {range(0, 9), range(10, 1000)}), "i1=1");
  EXPECT_EQ(type(Op::sge, i1, {range(0, 9), range(10, 1000)}), "i1=0");
  EXPECT_EQ(type(Op::eq, i1, {range(0, 100), range(200, 300)}), "i1=0");
  EXPECT_EQ(type(Op::ult, i1, {range(0, 100), range(-300, -1)}), "i1=1");
  EXPECT_EQ(type(Op::slt, i1, {range(0, 9), range(9, 1000)}), "i1");
  EXPECT_EQ(type(Op::eq, i1, {null_type, null_type}), "i1=1");
  EXPECT_EQ(type(Op::eq, i1, {ref, ref}), "i1");
}

TEST_F(TransferTest, floats_are_folded) {
  auto number = [&](double value) { return t.float_constant(Kind::f64, bits_of(value)); };
  EXPECT_EQ(type(Op::fadd, f64, {number(1.5), number(2)}), "f64=0x1.cp+1");
  EXPECT_EQ(type(Op::fadd, f64, {number(1.5), f64}), "f64");
  EXPECT_EQ(type(Op::flt, i1, {number(1.5), number(2)}), "i1=1");
  EXPECT_EQ(type(Op::fptosi, i64, {number(-3.7)}), "i64=-3");
  EXPECT_EQ(type(Op::sitofp, f64, {constant(3)}), "f64=0x1.8p+1");
  EXPECT_EQ(type(Op::bitcast, i64, {number(1)}), "i64=4607182418800017408");
}

TEST_F(TransferTest, conversions) {
  EXPECT_EQ(type(Op::trunc, i8, {range(-100, 100)}), "i8[-100..100]");
  EXPECT_EQ(type(Op::trunc, i8, {range(-100, 1000)}), "i8");
  EXPECT_EQ(type(Op::zext, i64, {i8}), "i64[0..255]");
  EXPECT_EQ(type(Op::sext, i64, {i8}), "i64[-128..127]");
  EXPECT_EQ(type(Op::sext, i64, {truth(1)}), "i64=-1");
  EXPECT_EQ(type(Op::zext, i64, {i1}), "i64[0..1]");
}

TEST_F(TransferTest, choices) {
  EXPECT_EQ(type(Op::select, i64, {i1, constant(1), constant(5)}), "i64[1..5]");
  EXPECT_EQ(type(Op::select, i64, {truth(0), constant(1), constant(5)}), "i64=5");
  EXPECT_EQ(type(Op::phi, i64, {constant(1), range(4, 5)}), "i64[1..5]");
  EXPECT_EQ(type(Op::phi, i64 | f64, {constant(1), f64}), "i64=1|f64");
  EXPECT_EQ(type(Op::pi, range(0, 9), {range(5, 100)}), "i64[5..9]");
  EXPECT_EQ(type(Op::pi, f64, {i64 | f64}), "f64");
}

TEST_F(TransferTest, tuples) {
  Type both[] = {constant(1), f64};
  Type pair = t.tuple(both);
  EXPECT_EQ(type(Op::tuple, tuple_type, {constant(1), f64}), to_string(t, pair));
  uint32_t undef = Operand::undef().word();
  EXPECT_EQ(type(Op::extract, i64, {pair, none}, {undef, 0}), "i64=1");
  EXPECT_EQ(type(Op::extract, f64, {pair, none}, {undef, 1}), "f64");
  Type wide[] = {i64, i1};
  Type declared = t.tuple(wide);
  Type sum[] = {range(0, 2000), truth(0)};
  EXPECT_EQ(type(Op::sadd_overflow, declared, {range(0, 1000), range(0, 1000)}), to_string(t, t.tuple(sum)));
  EXPECT_EQ(type(Op::check_overflow, i64, {t.tuple(sum)}), "i64[0..2000]");
  Type overflowed[] = {i64, truth(1)};
  EXPECT_EQ(type(Op::check_overflow, i64, {t.tuple(overflowed)}), "none");
}

TEST_F(TransferTest, checks_narrow) {
  EXPECT_EQ(type(Op::check_zero, i64, {range(0, 9)}), "i64[1..9]");
  EXPECT_EQ(type(Op::check_negative, i64, {range(-100, 9)}), "i64[0..9]");
  EXPECT_EQ(type(Op::check_bounds, i64, {i64, range(0, 10)}), "i64[0..9]");
  EXPECT_EQ(type(Op::check_bounds, i64, {range(20, 100), constant(10)}), "none");
  EXPECT_EQ(type(Op::check_null, ref | null_type, {ref | null_type}), "ref");
}

TEST_F(TransferTest, intrinsics_narrow_as_they_declare) {
  IntrinsicId id = m.add_intrinsic({m.symbol("len"), m.signature({{ref}, i64}), no_traits, {},
                                    [](TypeTable& types, std::span<const Type> operands) {
                                      return operands[0] == ref ? types.int_range(Kind::i64, 0, 99) : i64;
                                    }});
  EXPECT_EQ(type(Op::intrinsic, i64, {none, ref}, {index(id), 0}), "i64[0..99]");
}

TEST_F(TransferTest, values) {
  EXPECT_EQ(to_string(t, value_type(f, m.constant(i64, 7))), "i64=7");
  EXPECT_EQ(to_string(t, value_type(f, m.constants.get(f64, bits_of(1.0)))), "f64=0x1p+0");
  EXPECT_EQ(to_string(t, value_type(f, Operand::param(0))), "i64");
  BlockId b = f.new_block();
  Operand a = f.append(b, f.make(Op::add, i64, {Operand::param(0), Operand::param(0)}));
  f.replace(a, m.constant(i64, 3));
  EXPECT_EQ(to_string(t, value_type(f, a)), "i64=3");
  EXPECT_EQ(value_type(f, Operand::undef()), none);
}

// ---- what the text form leaves out ----

TEST_F(TransferTest, literals_take_their_type_from_the_context) {
  FuncId g = m.add_function(m.symbol("g"), {{i8, i64 | f64}, i64}, true).id();
  VarId v = f.variables.push({m.symbol("v"), t.int_range(Kind::i32, 0, 9)});
  uint32_t callee[] = {index(g), 0}, variable[] = {index(v)};
  std::span<const uint32_t> nothing;
  EXPECT_EQ(literal_type(f, Op::add, range(0, 9), nothing, 0), i64);
  EXPECT_EQ(literal_type(f, Op::select, f64, nothing, 0), i1);
  EXPECT_EQ(literal_type(f, Op::select, f64, nothing, 2), f64);
  EXPECT_EQ(literal_type(f, Op::call, none, callee, 1), i8);
  EXPECT_EQ(literal_type(f, Op::call, none, callee, 2), none);
  EXPECT_EQ(literal_type(f, Op::call, none, callee, 3), none);
  EXPECT_EQ(literal_type(f, Op::set, none, variable, 1), i32);
  EXPECT_EQ(literal_type(f, Op::store, i8, nothing, 0), i8);
  EXPECT_EQ(literal_type(f, Op::store, i8, nothing, 1), ptr);
  EXPECT_EQ(literal_type(f, Op::mem_fill, none, nothing, 1), i8);
  EXPECT_EQ(literal_type(f, Op::ret, none, nothing, 0), i64);
  EXPECT_EQ(literal_type(f, Op::tuple, none, nothing, 0), none);
  EXPECT_EQ(literal_type(f, Op::phi, i64 | f64, nothing, 0), none);
}

}  // namespace
}  // namespace braid::ir
