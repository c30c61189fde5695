// Random dynamic programs: with variables = in SSA = typed = versioned = with variants = both = after leaving SSA, on
// awkward arguments and with budgets from none to plenty.
#include <gtest/gtest.h>

#include "mixed_agree.h"

namespace braid::mixed {
namespace {

using testing_dynamic::RandomProgram;

TEST(MixedRandom, AllWaysAgree) {
  constexpr uint32_t count = 10'000;
  MixedCoverage seen;
  MixedAgree agree(seen);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const std::string wrong = agree.check(RandomProgram(seed, RandomProgram::style_of(seed)).text(), seed);
    ASSERT_EQ(wrong, "");
  }
  seen.print();
  EXPECT_LT(seen.too_large, count / 100);
  EXPECT_EQ(seen.forms, 8 * (seen.programs - seen.too_large));
  EXPECT_GT(seen.throwing, seen.runs / 20);
  EXPECT_LT(seen.throwing, seen.runs * 8 / 10);
  EXPECT_GT(seen.handlers, count / 5);
  EXPECT_GT(seen.irreducible, count / 10);
  EXPECT_GT(seen.mixed_phis, count);
  EXPECT_GT(seen.overflows, count / 4);
  EXPECT_GT(seen.versioned, count / 4);
  EXPECT_GT(seen.rounds, seen.versioned * 11 / 10);
  EXPECT_GT(seen.copied, count);
  EXPECT_GT(seen.cut_short, count / 20);
  EXPECT_GT(seen.variants, count / 2);
  EXPECT_GT(seen.fast_paths, count);
  EXPECT_GT(seen.conversions, count / 2);
  EXPECT_GT(seen.literals, count / 50);
}

}  // namespace
}  // namespace braid::mixed
