#include "driver/diff.h"

#include <gtest/gtest.h>

namespace braid::driver {
namespace {

std::string diff(std::string_view a, std::string_view b) { return unified_diff(a, b, "a", "b"); }

TEST(Diff, EqualTextsHaveNone) {
  EXPECT_EQ(diff("", ""), "");
  EXPECT_EQ(diff("x\ny\n", "x\ny\n"), "");
}

TEST(Diff, AChangeStandsInItsContext) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(Diff, FarChangesAreHunksOfTheirOwn) {
  std::string a, b;
  for (int i = 0; i < 30; ++i) {
    a += std::to_string(i) + "\n";
    b += (i == 2 ? "two" : i == 25 ? "more\n25" : std::to_string(i)) + std::string("\n");
  }
  EXPECT_EQ(diff(a, b),
            "--- a\n+++ b\n@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+two\n 3\n 4\n 5\n"
            "@@ -23,6 +23,7 @@\n 22\n 23\n 24\n+more\n 25\n 26\n 27\n");
}

TEST(Diff, ChangesAtBothEnds) {
  EXPECT_EQ(diff("", "a\n"), "--- a\n+++ b\n@@ -1,0 +1,1 @@\n+a\n");
  EXPECT_EQ(diff("a\nb\n", "b\nc\n"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n b\n+c\n");
}

TEST(Diff, OnlyTheLastNewline) {
  EXPECT_NE(diff("a", "a\n").find("end of the last line"), std::string::npos);
}

/// Applying the script gives the other text.
TEST(Diff, TheScriptIsRight) {
  for (uint32_t seed = 1; seed < 300; ++seed) {
    uint32_t state = seed;
    auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 24; };
    std::string a, b;
    for (int i = 0; i < 7; ++i) a += std::string(1, static_cast<char>('a' + next() % 3)) + "\n";
    for (int i = 0; i < 7; ++i) b += std::string(1, static_cast<char>('a' + next() % 3)) + "\n";
    std::string left, right, script = unified_diff(a, b, "", "");
    size_t left_size = 0, right_size = 0;
    // What a part of the script keeps and takes away stands in one text, what it keeps and adds in the other.
    auto end_part = [&] {
      EXPECT_NE(a.find(left), std::string::npos) << seed;
      EXPECT_NE(b.find(right), std::string::npos) << seed;
      left_size += left.size();
      right_size += right.size();
      left.clear();
      right.clear();
    };
    for (std::string_view line : split_lines(script)) {
      if (line.starts_with("---") || line.starts_with("+++")) continue;
      if (line.starts_with("@@")) {
        end_part();
        continue;
      }
      if (line[0] != '+') left += std::string(line.substr(1)) + "\n";
      if (line[0] != '-') right += std::string(line.substr(1)) + "\n";
    }
    end_part();
    EXPECT_EQ(a.size() - left_size, b.size() - right_size) << seed;
  }
}

TEST(Diff, LargeDifferencesEnd) {
  std::string a, b;
  for (int i = 0; i < 20000; ++i) a += "a" + std::to_string(i) + "\n", b += "b" + std::to_string(i) + "\n";
  EXPECT_GT(diff(a, b).size(), a.size() + b.size());
}

}  // namespace
}  // namespace braid::driver
