#include "front/pandasm/code.h"

#include <algorithm>
#include <map>
#include <utility>

namespace braid::pandasm {

FunctionCode::FunctionCode(const Program& program, const Links& links, uint32_t function)
    : program_(program), callees_(links.callees[function]), function_(program.functions[function]),
      accumulator_(function_.local_count + static_cast<uint32_t>(function_.parameters.size())) {
  // Ranges are searched in the order in which they first appear, the handlers of one range in theirs.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> first_of_range;
  std::vector<uint32_t> group(function_.catches.size());
  for (uint32_t i = 0; i < group.size(); ++i) {
    catch_of_.push_back(i);
    group[i] = first_of_range.try_emplace({function_.catches[i].begin, function_.catches[i].end}, i).first->second;
  }
  std::sort(catch_of_.begin(), catch_of_.end(),
            [&](uint32_t a, uint32_t b) { return group[a] != group[b] ? group[a] < group[b] : a < b; });
  for (uint32_t i : catch_of_) {
    const Catch& handler = function_.catches[i];
    tries_.push_back({handler.begin, handler.end, handler.handler, handler.is_all});
  }
}

void FunctionCode::decode(bytecode::Pc pc, bytecode::Decoded& decoded) const {
  const Instruction& instruction = function_.code[pc];
  const OpcodeInfo& about = info(instruction.opcode);
  uint32_t next = 0;
  for (uint32_t i = 0; i < about.operand_count(); ++i) {
    switch (about.what(i)) {
      case 'S': decoded.reads.push_back(instruction.registers[next++]); break;
      case 'D': decoded.writes.push_back(instruction.registers[next++]); break;
      case 'X':
        decoded.reads.push_back(instruction.registers[next]);
        decoded.writes.push_back(instruction.registers[next++]);
        break;
      case 'V':
        for (; next < instruction.register_count; ++next) decoded.reads.push_back(instruction.registers[next]);
        break;
      case 'R': {
        // A constructor's first argument is the new object.
        const size_t parameters = program_.functions[callees_[instruction.name]].parameters.size();
        const size_t count = instruction.opcode == Opcode::initobj_range && parameters != 0 ? parameters - 1 : parameters;
        for (uint32_t k = 0; k < count && instruction.registers[next] + k < accumulator_; ++k)
          decoded.reads.push_back(instruction.registers[next] + k);
        ++next;
        break;
      }
      case 'L': decoded.targets.push_back(instruction.name); break;
      default: break;
    }
  }
  if (about.acc_in != '-') decoded.reads.push_back(accumulator_);
  if (about.acc_out != '=') decoded.writes.push_back(accumulator_);
  decoded.falls_through = !has(instruction.opcode, ends);
  decoded.may_throw = has(instruction.opcode, throws);
}

}  // namespace braid::pandasm
