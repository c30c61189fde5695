// Reading and writing variables while blocks are filled.
#include "ssa/on_the_fly.h"

#include <algorithm>
#include <cassert>

namespace braid::ssa {

using ir::BlockId;
using ir::Operand;

namespace {
/// How far a read climbs through blocks with a single predecessor before it leaves a placeholder there; a later read
/// finds it. Bounds the cost of chains that many reads would climb.
constexpr int climb_limit = 8;
/// Up to so many saved values a block's list is searched from the front, beyond it is sorted.
constexpr uint32_t linear_limit = 16;

uint64_t key(BlockId b, uint32_t variable) { return uint64_t{index(b)} << 32 | variable; }
}  // namespace

uint32_t OnTheFly::declare(Type type, Operand initial) {
  variables_.push_back({type, 0, 0, initial.word()});
  return static_cast<uint32_t>(variables_.size() - 1);
}

OnTheFly::BlockInfo& OnTheFly::info_of(BlockId b) {
  if (blocks_.size() <= index(b)) blocks_.resize(std::max<size_t>(f_.block_count(), index(b) + 1));
  return blocks_[index(b)];
}

void OnTheFly::at(BlockId b) {
  if (b == block_) return;
  close();
  block_ = b;
  stamp_ = ++next_stamp_;
  reopened_ = info_of(b).closed;
}

void OnTheFly::close() {
  if (is_none(block_)) return;
  BlockInfo& info = info_of(block_);
  if (!info.closed) {
    info.first = static_cast<uint32_t>(saved_.size());
    info.count = static_cast<uint32_t>(touched_.size());
    for (uint32_t variable : touched_) saved_.push_back({variable, variables_[variable].word});
    if (info.count > linear_limit)
      std::sort(saved_.begin() + info.first, saved_.end(),
                [](const Saved& a, const Saved& b) { return a.variable < b.variable; });
    info.closed = true;
  } else {
    for (uint32_t variable : touched_) save_late(block_, variable, variables_[variable].word);
  }
  touched_.clear();
  block_ = none_id<BlockId>;
}

void OnTheFly::seal(BlockId b) { info_of(b).sealed = true; }
void OnTheFly::mark_handler(BlockId b) { info_of(b).handler = true; }

void OnTheFly::touch(uint32_t variable) {
  variables_[variable].stamp = stamp_;
  touched_.push_back(variable);
}

void OnTheFly::log_write(uint32_t variable, Operand value) {
  writes_.push_back({block_, variable, value.word(), f_.last_of(block_)});
}

void OnTheFly::save_late(BlockId b, uint32_t variable, uint32_t word) {
  late_[key(b, variable)] = word;
  info_of(b).more = true;
}

/// The value that a closed block has for the variable, if it has one.
bool OnTheFly::find(BlockId b, uint32_t variable, uint32_t& word) const {
  if (index(b) >= blocks_.size()) return false;
  const BlockInfo& info = blocks_[index(b)];
  if (info.more) {
    auto found = late_.find(key(b, variable));
    if (found != late_.end()) {
      word = found->second;
      return true;
    }
  }
  const Saved* first = saved_.data() + info.first;
  const Saved* last = first + info.count;
  if (info.count > linear_limit) {
    first = std::lower_bound(first, last, variable, [](const Saved& s, uint32_t v) { return s.variable < v; });
    if (first == last || first->variable != variable) return false;
    word = first->word;
    return true;
  }
  for (; first != last; ++first)
    if (first->variable == variable) {
      word = first->word;
      return true;
    }
  return false;
}

uint32_t OnTheFly::new_placeholder(BlockId b, uint32_t variable) {
  ir::NewRef id = f_.insert(f_.phis_of(b), {{}, variables_[variable].type, {}});
  assert(index(id) == placeholders_.size() && "only placeholders are in the insertion buffer");
  placeholders_.push_back({b, variable});
  return Operand(id).word();
}

/// The value at the end of a block that is not the current one.
uint32_t OnTheFly::read_at_end(BlockId b, uint32_t variable) {
  uint32_t word;
  for (int climbed = 0;; ++climbed) {
    if (find(b, variable, word)) return word;
    const BlockInfo& info = info_of(b);
    const ir::Block& block = f_.block(b);
    if (b == ir::Function::entry()) return variables_[variable].initial;
    if (!info.sealed || info.handler || block.pred_count != 1 || climbed == climb_limit) break;
    b = f_.edge(block.first_pred).from;
    if (b == block_) {
      // The block being filled: what it has by now is what it had when the edge was made, or it is a loop to itself.
      Variable& v = variables_[variable];
      if (v.stamp == stamp_) return v.word;
      break;
    }
  }
  if (b == block_) return read(variable).word();
  word = new_placeholder(b, variable);
  save_late(b, variable, word);
  return word;
}

Operand OnTheFly::read_slow(uint32_t variable) {
  uint32_t word;
  if (!(reopened_ && find(block_, variable, word))) {
    const BlockInfo& info = info_of(block_);
    const ir::Block& block = f_.block(block_);
    if (block_ == ir::Function::entry()) {
      word = variables_[variable].initial;
    } else if (info.sealed && !info.handler && block.pred_count == 1 && f_.edge(block.first_pred).from != block_) {
      word = read_at_end(f_.edge(block.first_pred).from, variable);
    } else {
      word = new_placeholder(block_, variable);
    }
  }
  touch(variable);
  variables_[variable].word = word;
  return Operand::from_word(word);
}

void OnTheFly::finish(bool reducible) {
  close();
  if (has_handlers_) find_regions();
  demand_operands();
  remove_trivial();
  if (!reducible) remove_redundant_groups();
  write_phis();
  write_upsilons();
}

}  // namespace braid::ssa
