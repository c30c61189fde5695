#include "ir/slot_paths.h"

#include <algorithm>

namespace braid::ir {

SlotPaths::SlotPaths(const BlockDominance& blocks) : tree_(blocks.tree()) {
  std::span<const flow::Node> order = tree_.preorder();
  uint32_t count = static_cast<uint32_t>(order.size());
  predecessors_ = Csr<uint32_t>::build(count, [&](auto&& emit) {
    for (uint32_t n = 0; n < count; ++n)
      for (flow::Node to : blocks.graph().successors.row(order[n])) emit(tree_.preorder_number(to), n);
  });
  blocks_.resize(count);
  auto level = [&](uint32_t n) { return tree_.level(order[n]); };
  for (uint32_t n = 0; n < count; ++n) {
    uint32_t idom = n == 0 ? 0 : tree_.preorder_number(tree_.idom(order[n]));
    uint32_t jump = blocks_[idom].jump, farther = blocks_[jump].jump;
    bool equal_jumps = level(idom) - level(jump) == level(jump) - level(farther);
    bool is_join = n == 0 || predecessors_.row(n).size() != 1;
    uint32_t size = static_cast<uint32_t>(tree_.dominated_by(order[n]).size());
    blocks_[n] = {n + size, idom, equal_jumps ? farther : idom, is_join ? n : blocks_[idom].join};
  }
}

void SlotPaths::take(std::vector<Place>& writes) {
  std::sort(writes.begin(), writes.end());
  writes_.clear();
  for (Place write : writes)
    if (writes_.empty() || write.block >= blocks_[writes_.back().block].end) writes_.push_back(write);
  joins_.clear();
  users_.clear();
}

/// Where the write ends that dominates the place; 0 if there is none.
uint32_t SlotPaths::end_of_write_before(Place place) const {
  auto behind = std::lower_bound(writes_.begin(), writes_.end(), place);
  if (behind == writes_.begin()) return 0;
  uint32_t end = blocks_[std::prev(behind)->block].end;
  return place.block < end ? end : 0;
}

/// The join whose start has the same answer as the start of a block that no write dominates. Up to the highest dominator
/// without a write below it nothing is written on the way; from there on, as long as there is one way only.
uint32_t SlotPaths::join_above(uint32_t block) const {
  auto write = std::lower_bound(writes_.begin(), writes_.end(), Place{block, 0});
  uint32_t first = write == writes_.begin() ? 0 : std::prev(write)->block + 1;
  uint32_t last = write == writes_.end() ? none : write->block;
  auto is_bare = [&](uint32_t n) { return n >= first && blocks_[n].end <= last; };
  while (block != 0 && is_bare(blocks_[block].idom)) {
    uint32_t jump = blocks_[block].jump;
    block = is_bare(jump) ? jump : blocks_[block].idom;
  }
  return blocks_[block].join;
}

uint32_t SlotPaths::number_of(uint32_t block) {
  uint32_t number = blocks_[block].asked;
  if (number < joins_.size() && joins_[number].block == block) return number;
  bool dominates_all = writes_.empty() || (block <= writes_.front().block && writes_.back().block < blocks_[block].end);
  joins_.push_back({block, dominates_all, none});
  return blocks_[block].asked = static_cast<uint32_t>(joins_.size() - 1);
}

/// One open predecessor is enough: where a join that dominates several of them is open, nobody need ask for the others.
void SlotPaths::ask_predecessors(uint32_t join) {
  std::span<const uint32_t> row = predecessors_.row(joins_[join].block);
  for (auto at = row.begin(); at != row.end();) {
    uint32_t end = end_of_write_before({*at, at_end});
    if (end == 0) {
      uint32_t above = join_above(*at);
      uint32_t asked = number_of(above);
      users_.push_back({join, joins_[asked].first_user});
      joins_[asked].first_user = static_cast<uint32_t>(users_.size() - 1);
      if (joins_[asked].open) {
        joins_[join].open = true;
        return;
      }
      end = blocks_[above].end;
    }
    at = std::lower_bound(at, row.end(), end);
  }
}

/// Who asks an open join is open; what stays closed after that is written on all paths, also on those around loops.
void SlotPaths::spread(size_t first) {
  for (size_t i = first; i < joins_.size(); ++i) {
    if (!joins_[i].open) continue;
    work_.push_back(static_cast<uint32_t>(i));
    while (!work_.empty()) {
      uint32_t user = joins_[work_.back()].first_user;
      work_.pop_back();
      for (; user != none; user = users_[user].next) {
        Join& join = joins_[users_[user].join];
        if (join.open) continue;
        join.open = true;
        work_.push_back(users_[user].join);
      }
    }
  }
}

bool SlotPaths::is_open(uint32_t block) {
  size_t known = joins_.size();
  uint32_t asked = number_of(block);
  for (size_t i = known; i < joins_.size(); ++i)
    if (!joins_[i].open) ask_predecessors(static_cast<uint32_t>(i));
  spread(known);
  return joins_[asked].open;
}

SlotPaths::Answer SlotPaths::is_written(Place place) {
  if (uint32_t end = end_of_write_before(place)) return {true, end};
  uint32_t above = join_above(place.block);
  return is_open(above) ? Answer{false, 0} : Answer{true, blocks_[above].end};
}

}  // namespace braid::ir
