// Interned strings: equal text gives the same Symbol, symbols are numbered in the order of their first
// appearance. Open addressing with linear probing at a load of at most one half; the text lies in an arena,
// so views stay valid while the table grows. O(length) per call.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/hash.h"
#include "base/id.h"

namespace braid {

enum class Symbol : uint32_t {};

class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(SymbolTable&& other) noexcept { swap(other); }
  SymbolTable(const SymbolTable& other);
  SymbolTable& operator=(SymbolTable other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes room for so many symbols in all.
  void reserve(size_t count) {
    if (2 * count > slots_.size()) grow(2 * count);
    texts_.reserve(count);
  }

  Symbol intern(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow(2 * slots_.size());
    uint32_t hash = hash_of(text);
    size_t slot = probe(text, hash);
    if (slots_[slot].symbol == empty_slot) {
      slots_[slot] = {hash, static_cast<uint32_t>(texts_.size())};
      texts_.push_back(arena_.copy(text));
    }
    return static_cast<Symbol>(slots_[slot].symbol);
  }

  /// The symbol of a text, or `none_id<Symbol>` if it was never interned.
  Symbol find(std::string_view text) const {
    if (slots_.empty()) return none_id<Symbol>;
    return static_cast<Symbol>(slots_[probe(text, hash_of(text))].symbol);
  }

  /// Valid as long as the table lives and is not assigned to.
  std::string_view view(Symbol symbol) const {
    assert(index(symbol) < texts_.size() && "symbol of another table");
    return texts_[index(symbol)];
  }

  size_t size() const { return texts_.size(); }
  bool contains(Symbol symbol) const { return index(symbol) < texts_.size(); }

 private:
  struct Slot {
    uint32_t hash;
    uint32_t symbol;
  };
  static constexpr uint32_t empty_slot = 0xffffffffu;  // the same as none_id<Symbol>

  static uint32_t hash_of(std::string_view text) { return static_cast<uint32_t>(hash_bytes(text)); }

  /// The slot that holds the text, or the free one where it belongs.
  size_t probe(std::string_view text, uint32_t hash) const {
    size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot].symbol != empty_slot &&
           (slots_[slot].hash != hash || texts_[slots_[slot].symbol] != text)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow(size_t slots);
  void swap(SymbolTable& other) {
    std::swap(slots_, other.slots_);
    std::swap(texts_, other.texts_);
    std::swap(arena_, other.arena_);
  }

  std::vector<Slot> slots_;
  std::vector<std::string_view> texts_;
  Arena arena_;
};

}  // namespace braid
