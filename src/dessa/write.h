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

#include <algorithm>
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

class Writer {
 public:
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
    Type declared;  ///< all that it may hold
  };

  void split_edges();
  void write_block(uint32_t b);
  void write_split(uint32_t b, const WebEdge& edge);
  void write_start(uint32_t b);
  ir::Ref write_statement(uint32_t position);
  bool is_copied_early(uint32_t position) const;
  void write_definition(uint32_t node, ir::Operand written, Type type);
  void write_upsilon(uint32_t position);
  void take_out(uint32_t node, uint32_t value);
  void look_at_wide_blocks();
  void add_copies_of(const WebEdge& edge);
  void add_copy(ir::VarId to, ir::VarId from, ir::Operand value);
  bool is_overwritten(ir::VarId variable) const;
  void write_copies();
  void write_moves();
  void finish_kept_phis();

  uint32_t variable_at(uint32_t position) const {
    return std::min(index(variables_.of_node(webs_.node_at(position))), no_variable_);
  }
  ir::Operand get(uint32_t variable);
  ir::Operand narrow(uint32_t variable, Type type);
  ir::Operand read(ir::VarId variable, Type type);
  /// The value of an operand of the old function, narrow enough for who reads it.
  ir::Operand read(ir::Operand operand);
  void set(ir::VarId variable, ir::Operand value, Type type);
  void now_holds(uint32_t variable, ir::Operand value, Type type) {
    Known& known = known_[variable];
    known.block = block_;
    known.value = value;
    known.type = type;
  }

  ir::Function& f_;
  const Webs& webs_;
  const Variables& variables_;
  Report& report_;
  const uint32_t block_count_;  ///< of the old function
  std::vector<WebEdge> split_;  ///< edges with a block on them, one behind the other from then on
  ir::Relist list_;
  const ir::Stmt* stmts_;  ///< of the old function
  const Type* types_;
  const bool has_sources_;
  const uint32_t no_variable_;      ///< a number behind those of the variables
  /// What became of a value that has been written.
  struct Written {
    uint32_t word;      ///< its name from now on
    uint32_t variable;  ///< that it lives in
  };
  Stack<Written> written_;         ///< by position
  std::vector<uint32_t> slot_of_;  ///< by position: what an upsilon writes; empty if there is none
  std::vector<Known> known_;       ///< by variable; the last one is nobody's
  bool has_early_copies_ = false;
  std::vector<ir::Ref> kept_;      ///< phis of tokens, whose operands still have their old names
  uint32_t block_ = 0;
  ir::Loc loc_{};
  std::vector<bool> has_copy_;  ///< by edge into a wide block
  std::vector<Copy> copies_;
  std::vector<uint32_t> copy_to_;  ///< by variable: the last copy to it, in copies_
  ParallelCopy moves_;
};

}  // namespace braid::dessa
