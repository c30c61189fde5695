#include "ir/place_phis.h"

#include <algorithm>
#include <cassert>
#include <cstring>
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
  void move_up(const Stmt* first, const Stmt* end, uint32_t distance, const Renaming& names);
  static void move_block(Block& block, uint32_t distance) {
    assert(block.more == Block::no_range && "blocks are filled one after the other");
    block.first += distance;
    block.end += distance;
    if (!block.terminator.is_undef()) block.terminator = static_cast<Ref>(block.terminator.number() + distance);
  }
  static bool is_unread(const Stmt& stmt) { return (stmt.flags & unread) != 0; }
  Function& f_;
};

/// What stands between two gaps moves as a whole, the last first.
void PhiPlacement::open_gaps(std::span<const PhiGap> gaps, uint32_t end, const Renaming& names, bool with_locations) {
  Columns& columns = f_.columns_;
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  uint32_t distance = 0, block = f_.block_count();
  for (const PhiGap& gap : gaps) distance += gap.count;
  assert(columns.capacity() - end >= distance);
  for (size_t g = gaps.size(); g-- > 0;) {
    uint32_t head = index(gaps[g].block), count = gaps[g].count;
    uint32_t first = f_.blocks_[gaps[g].block].first;
    move_up(stmts + first, stmts + end, distance, names);
    std::memmove(static_cast<void*>(types + first + distance), types + first, (end - first) * sizeof(Type));
    if (with_locations) std::copy_backward(locs + first, locs + end, locs + end + distance);
    while (block-- > head) move_block(f_.blocks_[static_cast<BlockId>(block)], distance);
    block = head;
    distance -= count;
    f_.blocks_[gaps[g].block].first -= count;
    if (with_locations) std::fill_n(locs + first + distance, count, Loc{});
    end = first;
  }
  assert(distance == 0);
}

/// Operands in the pool are renamed there.
void PhiPlacement::move_up(const Stmt* first, const Stmt* end, uint32_t distance, const Renaming& new_names) {
  const Renaming names = new_names;  // what is written could be the original, as far as a compiler knows
  struct Halves {
    uint32_t head, a, b, c;
  };
  static_assert(sizeof(Halves) == sizeof(Stmt));
  while (end != first) {
    --end;
    Halves words;
    std::memcpy(&words, end, sizeof words);
    uint32_t n = end->n, values = info(end->op).value_mask;
    if (n <= 3) [[likely]] {
      values &= (1u << n) - 1;
      if ((values & 1) != 0) words.a = names(words.a);
      if ((values & 2) != 0) words.b = names(words.b);
      if ((values & 4) != 0) words.c = names(words.c);
    } else {
      for (uint32_t i = 0; i < words.b; ++i)
        if (info(end->op).is_value(i)) f_.pool_[words.a + i] = names(f_.pool_[words.a + i]);
    }
    std::memcpy(static_cast<void*>(const_cast<Stmt*>(end) + distance), &words, sizeof words);
  }
}

void PhiPlacement::remove_unread() {
  Columns& columns = f_.columns_;
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  uint32_t size = columns.size(), next = 0;
  std::unique_ptr<uint32_t[]> places = std::make_unique_for_overwrite<uint32_t[]>(size);
  for (uint32_t k = 0; k < size; ++k) places[k] = is_unread(stmts[k]) ? Operand::erased().word() : next++;
  const Renaming names{places.get(), 0, size, 0xffffffffu, nullptr};
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
