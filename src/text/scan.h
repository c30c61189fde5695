// Reading up to eight bytes at once, where the caller knows that so many can be read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "text/chars.h"

namespace braid::text {

/// Eight bytes as one number, the first in the lowest bits.
inline uint64_t load_bytes(const char* at) {
  uint64_t bytes = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&bytes, at, sizeof bytes);
  } else {
    for (unsigned i = 0; i < sizeof bytes; ++i) bytes |= uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  }
  return bytes;
}

/// A word of up to eight bytes in the same form.
constexpr uint64_t packed(std::string_view word) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < word.size(); ++i) bytes |= uint64_t{static_cast<unsigned char>(word[i])} << (8 * i);
  return bytes;
}

constexpr uint64_t repeated(unsigned char byte) { return 0x0101010101010101u * byte; }

/// The number of bytes before the first that is marked in its highest bit; 8 if none is.
constexpr unsigned first_marked(uint64_t marks) { return static_cast<unsigned>(std::countr_zero(marks)) / 8; }

/// How many digits stand at the start of eight bytes, and what they say. Up to seven; for none or more the length is 0.
struct Digits {
  uint32_t value, length;
};
inline Digits leading_digits(uint64_t bytes) {
  // A digit becomes its value. Adding lifts all that is above nine into the highest bit; what that carries over goes to
  // bytes behind the first that is marked.
  uint64_t values = bytes ^ repeated('0');
  uint64_t marks = (values | (values + repeated(0x80 - 10))) & repeated(0x80);
  unsigned length = first_marked(marks);
  if (length == 0 || length == 8) return {0, 0};
  // The digits as eight of them with zeros in front; then neighbours are joined: pairs, fours, all.
  values <<= 8 * (8 - length);
  values = values * 10 + (values >> 8);
  constexpr uint64_t every_fourth = 0x000000ff000000ffu;
  uint64_t upper = (values & every_fourth) * (100 + (uint64_t{1000000} << 32));
  uint64_t lower = (values >> 16 & every_fourth) * (1 + (uint64_t{10000} << 32));
  return {static_cast<uint32_t>((upper + lower) >> 32), length};
}

/// The bytes before the first blank, packed; 0 if there is no blank among the eight.
inline uint64_t leading_word(uint64_t bytes, unsigned& length) {
  uint64_t blanks = bytes ^ repeated(' ');
  uint64_t marks = (blanks - repeated(1)) & ~blanks & repeated(0x80);
  length = first_marked(marks);
  return length == 8 ? 0 : bytes & ((uint64_t{1} << (8 * length)) - 1);
}

}  // namespace braid::text
