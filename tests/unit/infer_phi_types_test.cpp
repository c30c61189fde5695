// Typing of phis: the rules, rings, literals that nobody can tell from floats.
#include <gtest/gtest.h>

#include <bit>

#include "infer/numeric.h"
#include "infer/phi_types.h"
#include "infer/split_constants.h"
#include "opt_testing.h"
#include "ssa/construct.h"

namespace braid::infer {
namespace {

using ir::Operand;
using opt::Program;

/// A diamond with a phi of what the two sides bring, and uses of it.
std::string diamond(const std::string& type, const std::string& left, const std::string& right, const std::string& uses) {
  return "language php\nfunc @f(c: i1, d: f64, i: i64, s: string, a: i64|f64) -> null|i1|i64|f64|string {\nentry:\n"
         "  branch %c, left, right\nleft:\n  jump join\nright:\n  jump join\njoin:\n  %x = phi " +
         type + " [left: " + left + ", right: " + right + "]\n" + uses + "}\n";
}

class PhiTyping : public testing::Test {
 protected:
  TypedPhi only_phi(Program& p) {
    types = infer(p.function());
    phis = type_phis(p.function(), types);
    EXPECT_EQ(phis.phis.size(), 1u);
    return phis.phis.at(0);
  }
  PhiRule rule(const std::string& type, const std::string& left, const std::string& right) {
    Program p(diamond(type, left, right, "  ret %x\n"));
    return only_phi(p).rule;
  }
  /// Whether the literal 1 that meets a float becomes a float, given these uses.
  uint32_t committed(const std::string& uses) {
    Program p(diamond("i64|f64", "i64 1", "%d", uses));
    const NumericReport report = commit_numerics(p.function());
    p.expect_valid("committed");
    EXPECT_EQ(report.literals + report.observed, 1u) << uses;
    return report.literals;
  }

  Types types;
  PhiTypes phis;
};

TEST_F(PhiTyping, TheRulesOfTheText) {
  EXPECT_EQ(rule("i64", "%i", "i64 2"), PhiRule::same);
  EXPECT_EQ(rule("i64|f64", "i64 1", "%d"), PhiRule::numeric);
  EXPECT_EQ(rule("i64|string", "%i", "%s"), PhiRule::mixed);
  EXPECT_EQ(rule("i64|f64", "%i", "%d"), PhiRule::mixed);
  EXPECT_EQ(rule("i64|f64|string", "i64 1", "%s"), PhiRule::mixed);
  EXPECT_EQ(rule("null|string", "null null", "%s"), PhiRule::same) << "both are references";
  Program p(diamond("i64|f64", "%a", "%i", "  ret %x\n"));
  const TypedPhi phi = only_phi(p);
  EXPECT_EQ(phi.rule, PhiRule::mixed);
  EXPECT_EQ(p.module->types.kinds(phi.type), (i64 | f64).bits) << "the union of what flows in";
}

TEST_F(PhiTyping, LargeLiteralsAreNotNumeric) {
  EXPECT_EQ(rule("i64|f64", "i64 9007199254740993", "%d"), PhiRule::mixed);
  EXPECT_EQ(rule("i64|f64", "i64 9007199254740994", "%d"), PhiRule::numeric);
  EXPECT_EQ(rule("i64|f64", "i64 9223372036854775807", "%d"), PhiRule::mixed);
  EXPECT_EQ(rule("i64|f64", "i64 -9223372036854775808", "%d"), PhiRule::numeric);
}

TEST_F(PhiTyping, UnknownIsAnErrorWithAReason) {
  Program p("func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, b\na:\n  jump join\nb:\n  jump join\njoin:\n"
            "  %x = phi i64 [a: undef, b: undef]\n  ret i64 0\n}\n");
  const TypedPhi phi = only_phi(p);
  EXPECT_EQ(phi.rule, PhiRule::unknown);
  EXPECT_EQ(phi.reason, "it is undefined on every edge");
}

TEST_F(PhiTyping, RingsAreTypedByWhatEnters) {
  // x2 = phi(x1, x6), x6 = phi(x3, x2): the types of x1 and x3.
  Program p("func @f(x1: i64, c: i1) -> i64 {\nentry:\n  jump outer\nouter:\n  %x2 = phi i64 [entry: %x1, after: %x6]\n"
            "  branch %c, yes, after\nyes:\n  %x3 = add i64 %x1, 1\n  jump after\nafter:\n"
            "  %x6 = phi i64 [yes: %x3, outer: %x2]\n  branch %c, outer, done\ndone:\n  ret %x6\n}\n");
  const Types types = infer(p.function());
  const PhiTypes phis = type_phis(p.function(), types);
  ASSERT_EQ(phis.rings.size(), 1u);
  EXPECT_EQ(phis.rings[0].members.size(), 2u);
  ASSERT_EQ(phis.rings[0].entering.size(), 2u);
  EXPECT_TRUE(phis.rings[0].entering[0].is_param());
  EXPECT_EQ(phis.rings[0].type, i64);
  EXPECT_EQ(phis.phis[0].ring, 0u);
  EXPECT_EQ(phis.phis[1].ring, 0u);
}

TEST_F(PhiTyping, RingsGoThroughCopies) {
  // The swap of two variables in a loop: each phi reads the other one, by a pi here.
  Program p("func @f(n: i64, s: string) -> i64|string {\nentry:\n  jump head\nhead:\n"
            "  %a = phi i64|string [entry: %n, body: %p]\n  %b = phi i64|string [entry: %s, body: %a]\n"
            "  %c = is %b, string\n  branch %c, body, done\nbody:\n  %p = pi i64|string %b\n  jump head\ndone:\n  ret %a\n}\n");
  const Types types = infer(p.function());
  const PhiTypes phis = type_phis(p.function(), types);
  ASSERT_EQ(phis.rings.size(), 1u);
  EXPECT_EQ(phis.rings[0].members.size(), 3u);
  EXPECT_EQ(phis.rings[0].entering.size(), 2u);
  for (const TypedPhi& phi : phis.phis) EXPECT_EQ(phi.rule, PhiRule::mixed);
}

TEST_F(PhiTyping, LiteralsBecomeFloatsWhereNobodyCanTell) {
  EXPECT_EQ(committed("  %r = dyn.add %x, %d\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %r = dyn.div %d, %x\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %r = dyn.lt %x, %d\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %r = dyn.truth %x\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %r = dyn.to_int %x\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %r = dyn.rem %x, %i\n  ret %r\n"), 1u);
  EXPECT_EQ(committed("  %k = dyn.and %i, i64 255\n  %r = dyn.lt %x, %k\n  ret %r\n"), 1u);
}

TEST_F(PhiTyping, AndOnlyThere) {
  EXPECT_EQ(committed("  ret %x\n"), 0u) << "PHP prints 1 and 1.0 differently";
  EXPECT_EQ(committed("  %r = is %x, i64\n  ret %r\n"), 0u);
  EXPECT_EQ(committed("  %r = dyn.identical %x, i64 1\n  ret %r\n"), 0u);
  EXPECT_EQ(committed("  %r = dyn.add %x, %i\n  ret %r\n"), 0u) << "the sum of integers is an integer";
  EXPECT_EQ(committed("  %r = dyn.add %x, %x\n  ret %r\n"), 0u);
  EXPECT_EQ(committed("  %r = dyn.add %x, %a\n  ret %r\n"), 0u);
  EXPECT_EQ(committed("  %r = dyn.lt %x, %i\n  ret %r\n"), 0u) << "large integers are rounded";
  EXPECT_EQ(committed("  %r = dyn.concat %x, %s\n  ret %r\n"), 0u);
  EXPECT_EQ(committed("  %q = dyn.add %x, %d\n  %r = is %x, f64\n  ret %r\n"), 0u) << "one use that can tell is enough";
}

TEST_F(PhiTyping, OneWebDecidesTogether) {
  // The accumulator of a loop over floats is returned: with no round at all it is the integer 0.
  const char* loop = "language php\nfunc @f(n: i64, d: f64) -> null|i1|i64|f64|string {\nentry:\n  jump head\nhead:\n"
                     "  %s = phi i64|f64 [entry: i64 0, body: %t]\n  %i = phi i64 [entry: 0, body: %j]\n"
                     "  %c = slt i64 %i, %n\n  branch %c, body, done\nbody:\n  %t = dyn.add %s, %d\n"
                     "  %j = add i64 %i, 1\n  jump head\ndone:\n  RETURN\n}\n";
  auto with = [&](const std::string& end) {
    std::string text = loop;
    text.replace(text.find("RETURN"), 6, end);
    Program p(text);
    return commit_numerics(p.function()).literals;
  };
  EXPECT_EQ(with("ret %s"), 0u);
  EXPECT_EQ(with("%r = dyn.to_float %s\n  ret %r"), 1u);
  EXPECT_EQ(with("%r = dyn.mul %s, %d\n  ret %r"), 1u);
}

/// One register constant, 0 or 1.0 by its bits, read in many ways.
class ConstantsByUse : public testing::Test {
 protected:
  ConstantsByUse() {
    g = &m.add_function(m.symbol("g"), {{i64, f64, ref, i32, null_type | string_type, f32}, void_type}, true);
    f = &m.add_function(m.symbol("f"), {{f64, i64, ref, object_type}, f64});
    entry = f->new_block();
  }
  Operand operand(Operand id, uint32_t i) { return f->operand(id, i); }

  ir::Module m;
  ir::Function *f, *g;
  ir::BlockId entry;
  const uint64_t one = std::bit_cast<uint64_t>(1.0);
};

TEST_F(ConstantsByUse, EachOperandForItself) {
  const Operand zero = m.constant(i64, 0);
  const uint32_t words[] = {index(g->id()), zero.word(), zero.word(), zero.word(), zero.word(), zero.word(), zero.word()};
  const Operand call = f->append(entry, f->make(ir::Op::call, void_type, words));
  const Operand bits = m.constant(i64, static_cast<int64_t>(one));
  const Operand sum = f->append(entry, f->make(ir::Op::fadd, f64, {Operand::param(0), bits}));
  const Operand whole = f->append(entry, f->make(ir::Op::add, i64, {Operand::param(1), zero}));
  const Operand is_null = f->append(entry, f->make(ir::Op::eq, i1, {zero, Operand::param(2)}));
  const Operand less = f->append(entry, f->make(ir::Op::flt, i1, {sum, zero}));
  f->ret(entry, zero);
  const SplitConstants split = split_constants(*f);
  EXPECT_EQ(split.operands, 9u);
  EXPECT_TRUE(split.conflicts.empty());
  EXPECT_EQ(operand(call, 1), zero);
  EXPECT_EQ(operand(call, 2), m.constants.get(f64, 0));
  EXPECT_EQ(operand(call, 3), m.constants.get(ref, 0));
  EXPECT_EQ(operand(call, 4), m.constants.get(i32, 0));
  EXPECT_EQ(operand(call, 5), m.constants.get(null_type, 0));
  EXPECT_EQ(operand(call, 6), m.constants.get(f32, 0));
  EXPECT_EQ(operand(sum, 1), m.constants.get(f64, one));
  EXPECT_EQ(operand(whole, 1), zero);
  EXPECT_EQ(operand(is_null, 0), m.constants.get(ref, 0));
  EXPECT_EQ(operand(less, 1), m.constants.get(f64, 0));
  EXPECT_EQ(operand(f->terminator(entry), 0), m.constants.get(f64, 0));
  EXPECT_TRUE(ir::verify(*f).empty());
  EXPECT_EQ(split_constants(*f).operands, 0u);
}

TEST_F(ConstantsByUse, ConflictsAreFindings) {
  const Operand five = m.constant(i64, 5);
  f->append(entry, f->make(ir::Op::eq, i1, {five, Operand::param(2)}));
  f->ret(entry, five);
  const SplitConstants split = split_constants(*f);
  ASSERT_EQ(split.conflicts.size(), 1u);
  EXPECT_EQ(split.conflicts[0].message, "the constant 5 is used as a value of type ref");
  EXPECT_EQ(operand(f->terminator(entry), 0), m.constants.get(f64, 5)) << "by its bits, not by its value";
}

TEST_F(ConstantsByUse, PhisDecideByTheirType) {
  const ir::BlockId other = f->new_block(), join = f->new_block();
  f->branch(entry, m.constant(i1, 1), other, join);
  f->jump(other, join);
  const Operand phi = f->append(join, f->make(ir::Op::phi, f64, {m.constant(i64, static_cast<int64_t>(one)), Operand::param(0)}));
  f->ret(join, phi);
  EXPECT_EQ(split_constants(*f).operands, 1u);
  EXPECT_EQ(operand(phi, 0), m.constants.get(f64, one));
  EXPECT_TRUE(ir::verify(*f).empty());
}

}  // namespace
}  // namespace braid::infer
