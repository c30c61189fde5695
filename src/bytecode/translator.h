// What a bytecode means, one instruction at a time: with `Code` all that is needed to bring a bytecode to SSA
// (bytecode/build.h).
#pragma once

#include <cstdint>
#include <string>

#include "bytecode/blocks.h"
#include "bytecode/code.h"
#include "ir/function.h"

namespace braid::bytecode {

class Emitter;

class Translator {
 public:
  virtual ~Translator() = default;

  /// What a register holds that is live at the start of a block; `place` is its number among those that are live there.
  /// A register may hold values of different types at different places, as long as each read finds the one that was
  /// written.
  virtual Type type_at(BlockId block, uint32_t place, uint32_t number) const = 0;
  /// How a register keeps a value of a type that it gets without an instruction: from a throw, or where code is entered.
  virtual Type stored_type(Type type) const { return type; }
  /// What a register holds that is live where code is entered, by its number among those that are.
  virtual ir::Operand entry_value(uint32_t place) const { return ir::Operand::param(place); }
  /// Assigns the parameters of the function to registers, by `Emitter::write`: all those that are live at the first
  /// instruction.
  virtual void start(Emitter& emitter) = 0;
  /// Emits what one instruction does. The last one of a block may end it; otherwise it falls through.
  virtual void translate(Pc pc, Emitter& emitter) = 0;
  /// Whether the handler of a range takes an exception, as an i1; not asked where it takes all.
  virtual ir::Operand takes(uint32_t range, ir::Operand exception, Emitter& emitter) = 0;

  /// For the text form; two registers have two names.
  virtual std::string register_name(uint32_t number) const { return "r" + std::to_string(number); }
  /// How save states call an instruction.
  virtual uint32_t position(Pc pc) const { return pc; }
  virtual ir::Loc location(Pc) { return {}; }
  /// Before an instruction that may throw: whether to stay in compiled code, as an i1; undef asks for nothing. Where it
  /// turns out false, the function is left with the state before the instruction.
  virtual ir::Operand stays(Pc, Emitter&) { return ir::Operand::undef(); }
};

}  // namespace braid::bytecode
