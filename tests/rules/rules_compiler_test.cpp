// What the rule compiler says of rules that it cannot take, and what it makes of those that it can.
#include <gtest/gtest.h>

#include "rule.h"
#include "variant.h"

namespace braid::rulec {
namespace {

std::string errors_of(const std::string& text) {
  Errors errors;
  std::vector<Rule> rules;
  parse("t.rules", text, rules, errors);
  check_each(rules, errors);
  if (errors.empty()) check_together(rules, errors);
  std::string all;
  for (const std::string& error : errors.texts()) all += error + "\n";
  return all;
}

struct Bad {
  const char* text;
  const char* error;
};

TEST(RulesCompiler, SaysWhatIsWrong) {
  const char* endless = "error: the result is not less than the pattern: rewriting might not end\n";
  const Bad all[] = {
      {"a add(x, 0) => x", "1:3: error: ':' is missing behind the name of the rule\n"},
      {"a: add(x, 0 => x", "1:13: error: ')' is missing\n"},
      {"a: add(x, 0) x", "1:14: error: '=>' is missing\n"},
      {"a: plus(x, 0) => x", "1:4: error: 'plus' is no operation\n"},
      {"a: add(x) => x", "1:4: error: 'add' takes 2 operands\n"},
      {"a: add(x, 0) => y", "1:17: error: 'y' does not stand in the pattern\n"},
      {"a: add(x, 0) => x twice", "1:19: error: an attribute is 'for', 'once' or 'proof='\n"},
      {"a: add(x, 0) => x proof=none",
       "1:24: error: a proof is 'proof=cases' or 'proof=random:' and widths\n"},
      {"a: add(x, 0) => x proof=random",
       "1:24: error: a proof is 'proof=cases' or 'proof=random:' and widths\n"},
      {"a: add(x, 0) => x proof=random:", "error: only 16, 32 and 64 bits may be left to random cases\n"},
      {"a: add(x, 0) => x proof=random:8",
       "1:32: error: only 16, 32 and 64 bits may be left to random cases\n"},
      {"a: add(x, 0) => x proof=random:8,64",
       "1:32: error: only 16, 32 and 64 bits may be left to random cases\n"},
      {"a: add(x, 0) => x proof=random:32,8",
       "1:35: error: only 16, 32 and 64 bits may be left to random cases\n"},
      {"a: add(x, 0) => x proof=random:64,32", "error: widths stand in their order, each of them once\n"},
      {"a: add(x, 0) => x for", "1:22: error: a type is missing\n"},
      {"a: x => x", "1:4: error: a pattern is an operation on values\n"},
      {"a: add(x, y) => x + y", "1:19: error: infix operators are for constants; write 'add(…)'\n"},
      {"a: add(x, A + 1) => x",
       "1:13: error: a computed constant in a pattern cannot depend on others; give it a name and use "
       "'if'\n"},
      {"a: fadd(add(x, y), z) => z", "1:4: error: no type fits here\n"},
      {"a: call(x) => x", "1:4: error: 'call' takes 1 operands\n"},
      {"a: load(x) => x", "1:4: error: 'load' is not an operation that rules know\n"},
      {"a: zext(x) => x", "1:15: error: the types of the result do not fit those of the pattern\n"},
      {"a: trunc(zext(x)) => x", "1:22: error: the types of the result do not fit those of the pattern\n"},
      {"a: and(eq(x, 0), eq(y, 0)) => eq(or(x, y), 0) once",
       "1:31: error: the types of the result do not fit those of the pattern\n"},
      {"a: add(x, 0) if zext(trunc(1)) == 1 => x",
       "1:28: error: nothing says which type this is; write '(… to x)'\n"},
      {"a: add(x, y) => add(y, x)", endless},
      {"a: shl(x, 1) => add(x, x)", endless},
      {"a: slt(x, C) => sle(x, C - 1)", endless},
      {"a: sub(x, y) => add(x, neg(y))", endless},
      {"a: and(not(x), not(y)) => not(or(x, y))",
       "error: the result makes more than one operation; the rule needs 'once'\n"},
      {"a: sdiv(x, x) => zext(ne(x, 0)) for i8..i64", "1:18: error: the result makes more operations than go\n"},
      {"a: add(x, 0) => x grows", "1:19: error: an attribute is 'for', 'once' or 'proof='\n"},
      {"a: sub(x, x) => 0 once", "1:17: error: the rule does not need 'once'\n"},
      {"a: sub(x, x) => 0\na: xor(x, x) => 0", "2:1: error: rule 'a' is already in line 1\n"},
      {"a: add(x, 0) => x", "1:4: error: no rule moves constants of 'add' to the right\n"},
  };
  for (const Bad& bad : all) {
    std::string errors = errors_of(bad.text);
    EXPECT_TRUE(errors.starts_with("t.rules:")) << bad.text << "\n" << errors;
    EXPECT_NE(errors.find(bad.error), std::string::npos) << bad.text << "\n" << errors;
  }
}

TEST(RulesCompiler, DeepNestingIsAnError) {
  std::string deep = "a: ";
  for (int i = 0; i < 10000; ++i) deep += "not(";
  EXPECT_NE(errors_of(deep).find("nested too deeply"), std::string::npos);
  EXPECT_NE(errors_of("a: add(x, " + std::string(10000, '-') + "1) => x").find("nested too deeply"),
            std::string::npos);
}

Rule one_rule(const std::string& text) {
  Errors errors;
  std::vector<Rule> rules;
  parse("t.rules", text, rules, errors);
  infer_types(rules.at(0), errors);
  check_order(rules.at(0), errors);
  EXPECT_TRUE(errors.empty()) << errors.texts().at(0);
  return rules.at(0);
}

TEST(RulesCompiler, OrdersOfOperands) {
  EXPECT_EQ(variants_of(one_rule("a: sub(x, x) => 0")).size(), 1u);
  EXPECT_EQ(variants_of(one_rule("a: xor(x, x) => 0")).size(), 1u);
  EXPECT_EQ(variants_of(one_rule("a: and(x, or(x, y)) => x")).size(), 4u);
  EXPECT_EQ(variants_of(one_rule("a: add(add(x, A), B) => add(x, A + B)")).size(), 1u)
      << "constants stand on the right";
  EXPECT_EQ(variants_of(one_rule("a: xor(not(x), not(y)) => xor(x, y)")).size(), 1u)
      << "the other order is the same rule";
}

TEST(RulesCompiler, Types) {
  EXPECT_EQ(one_rule("a: add(x, 0) => x").assignments.size(), 5u);
  EXPECT_EQ(one_rule("a: add(x, 0) => x for i8..i64").assignments.size(), 4u);
  EXPECT_EQ(one_rule("a: zext(zext(x)) => zext(x)").assignments.size(), 10u)
      << "three widths of five, in order";
  EXPECT_EQ(one_rule("a: neg(zext(x:i1)) => sext(x)").assignments.size(), 4u);
  EXPECT_EQ(one_rule("a: fneg(fneg(x)) => x").assignments.size(), 2u);
}

/// What the end of rewriting needs is tested by the matcher or proved.
TEST(RulesCompiler, NeedsOfTheOrder) {
  Rule outwards = one_rule("a: add(add(x, C), y) => add(add(x, y), C) once");
  EXPECT_EQ(outwards.not_constant, (std::vector<std::string>{"x", "y"}));
  Rule count = one_rule("a: shl(x, C) if uge(C, width) => shl(x, C & (width - 1))");
  EXPECT_EQ(count.decreasing.size(), 1u);
}

}  // namespace
}  // namespace braid::rulec
