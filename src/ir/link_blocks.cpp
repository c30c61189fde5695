#include "ir/link_blocks.h"

namespace braid::ir {

BlockLinker::BlockLinker(Function& f, std::span<const uint32_t> starts, uint32_t empty_blocks, bool last_is_open)
    : f_(f), ended_(static_cast<uint32_t>(starts.size()) - last_is_open) {
  assert(f.block_count() == 1 && f.edge_count() == 0);
  uint32_t filled = static_cast<uint32_t>(starts.size()), end = f.size();
  Symbol entry_name = f.blocks_[Function::entry()].name;
  f.blocks_.cut(0);
  f.blocks_.reserve(filled + empty_blocks);
  f.edges_.reserve(2 * ended_);
  Block* blocks = f.blocks_.add(filled + empty_blocks);
  auto put = [](Block& block, uint32_t first, uint32_t behind) {
    block.first = first;
    block.end = behind;
    block.more = block.last_range = Block::no_range;
    block.first_pred = block.last_pred = none_id<EdgeId>;
    block.pred_count = 0;
    block.terminator = static_cast<Ref>(behind - 1);
    block.impossible = none_id<BlockId>;
    block.name = none_id<Symbol>;
    block.pending_phis = Block::no_range;
  };
  for (uint32_t b = 0; b < filled; ++b) put(blocks[b], starts[b], b + 1 < filled ? starts[b + 1] : end);
  for (uint32_t b = 0; b < empty_blocks; ++b) put(blocks[filled + b], 0, 0);
  for (uint32_t b = ended_; b < filled + empty_blocks; ++b) blocks[b].terminator = Operand::undef();
  blocks[0].name = entry_name;
}

}  // namespace braid::ir
