// From placeholders to phis: finding operands, and writing those that stay.
#include <algorithm>

#include "ir/graph_view.h"
#include "ssa/on_the_fly.h"
#include "ssa/regions.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {
/// So many operands for each block, edge, assignment and read are looked for from block to block; beyond it, ways round most of
/// the blocks cost less. Programs with a few variables stay below.
constexpr uint64_t patience = 2, few_operands = 64;
}  // namespace

bool OnTheFly::comes_from_reachable(EdgeId e) const {
  return !f_->edge(e).dead && !blocks_[index(f_->edge(e).from)].unreachable;
}

/// What is not known where it is asked for becomes a placeholder of its own and gets its turn. Without shortcuts, that is one
/// round per (block, live-in variable).
///
/// The placeholders of a block get their turn together, those of the latest block first: they ask the same few blocks, and leave
/// their placeholders there one beside the other. With one after the other as they were made, each question in a deep nest
/// with many variables would go to a block that the caches have forgotten.
void OnTheFly::demand_operands() {
  for (const Placeholder& placeholder : placeholders_) wait(placeholder.block);
  const uint64_t input =
      uint64_t{f_->block_count()} + f_->edge_count() + saved_.size() + late_pairs_.size() + placeholders_.size();
  const uint64_t limit = patience * input + few_operands;
  std::vector<uint32_t> batch;
  while (!waiting_.empty()) {
    BlockInfo& info = blocks_[index(waiting_.back())];
    waiting_.pop_back();
    info.waits = false;
    batch.clear();
    for (uint32_t p = info.placeholders; p != info.demanded; p = placeholders_[p].next_in_block) batch.push_back(p);
    info.demanded = info.placeholders;
    for (size_t i = batch.size(); i-- > 0;) {
      demand_operands_of(batch[i]);
      if (phis_.operand_count() > limit && !shortcuts_.any()) find_shortcuts();
    }
  }
}

/// Makes the ways round blocks that do not assign a variable. Where it is live in many of them, it would get a placeholder in each
/// join, and in every sixteenth block of a chain; now one assignment or phi is found from the other. Placeholders from before do
/// not see that others go round them: rings of them may stand for one value together.
void OnTheFly::find_shortcuts() {
  may_have_groups_ = true;
  made_before_shortcuts_ = placeholder_count();
  Csr<BlockId> assignments = Csr<BlockId>::build(variables_.size(), [&](auto&& emit) {
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const BlockInfo& info = blocks_[b];
      for (uint32_t i = info.first; i < info.first + info.count; ++i) emit(saved_[i].variable, static_cast<BlockId>(b));
    }
    for (auto [b, variable] : late_pairs_) emit(variable, b);
  });
  shortcuts_ = Shortcuts(ir::block_graph(*f_), assignments, Regions(*f_));
}

/// Reads the variable at the end of each predecessor. An edge that is never taken brings the phi itself, which counts for
/// nothing.
void OnTheFly::demand_operands_of(uint32_t p) {
  BlockId b = placeholders_[p].block;
  if (blocks_[index(b)].unreachable) return;
  phis_.begin_operands(p);
  // A loop head's parent is its first predecessor, whose end may be known.
  uint32_t word = is_none(placeholders_[p].above) ? unknown : placeholders_[p].known[0];
  if (p < made_before_shortcuts_ && is_none(placeholders_[p].above))
    placeholders_[p].above = shortcuts_.above(b, placeholders_[p].variable);
  if (BlockId above = placeholders_[p].above; !is_none(above)) {
    if (word == unknown) word = read_at_end(above, placeholders_[p].variable);
    phis_.add_operand(word);
    return;
  }
  if (blocks_[index(b)].handler) return demand_upsilons(p);
  uint32_t number = 0;
  for (EdgeId e = f_->block(b).first_pred; !is_none(e); e = f_->edge(e).next_pred, ++number) {
    const Placeholder& placeholder = placeholders_[p];
    uint32_t word = PhiCandidates::word_of(p);
    if (comes_from_reachable(e)) {
      word = number < 2 ? placeholder.known[number] : unknown;
      if (word == unknown) word = read_at_end(f_->edge(e).from, placeholder.variable);
    }
    phis_.add_operand(word);
  }
}

void OnTheFly::write_phis() {
  std::vector<uint32_t> words;
  for (uint32_t p = 0; p < placeholders_.size(); ++p) {
    Operand itself(static_cast<ir::NewRef>(p));
    if (uint32_t value = phis_.resolved(itself.word()); value != itself.word()) {
      f_->replace(itself, Operand::from_word(value));
      continue;
    }
    if (blocks_[index(placeholders_[p].block)].handler) continue;
    words.clear();
    for (uint32_t word : phis_.operands(p)) words.push_back(phis_.resolved(word));
    f_->overwrite(itself, f_->make(Op::phi, variables_[placeholders_[p].variable].type, words));
  }
}

}  // namespace braid::ssa
