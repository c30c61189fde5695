// Every rewrite rule is proved.
#include <gtest/gtest.h>

#include <cstdlib>

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
  size_t partly = 0, widths = 0;
  for (const Rule& rule : rules) {
    partly += !rule.random_widths.empty();
    widths += rule.random_widths.size();
  }
  std::printf(
      "%zu rules, %zu of them with %zu widths left to random cases; %u proofs, %u of them case by case; %llu "
      "random cases\n",
      rules.size(), partly, widths, report.queries, report.split,
      static_cast<unsigned long long>(report.random_cases));
  EXPECT_GT(rules.size(), 700u);
  EXPECT_GT(report.queries, 4 * rules.size());
  EXPECT_EQ(report.random_cases, widths * 1'000'000);
  // The table of rules that the library carries is that of the files.
  std::span<const rules::RuleInfo> table = rules::all_rules();
  ASSERT_EQ(table.size(), rules.size() + rules::first_pattern_rule);
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(table[i + rules::first_pattern_rule].name, rules[i].name);
    EXPECT_EQ(table[i + rules::first_pattern_rule].line, rules[i].line);
  }
}

/// A width that is left to random cases is out of the solver's reach. BRAID_ALL_STRESS_POINTS, as ./dev test
/// --full sets it, gives the solver the time that a proof has.
TEST(RulesProved, NoMarkIsStale) {
  ProofReport report = find_stale(all_rules(), std::getenv("BRAID_ALL_STRESS_POINTS") != nullptr);
  EXPECT_TRUE(report.failures.empty()) << joined(report.failures);
}

}  // namespace
}  // namespace braid::rulec
