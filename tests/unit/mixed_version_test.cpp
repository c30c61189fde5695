// Versions of blocks: budgets, what is not copied, limits, cost.
#include <gtest/gtest.h>

#include "growth.h"
#include "mixed/resolve.h"
#include "numbered.h"
#include "opt_testing.h"

namespace braid::mixed {
namespace {

using opt::Program;

const std::string head = "language php\nfunc @f(a: i1, n: i64) -> i64|f64|string {\nentry:\n  branch %a, whole, real\nwhole:\n"
                         "  jump join\nreal:\n  jump join\njoin:\n  %x = phi i64|f64 [whole: %n, real: f64 1.5]\n";

/// Behind the phi a block in which nothing gains, and behind that `sums` additions.
std::string with_sums(uint32_t sums) {
  std::string text = head + "  %t = dyn.concat string \"a\", %n\n  jump rest\nrest:\n  %s0 = dyn.add %x, i64 1\n";
  for (uint32_t i = 1; i < sums; ++i)
    text += "  %s" + std::to_string(i) + " = dyn.mul %s" + std::to_string(i - 1) + ", f64 0.5\n";
  return text + "  %r = dyn.concat %s" + std::to_string(sums - 1) + ", %t\n  ret %r\n}\n";
}

TEST(Versions, WhatGainsIsCopied) {
  Program p(with_sums(10));
  const VersionReport report = version(p.function());
  EXPECT_GE(report.rounds, 1u);
  EXPECT_GT(report.copied, 0u);
  EXPECT_FALSE(report.ended_by_budget);
  p.expect_valid("versioned");
}

TEST(Versions, NothingIsCopiedOnTheWayToWhatTheBudgetDoesNotReach) {
  // There is room for the blocks before the additions, but not for these: copies of the others would be for nothing.
  Program p(with_sums(30));
  const uint32_t before = p.function().size();
  const VersionReport report = version(p.function(), {20});
  EXPECT_EQ(report.copied, 0u);
  EXPECT_EQ(report.rounds, 0u);
  EXPECT_TRUE(report.ended_by_budget);
  EXPECT_LE(p.function().size(), before);
}

TEST(Versions, WithoutABudgetNothingIsCopied) {
  Program p(with_sums(3));
  const VersionReport report = version(p.function(), {0});
  EXPECT_EQ(report.copied, 0u);
  EXPECT_TRUE(report.ended_by_budget);
}

TEST(Versions, ABlockHasAsManyAsItMay) {
  // Four kinds come in; with room for three versions, two of them know something.
  const std::string text =
      "language php\nfunc @f(k: i64, n: i64) -> i64|f64 {\nentry:\n  switch i64 %k, d, [0: a, 1: b, 2: c]\na:\n  jump join\n"
      "b:\n  jump join\nc:\n  jump join\nd:\n  jump join\njoin:\n"
      "  %x = phi null|i1|i64|f64 [a: null null, b: i1 true, c: %n, d: f64 1.5]\n  %y = dyn.add %x, i64 1\n  ret %y\n}\n";
  for (uint32_t most : {8u, 3u}) {
    Program p(text);
    std::vector<std::string> expected;
    for (int64_t k = 0; k < 4; ++k) expected.push_back(p.run({Value(k), Value(int64_t{7})}));
    const VersionReport report = version(p.function(), {500, most, 1});
    ASSERT_EQ(report.phis.size(), 1u);
    EXPECT_EQ(report.phis[0].versions.size(), most == 8 ? 4u : 3u);
    EXPECT_EQ(report.phis[0].versions[0] == 0, most == 3) << "one knows nothing";
    p.expect_valid("versioned");
    for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(p.run({Value(k), Value(int64_t{7})}), expected[static_cast<size_t>(k)]);
  }
}

TEST(Versions, SaveStatesStayInOneCopy) {
  Program p(head + "  %s = save_state 0 reexecute [0: %n]\n  jump rest\nrest:\n  safepoint %s\n  %y = dyn.add %x, i64 1\n  ret %y\n}\n");
  if (HasFailure()) return;
  const VersionReport report = version(p.function());
  EXPECT_TRUE(report.has_states_elsewhere);
  EXPECT_EQ(report.copied, 0u);
}

/// A row of diamonds, each with a mixed phi that is used twice.
std::string diamonds(size_t count) {
  std::string text = "language php\nfunc @f(a: i1, n: i64) -> i64|f64|string {\nentry:\n  jump d0\n";
  for (size_t i = 0; i < count; ++i) {
    const std::string k = std::to_string(i);
    text += "d" + k + ":\n  branch %a, w" + k + ", j" + k + "\nw" + k + ":\n  jump j" + k + "\nj" + k + ":\n  %x" + k +
            " = phi i64|f64 [d" + k + ": %n, w" + k + ": f64 1.5]\n  %y" + k + " = dyn.add %x" + k + ", i64 1\n  %z" + k +
            " = dyn.lt %x" + k + ", %y" + k + "\n  jump d" + std::to_string(i + 1) + "\n";
  }
  return text + "d" + std::to_string(count) + ":\n  ret i64 0\n}\n";
}

TEST(Versions, CostIsLinear) {
  for (Way way : {Way::version, Way::automatic}) {
    const double ratio = growth_ratio(400, diamonds, [&](const std::string& text) {
      Program p(text);
      resolve(p.function(), way, {1'000'000});
    });
    EXPECT_LT(ratio, 3.0);
  }
}

/// Sums that are added to on every second way, one behind the other.
std::string sums_on_half_of_the_ways(size_t count) {
  const std::string ways = "  branch %c, t#, e#\nt#:\n  %q# = dyn.add %p#, i64 1\n  jump d^\ne#:\n  jump d^\nd^:\n"
                           "  %p^ = phi i64|f64 [t#: %q#, e#: f64 1.5]\n";
  return "language php\nfunc @f(p0: i64|f64, c: i1) -> i64|f64 {\nentry:\n" + numbered(ways, 0, count) +
         numbered("  ret %p#\n}\n", count);
}

/// A phi of very many ways whose numbers are added to.
std::string very_wide_phi(size_t count) {
  return "language php\nfunc @f(x: i64|f64, k: i64) -> i64|f64 {\nentry:\n  switch i64 %k, d, [0: c0" +
         numbered(", #: c#", 1, 2 * count) + "]\n" + numbered("c#:\n  jump j\n", 0, 2 * count) +
         "d:\n  jump j\nj:\n  %p = phi i64|f64 [" + numbered("c#: i64 #, ", 0, count) +
         numbered("c#: f64 1.5, ", count, 2 * count) + "d: %x]\n  %r = dyn.add %p, i64 1\n  ret %r\n}\n";
}

TEST(Versions, GrowWithTheFunction) {
  for (auto text : {sums_on_half_of_the_ways, very_wide_phi}) {
    const double ratio = growth_ratio(
        10'000, [&](size_t count) { return std::make_unique<Program>(text(count)); },
        [](const std::unique_ptr<Program>& p) {
          ir::Function copy = p->function();
          version(copy);
        },
        2.8);
    EXPECT_LT(ratio, 2.8);
  }
}

}  // namespace
}  // namespace braid::mixed
