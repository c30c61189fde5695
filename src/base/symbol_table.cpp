#include "base/symbol_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace braid {

SymbolTable::SymbolTable(const SymbolTable& other) : slots_(other.slots_) {
  size_t bytes = 0;
  for (std::string_view text : other.texts_) bytes += text.size();
  char* at = static_cast<char*>(arena_.allocate(bytes, 1));
  texts_.reserve(other.texts_.size());
  for (std::string_view text : other.texts_) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    texts_.emplace_back(at, text.size());
    at += text.size();
  }
}

void SymbolTable::grow(size_t slots) {
  constexpr size_t least = 64;
  std::vector<Slot> old(std::max(least, std::bit_ceil(slots)), Slot{0, empty_slot});
  std::swap(old, slots_);
  texts_.reserve(slots_.size() / 2);
  size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.symbol == empty_slot) continue;
    size_t slot = entry.hash & mask;
    while (slots_[slot].symbol != empty_slot) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

}  // namespace braid
