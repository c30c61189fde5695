// Inference: what flows through branches, loops, handlers and calls; what ends it; what it costs.
#include <gtest/gtest.h>

#include <limits>

#include "infer/apply.h"
#include "infer/pi.h"
#include "ir/compact.h"
#include "opt_testing.h"
#include "type/type_text.h"

namespace braid::infer {
namespace {

using opt::Program;

class Infer : public testing::Test {
 protected:
  /// The type of the value called `name` in @f, as text; functions may be typed by summaries.
  std::string result(const std::string& text, bool with_summaries = false) {
    Program p(text);
    if (HasFailure()) return {};
    for (uint32_t i = 0; i < p.module->function_count(); ++i) {
      ir::Function& f = p.module->function(static_cast<ir::FuncId>(i));
      if (!f.is_external()) ir::compact(f);
    }
    Summaries summaries = with_summaries ? summarise(*p.module, std::vector{p.function().id()}) : Summaries();
    Types types = infer(p.function(), with_summaries ? &summaries : nullptr);
    return to_string(p.module->types, types.result());
  }
};

TEST_F(Infer, ConstantsThroughBranches) {
  EXPECT_EQ(result("func @f(n: i64) -> i64 {\nentry:\n  %c = slt i64 1, 2\n  branch %c, yes, no\nyes:\n  jump out\nno:\n"
                   "  jump out\nout:\n  %x = phi i64 [yes: 5, no: %n]\n  ret %x\n}\n"),
            "i64=5")
      << "the way that is never taken brings nothing";
}

TEST_F(Infer, ValuesAndBranchesThatDependOnEachOther) {
  // Only an optimistic analysis sees that x stays 1: the branch that changes it hangs on x itself.
  EXPECT_EQ(result("func @f(n: i64) -> i64 {\nentry:\n  jump head\nhead:\n  %x = phi i64 [entry: 1, back: %y]\n"
                   "  %c = eq i64 %x, 1\n  branch %c, same, other\nsame:\n  jump back\nother:\n  jump back\nback:\n"
                   "  %y = phi i64 [same: 1, other: 2]\n  %d = slt i64 %y, %n\n  branch %d, head, out\nout:\n  ret %x\n}\n"),
            "i64=1");
}

TEST_F(Infer, LoopsAreWidened) {
  const char* loop = "func @f(n: i64) -> i64 {\nentry:\n  jump head\nhead:\n  %i = phi i64 [entry: 0, body: %j]\n"
                     "  %c = slt i64 %i, %n\n  branch %c, body, out\nbody:\n  %j = add i64 %i, 1\n  jump head\nout:\n  ret %i\n}\n";
  EXPECT_EQ(result(loop), "i64") << "a wrapping sum may be anything";
  EXPECT_EQ(result("language php\nfunc @f(n: i64) -> i64|f64 {\nentry:\n  jump head\nhead:\n"
                   "  %i = phi i64|f64 [entry: i64 0, body: %j]\n  %c = dyn.lt %i, %n\n  branch %c, body, out\nbody:\n"
                   "  %j = dyn.add %i, i64 1\n  jump head\nout:\n  ret %i\n}\n"),
            "i64[0..9223372036854775807]|f64")
      << "a dynamic one never becomes negative";
}

TEST_F(Infer, KindsInRings) {
  EXPECT_EQ(result("language php\nfunc @f(n: i64) -> null|i64|f64|string {\nentry:\n  jump head\nhead:\n"
                   "  %a = phi null|i64|f64|string [entry: i64 1, body: %b]\n  %b = phi null|i64|f64|string [entry: f64 2, body: %a]\n"
                   "  %c = dyn.lt %a, %n\n  branch %c, body, out\nbody:\n  jump head\nout:\n  ret %a\n}\n"),
            "i64=1|f64=0x1p+1")
      << "phis that hang on each other are what flows in from outside";
}

TEST_F(Infer, UndefinedColumnsBringNoKindAndNoConstant) {
  EXPECT_EQ(result("func @f(n: i64) -> i64|f64 {\nentry:\n  %c = slt i64 %n, 2\n  branch %c, yes, out\nyes:\n  jump out\nout:\n"
                   "  %x = phi i64|f64 [entry: undef, yes: i64 5]\n  ret %x\n}\n"),
            "i64");
}

TEST_F(Infer, HandlersSeeAllUpsilons) {
  EXPECT_EQ(result("language php\nfunc @f(n: i64, s: string) -> i64|f64 {\nentry:\n  %u = upsilon i64|f64 i64 1\n  %t = enter handler, body\n"
                   "body:\n  %a = dyn.add %s, i64 1\n  %v = upsilon i64|f64 f64 0.5\n  %b = dyn.add %s, i64 2\n  leave %t\n  ret i64 7\n"
                   "handler:\n  %x = phi_c i64|f64 [%u, %v]\n  pop_exception %t\n  ret %x\n}\n"),
            "i64[1..7]|f64=0x1p-1");
}

TEST_F(Infer, NothingBehindWhatAlwaysThrows) {
  EXPECT_EQ(result("language php\nfunc @f(n: i64) -> i64|f64 {\nentry:\n  %a = dyn.div %n, i64 0\n  ret i64 1\n}\n"), "none");
  Program p("language php\nfunc @f(n: i64) -> i64|f64 {\nentry:\n  %a = dyn.div %n, i64 0\n  ret %a\n}\n");
  infer_types(p.function());
  p.expect_valid("typed");
  EXPECT_EQ(p.run({Value(int64_t{3})}), "throws zero");
  EXPECT_NE(p.text().find("unreachable"), std::string::npos) << p.text();
}

TEST_F(Infer, BranchesNarrowToTheLastIntegerAndToTheOtherKinds) {
  auto narrowed = [&](const std::string& text) {
    Program p(text);
    EXPECT_GT(insert_pis(p.function()), 0u);
    return to_string(p.module->types, infer(p.function()).result());
  };
  EXPECT_EQ(narrowed("func @f(n: i64) -> i64 {\nentry:\n  %m = and i64 %n, 255\n  %c = slt i64 %m, 10\n  branch %c, yes, no\n"
                     "yes:\n  ret %m\nno:\n  ret 0\n}\n"),
            "i64[0..9]");
  EXPECT_EQ(narrowed("language php\nfunc @f(x: i64|f64) -> i64|f64 {\nentry:\n  %c = is %x, i64\n  branch %c, yes, no\n"
                     "yes:\n  ret f64 0.5\nno:\n  ret %x\n}\n"),
            "f64");
}

TEST_F(Infer, TheOneQuotientThatDoesNotFit) {
  Program p("language php\nfunc @f(n: i64, m: i64) -> i64|f64 {\nentry:\n  %q = dyn.div %n, %m\n  ret %q\n}\n");
  const std::vector<Value> arguments = {Value(std::numeric_limits<int64_t>::min()), Value(int64_t{-1})};
  const std::string before = p.run(arguments);
  infer_types(p.function());
  p.expect_valid("typed");
  EXPECT_EQ(p.text().find("dyn.div"), std::string::npos) << p.text();
  EXPECT_EQ(p.run(arguments), before);
  EXPECT_EQ(p.run({Value(int64_t{-6}), Value(int64_t{-1})}), "6");
}

TEST_F(Infer, SwitchesByRange) {
  EXPECT_EQ(result("func @f(n: i64) -> i64 {\nentry:\n  %m = and i64 %n, 1\n  switch i64 %m, other, [0: a, 1: b, 2: c]\na:\n  ret 1\n"
                   "b:\n  ret 2\nc:\n  ret 100\nother:\n  ret 200\n}\n"),
            "i64[1..2]");
}

TEST_F(Infer, CallsBySummaries) {
  const std::string recursive =
      "language php\n"
      "func @f(n: i64) -> null|i64|f64|string {\nentry:\n  %x = call @even(%n)\n  ret %x\n}\n"
      "func @even(n: i64) -> null|i64|f64|string {\nentry:\n  %c = slt i64 %n, 1\n  branch %c, zero, more\nzero:\n  ret i64 1\n"
      "more:\n  %m = sub i64 %n, 1\n  %x = call @odd(%m)\n  ret %x\n}\n"
      "func @odd(n: i64) -> null|i64|f64|string {\nentry:\n  %c = slt i64 %n, 1\n  branch %c, zero, more\nzero:\n  ret f64 0\n"
      "more:\n  %m = sub i64 %n, 1\n  %x = call @even(%m)\n  ret %x\n}\n";
  EXPECT_EQ(result(recursive, true), "i64=1|f64=0x0p+0");
  EXPECT_EQ(result(recursive, false), "null|i64|f64|string");
  EXPECT_EQ(result("func @f(n: i64) -> i64 {\nentry:\n  %x = call @f(%n)\n  ret %x\n}\n", true), "none") << "it never returns";
  EXPECT_EQ(result("func @f(n: i64) -> i64 {\nentry:\n  %c = slt i64 %n, 1\n  branch %c, zero, more\nzero:\n  ret 0\nmore:\n"
                   "  %m = sub i64 %n, 1\n  %x = call @f(%m)\n  %y = add i64 %x, 1\n  ret %y\n}\n",
                   true),
            "i64")
      << "summaries of rings are widened";
}

/// However large, and however often it is called.
TEST_F(Infer, CallsOfLargeFunctions) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  %x0 = call @large(%n)\n";
  for (int i = 1; i < 1'000; ++i) text += "  %x" + std::to_string(i) + " = call @large(%x" + std::to_string(i - 1) + ")\n";
  text += "  ret %x999\n}\nfunc @large(n: i64) -> i64 {\nentry:\n  %a0 = add i64 %n, 1\n";
  for (int i = 1; i < 30'000; ++i) text += "  %a" + std::to_string(i) + " = add i64 %a" + std::to_string(i - 1) + ", %n\n";
  Program p(text + "  %x = and i64 %a29999, 3\n  ret %x\n}\n");
  infer_types(p.function());
  EXPECT_EQ(to_string(p.module->types, p.function().type_of(p.function().operand(p.function().terminator(ir::BlockId{0}), 0))),
            "i64[0..3]");
}

TEST_F(Infer, CallsThatCannotThrowAreMarked) {
  Program p("language php\nfunc @f(n: i64) -> i64 {\nentry:\n  %x = call @g(%n)\n  %y = call @h(%n)\n  ret %x\n}\n"
            "func @g(n: i64) -> i64 {\nentry:\n  %x = and i64 %n, 3\n  ret %x\n}\n"
            "func @h(n: i64) -> i64 {\nentry:\n  %x = dyn.rem %n, %n\n  ret %x\n}\n");
  infer_types(p.function());
  p.expect_valid("typed");
  const std::string text = p.text();
  EXPECT_NE(text.find("call @g(%n) : i64[0..3] !nothrow\n"), std::string::npos) << text;
  EXPECT_NE(text.find("call @h(%n) : i64[-9223372036854775807..9223372036854775807]\n"), std::string::npos) << text;
}

TEST_F(Infer, ChecksThatCannotFailAreMarked) {
  Program p("func @f(n: i64) -> i64 {\nentry:\n  %a = and i64 %n, 7\n  %b = add i64 %a, 1\n  %c = check_zero i64 %b\n"
            "  %d = check_bounds i64 %a, 8\n  %e = check_bounds i64 %a, 7\n  %s = add i64 %c, %d\n  %r = add i64 %s, %e\n  ret %r\n}\n");
  infer_types(p.function());
  p.expect_valid("typed");
  const std::string text = p.text();
  EXPECT_NE(text.find("check_zero i64[1..8] %1 !nothrow"), std::string::npos) << text;
  EXPECT_NE(text.find("check_bounds i64[0..7] %0, 8 !nothrow"), std::string::npos) << text;
  EXPECT_NE(text.find("check_bounds i64[0..6] %0, 7\n"), std::string::npos) << text;
}

TEST_F(Infer, NothingNewLeavesAFunctionAlone) {
  Program p("func @f(a: i64, b: i64) -> i64 {\nentry:\n  %x = add i64 %a, %b\n  %c = slt i64 %x, %b\n  branch %c, yes, no\nyes:\n"
            "  ret %x\nno:\n  ret %a\n}\n");
  const std::string before = p.text();
  ApplyReport report = infer_types(p.function());
  EXPECT_EQ(p.text(), before);
  EXPECT_EQ(report.narrowed + report.constants + report.edges + report.plain, 0u);
}

/// Phis that hang on each other in one ring, each with a constant of its own: steps, not time.
uint64_t steps_of_ring(uint32_t count) {
  ir::Module m;
  ir::Function& f = m.add_function(m.symbol("f"), {{i64}, i64});
  ir::BlockId entry = f.new_block(), head = f.new_block(), done = f.new_block();
  f.jump(entry, head);
  std::vector<ir::Ref> phis;
  for (uint32_t i = 0; i < count; ++i) phis.push_back(f.append(head, f.make(ir::Op::phi, i64, {m.constant(i64, i)})));
  f.branch(head, f.append(head, f.make(ir::Op::slt, i1, {phis[0], ir::Operand::param(0)})), head, done);
  for (uint32_t i = 0; i < count; ++i) f.set_operand(phis[i], 1, phis[(i + 1) % count]);
  f.ret(done, phis[0]);
  ir::compact(f);
  return infer(f).steps();
}

TEST_F(Infer, RingsOfPhisAreLinear) {
  const uint64_t small = steps_of_ring(5'000), large = steps_of_ring(10'000);
  EXPECT_LT(large, small * 22 / 10);
  EXPECT_LT(large, 10'000u * 40);
}

/// A loop around a region that assigns a variable again and again, which its handler may see.
uint64_t steps_of_region(uint32_t assignments) {
  std::string text =
      "func @f(n: i64) -> i64 {\nentry:\n  jump head\nhead:\n  %x = phi i64 [entry: 0, handler: %h, body: %a" +
      std::to_string(assignments) + "]\n  %c = slt i64 %x, %n\n  branch %c, start, out\nstart:\n  %u0 = upsilon i64 %x\n"
      "  %t = enter handler, body\nbody:\n  %z = check_zero i64 %n\n  %a0 = add i64 %x, 1\n";
  std::string upsilons = "%u0";
  for (uint32_t i = 1; i <= assignments; ++i) {
    const std::string now = std::to_string(i), before = std::to_string(i - 1);
    text += "  %a" + now + " = add i64 %a" + before + ", 1\n  %u" + now + " = upsilon i64 %a" + now + "\n";
    upsilons += ", %u" + now;
  }
  text += "  leave %t\n  jump head\nhandler:\n  %h = phi_c i64 [" + upsilons +
          "]\n  pop_exception %t\n  jump head\nout:\n  ret %x\n}\n";
  Program p(text);
  if (testing::Test::HasFailure()) return 0;
  ir::compact(p.function());
  return infer(p.function()).steps();
}

TEST_F(Infer, ManyUpsilonsOfOneHandlerAreLinear) {
  const uint64_t small = steps_of_region(1'000), large = steps_of_region(4'000);
  EXPECT_GT(small, 3'000u);
  EXPECT_LT(large, small * 45 / 10);
  EXPECT_LT(large, 4'000u * 40);
}

}  // namespace
}  // namespace braid::infer
