#include "ir/place_phis.h"

#include <cassert>
#include <memory>

#include "ir/remap.h"

namespace braid::ir {

class PhiPlacement {
 public:
  explicit PhiPlacement(Function& f) : f_(f) {}

  void open_gaps(std::span<const PhiGap> gaps, uint32_t end, const Renaming& names, bool with_locations);
  void remove_unread();
  void erase_dead();

 private:
  static bool is_unread(const Stmt& stmt) { return (stmt.flags & unread) != 0; }
  Function& f_;
};

/// From the last statement to the first.
void PhiPlacement::open_gaps(std::span<const PhiGap> gaps, uint32_t end, const Renaming& new_names, bool with_locations) {
  const Renaming names = new_names;  // a copy of its own: what is written could be the original, as far as a compiler knows
  Columns& columns = f_.columns_;
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  uint32_t distance = 0;
  for (const PhiGap& gap : gaps) distance += gap.count;
  assert(columns.capacity() - end >= distance);
  size_t gap = gaps.size();
  uint32_t first_block = index(gaps.front().block), k = end;
  for (uint32_t i = f_.block_count(); i-- > first_block;) {
    Block& block = f_.blocks_[static_cast<BlockId>(i)];
    assert(block.more == Block::no_range && "blocks are filled one after the other");
    uint32_t first = block.first;
    for (; k-- > first;) {
      types[k + distance] = types[k];
      if (with_locations) locs[k + distance] = locs[k];
      copy_remapped(stmts[k], stmts[k + distance], f_.pool_, names);
    }
    k = first;
    block.end += distance;
    if (!block.terminator.is_undef()) block.terminator = static_cast<Ref>(block.terminator.number() + distance);
    if (gap != 0 && gaps[gap - 1].block == static_cast<BlockId>(i)) {
      uint32_t count = gaps[--gap].count;
      distance -= count;
      if (with_locations) std::fill_n(locs + first + distance, count, Loc{});
    }
    block.first += distance;
  }
  assert(gap == 0 && distance == 0);
}

void PhiPlacement::remove_unread() {
  Columns& columns = f_.columns_;
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  uint32_t size = columns.size(), next = 0;
  std::unique_ptr<uint32_t[]> places = std::make_unique_for_overwrite<uint32_t[]>(size);
  for (uint32_t k = 0; k < size; ++k) places[k] = is_unread(stmts[k]) ? Operand::erased().word() : next++;
  const Renaming names{places.get(), 0, size, nullptr, 0, 0};
  uint32_t to = 0;
  for (Block& block : f_.blocks_) {
    uint32_t k = block.first, end = block.end;
    block.first = to;
    for (; k < end; ++k) {
      if (is_unread(stmts[k])) continue;
      types[to] = types[k];
      locs[to] = locs[k];
      copy_remapped(stmts[k], stmts[to++], f_.pool_, names);
    }
    block.end = to;
    block.terminator = static_cast<Ref>(to - 1);
  }
  columns.set_size(next);
}

/// What stands for a value reads it if something reads what stands for it.
void PhiPlacement::erase_dead() {
  auto waits = [&](const Stmt& stmt) { return stmt.op == Op::phi || stmt.op == Op::same; };
  std::vector<bool> is_read(f_.dense_count(), false);
  std::vector<Operand> work;
  auto read_operands = [&](const Stmt& stmt) {
    std::span<const uint32_t> words = f_.args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (!info(stmt.op).is_value(i) || !(operand.is_stmt() || operand.is_pending())) continue;
      if (!waits(f_.stmt(operand)) || is_read[f_.dense(operand)]) continue;
      is_read[f_.dense(operand)] = true;
      work.push_back(operand);
    }
  };
  for (uint32_t i = 0; i < f_.dense_count(); ++i)
    if (const Stmt& stmt = f_.stmt(f_.from_dense(i)); !waits(stmt)) read_operands(stmt);
  while (!work.empty()) {
    const Stmt& stmt = f_.stmt(work.back());
    work.pop_back();
    read_operands(stmt);
  }
  for (uint32_t i = 0; i < f_.dense_count(); ++i) {
    Operand id = f_.from_dense(i);
    if (!waits(f_.stmt(id))) continue;
    f_.set_flags(id, 0);
    if (!is_read[i]) f_.erase(id);
  }
}

void open_gaps(Function& f, std::span<const PhiGap> gaps, uint32_t end, const Renaming& names, bool with_locations) {
  PhiPlacement(f).open_gaps(gaps, end, names, with_locations);
}

void remove_unread_phis(Function& f) {
  assert(!f.has_source_variables() && f.pending_count() == 0);
  PhiPlacement(f).remove_unread();
}

void erase_dead_phis(Function& f) { PhiPlacement(f).erase_dead(); }

}  // namespace braid::ir
