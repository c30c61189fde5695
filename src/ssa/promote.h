// Stack slots to variables, so that construction can turn them into values (what LLVM calls mem2reg begins
// with).
//
// A slot becomes a variable if its address goes nowhere: all its uses are loads and stores of one storage
// kind, directly at the slot and within its size. A new slot is zero each time its statement is executed, and
// so is the variable: the statement becomes an assignment of zero. Cost: O(statements + operands).
#pragma once

#include <cstdint>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::ssa {

/// Answers how many slots became variables. Needs nothing; keeps the graph and dominators, but where compaction gives blocks
/// other numbers.
uint32_t promote(ir::Function& f, ir::Analyses& analyses);
uint32_t promote(ir::Function& f);

}  // namespace braid::ssa
