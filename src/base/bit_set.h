// Sets of small numbers as bits in 64-bit words. Set operations work on sets of equal size, a word at a time.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/id.h"

namespace braid {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(size_t size) { resize(size); }

  size_t size() const { return size_; }
  /// New elements are not in the set.
  void resize(size_t size) {
    words_.resize((size + 63) / 64, 0);
    if (size < size_ && size % 64 != 0) words_.back() &= (uint64_t{1} << size % 64) - 1;
    size_ = size;
  }

  bool test(size_t i) const { return words_[word(i)] >> (i & 63) & 1; }
  void set(size_t i) { words_[word(i)] |= uint64_t{1} << (i & 63); }
  void reset(size_t i) { words_[word(i)] &= ~(uint64_t{1} << (i & 63)); }
  /// Adds the element and says whether it was new.
  bool insert(size_t i) {
    uint64_t& bits = words_[word(i)];
    uint64_t bit = uint64_t{1} << (i & 63);
    bool is_new = (bits & bit) == 0;
    bits |= bit;
    return is_new;
  }
  void clear_all() { words_.assign(words_.size(), 0); }
  void set_all() {
    words_.assign(words_.size(), ~uint64_t{0});
    if (size_ % 64 != 0) words_.back() &= (uint64_t{1} << size_ % 64) - 1;
  }

  /// Each of these says whether this set changed.
  bool union_with(const BitSet& other) {
    return combine(other, [](uint64_t a, uint64_t b) { return a | b; });
  }
  bool intersect(const BitSet& other) {
    return combine(other, [](uint64_t a, uint64_t b) { return a & b; });
  }
  bool subtract(const BitSet& other) {
    return combine(other, [](uint64_t a, uint64_t b) { return a & ~b; });
  }

  size_t count() const {
    size_t total = 0;
    for (uint64_t bits : words_) total += static_cast<size_t>(std::popcount(bits));
    return total;
  }
  bool empty() const {
    for (uint64_t bits : words_) {
      if (bits != 0) return false;
    }
    return true;
  }
  bool operator==(const BitSet&) const = default;

  /// Calls `visit(i)` for each element, ascending. The set may change meanwhile; changes in the current word
  /// are not seen.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(w * 64 + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }

  const std::vector<uint64_t>& words() const { return words_; }

 private:
  size_t word(size_t i) const {
    assert(i < size_ && "element outside of the bit set");
    return i >> 6;
  }
  template <class Combine>
  bool combine(const BitSet& other, Combine combine_words) {
    assert(size_ == other.size_ && "bit sets of different size");
    uint64_t changed = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      uint64_t result = combine_words(words_[w], other.words_[w]);
      changed |= result ^ words_[w];
      words_[w] = result;
    }
    return changed != 0;
  }

  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

/// A set of ids of one kind.
template <Id I>
class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(size_t size) : bits_(size) {}

  size_t size() const { return bits_.size(); }
  void resize(size_t size) { bits_.resize(size); }
  bool test(I id) const { return bits_.test(index(id)); }
  void set(I id) { bits_.set(index(id)); }
  void reset(I id) { bits_.reset(index(id)); }
  bool insert(I id) { return bits_.insert(index(id)); }
  void clear_all() { bits_.clear_all(); }
  void set_all() { bits_.set_all(); }
  bool union_with(const IdSet& other) { return bits_.union_with(other.bits_); }
  bool intersect(const IdSet& other) { return bits_.intersect(other.bits_); }
  bool subtract(const IdSet& other) { return bits_.subtract(other.bits_); }
  size_t count() const { return bits_.count(); }
  bool empty() const { return bits_.empty(); }
  bool operator==(const IdSet&) const = default;
  template <class Visit>
  void for_each(Visit&& visit) const {
    bits_.for_each([&](size_t i) { visit(static_cast<I>(i)); });
  }
  const BitSet& bits() const { return bits_; }

 private:
  BitSet bits_;
};

}  // namespace braid
