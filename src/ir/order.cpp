// The walk of a block with its insertion lists.
#include "ir/order.h"

namespace braid::ir {

uint32_t InsertionWalk::next(const PendingLists& lists, uint32_t size) {
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.stage == 1) {
      frame.stage = 2;
      frame.child = PendingLists::nobody;
      return frame.dense;
    }
    Point::Side side = frame.stage == 0 ? Point::Side::before : Point::Side::after;
    uint32_t child = lists.next(side, frame.dense, frame.child);
    if (child != PendingLists::nobody) {
      frame.child = child;
      start(size + child);
    } else if (frame.stage == 0) {
      frame.stage = 1;
    } else {
      stack_.pop_back();
    }
  }
  return end;
}

bool InsertionWalk::is_open(Point::Side side, uint32_t where) const {
  for (const Frame& frame : stack_)
    if (frame.dense == where) return side == Point::Side::after || frame.stage == 0;
  return false;
}

uint32_t BlockCursor::next_with_lists() {
  for (;;) {
    uint32_t dense = walk_.next(*lists_, f_->size());
    if (dense != end) return dense;
    uint32_t root = next_root();
    if (root == end) return end;
    walk_.start(root);
  }
}

uint32_t BlockCursor::next_root() {
  for (;;) {
    switch (stage_) {
      case Stage::statements:
        if (next_position() && position_ != terminator_) return position_++;
        go_to(Stage::tail);
        continue;
      case Stage::rest:
        if (next_position()) return position_++;
        stage_ = Stage::done;
        continue;
      case Stage::phis:
      case Stage::tail: {
        Point::Side side = stage_ == Stage::phis ? Point::Side::block_phis : Point::Side::block_end;
        root_ = lists_->next(side, index(block_), root_);
        if (root_ != PendingLists::nobody) return f_->size() + root_;
        go_to(stage_ == Stage::phis ? Stage::statements : Stage::rest);
        continue;
      }
      case Stage::done: return end;
    }
  }
}

bool BlockCursor::is_open(Point::Side side, uint32_t where) const {
  if (side == Point::Side::block_phis) return where == index(block_) && stage_ <= Stage::phis;
  if (side == Point::Side::block_end) return where == index(block_) && stage_ <= Stage::tail;
  return walk_.is_open(side, where);
}

}  // namespace braid::ir
