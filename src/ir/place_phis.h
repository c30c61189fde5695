// Phis into a function that is complete but for them: what compaction would do where nothing else is to be done.
//
// Who fills block after block, each after its dominators, and leaves none unreachable, needs only room for phis and new
// numbers. The statements move up in their own vector, from the last to the first, each once.
//
// Cost: O(statements + blocks + phi operands); if there are neither phis nor blocks out of order, O(blocks).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

struct PlacedPhi {
  BlockId block;
  Type type;
  uint32_t number;      ///< statements name it as `pending` with this number
  uint32_t first, end;  ///< its operands in the plan, in the order of the block's predecessors
};

struct PhiPlan {
  /// All blocks in the order in which they were filled.
  std::span<const BlockId> order;
  /// In the order of their blocks.
  std::vector<PlacedPhi> phis;
  std::span<const uint32_t> operands;
  /// What is meant by `pending` with this number: itself for a phi, otherwise a value that is no such number, or a phi's.
  std::span<const uint32_t> values;
};

/// Brings the function to rest and drops its insertion buffer. Every block is one range; no edge is dead.
void place_phis(Function& f, const PhiPlan& plan);

}  // namespace braid::ir
