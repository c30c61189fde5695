// A row of keys that finds the next key not above a limit, without looking at all keys between: sixteen keys
// have their minimum in a row above, sixteen of those in the next, and so on. Sixteen neighbours are one line
// of the cache and a few vector instructions. O(log keys), to the base of sixteen, to find and to change;
// O(1) where the answer is near.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace braid::flow {

class LeastTree {
 public:
  static constexpr uint32_t greatest = 0xffffffffu;

  void assign(uint32_t count, uint32_t key) {
    start_.clear();
    uint32_t total = 0, length = count;
    do {
      length = (length + width - 1) / width;
      start_.push_back(total);
      total += length * width;
    } while (length > 1);
    keys_.assign(total, greatest);
    std::fill(keys_.begin(), keys_.begin() + count, key);
    gather();
  }

  uint32_t operator[](uint32_t i) const { return keys_[i]; }

  void set(uint32_t i, uint32_t key) {
    uint32_t old = keys_[i];
    keys_[i] = key;
    for (size_t height = 1; height < start_.size(); ++height) {
      uint32_t first = start_[height - 1] + i / width * width;
      i /= width;
      uint32_t& above = keys_[start_[height] + i];
      if (key < above) {
        above = key;
      } else {
        if (above != old) return;
        key = least_of(first);
        if (key == above) return;
        above = key;
      }
    }
  }

  /// Sets many keys without the rows above; `gather` makes those again.
  void set_quietly(uint32_t i, uint32_t key) { keys_[i] = key; }
  void gather() {
    for (size_t height = 1; height < start_.size(); ++height) {
      for (uint32_t i = 0; start_[height - 1] + i * width < start_[height]; ++i) {
        keys_[start_[height] + i] = least_of(start_[height - 1] + i * width);
      }
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

  uint32_t least_of(uint32_t first) const {
    const uint32_t* keys = keys_.data() + first;
    uint32_t least = keys[0];
    for (uint32_t k = 1; k < width; ++k) least = std::min(least, keys[k]);
    return least;
  }

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
