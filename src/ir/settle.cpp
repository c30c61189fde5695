#include "ir/settle.h"

#include <algorithm>
#include <vector>

#include "ir/block_order.h"
#include "ir/compact.h"
#include "ir/remap.h"

namespace braid::ir {

class SettledCopy {
 public:
  explicit SettledCopy(Function& f) : f_(f), old_size_(f.size()) {}

  /// False if this is not for us; then nothing was changed.
  bool run() {
    if (!find_order() || !sort_waiting() || !assign_words() || upsilons_ != listed_upsilons_) return false;
    copy();
    return true;
  }

 private:
  static constexpr uint32_t tag_size = 1u << Operand::index_bits;
  static_assert(static_cast<uint32_t>(Operand::Tag::stmt) == 0 && static_cast<uint32_t>(Operand::Tag::pending) == 1);
  static constexpr uint32_t unset = Operand::make(Operand::Tag::old, 0).word();  ///< no word of a function outside compaction

  /// What waits before or after a statement.
  struct Beside {
    uint64_t place;    ///< twice the position, and one more if it stands after it
    uint32_t waiting;  ///< number in the buffer
  };

  /// Every block is one range that ends in its terminator; no edge is dead, no block out of reach. Blocks that stand in the order
  /// of the vector, each reached from one before it, stay in it where nothing but phis waits; otherwise they come in reverse
  /// post-order, so that functions with handlers look the same whoever has settled them.
  bool find_order() {
    if (f_.has_source_variables()) return false;
    const uint32_t count = f_.block_count();
    uint32_t position = 0;
    for (uint32_t p = 0; p < f_.pending_count() && keeps_numbers_; ++p) {
      const Op op = f_.pending_.stmt(p).op;
      keeps_numbers_ = op == Op::phi || is_removed(op);
    }
    std::vector<bool> reached(count, false);
    reached[0] = true;
    for (uint32_t i = 0; i < count; ++i) {
      const Block& block = f_.blocks_[static_cast<BlockId>(i)];
      if (block.more != Block::no_range || block.first == block.end) return false;
      if (block.terminator != Operand(static_cast<Ref>(block.end - 1))) return false;
      keeps_numbers_ = keeps_numbers_ && reached[i] && block.first == position;
      position = block.end;
      if (keeps_numbers_)
        f_.for_each_succ(static_cast<BlockId>(i), [&](EdgeId e) { reached[index(f_.edges_[e].to)] = true; });
    }
    if (std::any_of(f_.edges_.begin(), f_.edges_.end(), [](const Edge& edge) { return edge.dead; })) return false;
    if (keeps_numbers_) {
      order_.reserve(count);
      for (uint32_t i = 0; i < count; ++i) order_.push_back(static_cast<BlockId>(i));
      return position == old_size_;
    }
    reached.assign(count, false);
    list_reachable_blocks(
        f_, order_, [&](BlockId b) { return std::pair(f_.op(f_.terminator(b)), f_.args(f_.stmt(f_.terminator(b)))); },
        [&](BlockId b) {
          const bool is_new = !reached[index(b)];
          reached[index(b)] = true;
          return is_new;
        });
    return order_.size() == count;
  }

  static bool is_removed(Op op) { return op == Op::same || op == Op::nothing; }

  /// Only phis and phi_cs wait at the starts of blocks, and upsilons beside statements; in the order in which they were inserted.
  bool sort_waiting() {
    const uint32_t count = f_.pending_count();
    first_phi_.assign(f_.block_count() + 1, 0);
    uint32_t upsilons = 0;
    for (uint32_t p = 0; p < count; ++p) {
      const Op op = f_.pending_.stmt(p).op;
      const Point& point = f_.points_[p];
      if (point.side == Point::Side::block_phis) {
        if (!(is_phi_like(op) || is_removed(op))) return false;
        first_phi_[index(point.block()) + 1] += is_phi_like(op);
      } else {
        if (point.of_block() || !point.anchor().is_stmt() || op != Op::upsilon) return false;
        ++upsilons;
      }
    }
    for (size_t i = 1; i < first_phi_.size(); ++i) first_phi_[i] += first_phi_[i - 1];
    phis_.resize(first_phi_.back());
    std::vector<uint32_t> next(first_phi_.begin(), first_phi_.end() - 1);
    for (uint32_t p = 0; p < count && !phis_.empty(); ++p)
      if (is_phi_like(f_.pending_.stmt(p).op)) phis_[next[index(f_.points_[p].block())]++] = p;
    if (upsilons == 0) return true;
    beside_.reserve(upsilons + 1);
    for (uint32_t p = 0; p < count; ++p)
      if (const Point& point = f_.points_[p]; !point.of_block())
        beside_.push_back({2 * uint64_t{point.anchor().number()} + (point.side == Point::Side::after), p});
    const auto less = [](const Beside& a, const Beside& b) { return a.place != b.place ? a.place < b.place : a.waiting < b.waiting; };
    std::sort(beside_.begin(), beside_.end(), less);
    beside_.push_back({~uint64_t{0}, 0});
    return true;
  }

  /// Calls `waiting(number in the buffer)` and `standing(position)` for the statements of a block, in order.
  template <typename Waiting, typename Standing>
  [[gnu::always_inline]] void for_each(BlockId b, Waiting&& waiting, Standing&& standing) const {
    for (uint32_t k = first_phi_[index(b)]; k < first_phi_[index(b) + 1]; ++k) waiting(phis_[k]);
    const Block& block = f_.blocks_[b];
    const uint32_t end = block.end;
    uint32_t k = block.first;
    if (!beside_.empty()) {
      auto next = std::lower_bound(beside_.begin(), beside_.end(), 2 * uint64_t{k},
                                   [](const Beside& beside, uint64_t place) { return beside.place < place; });
      for (; next->place < 2 * uint64_t{end}; ++next) {
        // Up to what it stands before, or that included.
        const uint32_t before = static_cast<uint32_t>((next->place + 1) / 2);
        while (k < before) standing(k++);
        waiting(next->waiting);
      }
    }
    while (k < end) standing(k++);
  }

  /// What stands for a word, once all that it can stand for has its place: what is replaced was so by something that
  /// dominates it.
  uint32_t word_now(uint32_t word) const {
    for (uint32_t steps = 0; word - tag_size < tag_size; ++steps) {
      const Stmt& s = f_.pending_.stmt(word - tag_size);
      if (s.op != Op::same) return s.op == Op::nothing ? Operand::erased().word() : words_[word - tag_size + old_size_];
      if (steps > f_.pending_count()) return unset;
      word = s.arg[0];
    }
    return word < tag_size ? words_[word] : word;
  }

  /// An upsilon that nobody lists, or something else in a list, is not for us.
  bool count_upsilons(const Stmt& s) {
    if (s.op == Op::upsilon) ++upsilons_;
    if (s.op != Op::phi_c) return true;
    const std::span<const uint32_t> words = f_.args(s);
    listed_upsilons_ += words.size();
    return std::all_of(words.begin(), words.end(), [&](uint32_t word) {
      return word < 2 * tag_size && f_.op(Operand::from_word(word)) == Op::upsilon;
    });
  }

  bool assign_words() {
    words_.assign(size_t{old_size_} + f_.pending_count(), unset);
    uint32_t next = 0;
    bool is_sound = true;
    for (BlockId b : order_)
      for_each(
          b,
          [&](uint32_t p) {
            words_[old_size_ + p] = next++;
            is_sound = count_upsilons(f_.pending_.stmt(p)) && is_sound;
          },
          [&](uint32_t k) {
            const Stmt& s = f_.columns_.stmt(k);
            if (s.op == Op::nothing) {
              words_[k] = Operand::erased().word();
            } else if (s.op == Op::same) {
              words_[k] = word_now(s.arg[0]);
              is_sound = is_sound && words_[k] != unset;
            } else {
              words_[k] = next++;
              if (s.op == Op::upsilon || s.op == Op::phi_c) is_sound = count_upsilons(s) && is_sound;
            }
          });
    new_size_ = next;
    for (uint32_t p = 0; p < f_.pending_count(); ++p) {
      if (!is_removed(f_.pending_.stmt(p).op)) continue;
      words_[old_size_ + p] = word_now(tag_size + p);
      is_sound = is_sound && words_[old_size_ + p] != unset;
    }
    return is_sound;
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
    auto put = [&](const Columns& from, uint32_t k) __attribute__((always_inline)) {
      copy_remapped(from.stmt(k), stmts[to], f_.pool_, [&](uint32_t word) { return map(word); });
      types[to] = from.type(k);
      locs[to] = from.loc(k);
      ++to;
    };
    const Columns& old = f_.columns_;
    for (BlockId b : order_) {
      const uint32_t first = to;
      for_each(
          b, [&](uint32_t p) { put(f_.pending_, p); },
          [&](uint32_t k) {
            if (!is_removed(old.stmt(k).op)) put(old, k);
          });
      Block& block = f_.blocks_[b];
      block.first = first;
      block.end = to;
      block.terminator = static_cast<Ref>(to - 1);
    }
    f_.columns_ = Columns();  // gives its memory back before more is needed
    f_.columns_ = std::move(out);
    f_.pending_ = Columns();
    f_.points_ = {};
    f_.pending_phis_ = {};
    f_.first_pending_phi_ = {};
    f_.ranges_ = {};
    f_.owned_ = static_cast<uint32_t>(f_.pool_.size());
    f_.block_of_ = {};
    words_ = {};
    if (!keeps_numbers_) renumber();
  }

  void renumber() {
    std::vector<BlockId> number(order_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) number[index(order_[i])] = static_cast<BlockId>(i);
    renumber_blocks(
        f_.blocks_, f_.edges_, f_.impossible_, order_, f_.columns_, f_.pool_,
        [&](BlockId b) { return number[index(b)]; }, [](Block&, BlockId) {});
  }

  Function& f_;
  uint32_t old_size_, new_size_ = 0;
  bool keeps_numbers_ = true;          ///< blocks and edges do
  size_t upsilons_ = 0, listed_upsilons_ = 0;
  std::vector<BlockId> order_;
  std::vector<uint32_t> words_;        ///< by position, then by number in the buffer: the word from now on
  std::vector<uint32_t> first_phi_;    ///< by block, in phis_
  std::vector<uint32_t> phis_;         ///< numbers in the buffer
  std::vector<Beside> beside_;         ///< in the order of the vector, and an end; empty if there is none
};

bool blocks_are_rows(const Function& f) {
  if (f.pending_count() != 0) return false;
  for (uint32_t b = 0; b < f.block_count(); ++b)
    if (f.block(static_cast<BlockId>(b)).more != Block::no_range) return false;
  return true;
}

void settle(Function& f) {
  if (f.block_count() == 0 || SettledCopy(f).run()) return;
  compact(f);
  // What compaction found out to be needless only at its end, such as upsilons that nobody lists, is still there.
  bool has_holes = false;
  for (uint32_t i = 0; i < f.size(); ++i) has_holes |= f.columns().stmt(i).op == Op::nothing;
  if (has_holes) SettledCopy(f).run();
}

}  // namespace braid::ir
