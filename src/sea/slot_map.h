// Versions of a table from slots to nodes that share what is equal: a tree of blocks of 16, copied where it is written.
//
// A copy is O(1), reading and writing O(log slots); comparing two versions costs O(log slots) for each difference, since
// blocks that both share are not looked at. (Path copying after Driscoll et al. 1989, blocks counted by their users.)
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sea/node.h"

namespace braid::sea {

class SlotMaps {
 public:
  SlotMaps() {
    blocks_.reserve(12);
    free_.reserve(12);
  }
  /// One version. It belongs to whoever got it, and goes back by `release`.
  struct Version {
    uint32_t root = nothing;
    uint32_t height = 0;  ///< levels above the leaves
  };

  Version copy(Version version) {
    if (version.root != nothing) ++blocks_[version.root].users;
    return version;
  }
  void release(Version& version);
  /// None if the slot was never set.
  NodeId get(Version version, uint32_t slot) const {
    if (version.root == nothing || !reaches(version.height, slot)) return no_node;
    uint32_t block = version.root;
    for (uint32_t level = version.height; level > 0; --level) {
      block = blocks_[block].items[place(slot, level)];
      if (block == nothing) return no_node;
    }
    return static_cast<NodeId>(blocks_[block].items[place(slot, 0)]);
  }
  void set(Version& version, uint32_t slot, NodeId value);

  /// Calls `f(slot)` for every slot below `count` that is set, in ascending order. `f` must not change `version`.
  template <typename F>
  void for_each(Version version, uint32_t count, F&& f) const {
    differences(version.root, version.height, nothing, version.height, 0, count, f);
  }
  /// Calls `f(slot)` for every slot below `count` where the two differ, in ascending order.
  template <typename F>
  void for_each_difference(Version a, Version b, uint32_t count, F&& f) const {
    differences(a.root, a.height, b.root, b.height, 0, count, f);
  }
  /// Blocks in use, for tests.
  size_t block_count() const { return blocks_.size() - free_.size(); }

 private:
  static constexpr uint32_t nothing = 0xffffffffu;  // the same as no_node
  static constexpr uint32_t bits = 4, width = 1u << bits, most_levels = 32 / bits;
  struct Block {
    uint32_t users;
    std::array<uint32_t, width> items;
  };

  static constexpr uint32_t place(uint32_t slot, uint32_t level) { return slot >> level * bits & (width - 1); }
  /// Whether a tree of this height has the slot.
  static constexpr bool reaches(uint32_t height, uint32_t slot) {
    return height + 1 >= most_levels || slot >> (height + 1) * bits == 0;
  }
  uint32_t make_block();
  /// The block itself if it has one user, otherwise a copy of it that has.
  uint32_t own(uint32_t block, uint32_t level);

  /// No deeper than the tree is high.
  template <typename F>
  void differences(uint32_t a, uint32_t height_a, uint32_t b, uint32_t height_b, uint64_t base, uint32_t count, F& f) const {
    if (base >= count || (a == b && (a == nothing || height_a == height_b))) return;
    if (a == nothing) height_a = height_b;
    if (b == nothing) height_b = height_a;
    uint32_t level = height_a > height_b ? height_a : height_b;
    for (uint32_t i = 0; i < width; ++i) {
      // The lower tree stands where the first child of the higher one is.
      uint32_t x = height_a == level ? item(a, i) : i == 0 ? a : nothing;
      uint32_t y = height_b == level ? item(b, i) : i == 0 ? b : nothing;
      if (x == y && height_a == height_b) continue;
      uint64_t start = base + (uint64_t{i} << level * bits);
      if (level > 0)
        differences(x, height_a == level ? level - 1 : height_a, y, height_b == level ? level - 1 : height_b, start, count, f);
      else if (x != y && start < count)
        f(static_cast<uint32_t>(start));
    }
  }
  uint32_t item(uint32_t block, uint32_t i) const { return block == nothing ? nothing : blocks_[block].items[i]; }

  std::vector<Block> blocks_;
  std::vector<uint32_t> free_;
};

}  // namespace braid::sea
