// Pi statements: where a branch has decided something of a value, the blocks behind it see the value with the
// narrower type.
//
//   %c = dyn.lt %i, %n        (n: i64)
//   branch %c, body, done
//   body: %p = pi i64[MIN..MAX-1]|f64 %i      so that `dyn.add %p, i64 1` does not overflow
//
// A pi stands at the start of a block with one predecessor (an edge from a branch to a join becomes one, if a phi
// reads such a value over it), and only if something that the block dominates uses the value; uses are renamed along
// the dominator tree, those of phis at the ends of their edges. Where ways meet again the value itself is used: no
// phis are needed, because a pi is only another name. O(statements + operands).
#pragma once

#include <cstdint>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::infer {

/// Inserts them; answers how many. Needs SSA and dominators; keeps them and the graph, if no edge gets a block. Leaves `f` at
/// rest.
uint32_t insert_pis(ir::Function& f, ir::Analyses& analyses);
uint32_t insert_pis(ir::Function& f);

}  // namespace braid::infer
