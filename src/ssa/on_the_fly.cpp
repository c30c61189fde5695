// Reading and writing variables while blocks are filled.
#include "ssa/on_the_fly.h"

#include <algorithm>
#include <cassert>

#include "flow/orders.h"
#include "flow/reducible.h"
#include "ir/graph_view.h"
#include "ssa/redundant_phis.h"

namespace braid::ssa {

using ir::BlockId;
using ir::Operand;

namespace {
/// How far a read climbs through blocks with a single predecessor before it leaves a placeholder there; a later read
/// finds it. Bounds the cost of chains that many reads would climb.
constexpr int climb_limit = 8;
/// Up to so many saved values a block's list is searched from the front, beyond it is sorted.
constexpr uint32_t linear_limit = 16;
}  // namespace

uint32_t OnTheFly::declare(Type type, Operand initial) {
  variables_.push_back({type, 0, 0, initial.word()});
  return static_cast<uint32_t>(variables_.size() - 1);
}

void OnTheFly::grow_blocks(BlockId b) { blocks_.resize(std::max<size_t>(f_->block_count(), index(b) + 1)); }

void OnTheFly::at(BlockId b) {
  if (b == block_) return;
  close();
  block_ = b;
  stamp_ = ++next_stamp_;
  BlockInfo& info = info_of(b);
  reopened_ = info.closed;
  info.unlogged |= !has_handlers_;
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

/// The value that a closed block has for the variable, if it has one.
bool OnTheFly::find(BlockId b, uint32_t variable, uint32_t& word) const {
  if (index(b) >= blocks_.size()) return false;
  const BlockInfo& info = blocks_[index(b)];
  if (info.late) {
    if (const uint32_t* found = late_.find(b, variable)) {
      word = *found;
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
  ir::NewRef id = f_->insert(f_->phis_of(b), {{}, variables_[variable].type, {}});
  assert(index(id) == placeholders_.size() && "only placeholders are in the insertion buffer");
  placeholders_.push_back({b, variable});
  return Operand(id).word();
}

/// The value at the end of a block that edges lead out of. The current block is not one of these.
uint32_t OnTheFly::read_at_end(BlockId b, uint32_t variable) {
  uint32_t word;
  for (int climbed = 0;; ++climbed) {
    assert(b != block_ && "a block with successors is being filled");
    if (find(b, variable, word)) return word;
    if (b == ir::Function::entry()) return variables_[variable].initial;
    const BlockInfo& info = info_of(b);
    const ir::Block& block = f_->block(b);
    if (!(info.sealed || complete_) || info.handler || block.pred_count != 1 || climbed == climb_limit) break;
    b = f_->edge(block.first_pred).from;
  }
  word = new_placeholder(b, variable);
  save_late(b, variable, word);
  return word;
}

Operand OnTheFly::read_slow(uint32_t variable) {
  uint32_t word;
  if (!(reopened_ && find(block_, variable, word))) {
    const BlockInfo& info = info_of(block_);
    const ir::Block& block = f_->block(block_);
    if (block_ == ir::Function::entry())
      word = variables_[variable].initial;
    else if (info.sealed && !info.handler && block.pred_count == 1)
      word = read_at_end(f_->edge(block.first_pred).from, variable);
    else
      word = new_placeholder(block_, variable);
  }
  touch(variable);
  variables_[variable].word = word;
  return Operand::from_word(word);
}

/// Finds unreachable blocks; answers whether the graph is reducible.
bool OnTheFly::look_at_graph(bool structured) {
  bool orphans = false;
  for (uint32_t b = 1; b < f_->block_count(); ++b) orphans |= f_->block(static_cast<BlockId>(b)).pred_count == 0;
  if (structured && !orphans) return true;
  flow::Graph graph = ir::block_graph(*f_);
  IdSet<flow::Node> reachable = flow::reachable(graph);
  for (uint32_t b = 0; b < f_->block_count(); ++b)
    blocks_[b].unreachable = !reachable.test(ir::node(static_cast<BlockId>(b)));
  return structured || flow::is_reducible(graph, flow::Dominators(graph));
}

BlockId OnTheFly::finish(bool structured) {
  close();
  complete_ = true;
  blocks_.resize(f_->block_count());
  bool reducible = look_at_graph(structured);
  BlockId unlogged = has_handlers_ ? find_regions() : none_id<BlockId>;
  demand_operands();
  remove_trivial();
  if (!reducible || has_equal_values_) find_redundant_phis(first_operand_, operands_, value_);
  write_phis();
  write_upsilons();
  return unlogged;
}

}  // namespace braid::ssa
