#include "sea/slot_map.h"

namespace braid::sea {

uint32_t SlotMaps::make_block() {
  uint32_t block;
  if (free_.empty()) {
    block = static_cast<uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    block = free_.back();
    free_.pop_back();
  }
  blocks_[block].users = 1;
  blocks_[block].items.fill(nothing);
  return block;
}

uint32_t SlotMaps::own(uint32_t block, uint32_t level) {
  if (blocks_[block].users == 1) return block;
  uint32_t copy = make_block();
  --blocks_[block].users;
  blocks_[copy].items = blocks_[block].items;
  if (level > 0)
    for (uint32_t child : blocks_[copy].items)
      if (child != nothing) ++blocks_[child].users;
  return copy;
}

void SlotMaps::set(Version& version, uint32_t slot, NodeId value) {
  if (version.root == nothing) {
    version.height = 0;
    while (!reaches(version.height, slot)) ++version.height;
    version.root = make_block();
  }
  while (!reaches(version.height, slot)) {
    uint32_t root = make_block();
    blocks_[root].items[0] = version.root;
    version.root = root;
    ++version.height;
  }
  version.root = own(version.root, version.height);
  uint32_t block = version.root;
  for (uint32_t level = version.height; level > 0; --level) {
    uint32_t child = blocks_[block].items[place(slot, level)];
    child = child == nothing ? make_block() : own(child, level - 1);
    blocks_[block].items[place(slot, level)] = child;
    block = child;
  }
  blocks_[block].items[place(slot, 0)] = index(value);
}

void SlotMaps::release(Version& version) {
  struct Entry {
    uint32_t block, level;
  };
  // At most the siblings of one path wait here.
  std::array<Entry, most_levels * width> waiting;
  size_t count = 0;
  if (version.root != nothing) waiting[count++] = {version.root, version.height};
  while (count > 0) {
    Entry entry = waiting[--count];
    Block& block = blocks_[entry.block];
    if (--block.users > 0) continue;
    free_.push_back(entry.block);
    if (entry.level == 0) continue;
    for (uint32_t child : block.items)
      if (child != nothing) waiting[count++] = {child, entry.level - 1};
  }
  version = {};
}

}  // namespace braid::sea
