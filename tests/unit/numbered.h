// Programs of many equal parts, for tests of growth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid {

/// A part of a program: `#` is its number, `^` the next one, `~` the one before.
inline std::string numbered(std::string_view part, size_t number) {
  std::string text;
  for (char c : part) {
    if (c == '#') text += std::to_string(number);
    else if (c == '^') text += std::to_string(number + 1);
    else if (c == '~') text += std::to_string(number - 1);
    else text += c;
  }
  return text;
}
/// So many of them, from number `first` on.
inline std::string numbered(std::string_view part, size_t first, size_t end) {
  std::string text;
  for (size_t i = first; i < end; ++i) text += numbered(part, i);
  return text;
}

}  // namespace braid
