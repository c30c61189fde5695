// Handlers in on-the-fly construction: which assignments a handler may see, and the upsilons that bring them there.
#include <algorithm>
#include <cassert>

#include "ssa/on_the_fly.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

/// The protected region of every reachable block and of every assignment in one: a forward walk; the verifier proves later
/// that all paths agree. Regions form a tree by nesting.
BlockId OnTheFly::find_regions() {
  uint32_t block_count = f_->block_count();
  Csr<uint32_t> leaves_of = Csr<uint32_t>::build(block_count, [&](auto&& emit) {
    for (uint32_t i = 0; i < leaves_.size(); ++i) emit(index(leaves_[i].block), i);
  });
  Csr<uint32_t> writes_of = Csr<uint32_t>::build(block_count, [&](auto&& emit) {
    for (uint32_t i = 0; i < writes_.size(); ++i) emit(index(writes_[i].block), i);
  });
  std::vector<uint32_t> region_of_block(block_count, nobody);
  region_of_write_.assign(writes_.size(), nobody);
  auto pop = [&](uint32_t region, uint32_t count) {
    for (; count > 0 && region != nobody; --count) region = regions_[region].outer;
    return region;
  };

  BlockId unlogged = none_id<BlockId>;
  std::vector<bool> seen(block_count, false);
  std::vector<BlockId> work = {ir::Function::entry()};
  seen[0] = true;
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    uint32_t region = region_of_block[index(b)];
    const BlockInfo& info = blocks_[index(b)];
    if (region != nobody && info.unlogged && (info.count != 0 || info.late)) unlogged = b;
    std::span<const uint32_t> leaves = leaves_of.row(b);
    size_t next_leave = 0;
    // Positions inside a block only grow, so assignments and leaves merge by them.
    for (uint32_t w : writes_of.row(b)) {
      uint32_t position = writes_[w].after.is_undef() ? 0 : writes_[w].after.number() + 1;
      while (next_leave < leaves.size() && index(leaves_[leaves[next_leave]].leave) < position)
        region = pop(region, leaves_[leaves[next_leave++]].popped);
      region_of_write_[w] = region;
    }
    while (next_leave < leaves.size()) region = pop(region, leaves_[leaves[next_leave++]].popped);

    f_->for_each_succ(b, [&](EdgeId e) {
      const ir::Edge& edge = f_->edge(e);
      if (seen[index(edge.to)]) return;
      seen[index(edge.to)] = true;
      uint32_t target = region;
      if (f_->op(f_->terminator(b)) == Op::enter && edge.kind == ir::EdgeKind::normal) {
        EdgeId to_handler = static_cast<EdgeId>(f_->stmt(f_->terminator(b)).arg[0]);
        target = static_cast<uint32_t>(regions_.size());
        regions_.push_back({is_none(to_handler) ? none_id<BlockId> : f_->edge(to_handler).to, region});
      }
      region_of_block[index(edge.to)] = target;
      work.push_back(edge.to);
    });
  }
  number_regions();
  return unlogged;
}

/// Numbers regions in preorder, so that those inside of one are an interval, and sorts the assignments by them.
void OnTheFly::number_regions() {
  uint32_t count = static_cast<uint32_t>(regions_.size());
  // `first` holds the size at first, then the number. Inner regions come behind outer ones in the list.
  for (uint32_t r = count; r-- > 0;) {
    ++regions_[r].first;
    if (regions_[r].outer != nobody) regions_[regions_[r].outer].first += regions_[r].first;
  }
  std::vector<uint32_t> next(count);
  std::vector<uint32_t> by_number(count);
  uint32_t next_root = 0;
  for (uint32_t r = 0; r < count; ++r) {
    Region& region = regions_[r];
    uint32_t& place = region.outer == nobody ? next_root : next[region.outer];
    uint32_t size = region.first;
    region.first = place;
    region.end = place += size;
    next[r] = region.first + 1;
    by_number[region.first] = r;
  }
  regions_of_handler_ = Csr<uint32_t>::build(f_->block_count(), [&](auto&& emit) {
    for (uint32_t r : by_number)
      if (!is_none(regions_[r].handler)) emit(index(regions_[r].handler), r);
  });
  Csr<uint32_t> writes_of_region = Csr<uint32_t>::build(count, [&](auto&& emit) {
    for (uint32_t w = 0; w < writes_.size(); ++w)
      if (region_of_write_[w] != nobody) emit(regions_[region_of_write_[w]].first, w);
  });
  writes_of_variable_ = Csr<uint32_t>::build(variables_.size(), [&](auto&& emit) {
    for (uint32_t w : writes_of_region.items()) emit(writes_[w].variable, w);
  });
}

/// One upsilon just before each enter, one behind each assignment in a region of this handler, also from regions inside.
void OnTheFly::demand_upsilons(uint32_t placeholder) {
  BlockId handler = placeholders_[placeholder].block;
  uint32_t variable = placeholders_[placeholder].variable;
  auto add = [&](uint32_t word, ir::Point point) {
    upsilons_.push_back({placeholder, static_cast<uint32_t>(phis_.operands(placeholder).size()), point});
    phis_.add_operand(word);
  };
  for (EdgeId e = f_->block(handler).first_pred; !is_none(e); e = f_->edge(e).next_pred)
    if (comes_from_reachable(e)) add(read_at_end(f_->edge(e).from, variable), f_->at_end(f_->edge(e).from));

  std::span<const uint32_t> writes = writes_of_variable_.row(variable);
  auto region_number = [&](uint32_t w) { return regions_[region_of_write_[w]].first; };
  uint32_t done = 0;  // a region of this handler inside another one of it is not looked at twice
  for (uint32_t r : regions_of_handler_.row(handler)) {
    if (regions_[r].first < done) continue;
    done = regions_[r].end;
    auto at = std::lower_bound(writes.begin(), writes.end(), regions_[r].first,
                               [&](uint32_t w, uint32_t number) { return region_number(w) < number; });
    for (; at != writes.end() && region_number(*at) < regions_[r].end; ++at) {
      const Write& write = writes_[*at];
      // Nothing can throw between two assignments in one place: only the last counts.
      if (at + 1 != writes.end() && writes_[at[1]].block == write.block && writes_[at[1]].after == write.after) continue;
      add(write.word, write.after.is_undef() ? f_->at_start(write.block) : f_->after(write.after));
    }
  }
}

void OnTheFly::write_upsilons() {
  std::vector<uint32_t> words;
  for (size_t i = 0; i < upsilons_.size();) {
    uint32_t p = upsilons_[i].phi_c;
    Operand phi_c(static_cast<ir::NewRef>(p));
    bool stays = phis_.stays(p);
    Type type = variables_[placeholders_[p].variable].type;
    words.clear();
    for (; i < upsilons_.size() && upsilons_[i].phi_c == p; ++i) {
      if (!stays) continue;
      Operand value = Operand::from_word(phis_.resolved(phis_.operands(p)[upsilons_[i].operand]));
      words.push_back(Operand(f_->insert(upsilons_[i].point, f_->make(Op::upsilon, type, {value}))).word());
    }
    if (stays) f_->overwrite(phi_c, f_->make(Op::phi_c, type, words));
  }
}

}  // namespace braid::ssa
