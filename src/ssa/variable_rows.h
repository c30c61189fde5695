// Small maps from variables to words, one for each of many blocks, in one array. A block's map is contiguous: one hash table
// for all blocks would be in no cache in a large function, and a block asks for most of its variables one after the other.
// O(1) expected; never iterated, so that no order depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace braid::ssa {

class VariableRows {
 public:
  /// A map of one block: open addressing in a part of the array.
  struct Row {
    uint32_t first = 0, capacity = 0, count = 0;
  };

  /// For a variable that is not in the row yet.
  void add(Row& row, uint32_t variable, uint32_t word) {
    if (2 * (row.count + 1) > row.capacity) grow(row);
    put(row, {variable, word});
    ++row.count;
  }
  const uint32_t* find(const Row& row, uint32_t variable) const {
    if (row.capacity == 0) return nullptr;
    const Slot& slot = slots_[find_slot(row, variable)];
    return slot.variable == free ? nullptr : &slot.word;
  }

 private:
  static constexpr uint32_t free = 0xffffffffu;
  struct Slot {
    uint32_t variable = free, word = 0;
  };

  size_t find_slot(const Row& row, uint32_t variable) const {
    uint32_t mask = row.capacity - 1, i = static_cast<uint32_t>(mix64(variable)) & mask;
    while (slots_[row.first + i].variable != free && slots_[row.first + i].variable != variable) i = (i + 1) & mask;
    return row.first + i;
  }
  void put(const Row& row, const Slot& slot) { slots_[find_slot(row, slot.variable)] = slot; }
  /// What is left behind is no more than what is in use.
  void grow(Row& row) {
    Row old = row;
    row.first = static_cast<uint32_t>(slots_.size());
    row.capacity = old.capacity == 0 ? 64 : 2 * old.capacity;
    slots_.resize(slots_.size() + row.capacity);
    for (uint32_t i = old.first; i < old.first + old.capacity; ++i)
      if (slots_[i].variable != free) put(row, slots_[i]);
  }

  std::vector<Slot> slots_;
};

}  // namespace braid::ssa
