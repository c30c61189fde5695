// What a pass may do while it walks: change, delete and insert statements here, behind and ahead; edit the graph.
#include <algorithm>
#include <cassert>

#include "ir/clone.h"
#include "ir/compact.h"

namespace braid::ir {

using Tag = Operand::Tag;

// ---- names ----

/// A finished statement from a draft: operands that are ahead stay OldRefs and are resolved at the end.
Inst Compact::draft_inst(const Draft& draft, bool& late) {
  Inst inst = Function::make_in(pool_, draft.op, draft.type, draft.words, draft.loc);
  uint32_t* words = inst.stmt.is_pooled() ? pool_.data() + inst.stmt.arg[0] : inst.stmt.arg;
  for (uint32_t i = 0; i < draft.words.size(); ++i)
    if (info(draft.op).is_value(i) && Operand::from_word(words[i]).is_old()) words[i] = map_slow(words[i], late);
  return inst;
}

/// A name of the walk as a word in a statement that waits in the old function.
uint32_t Compact::to_old_space(uint32_t word) const {
  Operand operand = Operand::from_word(word);
  switch (operand.tag()) {
    case Tag::stmt: return Operand::make(Tag::final_stmt, operand.number()).word();
    case Tag::pending: return Operand::make(Tag::final_pending, operand.number()).word();
    case Tag::old: return f_.from_dense(operand.number()).word();
    default: return word;
  }
}

Inst Compact::old_inst(const Draft& draft) {
  Inst inst = Function::make_in(f_.pool_, draft.op, draft.type, draft.words, draft.loc);
  uint32_t* words = inst.stmt.is_pooled() ? f_.pool_.data() + inst.stmt.arg[0] : inst.stmt.arg;
  for (uint32_t i = 0; i < draft.words.size(); ++i)
    if (info(draft.op).is_value(i)) words[i] = to_old_space(words[i]);
  return inst;
}

// ---- changing ----

void Compact::set_operand(Ref r, uint32_t i, Operand value) {
  Stmt& s = out_.stmt(index(r));
  assert(info(s.op).is_value(i));
  uint32_t& word = s.is_pooled() ? pool_[s.arg[0] + i] : s.arg[i];
  bool late = false;
  uint32_t mapped = value.is_old() ? map_slow(value.word(), late) : value.word();
  if (options_.count_uses) {
    Operand before = Operand::from_word(word), after = Operand::from_word(mapped);
    if (before.is_stmt()) --uses_[before.number()];
    if (after.is_stmt()) ++uses_[after.number()];
  }
  word = mapped;
  if (late) late_.push_back(r);
}

void Compact::erase(Ref r) {
  if (options_.count_uses) count_uses(stmt(r), -1);
  if (index(r) + 1 == out_.size() && index(r) == visited_position_ && in_block_ && !is_terminator(op(r))) {
    rename_[visiting_] = Operand::erased().word();
    visited_position_ = not_yet;
    if (!late_.empty() && late_.back() == r) late_.pop_back();
    out_.pop();
    if (options_.count_uses) uses_.pop_back();
    if (!source_variables_.empty()) source_variables_.pop_back();
    return;
  }
  out_.stmt(index(r)) = Stmt{};
  out_.type(index(r)) = void_type;
}

void Compact::replace(Ref r, Operand value) {
  assert(!is_terminator(op(r)));
  if (index(r) == visited_position_) {
    bool late = false;
    uint32_t mapped = value.is_old() ? map_slow(value.word(), late) : value.word();
    bool last = index(r) + 1 == out_.size();
    if (last && mapped != Operand(r).word()) {
      uint32_t visited = visiting_;
      erase(r);
      rename_[visited] = mapped;
      return;
    }
    rename_[visiting_] = mapped;
  }
  uint32_t words[] = {value.word()};
  overwrite(r, {Op::same, type(r), words, loc(r)});
}

void Compact::overwrite(Ref r, const Draft& draft) {
  assert(is_terminator(op(r)) == is_terminator(draft.op));
  if (options_.count_uses) count_uses(stmt(r), -1);
  bool late = false;
  Inst inst = draft_inst(draft, late);
  out_.stmt(index(r)) = inst.stmt;
  out_.type(index(r)) = inst.type;
  out_.loc(index(r)) = inst.loc;
  if (options_.count_uses) count_uses(inst.stmt, 1);
  if (late) late_.push_back(r);
}

void Compact::set_operand(OldRef old, uint32_t i, Operand value) {
  assert(is_ahead(old));
  f_.set_operand(f_.from_dense(index(old)), i, Operand::from_word(to_old_space(value.word())));
}

void Compact::erase(OldRef old) {
  assert(is_ahead(old) && !is_terminator(stmt(old).op));
  f_.erase(f_.from_dense(index(old)));
}

void Compact::replace(OldRef old, Operand value) {
  assert(is_ahead(old) && !is_terminator(stmt(old).op));
  f_.replace(f_.from_dense(index(old)), Operand::from_word(to_old_space(value.word())));
}

// ---- inserting ----

Ref Compact::insert_here(const Draft& draft) {
  assert(!is_terminator(draft.op) && "end_block_here ends a block");
  if (!in_block_) {
    bool found = start_next_block();
    assert(found && "nothing is left to insert into");
    (void)found;
  }
  assert(emitted_[index(block_)].terminator == not_yet && "behind a terminator there is no place");
  bool late = false;
  Inst inst = draft_inst(draft, late);
  uint32_t position = out_.push(inst);
  if (options_.count_uses) {
    uses_.push_back(0);
    count_uses(inst.stmt, 1);
  }
  if (late) late_.push_back(static_cast<Ref>(position));
  if (!f_.source_variables_.empty()) source_variables_.push_back(none_id<VarId>);
  return static_cast<Ref>(position);
}

Ref Compact::end_block_here(const Draft& draft) {
  assert(is_terminator(draft.op));
  if (!in_block_) {
    bool found = start_next_block();
    assert(found);
    (void)found;
  }
  if (!f_.terminator(block_).is_undef())
    f_.for_each_succ(block_, [&](EdgeId e) { f_.edges_[e].dead = true; });
  bool late = false;
  Inst inst = draft_inst(draft, late);
  uint32_t position = out_.push(inst);
  if (options_.count_uses) {
    uses_.push_back(0);
    count_uses(inst.stmt, 1);
  }
  if (late) late_.push_back(static_cast<Ref>(position));
  if (!f_.source_variables_.empty()) source_variables_.push_back(none_id<VarId>);
  emitted_[index(block_)].terminator = position;
  skip_rest_ = true;
  return static_cast<Ref>(position);
}

NewRef Compact::insert_behind(Point::Side side, Operand anchor, const Draft& draft) {
  assert(!is_terminator(draft.op));
  bool late = false;
  Inst inst = draft_inst(draft, late);
  NewRef id = static_cast<NewRef>(behind_.push(inst));
  behind_points_.push_back({side, anchor});
  if (options_.count_uses) count_uses(inst.stmt, 1);
  return id;
}

uint32_t Compact::add_pending(const Point& point, const Inst& inst) {
  if (lists_.empty() && visiting_ != not_yet) cursor_.hold(visiting_);
  NewRef id = f_.insert(point, inst);
  lists_.add(f_, index(id));
  rename_.push_back(not_yet);
  assert(rename_.size() == f_.dense_count());
  return old_count_ + index(id);
}

OldRef Compact::insert_ahead(Point::Side side, uint32_t where, const Draft& draft) {
  assert(!is_terminator(draft.op));
  if (lists_.empty() && visiting_ != not_yet) cursor_.hold(visiting_);
  bool of_block = side == Point::Side::block_phis || side == Point::Side::block_end;
  bool ahead = of_block ? emitted_[where].state < BlockState::open : rename_[where] == not_yet;
  assert((ahead || cursor_.is_open(side, where)) && "the walk has passed this point: insert behind it");
  (void)ahead;
  return static_cast<OldRef>(add_pending({side, where}, old_inst(draft)));
}

// ---- the graph ----

Stmt& Compact::terminator_of(BlockId b, bool& in_result) {
  in_result = emitted_[index(b)].terminator != not_yet;
  return in_result ? out_.stmt(emitted_[index(b)].terminator) : f_.stmt_mut(f_.terminator(b));
}

void Compact::remove_edge(EdgeId e) {
  BlockId from = f_.edge(e).from;
  bool in_result;
  Stmt& t = terminator_of(from, in_result);
  Stmt before = t;
  if (in_result) {
    uint32_t position = emitted_[index(from)].terminator;
    f_.drop_edge(e, t, out_.type(position));
    if (options_.count_uses && t.op != before.op) count_uses(before, -1);
  } else {
    f_.remove_edge(e);
  }
}

EdgeId Compact::add_edge(BlockId from, BlockId to, EdgeKind kind, uint32_t slot) {
  EdgeId e;
  if (emitted_[index(to)].state < BlockState::open) {
    e = f_.new_edge(from, to, kind, slot);
  } else {
    // The phis of `to` are in the result already: they get an `undef` column, for the pass to fill in.
    e = f_.edges_.push({from, to, none_id<EdgeId>, 0, slot, kind, false});
    f_.link_pred(e);
    auto [first, end] = range(to);
    for (uint32_t i = first; i < end; ++i) {
      Stmt& s = out_.stmt(i);
      if (s.op == Op::phi) Function::extend_phi(s, pool_, f_.block(to).pred_count);
      if (!is_phi_like(s.op) && s.op != Op::nothing && s.op != Op::same) break;
    }
    for (uint32_t k = 0; k < behind_.size(); ++k) {
      if (behind_.stmt(k).op != Op::phi) continue;
      Operand anchor = behind_points_[k].anchor;
      while (anchor.is_pending()) anchor = behind_points_[anchor.number()].anchor;
      if (anchor.number() >= first && anchor.number() < end)
        Function::extend_phi(behind_.stmt(k), pool_, f_.block(to).pred_count);
    }
  }
  if (emitted_[index(from)].state == BlockState::closed) note_reached(to);
  return e;
}

void Compact::grow_blocks() { emitted_.resize(f_.block_count()); }

BlockId Compact::new_block(Symbol name) {
  BlockId b = f_.new_block(name);
  grow_blocks();
  return b;
}

OldRef Compact::append(BlockId b, const Draft& draft) {
  assert(index(b) >= static_blocks_ && f_.terminator(b).is_undef());
  return static_cast<OldRef>(add_pending({Point::Side::block_end, index(b)}, old_inst(draft)));
}

void Compact::terminate(BlockId b, const Draft& draft) {
  assert(index(b) >= static_blocks_ && f_.terminator(b).is_undef() && is_terminator(draft.op));
  Inst inst = old_inst(draft);
  if (draft.op == Op::enter) inst.type = token_type;
  for (uint32_t i = 0; i < draft.words.size(); ++i) {
    if (info(draft.op).kind_of(i) != OperandKind::block) continue;
    EdgeId e = none_id<EdgeId>;
    if (draft.words[i] != index(none_id<BlockId>))
      e = add_edge(b, static_cast<BlockId>(draft.words[i]),
                   draft.op == Op::enter && i == 0 ? EdgeKind::exceptional : EdgeKind::normal, i);
    f_.set_target(inst.stmt, f_.pool_, i, e);
  }
  uint32_t dense = add_pending({Point::Side::block_end, index(b)}, inst);
  f_.blocks_[b].terminator = f_.from_dense(dense);
}

BlockId Compact::split_edge(EdgeId e) {
  assert(f_.edge(e).kind == EdgeKind::normal && !f_.edge(e).dead);
  BlockId middle = new_block();
  BlockId from = f_.edge(e).from;
  EdgeId into = add_edge(from, middle, EdgeKind::normal, f_.edge(e).slot);
  bool in_result;
  Stmt& t = terminator_of(from, in_result);
  f_.set_target(t, in_result ? pool_ : f_.pool_, f_.edge(e).slot, into);
  f_.edges_[e].from = middle;
  f_.edges_[e].slot = 0;
  Inst jump{{Op::jump, 1, 0, {index(e), 0, 0}}, void_type, {}};
  f_.blocks_[middle].terminator = f_.from_dense(add_pending({Point::Side::block_end, index(middle)}, jump));
  return middle;
}

EdgeId Compact::redirect_edge(EdgeId e, BlockId to) {
  Edge old = f_.edge(e);
  assert(!old.dead);
  f_.edges_[e].dead = true;
  EdgeId moved = add_edge(old.from, to, old.kind, old.slot);
  bool in_result;
  Stmt& t = terminator_of(old.from, in_result);
  f_.set_target(t, in_result ? pool_ : f_.pool_, old.slot, moved);
  return moved;
}

namespace {

/// A walk as a place to copy blocks in: finished statements are named by Ref, those ahead by OldRef.
struct WalkHost {
  Compact& walk;
  const PendingLists& lists;

  const Function& graph() const { return walk.old_function(); }
  std::vector<Operand> statements(BlockId b) const {
    std::vector<Operand> names;
    if (walk.is_finished(b) || b == walk.block_here()) {
      auto [first, end] = walk.range(b);
      for (uint32_t i = first; i < end; ++i) names.push_back(static_cast<Ref>(i));
    } else {
      for_each_statement(graph(), lists, b,
                         [&](Operand id) { names.push_back(static_cast<OldRef>(graph().dense(id))); });
    }
    return names;
  }
  std::vector<Operand> phis(BlockId b) const {
    std::vector<Operand> names = statements(b);
    std::erase_if(names, [&](Operand name) { return stmt(name).op != Op::phi; });
    return names;
  }
  const Stmt& stmt(Operand name) const { return name.is_old() ? walk.stmt(name.old_ref()) : walk.stmt(name.ref()); }
  Type type(Operand name) const { return walk.type_of(name); }
  Loc loc(Operand name) const {
    return name.is_old() ? graph().loc(graph().from_dense(name.number())) : walk.loc(name.ref());
  }
  std::vector<uint32_t> words(Operand name) const {
    const Stmt& s = stmt(name);
    std::span<const uint32_t> raw = name.is_old() ? graph().args(s) : walk.args(s);
    std::vector<uint32_t> words(raw.begin(), raw.end());
    for (uint32_t i = 0; name.is_old() && i < words.size(); ++i)
      if (info(s.op).is_value(i)) words[i] = walk.operand(name.old_ref(), i).word();
    return words;
  }
  BlockId new_block(Symbol name) { return walk.new_block(name); }
  Operand append(BlockId b, const Draft& draft) { return walk.append(b, draft); }
  void terminate(BlockId b, const Draft& draft) { walk.terminate(b, draft); }
  Operand terminator(BlockId b) const {
    std::vector<Operand> names = statements(b);
    return names.empty() || !is_terminator(stmt(names.back()).op) ? Operand::undef() : names.back();
  }
  void set_operand(Operand name, uint32_t i, Operand value) {
    if (name.is_old())
      walk.set_operand(name.old_ref(), i, value);
    else
      walk.set_operand(name.ref(), i, value);
  }
};

/// A function that is edited as a place to copy blocks in.
struct FunctionHost {
  Function& f;
  PendingLists lists;

  const Function& graph() const { return f; }
  std::vector<Operand> statements(BlockId b) const {
    std::vector<Operand> names;
    for_each_statement(f, lists, b, [&](Operand id) { names.push_back(id); });
    return names;
  }
  std::vector<Operand> phis(BlockId b) const {
    std::vector<Operand> names = statements(b);
    std::erase_if(names, [&](Operand name) { return stmt(name).op != Op::phi; });
    return names;
  }
  const Stmt& stmt(Operand name) const { return f.stmt(name); }
  Type type(Operand name) const { return f.type(name); }
  Loc loc(Operand name) const { return f.loc(name); }
  std::vector<uint32_t> words(Operand name) const {
    std::span<const uint32_t> raw = f.args(f.stmt(name));
    return {raw.begin(), raw.end()};
  }
  BlockId new_block(Symbol name) { return f.new_block(name); }
  Operand append(BlockId b, const Draft& draft) {
    return f.append(b, f.make(draft.op, draft.type, draft.words, draft.loc));
  }
  void terminate(BlockId b, const Draft& draft) { f.terminate(b, draft.op, draft.words, draft.loc); }
  Operand terminator(BlockId b) const { return f.terminator(b); }
  void set_operand(Operand name, uint32_t i, Operand value) { f.set_operand(name, i, value); }
};

}  // namespace

std::vector<BlockId> Compact::clone_blocks(std::span<const BlockId> blocks) {
  WalkHost host{*this, lists_};
  assert(std::none_of(blocks.begin(), blocks.end(), [&](BlockId b) { return emitted_[index(b)].state == BlockState::open; }) &&
         "the block under way cannot be copied");
  return clone_blocks_in(host, blocks);
}

std::vector<BlockId> Function::clone_blocks(std::span<const BlockId> blocks) {
  FunctionHost host{*this, PendingLists(*this)};
  return clone_blocks_in(host, blocks);
}

}  // namespace braid::ir
