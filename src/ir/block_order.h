// The order of blocks in a function at rest, and their numbers and those of edges in that order: for compaction and for
// plain copies, which give the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

/// Lists the blocks that are reachable over live edges, in reverse post-order. `terminator_of(BlockId)` gives a terminator and its
/// words; `reach(BlockId)` notes a block and answers whether it is new. Answers how many live edges leave the blocks.
/// Successors are taken last to first, so that the first one comes first. O(blocks + edges).
template <class TerminatorOf, class Reach>
uint32_t list_reachable_blocks(const Function& f, std::vector<BlockId>& order, TerminatorOf&& terminator_of, Reach&& reach) {
  struct Frame {
    const OpInfo* op;
    const uint32_t* words;
    uint32_t next;  ///< operand of the terminator to look at next, counted down
    BlockId block;
  };
  uint32_t edges = 0, first = f.block_count();
  order.resize(first);
  auto stack = std::make_unique_for_overwrite<Frame[]>(first);
  Frame* top = stack.get();
  auto open = [&](BlockId b) {
    auto [op, words] = terminator_of(b);
    *top++ = {&info(op), words.data(), static_cast<uint32_t>(words.size()), b};
  };
  reach(Function::entry());
  open(Function::entry());
  while (top != stack.get()) {
    Frame& frame = top[-1];
    if (frame.next == 0) {
      order[--first] = frame.block;
      --top;
      continue;
    }
    const EdgeId e = static_cast<EdgeId>(frame.words[--frame.next]);
    if (frame.op->kind_of(frame.next) != OperandKind::block || is_none(e) || f.edge(e).dead) continue;
    ++edges;
    if (const BlockId to = f.edge(e).to; reach(to)) open(to);
  }
  order.erase(order.begin(), order.begin() + first);
  return edges;
}

/// Gives blocks the numbers of their order, edges those of (target, predecessor list). `number_of(BlockId)` is the place of a block
/// in the order, `place(Block&, BlockId)` says where a block, by its old number, stands in `columns`; there and in the pool its
/// terminator has the old numbers of edges. `impossible`, by block, is empty if there are none.
template <class NumberOf, class Place>
void renumber_blocks(IdStack<BlockId, Block>& blocks, IdStack<EdgeId, Edge>& edges, std::vector<BlockId>& impossible,
                     std::span<const BlockId> order, Columns& columns, std::vector<uint32_t>& pool, NumberOf&& number_of,
                     Place&& place) {
  uint32_t edge_count = 0;
  for (BlockId b : order) edge_count += blocks[b].pred_count;
  IdStack<BlockId, Block> new_blocks;
  IdStack<EdgeId, Edge> new_edges;
  new_blocks.reserve(static_cast<uint32_t>(order.size()));
  new_edges.reserve(edge_count);
  for (BlockId b : order) {
    const Block& old = blocks[b];
    const BlockId number = new_blocks.push(old);
    Block& block = new_blocks[number];
    place(block, b);
    if (old.pred_count == 0) continue;
    block.first_pred = static_cast<EdgeId>(new_edges.size());
    for (EdgeId e = old.first_pred; !is_none(e);) {
      Edge& edge = edges[e];
      // The old edge is not needed any more: its link takes the new number.
      EdgeId next = std::exchange(edge.next_pred, static_cast<EdgeId>(new_edges.size()));
      EdgeId link = is_none(next) ? next : static_cast<EdgeId>(new_edges.size() + 1);
      new_edges.push({number_of(edge.from), number, link, edge.pred_index, edge.slot, edge.kind, false});
      e = next;
    }
    block.last_pred = static_cast<EdgeId>(new_edges.size() - 1);
  }
  for (const Block& block : new_blocks) {
    if (block.terminator.is_undef()) continue;
    Stmt& t = columns.stmt(block.terminator.number());
    const std::span<uint32_t> words =
        t.is_pooled() ? std::span(pool).subspan(t.arg[0], t.arg[1]) : std::span(t.arg).first(t.n);
    for_each_word(OperandKind::block, info(t.op), words, [&](uint32_t& word) {
      const EdgeId e = static_cast<EdgeId>(word);
      word = index(is_none(e) || edges[e].dead ? none_id<EdgeId> : edges[e].next_pred);
    });
  }
  if (!impossible.empty()) {
    std::vector<BlockId> new_impossible;
    for (BlockId b : order) {
      const BlockId to = index(b) < impossible.size() ? impossible[index(b)] : none_id<BlockId>;
      new_impossible.push_back(is_none(to) ? to : number_of(to));
    }
    impossible = std::move(new_impossible);
  }
  blocks = std::move(new_blocks);
  edges = std::move(new_edges);
}

}  // namespace braid::ir
