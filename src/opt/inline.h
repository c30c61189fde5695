// Inlining: calls of small functions become their bodies.
//
// The block of the call is split behind it, the blocks of the callee are copied in between, and what it
// returns is what flows together where it went on. Protected regions come along: a callee leaves its own
// before it returns, and what it throws goes to the handlers around the call as before. Calls inside of what
// was inlined are looked at too, so far as the budget goes; the nearest to the function itself come first.
//
// A save state of the callee gets the frame of the caller: the state with the resume kind *after call* that
// stands before the call in its block, with no other call between them. So whoever wants functions with
// states inlined puts such a state before each call.
//
// Left alone are callees that are recursive, not in SSA, have stack slots (they live as long as an
// activation), return while an exception is being handled, have states where the call has none, or count as
// something else than one frame.
//
// Cost: O(statements + what is copied).
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace braid::opt {

struct InlineOptions {
  uint32_t most_statements = 64;  ///< of a callee
  uint32_t budget = 2000;         ///< statements that a function may gain
  uint32_t most_depth = 6;        ///< of calls inside of each other
};

struct InlineReport {
  uint32_t calls = 0;       ///< that were inlined
  uint32_t statements = 0;  ///< that were copied
};

/// Needs a function in SSA; compacts. Callees are read as the module has them.
InlineReport inline_calls(ir::Function& f, const InlineOptions& options = {});

}  // namespace braid::opt
