// Phis and their operands in one register, where both are never needed at once: most loops then need no moves.
//
// Two values interfere if one is alive where the other is defined (Chaitin 1982). Liveness is walked per value, from its
// uses up to its definition, within a budget of blocks; a value beyond the budget, one that a handler reads (a throw
// brings it there from anywhere in the region) or a save state reads keeps a register of its own. Linear: every value has
// the same budget.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/analysis.h"

namespace braid::interp {

/// For each statement, by dense number, the statement whose register it shares (itself, if none).
std::vector<uint32_t> coalesce(const Analysis& analysis, Layouts& layouts);

}  // namespace braid::interp
