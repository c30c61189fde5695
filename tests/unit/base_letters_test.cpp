#include "base/letters.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Letters, OfAllScriptsAndMarksBehindThem) {
  for (char32_t letter : {0xaau, 0xe4u, 0x3b1u, 0x5d0u, 0x4e00u, 0x9fffu, 0x10400u, 0x20000u}) {
    EXPECT_TRUE(begins_name(letter)) << static_cast<uint32_t>(letter);
    EXPECT_TRUE(continues_name(letter)) << static_cast<uint32_t>(letter);
  }
  for (char32_t inside : {0xb7u, 0x301u, 0x663u, 0x203fu, 0xe0100u}) {
    EXPECT_FALSE(begins_name(inside)) << static_cast<uint32_t>(inside);
    EXPECT_TRUE(continues_name(inside)) << static_cast<uint32_t>(inside);
  }
  for (char32_t other : {0x80u, 0xa0u, 0xa9u, 0xd7u, 0x2028u, 0x20acu, 0x3000u, 0xe000u, 0xfeffu, 0x1f600u, 0x10ffffu})
    EXPECT_FALSE(continues_name(other)) << static_cast<uint32_t>(other);
}

TEST(Letters, OnlyValidUtf8IsACharacter) {
  auto length = [](const char* text) { return first_character(text).length; };
  EXPECT_EQ(length("a"), 1u);
  EXPECT_EQ(length("\xc3\xa4x"), 2u);
  EXPECT_EQ(first_character("\xe2\x82\xac").code, 0x20acu);
  EXPECT_EQ(first_character("\xf4\x8f\xbf\xbf").code, 0x10ffffu);
  for (const char* invalid : {"\xff", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                              "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "\xe2" "a\xac"})
    EXPECT_EQ(length(invalid), 0u) << invalid;
}

}  // namespace
}  // namespace braid
