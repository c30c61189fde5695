// SSA on demand for functions with variables (Braun et al. 2013): the construction of the Builder (ssa/on_the_fly.h), driven by
// the statements of a function that exists. One walk in reverse post-order; the whole graph is known, so that a block with
// one predecessor looks into it at once.
#pragma once

#include "ir/function.h"
#include "ssa/event_log.h"

namespace braid::ssa {

/// `f` is at rest and verified. Leaves phis and upsilons in the insertion buffer, mentions overwritten: compact it.
void construct_braun(ir::Function& f, EventLog* log = nullptr);

}  // namespace braid::ssa
