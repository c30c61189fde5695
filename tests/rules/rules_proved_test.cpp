// Every rewrite rule is proved, and a wrong one is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "prove.h"
#include "rules/rule.h"

namespace braid::rulec {
namespace {

std::vector<std::string> rule_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BRAID_SOURCE_DIR "/src/rules"))
    if (entry.path().extension() == ".rules") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Rule> rules_of(const std::string& text, Errors& errors) {
  std::vector<Rule> rules;
  parse("test.rules", text, rules, errors);
  for (Rule& rule : rules) {
    size_t before = errors.texts().size();
    infer_types(rule, errors);
    if (errors.texts().size() == before) check_order(rule, errors);
  }
  return rules;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(RulesProved, AllOfThem) {
  Errors errors;
  std::vector<Rule> rules = read_rules(rule_files(), errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules);
  EXPECT_TRUE(report.failures.empty()) << joined(report.failures);
  size_t narrow = static_cast<size_t>(std::count_if(rules.begin(), rules.end(), [](const Rule& r) { return r.proof_8bit; }));
  std::printf("%zu rules, %zu of them by 8 bits and random cases; %u proofs, %u of them case by case; %llu random cases\n",
              rules.size(), narrow, report.queries, report.split, static_cast<unsigned long long>(report.random_cases));
  EXPECT_GT(rules.size(), 700u);
  EXPECT_GT(report.queries, 3 * (rules.size() - narrow));
  EXPECT_GE(report.random_cases, narrow * 1'000'000);
  // The table of rules that the library carries is that of the files.
  std::span<const rules::RuleInfo> table = rules::all_rules();
  ASSERT_EQ(table.size(), rules.size() + rules::first_pattern_rule);
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(table[i + rules::first_pattern_rule].name, rules[i].name);
    EXPECT_EQ(table[i + rules::first_pattern_rule].line, rules[i].line);
  }
}

/// Each line is one wrong rule that only a proof can tell from a right one.
TEST(RulesProved, NotTheWrongOnes) {
  const char* wrong[] = {
      "a: add(x, 1) => x",
      "b: add(add(x, A), B) => add(x, A - B)",
      "c: sdiv(x, C) if is_power_of_two(C) => ashr(x, log2(C))",          // rounds down, not to zero
      "d: udiv(x, x) => 1",                                               // 0 / 0 = 0
      "e: shl(shl(x, A), B) => shl(x, A + B)",                            // counts are masked
      "f: sle(x, C) => slt(x, C + 1)",                                    // the greatest number
      "g: neg(zext(x)) => sext(x)",                                       // only of one bit
      "h: sub(x, y) => add(x, y) for i1..i32",                            // wrong at every width but one
      "i: eq(zext(x), C) => eq(x, trunc(C to x))",
      "j: slt(add(x, C), add(y, C)) => slt(x, y)",                        // wraps
      "k: fadd(x, 0.0) => x proof=8bit+random",                           // -0 + 0 = 0
      "l: srem(x, C) if slt(C, 0) => srem(x, -C) proof=8bit+random",      // does not shrink: -MIN = MIN
      "m: extract(sadd_overflow(x, 1), 1) => eq(x, 0)",
      "n: select(slt(x, y), x, y) => umin(x, y)",
      "o: ashr(shl(x, C), C) => x",
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

/// What is right, but claims no more than the solver can do, fails until the line says so; random cases alone are no proof.
TEST(RulesProved, WrongOnlyForWideWords) {
  Errors errors;
  std::vector<Rule> rules = rules_of("wide: and(x, 255) => x proof=8bit+random", errors);
  ASSERT_TRUE(errors.empty()) << joined(errors.texts());
  ProofReport report = prove(rules, 10'000);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_NE(report.failures[0].find("test.rules:1:1: error: rule 'wide' is wrong for x = "), std::string::npos) << report.failures[0];
}

}  // namespace
}  // namespace braid::rulec
