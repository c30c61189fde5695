#include "front/pandasm/literal.h"

#include <array>
#include <bit>
#include <limits>

#include "base/number_text.h"

namespace braid::pandasm {

namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

std::optional<uint64_t> parse_digits(std::string_view digits, unsigned base) {
  if (digits.empty()) return std::nullopt;
  uint64_t value = 0;
  for (char c : digits) {
    const unsigned digit = static_cast<unsigned>(digit_of(c));
    if (digit >= base || value > (std::numeric_limits<uint64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

struct Escape {
  char letter, meaning;
};
constexpr Escape escapes[] = {{'"', '"'},  {'\\', '\\'}, {'\'', '\''}, {'a', '\a'}, {'b', '\b'},
                              {'f', '\f'}, {'n', '\n'},  {'r', '\r'},  {'t', '\t'}, {'v', '\v'}};

}  // namespace

std::optional<uint64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::optional<uint64_t> value;
  if (text.starts_with("0x") || text.starts_with("0X"))
    value = parse_digits(text.substr(2), 16);
  else if (text.starts_with("0b") || text.starts_with("0B"))
    value = parse_digits(text.substr(2), 2);
  else
    value = parse_digits(text, text.starts_with('0') ? 8 : 10);
  if (value && negative) value = uint64_t{0} - *value;
  return value;
}

std::optional<uint64_t> parse_real(std::string_view text, bool is_f64) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    std::optional<uint64_t> bits = parse_integer(text);
    return bits && (is_f64 || *bits <= 0xffffffffu) ? bits : std::nullopt;
  }
  if (text.starts_with("-0x") || text.starts_with("-0X")) {
    std::optional<uint64_t> magnitude = parse_integer(text.substr(1));
    if (!magnitude) return std::nullopt;
    const double value = -static_cast<double>(*magnitude);
    return is_f64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(-static_cast<float>(*magnitude));
  }
  for (char c : text)
    if (digit_of(c) > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') return std::nullopt;
  if (is_f64) {
    ParsedNumber<double> value = parse_f64(text);
    return value ? std::optional(std::bit_cast<uint64_t>(*value)) : std::nullopt;
  }
  ParsedNumber<float> value = parse_f32(text);
  return value ? std::optional<uint64_t>(std::bit_cast<uint32_t>(*value)) : std::nullopt;
}

std::optional<std::string> unescape(std::string_view text, size_t& bad) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    bad = i++;
    if (i == text.size()) return std::nullopt;
    const char letter = text[i];
    if (letter == 'x') {
      if (text.size() - i < 3 || digit_of(text[i + 1]) > 15 || digit_of(text[i + 2]) > 15) return std::nullopt;
      out += static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
      i += 3;
    } else if (digit_of(letter) < 8) {
      int value = 0;
      for (int n = 0; n < 3 && i < text.size() && digit_of(text[i]) < 8; ++n) value = value * 8 + digit_of(text[i++]);
      if (value > 0xff) return std::nullopt;
      out += static_cast<char>(value);
    } else {
      const Escape* found = nullptr;
      for (const Escape& escape : escapes)
        if (escape.letter == letter) found = &escape;
      if (found == nullptr) return std::nullopt;
      out += found->meaning;
      ++i;
    }
  }
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    const Escape* found = nullptr;
    for (const Escape& escape : escapes)
      if (escape.meaning == c && c != '\'') found = &escape;
    if (found != nullptr) {
      out += '\\';
      out += found->letter;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\x";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::optional<uint64_t> narrow(uint64_t value, unsigned bits) {
  if (bits >= 64) return value;
  const unsigned rest = 64 - bits;
  const uint64_t extended = static_cast<uint64_t>(static_cast<int64_t>(value << rest) >> rest);
  return value == extended || value >> bits == 0 ? std::optional(extended) : std::nullopt;
}

bool is_name(std::string_view text) {
  enum Letter : uint8_t { first = 1, later = 2 };
  static constexpr auto letters = [] {
    std::array<uint8_t, 256> table{};
    for (unsigned c = 0; c < 256; ++c) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
      table[c] = is_letter ? first | later : (c >= '0' && c <= '9') || c == '-' ? later : 0;
    }
    return table;
  }();
  uint8_t wanted = first;
  for (char c : text) {
    if ((letters[static_cast<unsigned char>(c)] & wanted) != 0) {
      wanted = later;
    } else if (c == '.' && wanted == later) {
      wanted = first;
    } else {
      return false;
    }
  }
  return wanted == later;
}

}  // namespace braid::pandasm
