// Random functions with regions: the verifier finds in them what the naive reference finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "naive_regions.h"
#include "random_regions.h"

namespace braid::ir::testing_verify {
namespace {

/// The rules compared, and how often each must be broken.
struct Compared {
  std::string_view rule;
  uint32_t least;
};
constexpr Compared compared[] = {
    {"handler-balance", 500}, {"leave", 600}, {"ret-handler", 80}, {"phi-c-written", 250}, {"exception-context", 3000}};

bool is_compared(std::string_view rule) {
  return std::any_of(std::begin(compared), std::end(compared), [&](const Compared& one) { return one.rule == rule; });
}

TEST(VerifyRegionsRandom, as_the_naive_reference) {
  constexpr uint32_t functions = 6000;
  NaiveRegions::Counts counts;
  std::map<std::string, uint32_t, std::less<>> found;
  uint32_t sound = 0, left_out = 0;
  for (uint32_t seed = 0; seed < functions; ++seed) {
    Module m;
    const Function& f = RandomRegions(seed).make(m);
    std::vector<Finding> findings = verify(f, {.limit = 100'000});
    bool is_sound = true, has_wrong_tokens = false;
    std::vector<std::string> lines;
    for (const Finding& finding : findings) {
      ++found[std::string(finding.rule)];
      is_sound = false;
      has_wrong_tokens = has_wrong_tokens || finding.rule == "token";
      if (is_compared(finding.rule))
        lines.push_back(NaiveRegions::line(finding.rule, finding.block, finding.where, finding.message));
    }
    sound += is_sound;
    // Tokens of several handlers make regions that are told apart by nothing.
    left_out += has_wrong_tokens;
    if (has_wrong_tokens) continue;
    std::sort(lines.begin(), lines.end());
    NaiveRegions reference(f, counts);
    ASSERT_EQ(lines, reference.findings()) << "seed " << seed;
  }
  std::printf("%u functions, %u sound, %u left out; %u regions meet, %u tokens join; %u pops, ", functions, sound, left_out,
              counts.meets, counts.joined_tokens, counts.popped);
  std::printf("%u blocks with several exceptions;\n", counts.nested_exceptions);
  std::printf("%u slots not settled, %u throws behind writes on several ways, %u of them in loops; found:", counts.unsettled,
              counts.written_by_joins, counts.written_in_loops);
  for (const auto& [rule, count] : found) std::printf(" %s %u", rule.c_str(), count);
  std::printf("\n");
  for (const Compared& one : compared) EXPECT_GE(found[std::string(one.rule)], one.least) << one.rule;
  EXPECT_GE(sound, functions / 8);
  EXPECT_LE(left_out, functions / 8);
  EXPECT_GE(counts.meets, 1000u);
  EXPECT_GE(counts.joined_tokens, 8000u);
  EXPECT_GE(counts.popped, 5000u);
  EXPECT_GE(counts.nested_exceptions, 900u);
  EXPECT_GE(counts.unsettled, 6000u);
  EXPECT_GE(counts.written_by_joins, 100u);
  EXPECT_GE(counts.written_in_loops, 60u);
}

}  // namespace
}  // namespace braid::ir::testing_verify
