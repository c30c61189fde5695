// Which characters names are made of, beyond ASCII: as Unicode's XID_Start and XID_Continue say, letters of all scripts to begin
// with, and digits and marks behind them. O(log of some 1800 runs) each.
#pragma once

#include <cstdint>
#include <string_view>

namespace braid {

/// Only for code points that are not ASCII.
bool begins_name(char32_t code);
bool continues_name(char32_t code);

struct Utf8Character {
  char32_t code = 0;
  uint32_t length = 0;  ///< in bytes; 0 if what stands there is not valid UTF-8
};
/// Of a text that is not empty. Forms that are longer than needed and halves of pairs of UTF-16 are not valid.
Utf8Character first_character(std::string_view text);

}  // namespace braid
