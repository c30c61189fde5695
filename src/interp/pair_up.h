// Instructions that are executed as one.
//
// Only the op of the first word changes, and all others stay in their places, for those who jump to them. So any instruction
// may be executed with those behind it that it falls into, whoever else comes there.
#pragma once

#include <vector>

#include "interp/code.h"

namespace braid::interp {

/// As few instructions to execute as there can be on the way from the first to the last. O(instructions).
void pair_up(std::vector<Instr>& instrs);

}  // namespace braid::interp
