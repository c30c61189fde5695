// Loops.
#include <algorithm>
#include <utility>

#include "ssa/structured_steps.h"

namespace braid::ssa {

using ir::EdgeId;
using ir::Op;
using ir::Operand;

void Structured::begin_loop() {
  EdgeId e = jump_out();
  uint32_t number = loops_.size(), mark = log_.size();
  Scope& scope = *scopes_.add();
  scope.mark = mark;
  scope.block = at_->block;
  scope.loop = number;
  scope.has_else = false;
  start(e);
  Loop& loop = *loops_.add();
  loop.head = at_->block;
  loop.mark = mark;
  loop.outer = innermost_;
  loop.exits = exits_.size();
  loop.values = values_.size();
  loop.first_phi = loop.last_phi = nobody;
  loop.phi_count = 0;
  innermost_ = number;
  table_->valid = valid_ = loop.valid();
}

void Structured::loop_while(Operand condition) {
  EdgeId again = branch_out(condition), out = static_cast<EdgeId>(index(again) + 1);
  note_exit(out, false);
  start(again);
}

bool Structured::leave_loop(bool again) {
  if (innermost_ == nobody) return false;
  EdgeId e = jump_out();
  if (again) f_->lead(e, loops_[innermost_].head);
  note_exit(e, again);
  close();
  return true;
}

/// Puts down what the variables are here that were assigned in the loop.
void Structured::note_exit(EdgeId edge, bool again) {
  uint32_t first = values_.size();
  work_ += for_each_change(loops_[innermost_].mark, log_.size(), [&](const Change& change) {
    values_.push({change.variable, slots_[change.variable].word});
  });
  exits_.push({edge, again, first, values_.size()});
}

uint64_t Structured::cost_of_exits(const Loop& loop) const {
  uint64_t phis = uint64_t{loop.phi_count} + (log_.size() - loop.mark) + (values_.size() - loop.values);
  return std::min<uint64_t>(phis, variable_count()) * (exits_.size() - loop.exits);
}

/// What every variable is that was read or assigned in the loop: at its head, and behind it.
void Structured::end_loop() {
  uint32_t number = scopes_.back().loop, mark = loops_[number].mark, end = log_.size();
  scopes_.pop();
  bool falls_back = at_->is_open;
  if (falls_back) f_->lead(jump_out(), loops_[number].head);
  take_back(mark, end);
  make_loop_phis(number, end, falls_back);
  const Loop& loop = loops_[number];
  // Most loops are left at one place, before anything was assigned, and nothing else leads back to the head.
  bool is_simple = exits_.size() == loop.exits + 1 && values_.size() == loop.values && !exits_.back().again;
  uint32_t count = 0, first = 0;
  for (uint32_t e = exits_.size(); e-- > loop.exits;)
    if (!exits_[e].again) {
      ++count;
      first = e;
    }
  if (!is_simple) {
    if (f_->block(loop.head).pred_count == (falls_back ? 2 : 1))
      find_operands(loop);
    else
      find_operands_of_many(loop, falls_back);
    if (count > 1) find_exit_words(loop, count);
  }
  innermost_ = loop.outer;
  valid_ = innermost_ == nobody ? start_stamp : loops_[innermost_].valid();
  if (count == 0) {
    take_outside(loop);
    skip_to(mark);
    close();
  } else {
    start(exits_[first].edge);
    skip_to(mark);
    if (is_simple)
      go_on_from_head(loop);
    else if (count == 1)
      go_on_from(loop, exits_[first]);
    else
      meet_exits(loop, count);
  }
  work_ += loop.phi_count;
  exits_.cut(loop.exits);
  values_.cut(loop.values);
  if (scopes_.empty()) settle();
}

/// Whatever was assigned in the loop may be another value when it comes round: it has a phi, which is told what the end of the
/// body has.
void Structured::make_loop_phis(uint32_t number, uint32_t end, bool falls_back) {
  for (uint32_t i = loops_[number].values; i < values_.size(); ++i)
    if (is_outside(slots_[values_[i].variable])) enter_loops(values_[i].variable);
  for_each_change(loops_[number].mark, end, [&](const Change& change) {
    Slot& slot = slots_[change.variable];
    if (is_outside(slot)) enter_loops(change.variable);
    LoopPhi& phi = phi_of(slot.word);
    if (phi.is_set || !falls_back) return;  // the last value came first
    phi.is_set = true;
    phi.last = change.slot.word;
    if ((change.slot.stamp & known) == 0) note_unread_operand(phi);
  });
}

/// Finds out which phis of the loop are needed. Back to the head leads the end of the body, or nothing.
void Structured::find_operands(const Loop& loop) {
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    LoopPhi& phi = loop_phis_[p];
    if (!phi.is_set || phi.last == phi.value || phi.last == phi.old.word) phi.value = phi.old.word;
  }
}

/// The same for a loop that is left at the head, and goes on from there.
void Structured::go_on_from_head(const Loop& loop) {
  for (uint32_t p = loop.first_phi; p != nobody;) {
    LoopPhi& phi = loop_phis_[p];
    p = phi.next;
    if (!phi.is_set || phi.last == phi.value || phi.last == phi.old.word) {
      phi.value = phi.old.word;
      slots_[phi.variable] = phi.old;
    } else {
      assign_lazily(phi.variable, phi.old, phi.value);
    }
  }
}

/// Operands stand behind their number.
void Structured::find_operands_of_many(const Loop& loop, bool falls_back) {
  uint32_t count = f_->block(loop.head).pred_count;
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    LoopPhi& phi = loop_phis_[p];
    phi.first_operand = operands_.size();
    operands_.push(count);
    operands_.push(phi.old.word);
    for (uint32_t i = 1; i < count; ++i) operands_.push(phi.value);
    if (falls_back && phi.is_set) operands_.back() = phi.last;
    note_unread_operand(phi);
  }
  uint32_t edge = 1;
  for (uint32_t e = loop.exits; e < exits_.size(); ++e) {
    if (!exits_[e].again) continue;
    for (uint32_t i = exits_[e].first; i < exits_[e].end; ++i)
      operands_[phi_of(slots_[values_[i].variable].word).first_operand + 1 + edge] = values_[i].word;
    ++edge;
  }
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    LoopPhi& phi = loop_phis_[p];
    const uint32_t* words = operands_.data() + phi.first_operand + 1;
    if (std::all_of(words, words + count, [&](uint32_t word) { return word == phi.value || word == phi.old.word; }))
      phi.value = phi.old.word;
  }
  work_ += uint64_t{loop.phi_count} * count;
}

/// Variables are what they are outside.
void Structured::take_outside(const Loop& loop) {
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) slots_[loop_phis_[p].variable] = loop_phis_[p].old;
}

/// There is one way out.
void Structured::go_on_from(const Loop& loop, const Exit& exit) {
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    const LoopPhi& phi = loop_phis_[p];
    if (phi.value == word_of(p))
      assign_lazily(phi.variable, phi.old, phi.value);
    else
      slots_[phi.variable] = phi.old;
  }
  for (uint32_t i = exit.first; i < exit.end; ++i) {
    auto [variable, word] = values_[i];
    const Slot slot = slots_[variable];
    if ((slot.stamp | known) == own_)
      slots_[variable].word = word;
    else
      assign_lazily(variable, slot, word);
  }
}

/// For each phi of the loop, what its variable is at each exit: in words_.
void Structured::find_exit_words(const Loop& loop, uint32_t count) {
  words_.clear();
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    loop_phis_[p].row = static_cast<uint32_t>(words_.size());
    words_.resize(words_.size() + count, loop_phis_[p].value);
  }
  uint32_t column = 0;
  for (uint32_t e = loop.exits; e < exits_.size(); ++e) {
    if (exits_[e].again) continue;
    for (uint32_t i = exits_[e].first; i < exits_[e].end; ++i)
      words_[phi_of(slots_[values_[i].variable].word).row + column] = values_[i].word;
    ++column;
  }
  work_ += words_.size();
}

uint32_t Structured::put_phi(uint32_t variable, std::span<const uint32_t> words) {
  constexpr uint8_t flags = ir::unread | ir::unread_operands;
  uint32_t position;
  if (words.size() == 2) {
    position = put_phi(variable, words[0], words[1], flags);
  } else {
    Type type = variables_[variable].type;
    ir::Stmt stmt = f_->make(Op::phi, type, words).stmt;
    position = put(Op::phi, stmt.n, flags, stmt.arg[0], stmt.arg[1], stmt.arg[2], type);
    ++unread_;
  }
  note_phi(position, variable);
  ++join_phi_count_;
  return position;
}

void Structured::meet_exits(const Loop& loop, uint32_t count) {
  bool is_first = true;
  for (uint32_t e = loop.exits; e < exits_.size(); ++e) {
    if (exits_[e].again || std::exchange(is_first, false)) continue;
    f_->lead(exits_[e].edge, at_->block);
  }
  for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
    const LoopPhi& phi = loop_phis_[p];
    std::span<const uint32_t> words(words_.data() + phi.row, count);
    bool is_one = std::all_of(words.begin(), words.end(), [&](uint32_t word) { return word == words[0]; });
    if (!is_one)
      assign_lazily(phi.variable, phi.old, put_phi(phi.variable, words));
    else if (words[0] != phi.old.word)
      assign_lazily(phi.variable, phi.old, words[0]);
    else
      slots_[phi.variable] = phi.old;
  }
}

}  // namespace braid::ssa
