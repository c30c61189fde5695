#include "sea/slot_map.h"

namespace braid::sea {

uint32_t SlotMaps::make_block(Block block) {
  if (free_.empty()) {
    blocks_.push_back(block);
    users_.push_back(1);
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  const uint32_t made = free_.back();
  free_.pop_back();
  blocks_[made] = block;
  users_[made] = 1;
  return made;
}

uint32_t SlotMaps::copy_block(uint32_t block, uint32_t level) {
  --users_[block];
  if (level > 0)
    for (uint32_t i = 0; i < child_count; ++i)
      if (const uint32_t child = blocks_[block][i]; child != nothing) ++users_[child];
  return make_block(blocks_[block]);
}

/// The leaf of a slot, which only this version has.
uint32_t SlotMaps::owned_leaf(Version& version, uint32_t slot) {
  if (version.root == nothing) {
    version.height = 0;
    while (!reaches(version.height, slot)) ++version.height;
    version.root = make_block(empty);
  }
  while (!reaches(version.height, slot)) {
    version.root = make_block(only_child(version));
    ++version.height;
  }
  uint32_t block = version.root = own(version.root, version.height);
  for (uint32_t level = version.height; level > 0; --level) {
    const uint32_t known = blocks_[block][place(slot, level)];
    const uint32_t child = known == nothing ? make_block(empty) : own(known, level - 1);
    blocks_[block][place(slot, level)] = child;
    block = child;
  }
  return block;
}

/// Its root has no user any more.
void SlotMaps::free_tree(Version version) {
  struct Entry {
    uint32_t block, level;
  };
  // At most the siblings of one path wait here.
  std::array<Entry, most_levels * child_count> waiting;
  size_t count = 0;
  waiting[count++] = {version.root, version.height};
  while (count > 0) {
    const Entry entry = waiting[--count];
    free_.push_back(entry.block);
    if (entry.level == 0) continue;
    for (uint32_t i = 0; i < child_count; ++i) {
      const uint32_t child = blocks_[entry.block][i];
      if (child != nothing && --users_[child] == 0) waiting[count++] = {child, entry.level - 1};
    }
  }
}

}  // namespace braid::sea
