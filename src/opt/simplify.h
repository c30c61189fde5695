// Peephole simplification of linear SSA by the rewrite rules, inside compaction.
//
// Statements are visited in an order in which operands come first, and what a rule makes is simplified before
// it is put, so that one walk reaches a fixpoint, but for what becomes simpler through a loop. Cost:
// O(statements + operands).
#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace braid::opt {

/// Rewrites pure operations by the rules of src/rules and folds those on constants; removes what has no use
/// any more. Never leaves more statements than there were. Needs nothing; keeps nothing: it compacts.
void simplify(ir::Function& f);
/// The same. `fired`, by rule, counts those that a statement was replaced by; it may be empty.
void simplify(ir::Function& f, std::span<uint64_t> fired);

}  // namespace braid::opt
