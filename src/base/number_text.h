// Text of numbers, without locale and without loss: what is printed reads back as the same bits.
// Floats print as C hex floats (0x1.8p+1), or as the shortest decimal that reads back; NaNs with all their
// bits (nan:0x7ff8000000000000). Decimal input is rounded to nearest even (std::from_chars), hex input
// likewise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

enum class NumberStatus : uint8_t { ok, malformed, out_of_range };

template <class T>
struct ParsedNumber {
  T value{};
  NumberStatus status = NumberStatus::malformed;

  explicit operator bool() const { return status == NumberStatus::ok; }
  T operator*() const { return value; }
};

/// Decimal digits, or `0x` and hex digits. The whole text must be the number.
ParsedNumber<uint64_t> parse_u64(std::string_view text);
/// The same with an optional `-`. Hex digits are a magnitude: 0xffffffffffffffff is out of range.
ParsedNumber<int64_t> parse_i64(std::string_view text);

/// Decimal (1, 1.5, .5, 1e-3), hex (0x1.8p+1), `inf`, `nan`, `nan:0x…` with all bits of the number; an
/// optional `-` in front of all but the last. Too large is out of range; too small is zero or the nearest
/// subnormal.
ParsedNumber<double> parse_f64(std::string_view text);
ParsedNumber<float> parse_f32(std::string_view text);

void append_u64(std::string& out, uint64_t value);
void append_i64(std::string& out, int64_t value);
/// `0x` and lower-case digits without leading zeros.
void append_hex(std::string& out, uint64_t value);

void append_hex_float(std::string& out, double value);
void append_hex_float(std::string& out, float value);
/// The shortest decimal that reads back; always with a `.`, an `e`, or as a word, so that it is not taken for
/// an integer.
void append_decimal_float(std::string& out, double value);
void append_decimal_float(std::string& out, float value);

}  // namespace braid
