// Which block the walk of compaction comes to next, and what opening and closing it takes.
#include <algorithm>

#include "ir/compact.h"

namespace braid::ir {

/// Appends the blocks that are reachable over live edges, as terminators are by now, and makes them `ahead`; all blocks are
/// `gone` before. Answers how many live edges leave them. Successors are taken last to first, so that the first one comes
/// first.
uint32_t Compact::reverse_post_order(std::vector<BlockId>& order) {
  struct Frame {
    BlockId block;
    uint32_t next;  ///< operand of the terminator to look at next, counted down
    const OpInfo* op;
    const uint32_t* words;
  };
  const Stmt no_terminator{Op::unreachable, 0, 0, {}};
  std::vector<Frame> stack;
  auto push = [&](BlockId b) {
    emitted_[index(b)].state = BlockState::ahead;
    uint32_t finished = emitted_[index(b)].terminator;
    Operand waiting = f_.terminator(b);
    bool has_none = finished == not_yet && waiting.is_undef();
    const Stmt& t = finished != not_yet ? out_.stmt(finished) : has_none ? no_terminator : f_.stmt(waiting);
    std::span<const uint32_t> words = finished != not_yet ? args(t) : f_.args(t);
    stack.push_back({b, static_cast<uint32_t>(words.size()), &info(t.op), words.data()});
  };
  uint32_t edges = 0;
  order.reserve(f_.block_count());
  push(Function::entry());
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == 0) {
      order.push_back(frame.block);
      stack.pop_back();
      continue;
    }
    uint32_t i = --frame.next;
    if (frame.op->kind_of(i) != OperandKind::block || !lives(frame.words[i])) continue;
    ++edges;
    BlockId to = f_.edge(static_cast<EdgeId>(frame.words[i])).to;
    if (emitted_[index(to)].state == BlockState::gone) push(to);
  }
  std::reverse(order.begin(), order.end());
  return edges;
}

void Compact::order_blocks() {
  if (static_blocks_ == 0) return;
  Emitted gone;
  gone.state = BlockState::gone;
  emitted_.resize(static_blocks_, gone);
  began_whole_ = reverse_post_order(static_order_) == f_.edge_count();
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

/// A block may be emitted as soon as a predecessor was: then there is a path to it on which all its dominators are, of
/// blocks that were emitted before. A block whose turn comes earlier, because an edge was removed while walking, waits
/// until an edge leads to it.
bool Compact::start_next_block() {
  while (ready_next_ < ready_.size()) {
    BlockId b = ready_[ready_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (has_emitted_pred(b)) {
      open_block(b);
      return true;
    }
    emitted_[index(b)].state = BlockState::deferred;
  }
  while (static_next_ < static_order_.size()) {
    BlockId b = static_order_[static_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (!graph_changed_ || b == Function::entry() || has_emitted_pred(b)) {
      open_block(b);
      return true;
    }
    emitted_[index(b)].state = BlockState::deferred;
  }
  return false;
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

void Compact::open_block(BlockId b) {
  block_ = b;
  in_block_ = true;
  skip_rest_ = false;
  emitted_[index(b)].state = BlockState::open;
  emitted_[index(b)].first = out_.size();
  order_.push_back(b);
  if (!is_whole() && drop_dead_preds(b))
    f_.for_each_phi(b, [&](Stmt& phi) { Function::keep_columns(phi, f_.pool_, kept_); });
  cursor_.start(b);
  set_plain_end();
}

void Compact::close_block() {
  Emitted& emitted = emitted_[index(block_)];
  emitted.end = out_.size();
  emitted.state = BlockState::closed;
  in_block_ = false;
  visiting_ = visited_position_ = not_yet;
  plain_end_ = 0;
  // Until the graph is changed, no block waits for an edge.
  if (emitted.terminator == not_yet || !graph_changed_) return;
  for_each_succ(block_, [&](EdgeId e) { note_reached(f_.edge(e).to); });
}

std::pair<uint32_t, uint32_t> Compact::range(BlockId b) const {
  const Emitted& emitted = emitted_[index(b)];
  return {emitted.first, emitted.state == BlockState::closed ? emitted.end : out_.size()};
}

}  // namespace braid::ir
