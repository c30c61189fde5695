// Whole-number literals that meet floats in phis: `x = 1; if (c) x = 2.5;` keeps x as one float - only where nobody
// can tell 1 from 1.0. The result of a function, a test of the kind or a sum of integers can; arithmetic with a
// float, a truth test or a comparison with a float cannot.
//
// Phis of integer literals and floats that read each other are one web, and all uses of a web decide: one that can
// tell, and it stays mixed. What was decided may make other operands floats, so it is done again until nothing
// changes.
#pragma once

#include <cstdint>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::infer {

struct NumericReport {
  uint32_t literals = 0;  ///< that became floats
  uint32_t phis = 0;      ///< of them
  uint32_t observed = 0;  ///< phis of literals and floats that stay mixed
};

/// Needs SSA, and uses where there is such a web; changes literals and types only, so that it keeps all but where types fit
/// only by a new pi. Leaves `f` at rest. O(statements) for each round, few rounds.
NumericReport commit_numerics(ir::Function& f, ir::Analyses& analyses);
NumericReport commit_numerics(ir::Function& f);

}  // namespace braid::infer
