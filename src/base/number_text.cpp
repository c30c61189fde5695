#include "base/number_text.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>
#ifndef __cpp_lib_to_chars
#include <clocale>
#include <cstdlib>
#endif

namespace braid {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_hex_prefix(std::string_view text) {
  return text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/// The bits of a binary float format.
template <class Float>
struct Format {
  using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
  static constexpr int mantissa_bits = std::numeric_limits<Float>::digits - 1;
  static constexpr int bias = std::numeric_limits<Float>::max_exponent - 1;
  static constexpr int least_exponent = std::numeric_limits<Float>::min_exponent - 1;  // of normal numbers
  static constexpr Bits sign_bit = Bits{1} << (sizeof(Bits) * 8 - 1);
  static constexpr Bits mantissa_mask = (Bits{1} << mantissa_bits) - 1;
  static constexpr Bits infinity = static_cast<Bits>(2 * bias + 1) << mantissa_bits;
  static constexpr Bits quiet_nan = infinity | (Bits{1} << (mantissa_bits - 1));

  static bool is_nan(Bits bits) { return (bits & ~sign_bit) > infinity; }
};

template <class Float>
ParsedNumber<Float> number_of(typename Format<Float>::Bits bits) {
  return {std::bit_cast<Float>(bits), NumberStatus::ok};
}

/// An exponent with its sign; values beyond any format are clamped so that they can still be added up.
bool parse_exponent(std::string_view text, int64_t& exponent) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return false;
  exponent = 0;
  for (char c : text) {
    if (!is_digit(c)) return false;
    if (exponent < int64_t{1} << 40) exponent = exponent * 10 + (c - '0');
  }
  if (negative) exponent = -exponent;
  return true;
}

/// Rounds mantissa * 2^exponent (plus a little, if `sticky`) to nearest even.
template <class Float>
ParsedNumber<Float> round_binary(uint64_t mantissa, int64_t exponent, bool sticky) {
  using F = Format<Float>;
  if (mantissa == 0) return number_of<Float>(0);
  int shift_up = std::countl_zero(mantissa);
  mantissa <<= shift_up;
  int64_t top_exponent = exponent - shift_up + 63;  // the number is 1.xxx * 2^top_exponent
  if (top_exponent > F::bias) return {Float{}, NumberStatus::out_of_range};
  // Subnormal numbers have fewer bits: the last one is always 2^(least_exponent - mantissa_bits).
  int64_t missing = top_exponent < F::least_exponent ? F::least_exponent - top_exponent : 0;
  int64_t dropped = 63 - F::mantissa_bits + missing;
  if (dropped > 64) return number_of<Float>(0);
  uint64_t kept = dropped == 64 ? 0 : mantissa >> dropped;
  uint64_t half = uint64_t{1} << (dropped - 1);
  uint64_t rest = mantissa & (half | (half - 1));
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  // A carry out of the mantissa moves into the exponent field by itself.
  uint64_t biased = missing != 0 ? 0 : static_cast<uint64_t>(top_exponent + F::bias - 1) << F::mantissa_bits;
  uint64_t bits = biased + kept;
  if (bits >= F::infinity) return {Float{}, NumberStatus::out_of_range};
  return number_of<Float>(static_cast<typename F::Bits>(bits));
}

/// What follows `0x`: digits, at most one point, and optionally `p` and a binary exponent.
template <class Float>
ParsedNumber<Float> parse_hex_float(std::string_view text) {
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  bool sticky = false, any = false, point = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    int digit = digit_value(text[i]);
    if (digit > 15) break;
    any = true;
    if (mantissa >> 60 == 0) {
      mantissa = mantissa << 4 | static_cast<uint64_t>(digit);
      if (point) exponent -= 4;
    } else {
      sticky |= digit != 0;
      if (!point) exponent += 4;
    }
  }
  if (!any) return {};
  if (i < text.size()) {
    int64_t written = 0;
    if ((text[i] != 'p' && text[i] != 'P') || !parse_exponent(text.substr(i + 1), written)) return {};
    exponent += written;
  }
  return round_binary<Float>(mantissa, exponent, sticky);
}

/// Checks the form digits[.digits][e[+-]digits], and says whether the value is at least 1 - which tells
/// overflow from underflow, because the standard library reports both as the same error.
bool scan_decimal(std::string_view text, bool& at_least_one) {
  size_t i = 0, digits = 0;
  int64_t scale = 0;  // the first digit that is not zero stands for 10^(scale - 1)
  bool seen_point = false, seen_nonzero = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !seen_point) {
      seen_point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
    ++digits;
    seen_nonzero |= text[i] != '0';
    if (seen_nonzero && !seen_point) ++scale;
    if (!seen_nonzero && seen_point) --scale;
  }
  if (digits == 0) return false;
  int64_t exponent = 0;
  if (i < text.size() &&
      ((text[i] != 'e' && text[i] != 'E') || !parse_exponent(text.substr(i + 1), exponent))) {
    return false;
  }
  at_least_one = seen_nonzero && scale + exponent > 0;
  return true;
}

#ifdef __cpp_lib_to_chars
template <class Float>
bool convert_decimal(std::string_view text, Float& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
}
#else
// This standard library cannot read floats yet. The C library rounds correctly but wants the point of its
// locale.
template <class Float>
bool convert_decimal(std::string_view text, Float& value) {
  std::string copy(text);
  if (size_t point = copy.find('.'); point != std::string::npos) {
    copy.replace(point, 1, std::localeconv()->decimal_point);
  }
  if constexpr (sizeof(Float) == 8) {
    value = std::strtod(copy.c_str(), nullptr);
  } else {
    value = std::strtof(copy.c_str(), nullptr);
  }
  return true;
}
#endif

template <class Float>
ParsedNumber<Float> parse_decimal_float(std::string_view text) {
  bool at_least_one = false;
  if (!scan_decimal(text, at_least_one)) return {};
  Float value{};
  bool in_range = convert_decimal(text, value);
  if (in_range && value <= std::numeric_limits<Float>::max()) return {value, NumberStatus::ok};
  if (at_least_one) return {Float{}, NumberStatus::out_of_range};
  return number_of<Float>(0);
}

template <class Float>
ParsedNumber<Float> parse_float(std::string_view text) {
  using F = Format<Float>;
  if (text.substr(0, 4) == "nan:") {
    std::string_view digits = text.substr(4);
    if (!has_hex_prefix(digits)) return {};
    ParsedNumber<uint64_t> bits = parse_u64(digits);
    if (!bits) return {Float{}, bits.status};
    if (bits.value > std::numeric_limits<typename F::Bits>::max())
      return {Float{}, NumberStatus::out_of_range};
    auto narrow = static_cast<typename F::Bits>(bits.value);
    if (!F::is_nan(narrow)) return {};
    return number_of<Float>(narrow);
  }
  bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  ParsedNumber<Float> result;
  if (text == "inf") {
    result = number_of<Float>(F::infinity);
  } else if (text == "nan") {
    result = number_of<Float>(F::quiet_nan);
  } else if (has_hex_prefix(text)) {
    result = parse_hex_float<Float>(text.substr(2));
  } else {
    result = parse_decimal_float<Float>(text);
  }
  if (negative && result)
    return number_of<Float>(std::bit_cast<typename F::Bits>(result.value) ^ F::sign_bit);
  return result;
}

void append_hex_digits(std::string& out, uint64_t value) {
  char buffer[16];
  int at = 16;
  do {
    buffer[--at] = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  out.append(buffer + at, static_cast<size_t>(16 - at));
}

/// Infinities and NaNs, which both styles write as words.
template <class Float>
bool append_special(std::string& out, typename Format<Float>::Bits bits) {
  using F = Format<Float>;
  if ((bits & ~F::sign_bit) < F::infinity) return false;
  if (F::is_nan(bits)) {
    out += "nan:";
    append_hex(out, bits);
  } else {
    out += (bits & F::sign_bit) != 0 ? "-inf" : "inf";
  }
  return true;
}

template <class Float>
void append_hex_form(std::string& out, Float value) {
  using F = Format<Float>;
  auto bits = std::bit_cast<typename F::Bits>(value);
  if (append_special<Float>(out, bits)) return;
  if ((bits & F::sign_bit) != 0) out += '-';
  uint64_t mantissa = bits & F::mantissa_mask;
  int64_t biased = static_cast<int64_t>((bits & F::infinity) >> F::mantissa_bits);
  if (biased == 0 && mantissa == 0) {
    out += "0x0p+0";
    return;
  }
  int64_t exponent = biased - F::bias;
  // The mantissa moves to the top of the word; a subnormal number is normalised, so that all start with 0x1.
  mantissa <<= 64 - F::mantissa_bits;
  if (biased == 0) {
    int shift = std::countl_zero(mantissa) + 1;
    exponent = F::least_exponent - shift;
    mantissa = shift == 64 ? 0 : mantissa << shift;
  }
  out += "0x1";
  if (mantissa != 0) {
    out += '.';
    for (; mantissa != 0; mantissa <<= 4) out += "0123456789abcdef"[mantissa >> 60];
  }
  out += 'p';
  if (exponent >= 0) out += '+';
  append_i64(out, exponent);
}

template <class Float>
void append_decimal_form(std::string& out, Float value) {
  if (append_special<Float>(out, std::bit_cast<typename Format<Float>::Bits>(value))) return;
  char buffer[64];
  std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace

ParsedNumber<uint64_t> parse_u64(std::string_view text) {
  uint64_t base = 10;
  if (has_hex_prefix(text)) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty()) return {};
  uint64_t value = 0;
  bool overflow = false;
  for (char c : text) {
    uint64_t digit = static_cast<uint64_t>(digit_value(c));
    if (digit >= base) return {};
    overflow |= value > (std::numeric_limits<uint64_t>::max() - digit) / base;
    value = value * base + digit;
  }
  if (overflow) return {0, NumberStatus::out_of_range};
  return {value, NumberStatus::ok};
}

ParsedNumber<int64_t> parse_i64(std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  ParsedNumber<uint64_t> magnitude = parse_u64(text);
  if (!magnitude) return {0, magnitude.status};
  uint64_t limit = (uint64_t{1} << 63) - (negative ? 0 : 1);
  if (magnitude.value > limit) return {0, NumberStatus::out_of_range};
  return {static_cast<int64_t>(negative ? 0 - magnitude.value : magnitude.value), NumberStatus::ok};
}

ParsedNumber<double> parse_f64(std::string_view text) { return parse_float<double>(text); }
ParsedNumber<float> parse_f32(std::string_view text) { return parse_float<float>(text); }

void append_u64(std::string& out, uint64_t value) {
  char buffer[20];
  int at = 20;
  do {
    buffer[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  out.append(buffer + at, static_cast<size_t>(20 - at));
}

void append_i64(std::string& out, int64_t value) {
  if (value < 0) out += '-';
  append_u64(out, value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

void append_hex(std::string& out, uint64_t value) {
  out += "0x";
  append_hex_digits(out, value);
}

void append_hex_float(std::string& out, double value) { append_hex_form(out, value); }
void append_hex_float(std::string& out, float value) { append_hex_form(out, value); }
void append_decimal_float(std::string& out, double value) { append_decimal_form(out, value); }
void append_decimal_float(std::string& out, float value) { append_decimal_form(out, value); }

}  // namespace braid
