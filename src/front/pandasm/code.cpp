#include "front/pandasm/code.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace braid::pandasm {

FunctionCode::FunctionCode(const Program& program, const Links& links, uint32_t function)
    : program_(program), callees_(links.callees[function]), function_(program.functions[function]),
      accumulator_(function_.local_count + static_cast<uint32_t>(function_.parameters.size())) {
  sort_catches();
  tries_.reserve(catch_of_.size());
  for (uint32_t i : catch_of_) {
    const Catch& handler = function_.catches[i];
    tries_.push_back({handler.begin, handler.end, handler.handler, handler.is_all});
  }
}

/// Ranges are searched in the order in which they first appear, the handlers of one range in theirs.
void FunctionCode::sort_catches() {
  const std::vector<Catch>& catches = function_.catches;
  const auto range = [&](uint32_t i) { return std::pair(catches[i].begin, catches[i].end); };
  catch_of_.resize(catches.size());
  std::iota(catch_of_.begin(), catch_of_.end(), 0u);
  std::vector<uint32_t> by_range = catch_of_;
  const auto less = [&](uint32_t a, uint32_t b) { return range(a) != range(b) ? range(a) < range(b) : a < b; };
  if (std::is_sorted(by_range.begin(), by_range.end(), less)) return;  // then equal ranges stand together
  std::sort(by_range.begin(), by_range.end(), less);
  std::vector<uint32_t> group(catches.size());
  bool any_again = false;
  for (uint32_t i = 0; i < by_range.size(); ++i) {
    const bool is_again = i != 0 && range(by_range[i]) == range(by_range[i - 1]);
    group[by_range[i]] = is_again ? group[by_range[i - 1]] : by_range[i];
    any_again |= is_again;
  }
  if (any_again)
    std::sort(catch_of_.begin(), catch_of_.end(),
              [&](uint32_t a, uint32_t b) { return group[a] != group[b] ? group[a] < group[b] : a < b; });
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
