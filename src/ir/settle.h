// What compaction does, for the common end of a construction: phis and phi_cs wait at the starts of blocks, upsilons beside
// statements, statements were replaced or erased, and blocks may stand in any order.
//
// No walk that passes can stop: positions first, then one copy. It is left to `compact` where anything else waits, blocks are
// several ranges or out of reach, edges died, upsilons are in no list, or values have source variables.
//
// Cost: O(statements + blocks + edges + phi operands), each statement copied once.
#pragma once

#include "ir/function.h"

namespace braid::ir {

/// Brings the function to rest. Unlike `compact`, it does not put blocks in reverse post-order if nothing but phis waits and they
/// stand in the vector by number, each behind one that leads to it: then blocks and edges keep their numbers.
void settle(Function& f);

/// Whether every block is one range, in whatever order, and nothing waits in the insertion buffer: half of being at rest.
bool blocks_are_rows(const Function& f);

}  // namespace braid::ir
