// The order of statements in a block when the insertion buffer is taken into account.
//
// Every statement, buffered ones too, has a list of statements before it and one after it; lists keep call order. A block
// has two more: at its start, for phis, and at its end, before the terminator. The order is the walk of this forest, done with an explicit stack. It is
// what compaction emits, what the printer shows, what the verifier checks and what the interpreter runs.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

/// The lists. They hold for a function as long as its vector has the same size. Cost: O(statements + buffered), nothing
/// while the buffer is empty.
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
    const Point& point = f.points()[k];
    if (point.of_block())
      add(k, point.side, index(point.block()), f.block_count());
    else
      add(k, point.side, f.dense(point.anchor()), f.dense_count());
  }
  /// The same for a statement and a place that the caller numbers; `count` is the number of places of that kind.
  void add(uint32_t k, Point::Side side, uint32_t where, uint32_t count) {
    if (next_.size() <= k) next_.resize(k + 1, nobody);
    std::vector<uint32_t>& tails = side >= Point::Side::block_phis ? block_tails_ : tails_;
    size_t need = 2 * size_t{count};
    if (tails.size() < need) tails.resize(tails.empty() ? need : need + need / 2, nobody);
    uint32_t& tail = tails[key(side, where)];
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
  /// Whether anything stands before or after statements; phis and ends of blocks do not count.
  bool any_at_statements() const { return !tails_.empty(); }
  /// Whether anything stands before or after a statement.
  bool any_at(uint32_t dense) const {
    size_t k = key(Point::Side::before, dense);
    return k < tails_.size() && (tails_[k] & tails_[k + 1]) != nobody;
  }

 private:
  static size_t key(Point::Side side, uint32_t where) {
    return 2 * size_t{where} + (side == Point::Side::after || side == Point::Side::block_end);
  }
  std::vector<uint32_t> next_;         ///< circular: the tail's next is the first
  std::vector<uint32_t> tails_;        ///< per statement: before, after
  std::vector<uint32_t> block_tails_;  ///< per block: phis, end
};

/// Walks a statement with everything that hangs on it. What is in the vector or result has numbers below `size`.
class InsertionWalk {
 public:
  static constexpr uint32_t end = PendingLists::nobody;

  bool is_idle() const { return stack_.empty(); }
  void clear() { stack_.clear(); }
  void start(uint32_t dense) { stack_.push_back({dense, PendingLists::nobody, 0}); }
  /// As if the walk had just given `dense`.
  void start_behind(uint32_t dense) { stack_.push_back({dense, PendingLists::nobody, 2}); }
  /// The next statement, or `end`: then it is idle.
  uint32_t next(const PendingLists& lists, uint32_t size);
  /// Whether a statement added now will be visited.
  bool is_open(Point::Side side, uint32_t where) const;

 private:
  struct Frame {
    uint32_t dense;
    uint32_t child;  ///< the last one visited in the list of this stage
    uint8_t stage;   ///< 0 before, 1 the statement itself, 2 after
  };
  std::vector<Frame> stack_;
};

/// Walks one block. Statements may be added to lists that it has not finished while it walks, if it is told before the
/// first of them to `hold` the statement that it gave last.
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
    // Of a buffered terminator, a number that no position has.
    terminator_ = block.terminator.word();
    go_to(Stage::phis);
    walk_.clear();
  }

  /// The next statement as a dense id, or `end`.
  uint32_t next() {
    if (walk_.is_idle()) {
      if (lists_->empty()) {
        if (position_ < range_end_) return position_++;
        return next_position() ? position_++ : end;
      }
      if (stage_ == Stage::statements && position_ < range_end_ && position_ != terminator_ &&
          !lists_->any_at(position_))
        return position_++;
    }
    return next_with_lists();
  }

  /// The walk would give the positions from `position()` up to here next, without looking into a list.
  uint32_t run_end() const { return walk_.is_idle() && lists_->empty() ? range_end_ : 0; }
  uint32_t position() const { return position_; }
  /// As if the walk had given the position.
  void skip_one() { ++position_; }

  /// Makes statements count that are added from now on behind `dense`, which was given last.
  void hold(uint32_t dense) {
    if (!walk_.is_idle()) return;
    walk_.start_behind(dense);
    if (!lists_->empty()) return;
    // The lists were left out of account until now.
    stage_ = dense == terminator_ ? Stage::rest : Stage::statements;
  }

  /// Whether a statement added now at this point will still be visited by this walk of the current block.
  bool is_open(Point::Side side, uint32_t where) const;

 private:
  enum class Stage : uint8_t {
    phis,        ///< the list at the start of the block
    statements,  ///< up to the terminator
    tail,        ///< the list at the end of the block
    rest,        ///< the terminator
    done
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
  void go_to(Stage stage) {
    stage_ = stage;
    root_ = PendingLists::nobody;
  }
  uint32_t next_with_lists();
  uint32_t next_root();

  const Function* f_;
  const PendingLists* lists_;
  BlockId block_{};
  uint32_t position_ = 0, range_end_ = 0, next_range_ = Block::no_range;
  uint32_t terminator_ = end;             ///< its position
  uint32_t root_ = PendingLists::nobody;  ///< the last one visited in the block's own list
  Stage stage_ = Stage::done;
  InsertionWalk walk_;
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
