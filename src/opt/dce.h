// Dead code elimination by marking (after the mark phase of Cytron et al. 1991, without control dependence: branches stay).
//
// Everything that has an effect is live, and so is what a live statement reads. The rest goes, phis that only feed each
// other included, which counting uses would keep. Cost: O(statements + operands).
#pragma once

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::opt {

/// Removes statements that nobody needs and blocks that cannot be reached. Needs the graph; keeps it and dominators, but where
/// compaction gives blocks other numbers.
void dce(ir::Function& f, ir::Analyses& analyses);
void dce(ir::Function& f);

}  // namespace braid::opt
