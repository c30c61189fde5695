// Wrong rules are refuted: the proofs can fail.
#include <gtest/gtest.h>

#include "prove.h"

namespace braid::rulec {
namespace {

std::vector<Rule> rules_of(const std::string& text, Errors& errors) {
  std::vector<Rule> rules;
  parse("test.rules", text, rules, errors);
  check_each(rules, errors);
  return rules;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Each line is one wrong rule that only a proof can tell from a right one.
TEST(RulesRefuted, NotTheWrongOnes) {
  const char* wrong[] = {
      "a: add(x, 1) => x",
      "b: add(add(x, A), B) => add(x, A - B)",
      "c: sdiv(x, C) if is_power_of_two(C) => ashr(x, log2(C))",  // rounds down, not to zero
      "d: udiv(x, x) => 1",                                       // 0 / 0 = 0
      "e: shl(shl(x, A), B) => shl(x, A + B)",                    // counts are masked
      "f: sle(x, C) => slt(x, C + 1)",                            // the greatest number
      "g: neg(zext(x)) => sext(x)",                               // only of one bit
      "h: sub(x, y) => add(x, y) for i1..i32",                    // wrong at every width but one
      "i: eq(zext(x), C) => eq(x, trunc(C to x))",
      "j: slt(add(x, C), add(y, C)) => slt(x, y)",                        // wraps
      "k: fadd(x, 0.0) => x proof=random:32,64",                          // -0 + 0 = 0
      "l: srem(x, C) if slt(C, 0) => srem(x, -C) proof=random:16,32,64",  // does not shrink: -MIN = MIN
      "m: extract(sadd_overflow(x, 1), 1) => eq(x, 0)",
      "n: select(slt(x, y), x, y) => umin(x, y)",
      "o: ashr(shl(x, C), C) => x",
      "p: shl(x, C) => shl(x, C & (width - 1))",  // right, but it might be rewritten for ever
  };
  for (const char* line : wrong) {
    Errors errors;
    std::vector<Rule> rules = rules_of(line, errors);
    ASSERT_TRUE(errors.empty()) << joined(errors.texts());
    ASSERT_EQ(rules.size(), 1u);
    ProofReport report = prove(rules, 10'000);
    EXPECT_FALSE(report.failures.empty()) << line;
    EXPECT_EQ(joined(report.failures).find("z3:"), std::string::npos) << joined(report.failures);
  }
}

/// What is right, but claims no more than the solver can do, fails until the line says so; random cases alone
/// are no proof.
TEST(RulesRefuted, WrongOnlyForWideWords) {
  Errors errors;
  std::vector<Rule> rules = rules_of("wide: and(x, 255) => x proof=random:16,32,64", errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules, 10'000);
  ASSERT_EQ(report.failures.size(), 3u) << "one for each width that is named";
  for (const std::string& failure : report.failures)
    EXPECT_NE(failure.find("test.rules:1:1: error: rule 'wide' is wrong for x = "), std::string::npos)
        << failure;
}

/// Widths that are left to random cases leave the others to be proved: this is wrong at 8 bits alone.
TEST(RulesRefuted, WrongOnlyAt8Bits) {
  Errors errors;
  std::vector<Rule> rules =
      rules_of("narrow: add(x, C) if C == 0 || C + width == C + 8 => x proof=random:16,32,64", errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules, 10'000);
  ASSERT_EQ(report.failures.size(), 1u) << joined(report.failures);
  EXPECT_NE(report.failures[0].find("rule 'narrow' is wrong for x: i8"), std::string::npos)
      << report.failures[0];
  EXPECT_EQ(report.random_cases, 30'000u);
}

/// A width that is not named is proved, however many others are named: this is wrong at 32 bits alone, for
/// one constant.
TEST(RulesRefuted, WrongOnlyAtAWidthThatIsNotNamed) {
  Errors errors;
  std::vector<Rule> rules = rules_of(
      "middle: add(x, C) if C == 0 || (C == 305419896 && width == C - 305419864) => x proof=random:16,64",
      errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules, 10'000);
  ASSERT_EQ(report.failures.size(), 1u) << joined(report.failures);
  EXPECT_NE(report.failures[0].find("rule 'middle' is wrong for x: i32"), std::string::npos)
      << report.failures[0];
}

/// A width at which the solver can prove the rule, or at which the rule does not apply, must not be named.
TEST(RulesRefuted, StaleMarks) {
  Errors errors;
  std::vector<Rule> rules = rules_of(
      "stale: add(x, 0) => x proof=random:32,64\nnever: sub(x, 0) => x for i8..i32 proof=random:64", errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ASSERT_EQ(rules.size(), 2u);
  ProofReport stale = find_stale({rules[0]}, false);
  ASSERT_EQ(stale.failures.size(), 2u) << joined(stale.failures);
  EXPECT_NE(stale.failures[1].find("rule 'stale' is proved at 64 bits"), std::string::npos)
      << stale.failures[1];
  ProofReport never = prove({rules[1]}, 10'000);
  ASSERT_EQ(never.failures.size(), 1u) << joined(never.failures);
  EXPECT_NE(never.failures[0].find("rule 'never' does not apply at 64 bits"), std::string::npos);
}

/// Without a proof at 8 bits there is none.
TEST(RulesRefuted, NothingAt8Bits) {
  Errors errors;
  std::vector<Rule> rules = rules_of("wide: sub(x, 0) => x for i16..i64 proof=random:64", errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules, 10'000);
  ASSERT_EQ(report.failures.size(), 1u) << joined(report.failures);
  EXPECT_NE(report.failures[0].find("has no proof at 8 bits"), std::string::npos) << report.failures[0];
}

}  // namespace
}  // namespace braid::rulec
