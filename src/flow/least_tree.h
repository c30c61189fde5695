// A row of keys that finds the next key not above a limit without looking at all keys between: sixteen keys
// have their minimum in a row above, sixteen of those in the next, and so on. Sixteen neighbours are one line
// of the cache. O(log keys), to the base of sixteen, to find and to change; O(1) where the answer is near.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace braid::flow {

class LeastTree {
 public:
  static constexpr uint32_t greatest = 0xffffffffu;

  /// `key_of(i)` for each of `count` positions.
  template <class KeyOf>
  void build(uint32_t count, KeyOf&& key_of) {
    start_.clear();
    uint32_t total = 0, length = count;
    do {
      length = (length + width - 1) / width;
      start_.push_back(total);
      total += length * width;
    } while (length > 1);
    keys_.assign(total, greatest);
    for (uint32_t i = 0; i < count; ++i) keys_[i] = key_of(i);
    for (size_t height = 1; height < start_.size(); ++height) {
      const uint32_t* below = keys_.data() + start_[height - 1];
      uint32_t* row = keys_.data() + start_[height];
      for (uint32_t i = 0; below + size_t{i} * width != keys_.data() + start_[height]; ++i) {
        row[i] = *std::min_element(below + size_t{i} * width, below + size_t{i + 1} * width);
      }
    }
  }

  /// Makes a key smaller.
  void lower(uint32_t i, uint32_t key) {
    for (uint32_t start : start_) {
      uint32_t& at = keys_[start + i];
      if (at <= key) return;
      at = key;
      i >>= shift;
    }
  }
  /// Makes a key the greatest, for callers who do so with all keys: those nearby are not found until they are
  /// lowered again.
  void clear(uint32_t i) {
    for (uint32_t start : start_) {
      keys_[start + i] = greatest;
      i >>= shift;
    }
  }

  /// The first position from `i` on whose key is at most `limit`; `last` if there is none before that.
  uint32_t find(uint32_t i, uint32_t last, uint32_t limit) const {
    uint32_t end = std::min((i | (width - 1)) + 1, last);
    for (; i < end; ++i) {
      if (keys_[i] <= limit) return i;
    }
    if (i >= last) return last;
    return find_beyond(i, last, limit);
  }

 private:
  static constexpr uint32_t width = 16;
  static constexpr uint32_t shift = 4;

  /// `i` is the first of sixteen: goes up as long as there is nothing, then down to the first.
  uint32_t find_beyond(uint32_t i, uint32_t last, uint32_t limit) const {
    uint32_t height = 1;
    i >>= shift;
    for (;;) {
      const uint32_t* row = keys_.data() + start_[height];
      uint32_t end = (i | (width - 1)) + 1;
      while (i < end && row[i] > limit) ++i;
      if (uint64_t{i} << (shift * height) >= last) return last;
      if (i < end) break;
      i >>= shift;
      ++height;
    }
    for (; height > 0; --height) {
      i <<= shift;
      const uint32_t* row = keys_.data() + start_[height - 1];
      while (row[i] > limit) ++i;
    }
    return std::min(i, last);
  }

  std::vector<uint32_t> keys_;   // the keys, then the rows above, each filled up to a multiple of sixteen
  std::vector<uint32_t> start_;  // of the rows in `keys_`
};

}  // namespace braid::flow
