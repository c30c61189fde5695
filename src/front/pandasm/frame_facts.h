// What is known of the frames of one function, wherever they stand: which handlers protect an instruction, and which
// registers
// hold references that are still needed. Made when it is first asked for: a reference map costs a walk over its
// block, and those
// that were made are kept up to a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bytecode/register_liveness.h"
#include "front/pandasm/code.h"
#include "front/pandasm/instruction_types.h"
#include "front/pandasm/verify.h"

namespace braid::pandasm {

class FrameFacts {
 public:
  FrameFacts(const Program& program, const Links& links, uint32_t function, const FunctionTypes& types);

  /// The lines that protect an instruction, in the order in which they are asked.
  template <typename Visit>
  void for_each_handler(bytecode::Pc pc, Visit&& visit) const {
    const bytecode::BlockId block = blocks_.block_of(pc);
    if (is_none(block)) return;
    for (uint32_t range : blocks_.ranges(blocks_[block].handlers))
      if (!visit(range)) return;
  }
  const Catch& catch_of(uint32_t range) const { return code_.catch_of(range); }

  /// The registers, the accumulator is the last one, that are live before an instruction and hold references.
  std::span<const uint32_t> references(bytecode::Pc pc);
  /// All that are live before an instruction. O(instructions of its block).
  std::vector<uint32_t> live(bytecode::Pc pc);
  /// … and all that are needed when the instruction has called someone: behind it, or in a handler.
  std::vector<uint32_t> live_in_call(bytecode::Pc pc);

 private:
  /// Registers in all maps together. Where thousands of references are live throughout, maps are made anew instead.
  static constexpr size_t most_kept = size_t{1} << 20;

  bytecode::RegisterLiveness& liveness();
  void find_references(bytecode::Pc pc);

  const Program& program_;
  const Links& links_;
  uint32_t function_;
  const FunctionTypes& types_;
  FunctionCode code_;
  const bytecode::Blocks& blocks_;
  std::unique_ptr<bytecode::RegisterLiveness> liveness_;
  std::unique_ptr<InstructionTypes> instructions_;
  struct Map {
    uint32_t first = 0, count = 0;
    bool is_known = false;
  };
  std::vector<Map> maps_;                   ///< by pc
  std::vector<uint32_t> registers_;         ///< of the maps
  std::vector<ValueType> registers_types_;  ///< while walking a block
};

}  // namespace braid::pandasm
