// Blocks, variables and conditions.
#include "ssa/structured.h"

#include <cassert>
#include <utility>

#include "ssa/structured_log.h"

namespace braid::ssa {

using ir::EdgeId;
using ir::Op;
using ir::Operand;

Structured::Structured(BlockEnd& at, detail::VariableTable& table, Symbol entry_name)
    : at_(&at), f_(at.f), table_(&table), writer_(at.writer) {
  at_->block = f_->new_block(entry_name);
  at_->is_open = true;
  own_ = stamp_of(at_->block);
  table_->own = own_;
  table_->valid = valid_;
  at_->resume();
}

uint32_t Structured::declare(Type type, Operand initial) {
  // From before all loops.
  slots_.push({initial.word(), start_stamp});
  variables_.push({type, initial.word()});
  table_->slots = slots_.data();
  return variables_.size() - 1;
}

// ---- blocks ----

void Structured::make_room() {
  at_->pause();
  at_->resume();
}

/// Nothing is written, read or assigned without a call until the next block starts.
void Structured::close() {
  if (!at_->is_open) return;
  at_->is_open = false;
  closed_room_ = writer_->room;
  writer_->room = writer_->position;
  table_->valid = table_->own = never;
}

void Structured::reopen() {
  if (writer_->statements == nullptr)
    at_->resume();
  else
    writer_->room = closed_room_;
}

void Structured::end(Op op, const Operand* operand) {
  terminate(op, operand != nullptr, operand != nullptr ? operand->word() : 0, 0, 0);
  close();
}

// ---- variables ----

/// A variable that is not known to be read, or from outside of the loop.
uint32_t Structured::read(uint32_t variable) {
  Slot& slot = slots_[variable];
  if (is_outside(slot)) enter_loops(variable);
  slot.stamp |= known;
  demand(slot.word);
  return slot.word;
}

inline void Structured::demand(uint32_t word) {
  if (is_stmt(word)) {
    ir::Stmt& stmt = written(word);
    if (stmt.op != Op::phi || (stmt.flags & ir::unread) == 0) return;
    stmt.flags = 0;
    --unread_;
  } else if (is_numbered(word)) {
    loop_phis_[number(word)].is_read = true;
  }
}

void Structured::write(uint32_t variable, uint32_t word) {
  if (log_.is_full()) [[unlikely]] return write_with_room(variable, word);  // out of line: nothing has to be saved here
  Slot& slot = slots_[variable];
  if ((slot.stamp | known) != own_) log_.push({variable, slot});  // once per block
  slot = {word, own_};
}

void Structured::write_with_room(uint32_t variable, uint32_t word) {
  log_.make_room();
  write(variable, word);
}

/// The variable is from outside of the innermost loop, perhaps of more: its value in each of them is a phi.
void Structured::enter_loops(uint32_t variable) {
  Slot& slot = slots_[variable];
  auto enter = [&](uint32_t number) {
    Loop& loop = loops_[number];
    uint32_t phi = loop_phis_.size();
    loop_phis_.push({variable, slot, word_of(phi), nobody, nobody, number, 0, 0, false, false});
    (loop.last_phi == nobody ? loop.first_phi : loop_phis_[loop.last_phi].next) = phi;
    loop.last_phi = phi;
    ++loop.phi_count;
    slot = {word_of(phi), loop.valid() & ~known};
  };
  uint32_t outer = loops_[innermost_].outer;
  if (outer != nobody && (slot.stamp | known) < loops_[outer].valid()) {
    crossed_.clear();
    for (uint32_t i = outer; i != nobody && (slot.stamp | known) < loops_[i].valid(); i = loops_[i].outer)
      crossed_.push_back(i);
    for (size_t i = crossed_.size(); i-- > 0;) enter(crossed_[i]);
    work_ += crossed_.size();
  }
  enter(innermost_);
}

/// Undoes what was assigned since the mark.
void Structured::take_back(uint32_t mark, uint32_t end) {
  work_ += for_each_change(mark, end, [&](Change& change) { std::swap(slots_[change.variable], change.slot); });
}

// ---- conditions ----

void Structured::begin_if(Operand condition) {
  EdgeId yes = f_->open_edge(at_->block, 1), no = f_->open_edge(at_->block, 2);
  terminate(Op::branch, 3, condition.word(), index(yes), index(no));
  start(yes);
  scopes_.push({log_.size(), 0, 0, no, none_id<EdgeId>, at_->block});
}

void Structured::begin_else() {
  Scope& scope = scopes_.back();
  assert(!scope.is_loop() && !scope.has_else);
  scope.has_else = true;
  scope.first_is_block = at_->block == scope.block;
  if (at_->is_open) scope.then_end = jump_out();
  scope.first_end = log_.size();
  take_back(scope.mark, scope.first_end);
  start(scope.otherwise);
  skip_to(scope.mark);
  scope.second = log_.size();
  scope.block = at_->block;
}

/// Without an else part the first edge is the one around the condition's side.
void Structured::end_if() {
  const Scope scope = scopes_.back();
  scopes_.pop();
  bool falls_through = at_->is_open, is_block = at_->block == scope.block;
  EdgeId last = falls_through ? jump_out() : none_id<EdgeId>;
  EdgeId other = scope.has_else ? scope.then_end : scope.otherwise;
  if (is_none(other) && falls_through) return start(last);  // as the second side left it
  uint32_t first_end = scope.has_else ? scope.first_end : scope.mark;
  uint32_t second = scope.has_else ? scope.second : scope.mark, end = log_.size();
  if (falls_through && is_block && scope.first_is_block) {
    start(other);
    skip_to(scope.mark);
    f_->lead(last, at_->block);
    return merge_blocks(scope.mark, first_end, second, end);
  }
  take_back(second, end);
  if (is_none(other)) return skip_to(scope.mark);
  start(other);
  skip_to(scope.mark);
  if (!falls_through) return assign_again(scope.mark, first_end);
  f_->lead(last, at_->block);
  take_side(0, scope.mark, first_end);
  take_side(1, second, end);
  merge();
}

/// Two sides meet that are one block each, or nothing: each has changed a variable once, and only the first was taken back.
inline void Structured::merge_blocks(uint32_t first, uint32_t first_end, uint32_t second, uint32_t end) {
  for (uint32_t i = second; i < end; ++i) {
    uint32_t variable = log_[i].variable;
    Slot& slot = slots_[variable];
    std::swap(slot, log_[i].slot);
    uint32_t word = log_[i].slot.word;
    if (is_outside(slot)) enter_loops(variable);
    if (word == slot.word) continue;
    assign_lazily(variable, slot, put_phi(variable, slot.word, word));
  }
  for (uint32_t i = first; i < first_end; ++i) {
    uint32_t variable = log_[i].variable, word = log_[i].slot.word;
    Slot& slot = slots_[variable];
    if ((slot.stamp | known) == own_) {
      ir::Stmt& phi = written(slot.word);
      phi.arg[0] = word;
      if (phi.arg[1] == word) slot.word = word;  // nothing is going to read the phi
      continue;
    }
    if (is_outside(slot)) enter_loops(variable);
    if (word != slot.word) assign_lazily(variable, slot, put_phi(variable, word, slot.word));
  }
  work_ += (first_end - first) + (end - second);
}

/// Does again what was taken back. The last value of a variable comes first.
void Structured::assign_again(uint32_t first, uint32_t end) {
  for_each_change(first, end, [&](const Change& change) {
    const Slot slot = slots_[change.variable];
    if ((slot.stamp | known) != own_) assign_lazily(change.variable, slot, change.slot.word);
  });
}

/// The values that one side ends with, from what was taken back.
inline void Structured::take_side(unsigned side, uint32_t first, uint32_t end) {
  for_each_change(first, end, [&](const Change& change) {
    Slot& slot = slots_[change.variable];
    if (slot.stamp != taken_up) {
      if (is_outside(slot)) enter_loops(change.variable);
      merged_.push({change.variable, slot, {slot.word, slot.word}, {false, false}});
      slot = {merged_.size() - 1, taken_up};
    }
    Merged& merged = merged_[slot.word];
    if (merged.is_set[side]) return;  // the last value came first
    merged.is_set[side] = true;
    merged.words[side] = change.slot.word;
  });
}

void Structured::merge() {
  for (const Merged& merged : merged_) {
    if (merged.words[0] != merged.words[1])
      assign_lazily(merged.variable, merged.before, put_phi(merged.variable, merged.words[0], merged.words[1]));
    else if (merged.words[0] != merged.before.word)
      assign_lazily(merged.variable, merged.before, merged.words[0]);
    else
      slots_[merged.variable] = merged.before;
  }
  merged_.clear();
}

}  // namespace braid::ssa
