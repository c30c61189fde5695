// Versions of a table from slots to nodes that share what is equal: a tree of blocks, copied where it is written.
//
// A copy is O(1), reading and writing O(log slots); comparing two versions costs O(log slots) for each difference, since
// blocks that both share are not looked at. (Path copying after Driscoll et al. 1989, blocks counted by their users.)
//
// Leaves hold 16 slots, so that small functions have nothing else; blocks above them have 8 children, since each of them
// is one more to count when a block is copied or goes.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sea/node.h"

namespace braid::sea {

class SlotMaps {
 public:
  SlotMaps() {
    blocks_.reserve(12);
    users_.reserve(12);
    free_.reserve(12);
  }
  /// One version. It belongs to whoever got it, and goes back by `release`.
  struct Version {
    uint32_t root = nothing;
    uint32_t height = 0;  ///< levels above the leaves
  };

  Version copy(Version version) {
    if (version.root != nothing) ++users_[version.root];
    return version;
  }
  void release(Version& version) {
    if (version.root != nothing && --users_[version.root] == 0) free_tree(version);
    version = {};
  }
  /// None if the slot was never set.
  NodeId get(Version version, uint32_t slot) const {
    if (version.root == nothing || !reaches(version.height, slot)) return no_node;
    uint32_t block = version.root;
    for (uint32_t level = version.height; level > 0; --level) {
      block = blocks_[block][place(slot, level)];
      if (block == nothing) return no_node;
    }
    return static_cast<NodeId>(blocks_[block][slot % leaf_width]);
  }
  void set(Version& version, uint32_t slot, NodeId value) {
    uint32_t leaf = version.root;
    if (version.height > 0 || leaf == nothing || slot >= leaf_width || users_[leaf] != 1) leaf = owned_leaf(version, slot);
    blocks_[leaf][slot % leaf_width] = index(value);
  }

  /// Calls `f(slot)` for every slot below `count` that is set, in ascending order. `f` must not change `version`.
  template <typename F>
  void for_each(Version version, uint32_t count, F&& f) const {
    differences(version, {}, 0, count, f);
  }
  /// Calls `f(slot)` for every slot below `count` where the two differ, in ascending order.
  template <typename F>
  void for_each_difference(Version a, Version b, uint32_t count, F&& f) const {
    differences(a, b, 0, count, f);
  }
  /// Blocks in use, for tests.
  size_t block_count() const { return blocks_.size() - free_.size(); }

 private:
  static constexpr uint32_t nothing = 0xffffffffu;  // the same as no_node
  static constexpr uint32_t leaf_bits = 4, leaf_width = 1u << leaf_bits;
  static constexpr uint32_t child_bits = 3, child_count = 1u << child_bits;
  static constexpr uint32_t most_levels = 1 + (32 - leaf_bits + child_bits - 1) / child_bits;
  /// Values, or the children, which take one half of it.
  using Block = std::array<uint32_t, leaf_width>;
  static constexpr Block empty = [] {
    Block block{};
    block.fill(nothing);
    return block;
  }();

  static constexpr uint32_t shift(uint32_t level) { return leaf_bits + (level - 1) * child_bits; }
  /// Which child of a block above the leaves.
  static constexpr uint32_t place(uint32_t slot, uint32_t level) { return slot >> shift(level) & (child_count - 1); }
  /// Whether a tree of this height has the slot.
  static constexpr bool reaches(uint32_t height, uint32_t slot) {
    return height + 1 >= most_levels || slot >> shift(height + 1) == 0;
  }
  uint32_t make_block(Block block);
  /// The block itself if it has one user, otherwise a copy of it that has.
  uint32_t own(uint32_t block, uint32_t level) { return users_[block] == 1 ? block : copy_block(block, level); }
  uint32_t copy_block(uint32_t block, uint32_t level);
  uint32_t owned_leaf(Version& version, uint32_t slot);
  void free_tree(Version version);
  const Block& block_of(Version version) const { return version.root == nothing ? empty : blocks_[version.root]; }

  /// No deeper than the trees are high.
  template <typename F>
  void differences(Version a, Version b, uint64_t base, uint32_t count, F& f) const {
    if (base >= count || (a.root == b.root && (a.root == nothing || a.height == b.height))) return;
    if (a.root == nothing) a.height = b.height;
    if (b.root == nothing) b.height = a.height;
    const uint32_t level = a.height > b.height ? a.height : b.height;
    if (level == 0) return differences_of_leaves(block_of(a), block_of(b), base, count, f);
    if (a.height != b.height) return differences_of_heights(a, b, base, count, f);
    const Block &children_a = block_of(a), &children_b = block_of(b);
    for (uint32_t i = 0; i < child_count; ++i)
      if (children_a[i] != children_b[i])
        differences({children_a[i], level - 1}, {children_b[i], level - 1}, base + (uint64_t{i} << shift(level)), count, f);
  }
  /// The lower tree stands where the first child of the higher one is.
  template <typename F>
  void differences_of_heights(Version a, Version b, uint64_t base, uint32_t count, F& f) const {
    const bool a_is_higher = a.height > b.height;
    const Version high = a_is_higher ? a : b, low = a_is_higher ? b : a;
    for (uint32_t i = 0; i < child_count; ++i) {
      const Version child{block_of(high)[i], high.height - 1};
      const Version other = i == 0 ? low : Version{};
      differences(child, other, base + (uint64_t{i} << shift(high.height)), count, f);
    }
  }
  static Block only_child(Version version) {
    Block block = empty;
    block[0] = version.root;
    return block;
  }
  template <typename F>
  static void differences_of_leaves(const Block& a, const Block& b, uint64_t base, uint32_t count, F& f) {
    // Most are equal: two are compared at once.
    for (uint32_t pair = 0; pair < leaf_width; pair += 2) {
      if (std::memcmp(&a[pair], &b[pair], 2 * sizeof a[0]) == 0) continue;
      for (uint32_t i = pair; i < pair + 2; ++i)
        if (a[i] != b[i] && base + i < count) f(static_cast<uint32_t>(base + i));
    }
  }

  std::vector<Block> blocks_;
  std::vector<uint32_t> users_;  ///< of each block
  std::vector<uint32_t> free_;
};

}  // namespace braid::sea
