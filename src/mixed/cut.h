// Cuts blocks behind the mixed definitions that wanted phis read, so that what follows can have versions by their kinds.
#pragma once

#include <vector>

#include "ir/function.h"
#include "mixed/demand.h"

namespace braid::mixed {

/// By block: the wanted definition that its jump stands behind; undef if there is none.
std::vector<ir::Operand> cut_points(const ir::Function& f, const Demand& demand);

/// Needs `f` at rest, in SSA. Parameters become variants first, so that they are statements. Leaves `f` at rest.
void cut_behind_definitions(ir::Function& f);

}  // namespace braid::mixed
