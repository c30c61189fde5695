// Where things stand, found by their hash: open addressing, linear, at a load of at most one half. The things are their owner's,
// who compares them. Never iterated, so that no order depends on a hash. O(1) expected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

class HashIndex {
 public:
  /// The position of the thing with this hash for which `is_same(position)` holds. If there is none, it is `position` from now on.
  template <typename Same>
  uint32_t find_or_add(uint32_t hash, uint32_t position, Same&& is_same) {
    if (2 * (count_ + 1) > slots_.size()) [[unlikely]] grow();
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at].position != nobody; at = (at + 1) & mask)
      if (slots_[at].hash == hash && is_same(slots_[at].position)) return slots_[at].position;
    slots_[at] = {hash, position};
    ++count_;
    return position;
  }

 private:
  static constexpr uint32_t nobody = 0xffff'ffffu;
  struct Slot {
    uint32_t hash;
    uint32_t position;
  };

  [[gnu::noinline]] void grow() {
    std::vector<Slot> old(std::max<size_t>(16, 2 * slots_.size()), Slot{0, nobody});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.position == nobody) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].position != nobody) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace braid
