// Running functions through the public headers: arguments, ends that are mistakes, and code that is kept.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace braid {
namespace {

Func& identity(Module& m, const char* name, Type type) {
  Builder b(m, name, {{"x", type}}, type);
  b.ret(b.param("x"));
  return b.done();
}

TEST(Interpret, UnsignedArgumentsKeepTheirValue) {
  Module m;
  Func &wide = identity(m, "wide", i64), &middle = identity(m, "middle", i32), &narrow = identity(m, "narrow", i8);
  Func &real = identity(m, "real", f64), &small_real = identity(m, "small_real", f32);
  EXPECT_EQ(interpret(wide, 4000000000u).as_i64(), 4000000000);
  EXPECT_EQ(interpret(wide, uint8_t{200}).as_i64(), 200);
  EXPECT_EQ(interpret(wide, uint16_t{65535}).as_i64(), 65535);
  EXPECT_EQ(interpret(middle, uint8_t{200}).as_i32(), 200);
  EXPECT_EQ(interpret(wide, ~uint64_t{0}).as_i64(), -1);
  EXPECT_EQ(interpret(middle, 4000000000u).as_i32(), -294967296);
  EXPECT_EQ(interpret(narrow, uint8_t{200}).as_i64(), -56);
  EXPECT_EQ(interpret(narrow, 200u).as_i64(), -56);
  EXPECT_EQ(interpret(middle, uint64_t{4000000000}).as_i32(), -294967296);
  EXPECT_EQ(interpret(real, 4000000000u).as_f64(), 4e9);
  EXPECT_EQ(interpret(real, ~uint64_t{0}).as_f64(), 18446744073709551616.0);
  EXPECT_EQ(interpret(small_real, uint8_t{200}).as_f32(), 200.0f);
  // What has a sign keeps it.
  EXPECT_EQ(interpret(wide, int8_t{-56}).as_i64(), -56);
  EXPECT_EQ(interpret(wide, -294967296).as_i64(), -294967296);
  EXPECT_EQ(interpret(real, -3).as_f64(), -3.0);
  Value too_large[] = {300u}, sign[] = {200};
  EXPECT_EQ(run(narrow, too_large).message, "fails: argument 1 of @narrow has another type");
  EXPECT_EQ(run(narrow, sign).message, "fails: argument 1 of @narrow has another type");
  EXPECT_EQ(Value(uint8_t{200}), Value(int8_t{-56}));
}

TEST(Interpret, ValuesFromOutsideAreOfTheirTypes) {
  Module m = parse("func @k(a: i64[0..9]) -> i1 {\nentry:\n  %0 = slt i64 %a, 10\n  ret %0\n}\n"
                   "func @mixed(a: i64[0..9]|f64|null) {\nentry:\n  ret\n}\n"
                   "func @pair(a: (i8[-1..1], f64)) {\nentry:\n  ret\n}\n"
                   "func @single(a: f32) {\nentry:\n  ret\n}\n"
                   "extern @h() -> i64[0..9]\n"
                   "func @asks() -> i64 {\nentry:\n  %0 = call @h()\n  ret %0\n}\n").value();
  auto ran = [&](std::string_view name, Value argument) { return run(*m.find(name), {&argument, 1}).message; };
  const std::string refused = "fails: argument 1 of @k has another type than i64[0..9]: 100";
  EXPECT_EQ(ran("k", 9), "true");
  EXPECT_EQ(ran("k", 100), refused);
  ASSERT_TRUE(optimize(*m.find("k"), "infer,dce"));
  EXPECT_EQ(ran("k", 100), refused);
  EXPECT_EQ(ran("k", 9u), "true");
  EXPECT_EQ(ran("k", -1), "fails: argument 1 of @k has another type than i64[0..9]: -1");
  EXPECT_EQ(ran("mixed", int64_t{9}), "void");
  EXPECT_EQ(ran("mixed", 10.0), "void");
  EXPECT_EQ(ran("mixed", int64_t{10}), "fails: argument 1 of @mixed has another type than null|i64[0..9]|f64: 10");
  Value pair(tuple_type, 0);
  pair.elements = {int8_t{1}, 2.0};
  EXPECT_EQ(ran("pair", pair), "void");
  pair.elements[0] = int8_t{2};
  EXPECT_EQ(ran("pair", pair), "fails: argument 1 of @pair has another type than (i8[-1..1], f64): (2, 2.0)");
  EXPECT_EQ(ran("single", 1e30), "void");
  EXPECT_EQ(ran("single", 1e39), "fails: argument 1 of @single has another type");
  // A type of another module's table.
  EXPECT_EQ(ran("single", Value(Type{Type::table_bit | 1000}, 0)).substr(0, 46), "fails: argument 1 of @single has another type ");
  RunOptions options;
  int64_t answer = 9;
  options.host["h"] = [&](std::span<const Value>) -> IntrinsicResult { return Value(answer); };
  EXPECT_EQ(run(*m.find("asks"), {}, options).message, "9");
  answer = 10;
  EXPECT_EQ(run(*m.find("asks"), {}, options).message, "fails: host function @h answered a value of another type: 10");
}

TEST(Interpret, ExternalFunctionsHaveNoBody) {
  Module m;
  Func& p = m.declare_external("p", std::vector<Type>{i64}, i64);
  Value one[] = {int64_t{1}};
  EXPECT_EQ(run(p, one).message, "fails: @p cannot be run: it has no body");
  EXPECT_EQ(run(p, {}).message, "fails: @p takes 1 arguments, not 0");
  EXPECT_EQ(run(p, one).kind, RunResult::Kind::error);
}

TEST(Interpret, EmptyHostFunctionsAreNotThere) {
  Module m;
  m.declare_external("p", std::vector<Type>{i64}, i64);
  Builder b(m, "f", {}, i64);
  b.ret(b.call("p", {1}));
  RunOptions options;
  options.host["p"] = HostFunc{};
  EXPECT_EQ(run(b.done(), {}, options).message, "fails: there is no host function @p");
}

TEST(Runner, KeepsCode) {
  Module m;
  Builder callee(m, "callee", {{"n", i64}}, i64);
  callee.ret(callee.param("n") * 2);
  callee.done();
  Builder b(m, "f", {{"n", i64}}, i64);
  b.ret(b.call("callee", {b.param("n")}) + 1);
  Func& f = b.done();
  Runner runner(m);
  for (int64_t n = 0; n < 5; ++n) {
    Value argument(n);
    EXPECT_EQ(runner.run(f, {&argument, 1}).value.as_i64(), 2 * n + 1);
    EXPECT_EQ(runner.code_made(), 2u);
  }
  Runner moved = std::move(runner);
  Value argument(uint8_t{200});
  EXPECT_EQ(moved.run(f, {&argument, 1}).message, "401");
  EXPECT_EQ(moved.code_made(), 2u);
}

TEST(Runner, NoticesWhatHasChanged) {
  Module m;
  RunOptions options;
  options.host["late"] = [](std::span<const Value>) -> IntrinsicResult { return Value(int64_t{-1}); };
  Runner runner(m, options);
  Builder late(m, "late", {}, i64);
  Builder b(m, "f", {}, i64);
  b.ret(b.call("late", {}));
  Func& f = b.done();
  Func& other = identity(m, "other", i64);
  Value argument(int64_t{3});
  EXPECT_EQ(runner.run(f, {}).message, "-1");
  EXPECT_EQ(runner.run(other, {&argument, 1}).message, "3");
  EXPECT_EQ(runner.code_made(), 2u);
  // What was a function of the host has a body now; the next time only what has changed is made anew.
  late.ret(7);
  late.done();
  EXPECT_EQ(runner.run(f, {}).message, "7");
  EXPECT_EQ(runner.run(other, {&argument, 1}).message, "3");
  const uint64_t before = runner.code_made();
  ASSERT_TRUE(optimize(f, "inline,dce"));
  EXPECT_EQ(runner.run(f, {}).message, "7");
  EXPECT_EQ(runner.run(other, {&argument, 1}).message, "3");
  EXPECT_EQ(runner.code_made(), before + 1);
  ASSERT_TRUE(parse_into(m, "func @g() -> i64 {\n  var x: i64\nentry:\n  set x, 4\n  %0 = get x\n  ret %0\n}\n"));
  EXPECT_EQ(runner.run(*m.find("g"), {}).message, "4");
  ASSERT_TRUE(construct(*m.find("g")));
  EXPECT_EQ(runner.run(*m.find("g"), {}).message, "4");
  EXPECT_EQ(runner.code_made(), before + 3);
}

TEST(Runner, RunsFromHostFunctions) {
  Module m;
  m.declare_external("again", std::vector<Type>{i64}, i64);
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  b.if_(n == 0, [&] { b.ret(0); });
  b.ret(b.call("again", {n - 1}) + n);
  Func& f = b.done();
  Runner* self = nullptr;
  RunOptions options;
  options.host["again"] = [&](std::span<const Value> arguments) -> IntrinsicResult { return self->run(f, arguments).value; };
  Runner runner(m, options);
  self = &runner;
  Value ten(int64_t{10});
  EXPECT_EQ(runner.run(f, {&ten, 1}).message, "55");
  EXPECT_EQ(runner.code_made(), 1u);
}

TEST(Runner, RefusesFunctionsOfOtherModules) {
  Module m, other;
  EXPECT_EQ(Runner(m).run(identity(other, "f", i64), {}).message, "fails: @f belongs to another module");
}

}  // namespace
}  // namespace braid
