#include "ir/place_phis.h"

#include <cassert>

#include "ir/remap.h"

namespace braid::ir {

class PhiPlacement {
 public:
  PhiPlacement(Function& f, const PhiPlan& plan) : f_(f), plan_(plan) {}

  void run() {
    order_blocks();
    if (!plan_.values.empty()) {
      assign_positions();
      move_statements();
      f_.pending_ = Columns();
      f_.points_ = {};
    }
    f_.columns_.shrink_to_fit();
    f_.owned_ = static_cast<uint32_t>(f_.pool_.size());
    f_.block_of_ = {};
  }

 private:
  static constexpr uint32_t tag_size = 1u << Operand::index_bits;
  static_assert(static_cast<uint32_t>(Operand::Tag::stmt) == 0 && static_cast<uint32_t>(Operand::Tag::pending) == 1);

  /// Blocks stand in the order of their statements from here on.
  void order_blocks() {
    uint32_t count = f_.block_count();
    assert(plan_.order.size() == count);
    uint32_t in_place = 0;
    while (in_place < count && index(plan_.order[in_place]) == in_place) ++in_place;
    if (in_place == count) return;
    std::vector<BlockId> number(count);
    std::vector<Block> blocks(count);
    for (uint32_t i = 0; i < count; ++i) {
      number[index(plan_.order[i])] = static_cast<BlockId>(i);
      blocks[i] = f_.blocks_[plan_.order[i]];
    }
    f_.blocks_.raw() = std::move(blocks);
    for (Edge& edge : f_.edges_) {
      edge.from = number[index(edge.from)];
      edge.to = number[index(edge.to)];
    }
  }

  /// One table for both: statements by position, then placeholders by number.
  void assign_positions() {
    uint32_t size = f_.size();
    words_.resize(size + plan_.values.size());
    uint32_t* place_of_phi = words_.data() + size;
    uint32_t shift = 0;
    auto phi = plan_.phis.begin();
    for (uint32_t i = 0; i < f_.block_count(); ++i) {
      Block& block = f_.blocks_[static_cast<BlockId>(i)];
      assert(block.more == Block::no_range && "a block is filled without a break");
      uint32_t first = block.first + shift;
      for (; phi != plan_.phis.end() && phi->block == plan_.order[i]; ++phi)
        place_of_phi[phi->number] = block.first + shift++;
      for (uint32_t k = block.first; k < block.end; ++k) words_[k] = k + shift;
      block.first = first;
      block.end += shift;
      block.terminator = Operand(static_cast<Ref>(block.terminator.number() + shift));
    }
    assert(phi == plan_.phis.end());
    for (uint32_t k = 0; k < plan_.values.size(); ++k)
      if (plan_.values[k] != tag_size + k) place_of_phi[k] = map(plan_.values[k]);
  }

  uint32_t map(uint32_t word) const {
    if (word >= 2 * tag_size) return word;
    return words_[word < tag_size ? word : word - tag_size + old_size_];
  }

  void move_statements();
  void write_phi(const PlacedPhi& phi, uint32_t position);

  Function& f_;
  const PhiPlan& plan_;
  uint32_t old_size_ = f_.size();
  std::vector<uint32_t> words_;
};

void PhiPlacement::write_phi(const PlacedPhi& phi, uint32_t position) {
  std::span<const uint32_t> operands = plan_.operands.subspan(phi.first, phi.end - phi.first);
  f_.columns_.type(position) = phi.type;
  f_.columns_.loc(position) = Loc{};
  Stmt& stmt = f_.columns_.stmt(position);
  if (operands.size() <= 3) {
    stmt = {Op::phi, static_cast<uint8_t>(operands.size()), 0, {0, 0, 0}};
    for (uint32_t i = 0; i < operands.size(); ++i) stmt.arg[i] = map(operands[i]);
    return;
  }
  uint32_t count = static_cast<uint32_t>(operands.size()), offset = static_cast<uint32_t>(f_.pool_.size());
  stmt = {Op::phi, Stmt::pooled, 0, {offset, count, count}};
  f_.pool_.resize(offset + count);
  for (uint32_t i = 0; i < count; ++i) f_.pool_[offset + i] = map(operands[i]);
}

void PhiPlacement::move_statements() {
  Columns& columns = f_.columns_;
  columns.resize_uninitialized(old_size_ + static_cast<uint32_t>(plan_.phis.size()));
  uint32_t end = old_size_;  // of what still stands where it was
  size_t phis_left = plan_.phis.size();
  Stmt* stmts = columns.stmts();
  Type* types = columns.types();
  Loc* locs = columns.locs();
  for (uint32_t i = f_.block_count(); i-- > 0;) {
    const Block& block = f_.blocks_[static_cast<BlockId>(i)];
    uint32_t shift = block.end - end;
    size_t phis_end = phis_left;
    while (phis_left > 0 && plan_.phis[phis_left - 1].block == plan_.order[i]) --phis_left;
    uint32_t first = block.first + static_cast<uint32_t>(phis_end - phis_left) - shift;
    for (uint32_t k = end; k-- > first;) {
      copy_remapped(stmts[k], stmts[k + shift], f_.pool_, [&](uint32_t word) { return map(word); });
      types[k + shift] = types[k];
      locs[k + shift] = locs[k];
    }
    for (size_t p = phis_left; p < phis_end; ++p)
      write_phi(plan_.phis[p], block.first + static_cast<uint32_t>(p - phis_left));
    end = first;
  }
}

void place_phis(Function& f, const PhiPlan& plan) {
  assert(!f.has_source_variables());
  PhiPlacement(f, plan).run();
}

}  // namespace braid::ir
