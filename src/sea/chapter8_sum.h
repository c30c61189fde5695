// The terms of a long sum in their order, with their places counted.
//
// Chapter 8 keeps sums as chains ((a+b)+c)+d, sorted, and moves a new term to its place by making the part of the chain
// behind it again: n*n/2 nodes for n terms. Here a term that has far to go is put on top of the chain, and the chain is made
// anew, sorted, when somebody looks inside of it, or at the end: O(n log n) for all terms. What the original would have
// made on the way is counted, for the numbers of later nodes; that needs the place of the term, which is found here in
// O(n / 512) by pieces of at most 512 terms. A long sum that comes to the right of a shorter one is not taken apart for that: the
// terms of the shorter one are counted into its order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid::sea {

class SumOrder {
 public:
  using Key = uint64_t;  ///< in the order from left to right

  /// Puts a term behind those that are not greater; returns how many stand to its right.
  size_t insert(Key key) {
    size_t piece = 0, right = 0;
    while (piece + 1 < pieces_.size() && pieces_[piece + 1].front() <= key) ++piece;
    for (size_t i = piece + 1; i < pieces_.size(); ++i) right += pieces_[i].size();
    if (pieces_.empty()) pieces_.emplace_back();
    std::vector<Key>& terms = pieces_[piece];
    auto at = std::upper_bound(terms.begin(), terms.end(), key);
    right += static_cast<size_t>(terms.end() - at);
    terms.insert(at, key);
    if (terms.size() > most) split(piece);
    return right;
  }
  /// How many stand left of it, without its equals.
  size_t count_below(Key key) const {
    size_t below = 0;
    for (const std::vector<Key>& terms : pieces_) {
      if (terms.back() < key) {
        below += terms.size();
        continue;
      }
      return below + static_cast<size_t>(std::lower_bound(terms.begin(), terms.end(), key) - terms.begin());
    }
    return below;
  }
  size_t size() const {
    size_t all = 0;
    for (const std::vector<Key>& terms : pieces_) all += terms.size();
    return all;
  }
  Key first() const { return pieces_.front().front(); }
  /// There must be two.
  Key second() const { return pieces_[0].size() > 1 ? pieces_[0][1] : pieces_[1][0]; }
  Key last() const { return pieces_.back().back(); }

 private:
  static constexpr size_t most = 512;

  void split(size_t piece) {
    std::vector<Key>& terms = pieces_[piece];
    std::vector<Key> upper(terms.begin() + most / 2, terms.end());
    terms.resize(most / 2);
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(piece) + 1, std::move(upper));
  }

  std::vector<std::vector<Key>> pieces_;
};

}  // namespace braid::sea
