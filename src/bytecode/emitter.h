// What a translator writes through: registers, statements, states, and the ends of blocks.
//
// A register is one variable for each type that it holds. Within a block the emitter knows the values of registers, so
// that only the first read of one is a `get`, and only what is live at the end becomes a `set`. In a protected block
// registers are also written back before each instruction that may throw, so that a handler finds them as they were.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/blocks.h"
#include "bytecode/translator.h"
#include "flow/liveness.h"
#include "ir/function.h"
#include "ir/runtime.h"

namespace braid::bytecode {

class Emitter {
 public:
  ir::Function& function() { return f_; }
  ir::Module& module() { return f_.module(); }
  Pc pc() const { return pc_; }
  /// The instruction; null in a handler that looks for who takes an exception.
  const Decoded* decoded() const { return decoded_; }
  bool is_ended() const { return !f_.terminator(block_).is_undef(); }

  // ---- registers ----
  uint32_t register_count() const { return static_cast<uint32_t>(registers_.size()); }
  /// It was written in this block, or is live at its start.
  bool is_known(uint32_t number) const { return registers_[number].block == stamp_; }
  /// What a register holds now. It must have been written, or be live at the start of the block.
  Type type(uint32_t number) const { return registers_[number].type; }
  ir::Operand read(uint32_t number);
  /// Whether someone behind the block may read what it holds at its end.
  bool is_live_at_end(uint32_t number) const;
  void write(uint32_t number, Type type, ir::Operand value);

  // ---- statements ----
  ir::Operand emit(ir::Op op, Type type, std::initializer_list<ir::Operand> operands);
  /// With operand words, as the op table wants them: for calls and intrinsics.
  ir::Operand emit(ir::Op op, Type type, std::span<const uint32_t> words);
  ir::Operand constant(Type type, int64_t value) { return module().constant(type, value); }
  /// The state before the current instruction, which may throw; or at the start of the block. Registers were not
  /// written since.
  ir::Operand state(ir::ResumeKind resume = ir::ResumeKind::reexecute);
  /// The frame while the current instruction calls someone, for states of what is called; only with
  /// `BuildOptions::call_states`. `holds` is what the caller has in a register meanwhile that it has not written yet.
  struct Held {
    uint32_t number;
    ir::Operand value;
  };
  ir::Operand caller_state(std::optional<Held> holds = std::nullopt);

  // ---- ends of blocks; the targets are those that were decoded ----
  /// To the target, or to the next instruction; to nowhere if there is neither.
  void jump();
  /// To the first target if the condition holds, otherwise to the next instruction.
  void branch(ir::Operand condition);
  /// To target i for the value i of this type, otherwise to the next instruction.
  void switch_on(ir::Operand value, Type type);
  void ret();
  void ret(ir::Operand value);
  void throw_value(ir::Operand exception);

 private:
  friend class Builder;

  /// Who knows the ways between blocks.
  class Ways {
   public:
    virtual ~Ways() = default;
    /// Where an edge from the current block to an instruction leads.
    virtual ir::BlockId target(Pc pc) = 0;
    /// The same of the only edge from the current block: if it leaves the protected region, the block does so itself.
    virtual ir::BlockId only_target(Pc pc) = 0;
    /// Leaves the protected region of the current block.
    virtual void leave() = 0;
    /// The registers that are live before the current instruction, and those that are needed when it has called someone,
    /// by number. Asked only for a state, which hardly any instruction needs.
    virtual std::span<const uint32_t> live_before() = 0;
    virtual std::span<const uint32_t> live_meanwhile() = 0;
  };
  struct Register {
    uint32_t block = 0;     ///< the value belongs to the block with this stamp
    uint32_t handled = 0;   ///< a handler of the block with this stamp may read it
    bool is_dirty = false;  ///< its variable does not have the value yet
    Type type = none;
    ir::Operand value;  ///< undef: not read yet
    uint32_t first_variable = no_variable;
  };
  struct VariableOf {
    Type type;
    ir::VarId variable;
    uint32_t next;  ///< another one of the same register
  };
  static constexpr uint32_t no_variable = 0xffffffffu;

  Emitter(ir::Function& f, const Translator& translator, uint32_t register_count, Ways& ways)
      : f_(f), translator_(translator), ways_(ways), registers_(register_count) {}

  void start_block(ir::BlockId block);
  /// What a register holds at the start of the block.
  void declare(uint32_t number, Type type);
  void start_instruction(Pc pc, const Decoded* decoded, ir::Loc loc);
  /// A state is going to be asked for at the start of a block, where these registers are live.
  void start_state(Pc pc, std::span<const uint32_t> live, ir::Loc loc);
  /// A handler may read these registers, by number, while the block is filled.
  void set_handled(std::span<const flow::Variable> registers);
  /// Registers that were written become variables; of those of a block with handlers, the ones that a handler may read.
  void write_back();
  void write_back_handled();
  void put_back(uint32_t number);
  void forget_dirty();
  /// The same of those that are live at the end; the block is finished.
  void write_back(std::span<const flow::Variable> live);
  ir::VarId variable(uint32_t number, Type type);
  /// Before a terminator.
  void end();

  ir::Function& f_;
  const Translator& translator_;
  Ways& ways_;
  std::vector<Register> registers_;
  std::vector<VariableOf> variables_;
  std::vector<uint32_t> dirty_;  ///< registers
  std::vector<uint32_t> quiet_;  ///< … that no handler may read
  ir::BlockId block_{};
  uint32_t stamp_ = 0;
  Pc pc_ = 0;
  const Decoded* decoded_ = nullptr;
  std::optional<std::span<const uint32_t>> live_;  ///< at the start of the block, by number
  std::span<const flow::Variable> live_out_;  ///< of the block
  ir::Operand state_;
  ir::Loc loc_{};
};

}  // namespace braid::bytecode
