// The blocks in a walk of compaction: their order, and what dead edges leave behind.
#include <utility>

#include "ir/block_order.h"
#include "ir/compact.h"

namespace braid::ir {

/// Lists the blocks that are reachable over live edges and makes them `ahead`; all blocks are `gone` before.
/// `terminator_of(BlockId)` gives a terminator and its words. Answers how many live edges leave the blocks.
template <typename F>
uint32_t Compact::reverse_post_order(std::vector<BlockId>& order, F&& terminator_of) {
  return list_reachable_blocks(f_, order, terminator_of, [&](BlockId b) {
    return std::exchange(emitted_[index(b)].state, BlockState::ahead) == BlockState::gone;
  });
}

void Compact::order_blocks() {
  if (static_blocks_ == 0) return;
  Emitted gone;
  gone.state = BlockState::gone;
  emitted_.resize(static_blocks_, gone);
  uint32_t edges = reverse_post_order(static_order_, [&](BlockId b) {
    Operand t = f_.terminator(b);
    if (t.is_undef()) return std::pair(Op::unreachable, std::span<const uint32_t>());
    return std::pair(f_.op(t), f_.args(f_.stmt(t)));
  });
  began_whole_ = edges == f_.edge_count();
  order_.reserve(static_order_.size());
  if (began_whole_) return;
  // What is not reachable now never will be: its edges are dead for the phis they enter.
  for (Edge& edge : f_.edges_)
    if (emitted_[index(edge.from)].state == BlockState::gone) edge.dead = true;
}

bool Compact::has_emitted_pred(BlockId b) const {
  for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred)
    if (!f_.edge(e).dead && emitted_[index(f_.edge(e).from)].state == BlockState::closed) return true;
  return false;
}

/// Puts what is reachable by now in an order for the result; all of it is finished.
void Compact::order_again() {
  for (Emitted& emitted : emitted_) emitted.state = BlockState::gone;
  reverse_post_order(order_, [&](BlockId b) {
    uint32_t t = emitted_[index(b)].terminator;
    if (t == not_yet) return std::pair(Op::unreachable, std::span<const uint32_t>());
    return std::pair(out_.stmt(t).op, args(out_.stmt(t)));
  });
  for (BlockId b : order_) emitted_[index(b)].state = BlockState::closed;
}

/// A block may be emitted as soon as a predecessor was: then there is a path to it on which all its dominators are, of
/// blocks that were emitted before. A block whose turn comes earlier, because an edge was removed while walking, waits
/// until an edge leads to it. None when there are no more.
BlockId Compact::next_block() {
  while (ready_next_ < ready_.size()) {
    BlockId b = ready_[ready_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (has_emitted_pred(b)) return b;
    emitted_[index(b)].state = BlockState::deferred;
  }
  while (static_next_ < static_order_.size()) {
    BlockId b = static_order_[static_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (!graph_changed_ || b == Function::entry() || has_emitted_pred(b)) return b;
    emitted_[index(b)].state = BlockState::deferred;
  }
  return none_id<BlockId>;
}

void Compact::note_reached(BlockId b) {
  BlockState state = emitted_[index(b)].state;
  if (state == BlockState::deferred || (state == BlockState::ahead && index(b) >= static_blocks_)) ready_.push_back(b);
}

/// Takes dead edges out of the list of predecessors; `kept_` are the columns of the others. Answers whether there were any.
bool Compact::drop_dead_preds(BlockId b) {
  Block& block = f_.blocks_[b];
  kept_.clear();
  EdgeId last = none_id<EdgeId>;
  auto link = [&](EdgeId e) { (is_none(last) ? block.first_pred : f_.edges_[last].next_pred) = e; };
  for (EdgeId e = block.first_pred; !is_none(e); e = f_.edges_[e].next_pred) {
    Edge& edge = f_.edges_[e];
    if (edge.dead) continue;
    link(e);
    last = e;
    kept_.push_back(edge.pred_index);
    edge.pred_index = static_cast<uint32_t>(kept_.size() - 1);
  }
  link(none_id<EdgeId>);
  block.last_pred = last;
  bool dropped = kept_.size() != block.pred_count;
  block.pred_count = static_cast<uint32_t>(kept_.size());
  return dropped;
}

/// Takes the columns of dead edges out of the phis of a block that is ahead.
void Compact::drop_dead_columns(BlockId b) {
  if (drop_dead_preds(b)) f_.for_each_phi(b, [&](Stmt& phi) { Function::keep_columns(phi, f_.pool_, kept_); });
}

/// Successors of a finished block that wait for an edge get their turn.
void Compact::note_successors(BlockId b) {
  for_each_succ(b, [&](EdgeId e) { note_reached(f_.edge(e).to); });
}

std::pair<uint32_t, uint32_t> Compact::range(BlockId b) const {
  const Emitted& emitted = emitted_[index(b)];
  return {emitted.first, emitted.state == BlockState::closed ? emitted.end : out_.size()};
}

}  // namespace braid::ir
