#include "dessa/live_ranges.h"

#include <algorithm>

#include "flow/orders.h"
#include "flow/reducible.h"

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

LiveRanges::LiveRanges(const Webs& webs, const ir::BlockDominance& dominance, const Throws& throws)
    : webs_(webs),
      dominance_(dominance),
      graph_(dominance.graph()),
      throws_(throws),
      values_(webs.nodes.size()),
      entry_of_(dominance.graph().node_count(), 0) {
  const ir::Function& f = webs.function();
  limit_ = 16 * (size_t{f.size()} + f.block_count() + webs.nodes.size());
  if (!throws.any()) number_blocks();
  collect_reads();
  for (const Slot& slot : webs.slots) walk_slot(slot);
}

/// Whether the blocks stand in such an order already. Answers no for irreducible graphs, too.
bool LiveRanges::is_numbered_forwards() const {
  for (uint32_t from = 0; from < graph_.node_count(); ++from)
    for (flow::Node to : graph_.successors.row(from))
      if (index(to) <= from && !dominance_.tree().dominates(to, static_cast<flow::Node>(from))) return false;
  return true;
}

void LiveRanges::number_blocks() {
  if (!is_numbered_forwards()) {
    if (!flow::is_reducible(graph_, dominance_.tree())) return;
    numbers_.resize(graph_.node_count());
    uint32_t next = 0;
    for (flow::Node n : flow::reverse_post_order(graph_)) numbers_[index(n)] = next++;
  }
  is_orderly_ = true;
  loops_ = flow::Loops(graph_);
}

/// By node; of each block the last place.
void LiveRanges::collect_reads() {
  const ir::Function& f = webs_.function();
  const Stmt* stmts = f.columns().stmts();
  std::vector<uint32_t> last(webs_.nodes.size(), nothing);
  std::vector<Read> found;
  found.reserve(2 * webs_.nodes.size());
  auto record = [&](uint32_t node, uint32_t block) -> Read& {
    if (last[node] != nothing && found[last[node]].block == block) return found[last[node]];
    last[node] = static_cast<uint32_t>(found.size());
    ++values_[node].end_read;
    values_[node].last_number = std::max(values_[node].last_number, number(block));
    return found.emplace_back(Read{node, block, 0, false});
  };
  auto read = [&](uint32_t word, uint32_t block, uint32_t position) {
    uint32_t node = webs_.node_of(Operand::from_word(word));
    if (node != nothing) record(node, block).point = read_point(position);
  };
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block& block = f.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      const Stmt& s = stmts[i];
      if (ir::is_phi_like(s.op)) continue;
      const ir::OpInfo& op = ir::info(s.op);
      if (s.is_pooled()) {
        std::span<const uint32_t> words = f.args(s);
        for (uint32_t k = 0; k < words.size(); ++k)
          if (op.is_value(k)) read(words[k], b, i);
        continue;
      }
      for (uint32_t k = 0; k < s.n; ++k)
        if (op.value_mask >> k & 1) read(s.arg[k], b, i);
    }
    f.for_each_succ(static_cast<BlockId>(b), [&](ir::EdgeId e) {
      const ir::Edge& edge = f.edge(e);
      for (const Web& web : webs_.webs_of(index(edge.to)))
        if (uint32_t node = webs_.node_of(webs_.operand(web, edge.pred_index)); node != nothing)
          record(node, b).is_at_end = true;
    });
  }
  uint32_t next = 0;
  for (Value& value : values_) {
    uint32_t count = value.end_read;
    value.first_read = value.end_read = next;
    next += count;
  }
  reads_.resize(found.size());
  for (const Read& r : found) reads_[values_[r.node].end_read++] = r;
}

// ---- questions ----

const LiveRanges::Read* LiveRanges::read_in(uint32_t node, uint32_t block) const {
  const Read* first = reads_.data() + values_[node].first_read;
  const Read* end = reads_.data() + values_[node].end_read;
  const Read* at =
      std::lower_bound(first, end, block, [](const Read& r, uint32_t wanted) { return r.block < wanted; });
  return at != end && at->block == block ? at : nullptr;
}

uint32_t LiveRanges::loop_head(uint32_t block, uint32_t home) const {
  uint32_t head = nothing;
  flow::Loop loop = loops_.innermost(static_cast<flow::Node>(block));
  while (!is_none(loop) && !loops_.contains(loop, static_cast<flow::Node>(home))) {
    head = index(loops_.header(loop));
    loop = loops_.parent(loop);
  }
  return head;
}

/// The blocks in question are those that can be reached from `from` along edges that lead forward.
LiveRanges::Answer LiveRanges::is_read_from(uint32_t node, uint32_t from, uint32_t least_number) const {
  constexpr uint32_t most_reads = 16, most_steps = 32;
  const Value& value = values_[node];
  if (value.last_number < least_number) return Answer::no;
  if (value.end_read - value.first_read > most_reads) return Answer::maybe;
  const flow::Dominators& tree = dominance_.tree();
  flow::Node start = static_cast<flow::Node>(from);
  Answer answer = Answer::no;
  for (uint32_t i = value.first_read; i < value.end_read; ++i) {
    if (number(reads_[i].block) < least_number) continue;
    flow::Node at = static_cast<flow::Node>(reads_[i].block);
    if (tree.dominates(start, at)) return Answer::yes;
    // All ways from here to the read go through the highest dominator of it that is none of this place; so
    // they come to one of its predecessors, along edges that lead forward.
    uint32_t steps = 0;
    while (!tree.dominates(tree.idom(at), start) && ++steps < most_steps) at = tree.idom(at);
    std::span<const flow::Node> before = graph_.predecessors.row(at);
    if (steps == most_steps || before.size() > most_steps) {
      answer = Answer::maybe;
      continue;
    }
    for (flow::Node p : before) {
      if (number(index(p)) < number(from) || number(index(p)) >= number(index(at))) continue;
      if (tree.dominates(start, p)) return Answer::yes;
      answer = Answer::maybe;
    }
  }
  return answer;
}

bool LiveRanges::is_live_after(uint32_t node, uint32_t block, uint32_t point) {
  const Node& value = webs_.nodes[node];
  if (value.block == block && value.point > point) return false;
  if (is_orderly_ && !values_[node].has_range) {
    if (block != value.block && values_[node].last_number == number(value.block))
      return false;  // read where it is made
    if (!dominance_.tree().dominates(static_cast<flow::Node>(value.block), static_cast<flow::Node>(block)))
      return false;
    uint32_t head = loop_head(block, value.block);
    if (head == nothing && values_[node].last_number >= number(block)) {
      const Read* read = read_in(node, block);
      if (read != nullptr && (read->is_at_end || read->point > point)) return true;
    }
    Answer answer = head == nothing ? is_read_from(node, block, number(block) + 1)
                                    : is_read_from(node, head, number(head));
    if (answer != Answer::maybe) return answer == Answer::yes;
  }
  find_range(node);
  if (values_[node].is_everywhere) return true;
  const Entry* entry = find(node, block);
  return entry != nullptr && entry->is_live_after(point);
}

bool LiveRanges::is_live_in(uint32_t node, uint32_t block) {
  const Node& value = webs_.nodes[node];
  if (value.block == block) return false;
  if (is_orderly_ && !values_[node].has_range) {
    if (values_[node].last_number == number(value.block)) return false;  // read where it is made
    if (!dominance_.tree().dominates(static_cast<flow::Node>(value.block), static_cast<flow::Node>(block)))
      return false;
    uint32_t head = loop_head(block, value.block);
    if (head == nothing) head = block;
    if (Answer answer = is_read_from(node, head, number(head)); answer != Answer::maybe)
      return answer == Answer::yes;
  }
  find_range(node);
  if (values_[node].is_everywhere) return true;
  const Entry* entry = find(node, block);
  return entry != nullptr && entry->comes_in;
}

// ---- ranges ----

LiveRanges::Range LiveRanges::range(uint32_t node) {
  find_range(node);
  return {entries_.begin() + values_[node].first, entries_.begin() + values_[node].end};
}

LiveRanges::Entry& LiveRanges::enter(uint32_t block) {
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
  for (const Read& r : std::span(reads_).subspan(value.first_read, value.end_read - value.first_read)) {
    Entry& entry = enter(r.block);
    entry.comes_in = r.block != home;
    entry.goes_out |= r.is_at_end;
    entry.last_read = r.point;
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
    for (flow::Node from : graph_.predecessors.row(block)) {
      Entry& above = enter(index(from));
      above.goes_out = true;
      above.comes_in = index(from) != home;
    }
    for (const Throws::Last& thrower : throws_.to(block)) {
      Entry& above = enter(thrower.block);
      above.comes_in = thrower.block != home;
      above.last_read = std::max(above.last_read, read_point(thrower.position));
    }
  }
}

LiveRanges::Range LiveRanges::range_to_ends(uint32_t home, std::span<const uint32_t> blocks, size_t most) {
  walk_start_ = entries_.size();
  size_t limit = std::min(limit_, walk_start_ + most);
  enter(home);
  for (uint32_t b : blocks) {
    Entry& entry = enter(b);
    entry.comes_in = b != home;
    entry.goes_out = true;
  }
  climb(home, limit);
  Range range;
  if (entries_.size() <= limit)
    range.assign(entries_.begin() + static_cast<ptrdiff_t>(walk_start_), entries_.end());
  entries_.resize(walk_start_);
  return range;
}

void LiveRanges::add_node(const Range& range) {
  walk_start_ = entries_.size();
  entries_.insert(entries_.end(), range.begin(), range.end());
  values_.emplace_back().has_range = true;
  values_.back().end_read = 1;  // it is used
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
    for (flow::Node from : graph_.predecessors.row(block)) {
      enter(index(from)).goes_out = true;
      if (first_write(index(from)) == nothing) come_in(index(from));
    }
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
  auto first = entries_.begin() + static_cast<ptrdiff_t>(walk_start_);
  auto is_before = [](const Entry& a, const Entry& b) { return a.block < b.block; };
  if (!std::is_sorted(first, entries_.end(), is_before)) std::sort(first, entries_.end(), is_before);
  values_[node].first = static_cast<uint32_t>(walk_start_);
  values_[node].end = static_cast<uint32_t>(entries_.size());
}

const LiveRanges::Entry* LiveRanges::find(uint32_t node, uint32_t block) const {
  const Entry* first = entries_.data() + values_[node].first;
  const Entry* end = entries_.data() + values_[node].end;
  const Entry* at =
      std::lower_bound(first, end, block, [](const Entry& e, uint32_t wanted) { return e.block < wanted; });
  return at != end && at->block == block ? at : nullptr;
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
