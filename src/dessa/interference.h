// Whether two nodes need different variables.
//
// Two values interfere if one is alive where the other is written and they are not copies of each other: what
// is asked is whether they differ, not whether both are alive (B. Boissinot, A. Darte, F. Rastello, B. Dupont
// de Dinechin, C. Guillon, Revisiting Out-of-SSA Translation for Correctness, Code Quality, and Efficiency,
// 2009). A web is written on the edges into its block and read at the start of it; a slot is written by its
// upsilons.
#pragma once

#include "dessa/block_order.h"
#include "dessa/live_ranges.h"
#include "dessa/webs.h"

namespace braid::dessa {

class Interference {
 public:
  Interference(const Webs& webs, LiveRanges& live, const BlockOrder& order)
      : webs_(webs), live_(live), order_(order) {}

  bool operator()(uint32_t a, uint32_t b) const;

  /// Whether an edge brings a value to a web that is no copy of this one.
  bool brings_other(const Web& web, uint32_t value) const;

 private:
  bool of_values(uint32_t a, uint32_t b) const;
  bool of_web(const Web& web, uint32_t other) const;
  bool of_phi(uint32_t phi, uint32_t other) const;
  bool of_webs(const Web& a, const Web& b) const;
  bool of_slot(const Slot& slot, uint32_t other) const;
  bool writes_over(const Slot& writer, const Slot& other) const;
  bool is_written_above(uint32_t a, uint32_t b) const;

  const Webs& webs_;
  LiveRanges& live_;
  const BlockOrder& order_;
};

}  // namespace braid::dessa
