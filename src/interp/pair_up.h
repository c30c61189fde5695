// Pairs of instructions that are executed as one.
//
// Only the op of the first word changes, and the second one stays in its place, for those who jump to it. So any instruction may be
// paired with the one behind it that it falls into, whoever else comes there.
#pragma once

#include <vector>

#include "interp/code.h"

namespace braid::interp {

/// As few instructions to execute as there can be on the way from the first to the last. O(instructions).
void pair_up(std::vector<Instr>& instrs);

}  // namespace braid::interp
