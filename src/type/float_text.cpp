// See float_text.h. The layout of both formats is described by two numbers; f32 is f64 with smaller ones.
#include "type/float_text.h"

#include <bit>
#include <cassert>
#include <charconv>

namespace braid {

namespace {

struct Layout {
  int fraction_bits;
  int exponent_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits) - 1; }
  uint64_t exponent_mask() const { return (uint64_t{1} << exponent_bits) - 1; }
  uint64_t sign_bit() const { return uint64_t{1} << (fraction_bits + exponent_bits); }
  uint64_t infinity() const { return exponent_mask() << fraction_bits; }
};

Layout layout_of(Kind kind) {
  assert(is_float(kind));
  return kind == Kind::f32 ? Layout{23, 8} : Layout{52, 11};
}

void append_hex(std::string& out, uint64_t value, int digits) {
  while (digits-- > 0) out += "0123456789abcdef"[(value >> (4 * digits)) & 15];
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool skip(std::string_view text, size_t& pos, std::string_view word) {
  if (text.substr(pos, word.size()) != word) return false;
  pos += word.size();
  return true;
}

/// `value` times two to the power of `exponent`, if the layout can hold it exactly.
std::optional<uint64_t> encode(const Layout& layout, uint64_t value, int64_t exponent) {
  if (value == 0) return 0;
  const int zeros = std::countr_zero(value);
  value >>= zeros;
  exponent += zeros;
  const int width = std::bit_width(value);
  const int64_t leading = exponent + width - 1;  // the exponent of the leading one
  const int64_t least = 1 - layout.bias();
  if (leading > layout.bias() || width > layout.fraction_bits + 1) return std::nullopt;
  if (leading >= least) {
    const uint64_t fraction = (value << (layout.fraction_bits + 1 - width)) & layout.fraction_mask();
    return static_cast<uint64_t>(leading + layout.bias()) << layout.fraction_bits | fraction;
  }
  const int64_t shift = exponent - (least - layout.fraction_bits);  // a subnormal counts in units of this
  if (shift < 0) return std::nullopt;
  return value << shift;
}

std::optional<uint64_t> parse_nan(const Layout& layout, std::string_view text, size_t& pos,
                                  std::string& error) {
  uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + pos, end, bits, 16);
  const bool is_nan = (bits & ~layout.sign_bit()) > layout.infinity();
  const bool fits = bits <= (layout.sign_bit() | (layout.sign_bit() - 1));
  if (code != std::errc() || !is_nan || !fits) {
    error = "these bits are not a nan of this kind";
    return std::nullopt;
  }
  pos = static_cast<size_t>(stop - text.data());
  return bits;
}

struct Digits {
  uint64_t value = 0;
  int64_t exponent = 0;  // of the last digit kept
  bool any = false;
  bool exact = true;

  void add(int digit, bool behind_point) {
    any = true;
    if (value >> 60 == 0) {
      value = value << 4 | static_cast<uint64_t>(digit);
      exponent -= behind_point ? 4 : 0;
    } else {
      exact &= digit == 0;
      exponent += behind_point ? 0 : 4;
    }
  }
};

}  // namespace

void append_float(std::string& out, Kind kind, uint64_t bits) {
  const Layout layout = layout_of(kind);
  const uint64_t magnitude = bits & ~layout.sign_bit();
  if (magnitude > layout.infinity()) {
    out += "nan:0x";
    append_hex(out, bits, bit_width(kind) / 4);
    return;
  }
  if (bits & layout.sign_bit()) out += '-';
  if (magnitude == layout.infinity()) {
    out += "inf";
    return;
  }
  const auto stored_exponent = static_cast<int>(magnitude >> layout.fraction_bits);
  int digits = (layout.fraction_bits + 3) / 4;
  uint64_t fraction = (magnitude & layout.fraction_mask()) << (4 * digits - layout.fraction_bits);
  out += stored_exponent == 0 ? "0x0" : "0x1";
  if (fraction != 0) {
    for (; (fraction & 15) == 0; fraction >>= 4) --digits;
    out += '.';
    append_hex(out, fraction, digits);
  }
  int exponent = 0;
  if (magnitude != 0) exponent = (stored_exponent == 0 ? 1 : stored_exponent) - layout.bias();
  out += exponent < 0 ? "p-" : "p+";
  out += std::to_string(exponent < 0 ? -exponent : exponent);
}

std::optional<uint64_t> parse_float(Kind kind, std::string_view text, size_t& pos, std::string& error) {
  const Layout layout = layout_of(kind);
  const size_t start = pos;
  if (skip(text, pos, "nan:0x")) return parse_nan(layout, text, pos, error);
  const uint64_t sign = skip(text, pos, "-") ? layout.sign_bit() : 0;
  if (skip(text, pos, "inf")) return sign | layout.infinity();

  Digits digits;
  const bool has_prefix = skip(text, pos, "0x");
  bool behind_point = false;
  for (; has_prefix && pos < text.size(); ++pos) {
    if (text[pos] == '.' && !behind_point) {
      behind_point = true;
    } else if (const int digit = hex_digit(text[pos]); digit >= 0) {
      digits.add(digit, behind_point);
    } else {
      break;
    }
  }
  if (!digits.any || !skip(text, pos, "p")) {
    error = "expected a hexadecimal float such as 0x1.8p+1";
    return std::nullopt;
  }
  const bool has_plus = skip(text, pos, "+");
  int32_t exponent = 0;
  const auto [stop, code] = std::from_chars(text.data() + pos, text.data() + text.size(), exponent);
  if (code == std::errc::invalid_argument || (has_plus && text[pos] == '-')) {
    error = "expected an exponent";
    return std::nullopt;
  }
  std::optional<uint64_t> bits;
  if (code == std::errc() && digits.exact) bits = encode(layout, digits.value, digits.exponent + exponent);
  if (!bits) {
    error = "no ";
    error += kind_name(kind);
    error += " has exactly this value";
    pos = start;
    return std::nullopt;
  }
  pos = static_cast<size_t>(stop - text.data());
  return sign | *bits;
}

}  // namespace braid
