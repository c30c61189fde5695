// The end of structured code: phis that nothing reads are dropped, or the function is handed over.
#include <algorithm>
#include <cassert>

#include "ir/place_phis.h"
#include "ssa/on_the_fly.h"
#include "ssa/structured_steps.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

void Structured::finish() {
  assert(scopes_.empty() && loops_.empty());
  at_->pause();
  drop_phi_locations();
  if (unread_ != 0) ir::remove_unread_phis(*f_);
  f_->come_to_rest();
}

// ---- going on otherwise ----

/// Phis of open scopes become placeholders, which find their operands anew. One that nothing has read so far is none: whoever
/// reads the variable makes it.
std::vector<Structured::OpenScope> Structured::hand_over(OnTheFly& to) {
  drop_phi_locations();
  read_operands();
  uint32_t end = log_.size();
  for (uint32_t i = innermost_; i != nobody; end = loops_[i].mark, i = loops_[i].outer) {
    take_back(loops_[i].mark, end);
    take_outside(loops_[i]);
  }
  take_back(0, end);
  std::vector<bool> is_open_head(f_->block_count(), false);
  for (uint32_t i = innermost_; i != nobody; i = loops_[i].outer) is_open_head[index(loops_[i].head)] = true;
  for (const Variable& variable : variables_) to.declare(variable.type, Operand::from_word(variable.initial));
  to.adopt_blocks(is_open_head);

  std::vector<BlockId> heads(loop_phis_.size());
  for (const Loop& loop : loops_)
    for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) heads[p] = loop.head;
  uint32_t* numbered = settled_.add(loop_phis_.size());
  for (uint32_t p = 0; p < loop_phis_.size(); ++p)
    *numbered++ = to.adopt_phi(heads[p], loop_phis_[p].variable, loop_phis_[p].is_read);
  auto now = [&](uint32_t word) { return is_numbered(word) ? settled_[word - first_number] : word; };
  for (uint32_t i = f_->block(base_).first; i < f_->size() && !loop_phis_.empty(); ++i) {
    ir::Ref r = static_cast<ir::Ref>(i);
    for (uint32_t k = 0; k < f_->operand_count(f_->stmt(r)); ++k)
      if (uint32_t word = f_->arg(f_->stmt(r), k); is_numbered(word) && ir::info(f_->op(r)).is_value(k))
        f_->set_operand(r, k, Operand::from_word(now(word)));
  }
  std::vector<uint32_t> words;  // by number in join_phis_
  uint32_t block = index(base_);
  for (const JoinPhi& phi : join_phis_) {
    ir::Ref position = static_cast<ir::Ref>(phi.position);
    while (f_->block(static_cast<BlockId>(block)).end <= phi.position) ++block;
    bool is_read = (f_->stmt(position).flags & ir::unread) == 0;
    words.push_back(is_read ? to.adopt_phi(static_cast<BlockId>(block), phi.variable, true) : Operand::erased().word());
    if (is_read) {
      f_->replace(position, Operand::from_word(words.back()));
    } else {
      f_->erase(position);
      --unread_;
    }
  }

  std::vector<OnTheFly::Saved> saved;
  for (uint32_t v = 0; v < slots_.size(); ++v) saved.push_back({v, slots_[v].word});
  to.adopt_values(base_, saved);
  saved.clear();
  for (uint32_t i = 0; i < log_.size();) {
    if (log_[i].variable == nobody) {
      ++i;
      continue;
    }
    BlockId b = block_of_stamp(log_[i].slot.stamp);
    for (; i < log_.size(); ++i) {
      const Change& change = log_[i];
      if (change.variable == nobody) continue;
      if (block_of_stamp(change.slot.stamp) != b) break;
      uint32_t word = change.slot.word;
      if (is_stmt(word)) {
        auto phi = std::lower_bound(join_phis_.begin(), join_phis_.end(), word,
                                    [](const JoinPhi& p, uint32_t position) { return p.position < position; });
        if (phi != join_phis_.end() && phi->position == word) word = words[static_cast<size_t>(phi - join_phis_.begin())];
      } else if (is_numbered(word)) {
        word = phi_of(word).is_read ? now(word) : Operand::erased().word();
      }
      if (word != Operand::erased().word()) saved.push_back({change.variable, word});
    }
    to.adopt_values(b, saved);
    saved.clear();
  }
  next_number_ += loop_phis_.size();
  loop_phis_.clear();
  return open_scopes();
}

/// Blocks for the edges that wait.
std::vector<Structured::OpenScope> Structured::open_scopes() {
  std::vector<OpenScope> result;
  auto lead = [&](EdgeId e, BlockId& to) {
    if (is_none(to)) to = f_->new_block();
    f_->lead(e, to);
  };
  for (const Scope& scope : scopes_) {
    OpenScope open{scope.is_loop(), scope.has_else, none_id<BlockId>, none_id<BlockId>};
    if (scope.is_loop()) {
      const Loop& loop = loops_[scope.loop];
      open.first = loop.head;
      // Those of an inner loop that is open begin where its own do.
      uint32_t end = exits_.size();
      for (uint32_t i = innermost_; i != scope.loop; i = loops_[i].outer) end = loops_[i].exits;
      for (uint32_t e = loop.exits; e < end; ++e)
        if (!exits_[e].again) lead(exits_[e].edge, open.after);
    } else if (!scope.has_else) {
      lead(scope.otherwise, open.first);
    } else if (!is_none(scope.then_end)) {
      lead(scope.then_end, open.after);
    }
    result.push_back(open);
  }
  return result;
}

}  // namespace braid::ssa
