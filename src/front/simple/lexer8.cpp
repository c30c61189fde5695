#include "front/simple/lexer8.h"

namespace braid::simple {

/// The byte c stands for the character U+FF00 + c: half-width katakana and hangul letters, and gaps between them.
bool Lexer8::is_foreign_letter(uint8_t c) {
  return (c >= 0x80 && c <= 0xbe) || (c >= 0xc2 && c <= 0xc7) || (c >= 0xca && c <= 0xcf) || (c >= 0xd2 && c <= 0xd7) ||
         (c >= 0xda && c <= 0xdc);
}

std::string Lexer8::any_token() const {
  if (at_end()) return {};
  Lexer8 ahead = *this;
  if (is_name_start(text_[at_])) return std::string(ahead.take_name());
  if (at_digit()) return std::string(ahead.match_digits());
  uint8_t byte = static_cast<uint8_t>(text_[at_]);
  if (byte < 0x80) return std::string(1, text_[at_]);
  // U+FF80 and behind, in UTF-8.
  return {'\xef', static_cast<char>(0x80 | (0xf00 | byte) >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
}

}  // namespace braid::simple
