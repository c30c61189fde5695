// The function with variables, written statement by statement.
//
// Copies of an edge stand at the end of the block that it leaves if that ends in a jump, at the start of the
// block that it enters if there is no other way into it, and otherwise in a new block on the edge: a
// terminator reads its operands before any copy is made. All copies of a place happen at once; they are put
// in an order in which no variable is overwritten before it was read, with one temporary for each cycle
// (base/parallel_copy.h).
//
// Cost: O(statements + copies).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel_copy.h"
#include "base/stack.h"
#include "dessa/leave_ssa.h"
#include "dessa/variables.h"
#include "dessa/webs.h"
#include "ir/relist.h"

namespace braid::dessa {

/// Puts a block on each edge that needs one for its copies.
void split_edges(ir::Function& f, Webs& webs, const Variables& variables, Report& report);

class Writer {
 public:
  /// Edges that must be are split.
  Writer(ir::Function& f, const Webs& webs, const Variables& variables, Report& report);

  void run();

 private:
  /// One of several that happen at once: from a variable, or if there is none from a value or constant.
  struct Copy {
    ir::VarId to, from;
    ir::Operand value;
    Type type;
  };
  /// What is known to be in a variable, in the block that is being written.
  struct Known {
    uint32_t block = nothing;
    ir::Operand value;
    Type type;
  };

  void write_block(uint32_t b);
  void write_start(uint32_t b);
  ir::Ref write_statement(uint32_t position);
  bool is_copied_early(uint32_t position) const;
  void write_definition(uint32_t node, ir::Operand written, Type type);
  void write_upsilon(uint32_t position);
  void take_out(uint32_t node, uint32_t value);
  void look_at_wide_blocks();
  void add_copies_of(ir::EdgeId e);
  void add_copy(ir::VarId to, ir::VarId from, ir::Operand value);
  bool is_overwritten(ir::VarId variable) const;
  void write_copies();
  void write_moves();
  void finish_kept_phis();

  ir::Operand get(uint32_t variable);
  ir::Operand narrow(uint32_t variable, Type type);
  ir::Operand read(ir::VarId variable, Type type);
  /// The value of an operand of the old function, narrow enough for who reads it.
  ir::Operand read(ir::Operand operand);
  void set(ir::VarId variable, ir::Operand value, Type type);

  ir::Function& f_;
  const Webs& webs_;
  const Variables& variables_;
  Report& report_;
  ir::Relist list_;
  const ir::Stmt* stmts_;  ///< of the old function
  const Type* types_;
  const uint32_t no_variable_;      ///< a number behind those of the variables
  std::vector<uint32_t> held_in_;  ///< by position: the variable that the value lives in
  Stack<uint32_t> words_;          ///< by position: the word for its value from now on
  std::vector<uint32_t> slot_of_;  ///< by position: what an upsilon writes; empty if there is none
  std::vector<Known> known_;       ///< by variable; the last one is nobody's
  std::vector<Type> declared_;     ///< by variable
  bool has_early_copies_ = false;
  std::vector<ir::Ref> kept_;      ///< phis of tokens, whose operands still have their old names
  uint32_t block_ = 0;
  ir::Loc loc_{};
  std::vector<uint32_t> first_column_;  ///< by block: of a wide one, in has_copy_; empty if there is none
  std::vector<bool> has_copy_;          ///< by edge into a wide block
  std::vector<Copy> copies_;
  std::vector<uint32_t> copy_to_;  ///< by variable: the last copy to it, in copies_
  ParallelCopy moves_;
};

}  // namespace braid::dessa
