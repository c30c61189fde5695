// Writes planned versions: copies the blocks, leads the edges to the right ones, tests kinds where a block goes on by
// the kind of what it has just made, and restores SSA (ssa/repair.h). O(what is copied + statements + repair).
#pragma once

#include <vector>

#include "ir/function.h"
#include "mixed/plan.h"

namespace braid::mixed {

/// Needs the function that was planned for, as it was. Leaves it at rest; types of phis are as wide as before.
void write_versions(ir::Function& f, const Plan& plan, const std::vector<ir::Operand>& cut_at);

}  // namespace braid::mixed
