// Ends blocks where they need a value that is `undef` on all paths.
//
// A program may use a value that is undefined on some paths if it goes there only on others: a flag says which. When a pass
// removes the others, the use is still there, and becomes one that the verifier rejects. It can only trap, so the block
// may end before it.
#pragma once

#include "ir/compact.h"
#include "ir/function.h"

namespace braid::ir {

/// Replaces what stands from such a use on by `unreachable`; answers whether there was one. Needs a function at rest; keeps
/// nothing. Blocks and edges that die may leave other values undefined: compact, and call again. O(statements + operands).
bool end_at_undef_uses(Function& f);

/// Compacts until no such use is left. Answers what of the function is as it was before.
Analysis compact_to_defined(Function& f, CompactOptions options = {.count_uses = false, .remove_dead = true, .fold_branches = false});

}  // namespace braid::ir
