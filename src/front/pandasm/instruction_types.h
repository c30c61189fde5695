// What one instruction does to the types of registers, and what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "front/pandasm/code.h"
#include "front/pandasm/value_type.h"

namespace braid::pandasm {

class InstructionTypes {
 public:
  InstructionTypes(const Program& program, const Links& links, uint32_t function, const FunctionCode& code);

  /// By register, before the instruction; afterwards what it has written is changed. Answers what is wrong, or nothing.
  std::string apply(bytecode::Pc pc, std::vector<ValueType>& registers);
  const ValueTypes& types() const { return types_; }

 private:
  std::string name_of(uint32_t number) const;
  /// Of a register that may not hold what it holds.
  std::string fault_of(char holds, uint32_t number);
  std::string check_argument(uint32_t number, const Type& wanted, size_t place);
  std::string element(const Instruction& instruction);
  std::string field(const Instruction& instruction, char width);
  std::string call(const Instruction& instruction);
  std::string special(const Instruction& instruction);
  std::string leave(const Instruction& instruction);
  ValueType& accumulator() { return (*registers_)[code_.accumulator()]; }
  ValueType& at(uint32_t number) { return (*registers_)[number]; }

  const Program& program_;
  const Links& links_;
  const Function& function_;
  const std::vector<uint32_t>& callees_;
  const FunctionCode& code_;
  ValueTypes types_;
  std::vector<ValueType>* registers_ = nullptr;
};

}  // namespace braid::pandasm
