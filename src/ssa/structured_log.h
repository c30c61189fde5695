// The small steps of structured construction, which conditions and loops share.
#pragma once

#include "ssa/structured.h"

namespace braid::ssa {

inline uint32_t Structured::put(ir::Op op, uint8_t count, uint8_t flags, uint32_t a, uint32_t b, uint32_t c, Type type) {
  if (writer_->position == writer_->room) [[unlikely]] make_room();
  uint32_t position = writer_->position++;
  ir::Stmt& stmt = written(position);
  stmt.op = op;
  stmt.n = count;
  stmt.flags = flags;
  stmt.arg[0] = a;
  stmt.arg[1] = b;
  stmt.arg[2] = c;
  writer_->types[position] = type;
  return position;
}

inline void Structured::terminate(ir::Op op, uint8_t count, uint32_t a, uint32_t b, uint32_t c) {
  f_->end_block(at_->block, put(op, count, 0, a, b, c));
}

/// Starts a block that one edge leads to. The state goes on; what the block assigns is told apart from what was there.
inline void Structured::start(ir::EdgeId pred) {
  if (!at_->is_open) reopen();
  ir::BlockId b = f_->start_block(writer_->position, pred);
  at_->block = b;
  at_->is_open = true;
  own_ = stamp_of(b);
  table_->own = own_;
  table_->valid = valid_;
}

inline ir::EdgeId Structured::jump_out() {
  ir::EdgeId e = f_->open_edge(at_->block, 0);
  terminate(ir::Op::jump, 1, index(e), 0, 0);
  return e;
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
  if (log_.size() != mark) log_.push({nobody, {mark, 0}});
}

/// A value that counts as read when it is.
inline void Structured::assign_lazily(uint32_t variable, const Slot& before, uint32_t word) {
  log_.push({variable, before});
  slots_[variable] = {word, own_ & ~known};
}

/// A phi at the start of the current block; nothing but phis is there yet.
inline uint32_t Structured::put_phi(uint32_t variable, uint32_t first, uint32_t second) {
  uint32_t position = put(ir::Op::phi, 2, ir::unread, first, second, 0, variables_[variable].type);
  join_phis_.push({position, variable});
  ++unread_;
  return position;
}

}  // namespace braid::ssa
