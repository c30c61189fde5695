// What compaction does, for the common end of a construction: phis and phi_cs wait at the starts of blocks, upsilons beside
// statements, statements were replaced or erased, and blocks may stand in any order.
//
// No walk that passes can stop: positions first, then one copy. Where anything else waits, edges died or blocks are out of reach, it
// is left to `compact`.
//
// Cost: O(statements + blocks + edges + phi operands), each statement copied once.
#pragma once

#include "ir/function.h"

namespace braid::ir {

/// Brings the function to rest, as `compact` does.
void settle(Function& f);

/// Whether every block is one range, in whatever order, and nothing waits in the insertion buffer: half of being at rest.
bool blocks_are_rows(const Function& f);

}  // namespace braid::ir
