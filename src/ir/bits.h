// Canonical bits: the one way in which every engine keeps a scalar in 64 bits.
//
// i8, i16, i32 are sign-extended, i1 is 0 or 1, f32 stands in the low half under zeros, i64, f64, pointers and references
// are their bits. Equal values have equal bits, so comparing and interning never look at the type.
#pragma once

#include <braid/type.h>

#include <bit>
#include <cstdint>
#include <optional>

namespace braid::ir {

/// The canonical form of the low `Width` bits of a word, as an integer.
template <int Width>
constexpr uint64_t canonical_int(uint64_t bits) {
  static_assert(Width == 1 || Width == 8 || Width == 16 || Width == 32 || Width == 64);
  if constexpr (Width == 1) return bits & 1;
  if constexpr (Width == 8) return static_cast<uint64_t>(int64_t{static_cast<int8_t>(bits)});
  if constexpr (Width == 16) return static_cast<uint64_t>(int64_t{static_cast<int16_t>(bits)});
  if constexpr (Width == 32) return static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)});
  return bits;
}

/// The number that canonical bits stand for. A true i1 is -1 as a signed number, 1 as an unsigned one.
template <int Width>
constexpr int64_t as_signed(uint64_t bits) {
  return Width == 1 ? -static_cast<int64_t>(bits) : static_cast<int64_t>(bits);
}
template <int Width>
constexpr uint64_t as_unsigned(uint64_t bits) {
  return Width == 64 ? bits : bits & ((uint64_t{1} << (Width % 64)) - 1);
}

constexpr uint64_t canonical(Kind kind, uint64_t bits) {
  switch (kind) {
    case Kind::i1: return canonical_int<1>(bits);
    case Kind::i8: return canonical_int<8>(bits);
    case Kind::i16: return canonical_int<16>(bits);
    case Kind::i32: return canonical_int<32>(bits);
    case Kind::f32: return bits & 0xffffffffu;
    default: return bits;
  }
}

/// The canonical bits of an integer literal: decimal within the signed range of the kind, hexadecimal as a pattern of as many
/// bits as it has; an i1 is 0 or 1. Nothing if it does not fit.
constexpr std::optional<uint64_t> literal_bits(Kind kind, bool is_negative, bool is_hexadecimal, uint64_t magnitude) {
  uint64_t top = uint64_t{1} << (bit_width(kind) - 1);
  uint64_t most = kind == Kind::i1 ? 1 : is_negative ? top : is_hexadecimal ? top - 1 + top : top - 1;
  if (magnitude > most || (is_negative && kind == Kind::i1 && magnitude != 0)) return std::nullopt;
  return canonical(kind, is_negative ? 0 - magnitude : magnitude);
}

/// The quiet NaN that arithmetic answers, so that all engines agree on its bits.
inline constexpr uint64_t canonical_nan_f64 = 0x7ff8'0000'0000'0000u;
inline constexpr uint64_t canonical_nan_f32 = 0x7fc0'0000u;

template <typename Float>
constexpr Float as_float(uint64_t bits) {
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

/// The bits of a float as they are, NaNs too: for what moves values without computing.
constexpr uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

/// The bits of an arithmetic result.
constexpr uint64_t arithmetic_bits(float value) { return value != value ? canonical_nan_f32 : bits_of(value); }
constexpr uint64_t arithmetic_bits(double value) { return value != value ? canonical_nan_f64 : bits_of(value); }

}  // namespace braid::ir
