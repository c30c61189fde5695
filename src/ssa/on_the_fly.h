// SSA while the function is being built (Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form", 2013), without sealing calls.
//
// Reads of a variable inside a block are answered at once. Any other read is one placeholder per (block, variable), a
// statement in the insertion buffer; where all predecessors are known and there is one, it is looked up there first.
// `finish` finds the operands of the placeholders, which may demand more of them, removes those that stand for a single
// value, and leaves the rest as phis: exactly the phis of minimal pruned SSA, also for irreducible graphs. In a handler
// block a placeholder is a phi_c, and the assignments in the regions that it protects become upsilons.
//
// Cost: O(statements + placeholders + phi operands), times a logarithm at worst. Placeholders are at most one per block
// and variable that is live there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "ir/function.h"
#include "ssa/pair_map.h"

namespace braid::ssa {

class OnTheFly {
 public:
  explicit OnTheFly(ir::Function& function) : f_(&function) {}

  /// A variable of this type. Its value at the start of the function is `initial`, which may be undef.
  uint32_t declare(Type type, ir::Operand initial);
  uint32_t variable_count() const { return static_cast<uint32_t>(variables_.size()); }
  Type type(uint32_t variable) const { return variables_[variable].type; }
  ir::Operand initial(uint32_t variable) const { return ir::Operand::from_word(variables_[variable].initial); }

  /// Statements, reads and writes belong to `b` from now on. It may be left and taken up again until edges lead out of it.
  void at(ir::BlockId b);
  ir::Operand read(uint32_t variable) {
    Variable& v = variables_[variable];
    return v.stamp == stamp_ ? ir::Operand::from_word(v.word) : read_slow(variable);
  }
  void write(uint32_t variable, ir::Operand value) {
    Variable& v = variables_[variable];
    if (v.stamp != stamp_) touch(variable);
    v.word = value.word();
    if (has_handlers_) log_write(variable, value);
  }
  /// The same for an assignment that is a statement already, not the end of what the block has.
  void write_at(uint32_t variable, ir::Operand value, ir::Operand assignment) {
    Variable& v = variables_[variable];
    if (v.stamp != stamp_) touch(variable);
    v.word = value.word();
    if (has_handlers_) writes_.push_back({block_, variable, value.word(), assignment});
  }
  /// All edges into the block are there: reads may look into a single predecessor at once.
  void seal(ir::BlockId b) { info_of(b).sealed = true; }
  /// Assignments are remembered from now on: the function has handlers.
  void expect_handlers() { has_handlers_ = true; }
  /// Some variable gets the same value in several places, as definedness does: then several phis may stand for one value
  /// together in any graph, and are looked for.
  void expect_equal_values() { has_equal_values_ = true; }
  /// The block is entered by exceptions.
  void mark_handler(ir::BlockId b) { info_of(b).handler = true; }
  bool is_handler(ir::BlockId b) { return info_of(b).handler; }
  /// The `leave` just appended to the current block.
  void note_leave(ir::Ref leave, uint32_t popped) { leaves_.push_back({block_, leave, popped}); }

  /// Ends the construction; every block has its terminator by now. Phis, phi_cs and upsilons wait in the insertion buffer.
  /// `structured` promises that the graph is reducible and that unreachable code starts in blocks without predecessors;
  /// otherwise both are looked into. Answers a block that was filled before `expect_handlers` although a handler protects
  /// it, so that its assignments are not known; none if all is well.
  ir::BlockId finish(bool structured);

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  struct Variable {
    Type type;
    uint32_t word = 0;  ///< its value in the current block, if the stamp says so
    uint32_t stamp = 0;
    uint32_t initial;
  };
  struct BlockInfo {
    uint32_t first = 0, count = 0;  ///< what it defines or has read, in saved_
    bool sealed = false, handler = false, closed = false;
    bool late = false;              ///< there are entries in late_, which win
    bool unlogged = false;          ///< filled before assignments were remembered
    bool unreachable = false;
  };
  struct Saved {
    uint32_t variable, word;
  };
  struct Placeholder {
    ir::BlockId block;
    uint32_t variable;
  };
  struct Write {
    ir::BlockId block;
    uint32_t variable;
    uint32_t word;
    ir::Operand after;  ///< the last statement of the block before it; undef at the block's start
  };
  struct Leave {
    ir::BlockId block;
    ir::Ref leave;
    uint32_t popped;
  };

  // on_the_fly.cpp
  ir::Operand read_slow(uint32_t variable);
  void touch(uint32_t variable) {
    variables_[variable].stamp = stamp_;
    touched_.push_back(variable);
  }
  void close();
  void log_write(uint32_t variable, ir::Operand value) {
    writes_.push_back({block_, variable, value.word(), f_->last_of(block_)});
  }
  bool find(ir::BlockId b, uint32_t variable, uint32_t& word) const;
  uint32_t read_at_end(ir::BlockId b, uint32_t variable);
  uint32_t new_placeholder(ir::BlockId b, uint32_t variable);
  void save_late(ir::BlockId b, uint32_t variable, uint32_t word) {
    late_.set(b, variable, word);
    info_of(b).late = true;
  }
  BlockInfo& info_of(ir::BlockId b) {
    if (blocks_.size() <= index(b)) grow_blocks(b);
    return blocks_[index(b)];
  }
  void grow_blocks(ir::BlockId b);
  bool look_at_graph(bool structured);

  // resolve.cpp
  void demand_operands();
  bool comes_from_reachable(ir::EdgeId e) const;
  void remove_trivial();
  void settle(uint32_t placeholder);
  void resolve_to(uint32_t placeholder, uint32_t word);
  void watch(uint32_t placeholder, uint32_t word);
  uint32_t resolved(uint32_t word);
  void write_phis();

  // handlers.cpp
  ir::BlockId find_regions();
  void number_regions();
  void demand_upsilons(uint32_t placeholder);
  void write_upsilons();

  ir::Function* f_;
  std::vector<Variable> variables_;
  std::vector<BlockInfo> blocks_;
  std::vector<Saved> saved_;
  PairMap late_;
  std::vector<uint32_t> touched_;  ///< variables with a value in the current block
  ir::BlockId block_ = none_id<ir::BlockId>;
  uint32_t stamp_ = 0, next_stamp_ = 0;
  bool reopened_ = false;
  bool has_handlers_ = false;
  bool has_equal_values_ = false;
  bool complete_ = false;          ///< all edges are there

  std::vector<Placeholder> placeholders_;
  // Filled by `finish`, by placeholder:
  std::vector<uint32_t> first_operand_;  ///< one more than placeholders
  std::vector<uint32_t> operands_;
  std::vector<uint32_t> value_;          ///< its own word, or what it stands for
  struct Search {
    uint32_t witness;                    ///< a value that flows in, or nobody
    uint32_t cursor;                     ///< the operand that is another one
    uint32_t watched;                    ///< the operand at which it watches that
  };
  std::vector<Search> searches_;
  struct Watcher {
    uint32_t placeholder, next;
  };
  std::vector<Watcher> watchers_;
  struct WatcherList {
    uint32_t first = nobody, last = nobody, count = 0;
  };
  std::vector<WatcherList> watched_by_;
  std::vector<uint32_t> work_;

  std::vector<Write> writes_;
  std::vector<Leave> leaves_;
  struct Region {
    ir::BlockId handler;
    uint32_t outer;
    uint32_t first = 0, end = 0;           ///< its and its inner regions' numbers in preorder
  };
  std::vector<Region> regions_;
  std::vector<uint32_t> region_of_write_;
  Csr<uint32_t> regions_of_handler_;       ///< outermost ones, by block
  Csr<uint32_t> writes_of_variable_;       ///< protected ones, by the number of their region, then by time
  struct Upsilon {
    uint32_t phi_c;                        ///< placeholder
    uint32_t operand;                      ///< of the placeholder
    ir::Point point;
  };
  std::vector<Upsilon> upsilons_;
};

}  // namespace braid::ssa
