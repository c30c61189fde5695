// Where random programs take their decisions from: a seeded generator, or the bytes that a fuzzer hands over.
#pragma once

#include <cstdint>
#include <span>

namespace braid::simple_testing {

class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u) {}
  /// The bytes decide; behind their end everything is the first possibility, so that programs end soon.
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  /// A number below `count`.
  uint32_t pick(uint32_t count) {
    if (from_bytes_) {
      if (bytes_.empty()) return 0;
      uint32_t byte = bytes_.front();
      bytes_ = bytes_.subspan(1);
      return byte % count;
    }
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = (state_ ^ state_ >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>(((z >> 32) * count) >> 32);
  }
  bool chance(uint32_t one_in) { return pick(one_in) + 1 == one_in; }

 private:
  uint64_t state_ = 0;
  std::span<const uint8_t> bytes_;
  bool from_bytes_ = false;
};

}  // namespace braid::simple_testing
