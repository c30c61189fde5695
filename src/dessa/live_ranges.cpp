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
        if (BlockId handler = regions[region].handler; may_throw && !is_none(handler)) emit(b, At{i, index(handler)});
      }
    }
  });
  to_ = Csr<Last>::build(f.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      std::span<const At> row = at_.row(b);
      for (size_t i = 0; i < row.size(); ++i)
        if (i + 1 == row.size() || row[i + 1].handler != row[i].handler) emit(row[i].handler, Last{b, row[i].position});
    }
  });
}

LiveRanges::LiveRanges(const Webs& webs, const flow::Graph& graph, const Throws& throws)
    : webs_(webs), graph_(graph), throws_(throws), ranges_(webs.nodes.size()), entry_of_(graph.node_count(), 0) {
  const ir::Function& f = webs.function();
  limit_ = 32 * (size_t{f.size()} + f.block_count() + webs.nodes.size());
  entries_.reserve(2 * webs.nodes.size());
  collect_reads();
  for (size_t i = 0; i < reads_.size();) {
    size_t end = i;
    while (end < reads_.size() && reads_[end].node == reads_[i].node) ++end;
    walk(reads_[i].node, std::span(reads_).subspan(i, end - i));
    i = end;
  }
  reads_ = {};
  for (const Slot& slot : webs.slots) walk_slot(slot);
}

/// By node; of each block the last place.
void LiveRanges::collect_reads() {
  const ir::Function& f = webs_.function();
  const Stmt* stmts = f.columns().stmts();
  std::vector<uint32_t> last(webs_.nodes.size(), nothing), count(webs_.nodes.size() + 1, 0);
  std::vector<Read> found;
  auto read = [&](Operand operand, uint32_t block, uint32_t point) {
    uint32_t node = webs_.node_of(operand);
    if (node == nothing) return;
    if (last[node] != nothing && found[last[node]].block == block) {
      found[last[node]].point = std::max(found[last[node]].point, point);
      return;
    }
    last[node] = static_cast<uint32_t>(found.size());
    found.push_back({node, block, point});
    ++count[node + 1];
  };
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block& block = f.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      const Stmt& s = stmts[i];
      if (s.op == Op::phi || s.op == Op::phi_c) continue;
      uint32_t values = ir::info(s.op).value_mask;
      if (s.is_pooled()) {
        std::span<const uint32_t> words = f.args(s);
        for (uint32_t k = 0; k < words.size(); ++k)
          if (ir::info(s.op).is_value(k)) read(Operand::from_word(words[k]), b, read_point(i));
        continue;
      }
      for (uint32_t k = 0; k < s.n; ++k)
        if (values >> k & 1) read(Operand::from_word(s.arg[k]), b, read_point(i));
    }
    f.for_each_succ(static_cast<BlockId>(b), [&](ir::EdgeId e) {
      const ir::Edge& edge = f.edge(e);
      for (const Web& web : webs_.webs_of(index(edge.to))) read(webs_.operand(web, edge.pred_index), b, at_edge);
    });
  }
  for (size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  reads_.resize(found.size());
  for (const Read& r : found) reads_[count[r.node]++] = r;
}

LiveRanges::Entry& LiveRanges::enter(uint32_t block) {
  uint32_t at = entry_of_[block];
  if (at >= walk_start_ && at < entries_.size() && entries_[at].block == block) return entries_[at];
  entry_of_[block] = static_cast<uint32_t>(entries_.size());
  return entries_.emplace_back(Entry{block, false, false, 0});
}

void LiveRanges::walk(uint32_t node, std::span<const Read> reads) {
  uint32_t home = webs_.nodes[node].block;
  walk_start_ = entries_.size();
  for (const Read& r : reads) {
    Entry& entry = enter(r.block);
    entry.comes_in = r.block != home;
    if (r.point == at_edge)
      entry.goes_out = true;
    else
      entry.last_read = r.point;
  }
  // Blocks that were entered behind the one looked at wait for their turn; all but the home come from above.
  for (size_t i = walk_start_; i < entries_.size() && entries_.size() <= limit_; ++i) {
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
  finish(node, walk_start_);
}

/// A slot is read where its handler's region throws, and written by upsilons; where in a block, is found out when asked.
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
  finish(slot.node, walk_start_);
}

void LiveRanges::finish(uint32_t node, size_t first) {
  if (entries_.size() > limit_) {
    entries_.resize(first);
    ranges_[node].is_everywhere = true;
    return;
  }
  std::sort(entries_.begin() + static_cast<ptrdiff_t>(first), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.block < b.block; });
  ranges_[node].first = static_cast<uint32_t>(first);
  ranges_[node].end = static_cast<uint32_t>(entries_.size());
}

const LiveRanges::Entry* LiveRanges::find(uint32_t node, uint32_t block) const {
  const Entry* first = entries_.data() + ranges_[node].first;
  const Entry* end = entries_.data() + ranges_[node].end;
  const Entry* at = std::lower_bound(first, end, block, [](const Entry& e, uint32_t wanted) { return e.block < wanted; });
  return at != end && at->block == block ? at : nullptr;
}

bool LiveRanges::is_slot_live_in(const Slot& slot, uint32_t block) const {
  const Entry* entry = find(slot.node, block);
  return entry == nullptr ? ranges_[slot.node].is_everywhere : entry->comes_in;
}

bool LiveRanges::is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point) const {
  const Entry* entry = find(slot.node, block);
  if (ranges_[slot.node].is_everywhere) return true;
  std::span<const Upsilon> upsilons = webs_.upsilons_of(slot);
  auto next = std::lower_bound(upsilons.begin(), upsilons.end(), point,
                               [](const Upsilon& u, uint32_t after) { return write_point(u.position) <= after; });
  uint32_t next_write = next != upsilons.end() && next->block == block ? next->position : nothing;
  for (const Throws::At& at : throws_.in(block)) {
    if (read_point(at.position) <= point || at.position > next_write) continue;
    // To its own handler, which reads it, or to another one where it is alive.
    if (at.handler == slot.block || is_slot_live_in(slot, at.handler)) return true;
  }
  return next_write == nothing && entry != nullptr && entry->goes_out;
}

}  // namespace braid::dessa
