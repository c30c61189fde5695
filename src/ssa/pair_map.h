// A map from (block, variable) to a word: open addressing in one array. O(1) expected; never iterated, so that no order
// depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "ir/operand.h"

namespace braid::ssa {

class PairMap {
 public:
  void set(ir::BlockId b, uint32_t variable, uint32_t word) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find_slot(key(b, variable))];
    if (slot.key == free) {
      slot.key = key(b, variable);
      ++count_;
    }
    slot.word = word;
  }
  const uint32_t* find(ir::BlockId b, uint32_t variable) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[find_slot(key(b, variable))];
    return slot.key == free ? nullptr : &slot.word;
  }

 private:
  static constexpr uint64_t free = ~uint64_t{0};  ///< no block has the number of `none`
  struct Slot {
    uint64_t key = free;
    uint32_t word = 0;
  };

  static uint64_t key(ir::BlockId b, uint32_t variable) { return uint64_t{index(b)} << 32 | variable; }
  size_t find_slot(uint64_t key) const {
    size_t mask = slots_.size() - 1;
    size_t i = mix64(key) & mask;
    while (slots_[i].key != free && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != free) slots_[find_slot(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace braid::ssa
