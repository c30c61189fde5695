// Checks that a program means something before anything is built from it: every register that an instruction reads was assigned on
// all paths and holds what the instruction wants, calls fit what they call, fields and arrays hold what is put into them.
//
// A walk over the blocks to a fixpoint, with the types of the registers that are live at the start of each block; a register that
// nobody reads costs nothing. Types only become wider, so that a block is visited as often as a chain of records is long at most.
#pragma once

#include <braid/expected.h>

#include <memory>
#include <vector>

#include "bytecode/register_liveness.h"
#include "front/pandasm/value_type.h"

namespace braid::pandasm {

/// Of one function: what the registers hold that are live at the start of each block, in the order of
/// bytecode::RegisterLiveness. Block b has `types[first_type[b]]` and those that follow.
struct FunctionTypes {
  std::vector<uint32_t> first_type;
  std::vector<ValueType> types;
  /// What was found out on the way, for those who need it next.
  std::shared_ptr<const bytecode::Blocks> blocks = {};
  std::shared_ptr<const bytecode::RegisterLiveness::Facts> liveness = {};
};

/// All faults of all functions, with their positions. Functions without a body have no types.
Expected<std::vector<FunctionTypes>> verify(const SourceFile& source, const Program& program, const Links& links);

}  // namespace braid::pandasm
