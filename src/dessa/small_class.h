// A class of at most 64 nodes in which some interfere: which copies to save.
//
// All pairs are compared once; then a class is a word of members and a word of those that interfere with one
// of them. Copies are saved in turn where nothing interferes. The order decides, so each copy that remains is
// also tried first, as long as that saves more.
//
// Cost: O(64) for each member and each affinity, times a constant number of tries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dessa/interference.h"

namespace braid::dessa {

class SmallClass {
 public:
  static constexpr uint32_t most_members = 64;
  struct Affinity {
    uint32_t a, b;  ///< nodes
  };

  explicit SmallClass(const Interference& interfere)
      : interfere_(interfere), number_(most_members * most_members, nothing) {}

  /// Calls `assign(node, of)` for each member: those with the same `of` may share a variable.
  template <class Assign>
  void solve(std::span<const uint32_t> members, std::span<const Affinity> affinities, Assign&& assign) {
    prepare(members, affinities);
    search();
    for (uint32_t i = 0; i < members.size(); ++i) assign(members[i], members[best_.root[i]]);
  }

 private:
  static constexpr uint32_t most_tries = 48;
  struct Weighted {
    uint8_t a, b;     ///< places in the list of members
    uint32_t weight;  ///< how many copies it saves
  };
  struct Result {
    uint32_t left = 0;  ///< copies that remain
    uint8_t root[most_members];
    std::vector<uint32_t> kept;  ///< affinities of these copies
  };

  void prepare(std::span<const uint32_t> members, std::span<const Affinity> affinities);
  void search();
  Result attempt(std::span<const uint32_t> order) const;

  const Interference& interfere_;
  uint32_t count_ = 0;
  uint64_t conflicts_[most_members];
  std::vector<Weighted> affinities_;
  std::vector<uint32_t> number_;  ///< by pair of places: in affinities_, while they are collected
  Result best_;
};

}  // namespace braid::dessa
