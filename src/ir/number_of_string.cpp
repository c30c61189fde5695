#include "ir/number_of_string.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/number_text.h"
#include "ir/eval_op.h"

namespace braid::ir {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the digits from `at` on end.
size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

double read_float(std::string_view number, bool negative) {
  // A text of digits, point and exponent is well-formed; only its size can be wrong.
  ParsedNumber<double> parsed = parse_f64(number);
  double value = parsed.status == NumberStatus::out_of_range ? std::numeric_limits<double>::infinity() : parsed.value;
  return negative ? -value : value;
}

}  // namespace

std::optional<StringNumber> leading_number(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const size_t first = at;
  size_t end = skip_digits(text, at);
  StringNumber number;
  bool has_point = end < text.size() && text[end] == '.';
  if (end == first && !(has_point && end + 1 < text.size() && is_digit(text[end + 1]))) return std::nullopt;
  if (has_point) {
    number.is_float = true;
    end = skip_digits(text, end + 1);
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      number.is_float = true;
      end = skip_digits(text, exponent);
    }
  }
  std::string_view digits = text.substr(first, end - first);
  if (!number.is_float) {
    uint64_t magnitude = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative;
    if (error != std::errc{} || magnitude > most) {
      number.is_float = true;
      number.overflow = negative ? -1 : 1;
    } else {
      number.integer = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
      number.real = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
    }
  }
  if (number.is_float) number.real = read_float(digits, negative);
  while (end < text.size() && is_space(text[end])) ++end;
  number.trailing = end != text.size();
  return number;
}

void append_float_text(std::string& out, double value, int digits) {
  if (value != value) return void(out += "NAN");
  if (std::signbit(value)) out += '-';
  value = std::fabs(value);
  if (value == std::numeric_limits<double>::infinity()) return void(out += "INF");
  // d.ddde+xx with all the digits that are wanted, correctly rounded.
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t mark = text.find('e');
  int exponent = 0;
  std::string_view power = text.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  std::string significant(1, text[0]);
  if (mark > 2) significant += text.substr(2, mark - 2);
  significant.resize(std::max<size_t>(1, significant.find_last_not_of('0') + 1));
  if (value == 0) exponent = 0;

  const int point = exponent + 1;  // the value is 0.significant x 10^point
  const int count = static_cast<int>(significant.size());
  if (point < 0 ? point < -3 : point > digits) {
    out += significant[0];
    out += '.';
    if (count == 1) out += '0';
    else out.append(significant, 1, std::string::npos);
    out += exponent < 0 ? "E-" : "E+";
    append_i64(out, exponent < 0 ? -exponent : exponent);
  } else if (point <= 0) {
    out += "0.";
    out.append(static_cast<size_t>(-point), '0');
    out += significant;
  } else {
    out.append(significant, 0, static_cast<size_t>(std::min(count, point)));
    if (count < point) out.append(static_cast<size_t>(point - count), '0');
    if (count > point) {
      out += '.';
      out.append(significant, static_cast<size_t>(point), std::string::npos);
    }
  }
}

int64_t wrapping_integer(double value) {
  if (!std::isfinite(value)) return 0;
  constexpr double two_to_63 = 9223372036854775808.0, two_to_64 = 2 * two_to_63;
  if (value >= -two_to_63 && value < two_to_63) return static_cast<int64_t>(value);
  double rest = std::fmod(std::trunc(value), two_to_64);
  if (rest < 0) rest += two_to_64;
  return static_cast<int64_t>(static_cast<uint64_t>(rest));
}

int64_t saturating_integer(double value) {
  if (!std::isfinite(value)) return 0;
  return static_cast<int64_t>(eval_float_to_int<Op::fptosi, double, 64>(bits_of(value)));
}

}  // namespace braid::ir
