#include "ir/place_phis.h"

#include <cassert>
#include <memory>
#include <numeric>

#include "ir/remap.h"

namespace braid::ir {

class PhiPlacement {
 public:
  PhiPlacement(Function& f, const PhiPlan& plan) : f_(f), plan_(plan) {}

  void run() {
    if (plan_.values.empty() && plan_.removed.empty()) {
      f_.columns_.shrink_to_fit();
    } else {
      assign_words();
      if (plan_.removed.empty())
        move_up();
      else
        copy();
    }
    f_.blocks_.shrink_to_fit();
    f_.edges_.shrink_to_fit();
    f_.owned_ = static_cast<uint32_t>(f_.pool_.size());
    f_.block_of_ = {};
  }

 private:
  static constexpr uint32_t tag_size = 1u << Operand::index_bits;
  static_assert(static_cast<uint32_t>(Operand::Tag::stmt) == 0 && static_cast<uint32_t>(Operand::Tag::pending) == 1);

  /// One table for both: statements by position, then phis by number.
  void assign_words() {
    words_ = std::make_unique_for_overwrite<uint32_t[]>(old_size_ + plan_.values.size());
    uint32_t* of_phi = words_.get() + old_size_;
    uint32_t next = 0;
    auto fill = [&](uint32_t first, uint32_t end) {
      std::iota(words_.get() + first, words_.get() + end, next);
      next += end - first;
    };
    auto phi = plan_.phis.begin();
    auto removed = plan_.removed.begin();
    for (uint32_t i = 0, position = 0; i < f_.block_count(); ++i) {
      const Block& block = f_.blocks_[static_cast<BlockId>(i)];
      assert(block.first == position && block.more == Block::no_range && "blocks are filled one after the other");
      for (; phi != plan_.phis.end() && index(phi->block) == i; ++phi) of_phi[phi->number] = next++;
      for (; removed != plan_.removed.end() && removed->position < block.end; ++removed) {
        fill(position, removed->position);
        words_[removed->position] = map(removed->value);
        position = removed->position + 1;
      }
      fill(position, block.end);
      position = block.end;
    }
    assert(phi == plan_.phis.end() && removed == plan_.removed.end());
    new_size_ = next;
    for (uint32_t k = 0; k < plan_.values.size(); ++k)
      if (plan_.values[k] != tag_size + k) of_phi[k] = map(plan_.values[k]);
  }

  /// By value where it is asked often: what is written could be the table, as far as a compiler knows.
  struct NewWords {
    const uint32_t* words;
    uint32_t old_size;
    uint32_t operator()(uint32_t word) const {
      if (word >= 2 * tag_size) return word;
      return words[word < tag_size ? word : word - tag_size + old_size];
    }
  };
  NewWords new_words() const { return {words_.get(), old_size_}; }
  uint32_t map(uint32_t word) const { return new_words()(word); }

  void copy();
  void move_up();
  void write_phi(const PlacedPhi& phi, Stmt& stmt);

  Function& f_;
  const PhiPlan& plan_;
  uint32_t old_size_ = f_.size(), new_size_ = 0;
  std::unique_ptr<uint32_t[]> words_;
};

void PhiPlacement::write_phi(const PlacedPhi& phi, Stmt& stmt) {
  std::span<const uint32_t> operands = plan_.operands.subspan(phi.first, phi.end - phi.first);
  uint32_t count = static_cast<uint32_t>(operands.size());
  if (count <= 3) {
    stmt = {Op::phi, static_cast<uint8_t>(count), 0, {0, 0, 0}};
    for (uint32_t i = 0; i < count; ++i) stmt.arg[i] = map(operands[i]);
    return;
  }
  uint32_t offset = static_cast<uint32_t>(f_.pool_.size());
  stmt = {Op::phi, Stmt::pooled, 0, {offset, count, count}};
  f_.pool_.resize(offset + count);
  for (uint32_t i = 0; i < count; ++i) f_.pool_[offset + i] = map(operands[i]);
}

void PhiPlacement::copy() {
  Columns out;
  out.resize_uninitialized(new_size_);
  Stmt* stmts = out.stmts();
  Type* types = out.types();
  Loc* locs = out.locs();
  const Stmt* old_stmts = f_.columns_.stmts();
  const Type* old_types = f_.columns_.types();
  const Loc* old_locs = f_.columns_.locs();
  const NewWords map_word = new_words();
  uint32_t to = 0;
  auto copy_range = [&](uint32_t first, uint32_t end) {
    for (uint32_t k = first; k < end; ++k, ++to) {
      types[to] = old_types[k];
      locs[to] = old_locs[k];
      copy_remapped(old_stmts[k], stmts[to], f_.pool_, map_word);
    }
  };
  auto phi = plan_.phis.begin();
  auto removed = plan_.removed.begin();
  for (uint32_t i = 0; i < f_.block_count(); ++i) {
    Block& block = f_.blocks_[static_cast<BlockId>(i)];
    uint32_t position = block.first;
    block.first = to;
    for (; phi != plan_.phis.end() && index(phi->block) == i; ++phi, ++to) {
      types[to] = phi->type;
      locs[to] = Loc{};
      write_phi(*phi, stmts[to]);
    }
    for (; removed != plan_.removed.end() && removed->position < block.end; ++removed) {
      copy_range(position, removed->position);
      position = removed->position + 1;
    }
    copy_range(position, block.end);
    block.end = to;
    block.terminator = static_cast<Ref>(to - 1);
  }
  f_.columns_ = std::move(out);
}

/// In place, from the last statement to the first: half of the memory is touched that a copy needs.
void PhiPlacement::move_up() {
  Columns& columns = f_.columns_;
  columns.resize_uninitialized(new_size_);
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  const NewWords map_word = new_words();
  uint32_t to = new_size_;
  auto phi = plan_.phis.end();
  for (uint32_t i = f_.block_count(); i-- > 0;) {
    Block& block = f_.blocks_[static_cast<BlockId>(i)];
    uint32_t first = block.first, k = block.end;
    block.end = to;
    block.terminator = static_cast<Ref>(to - 1);
    while (k-- > first) {
      --to;
      types[to] = types[k];
      locs[to] = locs[k];
      copy_remapped(stmts[k], stmts[to], f_.pool_, map_word);
    }
    while (phi != plan_.phis.begin() && index((phi - 1)->block) == i) {
      --phi;
      --to;
      types[to] = phi->type;
      locs[to] = Loc{};
      write_phi(*phi, stmts[to]);
    }
    block.first = to;
  }
  columns.shrink_to_fit();
}

void place_phis(Function& f, const PhiPlan& plan) {
  assert(!f.has_source_variables() && f.pending_count() == 0);
  PhiPlacement(f, plan).run();
}

}  // namespace braid::ir
