#include "ir/link_blocks.h"

#include <algorithm>

namespace braid::ir {

/// As long as more blocks come, there is room for those of a million statements: what is not used is not touched.
void BlockLinker::add(std::span<const uint32_t> starts, bool is_all) {
  Function& f = *f_;
  uint32_t count = static_cast<uint32_t>(starts.size()), size = f.size(), before = f.block_count();
  if (before == 1 && entry_end_ == 0) entry_end_ = count != 0 ? starts[0] : size;
  ended_ = before + count;
  uint32_t edges = f.edge_count() + 2 * (ended_ - linked_);
  auto room = [&](uint32_t least, uint32_t capacity) {
    if (is_all || least <= capacity) return least;
    uint32_t statements = std::max(f.columns().capacity(), 1u << 20);
    return static_cast<uint32_t>(std::max<uint64_t>(4 * least, uint64_t{least} * statements / size * 9 / 8));
  };
  f.blocks_.reserve(room(ended_, f.blocks_.capacity()));
  f.edges_.reserve(room(edges, f.edges_.capacity()));
  if (count == 0) return;
  Block *block = f.blocks_.add(count), *last = block + count - 1;
  const uint32_t* start = starts.data();
  for (; block != last; ++block, ++start) put(block, start[0], start[1]);
  put(last, *start, size);
}

void BlockLinker::add_open(bool last_is_open, uint32_t empty_blocks) {
  Function& f = *f_;
  uint32_t filled = f.block_count();
  ended_ -= last_is_open;
  Block* empty = f.blocks_.add(empty_blocks);
  for (uint32_t b = 0; b < empty_blocks; ++b) put(empty++, 0, 0);
  for (uint32_t b = ended_; b < filled + empty_blocks; ++b) f.blocks_[static_cast<BlockId>(b)].terminator = Operand::undef();
}

void BlockLinker::put(Block* block, uint32_t first, uint32_t end) {
  block->first = first;
  block->end = end;
  block->more = Block::no_range;
  block->first_pred = block->last_pred = none_id<EdgeId>;
  block->pred_count = 0;
  block->terminator = static_cast<Ref>(end - 1);
  block->name = none_id<Symbol>;
}

void BlockLinker::begin() {
  Block& entry = f_->blocks_[Function::entry()];
  entry.end = entry_end_;
  entry.terminator = ended_ != 0 ? Operand(static_cast<Ref>(entry_end_ - 1)) : Operand::undef();
}

void BlockLinker::go_on() {
  Block& entry = f_->blocks_[Function::entry()];
  entry.end = f_->size();
  entry.terminator = Operand::undef();
}

}  // namespace braid::ir
