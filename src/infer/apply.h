// What inference found, written into the function: narrower types, constants, ways that are never taken, statements that
// cannot throw; and dynamic operations become plain ones where the types of their operands allow it.
//
// An operation on integers whose result may not fit has two exits, where the language goes on with a float:
//
//     %t = sadd_overflow i64 %a, %b            the sum and whether it overflowed
//     branch %o, wide, fits                    wide: sitofp, fadd     fits: extract
//     join: %s = phi i64|f64 [fits: …, wide: …]
//
// Where the ranges show that it fits, it is `add`. So are quotients: exact ones are integers. O(statements).
#pragma once

#include <cstdint>

#include "infer/infer.h"
#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::infer {

struct ApplyReport {
  uint32_t dynamic = 0;         ///< dynamic operations there were
  uint32_t plain = 0;           ///< that became plain ones, in place
  uint32_t two_exits = 0;       ///< that became plain ones with two exits
  uint32_t constants = 0;       ///< statements that became constants
  uint32_t narrowed = 0;        ///< statements with a narrower type
  uint32_t edges = 0;           ///< edges removed
};

/// Needs what `infer` answered for `f` as it is, and uses where types do not fit each other any more. Keeps all if nothing but
/// types gets narrower, the graph and dominators if no edge goes and no operation gets two exits. Leaves `f` at rest.
ApplyReport apply(ir::Function& f, ir::Analyses& analyses, const Types& types, const Summaries* summaries = nullptr);

/// Infers and applies, with summaries of what `f` calls. Without any they are made for this one call, which costs as much as all
/// that `f` calls, directly or not: who comes to many functions of a module summarises their callees once.
ApplyReport infer_types(ir::Function& f, ir::Analyses& analyses, const Summaries* summaries = nullptr);
ApplyReport infer_types(ir::Function& f, const Summaries* summaries = nullptr);

}  // namespace braid::infer
