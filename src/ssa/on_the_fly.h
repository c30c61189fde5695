// SSA while the function is being built (Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form", 2013), without sealing calls.
//
// Reads of a variable inside a block are answered at once. Any other read is one placeholder per (block, variable), a
// statement in the insertion buffer; where all predecessors are known and there is one, it is looked up there first.
// `finish` finds the operands of the placeholders, which may demand more of them, removes those that stand for a single
// value, and leaves the rest as phis: exactly the phis of minimal pruned SSA, also for irreducible graphs. In a handler
// block a placeholder is a phi_c, and the assignments in the regions that it protects become upsilons.
//
// Cost: O(statements + placeholders + phi operands); strongly connected components only for irreducible graphs.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/csr.h"
#include "ir/function.h"

namespace braid::ssa {

class OnTheFly {
 public:
  explicit OnTheFly(ir::Function& function) : f_(function) {}

  /// A variable of this type. Its value at the start of the function is `initial`, which may be undef.
  uint32_t declare(Type type, ir::Operand initial);
  uint32_t variable_count() const { return static_cast<uint32_t>(variables_.size()); }
  Type type(uint32_t variable) const { return variables_[variable].type; }

  /// Statements, reads and writes belong to `b` from now on.
  void at(ir::BlockId b);
  ir::BlockId block() const { return block_; }
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
  /// All predecessors of the block are there: reads may look into a single one at once.
  void seal(ir::BlockId b);
  /// Assignments are remembered from now on: the function has handlers.
  void expect_handlers() { has_handlers_ = true; }
  /// The block is entered by exceptions.
  void mark_handler(ir::BlockId b);
  /// The `leave` just appended to the current block.
  void note_leave(ir::Ref leave, uint32_t popped) { leaves_.push_back({block_, leave, popped}); }

  /// Ends the construction; phis, phi_cs and upsilons wait in the insertion buffer. `reducible` spares the search for
  /// redundant groups of phis, which only irreducible graphs have.
  void finish(bool reducible);

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  struct Variable {
    Type type;
    uint32_t word = 0;   ///< its value in the current block, if the stamp says so
    uint32_t stamp = 0;
    uint32_t initial;
  };
  struct BlockInfo {
    uint32_t first = 0, count = 0;  ///< what it defines or has read, in saved_
    bool sealed = false, handler = false, closed = false;
    bool more = false;              ///< there are entries in late_, which win
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
  void touch(uint32_t variable);
  void close();
  void log_write(uint32_t variable, ir::Operand value);
  bool find(ir::BlockId b, uint32_t variable, uint32_t& word) const;
  uint32_t read_at_end(ir::BlockId b, uint32_t variable);
  uint32_t new_placeholder(ir::BlockId b, uint32_t variable);
  void save_late(ir::BlockId b, uint32_t variable, uint32_t word);
  BlockInfo& info_of(ir::BlockId b);

  // resolve.cpp
  void demand_operands();
  void remove_trivial();
  bool settle(uint32_t placeholder, std::vector<uint32_t>& work);
  void watch(uint32_t placeholder, uint32_t word);
  void remove_redundant_groups();
  void process_group(std::span<const uint32_t> group, std::vector<std::vector<uint32_t>>& later);
  uint32_t resolved(uint32_t word);
  void write_phis();

  // handlers.cpp
  void find_regions();
  void demand_upsilons(uint32_t placeholder);
  void write_upsilons();

  ir::Function& f_;
  std::vector<Variable> variables_;
  std::vector<BlockInfo> blocks_;
  std::vector<Saved> saved_;
  std::unordered_map<uint64_t, uint32_t> late_;  ///< (block, variable) -> word
  std::vector<uint32_t> touched_;                ///< variables with a value in the current block
  ir::BlockId block_ = none_id<ir::BlockId>;
  uint32_t stamp_ = 0, next_stamp_ = 0;
  bool reopened_ = false;
  bool has_handlers_ = false;

  std::vector<Placeholder> placeholders_;
  // Filled by `finish`, by placeholder:
  std::vector<uint32_t> first_operand_;  ///< one more than placeholders
  std::vector<uint32_t> operands_;
  std::vector<uint32_t> value_;          ///< its own word, or what it stands for
  std::vector<uint32_t> witness_, cursor_;
  struct Watcher {
    uint32_t placeholder, next;
  };
  std::vector<Watcher> watchers_;
  std::vector<uint32_t> watched_by_;     ///< head of the list of watchers

  std::vector<Write> writes_;
  std::vector<Leave> leaves_;
  struct Region {
    ir::BlockId handler;
    ir::BlockId enter;
    uint32_t outer;
  };
  std::vector<Region> regions_;
  std::vector<uint32_t> region_of_block_;  ///< the innermost at its start
  std::vector<uint32_t> region_of_write_;
  Csr<uint32_t> writes_of_variable_;
  struct Upsilon {
    uint32_t phi_c;     ///< placeholder
    uint32_t word;
    ir::Point point;
  };
  std::vector<Upsilon> upsilons_;
};

}  // namespace braid::ssa
