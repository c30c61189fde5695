#include "ssa/labels.h"

#include <algorithm>

#include "ssa/on_the_fly.h"
#include "ssa/structured.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;

// ---- in order ----

/// In the entry variables may be read: nothing has assigned them. Who assigns one calls, and so does who
/// reads one elsewhere: a jump back could come with another value.
void Labels::begin_in_order() {
  in_order_ = true;
  table_->valid = start_stamp;
  table_->own = never;
}

/// Many at once: the common label needs no call.
void Labels::add_targets() {
  uint32_t count = targets_.size() < 8 ? 8 : in_order_ ? targets_.size() : 1;
  Target* added = targets_.add(count);
  std::fill(added, added + count, Target{});
}

/// The ways to a block but the first.
void Labels::lead_others(uint32_t label) {
  const Target& target = targets_[label];
  uint32_t column = 1;
  for (uint32_t a = target.more; a != nobody; a = arrivals_[a].next, ++column) {
    if (arrivals_[a].count != expected_) wrong_count(label, arrivals_[a].count);
    if (column > 1) f_->lead(arrivals_[a].edge, target.block);
    if (column == columns_in_place) wide_.push_back(label);
  }
}

bool Labels::is_complete() const {
  if (at_->is_open) return false;
  for (const Target& target : targets_)
    if (is_none(target.block) && target.arrived != 0) return false;
  return true;
}

/// Phis with more operands than stand in the statement get them all elsewhere.
void Labels::pool_operands() {
  std::vector<uint32_t> words;
  for (uint32_t label : wide_) {
    const Target& target = targets_[label];
    for (uint32_t k = 0; k < target.phi_count; ++k) {
      Ref phi = static_cast<Ref>(target.position + k);
      words.assign(target.arrived, Operand::undef().word());
      for (uint32_t column = 0; column < columns_in_place; ++column)
        words[column] = f_->stmt(phi).arg[column];
      for_each_arrival(target, [&](EdgeId edge, uint32_t first, uint32_t count) {
        if (uint32_t column = f_->edge(edge).pred_index; column >= columns_in_place && k < count)
          words[column] = brought_[first + k].word;
      });
      f_->overwrite(phi, f_->make(Op::phi, f_->type(phi), words));
    }
  }
  wide_.clear();
}

void Labels::name_blocks() {
  for (const Name& named : names_)
    if (BlockId b = targets_[named.label].block; !is_none(b)) f_->set_block_name(b, named.name);
  names_.clear();
}

void Labels::finish() {
  at_->pause();
  name_blocks();
  drop_phi_locations();
  pool_operands();
  f_->come_to_rest();
  in_order_ = false;
}

/// Labels become blocks. All variables are what they were at the start, and jumps to any block may come.
void Labels::hand_over(OnTheFly& to, const Structured& variables, uint32_t labels) {
  targets_.cut(labels);
  drop_phi_locations();
  pool_operands();
  in_order_ = false;
  uint32_t filled = f_->block_count();
  phis_.resize(labels);
  for (uint32_t label = 0; label < labels; ++label) {
    Target& target = targets_[label];
    if (is_none(target.block)) {
      target.block = f_->new_block();
      for_each_arrival(target, [&](EdgeId edge, uint32_t, uint32_t) { f_->lead(edge, target.block); });
      continue;
    }
    for (uint32_t k = 0; k < target.phi_count; ++k)
      phis_[label].push_back(static_cast<Ref>(target.position + k));
    // Only the current block may get more phis.
    if (!at_->is_open || at_->block != target.block) target.forget_arrivals();
  }
  name_blocks();
  std::vector<OnTheFly::Saved> values;
  for (uint32_t v = 0; v < variables.variable_count(); ++v) {
    to.declare(variables.type(v), variables.initial(v));
    values.push_back({v, variables.initial(v).word()});
  }
  to.adopt_blocks_without_assignments(filled);
  to.adopt_values(ir::Function::entry(), values);
}

// ---- in any order ----

bool Labels::may_have_phi_anywhere() const {
  if (current_ == nobody || targets_[current_].block != at_->block) return false;
  Operand last = at_->f->last_of(at_->block);
  return last.is_undef() || at_->f->op(last) == Op::phi;
}

// ---- mistakes ----

void Labels::wrong_count(uint32_t label, uint32_t values) {
  mistakes_.push_back({label, at_->loc, targets_[label].phi_count, values});
}

void Labels::check_type(uint32_t label, Type type, Type phi_type) {
  if (!f_->module().types.leq(type, phi_type)) mistakes_.push_back({label, at_->loc, 0, 0, phi_type, type});
}

/// Jumps differed from each other when the block was begun, before it had its phis.
void Labels::settle_counts() {
  for (Mistake& mistake : mistakes_)
    if (mistake.is_count()) mistake.phis = targets_[mistake.label].phi_count;
  std::erase_if(mistakes_,
                [](const Mistake& mistake) { return mistake.is_count() && mistake.phis == mistake.values; });
}

/// In any order it is known only now how many phis there are, and whether all jumps have brought values.
const std::vector<Labels::Mistake>& Labels::mistakes() {
  name_blocks();
  settle_counts();
  if (in_order_ || is_checked_) return mistakes_;
  is_checked_ = true;
  for (uint32_t label = 0; label < targets_.size(); ++label) {
    const Target& target = targets_[label];
    if (is_none(target.block)) continue;
    uint32_t wrong = nobody;
    for_each_arrival(target, [&](EdgeId, uint32_t, uint32_t count) {
      if (wrong == nobody && count != target.phi_count) wrong = count;
    });
    if (wrong == nobody && target.phi_count != 0 && target.arrived != at_->f->block(target.block).pred_count)
      wrong = 0;
    auto is_same = [&](const Mistake& mistake) { return mistake.label == label; };
    if (wrong != nobody && std::none_of(mistakes_.begin(), mistakes_.end(), is_same))
      wrong_count(label, wrong);
  }
  return mistakes_;
}

}  // namespace braid::ssa
