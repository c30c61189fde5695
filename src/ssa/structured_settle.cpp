// The end of the last open scope: phis of loops get their places.
//
// Cost: O(statements + phi operands) of the scope from its first loop on, in memory that was just written.
#include <algorithm>
#include <span>

#include "ssa/structured_steps.h"

namespace braid::ssa {

using ir::Op;

/// Everything is final from here on.
void Structured::settle() {
  if (!loops_.empty()) place_loop_phis();
  log_.clear();
  join_phis_.clear();
  base_ = at_->block;
}

void Structured::place_loop_phis() {
  read_operands();
  find_copies();
  bool was_writing = writer_->statements != nullptr, with_locations = at_->has_locations;
  uint32_t end = was_writing ? writer_->position : f_->size();
  uint32_t more = find_places(end);
  const ir::Renaming names = new_names();
  // The columns of what is being written are not all there yet. Without locations those that are not are not needed.
  bool must_pause = !was_writing || with_locations || f_->columns().capacity() - end < more;
  if (must_pause) at_->pause();
  ir::Function::Tail tail = f_->tail_with_room(end, more);
  ir::open_gaps(*f_, {gaps_.data(), gaps_.size()}, end, names, must_pause);
  write_loop_phis(tail, names);
  for_each_change(0, log_.size(), [&](const Change& change) {
    Slot& slot = slots_[change.variable];
    if ((slot.stamp | known) == start_stamp) return;  // done: a variable may have been changed several times
    slot = {names(slot.word), (slot.stamp & known) | (start_stamp & ~known)};
  });
  if (!must_pause) {
    writer_->position += more;
    if (!at_->is_open) writer_->room = writer_->position;
  } else {
    f_->extend_tail(more);
    if (at_->is_open) at_->resume();
  }
  next_number_ += loop_phis_.size();
  writer_->set_moved(end);
  loops_.clear();
  loop_phis_.clear();
  operands_.clear();
}

/// Marks what the phis of loops read that are read themselves. A phi that stands for a value reads it, and so does one of an open
/// loop.
void Structured::read_operands() {
  while (!read_loop_phis_.empty()) {
    uint32_t word = read_loop_phis_.back();
    const LoopPhi& phi = phi_of(word);
    read_loop_phis_.pop();
    demand(phi.old.word);
    if (phi.value != word) continue;
    if (phi.first_operand != nobody)
      for (uint32_t i = 1; i <= operands_[phi.first_operand]; ++i) demand(operands_[phi.first_operand + i]);
    else if (phi.is_set)
      demand(phi.last);
  }
}

/// Where a phi at a loop head stands for a value, the ways behind it may turn out to have the same one.
void Structured::find_copies() {
  // What a phi stands for is older than it.
  for (LoopPhi& phi : loop_phis_)
    if (is_numbered(phi.value)) phi.value = phi_of(phi.value).value;
  uint32_t first = f_->block(loops_[0].head).first;
  for (const JoinPhi& join : join_phis_) {
    if (join.position < first) continue;
    ir::Stmt& stmt = written(join.position);
    std::span<const uint32_t> words = f_->args(stmt);
    uint32_t value = resolved(words[0]);
    if (!std::all_of(words.begin() + 1, words.end(), [&](uint32_t word) { return resolved(word) == value; })) continue;
    unread_ += (stmt.flags & ir::unread) == 0;
    stmt = {Op::phi, 2, ir::unread | ir::copied, {value, value, 0}};
  }
}

uint32_t Structured::resolved(uint32_t word) {
  if (is_numbered(word)) word = phi_of(word).value;
  return is_stmt(word) && (written(word).flags & ir::copied) != 0 ? written(word).arg[0] : word;
}

/// Answers how many phis come. What stands for a value is behind it, and the value has its place before.
uint32_t Structured::find_places(uint32_t end) {
  uint32_t first = f_->block(loops_[0].head).first, position = first, distance = 0;
  uint32_t* numbers = settled_.add(loop_phis_.size());
  places_.clear();
  uint32_t* places = places_.add(end - first);
  const ir::Renaming names = new_names();
  const JoinPhi* join = std::lower_bound(join_phis_.begin(), join_phis_.end(), first,
                                         [](const JoinPhi& phi, uint32_t at) { return phi.position < at; });
  auto fill = [&](uint32_t to) {
    for (; position < to; ++position) places[position - first] = position + distance;
    for (; join != join_phis_.end() && join->position < to; ++join)
      if (const ir::Stmt& stmt = written(join->position); (stmt.flags & ir::copied) != 0)
        places[join->position - first] = names(stmt.arg[0]);
  };
  gaps_.clear();
  staying_.clear();
  for (const Loop& loop : loops_) {
    uint32_t head = f_->block(loop.head).first, place = head + distance, before = staying_.size();
    fill(head);
    for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
      if (stays(p)) {
        numbers[p] = place++;
        staying_.push(p);
      } else {
        numbers[p] = names(loop_phis_[p].value);
      }
    }
    uint32_t count = staying_.size() - before;
    if (count == 0 && head != first) continue;
    gaps_.push({loop.head, count});
    distance += count;
    moves_.push({head, distance});
  }
  fill(end);
  moves_.push({end, 0});
  return distance;
}

ir::Renaming Structured::new_names() const {
  return {places_.data(), f_->block(loops_[0].head).first, places_.size(), next_number_,
          settled_.data() + (next_number_ - first_number)};
}

void Structured::write_loop_phis(const ir::Function::Tail& tail, const ir::Renaming& new_names) {
  const ir::Renaming names = new_names;
  for (uint32_t p : staying_) {
    const LoopPhi& phi = loop_phis_[p];
    uint32_t place = names.numbers[p];
    Type type = variables_[phi.variable].type;
    ir::Stmt& stmt = tail.stmts[place];
    tail.types[place] = type;
    uint8_t flags = phi.is_read ? 0 : ir::unread | ir::unread_operands;
    if (phi.first_operand == nobody) {
      uint32_t first = names(phi.old.word), second = names(phi.last);
      stmt.op = Op::phi;
      stmt.n = 2;
      stmt.flags = flags;
      stmt.arg[0] = first;
      stmt.arg[1] = second;
      stmt.arg[2] = 0;
    } else {
      words_.clear();
      for (uint32_t i = 0; i < operands_[phi.first_operand]; ++i)
        words_.push_back(names(operands_[phi.first_operand + 1 + i]));
      stmt = f_->make(Op::phi, type, words_).stmt;
      stmt.flags = flags;
    }
    unread_ += flags != 0;
  }
}

/// What was final when it was given out has a mark. Everything else was written at the position that it says, and has moved
/// with what was around it.
uint32_t Structured::current(uint32_t word) const {
  if (is_numbered(word)) {
    uint32_t number = word - first_number;
    return number < settled_.size() ? settled_[number] : word;
  }
  if (word >= detail::first_final) return word - detail::first_final;
  const Move* behind = std::upper_bound(moves_.begin(), moves_.end(), word,
                                        [](uint32_t position, const Move& move) { return position < move.position; });
  if (behind != moves_.begin()) word += behind[-1].distance;
  const ir::Stmt& stmt = f_->written(word);
  return (stmt.flags & ir::copied) != 0 ? stmt.arg[0] : word;
}

}  // namespace braid::ssa
