// What a pass may do with blocks and edges while it walks.
#include <algorithm>

#include "ir/clone.h"
#include "ir/compact.h"

namespace braid::ir {

/// The block of a finished statement. O(log blocks).
BlockId Compact::block_of(Ref r) const {
  if (in_block_ && index(r) >= emitted_[index(block_)].first) return block_;
  auto behind = std::upper_bound(order_.begin(), order_.end(), index(r), [&](uint32_t position, BlockId b) {
    return position < emitted_[index(b)].first;
  });
  return *(behind - 1);
}

Stmt& Compact::terminator_of(BlockId b, bool& in_result) {
  in_result = emitted_[index(b)].terminator != not_yet;
  return in_result ? out_.stmt(emitted_[index(b)].terminator) : f_.stmt_mut(f_.terminator(b));
}

void Compact::set_edge_target(BlockId from, uint32_t slot, EdgeId e) {
  bool in_result;
  Stmt& t = terminator_of(from, in_result);
  Function::set_target(t, in_result ? pool_ : f_.pool_, slot, e);
}

void Compact::remove_edge(EdgeId e) {
  graph_changed_ = true;
  uint32_t t = emitted_[index(f_.edge(e).from)].terminator;
  if (t == not_yet) return f_.remove_edge(e);
  Stmt before = out_.stmt(t);
  f_.drop_edge(e, out_.stmt(t), out_.type(t));
  if (options_.count_uses && out_.stmt(t).op != before.op) count_uses(before, -1u);
}

EdgeId Compact::add_edge(BlockId from, BlockId to, EdgeKind kind, uint32_t slot) {
  BlockState state = emitted_[index(to)].state;
  assert(state != BlockState::gone && "a block that could not be reached when the walk began is gone");
  graph_changed_ = true;
  EdgeId e;
  if (state == BlockState::closed) {
    e = f_.edges_.push({from, to, none_id<EdgeId>, 0, slot, kind, false});
    f_.link_pred(e);
  } else {
    e = f_.new_edge(from, to, kind, slot);
  }
  if (state >= BlockState::open) {
    // Phis that are in the result already get an `undef` column, for the pass to fill in.
    uint32_t count = f_.block(to).pred_count;
    auto [first, end] = range(to);
    for (uint32_t i = first; i < end && may_precede_phi(out_.stmt(i).op); ++i)
      if (out_.stmt(i).op == Op::phi) Function::extend_phi(out_.stmt(i), pool_, count);
    for (uint32_t p = emitted_[index(to)].behind_phis; p != Block::no_range; p = behind_phis_[p].next)
      if (Stmt& phi = behind_.stmt(index(behind_phis_[p].phi)); phi.op == Op::phi)
        Function::extend_phi(phi, pool_, count);
  }
  if (emitted_[index(from)].state == BlockState::closed) note_reached(to);
  return e;
}

BlockId Compact::new_block(Symbol name) {
  BlockId b = f_.new_block(name);
  emitted_.resize(f_.block_count());
  graph_changed_ = true;
  return b;
}

OldRef Compact::append(BlockId b, const Draft& draft) {
  assert(index(b) >= static_blocks_ && f_.terminator(b).is_undef() && !is_terminator(draft.op));
  return static_cast<OldRef>(add_pending(f_.at_end(b), waiting_inst(draft)));
}

void Compact::terminate(BlockId b, const Draft& draft) {
  assert(index(b) >= static_blocks_ && f_.terminator(b).is_undef() && is_terminator(draft.op));
  Inst inst = waiting_inst(draft);
  if (draft.op == Op::enter) inst.type = token_type;
  Operand t = f_.from_dense(add_pending(f_.at_end(b), inst));
  f_.blocks_[b].terminator = t;
  uint32_t count = f_.operand_count(inst.stmt);
  for (uint32_t i = 0; i < count; ++i) {
    if (info(draft.op).kind_of(i) != OperandKind::block) continue;
    BlockId to = static_cast<BlockId>(f_.arg(f_.stmt(t), i));
    EdgeId e = none_id<EdgeId>;
    if (!is_none(to))
      e = add_edge(b, to, draft.op == Op::enter && i == 0 ? EdgeKind::exceptional : EdgeKind::normal, i);
    Function::set_target(f_.stmt_mut(t), f_.pool_, i, e);
  }
}

BlockId Compact::split_edge(EdgeId e, Symbol name) {
  Edge edge = f_.edge(e);
  assert(edge.kind == EdgeKind::normal && !edge.dead);
  BlockId middle = new_block(name);
  set_edge_target(edge.from, edge.slot, add_edge(edge.from, middle, EdgeKind::normal, edge.slot));
  f_.edges_[e].from = middle;
  f_.edges_[e].slot = 0;
  uint32_t t = emitted_[index(edge.from)].terminator;
  Loc loc = t == not_yet ? f_.loc(f_.terminator(edge.from)) : out_.loc(t);
  Inst jump{{Op::jump, 1, 0, {index(e), 0, 0}}, void_type, loc};
  f_.blocks_[middle].terminator = f_.from_dense(add_pending(f_.at_end(middle), jump));
  return middle;
}

EdgeId Compact::redirect_edge(EdgeId e, BlockId to) {
  Edge edge = f_.edge(e);
  assert(!edge.dead);
  f_.edges_[e].dead = true;
  EdgeId moved = add_edge(edge.from, to, edge.kind, edge.slot);
  set_edge_target(edge.from, edge.slot, moved);
  return moved;
}

/// A walk as a place to copy blocks in: finished statements are named by Ref and NewRef, those ahead by OldRef.
struct WalkCloneHost {
  Compact& walk;
  PendingLists behind;

  explicit WalkCloneHost(Compact& compact) : walk(compact) {
    for (uint32_t k = 0; k < walk.behind_.size(); ++k) {
      const Point& point = walk.behind_points_[k];
      behind.add(k, point.side, number(point.anchor()), walk.out_.size() + walk.behind_.size());
    }
  }
  uint32_t number(Operand finished) const {
    return finished.is_stmt() ? finished.number() : walk.out_.size() + finished.number();
  }

  const Function& graph() const { return walk.f_; }
  /// Of the block under way, first what is finished, then what is ahead.
  std::vector<Operand> statements(BlockId b) const {
    std::vector<Operand> names;
    Compact::BlockState state = walk.emitted_[index(b)].state;
    if (state >= Compact::BlockState::open) {
      auto [first, end] = walk.range(b);
      InsertionWalk insertions;
      for (uint32_t i = first; i < end; ++i) {
        insertions.start(i);
        for (uint32_t k = insertions.next(behind, walk.out_.size()); k != InsertionWalk::end;
             k = insertions.next(behind, walk.out_.size()))
          names.push_back(k < walk.out_.size() ? Operand(static_cast<Ref>(k))
                                               : Operand(static_cast<NewRef>(k - walk.out_.size())));
      }
    }
    if (state != Compact::BlockState::closed)
      for_each_statement(graph(), walk.lists_, b, [&](Operand id) {
        OldRef old = static_cast<OldRef>(graph().dense(id));
        if (walk.is_ahead(old)) names.push_back(old);
      });
    return names;
  }
  Operand terminator(BlockId b) const {
    if (uint32_t t = walk.emitted_[index(b)].terminator; t != Compact::not_yet) return static_cast<Ref>(t);
    Operand t = graph().terminator(b);
    return t.is_undef() ? t : Operand(static_cast<OldRef>(graph().dense(t)));
  }
  const Stmt& stmt(Operand name) const {
    return name.is_old() ? walk.stmt(name.old_ref()) : walk.finished_stmt(name);
  }
  CloneDraft read(Operand name) const {
    const Stmt& s = stmt(name);
    CloneDraft draft{s.op, walk.type_of(name), {}, loc(name), s.flags, none_id<VarId>};
    std::span<const uint32_t> words = name.is_old() ? graph().args(s) : walk.args(s);
    draft.words.assign(words.begin(), words.end());
    bool late = false;
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!info(s.op).is_value(i)) continue;
      Operand operand = Operand::from_word(words[i]);
      draft.words[i] = walk.follow(name.is_old() ? walk.walk_name(operand) : operand, late);
    }
    return draft;
  }

  const Function& target() const { return graph(); }
  Operand copied_terminator(BlockId b) const { return terminator(b); }
  CloneDraft read_copy(Operand name) const { return read(name); }
  BlockId new_block() { return walk.new_block(); }
  Operand append(BlockId b, const CloneDraft& draft) {
    return walk.append(b, {draft.op, draft.type, draft.words, draft.loc, draft.flags});
  }
  void terminate(BlockId b, const CloneDraft& draft) {
    walk.terminate(b, {draft.op, draft.type, draft.words, draft.loc, draft.flags});
  }
  void set_operand(Operand name, uint32_t i, Operand value) {
    if (name.is_old())
      walk.set_operand(name.old_ref(), i, value);
    else
      walk.set_finished_operand(name, i, value);
  }
  void add_upsilon(Operand phi_c, Operand upsilon) { walk.add_upsilon(phi_c, upsilon); }

 private:
  Loc loc(Operand name) const {
    if (name.is_old()) return graph().loc(graph().from_dense(name.number()));
    return (name.is_stmt() ? walk.out_ : walk.behind_).loc(name.number());
  }
};

std::vector<BlockId> Compact::clone_blocks(std::span<const BlockId> blocks) {
  for ([[maybe_unused]] BlockId b : blocks) {
    assert(emitted_[index(b)].state != BlockState::open && "the block under way cannot be copied");
    assert(emitted_[index(b)].state != BlockState::gone);
  }
  WalkCloneHost host(*this);
  return clone_blocks_in(host, blocks);
}

}  // namespace braid::ir
