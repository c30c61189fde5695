// Where things stand, found by their hash: open addressing, linear, at a load of at most one half. The things
// are their owner's, who compares them. Never iterated, so that no order depends on a hash. O(1) expected.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

class HashIndex {
 public:
  static constexpr uint32_t nobody = 0xffff'ffffu;

  /// Makes room for so many things in all.
  void reserve(size_t count) {
    if (2 * count > slots_.size()) grow(std::bit_ceil(2 * count));
  }
  /// The position of the thing with this hash for which `is_same(position)` holds, or `nobody`.
  template <typename Same>
  uint32_t find(uint32_t hash, Same&& is_same) const {
    return slots_.empty() ? nobody : slots_[slot_of(hash, is_same)].position;
  }
  /// The same; if there is none, it is `position` from now on.
  template <typename Same>
  uint32_t find_or_add(uint32_t hash, uint32_t position, Same&& is_same) {
    if (2 * (count_ + 1) > slots_.size()) [[unlikely]]
      grow(std::max<size_t>(16, 2 * slots_.size()));
    Slot& slot = slots_[slot_of(hash, is_same)];
    if (slot.position == nobody) {
      slot = {hash, position};
      ++count_;
    }
    return slot.position;
  }

 private:
  struct Slot {
    uint32_t hash;
    uint32_t position;
  };

  /// Where it stands, or the free slot where it belongs.
  template <typename Same>
  size_t slot_of(uint32_t hash, Same&& is_same) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].position != nobody && (slots_[at].hash != hash || !is_same(slots_[at].position)))
      at = (at + 1) & mask;
    return at;
  }
  [[gnu::noinline]] void grow(size_t size) {
    std::vector<Slot> old(size, Slot{0, nobody});
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.position != nobody) slots_[slot_of(slot.hash, [](uint32_t) { return false; })] = slot;
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

/// The same for things that stand one behind the other, and of which there are often very few: these need no memory.
class SmallHashIndex {
 public:
  static constexpr uint32_t nobody = HashIndex::nobody;

  template <typename Same>
  uint32_t find(uint32_t hash, Same&& is_same) const {
    if (count_ > few) return index_.find(hash, is_same);
    for (uint32_t i = 0; i < count_; ++i)
      if (hashes_[i] == hash && is_same(i)) return i;
    return nobody;
  }
  /// The thing behind the last one, which is not there yet.
  void add(uint32_t hash) {
    if (count_ < few) {
      hashes_[count_++] = hash;
      return;
    }
    auto is_new = [](uint32_t) { return false; };
    for (uint32_t i = 0; i < few && count_ == few; ++i) index_.find_or_add(hashes_[i], i, is_new);
    index_.find_or_add(hash, count_++, is_new);
  }

 private:
  static constexpr uint32_t few = 8;
  uint32_t hashes_[few];
  uint32_t count_ = 0;
  HashIndex index_;  ///< of all, if they are more
};

}  // namespace braid
