// Peephole simplification of linear SSA by the rewrite rules, inside compaction.
//
// Statements are visited in an order in which operands come first, and what a rule makes is simplified before
// it is put, so that one walk reaches a fixpoint, but for what becomes simpler through a loop. Cost:
// O(statements + operands).
#pragma once

#include <cstdint>
#include <span>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::opt {

/// Rewrites pure operations by the rules of src/rules and folds those on constants; removes what has no use
/// any more. Never leaves more statements than there were. Needs uses; keeps the graph and dominators, but where compaction
/// gives blocks other numbers. `fired`, by rule, counts those that a statement was replaced by; it may be empty.
void simplify(ir::Function& f, ir::Analyses& analyses, std::span<uint64_t> fired = {});
void simplify(ir::Function& f);
void simplify(ir::Function& f, std::span<uint64_t> fired);

}  // namespace braid::opt
