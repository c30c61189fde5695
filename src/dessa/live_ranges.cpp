#include "dessa/live_ranges.h"

#include <algorithm>

namespace braid::dessa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Stmt;

Throws::Throws(const ir::Function& f, const ssa::Regions& regions) {
  if (!regions.any()) return;
  at_ = Csr<At>::build(f.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      const ir::Block& block = f.block(static_cast<BlockId>(b));
      uint32_t region = regions.at_start(static_cast<BlockId>(b));
      for (uint32_t i = block.first; i < block.end && region != ssa::Regions::outside; ++i) {
        Operand id(static_cast<ir::Ref>(i));
        const Stmt& s = f.stmt(id);
        if (s.op == Op::leave) region = regions.left(region, f.operand_count(s));
        if (region == ssa::Regions::outside) break;
        bool may_throw = s.op == Op::throw_ || (f.traits(id) & ir::throws) != 0;
        if (BlockId handler = regions[region].handler; may_throw && !is_none(handler))
          emit(b, At{i, index(handler)});
      }
    }
  });
  to_ = Csr<Run>::build(f.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      std::span<const At> row = at_.row(b);
      for (size_t i = 0, first = 0; i < row.size(); ++i) {
        if (i + 1 != row.size() && row[i + 1].handler == row[i].handler) continue;
        emit(row[i].handler, Run{b, row[first].position, row[i].position});
        first = i + 1;
      }
    }
  });
}

LiveRanges::LiveRanges(const Webs& webs, const BlockOrder& order, const Throws& throws)
    : webs_(webs),
      f_(webs.function()),
      order_(order),
      throws_(throws),
      is_orderly_(order.is_forward() && !throws.any()),
      values_(webs.nodes.size() + 1) {
  limit_ = 16 * (size_t{f_.size()} + f_.block_count() + webs.nodes.size());
  collect_runs();
  collect_reads();
  for (const Slot& slot : webs.slots) walk_slot(slot);
}

// ---- questions ----

/// The blocks in question are those that can be reached from `from` along edges that lead forward.
LiveRanges::Answer LiveRanges::is_read_from(uint32_t node, uint32_t from, uint32_t least) const {
  constexpr uint32_t most_steps = 32;
  const uint32_t last = order_.last_reached(from);
  Answer answer = Answer::no;
  uint32_t reads = 0;
  for (uint32_t r = values_[node].last_read; r != no_read && reads_[r].block >= least; r = reads_[r].before) {
    uint32_t at = reads_[r].block;
    if (at > last) continue;
    if (++reads > most_reads) return Answer::maybe;
    if (order_.dominates(from, at)) return Answer::yes;
    // All ways from here to the read go through the highest dominator of it that is none of this place; so
    // they come to one of its predecessors, along edges that lead forward.
    uint32_t steps = 0;
    while (!order_.dominates(order_.idom(at), from) && ++steps < most_steps) at = order_.idom(at);
    const std::span<const uint32_t> preds = order_.preds(at);
    if (steps == most_steps || preds.size() > most_steps) {
      answer = Answer::maybe;
      continue;
    }
    for (uint32_t before : preds) {
      if (before < from || before >= at || before > last) continue;
      if (order_.dominates(from, before)) return Answer::yes;
      answer = Answer::maybe;
    }
  }
  return answer;
}

bool LiveRanges::is_live_elsewhere(uint32_t node, uint32_t block, uint32_t point) {
  const Node& value = webs_.nodes[node];
  if (is_listed(values_[node])) {
    if (!order_.dominates(value.block, block)) return false;
    uint32_t head = order_.loop_head(block, value.block);
    Answer answer = Answer::maybe;
    if (head != BlockOrder::no_block) {
      answer = is_read_from(node, head, head);
    } else {
      uint32_t r = values_[node].last_read, steps = 0;
      while (r != no_read && reads_[r].block > block && ++steps <= most_reads) r = reads_[r].before;
      if (r == no_read || reads_[r].block <= block) {
        if (reads_[r].block == block && reads_[r].is_behind(point)) return true;
        answer = is_read_from(node, block, block + 1);
      }
    }
    if (answer != Answer::maybe) return answer == Answer::yes;
  }
  find_range(node);
  if (values_[node].is_everywhere) return true;
  const Entry* entry = find(node, block);
  return entry != nullptr && entry->is_live_after(point);
}

bool LiveRanges::comes_in_from_elsewhere(uint32_t node, uint32_t block) {
  const Node& value = webs_.nodes[node];
  if (is_listed(values_[node])) {
    if (!order_.dominates(value.block, block)) return false;
    uint32_t head = order_.loop_head(block, value.block);
    if (head == BlockOrder::no_block) head = block;
    if (Answer answer = is_read_from(node, head, head); answer != Answer::maybe) return answer == Answer::yes;
  }
  find_range(node);
  if (values_[node].is_everywhere) return true;
  const Entry* entry = find(node, block);
  return entry != nullptr && entry->comes_in;
}

// ---- ranges ----

void LiveRanges::begin_walk() {
  entries_.resize(stored_);
  scanned_ = 0;
  if (entry_of_.empty()) entry_of_.assign(f_.block_count(), 0);
  walk_start_ = stored_;
  home_ = nothing;
}

[[gnu::always_inline]] inline LiveRanges::Entry& LiveRanges::enter(uint32_t block) {
  uint32_t at = entry_of_[block];
  if (at >= walk_start_ && at < entries_.size() && entries_[at].block == block) return entries_[at];
  entry_of_[block] = static_cast<uint32_t>(entries_.size());
  return entries_.emplace_back(Entry{block, false, false, 0});
}

void LiveRanges::find_range(uint32_t node) {
  if (values_[node].has_range) return;
  const size_t limit = limit_behind(scanned_for_values_);
  const bool is_whole = values_[node].is_copy ? walk_from_ends(webs_.nodes[node].block, copy_ends_[values_[node].first], limit)
                                              : walk_from_reads(node, limit);
  scanned_for_values_ += scanned_;
  store(node, is_whole);
}

bool LiveRanges::look_at_range(uint32_t node, size_t most) {
  const Value& value = values_[node];
  if (value.has_range) {
    if (value.is_everywhere) return false;
    walk_start_ = value.first;
    walk_end_ = value.end;
    home_ = nothing;
    for (uint32_t i = value.first; i < value.end; ++i) entry_of_[entries_[i].block] = i;
    return true;
  }
  if (!walk_from_reads(node, std::min(limit_, stored_ + most))) return false;
  store(node, true);
  return true;
}

bool LiveRanges::look_at_range_to_ends(uint32_t home, std::span<const uint32_t> blocks, size_t most) {
  if (throws_.any()) return walk_from_ends(home, blocks, std::min(limit_, stored_ + most));
  // It goes through all its blocks but the first from the start to the end: no entries are needed.
  if (mark_of_.empty()) mark_of_.assign(f_.block_count(), 0);
  ++mark_;
  home_ = home;
  marked_.clear();
  size_t count = 0;
  auto come_to = [&](uint32_t block) __attribute__((always_inline)) {
    if (block == home || mark_of_[block] == mark_) return;
    mark_of_[block] = mark_;
    ++count;
    const std::span<const uint32_t> preds = order_.preds(block);
    if (preds.size() != 1 || preds[0] != home) marked_.push_back(block);
  };
  for (uint32_t b : blocks) come_to(b);
  for (size_t i = 0; i < marked_.size() && count <= most; ++i)
    for (uint32_t from : order_.preds(marked_[i])) come_to(from);
  return count <= most;
}

bool LiveRanges::walk_from_reads(uint32_t node, size_t limit) {
  uint32_t home = webs_.nodes[node].block;
  begin_walk();
  enter(home);
  for (uint32_t r = values_[node].last_read; r != no_read && entries_.size() <= limit; r = reads_[r].before) {
    const Read& read = reads_[r];
    Entry& entry = enter(read.block);
    entry.comes_in = read.block != home;
    entry.goes_out |= read.is_at_end();
    entry.last_read = read.point();
  }
  if (values_[node].has_runs) enter_runs(node, home, limit);
  return climb(home, limit);
}

void LiveRanges::enter_runs(uint32_t node, uint32_t home, size_t limit) {
  for (uint32_t r = last_run_[node]; r != nothing; r = runs_[r].before)
    for (uint32_t from : order_.preds(runs_[r].block).subspan(runs_[r].first, runs_[r].count)) {
      if (entries_.size() > limit) return;
      Entry& entry = enter(from);
      entry.comes_in = from != home;
      entry.goes_out = true;
    }
}

bool LiveRanges::walk_from_ends(uint32_t home, std::span<const uint32_t> blocks, size_t limit) {
  begin_walk();
  enter(home);
  for (uint32_t b : blocks) {
    Entry& entry = enter(b);
    entry.comes_in = b != home;
    entry.goes_out = true;
  }
  return climb(home, limit);
}

/// Up to the block where the value is made; whether the limit was kept.
bool LiveRanges::climb(uint32_t home, size_t limit) {
  // Blocks that were entered behind the one looked at wait for their turn; all but the home come from above.
  for (size_t i = walk_start_; i < entries_.size() && entries_.size() <= limit; ++i) {
    uint32_t block = entries_[i].block;
    if (!entries_[i].comes_in) continue;
    scanned_ += order_.preds(block).size() + throws_.to(block).size();
    for (uint32_t from : order_.preds(block)) {
      Entry& above = from == home ? entries_[walk_start_] : enter(from);
      above.goes_out = true;
      above.comes_in = from != home;
    }
    for (const Throws::Run& thrower : throws_.to(block)) {
      Entry& above = enter(thrower.block);
      above.comes_in = thrower.block != home;
      above.last_read = std::max(above.last_read, read_point(thrower.last));
    }
  }
  walk_end_ = entries_.size();
  return walk_end_ <= limit;
}

void LiveRanges::add_copy(std::span<const uint32_t> ends) {
  values_.push_back({.first = static_cast<uint32_t>(copy_ends_.size()), .is_copy = true});
  copy_ends_.push_back(ends);
}

/// A slot is read where its handler's region throws, and written by upsilons; where in a block, is found out
/// when asked.
void LiveRanges::walk_slot(const Slot& slot) {
  begin_walk();
  std::span<const Upsilon> upsilons = webs_.upsilons_of(slot);
  auto first_write = [&](uint32_t block) {
    auto at = std::lower_bound(upsilons.begin(), upsilons.end(), block,
                               [](const Upsilon& u, uint32_t wanted) { return u.block < wanted; });
    return at != upsilons.end() && at->block == block ? at->position : nothing;
  };
  std::vector<uint32_t> work;
  auto come_in = [&](uint32_t block) {
    Entry& entry = enter(block);
    if (!entry.comes_in) work.push_back(block);
    entry.comes_in = true;
  };
  // What throws to a handler brings the slot's value there.
  auto come_from_throws = [&](uint32_t handler) {
    scanned_ += throws_.to(handler).size();
    for (const Throws::Run& thrower : throws_.to(handler))
      if (thrower.first < first_write(thrower.block)) come_in(thrower.block);
  };
  const size_t limit = limit_behind(scanned_for_slots_);
  if (limit != 0) come_from_throws(slot.block);
  while (!work.empty() && entries_.size() <= limit) {
    uint32_t block = work.back();
    work.pop_back();
    scanned_ += order_.preds(block).size();
    for (uint32_t from : order_.preds(block)) {
      enter(from).goes_out = true;
      if (first_write(from) == nothing) come_in(from);
    }
    come_from_throws(block);
  }
  scanned_for_slots_ += scanned_;
  store(slot.node, limit != 0 && entries_.size() <= limit);
}

void LiveRanges::store(uint32_t node, bool is_whole) {
  values_[node].has_range = true;
  if (!is_whole) {
    entries_.resize(walk_start_);
    values_[node].is_everywhere = true;
  }
  values_[node].first = static_cast<uint32_t>(walk_start_);
  values_[node].end = static_cast<uint32_t>(entries_.size());
  stored_ = entries_.size();
}

/// A long range is put in order when it is asked for a block the first time.
const LiveRanges::Entry* LiveRanges::find(uint32_t node, uint32_t block) {
  Value& value = values_[node];
  Entry* first = entries_.data() + value.first;
  Entry* end = entries_.data() + value.end;
  if (end - first <= most_unsorted) {
    while (first != end && first->block != block) ++first;
  } else {
    if (!value.is_sorted) std::sort(first, end, [](const Entry& a, const Entry& b) { return a.block < b.block; });
    value.is_sorted = true;
    first = std::lower_bound(first, end, block, [](const Entry& e, uint32_t wanted) { return e.block < wanted; });
  }
  return first != end && first->block == block ? first : nullptr;
}

bool LiveRanges::is_slot_live_in(const Slot& slot, uint32_t block) {
  const Entry* entry = find(slot.node, block);
  return entry == nullptr ? values_[slot.node].is_everywhere : entry->comes_in;
}

bool LiveRanges::is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point) {
  const Entry* entry = find(slot.node, block);
  if (values_[slot.node].is_everywhere) return true;
  std::span<const Upsilon> upsilons = webs_.upsilons_of(slot);
  auto next = std::lower_bound(upsilons.begin(), upsilons.end(), point, [](const Upsilon& u, uint32_t after) {
    return write_point(u.position) <= after;
  });
  uint32_t next_write = next != upsilons.end() && next->block == block ? next->position : nothing;
  const std::span<const Throws::At> throws = throws_.in(block);
  auto at = std::ranges::partition_point(throws, [&](const Throws::At& t) { return read_point(t.position) <= point; });
  for (; at != throws.end() && at->position <= next_write; ++at) {
    // To its own handler, which reads it, or to another one where it is alive.
    if (at->handler == slot.block || is_slot_live_in(slot, at->handler)) return true;
  }
  return next_write == nothing && entry != nullptr && entry->goes_out;
}

}  // namespace braid::dessa
