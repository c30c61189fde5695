// Compressed sparse rows: many small lists in two flat vectors (where each row starts, and all items). Built
// by counting first and filling then; the order within a row is the order of the calls. O(rows + items), two
// allocations.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"

namespace braid {

template <typename T>
class Csr {
 public:
  Csr() = default;

  /// `visit(emit)` calls `emit(row, item)` for every item; it is run twice and must emit the same both times.
  template <class Visit>
  static Csr build(size_t row_count, Visit&& visit) {
    Csr csr;
    csr.build_again(row_count, visit);
    return csr;
  }

  /// Item `i` of `items` goes to row `row_of[i]`.
  static Csr from_arrays(size_t row_count, std::span<const uint32_t> row_of, std::span<const T> items) {
    assert(row_of.size() == items.size());
    return build(row_count, [&](auto&& emit) {
      for (size_t i = 0; i < items.size(); ++i) emit(row_of[i], items[i]);
    });
  }

  /// Like `build`, into this object, whose memory is used again.
  template <class Visit>
  void build_again(size_t row_count, Visit&& visit) {
    // Row r is counted at r + 2 and filled at r + 1, so that after filling `starts_[r + 1]` is where row r
    // ends.
    starts_.assign(row_count + 2, 0);
    visit([&](uint32_t row, const T&) {
      assert(row < row_count);
      ++starts_[row + 2];
    });
    for (size_t row = 0; row < row_count; ++row) starts_[row + 2] += starts_[row + 1];
    items_.resize(starts_[row_count + 1]);
    visit([&](uint32_t row, const T& item) { items_[starts_[row + 1]++] = item; });
    starts_.pop_back();
  }

  std::span<const T> row(size_t i) const {
    assert(i + 1 < starts_.size());
    return {items_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }
  template <Id I>
  std::span<const T> row(I id) const {
    return row(size_t{index(id)});
  }

  /// Where row `i` starts in `items()`: gives each item a number.
  uint32_t start(size_t i) const { return starts_[i]; }
  const std::vector<T>& items() const { return items_; }
  size_t row_count() const { return starts_.empty() ? 0 : starts_.size() - 1; }
  size_t item_count() const { return items_.size(); }
  bool operator==(const Csr&) const = default;

 private:
  std::vector<uint32_t> starts_;
  std::vector<T> items_;
};

}  // namespace braid
