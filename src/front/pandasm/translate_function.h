// One function of pandasm, instruction by instruction, to IR.
#pragma once

#include <string>
#include <vector>

#include "bytecode/emitter.h"
#include "front/pandasm/code.h"
#include "front/pandasm/translation.h"

namespace braid::pandasm {

class FunctionTranslator final : public bytecode::Translator {
 public:
  FunctionTranslator(Translation& translation, uint32_t function, const FunctionCode& code);

  braid::Type type_at(bytecode::BlockId block, uint32_t place, uint32_t number) const override;
  void start(bytecode::Emitter& emitter) override;
  void translate(bytecode::Pc pc, bytecode::Emitter& emitter) override;
  ir::Operand takes(uint32_t range, ir::Operand exception, bytecode::Emitter& emitter) override;
  std::string register_name(uint32_t number) const override;
  uint32_t position(bytecode::Pc pc) const override;
  ir::Loc location(bytecode::Pc pc) override;
  ir::Operand stays(bytecode::Pc pc, bytecode::Emitter& emitter) override;

 private:
  using Operand = ir::Operand;

  // translate_arithmetic.cpp: true if the instruction was one of these.
  bool arithmetic(const Instruction& instruction);
  bool cast(const Instruction& instruction);
  bool comparison(const Instruction& instruction);
  void binary(const Instruction& instruction, ir::Op op, braid::Type type, bool divides);
  Operand three_way(ir::Op less, ir::Op greater, Operand a, Operand b);

  void move(uint32_t to, uint32_t from);
  void jump_if(ir::Op op, Operand a, Operand b);
  /// A jump on the sign of the accumulator.
  void jump_on_sign(ir::Op op);
  void array(const Instruction& instruction, Managed operation, bool stores);
  void field(const Instruction& instruction);
  void static_field(const Instruction& instruction);
  void call(const Instruction& instruction);
  /// The function that a virtual call means for the object, perhaps by a guess that a guard checks; unlinked if it
  /// must be looked up.
  uint32_t meant_by(uint32_t callee, Operand object);
  void construct(const Instruction& instruction);
  std::vector<uint32_t> arguments(const Instruction& instruction, size_t parameters) const;
  void initialise(uint32_t record);

  uint32_t acc() const { return code_.accumulator(); }
  Operand read(uint32_t number) { return emitter_->read(number); }
  Operand read_acc() { return emitter_->read(acc()); }
  void write_acc(braid::Type type, Operand value) { emitter_->write(acc(), type, value); }
  Operand emit(ir::Op op, braid::Type type, std::initializer_list<Operand> operands) {
    return emitter_->emit(op, type, operands);
  }
  Operand number(uint32_t n) { return emitter_->constant(i32, static_cast<int32_t>(n)); }
  Operand managed(Managed operation, std::initializer_list<Operand> operands);
  Operand not_null(Operand reference) { return emit(ir::Op::check_null, ref, {reference}); }

  Translation& translation_;
  const Program& program_;
  const uint32_t number_;
  const Function& function_;
  const FunctionTypes& types_;
  const std::vector<uint32_t>& callees_;
  const FunctionCode& code_;
  /// What the accumulator was last compared with: a jump behind it need not go through -1, 0 and 1.
  struct Compared {
    bytecode::Pc pc = bytecode::no_pc;
    ir::Op less = ir::Op::nothing;          ///< slt, ult, or flt of what gives 1 for NaN, fgt of what gives -1
    Operand a, b;
    uint32_t first = 0, end = 0;            ///< its statements
  };
  Compared compared_;
  bytecode::Emitter* emitter_ = nullptr;
};

}  // namespace braid::pandasm
