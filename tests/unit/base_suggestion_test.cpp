#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid {
namespace {

TEST(Suggestion, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("dce", "dce"), 0u);
  EXPECT_EQ(edit_distance("dec", "dce"), 1u);
  EXPECT_EQ(edit_distance("compat", "compact"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggestion, NamesTheNearestWordOrNothing) {
  std::vector<std::string_view> known = {"compact", "dce", "simplify-edges"};
  EXPECT_EQ(did_you_mean("compat", known), ", did you mean 'compact'?");
  EXPECT_EQ(did_you_mean("simplifyedges", known), ", did you mean 'simplify-edges'?");
  EXPECT_EQ(did_you_mean("dec", known), ", did you mean 'dce'?");
  EXPECT_EQ(did_you_mean("inline", known), "");
  EXPECT_EQ(did_you_mean("x", known), "");
  EXPECT_EQ(did_you_mean("", known), "");
}

TEST(Suggestion, TheFirstOfTwoEquallyNearWins) {
  std::vector<std::string_view> known = {"bat", "cat"};
  EXPECT_EQ(did_you_mean("hat", known), ", did you mean 'bat'?");
}

}  // namespace
}  // namespace braid
