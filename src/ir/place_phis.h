// Phis into a function that is complete but for them: what compaction would do where nothing else is to be done.
//
// Who fills block after block, each after its dominators, and leaves none unreachable, needs only room for phis, fewer phis
// where some turned out to be needless, and new numbers. Each statement is copied once.
//
// Cost: O(statements + blocks + phi operands); O(1) if no phi comes or goes.
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
/// A phi that stands in the function, and what is to stand for it.
struct RemovedPhi {
  uint32_t position, value;
};

struct PhiPlan {
  /// In the order of their blocks.
  std::vector<PlacedPhi> phis;
  std::span<const uint32_t> operands;
  /// What is meant by `pending` with this number: itself for a phi, otherwise a value that is no such number, or a phi's.
  std::vector<uint32_t> values;
  /// In the order of the vector. Values are as above, and dominate the phi.
  std::vector<RemovedPhi> removed;
};

/// Brings the function to rest. Every block is one range, blocks stand in the order of their statements; no edge is dead,
/// nothing is in the insertion buffer.
void place_phis(Function& f, const PhiPlan& plan);

}  // namespace braid::ir
