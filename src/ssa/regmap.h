// SSA by a map from variables to values, in one walk in reverse post-order: how VMs build SSA from register bytecode.
//
// Liveness says which variables a block needs at its start. With one predecessor a block takes its values; where paths
// meet with different values, or at a loop header, each live variable gets a phi. A block keeps only what it changes, and
// the values at its start. Phis that turn out to stand for one value are removed at the end, groups of them too, so that
// the result is minimal and pruned.
//
// O(statements + sum of live-in variables over blocks + their predecessors).
#pragma once

#include "ir/function.h"
#include "ssa/event_log.h"

namespace braid::ssa {

/// `f` is verified, its blocks are rows in any order (`ir::blocks_are_rows`). Leaves phis and upsilons in the insertion
/// buffer, mentions overwritten: compact it.
void construct_regmap(ir::Function& f, EventLog* log = nullptr);

}  // namespace braid::ssa
