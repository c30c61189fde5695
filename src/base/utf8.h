// What the printers need to know of UTF-8: where characters start. Text is never validated here; a stray byte
// counts as one character.
#pragma once

#include <cstddef>
#include <string_view>

namespace braid {

constexpr bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// The number of characters (code points), which is the printed width of text without wide or combining ones.
constexpr size_t utf8_length(std::string_view text) {
  size_t length = 0;
  for (char byte : text) length += !is_utf8_continuation(byte);
  return length;
}

/// The start of the character that holds byte `offset`.
constexpr size_t utf8_start(std::string_view text, size_t offset) {
  while (offset > 0 && offset < text.size() && is_utf8_continuation(text[offset])) --offset;
  return offset;
}

}  // namespace braid
