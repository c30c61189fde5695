// The order of statements in a block when the insertion buffer is taken into account.
//
// Every statement, buffered ones too, has a list of statements before it and one after it; lists keep call order. A block
// has two more: behind its phis, and at its end. The order is the walk of this forest, done with an explicit stack. It is
// what compaction emits, what the printer shows, what the verifier checks and what the interpreter runs.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

/// The lists. Cost: O(statements + buffered), nothing while the buffer is empty.
class PendingLists {
 public:
  static constexpr uint32_t nobody = 0xffffffffu;

  PendingLists() = default;
  explicit PendingLists(const Function& f) {
    for (uint32_t k = 0; k < f.pending_count(); ++k) add(f, k);
  }
  bool empty() const { return next_.empty(); }

  /// Puts the buffered statement `k` in the list of its point.
  void add(const Function& f, uint32_t k) {
    if (next_.size() <= k) next_.resize(k + 1, nobody);
    const Point& point = f.points()[k];
    bool of_block = point.side == Point::Side::block_phis || point.side == Point::Side::block_end;
    std::vector<uint32_t>& tails = of_block ? block_tails_ : tails_;
    size_t need = 2 * size_t{of_block ? f.block_count() : f.dense_count()};
    if (tails.size() < need) tails.resize(need + need / 2, nobody);
    uint32_t& tail = tails[key(point.side, point.where)];
    if (tail == nobody) {
      next_[k] = k;
    } else {
      next_[k] = next_[tail];
      next_[tail] = k;
    }
    tail = k;
  }

  /// The statement behind `previous` in a list, the first if `previous` is `nobody`; `nobody` at the end.
  uint32_t next(Point::Side side, uint32_t where, uint32_t previous) const {
    const std::vector<uint32_t>& tails = side >= Point::Side::block_phis ? block_tails_ : tails_;
    size_t k = key(side, where);
    if (k >= tails.size() || tails[k] == nobody || tails[k] == previous) return nobody;
    return previous == nobody ? next_[tails[k]] : next_[previous];
  }

 private:
  static size_t key(Point::Side side, uint32_t where) {
    return 2 * size_t{where} + (side == Point::Side::after || side == Point::Side::block_end);
  }
  std::vector<uint32_t> next_;         ///< circular: the tail's next is the first
  std::vector<uint32_t> tails_;        ///< per statement: before, after
  std::vector<uint32_t> block_tails_;  ///< per block: phis, end
};

/// Walks one block. Statements may be added to lists that it has not finished while it walks.
class BlockCursor {
 public:
  static constexpr uint32_t end = PendingLists::nobody;

  BlockCursor(const Function& f, const PendingLists& lists) : f_(&f), lists_(&lists) {}

  void start(BlockId b) {
    block_ = b;
    const Block& block = f_->block(b);
    position_ = block.first;
    range_end_ = block.end;
    next_range_ = block.more;
    root_ = PendingLists::nobody;
    stage_ = Stage::statements;
    phis_done_ = false;
    stack_.clear();
  }

  /// The next statement as a dense id, or `end`.
  uint32_t next() {
    if (lists_->empty() && stack_.empty()) {
      if (position_ < range_end_) return position_++;
      return next_position() ? position_++ : end;
    }
    return next_with_lists();
  }

  /// Says that `dense`, the statement given last, is where lists begin to matter: before the first insertion of a walk.
  void hold(uint32_t dense) {
    if (!stack_.empty() || stage_ == Stage::done) return;
    stack_.push_back({dense, PendingLists::nobody, 2});
    Op op = f_->op(f_->from_dense(dense));
    phis_done_ = !is_phi_like(op) && op != Op::nothing && op != Op::same;
  }

  /// Whether a statement added now at this point will still be visited by this walk of the current block.
  bool is_open(Point::Side side, uint32_t where) const;

 private:
  enum class Stage : uint8_t { statements, phis, tail, done };
  struct Frame {
    uint32_t dense;
    uint32_t child;  ///< the last one visited in the list of this stage
    uint8_t stage;   ///< 0 before, 1 the statement itself, 2 after
  };

  bool next_position() {
    while (position_ == range_end_) {
      if (next_range_ == Block::no_range) return false;
      const Function::Range& range = f_->ranges_[next_range_];
      position_ = range.first;
      range_end_ = range.end;
      next_range_ = range.next;
    }
    return true;
  }
  uint32_t next_with_lists();
  uint32_t next_root();

  const Function* f_;
  const PendingLists* lists_;
  BlockId block_{};
  uint32_t position_ = 0, range_end_ = 0, next_range_ = Block::no_range;
  uint32_t root_ = PendingLists::nobody;  ///< the last one visited in the block's own list
  Stage stage_ = Stage::done;
  bool phis_done_ = false;
  std::vector<Frame> stack_;
};

/// Calls `visit(Operand id)` for every statement of `b`, in order.
template <typename F>
void for_each_statement(const Function& f, const PendingLists& lists, BlockId b, F&& visit) {
  if (lists.empty()) {
    f.for_each_range(b, [&](uint32_t first, uint32_t last) {
      for (uint32_t i = first; i < last; ++i) visit(Operand(static_cast<Ref>(i)));
    });
    return;
  }
  BlockCursor cursor(f, lists);
  cursor.start(b);
  for (uint32_t dense = cursor.next(); dense != BlockCursor::end; dense = cursor.next()) visit(f.from_dense(dense));
}

}  // namespace braid::ir
