// What compaction does, for the common end of a construction: phis wait at the starts of blocks, statements were replaced or
// erased, and the graph is as it was.
//
// No insertion lists, no walk that passes can stop: positions first, then one copy. Where anything else waits or the graph
// changed, it is left to `compact`.
//
// Cost: O(statements + edges + phi operands), each statement copied once.
#pragma once

#include "ir/function.h"

namespace braid::ir {

/// Brings the function to rest, as `compact` does.
void settle(Function& f);

}  // namespace braid::ir
