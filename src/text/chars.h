// Classes of characters in `.braid` text, as one table. Bytes of UTF-8 count as letters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace braid::text {

enum CharClass : uint8_t {
  name_start = 1,  ///< may begin a name
  name_part = 2,   ///< may stand in a name
  decimal = 4,
  blank = 8,       ///< space within a line
};

inline constexpr auto char_classes = [] {
  std::array<uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    if (letter) classes[c] |= name_start | name_part;
    if (c >= '0' && c <= '9') classes[c] |= name_part | decimal;
    if (c == '.' || c == '$') classes[c] |= name_part;
    if (c == ' ' || c == '\t' || c == '\r') classes[c] |= blank;
  }
  return classes;
}();

constexpr bool is(char c, CharClass wanted) { return (char_classes[static_cast<unsigned char>(c)] & wanted) != 0; }

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace braid::text
