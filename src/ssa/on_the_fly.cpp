// Reading and writing variables while blocks are filled.
#include "ssa/on_the_fly.h"

#include <algorithm>
#include <cassert>

#include "flow/orders.h"
#include "flow/reducible.h"
#include "ir/graph_view.h"

namespace braid::ssa {

using ir::BlockId;
using ir::Operand;

namespace {
/// How far a read climbs before it leaves a placeholder; a later read finds it. Bounds the cost of chains that many reads
/// would climb.
constexpr int climb_limit = 16;
/// Up to so many values or placeholders of a block are searched from the front; beyond it values are sorted, placeholders
/// hashed.
constexpr uint32_t linear_limit = 16;
/// Up to so many changed variables are forgotten one by one where ways meet, beyond it all are: a deep nest must not pay for
/// each of them at each level.
constexpr uint32_t forget_limit = 12;
}  // namespace

uint32_t OnTheFly::declare(Type type, Operand initial) {
  slots_.push_back({0, 0});
  variables_.push_back({type, initial.word()});
  table_->slots = slots_.data();
  return static_cast<uint32_t>(variables_.size() - 1);
}

void OnTheFly::grow_blocks(BlockId b) {
  blocks_.resize(std::max<size_t>({f_->block_count(), index(b) + size_t{1}, 2 * blocks_.size()}));
}

// ---- the chain of blocks ----

/// What a slot says is not known if its stamp is from before the chain's root: then since the start of the root. Or it is 0,
/// then the word is the number of an entry in forgotten_ plus one, or 0 if the variable was never assigned: if the entry's
/// block is above the root, it is not known since the start of this block.
void OnTheFly::push_link(BlockId b, bool is_root) {
  uint32_t link = static_cast<uint32_t>(chain_.size());
  if (is_root) valid_ = ++time_;
  uint32_t log = static_cast<uint32_t>(log_.size());
  chain_.push_back({b, log, static_cast<uint32_t>(cached_.size()), is_root ? link : chain_.back().root, valid_});
  blocks_[index(b)].link = link;
  blocks_[index(b)].unlogged |= !has_handlers_;
  block_ = b;
  block_log_ = log;
  own_ = ++time_;
}

/// What is undone is remembered for `meet`, with the values that the current block ends with if it is the end of a side.
void OnTheFly::pop_links(uint32_t size, bool at_end_of_side) {
  uint32_t known_from = at_end_of_side ? valid_ : never;
  while (chain_.size() > size) {
    const Link& link = chain_.back();
    for (size_t i = log_.size(); i-- > link.log;) {
      Slot& slot = slots_[log_[i].variable];
      if (open_marks_ != 0) changed_.push_back({log_[i].variable, slot.stamp >= known_from ? slot.word : unknown});
      slot = log_[i].old;
    }
    log_.resize(link.log);
    bool is_root = link.root + 1 == chain_.size();
    while (is_root && cached_.size() > link.cached) {
      slots_[cached_.back().variable] = cached_.back().old;
      cached_.pop_back();
    }
    chain_.pop_back();
  }
  valid_ = chain_.back().valid;
}

inline void OnTheFly::begin(BlockId b, BlockInfo& info) {
  info.dead = b != ir::Function::entry();
  for (ir::EdgeId e = f_->block(b).first_pred; info.dead && !is_none(e); e = f_->edge(e).next_pred)
    info.dead = blocks_[index(f_->edge(e).from)].dead;
}

void OnTheFly::enter(BlockId b) {
  leave();
  BlockInfo& info = info_of(b);
  if (info.closed) return push_link(b, true);
  begin(b, info);
  if (has_single_pred(b, info)) {
    BlockId parent = f_->edge(f_->block(b).first_pred).from;
    uint32_t link = blocks_[index(parent)].link;
    if (link < chain_.size() && chain_[link].block == parent) {
      if (link + 1 != chain_.size()) pop_links(link + 1, false);
      return push_link(b, false);
    }
  }
  push_link(b, true);
}

void OnTheFly::second_side(Mark& mark, BlockId b) {
  leave();
  if (mark.link + 1 != chain_.size()) pop_links(mark.link + 1, true);
  begin(b, info_of(b));
  push_link(b, false);
  mark.second = static_cast<uint32_t>(changed_.size());
  at(b);
}

/// A block that only dead code leads to must not read what lives: that would be a use.
void OnTheFly::meet(const Mark& mark, BlockId b, bool sides) {
  leave();
  if (mark.link + 1 != chain_.size()) pop_links(mark.link + 1, sides);
  --open_marks_;
  BlockInfo& info = info_of(b);
  assert(!info.closed);
  begin(b, info);
  info.sealed = true;
  BlockId parent = chain_.back().block;
  bool has_parent = !info.dead || blocks_[index(parent)].dead;
  if (has_parent) {
    info.parent = parent;
    info.since = mark.time + 1;
  }
  bool forgets_all = !has_parent || changed_.size() - mark.changed > forget_limit;
  push_link(b, forgets_all);
  if (!forgets_all) {
    forget(mark, b, sides);
  } else {
    // They are not what an outer side ends with; those from before are unknown already.
    for (size_t i = std::max(mark.changed, all_unknown_); i < changed_.size(); ++i) changed_[i].word = unknown;
    all_unknown_ = static_cast<uint32_t>(changed_.size());
  }
  at(b);
}

/// What a side of a condition assigned last is known, and what was there before if it assigned nothing.
inline void OnTheFly::forget(const Mark& mark, BlockId b, bool sides) {
  uint32_t first_entry = static_cast<uint32_t>(forgotten_.size());
  for (uint32_t i = mark.changed; i < changed_.size(); ++i) {
    auto [variable, word] = changed_[i];
    Slot& slot = slots_[variable];
    bool is_first = slot.stamp != 0 || slot.word <= first_entry;
    if (is_first) {
      uint32_t before = sides && slot.stamp >= valid_ ? slot.word : unknown;
      log_.push_back({variable, slot});
      forgotten_.push_back({b, {before, before}, 0});
      slot = {static_cast<uint32_t>(forgotten_.size()), 0};
    }
    Forgotten& entry = forgotten_[slot.word - 1];
    uint32_t side = i >= mark.second;
    if (!sides || (entry.assigned >> side & 1) != 0) continue;  // the last assignment came first
    entry.known[side] = word;
    entry.assigned |= 1u << side;
  }
  changed_.resize(mark.changed);
  all_unknown_ = std::min(all_unknown_, mark.changed);
  block_log_ = static_cast<uint32_t>(log_.size());
}

void OnTheFly::seal_loop(const Mark& mark, BlockId head, bool falls_back) {
  BlockInfo& info = info_of(head);
  info.sealed = true;
  info.parent = chain_[mark.link].block;
  info.since = mark.time + 1;
  bool is_pair = falls_back && f_->block(head).pred_count == 2;
  for (uint32_t p = info.placeholders; p != nobody; p = placeholders_[p].next_in_block) {
    Placeholder& placeholder = placeholders_[p];
    if (is_parents(info, placeholder.variable)) placeholder.above = info.parent;
    const Slot& slot = slots_[placeholder.variable];
    if (is_pair && slot.stamp >= valid_) placeholder.known[1] = slot.word;
  }
}

/// Keeps what the current block assigned, for those who ask later.
void OnTheFly::leave() {
  if (is_none(block_)) return;
  BlockInfo& info = blocks_[index(block_)];
  uint32_t end = static_cast<uint32_t>(log_.size());
  if (!info.closed) {
    info.first = static_cast<uint32_t>(saved_.size());
    info.count = end - block_log_;
    for (uint32_t i = block_log_; i < end; ++i) saved_.push_back({log_[i].variable, slots_[log_[i].variable].word});
    sort_saved(info);
    info.closed = true;
  } else {
    for (uint32_t i = block_log_; i < end; ++i) {
      late_.set(block_, log_[i].variable, slots_[log_[i].variable].word);
      late_pairs_.push_back({block_, log_[i].variable});
    }
    info.late |= block_log_ != end;
  }
  block_ = none_id<BlockId>;
}

void OnTheFly::sort_saved(const BlockInfo& info) {
  if (info.count > linear_limit)
    std::sort(saved_.begin() + info.first, saved_.end(),
              [](const Saved& a, const Saved& b) { return a.variable < b.variable; });
}

// ---- what another construction has begun ----

void OnTheFly::adopt_blocks(const std::vector<bool>& is_open_head) {
  blocks_.resize(is_open_head.size());
  for (size_t b = 0; b < is_open_head.size(); ++b) {
    blocks_[b].closed = blocks_[b].unlogged = true;
    blocks_[b].sealed = !is_open_head[b];
  }
}

void OnTheFly::adopt_blocks_without_assignments(uint32_t count) {
  blocks_.resize(count);
  for (BlockInfo& info : blocks_) info.closed = true;
}

uint32_t OnTheFly::adopt_phi(BlockId b, uint32_t variable, bool is_read) {
  if (is_read) return new_placeholder(b, variable);
  // It has a number, and stands for nothing.
  f_->insert(f_->phis_of(b), {{}, variables_[variable].type, {}});
  placeholders_.push_back({b, variable, nobody});
  uint32_t word = phis_.add(), undef = Operand::undef().word();
  phis_.set_value(PhiCandidates::number(word), undef);
  return undef;
}

void OnTheFly::adopt_values(BlockId b, std::span<const Saved> values) {
  BlockInfo& info = blocks_[index(b)];
  info.first = static_cast<uint32_t>(saved_.size());
  info.count = static_cast<uint32_t>(values.size());
  saved_.insert(saved_.end(), values.begin(), values.end());
  sort_saved(info);
}

// ---- reading and assigning ----

void OnTheFly::set_slow(uint32_t variable, uint32_t word) {
  Slot& slot = slots_[variable];
  log_.push_back({variable, slot});
  variables_[variable].written = own_;
  slot = {word, own_};
}

/// The value that a block has for the variable, if it assigns it or a placeholder stands for it there.
bool OnTheFly::find(BlockId b, uint32_t variable, uint32_t& word) const {
  const BlockInfo& info = blocks_[index(b)];
  if (info.late) {
    if (const uint32_t* found = late_.find(b, variable)) {
      word = *found;
      return true;
    }
  }
  const Saved* first = saved_.data() + info.first;
  const Saved* last = first + info.count;
  if (info.count > linear_limit)
    first = std::lower_bound(first, last, variable, [](const Saved& s, uint32_t v) { return s.variable < v; });
  else
    while (first != last && first->variable != variable) ++first;
  if (first != last && first->variable == variable) {
    word = first->word;
    return true;
  }
  if (info.row != nobody) {
    const uint32_t* found = rows_[info.row].find(variable);
    if (found != nullptr) word = *found;
    return found != nullptr;
  }
  for (uint32_t p = info.placeholders; p != nobody; p = placeholders_[p].next_in_block)
    if (placeholders_[p].variable == variable) {
      word = phis_.value(p);
      return true;
    }
  return false;
}

uint32_t OnTheFly::new_placeholder(BlockId b, uint32_t variable) {
  ir::NewRef id = f_->insert(f_->phis_of(b), {{}, variables_[variable].type, {}});
  assert(index(id) == placeholders_.size() && "only placeholders are in the insertion buffer");
  uint32_t word = phis_.add();
  BlockInfo& info = blocks_[index(b)];
  placeholders_.push_back({b, variable, info.placeholders});
  info.placeholders = index(id);
  if (++info.placeholder_count == linear_limit + 1) {
    info.row = static_cast<uint32_t>(rows_.size());
    rows_.emplace_back();
    for (uint32_t p = info.placeholders; p != nobody; p = placeholders_[p].next_in_block)
      rows_[info.row].add(placeholders_[p].variable, PhiCandidates::word_of(p));
  } else if (info.row != nobody) {
    rows_[info.row].add(variable, word);
  }
  if (complete_) wait(b);
  return word;
}

/// The value at the end of a block that was left.
uint32_t OnTheFly::read_at_end(BlockId b, uint32_t variable) {
  uint32_t word;
  for (int climbed = 0;; ++climbed) {
    const BlockInfo& info = info_of(b);
    if (find(b, variable, word)) return word;
    if (b == ir::Function::entry()) return variables_[variable].initial;
    if (BlockId above = shortcuts_.above(b, variable); !is_none(above)) {
      b = above;
      continue;
    }
    bool from_parent = is_parents(info, variable);
    if ((!from_parent && !has_single_pred(b, info)) || climbed == climb_limit) return new_placeholder(b, variable);
    b = from_parent ? info.parent : f_->edge(f_->block(b).first_pred).from;
  }
}

uint32_t OnTheFly::read_slow(uint32_t variable) {
  Slot old = slots_[variable];
  uint32_t root = chain_.back().root;
  const Forgotten* entry = old.stamp == 0 && old.word != 0 ? &forgotten_[old.word - 1] : nullptr;
  if (entry != nullptr && blocks_[index(entry->block)].link <= root) entry = nullptr;
  BlockId b = entry != nullptr ? entry->block : chain_[root].block;
  const BlockInfo& info = blocks_[index(b)];
  uint32_t word;
  if (!find(b, variable, word)) {
    if (b == ir::Function::entry()) {
      word = variables_[variable].initial;
    } else if (BlockId above = shortcuts_.above(b, variable); !is_none(above)) {
      word = read_at_end(above, variable);
    } else if (is_parents(info, variable)) {
      word = read_at_end(info.parent, variable);
    } else if (has_single_pred(b, info)) {
      word = read_at_end(f_->edge(f_->block(b).first_pred).from, variable);
    } else {
      word = new_placeholder(b, variable);
      Placeholder& made = placeholders_.back();
      if (entry != nullptr) {
        made.known[0] = entry->known[0];
        made.known[1] = entry->known[1];
      } else if (is_known_below(root, old)) {
        made.known[0] = old.word;
      }
    }
  }
  if (entry == nullptr) cached_.push_back({variable, old});
  slots_[variable] = {word, valid_};
  return word;
}

/// Whether the slot says what the root's first predecessor has at its end.
bool OnTheFly::is_known_below(uint32_t root, const Slot& slot) const {
  if (root == 0 || slot.stamp == 0 || slot.stamp < chain_[root - 1].valid) return false;
  ir::EdgeId first = f_->block(chain_[root].block).first_pred;
  return !is_none(first) && f_->edge(first).from == chain_[root - 1].block && !blocks_[index(chain_[root].block)].closed;
}

// ---- the end ----

/// Finds unreachable blocks, and whether the graph is reducible.
void OnTheFly::look_at_graph(bool structured) {
  for (uint32_t b = 1; b < f_->block_count(); ++b) has_orphans_ |= f_->block(static_cast<BlockId>(b)).pred_count == 0;
  if (structured && !has_orphans_) return;
  flow::Graph graph = ir::block_graph(*f_);
  IdSet<flow::Node> reachable = flow::reachable(graph);
  for (uint32_t b = 0; b < f_->block_count(); ++b)
    blocks_[b].unreachable = !reachable.test(ir::node(static_cast<BlockId>(b)));
  may_have_groups_ |= !structured && !flow::is_reducible(graph, flow::Dominators(graph));
}

OnTheFly::Outcome OnTheFly::finish(bool structured) {
  Outcome outcome;
  leave();
  pause();
  complete_ = true;
  blocks_.resize(f_->block_count());
  look_at_graph(structured);
  if (has_handlers_) outcome.unlogged = find_regions();
  demand_operands();
  phis_.remove_single();
  if (may_have_groups_) phis_.remove_redundant();
  write_phis();
  write_upsilons();
  return outcome;
}

}  // namespace braid::ssa
