// A small map from variables to words, one for each of many blocks. A block's map is contiguous: one hash table for all
// blocks would be in no cache in a large function, and a block asks for most of its variables one after the other.
// O(1) expected; never iterated, so that no order depends on it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/hash.h"

namespace braid::ssa {

/// Open addressing in one array.
class VariableRow {
 public:
  /// For a variable that is not in the row yet.
  void add(uint32_t variable, uint32_t word) {
    if (2 * (count_ + 1) > capacity_) grow();
    put({variable, word});
    ++count_;
  }
  const uint32_t* find(uint32_t variable) const {
    if (capacity_ == 0) return nullptr;
    const Slot& slot = slots_[find_slot(variable)];
    return slot.variable == free ? nullptr : &slot.word;
  }

 private:
  static constexpr uint32_t free = 0xffffffffu;
  struct Slot {
    uint32_t variable = free, word = 0;
  };

  uint32_t find_slot(uint32_t variable) const {
    uint32_t mask = capacity_ - 1, i = static_cast<uint32_t>(mix64(variable)) & mask;
    while (slots_[i].variable != free && slots_[i].variable != variable) i = (i + 1) & mask;
    return i;
  }
  void put(const Slot& slot) { slots_[find_slot(slot.variable)] = slot; }
  void grow() {
    uint32_t old_capacity = capacity_;
    capacity_ = old_capacity == 0 ? 64 : 2 * old_capacity;
    std::unique_ptr<Slot[]> old = std::move(slots_);
    slots_ = std::make_unique<Slot[]>(capacity_);
    for (uint32_t i = 0; i < old_capacity; ++i)
      if (old[i].variable != free) put(old[i]);
  }

  std::unique_ptr<Slot[]> slots_;
  uint32_t capacity_ = 0, count_ = 0;
};

}  // namespace braid::ssa
