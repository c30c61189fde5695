// Blocks with labels, and phis by hand: the values that jumps bring to a block.
//
// A jump brings one value for each phi of its target, in their order. As long as each block is filled as a
// whole, behind a jump to it, and variables are neither assigned nor read but in the entry, blocks and phis
// get their final places at once, and nothing is left to do at the end: each block has a way from the entry
// through blocks before it, so its dominators stand before it. That is *in order*. What does not fit goes on
// with ssa/on_the_fly.h: then labels are blocks, and phis grow by a column for each edge.
//
// Cost: O(1) for each label, edge and value that is brought.
#pragma once

#include <braid/builder.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/stack.h"
#include "ssa/block_filler.h"

namespace braid::ssa {

class OnTheFly;
class Structured;

class Labels : public BlockFiller {
 public:
  Labels(BlockEnd& at, detail::VariableTable& table) : BlockFiller(at, table) {}

  bool is_in_order() const { return in_order_; }
  /// Nothing is there but statements of the entry, the current block.
  void begin_in_order();
  /// No longer: a block, a variable or a region that does not fit. So many labels were made.
  void hand_over(OnTheFly& to, const Structured& variables, uint32_t labels);
  /// The function is done: what there was means nothing from now on.
  void forget() {
    in_order_ = false;
    current_ = nobody;
    targets_.clear();
    names_.clear();
    phis_.clear();
  }

  /// Makes the label with this number, the next one.
  void make(uint32_t label, Symbol name) {
    if (label >= targets_.size()) add_targets();
    if (!in_order_)
      targets_[label].block = at_->f->new_block(name);
    else if (!is_none(name))
      names_.push_back({label, name});
  }
  /// In order, labels with numbers below may be made without a call.
  uint32_t room() const { return in_order_ ? targets_.size() : 0; }
  /// None if it has no place yet.
  ir::BlockId block(uint32_t label) const { return targets_[label].block; }

  // The values that a jump brings come first, behind a mark: of one that ends the current block in order, or
  // of any other.
  /// What earlier jumps have brought is of no use any more if no block waits for it: the current one has its
  /// phis.
  uint32_t mark_in_order() {
    if (waiting_ == 0 && wide_.empty()) {
      brought_.clear();
      arrivals_.clear();
      numbers_.clear();
    }
    return brought_.size();
  }
  uint32_t mark() const { return brought_.size(); }
  struct Brought {
    uint32_t word;  ///< a number's: in numbers_
    Type type;      ///< none: a number
  };
  /// So many, which the caller writes next.
  Brought* bring(uint32_t count) { return brought_.add(count); }
  /// A number, which takes the type of its phi.
  Brought number(const Arg& number) {
    numbers_.push_back(number);
    return {static_cast<uint32_t>(numbers_.size()) - 1, none};
  }
  /// `number(Arg, Type)` answers the word of a number that was brought.
  template <typename Number>
  void jump(uint32_t label, uint32_t mark, Number&& number) {
    check_phi_count();
    arrive(label, jump_out(), mark, number);
    close();
  }
  void branch(ir::Operand condition, uint32_t if_true, uint32_t if_false) {
    check_phi_count();
    ir::EdgeId yes = branch_out(condition);
    arrive_with_nothing(if_true, yes);
    arrive_with_nothing(if_false, static_cast<ir::EdgeId>(index(yes) + 1));
    close();
  }
  /// The values of the second way are brought by `bring_second`.
  template <typename Bring, typename Number>
  void branch(ir::Operand condition, uint32_t if_true, uint32_t mark_true, uint32_t if_false,
              Bring&& bring_second, Number&& number) {
    check_phi_count();
    ir::EdgeId yes = branch_out(condition);
    arrive(if_true, yes, mark_true, number);
    uint32_t mark_false = mark();
    bring_second();
    arrive(if_false, static_cast<ir::EdgeId>(index(yes) + 1), mark_false, number);
    close();
  }
  void end(ir::Op op, const ir::Operand* operand) {
    check_phi_count();
    BlockFiller::end(op, operand);
  }
  /// Fills the block from now on; false if that is not in order.
  bool fill(uint32_t label);
  /// The next phi of the current block; nothing but phis is there yet.
  template <typename Number>
  uint32_t phi(Type type, Number&& number);
  bool may_have_phi() const;
  /// In order: whether every label that is jumped to has its block, and every block its end.
  bool is_complete() const;
  /// In order: brings the function to rest.
  void finish();

  // Otherwise, in any order: `edge` is there, its values were brought since `mark`.
  void take_up(uint32_t label) { current_ = label; }
  template <typename Number>
  void arrive_anywhere(uint32_t label, ir::EdgeId edge, uint32_t mark, Number&& number);
  template <typename Number>
  uint32_t phi_anywhere(Type type, Number&& number);
  bool may_have_phi_anywhere() const;

  /// Wrong numbers or types of values.
  struct Mistake {
    uint32_t label;
    ir::Loc loc;
    uint32_t phis, values;
    Type phi_type = none, type = none;  ///< if the types are wrong

    bool is_count() const { return type == none; }
  };
  /// All of them, at the end.
  const std::vector<Mistake>& mistakes();

 private:
  struct Target {
    ir::BlockId block = none_id<ir::BlockId>;  ///< in order: none until it is filled
    uint32_t arrived = 0;                      ///< edges that are there
    uint32_t phi_count = 0;
    uint32_t position = 0;  ///< in order: of its first phi
    // The first arrival, which is often the only one; the others are a chain.
    ir::EdgeId edge = none_id<ir::EdgeId>;
    uint32_t first = 0, count = 0;          ///< its values, in brought_
    uint32_t more = nobody, last = nobody;  ///< in arrivals_

    /// Once the block has its phis, they are kept only where phis have no room: others may have their place
    /// then.
    void forget_arrivals() {
      edge = none_id<ir::EdgeId>;
      more = last = nobody;
    }
  };
  /// An edge whose values are kept: the target has no phis yet, or too many ways lead there.
  struct Arrival {
    ir::EdgeId edge;
    uint32_t next;
    uint32_t first, count;  ///< in brought_
  };
  static constexpr uint32_t columns_in_place = 3;

  /// Calls `visit(edge, first, count)` for the arrivals that are kept.
  template <typename Visit>
  void for_each_arrival(const Target& target, Visit&& visit) const {
    if (is_none(target.edge)) return;
    visit(target.edge, target.first, target.count);
    for (uint32_t a = target.more; a != nobody; a = arrivals_[a].next)
      visit(arrivals_[a].edge, arrivals_[a].first, arrivals_[a].count);
  }
  void keep(Target& target, ir::EdgeId edge, uint32_t first, uint32_t count) {
    if (is_none(target.edge)) {
      target.edge = edge;
      target.first = first;
      target.count = count;
      return;
    }
    uint32_t number = arrivals_.size();
    Arrival& arrival = *arrivals_.add();
    arrival.edge = edge;
    arrival.next = nobody;
    arrival.first = first;
    arrival.count = count;
    (target.more == nobody ? target.more : arrivals_[target.last].next) = number;
    target.last = number;
  }
  void add_targets();
  void lead_others(uint32_t label);
  void arrive_with_nothing(uint32_t label, ir::EdgeId edge) {
    Target& target = targets_[label];
    ++target.arrived;
    if (is_none(target.block)) {
      ++waiting_;
      return keep(target, edge, 0, 0);
    }
    f_->lead(edge, target.block);
    if (target.phi_count != 0) [[unlikely]]
      wrong_count(label, 0);
  }
  template <typename Number>
  void arrive(uint32_t label, ir::EdgeId edge, uint32_t mark, Number&& number);
  /// The word of a value for a phi of this type.
  template <typename Number>
  uint32_t word(uint32_t label, Brought& value, Type type, Number&& number) {
    if (value.type == type) [[likely]]
      return value.word;
    if (value.type == none)
      value = {number(numbers_[value.word], type), type};
    else
      check_type(label, value.type, type);
    return value.word;
  }
  void check_type(uint32_t label, Type type, Type phi_type);
  /// The current block is about to end: it has a phi for each value that the jumps to it have brought.
  void check_phi_count() {
    if (current_ != nobody && targets_[current_].phi_count != expected_) [[unlikely]]
      wrong_count(current_, expected_);
  }
  void wrong_count(uint32_t label, uint32_t values);
  void settle_counts();
  uint32_t position() const { return writer_->statements != nullptr ? writer_->position : f_->size(); }
  void pool_operands();
  void name_blocks();

  bool in_order_ = false;
  bool is_checked_ = false;
  uint32_t waiting_ = 0;        ///< in order: edges to blocks that are not filled yet
  uint32_t current_ = nobody;   ///< the label of the current block
  uint32_t expected_ = 0;       ///< values that jumps to it have brought
  uint32_t next_phi_ = nobody;  ///< in order: where the next one may stand
  Stack<Target> targets_;       ///< by label
  struct Name {
    uint32_t label;
    Symbol name;
  };
  std::vector<Name> names_;  ///< in order: of labels with one
  Stack<Arrival> arrivals_;
  Stack<Brought> brought_;
  std::vector<Arg> numbers_;
  std::vector<std::vector<ir::Ref>> phis_;  ///< in any order: by label, as far as there are any
  std::vector<uint32_t> wide_;  ///< labels of blocks with more ways than a phi has operands in place
  std::vector<Mistake> mistakes_;
};

// ---- in order ----

/// A block that has its phis gets one column more; one that waits keeps the values.
template <typename Number>
void Labels::arrive(uint32_t label, ir::EdgeId edge, uint32_t mark, Number&& number) {
  Target& target = targets_[label];
  uint32_t count = brought_.size() - mark;
  uint32_t column = target.arrived++;
  if (is_none(target.block)) {
    ++waiting_;
    return keep(target, edge, mark, count);
  }
  f_->lead(edge, target.block);
  if (count != target.phi_count) [[unlikely]]
    return wrong_count(label, count);
  uint32_t first = target.position;
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t value = word(label, brought_[mark + k], writer_->types[first + k], number);
    if (column >= columns_in_place) continue;
    ir::Stmt& phi = written(first + k);
    phi.arg[column] = value;
    phi.n = static_cast<uint8_t>(column + 1);
  }
  if (column < columns_in_place) return brought_.cut(mark);
  if (column == columns_in_place) {
    target.forget_arrivals();
    wide_.push_back(label);
  }
  keep(target, edge, mark, count);
}

inline bool Labels::fill(uint32_t label) {
  Target& target = targets_[label];
  if (at_->is_open || !is_none(target.block) || is_none(target.edge)) return false;
  reopen();
  expected_ = target.count;
  next_phi_ = target.position = writer_->position;
  if (target.more == nobody) {
    target.block = f_->start_block(writer_->position, target.edge);
  } else {
    const Arrival& second = arrivals_[target.more];
    target.block = f_->start_block(writer_->position, target.edge, second.edge);
    if (second.next != nobody || second.count != expected_) lead_others(label);
  }
  waiting_ -= target.arrived;
  current_ = label;
  at_->block = target.block;
  at_->is_open = true;
  return true;
}

template <typename Number>
uint32_t Labels::phi(Type type, Number&& number) {
  Target& target = targets_[current_];
  uint32_t k = target.phi_count++, column = 0;
  uint32_t words[columns_in_place] = {};
  for_each_arrival(target, [&](ir::EdgeId, uint32_t first, uint32_t count) {
    uint32_t value =
        k < count ? word(current_, brought_[first + k], type, number) : 0;  // a mistake, reported elsewhere
    if (column < columns_in_place) words[column] = value;
    ++column;
  });
  uint8_t in_place = static_cast<uint8_t>(std::min(column, columns_in_place));
  ++next_phi_;
  return put(ir::Op::phi, in_place, 0, words[0], words[1], words[2], type);
}

inline bool Labels::may_have_phi() const { return at_->is_open && position() == next_phi_; }

// ---- in any order ----

template <typename Number>
void Labels::arrive_anywhere(uint32_t label, ir::EdgeId edge, uint32_t mark, Number&& number) {
  Target& target = targets_[label];
  uint32_t count = brought_.size() - mark, column = at_->f->edge(edge).pred_index;
  ++target.arrived;
  keep(target, edge, mark, count);
  for (uint32_t k = 0; k < std::min(count, target.phi_count); ++k) {
    ir::Ref phi = phis_[label][k];
    uint32_t value = word(label, brought_[mark + k], at_->f->type(phi), number);
    at_->f->set_operand(phi, column, ir::Operand::from_word(value));
  }
}

template <typename Number>
uint32_t Labels::phi_anywhere(Type type, Number&& number) {
  ir::Function& f = *at_->f;
  uint32_t k = targets_[current_].phi_count++;
  std::vector<uint32_t> words(f.block(at_->block).pred_count, ir::Operand::undef().word());
  for_each_arrival(targets_[current_], [&](ir::EdgeId edge, uint32_t first, uint32_t count) {
    if (k < count) words[f.edge(edge).pred_index] = word(current_, brought_[first + k], type, number);
  });
  if (phis_.size() < targets_.size()) phis_.resize(targets_.size());
  phis_[current_].push_back(f.append(at_->block, f.make(ir::Op::phi, type, words)));
  return index(phis_[current_].back());
}

}  // namespace braid::ssa
