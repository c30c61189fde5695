// SSA while structured code is being built: conditions and loops, filled block after block. What the Builder does until it
// meets something else: labels, handlers, code that cannot be reached.
//
// The value that each variable has now stands in a table. While a scope is open, a log says what every block assigned and what
// was there before. Where ways meet, the log is walked back to where they parted, and a variable that is not the same on all of
// them gets a phi in its final place at once. At the head of a loop it is not known yet what will change: a variable that is
// read there gets a phi with a number, and so does what has changed when the loop ends. When the last open scope ends, these
// phis get their places, and everything up to there is final: `settle`. Who holds a value from before asks for its name now:
// `current`. A phi counts when something reads it; `finish` drops those that nothing reads. The result has the phis of minimal
// pruned SSA: where a variable was assigned on one of the ways, and what is read later (Cytron et al. 1991, by the structure
// of the code instead of dominance frontiers).
//
// Blocks are numbered as they are filled; an edge to a block that comes later waits in its scope.
//
// Cost: O(1) for each statement, assignment, edge, phi operand, and change of a variable that a scope passes on. The latter
// are counted: `within_budget` says when they are too many, which only deep nests with many variables or exits bring about;
// then `hand_over` gives the function to ssa/on_the_fly.h, which is slower and always linear. A statement in a loop is moved
// once. Asking for the name of a value from a scope that has ended takes O(log loops).
#pragma once

#include <braid/builder.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stack.h"
#include "ir/place_phis.h"
#include "ssa/block_filler.h"
#include "ssa/change_log.h"

namespace braid::ssa {

class OnTheFly;

using Slot = detail::VariableSlot;

class Structured : public BlockFiller {
 public:
  /// Starts with the entry block of a function without blocks. Table and writer are for those who read, assign and append
  /// without a call; they must outlive the construction.
  Structured(BlockEnd& at, detail::VariableTable& table, Symbol entry_name);

  uint32_t declare(Type type, ir::Operand initial);
  uint32_t variable_count() const { return variables_.size(); }
  Type type(uint32_t variable) const { return variables_[variable].type; }
  ir::Operand initial(uint32_t variable) const { return ir::Operand::from_word(variables_[variable].initial); }

  bool within_budget(uint64_t more = 0) { return work_ + more <= budget_ || find_budget() >= work_ + more; }
  /// What `end_loop` is going to add at most, if it is much.
  uint64_t cost_of_loop_end() const {
    if (exits_.size() <= 8 || scopes_.empty() || !scopes_.back().is_loop()) return 0;
    const Loop& loop = loops_[scopes_.back().loop];
    return exits_.size() - loop.exits <= 8 ? 0 : cost_of_exits(loop);
  }

  // What the table does not answer. The block is open; so it is where a scope begins or a block ends.
  uint32_t read(uint32_t variable);
  void write(uint32_t variable, uint32_t word);
  /// The same where the table says that this may be a phi that nothing has read; false if more is to be done.
  bool reads_phi(Slot& slot);

  void begin_if(ir::Operand condition);
  void begin_else();
  void end_if();
  void begin_loop();
  void loop_while(ir::Operand condition);
  void end_loop();
  /// Of the innermost loop; false if there is none.
  bool leave_loop(bool again);
  bool has_scopes() const { return !scopes_.empty(); }
  /// Nothing is there but statements of the entry: no scope has been opened, no variable assigned.
  bool has_only_entry() const {
    if (!scopes_.empty() || f_->block_count() != 1) return false;
    for (uint32_t v = 0; v < slots_.size(); ++v)
      if (slots_[v].word != variables_[v].initial) return false;
    return true;
  }

  /// What a word that was given out before stands for now.
  uint32_t current(uint32_t word) const;
  /// Of a phi without a place, a number that nobody else understands; otherwise none.
  Type type_of_number(ir::Operand operand) const {
    bool is_open = is_numbered(operand.word()) && operand.word() - next_number_ < loop_phis_.size();
    return is_open ? variables_[loop_phis_[operand.word() - next_number_].variable].type : none;
  }

  /// Ends the construction and brings the function to rest; every block has its terminator, no scope is open. Phis have no
  /// location.
  void finish();

  /// What a scope has become, for those who go on with another construction.
  struct OpenScope {
    bool is_loop, has_else;
    ir::BlockId first;  ///< else block or loop head
    ir::BlockId after;  ///< none if nothing leads there yet
  };
  /// Leaves the function with blocks for all edges, and tells `to`, which is new, all that is known. The writer is paused.
  /// Phis that nothing has read so far may be left, with their flag.
  std::vector<OpenScope> hand_over(OnTheFly& to);

 private:
  // The stamp of a loop is the time just before that of its head.
  static constexpr uint32_t taken_up = 0;  ///< the stamp of a slot whose word is a number in merged_
  static uint32_t stamp_of(ir::BlockId b) { return known | (2 * index(b) + 2); }
  static ir::BlockId block_of_stamp(uint32_t stamp) { return static_cast<ir::BlockId>((stamp & ~known) / 2 - 1); }

  struct Variable {
    Type type;
    uint32_t initial;
  };
  /// A variable that a block has assigned, and what it was before; once that was taken back, what it was at the end of the
  /// block. One of `nobody` says that all before it, down to the entry with the number `slot.word`, was taken back.
  using Change = ChangeLog::Change;
  struct Value {
    uint32_t variable, word;
  };
  struct LoopPhi {
    uint32_t variable;
    Slot old;                ///< outside of the loop
    uint32_t value;          ///< its own word, or what it stands for
    uint32_t next;           ///< in the same loop
    uint32_t last;           ///< if it is set: the value at the end of the body, which goes round
    uint32_t first_operand;  ///< in operands_: how many, and each; nobody: they are `old` and `last`, if it is set
    uint32_t row;            ///< the values at the exits, in words_, while the loop ends
    bool is_read, is_set;
    bool has_unread;         ///< an operand may be a phi that nothing has read
  };
  struct Loop {
    ir::BlockId head;
    uint32_t mark;           ///< the log when it began
    uint32_t outer;          ///< the loop around it
    uint32_t exits, values;  ///< exits_ and values_ when it began
    uint32_t first_phi, last_phi, phi_count;
    /// What is from before is from outside.
    uint32_t valid() const { return known | (2 * index(head) + 1); }
  };
  struct JoinPhi {
    uint32_t position, variable;
  };
  /// A way out of a loop or back to its head from within, and what variables changed in the loop are there.
  struct Exit {
    ir::EdgeId edge;
    bool again;
    uint32_t first, end;  ///< in values_
  };
  struct Scope {
    uint32_t mark;                               ///< the log when it began
    uint32_t first_end, second;                  ///< … when its first side had ended, and when the second began
    ir::EdgeId otherwise, then_end;              ///< to the else part, until it begins; from the end of the first side
    ir::BlockId block;                           ///< with which the side began that is being filled
    uint32_t loop = nobody;                      ///< in loops_, if it is one
    bool has_else = false, first_is_block = true;
    bool is_loop() const { return loop != nobody; }
  };
  /// A variable where two ways meet.
  struct Merged {
    uint32_t variable;
    Slot before;
    uint32_t words[2];
    bool is_set[2];  ///< assigned on this side
  };

  /// From this position on, statements that were written up to the next entry stand so much further on.
  struct Move {
    uint32_t position, distance;
  };

  static constexpr uint32_t first_number = detail::first_number;
  static bool is_numbered(uint32_t word) { return word >= first_number; }
  static bool is_stmt(uint32_t word) { return ir::Operand::from_word(word).is_stmt(); }
  LoopPhi& phi_of(uint32_t word) { return loop_phis_[word - next_number_]; }
  uint32_t word_of(uint32_t loop_phi) const { return next_number_ + loop_phi; }
  bool stays(uint32_t loop_phi) const { return loop_phis_[loop_phi].value == word_of(loop_phi); }

  /// There may have come more statements since it was found last.
  uint64_t find_budget() {
    uint64_t statements = std::max(writer_->position, f_->size()) - join_phi_count_;
    return budget_ = 16 * statements + 4096;
  }

  // Blocks.
  void start(ir::EdgeId pred);
  void start(ir::EdgeId first, ir::EdgeId second);
  void take_up(ir::BlockId b);

  // Variables.
  bool is_outside(const Slot& slot) const { return (slot.stamp | known) < valid_; }
  void demand(uint32_t word);
  void demand_number(uint32_t word);
  void note_unread_operand(LoopPhi& phi);
  void demand_operands();
  void enter_loops(uint32_t variable);
  void enter_outer_loops(uint32_t variable);
  void enter_loop(uint32_t loop, uint32_t variable, Slot& slot);
  /// Calls `visit(Change&)` from the last to the first, without what was taken back already.
  template <typename Visit>
  uint32_t for_each_change(uint32_t first, uint32_t end, Visit&& visit);
  void take_back(uint32_t mark, uint32_t end);
  void skip_to(uint32_t mark);
  void note_exit(ir::EdgeId edge, bool again);
  uint64_t cost_of_exits(const Loop& loop) const;
  void log(uint32_t variable, const Slot& before);
  void assign_lazily(uint32_t variable, Slot before, uint32_t word);
  static uint8_t unread_flags(uint32_t first_stamp, uint32_t second_stamp);

  // Where ways meet.
  void assign_again(uint32_t first, uint32_t end);
  void take_side(unsigned side, uint32_t first, uint32_t end);
  void merge();
  template <bool is_last_scope>
  void merge_blocks(uint32_t first, uint32_t first_end, uint32_t second, uint32_t end);
  uint32_t put_phi(uint32_t variable, uint32_t first, uint32_t second, uint8_t flags);
  void note_phi(uint32_t position, uint32_t variable);
  uint32_t put_phi(uint32_t variable, std::span<const uint32_t> words);
  void make_loop_phis(uint32_t number, uint32_t end, bool falls_back);
  void find_operands(const Loop& loop);
  void find_operands_of_many(const Loop& loop, bool falls_back);
  void take_outside(const Loop& loop);
  void go_on_from_head(const Loop& loop);
  void go_on_from(const Loop& loop, const Exit& exit);
  void find_exit_words(const Loop& loop, uint32_t count);
  void meet_exits(const Loop& loop, uint32_t count);

  // The end of the last open scope.
  void settle();
  void place_loop_phis();
  void read_operands();
  void find_copies();
  uint32_t resolved(uint32_t word);
  uint32_t find_places(uint32_t end);
  ir::Renaming new_names() const;
  void write_loop_phis(const ir::Function::Tail& tail, const ir::Renaming& names);

  // The end.
  std::vector<OpenScope> open_scopes();

  Stack<Slot> slots_;                ///< by variable
  Stack<Variable> variables_;
  uint32_t valid_ = start_stamp, own_ = start_stamp;
  uint32_t unread_ = 0;              ///< phis that stand in the function
  uint32_t join_phi_count_ = 0;
  uint64_t work_ = 0, budget_ = 4096;
  ir::BlockId base_{};               ///< the block in which everything was final; its assignments are not in the log

  // Of the open scopes.
  ChangeLog log_;
  Stack<Scope> scopes_;
  uint32_t innermost_ = nobody;      ///< loop, in loops_
  Stack<Value> values_;              ///< at exits
  Stack<Exit> exits_;
  Stack<Merged> merged_;
  Stack<JoinPhi> join_phis_;
  Stack<Loop> loops_;                ///< by their heads
  Stack<LoopPhi> loop_phis_;         ///< by number, from next_number_ on
  Stack<uint32_t> operands_;         ///< of loop phis
  Stack<uint32_t> read_;             ///< phis whose operands are still to be read
  Stack<uint32_t> read_loop_phis_;   ///< … when they are known
  std::vector<uint32_t> words_, crossed_;  ///< for a while
  Stack<uint32_t> places_;           ///< … of statements from the first loop on
  Stack<ir::PhiGap> gaps_;           ///< … the loops with phis
  Stack<uint32_t> staying_;          ///< … and these phis, by number, in the order of their places

  // For those who hold words of scopes that have ended.
  uint32_t next_number_ = first_number;
  Stack<uint32_t> settled_;          ///< by the number of a phi
  Stack<Move> moves_;
};

}  // namespace braid::ssa
