// Interned strings: equal text gives the same Symbol, symbols are numbered in the order of their first
// appearance. The text lies in an arena, so views stay valid while the table grows. O(length) per call.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_index.h"
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
    index_.reserve(count);
    texts_.reserve(count);
  }

  Symbol intern(std::string_view text) {
    constexpr size_t least = 32;
    if (texts_.empty()) [[unlikely]] reserve(least);
    const uint32_t next = static_cast<uint32_t>(texts_.size());
    const uint32_t symbol =
        index_.find_or_add(hash_of(text), next, [&](uint32_t other) { return texts_[other] == text; });
    if (symbol == next) texts_.push_back(arena_.copy(text));
    return static_cast<Symbol>(symbol);
  }

  /// The symbol of a text, or `none_id<Symbol>` if it was never interned.
  Symbol find(std::string_view text) const {
    static_assert(index(none_id<Symbol>) == HashIndex::nobody);
    return static_cast<Symbol>(
        index_.find(hash_of(text), [&](uint32_t other) { return texts_[other] == text; }));
  }

  /// Valid as long as the table lives and is not assigned to.
  std::string_view view(Symbol symbol) const {
    assert(index(symbol) < texts_.size() && "symbol of another table");
    return texts_[index(symbol)];
  }

  size_t size() const { return texts_.size(); }
  bool contains(Symbol symbol) const { return index(symbol) < texts_.size(); }

 private:
  static uint32_t hash_of(std::string_view text) { return static_cast<uint32_t>(hash_bytes(text)); }
  void swap(SymbolTable& other) {
    std::swap(index_, other.index_);
    std::swap(texts_, other.texts_);
    std::swap(arena_, other.arena_);
  }

  HashIndex index_;
  std::vector<std::string_view> texts_;
  Arena arena_;
};

}  // namespace braid
