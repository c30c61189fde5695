// The small steps of structured construction, which conditions and loops share.
#pragma once

#include "ssa/structured.h"

namespace braid::ssa {

/// The state goes on; what the block assigns is told apart from what was there. Without a scope nobody asks what that was.
inline void Structured::take_up(ir::BlockId b) {
  at_->block = b;
  at_->is_open = true;
  own_ = stamp_of(b);
  table_->stamp = own_;
  table_->own = scopes_.empty() ? 0 : own_;
  table_->valid = valid_;
}

inline void Structured::start(ir::EdgeId pred) {
  if (!at_->is_open) reopen();
  take_up(f_->start_block(writer_->position, pred));
}

inline void Structured::start(ir::EdgeId first, ir::EdgeId second) {
  if (!at_->is_open) reopen();
  take_up(f_->start_block(writer_->position, first, second));
}

template <typename Visit>
inline uint32_t Structured::for_each_change(uint32_t first, uint32_t end, Visit&& visit) {
  uint32_t count = 0;
  for (uint32_t i = end; i > first;) {
    Change& change = log_[--i];
    if (change.variable == nobody) {
      i = change.slot.word;
      continue;
    }
    visit(change);
    ++count;
  }
  return count;
}

/// What is in the log above the mark was taken back.
inline void Structured::skip_to(uint32_t mark) {
  if (log_.size() == mark) return;
  Change& change = log_.add();
  change.variable = nobody;
  change.slot.word = mark;
}

inline void Structured::log(uint32_t variable, const Slot& before) {
  Change& change = log_.add();
  change.variable = variable;
  change.slot = before;
}

/// A value that counts as read when it is.
inline void Structured::assign_lazily(uint32_t variable, const Slot before, uint32_t word) {
  log(variable, before);
  slots_[variable] = {word, own_ & ~known};
}

/// A phi at the start of the current block; nothing but phis is there yet.
inline uint32_t Structured::put_phi(uint32_t variable, uint32_t first, uint32_t second, uint8_t flags) {
  ++unread_;
  return put(ir::Op::phi, 2, flags, first, second, 0, variables_[variable].type);
}

inline void Structured::note_phi(uint32_t position, uint32_t variable) {
  JoinPhi& phi = *join_phis_.add();
  phi.position = position;
  phi.variable = variable;
}

/// Whether the operand that a slot has was read, as a flag.
inline uint8_t Structured::unread_flags(uint32_t first_stamp, uint32_t second_stamp) {
  return static_cast<uint8_t>(ir::unread | ((~(first_stamp & second_stamp) & known) != 0 ? ir::unread_operands : 0));
}

inline void Structured::demand_number(uint32_t word) {
  LoopPhi& phi = phi_of(word);
  if (phi.is_read) return;
  phi.is_read = true;
  if (phi.has_unread) read_loop_phis_.push(word);
}

/// An operand of the phi has become known, and may be a phi that nothing has read.
inline void Structured::note_unread_operand(LoopPhi& phi) {
  if (phi.has_unread) return;  // it waits already, or will when something reads it
  phi.has_unread = true;
  if (phi.is_read) read_loop_phis_.push(phi.value);
}

/// Something reads the value: a phi counts from now on, and so does what it reads.
inline void Structured::demand(uint32_t word) {
  if (is_stmt(word)) {
    ir::Stmt& stmt = written(word);
    uint8_t flags = stmt.flags;
    if ((flags & ir::unread) == 0) return;
    stmt.flags = 0;
    --unread_;
    if ((flags & ir::unread_operands) == 0) return;
    read_.push(word);
    demand_operands();
  } else if (is_numbered(word)) {
    demand_number(word);
  }
}

/// A phi whose operands count as read already.
inline bool Structured::reads_phi(Slot& slot) {
  if (!is_stmt(slot.word)) return false;
  uint8_t& flags = written(slot.word).flags;
  if ((flags & ir::unread_operands) != 0) return false;
  unread_ -= (flags & ir::unread) != 0;
  flags &= static_cast<uint8_t>(~ir::unread);
  slot.stamp |= known;
  return true;
}

}  // namespace braid::ssa
