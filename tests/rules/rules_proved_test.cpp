// Every rewrite rule is proved.
#include <gtest/gtest.h>

#include <algorithm>

#include "project_rules.h"
#include "prove.h"
#include "rules/rule.h"

namespace braid::rulec {
namespace {

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
  size_t narrow = static_cast<size_t>(
      std::count_if(rules.begin(), rules.end(), [](const Rule& r) { return r.proof_8bit; }));
  std::printf(
      "%zu rules, %zu of them by 8 bits and random cases; %u proofs, %u of them case by case; %llu random "
      "cases\n",
      rules.size(), narrow, report.queries, report.split,
      static_cast<unsigned long long>(report.random_cases));
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

}  // namespace
}  // namespace braid::rulec
