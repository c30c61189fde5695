// Register code: what a function is lowered to, and what the machine runs.
//
// A frame is an array of 64-bit registers: the parameters first, then what must start as zero (definedness flags and
// slots), then values, temporaries and constants.
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/layout.h"
#include "ir/module.h"
#include "ir/runtime.h"

namespace braid::interp {

/// The trap of a program that forgot to return.
inline constexpr std::string_view fell_through = "control reached the end of the function without a return";

enum class Opcode : uint16_t {
#define INT_BINARY(id, W) id##_##W##_rr, id##_##W##_ri,
#define OVERFLOWING(id, W) id##_##W##_rr, id##_##W##_ri,
#define INT_UNARY(id, W) id##_##W,
#define INT_COMPARE(id) \
  id##_rr, id##_ri, branch_##id##_rr, branch_##id##_ri, add_branch_##id##_rr, add_branch_##id##_ri,
#define FLOAT_BINARY(id, F) id##_##F,
#define FLOAT_UNARY(id, F) id##_##F,
#define FLOAT_COMPARE(id, F) id##_##F, branch_##id##_##F, branch_not_##id##_##F,
#define NARROW(id, W) id##_##W,
#define EXTEND(id, W) id##_##W,
#define INT_TO_FLOAT(id, W, F) id##_##W##_##F,
#define FLOAT_TO_INT(id, F, W) id##_##F##_##W,
#define PLAIN(name) name,
#define CHAIN(first, W, form, second, form2) first##_##W##_##form##_then_##second##_##form2,
#define CHAIN_BRANCH(first, W, form, id, form2) first##_##W##_##form##_chain_branch_##id##_##form2,
#define THEN_BRANCH(first, W, form, id, form2) first##_##W##_##form##_then_branch_##id##_##form2,
#define CHAIN_STORE(first, W, form, size) first##_##W##_##form##_chain_held_store_##size,
#define CHAIN_LOAD(element, W, op, form) held_load_##element##_then_##op##_##W##_##form,
#define LOAD_STORE(element, W, op, form) held_load_##element##_then_##op##_##W##_##form##_then_store,
#define THEN(first, W, form, name) first##_##W##_##form##_then_##name,
#include "interp/opcodes.def"
};
inline constexpr unsigned opcode_count = 0
#define INT_BINARY(id, W) +2
#define OVERFLOWING(id, W) +2
#define INT_UNARY(id, W) +1
#define INT_COMPARE(id) +6
#define FLOAT_BINARY(id, F) +1
#define FLOAT_UNARY(id, F) +1
#define FLOAT_COMPARE(id, F) +3
#define NARROW(id, W) +1
#define EXTEND(id, W) +1
#define INT_TO_FLOAT(id, W, F) +1
#define FLOAT_TO_INT(id, F, W) +1
#define PLAIN(name) +1
#define CHAIN(first, W, form, second, form2) +1
#define CHAIN_BRANCH(first, W, form, id, form2) +1
#define THEN_BRANCH(first, W, form, id, form2) +1
#define CHAIN_STORE(first, W, form, size) +1
#define CHAIN_LOAD(element, W, op, form) +1
#define LOAD_STORE(element, W, op, form) +1
#define THEN(first, W, form, name) +1
#include "interp/opcodes.def"
    ;

/// One instruction. Some take the fields of the word behind them, too (opcodes.def says which).
struct Instr {
  Opcode op = Opcode::trap;
  /// Of what transfers control, calls among it: the statements of the block up to there that are not paid for so far. Of what
  /// may throw or end the run: the same, but it is paid only then. Of arithmetic and accesses to the heap: 1 if only the
  /// next instruction wants the value.
  uint16_t cost = 0;
  uint32_t a = 0, b = 0, c = 0;

  uint64_t constant() const { return b | uint64_t{c} << 32; }
  void set_constant(uint64_t bits) {
    b = static_cast<uint32_t>(bits);
    c = static_cast<uint32_t>(bits >> 32);
  }
};
static_assert(sizeof(Instr) == 16);

inline constexpr uint32_t no_register = 0xffffffffu;
inline constexpr uint32_t most_plain_registers = 256;

/// Registers with the type by which they are read or written.
struct TypedRegisters {
  Type type;
  uint32_t first;
};

struct CallSite {
  ir::FuncId function{};         ///< call
  ir::SigId signature{};         ///< call_indirect
  ir::IntrinsicId intrinsic{};   ///< call_intrinsic
  uint32_t address = 0;          ///< call_indirect: the register with the address
  uint32_t first_argument = 0;   ///< registers in Code::argument_registers, one per word of the parameters
  uint32_t argument_words = 0;
  TypedRegisters result{};       ///< in the layout of the callee's result
  bool cannot_throw = false;     ///< as it is declared, or proved for this one
  uint32_t inlined = 0;          ///< calls in whose place this one stands, one inside of the other
};

struct Conversion {
  TypedRegisters from, to;
  bool skip_mismatch = false;    ///< a value that does not fit is not stored; otherwise it traps
};

/// A dynamic operation, a test of kinds, or a look into a variant.
struct DynamicSite {
  ir::Op op;
  bool cannot_throw, has_second;
  Type type;                     ///< is: the tested one; variant.get: the wanted one
  TypedRegisters operands[2];
  TypedRegisters result;
};

struct SwitchTable {
  struct Case {
    int64_t value;
    int32_t target;
  };
  int64_t low = 0;
  std::vector<int32_t> dense;    ///< targets of low, low + 1, …; empty: look in `cases`
  std::vector<Case> cases;       ///< by value
  int32_t otherwise = 0;
};

struct SavedState {
  struct Register {
    uint32_t number;
    TypedRegisters value;        ///< `first` is no_register for undef
    uint32_t flag;               ///< no_register: always defined
  };
  uint32_t position;
  ir::ResumeKind resume;
  uint32_t caller;               ///< the state of the caller, or no_register
  std::vector<Register> registers;
};

struct TracePoint {
  struct Shown {
    TypedRegisters value;        ///< `first` is no_register for undef
    uint32_t flag;               ///< no_register: always defined
  };
  std::string text;
  std::vector<Shown> values;     ///< its value, or those of its operands if it has none
  uint32_t first, end;           ///< its instructions, before that of the trace; none for a terminator
};

/// Instructions that come from one place of the source; they end where the next ones begin.
struct SourceRange {
  uint32_t first;
  ir::Loc loc;
};

struct Code {
  struct InitialConstant {
    uint32_t reg;
    uint64_t bits;
  };

  std::string name;              ///< of the function, as in `@f`
  ir::FuncId function{};
  uint32_t frames = 1;           ///< what a call counts towards the limit of depth
  std::string error;             ///< why it cannot be run; empty if it can
  bool is_lowered = false;
  bool is_plain = false;         ///< a call has nothing to do but to copy arguments and constants to a small frame
  std::vector<Instr> instrs;
  uint32_t frame_size = 0;
  uint32_t parameter_words = 0;
  uint32_t zeroed = 0;           ///< registers behind the parameters that start as zero
  bool keeps_nothing = true;     ///< no handlers, no stack slots: returning has nothing to undo
  Type result = void_type;
  std::vector<Type> parameters;
  std::vector<InitialConstant> constants;
  std::vector<ReferenceRegister> references;  ///< by number

  std::vector<CallSite> calls;
  std::vector<uint32_t> internal_calls;  ///< instructions that call functions of the module
  std::vector<ir::FuncId> external_callees;
  std::vector<uint32_t> argument_registers;
  std::vector<Conversion> conversions;
  std::vector<DynamicSite> dynamics;
  std::vector<Type> types;       ///< of box and unbox
  std::vector<SwitchTable> switches;
  std::vector<SavedState> states;
  std::vector<uint64_t> zeros;   ///< zeros of variables, for copy_or_zero
  std::vector<std::string> messages;
  std::vector<TracePoint> trace_points;
  std::vector<SourceRange> sources;  ///< empty if no statement has a place
};

}  // namespace braid::interp
