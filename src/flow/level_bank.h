// Nodes waiting, by level: the deepest comes out first (the piggy bank of V. C. Sreedhar and G. R. Gao, A
// Linear Time Algorithm for Placing Phi-Nodes, 1995). Which levels hold something is kept as bits, with a bit
// in a row above for each word that is not zero, and so on, so that no empty levels are walked. O(log
// levels), to the base of 64, to put in and to take out; nothing is allocated once the bank has been as full
// before.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "flow/graph.h"

namespace braid::flow {

class LevelBank {
 public:
  void resize(uint32_t level_count) {
    first_.assign(level_count, nothing);
    rows_.clear();
    uint32_t length = level_count;
    do {
      length = (length + 63) / 64;
      rows_.emplace_back(length, 0);
    } while (length > 1);
  }

  bool empty() const { return rows_.empty() || rows_.back().empty() || rows_.back()[0] == 0; }

  void put(Node n, uint32_t level) {
    uint32_t behind = first_[level];
    first_[level] = static_cast<uint32_t>(entries_.size());
    entries_.push_back({n, behind});
    if (behind != nothing) return;
    for (std::vector<uint64_t>& row : rows_) {
      uint64_t& word = row[level / 64];
      uint64_t before = word;
      word |= uint64_t{1} << level % 64;
      if (before != 0) return;
      level /= 64;
    }
  }

  /// One of the deepest nodes.
  Node take() {
    uint32_t level = 0;
    for (size_t height = rows_.size(); height-- > 0;) {
      level = level * 64 + 63 - static_cast<uint32_t>(std::countl_zero(rows_[height][level]));
    }
    Entry entry = entries_[first_[level]];
    first_[level] = entry.behind;
    if (entry.behind != nothing) return entry.node;
    for (std::vector<uint64_t>& row : rows_) {
      uint64_t& word = row[level / 64];
      word &= ~(uint64_t{1} << level % 64);
      if (word != 0) return entry.node;
      level /= 64;
    }
    entries_.clear();
    return entry.node;
  }

 private:
  static constexpr uint32_t nothing = 0xffffffffu;
  struct Entry {
    Node node;
    uint32_t behind;  // the next of the same level
  };

  std::vector<uint32_t> first_;              // by level, in `entries_`
  std::vector<std::vector<uint64_t>> rows_;  // the levels that hold something, then the rows above
  std::vector<Entry> entries_;
};

}  // namespace braid::flow
