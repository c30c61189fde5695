#include "ssa/label_blocks.h"

#include <algorithm>

namespace braid::ssa {

using ir::Op;
using ir::Operand;
using ir::Ref;

void LabelBlocks::keep(uint32_t label, ir::EdgeId edge, std::span<const TypedWord> values) {
  Target& target = targets_[label];
  uint32_t number = static_cast<uint32_t>(arrivals_.size());
  arrivals_.push_back({edge, nobody, static_cast<uint32_t>(values_.size()), static_cast<uint32_t>(values.size())});
  values_.insert(values_.end(), values.begin(), values.end());
  (target.first == nobody ? target.first : arrivals_[target.last].next) = number;
  target.last = number;
}

void LabelBlocks::arrive(uint32_t label, ir::EdgeId edge, std::span<const TypedWord> values) {
  Target& target = targets_[label];
  ++target.arrived;
  keep(label, edge, values);
  uint32_t column = at_->f->edge(edge).pred_index;
  for (size_t k = 0; k < std::min(values.size(), target.phis.size()); ++k) {
    Ref phi = target.phis[k];
    uint32_t word = brought_.word(*at_, label, values[k], at_->f->type(phi));
    at_->f->set_operand(phi, column, Operand::from_word(word));
  }
}

bool LabelBlocks::may_have_phi() const {
  if (current_ == nobody || targets_[current_].block != at_->block) return false;
  Operand last = at_->f->last_of(at_->block);
  return last.is_undef() || at_->f->op(last) == Op::phi;
}

uint32_t LabelBlocks::phi(Type type) {
  ir::Function& f = *at_->f;
  Target& target = targets_[current_];
  size_t k = target.phis.size();
  std::vector<uint32_t> words(f.block(at_->block).pred_count, Operand::undef().word());
  for_each_arrival(target, [&](const Arrival& arrival) {
    if (k >= arrival.count) return;
    words[f.edge(arrival.edge).pred_index] = brought_.word(*at_, current_, values_[arrival.first + k], type);
  });
  target.phis.push_back(f.append(at_->block, f.make(Op::phi, type, words)));
  return index(target.phis.back());
}

/// One for each block at most: it is known only now how many phis there are, and whether all jumps have brought values.
void LabelBlocks::find_mistakes() {
  std::vector<bool> is_found(targets_.size(), false);
  for (const BroughtValues::Mistake& mistake : brought_.mistakes) is_found[mistake.label] = true;
  for (uint32_t label = 0; label < targets_.size(); ++label) {
    const Target& target = targets_[label];
    uint32_t phis = static_cast<uint32_t>(target.phis.size()), wrong = phis;
    for_each_arrival(target, [&](const Arrival& arrival) {
      if (wrong == phis) wrong = arrival.count;
    });
    if (wrong == phis && phis != 0 && target.arrived != at_->f->block(target.block).pred_count) wrong = 0;
    if (wrong == phis || is_found[label]) continue;
    brought_.wrong_count(*at_, label, phis, wrong);
  }
}

}  // namespace braid::ssa
