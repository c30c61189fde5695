// SSA by dominance frontiers (Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
// Graph", 1991).
//
// Phis are placed at the iterated dominance frontier of each variable's assignments, then variables are renamed over the
// dominator tree with one value per variable and an undo log. Pruning keeps the phis whose value reaches a use: the
// renaming marks phis that are read, and marks spread from phis to their operands. That is liveness, computed on the phis
// instead of on all blocks. A variable of a small part of a large function may have dead joins through all of the rest: if
// its frontier turns out large, its live blocks are found first, and phis are placed only there.
//
// O(statements + phi operands + dominators); the frontiers cost O(log edges) for each phi operand.
#pragma once

#include "ir/function.h"
#include "ssa/construct.h"

namespace braid::ssa {

/// `f` is at rest and verified. Leaves phis and upsilons in the insertion buffer, mentions overwritten: compact it.
void construct_cytron(ir::Function& f, Prune prune, EventLog* log = nullptr);

}  // namespace braid::ssa
