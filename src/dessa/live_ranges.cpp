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
  to_ = Csr<Last>::build(f.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      std::span<const At> row = at_.row(b);
      for (size_t i = 0; i < row.size(); ++i)
        if (i + 1 == row.size() || row[i + 1].handler != row[i].handler)
          emit(row[i].handler, Last{b, row[i].position});
    }
  });
}

LiveRanges::LiveRanges(Webs& webs, const BlockOrder& order, const Throws& throws)
    : webs_(webs),
      f_(webs.function()),
      order_(order),
      throws_(throws),
      is_orderly_(order.is_forward() && !throws.any()),
      values_(webs.nodes.size()) {
  limit_ = 16 * (size_t{f_.size()} + f_.block_count() + webs.nodes.size());
  collect_reads(webs);
  for (const Slot& slot : webs.slots) walk_slot(slot);
}

/// One walk over the statements: where nodes are made, and where they are read. Of each block the last place.
void LiveRanges::collect_reads(Webs& webs) {
  const Stmt* stmts = f_.columns().stmts();
  const uint32_t* node_at = webs.nodes_by_position();
  reads_.reserve(2 * values_.size());
  auto record = [&](uint32_t node, uint32_t block) -> Read& {
    uint32_t& last = values_[node].last_read;
    if (last != nothing && reads_[last].block == block) return reads_[last];
    uint32_t before = last;
    last = static_cast<uint32_t>(reads_.size());
    return reads_.emplace_back(Read{block, 0, 0, before});
  };
  auto read = [&](uint32_t word, uint32_t block, uint32_t position) {
    Operand operand = Operand::from_word(word);
    uint32_t node = operand.is_stmt() ? node_at[operand.number()] : webs.node_of(operand);
    if (node != nothing) record(node, block).point = read_point(position);
  };
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    uint32_t i = block.first;
    for (; i < block.end && ir::may_precede_phi(stmts[i].op); ++i)
      if (node_at[i] != nothing) webs.place(node_at[i], b, start_point(block.first));
    for (; i < block.end; ++i) {
      const Stmt& s = stmts[i];
      if (node_at[i] != nothing) webs.place(node_at[i], b, write_point(i));
      const ir::OpInfo& op = ir::info(s.op);
      if (s.is_pooled()) {
        std::span<const uint32_t> words = f_.args(s);
        for (uint32_t k = 0; k < words.size(); ++k)
          if (op.is_value(k)) read(words[k], b, i);
        continue;
      }
      uint32_t values = op.value_mask;
      for (uint32_t k = 0; k < s.n; ++k)
        if (values >> k & 1) read(s.arg[k], b, i);
    }
    f_.for_each_succ(static_cast<BlockId>(b), [&](ir::EdgeId e) {
      const ir::Edge& edge = f_.edge(e);
      for (const Web& web : webs.webs_of(index(edge.to)))
        if (uint32_t node = webs.node_of(Webs::operand(web, edge.pred_index)); node != nothing)
          record(node, b).is_at_end = 1;
    });
  }
}

// ---- questions ----

/// The blocks in question are those that can be reached from `from` along edges that lead forward.
LiveRanges::Answer LiveRanges::is_read_from(uint32_t node, uint32_t from, uint32_t least) const {
  constexpr uint32_t most_steps = 32;
  Answer answer = Answer::no;
  uint32_t reads = 0;
  for (uint32_t r = values_[node].last_read; r != nothing && reads_[r].block >= least; r = reads_[r].before) {
    if (++reads > most_reads) return Answer::maybe;
    uint32_t at = reads_[r].block;
    if (order_.dominates(from, at)) return Answer::yes;
    // All ways from here to the read go through the highest dominator of it that is none of this place; so
    // they come to one of its predecessors, along edges that lead forward.
    uint32_t steps = 0;
    while (!order_.dominates(order_.idom(at), from) && ++steps < most_steps) at = order_.idom(at);
    const ir::Block& block = f_.block(static_cast<BlockId>(at));
    if (steps == most_steps || block.pred_count > most_steps) {
      answer = Answer::maybe;
      continue;
    }
    for (ir::EdgeId e = block.first_pred; !is_none(e); e = f_.edge(e).next_pred) {
      uint32_t before = index(f_.edge(e).from);
      if (before < from || before >= at) continue;
      if (order_.dominates(from, before)) return Answer::yes;
      answer = Answer::maybe;
    }
  }
  return answer;
}

bool LiveRanges::is_live_elsewhere(uint32_t node, uint32_t block, uint32_t point) {
  const Node& value = webs_.nodes[node];
  if (is_orderly_ && !values_[node].has_range) {
    if (!order_.dominates(value.block, block)) return false;
    uint32_t head = order_.loop_head(block, value.block);
    if (head == BlockOrder::no_block) {
      uint32_t r = values_[node].last_read;
      for (uint32_t steps = 0; steps < most_reads && r != nothing && reads_[r].block > block; ++steps)
        r = reads_[r].before;
      if (r != nothing && reads_[r].block == block && (reads_[r].is_at_end || reads_[r].point > point)) return true;
    }
    Answer answer = head == BlockOrder::no_block ? is_read_from(node, block, block + 1)
                                                 : is_read_from(node, head, head);
    if (answer != Answer::maybe) return answer == Answer::yes;
  }
  find_range(node);
  if (values_[node].is_everywhere) return true;
  const Entry* entry = find(node, block);
  return entry != nullptr && entry->is_live_after(point);
}

bool LiveRanges::comes_in_from_elsewhere(uint32_t node, uint32_t block) {
  const Node& value = webs_.nodes[node];
  if (is_orderly_ && !values_[node].has_range) {
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

LiveRanges::Range LiveRanges::range(uint32_t node) {
  find_range(node);
  return std::span(entries_).subspan(values_[node].first, values_[node].end - values_[node].first);
}

LiveRanges::Entry& LiveRanges::enter(uint32_t block) {
  if (entry_of_.empty()) entry_of_.assign(f_.block_count(), 0);
  uint32_t at = entry_of_[block];
  if (at >= walk_start_ && at < entries_.size() && entries_[at].block == block) return entries_[at];
  entry_of_[block] = static_cast<uint32_t>(entries_.size());
  return entries_.emplace_back(Entry{block, false, false, 0});
}

void LiveRanges::find_range(uint32_t node) {
  Value& value = values_[node];
  if (value.has_range) return;
  value.has_range = true;
  uint32_t home = webs_.nodes[node].block;
  walk_start_ = entries_.size();
  enter(home);
  for (uint32_t r = value.last_read; r != nothing; r = reads_[r].before) {
    const Read& read = reads_[r];
    Entry& entry = enter(read.block);
    entry.comes_in = read.block != home;
    entry.goes_out |= read.is_at_end != 0;
    entry.last_read = read.point;
  }
  climb(home, limit_);
  finish(node);
}

/// Up to the block where the value is made.
void LiveRanges::climb(uint32_t home, size_t limit) {
  // Blocks that were entered behind the one looked at wait for their turn; all but the home come from above.
  for (size_t i = walk_start_; i < entries_.size() && entries_.size() <= limit; ++i) {
    uint32_t block = entries_[i].block;
    if (!entries_[i].comes_in) continue;
    f_.for_each_pred(static_cast<BlockId>(block), [&](ir::EdgeId e) {
      uint32_t from = index(f_.edge(e).from);
      Entry& above = enter(from);
      above.goes_out = true;
      above.comes_in = from != home;
    });
    for (const Throws::Last& thrower : throws_.to(block)) {
      Entry& above = enter(thrower.block);
      above.comes_in = thrower.block != home;
      above.last_read = std::max(above.last_read, read_point(thrower.position));
    }
  }
}

std::vector<LiveRanges::Entry> LiveRanges::range_to_ends(uint32_t home, std::span<const uint32_t> blocks, size_t most) {
  walk_start_ = entries_.size();
  size_t limit = std::min(limit_, walk_start_ + most);
  enter(home);
  for (uint32_t b : blocks) {
    Entry& entry = enter(b);
    entry.comes_in = b != home;
    entry.goes_out = true;
  }
  climb(home, limit);
  std::vector<Entry> range;
  if (entries_.size() <= limit)
    range.assign(entries_.begin() + static_cast<ptrdiff_t>(walk_start_), entries_.end());
  entries_.resize(walk_start_);
  return range;
}

void LiveRanges::add_node(Range range) {
  walk_start_ = entries_.size();
  entries_.insert(entries_.end(), range.begin(), range.end());
  values_.push_back({.has_range = true, .is_copy = true});
  finish(static_cast<uint32_t>(values_.size() - 1));
}

/// A slot is read where its handler's region throws, and written by upsilons; where in a block, is found out
/// when asked.
void LiveRanges::walk_slot(const Slot& slot) {
  walk_start_ = entries_.size();
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
    for (const Throws::Last& thrower : throws_.to(handler)) {
      for (const Throws::At& at : throws_.in(thrower.block)) {
        if (at.handler != handler) continue;
        if (at.position < first_write(thrower.block)) come_in(thrower.block);
        break;
      }
    }
  };
  come_from_throws(slot.block);
  while (!work.empty() && entries_.size() <= limit_) {
    uint32_t block = work.back();
    work.pop_back();
    f_.for_each_pred(static_cast<BlockId>(block), [&](ir::EdgeId e) {
      uint32_t from = index(f_.edge(e).from);
      enter(from).goes_out = true;
      if (first_write(from) == nothing) come_in(from);
    });
    come_from_throws(block);
  }
  values_[slot.node].has_range = true;
  finish(slot.node);
}

void LiveRanges::finish(uint32_t node) {
  if (entries_.size() > limit_) {
    entries_.resize(walk_start_);
    values_[node].is_everywhere = true;
  }
  if (entries_.size() - walk_start_ > most_unsorted)
    std::sort(entries_.begin() + static_cast<ptrdiff_t>(walk_start_), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.block < b.block; });
  values_[node].first = static_cast<uint32_t>(walk_start_);
  values_[node].end = static_cast<uint32_t>(entries_.size());
}

const LiveRanges::Entry* LiveRanges::find(uint32_t node, uint32_t block) const {
  const Entry* first = entries_.data() + values_[node].first;
  const Entry* end = entries_.data() + values_[node].end;
  if (end - first > most_unsorted)
    first = std::lower_bound(first, end, block, [](const Entry& e, uint32_t wanted) { return e.block < wanted; });
  else
    while (first != end && first->block != block) ++first;
  return first != end && first->block == block ? first : nullptr;
}

bool LiveRanges::is_slot_live_in(const Slot& slot, uint32_t block) const {
  const Entry* entry = find(slot.node, block);
  return entry == nullptr ? values_[slot.node].is_everywhere : entry->comes_in;
}

bool LiveRanges::is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point) const {
  const Entry* entry = find(slot.node, block);
  if (values_[slot.node].is_everywhere) return true;
  std::span<const Upsilon> upsilons = webs_.upsilons_of(slot);
  auto next = std::lower_bound(upsilons.begin(), upsilons.end(), point, [](const Upsilon& u, uint32_t after) {
    return write_point(u.position) <= after;
  });
  uint32_t next_write = next != upsilons.end() && next->block == block ? next->position : nothing;
  for (const Throws::At& at : throws_.in(block)) {
    if (read_point(at.position) <= point || at.position > next_write) continue;
    // To its own handler, which reads it, or to another one where it is alive.
    if (at.handler == slot.block || is_slot_live_in(slot, at.handler)) return true;
  }
  return next_write == nothing && entry != nullptr && entry->goes_out;
}

}  // namespace braid::dessa
