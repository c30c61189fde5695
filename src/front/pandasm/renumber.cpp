#include "front/pandasm/renumber.h"

#include <algorithm>

#include "front/pandasm/code.h"

namespace braid::pandasm {

namespace {

/// Frames up to this size are what they seem.
constexpr uint32_t most_as_they_are = 1u << 16;

}  // namespace

void renumber_registers(Program& program, const Links& links, uint32_t number) {
  Function& function = program.functions[number];
  const uint32_t before = function.local_count;
  if (before <= most_as_they_are) return;
  std::vector<uint32_t> used;
  const FunctionCode code(program, links, number);
  bytecode::Decoded decoded;
  for (bytecode::Pc pc = 0; pc < code.size(); ++pc) {
    decoded.clear();
    code.decode(pc, decoded);
    for (const std::vector<uint32_t>* registers : {&decoded.reads, &decoded.writes})
      for (uint32_t r : *registers)
        if (r < before) used.push_back(r);
    // A row without arguments mentions a register, too.
    const Instruction& instruction = function.code[pc];
    for (uint32_t i = 0; i < instruction.register_count; ++i)
      if (instruction.registers[i] < before) used.push_back(instruction.registers[i]);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  function.local_count = static_cast<uint32_t>(used.size());
  for (Instruction& instruction : function.code)
    for (uint32_t i = 0; i < instruction.register_count; ++i) {
      uint32_t& r = instruction.registers[i];
      r = r < before ? static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), r) - used.begin())
                     : r - before + function.local_count;
    }
  function.local_names = std::move(used);
}

}  // namespace braid::pandasm
