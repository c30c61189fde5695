// The second half of lowering: emits the instructions of each block, statement by statement.
//
// emit_values.cpp: registers, operands, conversions. emit_statement.cpp, emit_arithmetic.cpp, emit_calls.cpp: statements.
// emit_flow.cpp: blocks, edges, terminators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/analysis.h"
#include "interp/code.h"
#include "interp/opcode_table.h"
#include "base/parallel_copy.h"
#include "ir/function.h"
#include "text/print.h"

namespace braid::interp {

class Emitter {
 public:
  Emitter(const Analysis& analysis, Layouts& layouts, std::vector<uint32_t> shared, const LowerOptions& options, Code& code);
  void run();

 private:
  using Operand = ir::Operand;
  using Stmt = ir::Stmt;

  // ---- registers and operands ----
  struct VariablePlace {
    uint32_t first, flag;
  };
  /// Where an instruction writes, when the statement's own registers may have another layout.
  struct Result {
    uint32_t first;
    Type natural;
    bool is_own;
  };

  void assign_registers();
  void assign_held(uint32_t access);
  uint32_t new_registers(uint32_t count) { return std::exchange(next_register_, next_register_ + count); }
  uint32_t scratch();
  uint32_t constant_register(uint64_t bits);
  Operand resolve(Operand operand) const { return analysis_.resolve(operand); }
  Type type_of(Operand resolved) const { return f_.type_of(resolved); }
  Storage storage_of(Operand operand) const { return layouts_.of(type_of(resolve(operand))).storage; }
  /// The registers of a value that is defined.
  uint32_t location(Operand resolved);
  uint32_t flag_of(Operand resolved) const;
  bool is_undef(Operand resolved) const { return resolved.is_undef() || resolved.is_erased(); }
  /// An operand as an ordinary use: traps if it is undefined.
  uint32_t use(Operand operand);
  /// The same, in the layout of another type.
  uint32_t use_as(Operand operand, Type type);
  bool as_immediate(Operand operand, int32_t& value) const;
  void copy_to(uint32_t to, Operand resolved, Type type, bool skip_mismatch);
  void convert(uint32_t from, Type from_type, uint32_t to, Type to_type, bool skip_mismatch);
  void move(uint32_t to, uint32_t from, uint32_t count);
  void load_constant(uint32_t to, uint64_t bits);
  Result result_for(Operand id, Type natural);
  void finish(Operand id, const Result& result);

  // ---- statements ----
  void emit_statement(Operand id);
  void emit_now(Operand id);
  /// False if it is no arithmetic.
  bool emit_arithmetic(Operand id, const Stmt& s);
  void emit_int_binary(Operand id, const Stmt& s);
  /// An integer comparison as instructions take it: a constant stands on the right, as an immediate if it fits.
  struct IntCompare {
    ir::Op op;
    uint32_t a, b;
    bool has_immediate;
  };
  IntCompare int_compare_of(const Stmt& s);
  void emit_compare(Operand id, const Stmt& s);
  void emit_convert(Operand id, const Stmt& s);
  void emit_unary(Operand id, Opcode op, const Stmt& s, Type natural);
  void emit_select(Operand id, const Stmt& s);
  void emit_tuple(Operand id, const Stmt& s);
  void emit_extract(Operand id, const Stmt& s);
  void emit_dynamic(Operand id, const Stmt& s);
  void emit_call(Operand id, const Stmt& s);
  /// What was emitted from there on becomes the slow path of the access before it.
  void cut_slow_path(uint32_t begin);
  /// In place of an intrinsic and the checks that wait for it, which become a slow path; false if the machine cannot do it
  /// itself.
  bool emit_access(Operand id, const Stmt& s, std::span<const Type> types, uint32_t result);
  void emit_get(Operand id, const Stmt& s);
  void emit_set(const Stmt& s);
  void emit_is_defined(Operand id, const Stmt& s);
  void emit_upsilon(Operand id, const Stmt& s);
  void emit_phi_c(Operand id);
  void emit_pi(Operand id, const Stmt& s);
  void emit_check(Operand id, const Stmt& s);
  void emit_memory(Operand id, const Stmt& s);
  void emit_trace(Operand id, uint32_t first);
  void emit_trace_of_parameters();
  void show(TracePoint& point, Operand operand);
  void add_arguments(CallSite& site, const Stmt& s, uint32_t first, std::span<const Type> types);
  uint32_t state_index(Operand operand);
  SavedState saved_state(const Stmt& s);

  // ---- flow ----
  /// A branch instruction, and the one that goes the other way; with an addition before it, where there are such.
  struct Condition {
    Opcode op, negated;
    uint32_t a = 0, b = 0;
    Opcode with_add = OpcodeTable::absent, negated_with_add = OpcodeTable::absent;
  };
  /// A place that a jump can name before it has an address: a block, or the moves of an edge.
  enum class Label : uint32_t {};

  void emit_block(uint32_t number);
  /// What is emitted from now on comes from this place.
  void begin_source(ir::Loc loc);
  void emit_terminator(const Stmt& s);
  void emit_branch(const Stmt& s, uint32_t depth, uint32_t from);
  void emit_switch(const Stmt& s);
  void emit_return(const Stmt& s);
  void emit_enter(Operand id, const Stmt& s);
  Condition condition_of(Operand operand);
  Condition compare_condition(Operand id);
  void emit_test(const Condition& test, bool negate, Label target);
  /// Goes along an edge: moves, then falls through, jumps, or does at once what a short target block does.
  void emit_transfer(ir::EdgeId e, uint32_t depth);
  void emit_moves(ir::EdgeId e);
  bool needs_moves(ir::EdgeId e);
  bool is_short(uint32_t block) const;
  uint32_t live_preds(uint32_t block) const;
  ir::EdgeId live(uint32_t word) const;
  Label label_of(ir::EdgeId e);
  Label block_label(uint32_t number) const { return static_cast<Label>(number); }
  void emit_jump(Opcode op, uint32_t a, uint32_t b, Label target);
  /// Between two instructions, as jumps name it.
  uint32_t distance(uint32_t from, uint32_t to);
  void place_slow_paths();
  void patch();

  // ---- instructions ----
  uint32_t emit(Opcode op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, bool is_for_next = false);
  /// What transfers control: pays for all statements that have begun.
  uint32_t emit_paying(Opcode op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  /// So many more statements begin.
  void begin_statements(uint32_t count);
  void trap(std::string message);
  uint32_t message(std::string text);
  void fail(std::string why);

  const Analysis& analysis_;
  const ir::Function& f_;
  Layouts& layouts_;
  std::vector<uint32_t> shared_;           ///< whose register a statement uses (see coalesce)
  std::optional<text::StatementPrinter> trace_;
  Code& code_;

  uint32_t next_register_ = 0;
  uint32_t scratch_ = no_register, move_temporary_ = no_register;
  std::vector<uint32_t> parameters_;       ///< first register of each
  std::vector<uint32_t> registers_;        ///< by dense number
  std::unordered_map<uint32_t, uint32_t> flags_;  ///< by dense number
  std::unordered_map<uint32_t, VariablePlace> slots_;  ///< of phi_c statements, by dense number
  IdMap<ir::VarId, VariablePlace> variables_;
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::unordered_map<uint32_t, uint32_t> states_;
  std::unordered_map<uint32_t, uint32_t> zeros_;  ///< of variables: where their zero stands in the code
  uint32_t undef_message_ = no_register;
  ParallelCopy copies_;
  const HeapAccess* heap_;
  std::vector<uint32_t> deferred_;         ///< statements, by dense number, that wait for an access
  /// What an access does when something is wrong. It stands behind all blocks, out of the way.
  struct SlowPath {
    uint32_t back_to;                      ///< the instruction behind the access
    std::vector<Instr> instrs;
    std::vector<SourceRange> sources;      ///< counted from its first instruction
  };
  std::vector<SlowPath> slow_paths_;
  std::unordered_map<uint64_t, uint32_t> held_;  ///< registers of found objects, by Analysis::held_key
  /// Those that a statement makes out of date, by its dense number.
  std::unordered_map<uint32_t, std::vector<uint32_t>> forgotten_;

  struct Fixup {
    uint32_t instr;
    Label target;
  };
  uint32_t current_ = 0;                   ///< the block that is being emitted
  uint32_t run_start_ = 0;                 ///< nothing before this instruction may be joined with one behind it
  bool may_fall_through_ = false;          ///< the next block in order is emitted right behind
  uint32_t unpaid_ = 0;                    ///< statements that have begun since the last payment on the way to here
  std::vector<uint32_t> carried_cost_;     ///< by block: what its only predecessor, which falls into it, has not paid
  std::vector<uint32_t> label_address_;    ///< by label: blocks, then edges
  std::vector<bool> stub_wanted_;          ///< by edge
  std::vector<ir::EdgeId> stubs_;
  std::vector<Fixup> fixups_;              ///< targets in `c` (jump: in `a`)
  std::vector<Fixup> handler_fixups_;      ///< absolute, in `c`
  std::vector<std::pair<uint32_t, uint32_t>> switch_instrs_;  ///< instruction, table whose targets are labels
};

}  // namespace braid::interp
