// The constant table: open addressing over (type, bits).
#include "ir/constants.h"

namespace braid::ir {
namespace {

size_t hash_of(Type type, uint64_t bits) {
  uint64_t h = (bits ^ (uint64_t{type.bits} << 32)) * 0x9e3779b97f4a7c15ull;
  return static_cast<size_t>(h ^ (h >> 29));
}

}  // namespace

Operand ConstTable::intern(Type type, uint64_t bits) {
  if (slots_.size() < 2 * (entries_.size() + 1)) grow();
  size_t mask = slots_.size() - 1;
  for (size_t slot = hash_of(type, bits) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      entries_.push_back({type, bits});
      slots_[slot] = static_cast<uint32_t>(entries_.size());
      return Operand::make(Operand::Tag::constant, static_cast<uint32_t>(entries_.size() - 1));
    }
    if (entries_[slots_[slot] - 1] == Constant{type, bits})
      return Operand::make(Operand::Tag::constant, slots_[slot] - 1);
  }
}

void ConstTable::grow() {
  slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
  size_t mask = slots_.size() - 1;
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    size_t slot = hash_of(entries_[i].type, entries_[i].bits) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

}  // namespace braid::ir
