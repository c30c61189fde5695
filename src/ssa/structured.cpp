// Blocks, variables and conditions.
#include "ssa/structured.h"

#include <cassert>
#include <utility>

#include "ssa/structured_steps.h"

namespace braid::ssa {

using ir::EdgeId;
using ir::Op;
using ir::Operand;

Structured::Structured(BlockEnd& at, detail::VariableTable& table, Symbol entry_name)
    : BlockFiller(at, table), log_(table) {
  table.is_structured = true;
  f_->reserve(0, 1, 0);
  take_up(f_->new_block(entry_name));
  at_->resume();
}

uint32_t Structured::declare(Type type, Operand initial) {
  // From before all loops.
  slots_.push({initial.word(), start_stamp});
  variables_.push({type, initial.word()});
  table_->slots = slots_.data();
  return variables_.size() - 1;
}

// ---- variables ----

/// Of the phis in read_. What a phi of a loop reads is known when it has a place.
void Structured::demand_operands() {
  while (!read_.empty()) {
    uint32_t phi = read_.back();
    read_.pop();
    for (uint32_t word : f_->args(written(phi))) {
      if (is_numbered(word)) {
        demand_number(word);
      } else if (is_stmt(word) && (written(word).flags & ir::unread) != 0) {
        written(word).flags = 0;
        --unread_;
        read_.push(word);
      }
    }
  }
}

void Structured::write(uint32_t variable, uint32_t word) {
  Slot& slot = slots_[variable];
  if ((slot.stamp | known) != own_ && !scopes_.empty()) log(variable, slot);  // once per block
  slot = {word, own_};
}

inline void Structured::enter_loop(uint32_t number, uint32_t variable, Slot& slot) {
  Loop& loop = loops_[number];
  uint32_t p = loop_phis_.size(), word = word_of(p);
  LoopPhi& phi = *loop_phis_.add();
  phi.variable = variable;
  phi.old = slot;
  phi.value = word;
  phi.next = phi.first_operand = nobody;
  phi.is_read = phi.is_set = false;
  phi.has_unread = (slot.stamp & known) == 0;
  (loop.last_phi == nobody ? loop.first_phi : loop_phis_[loop.last_phi].next) = p;
  loop.last_phi = p;
  ++loop.phi_count;
  slot = {word, loop.valid() & ~known};
}

/// The variable is from outside of the innermost loop, perhaps of more: its value in each of them is a phi.
void Structured::enter_loops(uint32_t variable) {
  Slot& slot = slots_[variable];
  uint32_t outer = loops_[innermost_].outer;
  if (outer != nobody && (slot.stamp | known) < loops_[outer].valid()) enter_outer_loops(variable);
  enter_loop(innermost_, variable, slot);
}

void Structured::enter_outer_loops(uint32_t variable) {
  Slot& slot = slots_[variable];
  crossed_.clear();
  for (uint32_t i = loops_[innermost_].outer; i != nobody && (slot.stamp | known) < loops_[i].valid(); i = loops_[i].outer)
    crossed_.push_back(i);
  for (size_t i = crossed_.size(); i-- > 0;) enter_loop(crossed_[i], variable, slot);
  work_ += crossed_.size();
}

/// A variable that is not known to be read, or from outside of the loop.
uint32_t Structured::read(uint32_t variable) {
  Slot& slot = slots_[variable];
  if (is_outside(slot)) {
    enter_loops(variable);
    demand_number(slot.word);
  } else {
    demand(slot.word);
  }
  slot.stamp |= known;
  return slot.word;
}

/// Undoes what was assigned since the mark.
void Structured::take_back(uint32_t mark, uint32_t end) {
  work_ += for_each_change(mark, end, [&](Change& change) { std::swap(slots_[change.variable], change.slot); });
}

// ---- conditions ----

void Structured::begin_if(Operand condition) {
  EdgeId yes = branch_out(condition), no = static_cast<EdgeId>(index(yes) + 1);
  Scope& scope = *scopes_.add();
  scope.mark = log_.size();
  scope.otherwise = no;
  scope.then_end = none_id<EdgeId>;
  scope.loop = nobody;
  scope.has_else = false;
  scope.first_is_block = true;
  start(yes);
  scope.block = at_->block;
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
  const Scope& scope = scopes_.back();
  bool falls_through = at_->is_open, is_block = at_->block == scope.block;
  EdgeId other = scope.has_else ? scope.then_end : scope.otherwise;
  uint32_t mark = scope.mark, first_end = scope.has_else ? scope.first_end : mark;
  uint32_t second = scope.has_else ? scope.second : mark, end = log_.size();
  bool are_blocks = falls_through && is_block && scope.first_is_block;
  scopes_.pop();
  EdgeId last = falls_through ? jump_out() : none_id<EdgeId>;
  if (is_none(other) && falls_through) {  // as the second side left it
    start(last);
  } else if (are_blocks) {
    start(other, last);
    if (scopes_.empty() && loops_.empty())
      merge_blocks<true>(mark, first_end, second, end);
    else
      merge_blocks<false>(mark, first_end, second, end);
  } else {
    take_back(second, end);
    if (is_none(other)) {
      skip_to(mark);
    } else if (!falls_through) {
      start(other);
      skip_to(mark);
      assign_again(mark, first_end);
    } else {
      start(other, last);
      skip_to(mark);
      take_side(0, mark, first_end);
      take_side(1, second, end);
      merge();
    }
  }
  if (scopes_.empty()) settle();
}

/// Two sides meet that are one block each, or nothing: each has changed a variable once, and only the first was taken back.
/// Where everything is final afterwards, nothing needs to be remembered.
template <bool is_final>
[[gnu::always_inline]] inline void Structured::merge_blocks(uint32_t first, uint32_t first_end, uint32_t second,
                                                            uint32_t end) {
  if (!is_final) skip_to(first);
  auto assign = [&](uint32_t variable, Slot& slot, uint32_t first_word, uint32_t second_word, uint8_t flags) {
    const Slot before = slot;
    uint32_t phi = put_phi(variable, first_word, second_word, flags);
    slot = {phi, own_ & ~known};
    if (is_final) return;
    log(variable, before);
    note_phi(phi, variable);
    ++join_phi_count_;
  };
  for (uint32_t i = second; i < end; ++i) {
    uint32_t variable = log_[i].variable;
    Slot& slot = slots_[variable];
    const Slot changed = slot;
    slot = log_[i].slot;
    log_[i].slot = changed;
    if (!is_final && is_outside(slot)) enter_loops(variable);
    if (changed.word == slot.word) continue;
    assign(variable, slot, slot.word, changed.word, unread_flags(slot.stamp, changed.stamp));
  }
  for (uint32_t i = first; i < first_end; ++i) {
    const Change change = log_[i];
    Slot& slot = slots_[change.variable];
    if ((slot.stamp | known) == own_) {
      ir::Stmt& phi = written(slot.word);
      phi.arg[0] = change.slot.word;
      phi.flags |= unread_flags(change.slot.stamp, known);
      if (phi.arg[1] == change.slot.word) slot.word = change.slot.word;  // nothing is going to read the phi
      continue;
    }
    if (!is_final && is_outside(slot)) enter_loops(change.variable);
    if (change.slot.word == slot.word) continue;
    assign(change.variable, slot, change.slot.word, slot.word, unread_flags(change.slot.stamp, slot.stamp));
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
      assign_lazily(merged.variable, merged.before, put_phi(merged.variable, merged.words));
    else if (merged.words[0] != merged.before.word)
      assign_lazily(merged.variable, merged.before, merged.words[0]);
    else
      slots_[merged.variable] = merged.before;
  }
  merged_.clear();
}

}  // namespace braid::ssa
