// Reads of variables that may be unassigned, with the path on which they are.
//
// For each variable that some block reads before it assigns it: the blocks where it is live, by a walk
// backwards from these reads; over them, two walks forwards, one from where it is unassigned (the entry, `set
// x, undef`) and one from where it is assigned. A read that only the first one reaches is certain to find
// nothing, a read that both reach may. The first walk is breadth-first, so that paths are short. A read ends
// it: the same fault is reported once on each path. The branch on `is_defined x` counts as an assignment on
// its true side. A handler may find what was the case at its `enter`, or what any assignment inside the
// region has made of it. A variable that few blocks of a large function mention goes round the others, from a
// block to a dominator. Cost: O(statements + edges), and for each variable O(log blocks) for each block that
// mentions it or where ways to such blocks meet.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "flow/graph.h"
#include "ir/function.h"

namespace braid::opt {

struct UnassignedUse {
  struct Step {
    ir::BlockId block;
    bool jumped;  ///< from the block before, which dominates it, by the shortest way: nothing on it mentions the variable
  };
  ir::VarId variable;
  ir::BlockId block;
  ir::Operand get;
  bool certain;       ///< on no path anything was assigned
  ir::Operand unset;  ///< the assignment of `undef` where it begins; `undef`: the start of the function
  std::vector<Step> path;  ///< from there to the block of the read, both included
};

/// In the order of variables. All blocks have terminators; `reached` are the reachable ones.
std::vector<UnassignedUse> unassigned_uses(const ir::Function& f, const IdSet<flow::Node>& reached);

}  // namespace braid::opt
