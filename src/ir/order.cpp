// The walk of a block with its insertion lists.
#include "ir/order.h"

namespace braid::ir {

uint32_t BlockCursor::next_with_lists() {
  for (;;) {
    if (stack_.empty()) {
      uint32_t root = next_root();
      if (root == end) return end;
      stack_.push_back({root, PendingLists::nobody, 0});
    }
    Frame& frame = stack_.back();
    if (frame.stage == 1) {
      frame.stage = 2;
      frame.child = PendingLists::nobody;
      return frame.dense;
    }
    Point::Side side = frame.stage == 0 ? Point::Side::before : Point::Side::after;
    uint32_t child = lists_->next(side, frame.dense, frame.child);
    if (child != PendingLists::nobody) {
      frame.child = child;
      stack_.push_back({f_->size() + child, PendingLists::nobody, 0});
    } else if (frame.stage == 0) {
      frame.stage = 1;
    } else {
      stack_.pop_back();
    }
  }
}

uint32_t BlockCursor::next_root() {
  for (;;) {
    switch (stage_) {
      case Stage::statements: {
        bool more = next_position();
        if (!phis_done_) {
          Op op = more ? f_->columns().stmt(position_).op : Op::jump;
          if (!is_phi_like(op) && op != Op::nothing && op != Op::same) {
            stage_ = Stage::phis;
            root_ = PendingLists::nobody;
            continue;
          }
        }
        if (more) return position_++;
        stage_ = Stage::tail;
        root_ = PendingLists::nobody;
        continue;
      }
      case Stage::phis: {
        root_ = lists_->next(Point::Side::block_phis, index(block_), root_);
        if (root_ != PendingLists::nobody) return f_->size() + root_;
        phis_done_ = true;
        stage_ = Stage::statements;
        continue;
      }
      case Stage::tail: {
        uint32_t tail = lists_->next(Point::Side::block_end, index(block_), root_);
        if (tail == PendingLists::nobody) {
          stage_ = Stage::done;
          return end;
        }
        root_ = tail;
        return f_->size() + tail;
      }
      case Stage::done: return end;
    }
  }
}

bool BlockCursor::is_open(Point::Side side, uint32_t where) const {
  if (side == Point::Side::block_phis) return where == index(block_) && !phis_done_ && stage_ != Stage::done;
  if (side == Point::Side::block_end) return where == index(block_) && stage_ != Stage::done;
  for (const Frame& frame : stack_)
    if (frame.dense == where) return side == Point::Side::after ? true : frame.stage == 0;
  return false;
}

}  // namespace braid::ir
