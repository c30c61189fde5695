// Operations on phis become phis of operations, where that leaves nothing to compute; phis of one value under several
// names become that value; phis that only pis read forget what no pi admits. (After Julia's lifting and adce.)
//
//   %y = phi null|i64 [a: %x, b: null]               %y = phi …
//   %n = dyn.identical %y, null             ->       %n = phi i1 [a: false, b: true]
//
// *Lifting.* Tests of kinds, comparisons with constants, truth tests and fields of tuples, over a nest of phis: if
// the outcome is known for each leaf, a nest of the same shape holds the outcomes, made once for each operation
// however often it is asked. Where all leaves give one value, that is used itself - only if it dominates every phi of
// the nest, since otherwise it would be this round's value of a loop in place of the one before.
//
// *Narrowing back.* A phi of nothing but pis of one value is the value again, with the union of their types.
//
// *Edges that cannot come.* A phi that only pis and such phis read is of the kinds that these admit. An edge that
// brings another kind brings `undef`: no use can follow.
#pragma once

#include <cstdint>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::infer {

struct LiftReport {
  uint32_t operations = 0;  ///< that are phis now, or what all leaves gave
  uint32_t phis = 0;        ///< made for them
  uint32_t narrowed = 0;    ///< phis that were one value
  uint32_t edges = 0;       ///< that cannot come
};

/// Needs SSA, uses, and dominators where all leaves give one value; keeps the graph and dominators, but where compaction gives
/// blocks other numbers. Leaves `f` at rest. O(statements + operands): a nest of more than 64 phis or 4096 operands is left
/// alone, and so are all nests once the operands of those that were looked at have come to a multiple of the function.
LiftReport lift_over_phis(ir::Function& f, ir::Analyses& analyses);
LiftReport lift_over_phis(ir::Function& f);

}  // namespace braid::infer
