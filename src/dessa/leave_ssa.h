// Leaving SSA: phis become variables.
//
// Needs a function that verifies, in SSA; variables that it has already stay as they are. Result: the same
// function with `get` and `set` in place of phis, phi_cs and upsilons, at rest. Values that flow into phis
// live in the variable of the phi as far as nothing interferes; where something does, a copy remains. A value
// in a variable is read by a `get` before each use, so that the variable really is where it lives, and
// written by a `set` right behind its definition. Phis of tokens stay: tokens are not values.
//
// The steps: dessa/webs.h (what is to be copied), dessa/live_ranges.h (where it lives), dessa/coalescing.h
// (what shares a variable), dessa/variables.h, dessa/write.h (the new statements).
//
// Cost: O(statements + phi operands + live ranges of what flows into phis, up to a limit that is linear too).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace braid::dessa {

/// What it took. A copy is a `set` of what another variable or value holds; operands that are constants are
/// assigned, and what is in its variable from the start needs neither.
struct Report {
  uint32_t phis = 0, phi_cs = 0, upsilons = 0;
  uint32_t operands = 0;      ///< of the phis, without constants and undef
  uint32_t constants = 0;     ///< of the phis
  uint32_t variables = 0;     ///< new ones
  uint32_t edge_copies = 0;   ///< into phis
  uint32_t start_copies = 0;  ///< out of phis and phi_cs, at the start of their blocks
  uint32_t early_copies = 0;  ///< where a value is made, for several edges
  uint32_t stores = 0;        ///< by upsilons that are still there
  uint32_t temporaries = 0;   ///< one for each cycle of copies
  uint32_t split_edges = 0;

  uint32_t copies() const { return edge_copies + start_copies + early_copies; }
};

/// What became of one phi or phi_c.
struct ResolvedPhi {
  uint32_t number;  ///< of the statement that it was
  ir::BlockId block;
  bool is_phi_c;
  ir::VarId variable;
  uint32_t operands = 0;  ///< without constants and undef; of a phi_c, its upsilons
  uint32_t constants = 0;
  uint32_t copies = 0;  ///< on edges; of a phi_c, by upsilons
  bool copied_at_start = false;
};

/// `each` gets the phis in the order of their blocks.
Report leave_ssa(ir::Function& f, std::vector<ResolvedPhi>* each = nullptr);

}  // namespace braid::dessa
