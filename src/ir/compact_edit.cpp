// What a pass may do with statements while it walks: change, delete and insert them here, behind and ahead.
#include <algorithm>

#include "ir/compact.h"

namespace braid::ir {

using Tag = Operand::Tag;

// ---- names ----

/// A name of the walk as a word in a finished statement: what is ahead stays an OldRef and is resolved at the end.
uint32_t Compact::finished_word(Operand name, bool& late) {
  uint32_t word = name.is_old() ? follow(name, late) : name.word();
  if (word == visited_position_) named_position_ = word;  // the word of a Ref is its position
  return word;
}

Inst Compact::finished_inst(const Draft& draft, bool& late) {
  Inst inst = Function::make_in(pool_, draft.op, draft.type, draft.words, draft.loc);
  inst.stmt.flags = draft.flags;
  std::span<const uint32_t> made = args(inst.stmt);
  uint32_t* words = inst.stmt.is_pooled() ? pool_.data() + inst.stmt.arg[0] : inst.stmt.arg;
  for (uint32_t i = 0; i < made.size(); ++i)
    if (info(draft.op).is_value(i)) words[i] = finished_word(Operand::from_word(words[i]), late);
  has_upsilons_ |= draft.op == Op::upsilon;
  return inst;
}

/// A name of the walk as a word in a statement that waits in the old function.
uint32_t Compact::waiting_word(uint32_t word) {
  Operand operand = Operand::from_word(word);
  switch (operand.tag()) {
    case Tag::stmt:
      if (word == visited_position_) named_position_ = word;
      return Operand::make(Tag::final_stmt, operand.number()).word();
    case Tag::pending: return Operand::make(Tag::final_pending, operand.number()).word();
    case Tag::old: return f_.from_dense(operand.number()).word();
    default: return word;
  }
}

Inst Compact::waiting_inst(const Draft& draft) {
  Inst inst = Function::make_in(f_.pool_, draft.op, draft.type, draft.words, draft.loc);
  inst.stmt.flags = draft.flags;
  uint32_t count = f_.operand_count(inst.stmt);
  uint32_t* words = inst.stmt.is_pooled() ? f_.pool_.data() + inst.stmt.arg[0] : inst.stmt.arg;
  for (uint32_t i = 0; i < count; ++i)
    if (info(draft.op).is_value(i)) words[i] = waiting_word(words[i]);
  return inst;
}

// ---- changing what is finished ----

void Compact::set_finished_operand(Operand id, uint32_t i, Operand value) {
  Stmt& s = finished_stmt(id);
  assert(i < args(s).size() && info(s.op).is_value(i));
  uint32_t& word = s.is_pooled() ? pool_[s.arg[0] + i] : s.arg[i];
  bool late = false;
  uint32_t mapped = finished_word(value, late);
  if (options_.count_uses) {
    count_use(Operand::from_word(word), -1u);
    count_use(Operand::from_word(mapped), 1);
  }
  word = mapped;
  if (late && id.is_stmt()) late_.push_back(id.ref());
}

/// Overwrites a statement in its place.
void Compact::put(Operand id, const Draft& draft) {
  bool late = false;
  Inst inst = finished_inst(draft, late);
  if (options_.count_uses) {
    count_uses(finished_stmt(id), -1u);
    count_uses(inst.stmt, 1);
  }
  finished_stmt(id) = inst.stmt;
  Columns& columns = id.is_stmt() ? out_ : behind_;
  columns.type(id.number()) = inst.type;
  if (draft.op != Op::nothing) columns.loc(id.number()) = inst.loc;
  if (late && id.is_stmt()) late_.push_back(id.ref());
  if (draft.op > Op::same) return;
  has_holes_ = true;
  leave_plain();
}

void Compact::erase(Ref r) {
  assert(!is_terminator(op(r)));
  bool is_here = index(r) == visited_position_ && index(r) + 1 == out_.size();
  if (!is_here || index(r) == named_position_) return put(r, {Op::nothing});
  if (options_.count_uses) {
    count_uses(stmt(r), -1u);
    uses_.pop_back();
  }
  out_.pop();
  if (!source_variables_.empty()) source_variables_.pop_back();
  rename_[visiting_] = Operand::erased().word();
  visited_position_ = not_yet;
}

/// Statements that the walk comes to later name `value` at once if the replaced one is the one visited now. All others are
/// renamed by the next compaction.
void Compact::replace(Ref r, Operand value) {
  assert(!is_terminator(op(r)));
  if (index(r) != visited_position_) {
    uint32_t words[] = {value.word()};
    return put(r, {Op::same, type(r), words, loc(r), stmt(r).flags});
  }
  uint32_t visited = visiting_;
  bool late = false;
  uint32_t named = named_position_;
  uint32_t mapped = finished_word(value, late);
  assert(mapped != index(r) && "a statement cannot stand for itself");
  named_position_ = named;
  bool narrower = (stmt(r).flags & refined) != 0;
  if (index(r) + 1 == out_.size() && index(r) != named)
    erase(r);
  else
    put(r, {Op::same, type(r), {&mapped, 1}, loc(r), stmt(r).flags});
  drop(visited, Operand::from_word(mapped), narrower);
}

void Compact::replace(NewRef r, Operand value) {
  uint32_t words[] = {value.word()};
  put(r, {Op::same, behind_.type(index(r)), words, behind_.loc(index(r)), stmt(r).flags});
}

void Compact::overwrite(Ref r, const Draft& draft) {
  assert(is_terminator(op(r)) == is_terminator(draft.op));
  if (is_terminator(op(r))) {
    assert(info(draft.op).operands.find('b') == std::string_view::npos && "it must go nowhere");
    const OpInfo& old = info(op(r));
    std::span<const uint32_t> words = args(stmt(r));
    for (uint32_t i = 0; i < words.size(); ++i)
      if (old.kind_of(i) == OperandKind::block) remove_target(words[i]);
  }
  put(r, draft);
}

void Compact::overwrite(NewRef r, const Draft& draft) {
  assert(!is_terminator(draft.op) && (stmt(r).op == Op::phi) == (draft.op == Op::phi));
  put(r, draft);
}

// ---- changing what is ahead ----

void Compact::set_operand(OldRef old, uint32_t i, Operand value) {
  assert(is_ahead(old));
  f_.set_operand(f_.from_dense(index(old)), i, Operand::from_word(waiting_word(value.word())));
}

void Compact::erase(OldRef old) {
  assert(is_ahead(old));
  f_.erase(f_.from_dense(index(old)));
}

void Compact::replace(OldRef old, Operand value) {
  assert(is_ahead(old));
  f_.replace(f_.from_dense(index(old)), Operand::from_word(waiting_word(value.word())));
}

void Compact::add_upsilon(Operand phi_c, Operand upsilon) {
  if (phi_c.is_old()) {
    assert(is_ahead(phi_c.old_ref()));
    f_.add_upsilon(f_.from_dense(phi_c.number()), Operand::from_word(waiting_word(upsilon.word())));
    return;
  }
  Stmt& s = finished_stmt(phi_c);
  assert(s.op == Op::phi_c);
  uint32_t count = static_cast<uint32_t>(args(s).size());
  Function::extend_phi(s, pool_, count + 1);
  set_finished_operand(phi_c, count, upsilon);
}

// ---- inserting ----

/// Puts a statement at the end of the block under way, or of the first block if the walk has not begun.
Ref Compact::push_here(const Draft& draft) {
  if (!in_block_) {
    [[maybe_unused]] bool found = start_next_block();
    assert(found && "nothing is left to insert into");
  }
  assert(emitted_[index(block_)].terminator == not_yet && "behind a terminator there is no place");
  bool late = false;
  Inst inst = finished_inst(draft, late);
  Ref r = static_cast<Ref>(out_.push(inst));
  if (options_.count_uses) {
    uses_.push_back(0);
    count_uses(inst.stmt, 1);
  }
  if (late) late_.push_back(r);
  if (!f_.source_variables_.empty()) source_variables_.push_back(none_id<VarId>);
  set_plain_end();
  return r;
}

Ref Compact::insert_here(const Draft& draft) {
  assert(!is_terminator(draft.op) && "end_block_here ends a block");
  return push_here(draft);
}

Ref Compact::end_block_here(const Draft& draft) {
  assert(is_terminator(draft.op) && info(draft.op).operands.find('b') == std::string_view::npos);
  Ref r = push_here(draft);
  f_.for_each_succ(block_, [&](EdgeId e) { remove_target(index(e)); });
  emitted_[index(block_)].terminator = index(r);
  skip_rest_ = true;
  plain_end_ = 0;
  return r;
}

NewRef Compact::insert_behind(Point::Side side, Operand anchor, const Draft& draft) {
  assert(!is_terminator(draft.op));
  assert((anchor.is_pending() || side == Point::Side::before || !is_terminator(op(anchor.ref()))) &&
         "behind a terminator there is no place");
  if (anchor.word() == visited_position_) named_position_ = visited_position_;
  bool late = false;
  Inst inst = finished_inst(draft, late);
  NewRef id = static_cast<NewRef>(behind_.push(inst));
  BlockId b = anchor.is_stmt() ? block_of(anchor.ref()) : behind_blocks_[anchor.number()];
  behind_points_.emplace_back(side, anchor);
  behind_blocks_.push_back(b);
  if (draft.op == Op::phi) {
    behind_phis_.push_back({id, emitted_[index(b)].behind_phis});
    emitted_[index(b)].behind_phis = static_cast<uint32_t>(behind_phis_.size() - 1);
  }
  if (options_.count_uses) {
    behind_uses_.push_back(0);
    count_uses(inst.stmt, 1);
  }
  return id;
}

/// Buffers a statement of the old function; answers its dense number.
uint32_t Compact::add_pending(const Point& point, const Inst& inst) {
  if (visiting_ != not_yet) cursor_.hold(visiting_);
  plain_end_ = 0;
  uint32_t where = point.of_block() ? index(point.block()) : f_.dense(point.anchor());
  [[maybe_unused]] bool ahead =
      point.of_block() ? emitted_[where].state < BlockState::open : rename_[where] == not_yet;
  assert((ahead || (in_block_ && cursor_.is_open(point.side, where))) && "the walk has passed this point");
  NewRef id = f_.insert(point, inst);
  lists_.add(f_, index(id));
  rename_.push_back(not_yet);
  return old_count_ + index(id);
}

OldRef Compact::insert_before(OldRef anchor, const Draft& draft) {
  assert(!is_terminator(draft.op));
  return static_cast<OldRef>(
      add_pending(Function::before(f_.from_dense(index(anchor))), waiting_inst(draft)));
}

OldRef Compact::insert_after(OldRef anchor, const Draft& draft) {
  assert(!is_terminator(draft.op) && !is_terminator(stmt(anchor).op));
  return static_cast<OldRef>(add_pending(Function::after(f_.from_dense(index(anchor))), waiting_inst(draft)));
}

OldRef Compact::insert_phi(BlockId b, const Draft& draft) {
  assert(is_phi_like(draft.op));
  return static_cast<OldRef>(add_pending(Function::phis_of(b), waiting_inst(draft)));
}

}  // namespace braid::ir
