// The values of the public Builder: operators, numbers, operations by name, calls, memory, variables, locations.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "builder_testing.h"

namespace braid {
namespace {

TEST(Builder, OperatorsOnIntegersAndFloats) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  Var x = b.param("x"), y = b.param("y");
  Var r = b.var("r", i64, x + y);
  auto mix = [&](Val value) { r = r * 31 + value; };
  mix(x - y);
  mix(x * y);
  mix(x / y);
  mix(x % y);
  mix(x & y);
  mix(x | y);
  mix(x ^ y);
  mix(x << 3);
  mix(x >> 1);
  mix(100 - x);
  mix(-x);
  mix(~x);
  for (Val c : {x < y, x <= y, x > y, x >= y, x == y, x != y, 3 < x}) mix(b.convert("zext", c, i64));
  x += 1;
  x -= y;
  x *= 3;
  x /= 2;
  x %= 1000;
  x &= 255;
  x |= 512;
  x ^= 5;
  x <<= 4;
  x >>= 1;
  b.ret(r + x);
  int64_t a = 77;
  const int64_t c = -5;
  uint64_t expected = static_cast<uint64_t>(a + c);
  auto model = [&](int64_t value) { expected = expected * 31 + static_cast<uint64_t>(value); };
  for (int64_t value : {a - c, a * c, a / c, a % c, a & c, a | c, a ^ c, a << 3, a >> 1, 100 - a, -a, ~a}) model(value);
  for (bool value : {a < c, a <= c, a > c, a >= c, a == c, a != c, 3 < a}) model(value);
  a += 1, a -= c, a *= 3, a /= 2, a %= 1000, a &= 255, a |= 512, a ^= 5, a <<= 4, a >>= 1;
  EXPECT_EQ(outcome(b.done(), {v(77), v(-5)}), std::to_string(static_cast<int64_t>(expected + static_cast<uint64_t>(a))));

  Builder g(m, "g", {{"x", f64}}, i1);
  Var z = g.param("x");
  Val w = (z + 1.5) * 2 - z / 4 + -z;
  z = w % 3.0;
  g.ret(z == 1.75);
  EXPECT_EQ(outcome(g.done(), {Value(3.0)}), "false");
  Builder h(m, "h", {{"x", f32}}, f32);
  Var y32 = h.param("x");
  h.if_(y32 >= 1, [&] { y32 = y32 * 0.5 + 1; });
  h.ret(y32);
  EXPECT_EQ(interpret(h.done(), 3.0f).as_f32(), 2.5f);
}

TEST(Builder, NumbersWithoutASignStayWhatTheyAre) {
  constexpr uint64_t half = uint64_t{1} << 63;
  Module m;
  Builder b(m, "f", {}, f64);
  Var d = b.var("d", f64, half);
  d = d + UINT64_MAX;
  d += half;
  b.ret(d);
  EXPECT_EQ(interpret(b.done()).as_f64(), 0x1p+65);
  Builder w(m, "word", {}, i64);
  Var x = w.var("x", i64, half);
  x = x | 1u;
  x ^= uint64_t{6};
  w.ret(w.constant(i64, UINT64_MAX) - x);
  EXPECT_EQ(interpret(w.done()).as_i64(), INT64_MAX - 7);
  Builder r(m, "range", {}, f32);
  r.ret(r.constant(f32, UINT64_MAX) + r.constant(f32, -std::numeric_limits<double>::infinity()));
  EXPECT_EQ(interpret(r.done()).as_f32(), -std::numeric_limits<float>::infinity());
}

TEST(Builder, ConditionsAreNegatedAndVariables) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var running = b.var("running", i1, true);
  Var rounds = b.var("rounds", i64, 0);
  b.while_(running, [&] {
    rounds += 1;
    b.if_(!(n > 1), [&] { running = false; }, [&] { n -= 1; });
  });
  b.while_([&]() -> Val { return !running; }, [&] { running = true; rounds += 100; });
  b.if_(!running, [&] { rounds = 0; });
  b.ret(rounds);
  EXPECT_EQ(interpret(b.done(), 5).as_i64(), 105);
}

TEST(Builder, ConstantsOfAllTypes) {
  Module m;
  auto value_of = [&](std::string_view name, Type type, auto number) {
    Builder b(m, name, {}, type);
    b.ret(b.constant(type, number));
    return run(b.done(), {}).value;
  };
  EXPECT_EQ(value_of("i1", i1, int64_t{1}), Value(true));
  EXPECT_EQ(value_of("i8", i8, int64_t{-128}), Value(int8_t{-128}));
  EXPECT_EQ(value_of("u8", i8, int64_t{255}), Value(int8_t{-1}));
  EXPECT_EQ(value_of("i16", i16, int64_t{-300}), Value(int16_t{-300}));
  EXPECT_EQ(value_of("i32", i32, int64_t{1} << 31), Value(INT32_MIN));
  EXPECT_EQ(value_of("i64", i64, INT64_MIN), Value(INT64_MIN));
  EXPECT_EQ(value_of("f32", f32, 0.1), Value(0.1f));
  EXPECT_EQ(value_of("f64", f64, -0.0), Value(-0.0));
  EXPECT_EQ(value_of("whole", f64, int64_t{3}), Value(3.0));
  EXPECT_EQ(value_of("ptr", ptr, int64_t{0}).bits, 0u);
  EXPECT_EQ(value_of("int", i64, 7), Value(int64_t{7}));
  EXPECT_EQ(value_of("bool", i1, true), Value(true));
  EXPECT_EQ(value_of("float", f64, 0.5f), Value(0.5));
  EXPECT_EQ(value_of("uint32", i32, 0xffffffffu), Value(-1));
  Builder b(m, "null", {}, i1);
  b.ret(b.null() == 0);
  EXPECT_EQ(outcome(b.done(), {}), "true");
}

TEST(Builder, OpsByNameSelectAndTuples) {
  Module m;
  Builder b(m, "f", {{"x", i32}, {"c", i1}}, i64);
  Var x = b.param("x"), c = b.param("c");
  Val sum = b.op("sadd_overflow", {x, 1});
  Val pair = b.op("tuple", {b.extract(sum, 0), b.constant(i64, int64_t{7})});
  Val wide = b.convert("sext", b.extract(pair, 0), i64);
  Val chosen = b.select(c, wide, 1000);
  Val other = b.select(c, 2000, wide);
  Val overflowed = b.convert("zext", b.extract(sum, 1), i64);
  b.ret(chosen * 10 + other + b.extract(pair, 1) + overflowed + b.op("smax", {wide, 3}) + b.op("udiv", {100, wide}));
  Func& f = b.done();
  auto model = [](int64_t x, bool c) {
    int64_t w = static_cast<int32_t>(static_cast<uint32_t>(x + 1));
    uint64_t quotient = w == 0 ? 0 : 100u / static_cast<uint64_t>(w);
    return std::to_string((c ? w : 1000) * 10 + (c ? 2000 : w) + 7 + (x == INT32_MAX) + std::max<int64_t>(w, 3) +
                          static_cast<int64_t>(quotient));
  };
  for (int32_t x : {4, -1, -50, INT32_MAX})
    for (bool c : {false, true}) EXPECT_EQ(outcome(f, {Value(x), c}), model(x, c)) << x;
}

TEST(Builder, Calls) {
  Module m;
  m.declare_external("host.twice", std::vector<Type>{i64}, i64);
  {
    Builder b(m, "fib", {{"n", i64}}, i64);
    Var n = b.param("n");
    b.if_(n < 2, [&] { b.ret(n); });
    b.ret(b.call("fib", {n - 1}) + b.call("fib", {n - 2}));
    b.done();
  }
  // Two that call each other, both begun before either is done.
  Builder even(m, "even", {{"n", i64}}, i1), odd(m, "odd", {{"n", i64}}, i1);
  even.if_(even.param(0) == 0, [&] { even.ret(true); });
  even.ret(even.call("odd", {even.param(0) - 1}));
  odd.if_(odd.param(0) == 0, [&] { odd.ret(false); });
  odd.ret(odd.call("even", {odd.param(0) - 1}));
  even.done();
  odd.done();
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Val fib = b.call("fib", {n});
  Val address = b.function_address("fib");
  Val indirect = b.call_indirect(i64, address, {n + 1});
  Val twice = b.call("host.twice", {10});
  Arg arguments[] = {n};
  Val is_even = b.call(*m.find("even"), arguments);
  b.ret(fib * 1000000 + indirect * 1000 + twice + b.convert("zext", is_even, i64));
  Func& f = b.done();
  RunOptions options;
  options.host["host.twice"] = [](std::span<const Value> arguments) {
    return IntrinsicResult(Value(arguments[0].as_i64() * 2));
  };
  EXPECT_EQ(outcome(f, {v(10)}, options), "55089021");
  EXPECT_EQ(outcome(f, {v(11)}, options), "89144020");
}

TEST(Builder, Intrinsics) {
  Module m;
  m.declare({"sat.add", {i8, i8}, i8, Effects::pure, [](std::span<const Value> x) {
               int sum = x[0].as_i32() + x[1].as_i32();
               return IntrinsicResult(Value(static_cast<int8_t>(std::min(127, std::max(-128, sum)))));
             }});
  Builder b(m, "f", {{"x", i8}}, i8);
  b.ret(b.intrinsic("sat.add", {b.param("x"), 100}));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(int8_t{20})}), "120");
  EXPECT_EQ(outcome(f, {Value(int8_t{30})}), "127");
}

TEST(Builder, Memory) {
  Module m;
  uint8_t bytes[] = {1, 2, 3, 4};
  m.add_global("table", 16, bytes, true);
  Builder b(m, "f", {{"i", i64}}, i64);
  Var i = b.param("i");
  Val slot = b.stack_slot(16);
  b.store(i, slot);
  b.store(b.constant(i32, int64_t{-2}), b.op("ptr_add", {slot, 8}));
  Val byte = b.load(i8, b.op("ptr_index", {b.global("table"), i, 1}));
  Val sum = b.load(i64, slot) * 100 + b.convert("sext", byte, i64);
  b.ret(sum + b.convert("sext", b.load(i32, b.op("ptr_add", {slot, 8})), i64));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(2)}), "201");
  EXPECT_EQ(outcome(f, {v(9)}), "898");
  EXPECT_EQ(run(f, std::vector<Value>{v(1000000)}).kind, RunResult::Kind::trap);
}

TEST(Builder, VariableOfAUnionTakesItsMembers) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64 | f64);
  Var x = b.var("x", i64 | f64);
  b.if_(b.param("c"), [&] { x = b.constant(i64, int64_t{4}); }, [&] { x = b.constant(f64, 0.5); });
  b.ret(x);
  Func& f = b.done();
  EXPECT_EQ(run(f, std::vector<Value>{true}).value, Value(int64_t{4}));
  EXPECT_EQ(run(f, std::vector<Value>{false}).value, Value(0.5));
}

TEST(Builder, AssigningAVariableCopiesItsValue) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  Var x = b.param("x"), y = b.param("y");
  Var t = b.var("t", i64, x);
  x = y;
  y = t;
  b.ret(x * 10 + y);
  EXPECT_EQ(outcome(b.done(), {v(1), v(2)}), "21");
}

TEST(Builder, LocationsReachTheText) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  b.location("a.c", 12, 3);
  Val sum = b.param("x") + 1;
  b.location("a.c", 13, 5);
  b.ret(sum);
  std::string text = to_text(b.done());
  EXPECT_NE(text.find("!\"a.c\":12:3"), std::string::npos) << text;
  EXPECT_NE(text.find("13:5"), std::string::npos) << text;
}

TEST(Builder, TextReadsBack) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var s = b.var("s", i64, Undefined::throws);
  Label again = b.label("again"), twin = b.label("again"), out = b.label("b1");
  b.jump(again);
  b.at(again);
  b.try_([&] { s = b.op("check_zero", {n}); }, [&](Val) { s = 5; });
  n -= 1;
  b.branch(n > 3, again, twin);
  b.at(twin).branch(n > 1, out, again);
  b.at(out).ret(s);
  std::string text = to_text(b.done());
  Expected<Module> again_read = parse(text);
  ASSERT_TRUE(again_read) << render(again_read.error()) << text;
  EXPECT_EQ(to_text(*again_read->find("f")), text);
}

}  // namespace
}  // namespace braid
