#include "ir/settle.h"

#include <algorithm>
#include <vector>

#include "ir/compact.h"
#include "ir/remap.h"

namespace braid::ir {

class SettledCopy {
 public:
  explicit SettledCopy(Function& f) : f_(f), old_size_(f.size()) {}

  /// False if this is not for us; then nothing was changed.
  bool run() {
    if (!graph_is_settled() || !count_phis() || !assign_words()) return false;
    copy();
    return true;
  }

 private:
  static constexpr uint32_t tag_size = 1u << Operand::index_bits;
  static_assert(static_cast<uint32_t>(Operand::Tag::stmt) == 0 && static_cast<uint32_t>(Operand::Tag::pending) == 1);
  static constexpr uint32_t unset = Operand::make(Operand::Tag::old, 0).word();  ///< no word of a function outside compaction

  /// Blocks are ranges in the order of the vector, and each is reached from one before it; no edge is dead.
  bool graph_is_settled() const {
    if (f_.has_source_variables()) return false;
    uint32_t count = f_.block_count(), position = 0;
    std::vector<bool> reached(count, false);
    reached[0] = true;
    for (uint32_t i = 0; i < count; ++i) {
      const Block& block = f_.blocks_[static_cast<BlockId>(i)];
      if (!reached[i] || block.first != position || block.more != Block::no_range) return false;
      position = block.end;
      f_.for_each_succ(static_cast<BlockId>(i), [&](EdgeId e) { reached[index(f_.edges_[e].to)] = true; });
    }
    if (position != old_size_) return false;
    return std::none_of(f_.edges_.begin(), f_.edges_.end(), [](const Edge& edge) { return edge.dead; });
  }

  /// Only phis wait; by block, in the order in which they were inserted.
  bool count_phis() {
    uint32_t count = f_.pending_count();
    first_phi_.assign(f_.block_count() + 1, 0);
    for (uint32_t p = 0; p < count; ++p) {
      Op op = f_.pending_.stmt(p).op;
      if (f_.points_[p].side != Point::Side::block_phis || !(op == Op::phi || op == Op::same || op == Op::nothing)) return false;
      first_phi_[index(f_.points_[p].block()) + 1] += op == Op::phi;
    }
    for (size_t i = 1; i < first_phi_.size(); ++i) first_phi_[i] += first_phi_[i - 1];
    phis_.resize(first_phi_.back());
    std::vector<uint32_t> next = first_phi_;
    for (uint32_t p = 0; p < count; ++p)
      if (f_.pending_.stmt(p).op == Op::phi) phis_[next[index(f_.points_[p].block())]++] = p;
    return true;
  }

  /// What stands for a word, once all that it can stand for has its place: what is replaced was so by something that
  /// dominates it.
  uint32_t word_now(uint32_t word) const {
    for (uint32_t steps = 0; word - tag_size < tag_size; ++steps) {
      const Stmt& s = f_.pending_.stmt(word - tag_size);
      if (s.op != Op::same) return s.op == Op::phi ? words_[word - tag_size + old_size_] : Operand::erased().word();
      if (steps > f_.pending_count()) return unset;
      word = s.arg[0];
    }
    return word < tag_size ? words_[word] : word;
  }

  bool assign_words() {
    words_.assign(old_size_ + f_.pending_count(), unset);
    first_.resize(f_.block_count());
    uint32_t next = 0;
    for (uint32_t i = 0; i < f_.block_count(); ++i) {
      const Block& block = f_.blocks_[static_cast<BlockId>(i)];
      first_[i] = next;
      for (uint32_t k = first_phi_[i]; k < first_phi_[i + 1]; ++k) words_[old_size_ + phis_[k]] = next++;
      for (uint32_t k = block.first; k < block.end; ++k) {
        const Stmt& s = f_.columns_.stmt(k);
        if (s.op == Op::nothing) {
          words_[k] = Operand::erased().word();
        } else if (s.op == Op::same) {
          words_[k] = word_now(s.arg[0]);
          if (words_[k] == unset) return false;
        } else {
          words_[k] = next++;
        }
      }
    }
    new_size_ = next;
    for (uint32_t p = 0; p < f_.pending_count(); ++p) {
      if (f_.pending_.stmt(p).op == Op::phi) continue;
      words_[old_size_ + p] = word_now(tag_size + p);
      if (words_[old_size_ + p] == unset) return false;
    }
    return true;
  }

  uint32_t map(uint32_t word) const {
    if (word >= 2 * tag_size) return word;
    return words_[word < tag_size ? word : word - tag_size + old_size_];
  }

  void copy() {
    Columns out;
    out.resize_uninitialized(new_size_);
    Stmt* stmts = out.stmts();
    Type* types = out.types();
    Loc* locs = out.locs();
    uint32_t to = 0;
    auto put = [&](const Columns& from, uint32_t k) {
      copy_remapped(from.stmt(k), stmts[to], f_.pool_, [&](uint32_t word) { return map(word); });
      types[to] = from.type(k);
      locs[to] = from.loc(k);
      ++to;
    };
    const Columns& old = f_.columns_;
    for (uint32_t i = 0; i < f_.block_count(); ++i) {
      Block& block = f_.blocks_[static_cast<BlockId>(i)];
      for (uint32_t k = first_phi_[i]; k < first_phi_[i + 1]; ++k) put(f_.pending_, phis_[k]);
      for (uint32_t k = block.first; k < block.end; ++k) {
        Op op = old.stmt(k).op;
        if (op != Op::nothing && op != Op::same) put(old, k);
      }
      block.first = first_[i];
      block.end = to;
      block.terminator = static_cast<Ref>(to - 1);
      block.pending_phis = Block::no_range;
    }
    f_.columns_ = std::move(out);
    f_.pending_ = Columns();
    f_.points_ = {};
    f_.pending_phis_ = {};
    f_.owned_ = static_cast<uint32_t>(f_.pool_.size());
    f_.block_of_ = {};
  }

  Function& f_;
  uint32_t old_size_, new_size_ = 0;
  std::vector<uint32_t> words_;      ///< by position, then by number in the buffer: the word from now on
  std::vector<uint32_t> first_phi_;  ///< by block, in phis_
  std::vector<uint32_t> phis_;       ///< numbers in the buffer
  std::vector<uint32_t> first_;      ///< by block: its first position from now on
};

void settle(Function& f) {
  if (f.block_count() == 0 || SettledCopy(f).run()) return;
  compact(f);
  // What compaction found out to be needless only at its end, such as upsilons that nobody lists, is still there.
  bool has_holes = false;
  for (uint32_t i = 0; i < f.size(); ++i) has_holes |= f.columns().stmt(i).op == Op::nothing;
  if (has_holes) SettledCopy(f).run();
}

}  // namespace braid::ir
