// Numbers and texts of pandasm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid::pandasm {

/// Decimal, `0x`, `0b`, or octal behind a leading 0; a `-` in front negates modulo 2^64. Nothing if it is no number, or one of
/// more than 64 bits.
std::optional<uint64_t> parse_integer(std::string_view text);

/// The bits of an f64, or of an f32: a decimal number, or with `0x` the bits themselves; `-0x…` is a negative integer.
std::optional<uint64_t> parse_real(std::string_view text, bool is_f64);

/// What the escapes of a text mean. On a bad one, nothing, and `bad` is its place.
std::optional<std::string> unescape(std::string_view text, size_t& bad);
/// The text with escapes, and quotes around it.
void append_quoted(std::string& out, std::string_view text);

/// Whether the low bits say it all, read with a sign or without; gives the value that they mean with a sign.
std::optional<uint64_t> narrow(uint64_t value, unsigned bits);

bool is_name(std::string_view text);

}  // namespace braid::pandasm
