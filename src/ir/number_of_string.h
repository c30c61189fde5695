// Strings as numbers and numbers as strings, as dynamic languages have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid::ir {

/// An integer, or a float where the text has a point, an exponent or too many digits.
struct StringNumber {
  bool is_float = false;
  int64_t integer = 0;
  double real = 0;       ///< also of an integer: the float that the text is by itself, so that -0 keeps its sign
  int overflow = 0;      ///< an integer too large (1) or too small (-1), which became a float
  bool trailing = false; ///< more than white space stands behind it
};

/// The number with which a text begins, behind white space; nothing if it begins with none.
std::optional<StringNumber> leading_number(std::string_view text);

/// With at most so many significant digits, without trailing zeros: `1.5`, `100`, `1.0E+25`, `INF`, `NAN`, `-0`.
void append_float_text(std::string& out, double value, int digits);

/// Rounded to zero; what does not fit wraps around modulo 2^64, infinities and NaN give 0.
int64_t wrapping_integer(double value);
/// Rounded to zero; what does not fit is the largest or smallest; infinities and NaN give 0.
int64_t saturating_integer(double value);

}  // namespace braid::ir
