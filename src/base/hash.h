// 64-bit hashing without 128-bit arithmetic (wasm32 would call a library for it). Good for tables, not
// against attackers; never order output by a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace braid {

/// A bijection in which every input bit changes about half of the output bits (the finaliser of Steele et
/// al.'s SplittableRandom, 2014, with Stafford's constants).
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Order matters: combine(a, b) != combine(b, a).
constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
  return mix64(seed + 0x9e3779b97f4a7c15u + mix64(value));
}

/// Eight bytes per step; the tail is read as one word that overlaps the last step where the text is long
/// enough.
inline uint64_t hash_bytes(std::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  uint64_t hash = 0x9e3779b97f4a7c15u ^ left;
  auto step = [&](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  auto read = [](const char* from, auto word) {
    std::memcpy(&word, from, sizeof word);
    return static_cast<uint64_t>(word);
  };
  if (left >= 8) {
    for (; left > 8; left -= 8, at += 8) step(read(at, uint64_t{}));
    step(read(at + left - 8, uint64_t{}));
  } else if (left >= 4) {
    step(read(at, uint32_t{}) << 32 | read(at + left - 4, uint32_t{}));
  } else if (left > 0) {
    auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(at[i])); };
    step(byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1));
  }
  hash *= 0xc4ceb9fe1a85ec53u;
  return hash ^ (hash >> 32);
}

}  // namespace braid
