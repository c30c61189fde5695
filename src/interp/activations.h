// The activations of a run, one behind the other. A call asks once whether there is room, by one comparison; the limit of
// depth is where room ends at the latest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interp/code.h"

namespace braid::interp {

struct Activation {
  const Code* code;
  const Instr* return_to;   ///< in the caller, behind the call, which has two words; null for the first
  uint64_t* base;           ///< its first register
  // Only of code that keeps something (Code::keeps_nothing), how it was when it began:
  uint32_t handlers, exceptions;  ///< sizes of the two stacks
  uint64_t memory;

  const Instr& call() const { return return_to[-2]; }
};

class Activations {
 public:
  explicit Activations(uint32_t max_depth) : max_depth_(max_depth) {}
  Activations(const Activations&) = delete;
  Activations& operator=(const Activations&) = delete;

  bool empty() const { return end_ == storage_.data(); }
  size_t size() const { return static_cast<size_t>(end_ - storage_.data()); }
  Activation* begin() { return storage_.data(); }
  Activation* end() { return end_; }
  const Activation* begin() const { return storage_.data(); }
  const Activation* end() const { return end_; }
  Activation& back() { return end_[-1]; }
  const Activation& back() const { return end_[-1]; }
  void pop_back() { --end_; }

  /// Whether one more needs `make_room` first.
  bool is_full() const { return end_ == room_end_; }
  /// False: it is as deep as it may be.
  bool make_room() {
    const size_t count = size();
    if (count >= max_depth_) return false;
    storage_.resize(std::min<size_t>(std::max<size_t>(2 * count, 16), max_depth_));
    end_ = storage_.data() + count;
    room_end_ = storage_.data() + storage_.size();
    return true;
  }
  /// One more, whose fields are not set. Only if it is not full.
  Activation& add() { return *end_++; }

 private:
  uint32_t max_depth_;
  std::vector<Activation> storage_;
  Activation* end_ = nullptr;
  Activation* room_end_ = nullptr;
};

}  // namespace braid::interp
