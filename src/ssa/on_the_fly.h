// SSA while the function is being built (Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form", 2013), without sealing calls.
//
// The value that each variable has now stands in a table. A block with one predecessor goes on with the table as the
// predecessor left it; going back to an earlier block undoes the assignments since then, from a log. Where the ways from a
// block meet again, only what was assigned on them is forgotten. What is not known at a block that several ways lead to is
// one placeholder per block and variable, made when it is read. `finish` finds the operands of the placeholders, which may
// demand more of them, removes those that stand for a single value, and leaves the rest as phis: exactly the phis of minimal
// pruned SSA, also for irreducible graphs. In a handler block a placeholder is a phi_c, and the assignments in the regions
// that it protects become upsilons.
//
// Many variables that live in many blocks would have a placeholder almost everywhere. When `finish` has looked for more operands
// than a small multiple of what was written, it makes ways round the blocks that do not assign a variable (ssa/shortcuts.h), and
// goes from one assignment or phi to the other.
//
// Cost: O(statements + blocks + edges + assignments + placeholders + phi operands), times a logarithm at worst. Placeholders are
// at most one per block and variable that is live there; beyond that multiple, only where there is no way round: where a phi is
// needed, and where a block that assigns the variable is numbered between a block and its dominator (flow/bypass.h) although no
// way leads through it.
#pragma once

#include <braid/builder.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.h"
#include "ir/function.h"
#include "ssa/pair_map.h"
#include "ssa/redundant_phis.h"
#include "ssa/shortcuts.h"
#include "ssa/variable_row.h"

namespace braid::ssa {

using Slot = detail::VariableSlot;

class OnTheFly {
 public:
  /// The table is for those who read and assign without a call; it must outlive the construction.
  OnTheFly(ir::Function& function, detail::VariableTable& table) : f_(&function), table_(&table) {
    table.is_structured = false;
    // Most functions have a few variables: one allocation each instead of four.
    constexpr size_t few = 16;
    slots_.reserve(few);
    variables_.reserve(few);
    log_.reserve(few);
    saved_.reserve(few);
    cached_.reserve(few);
  }

  /// A variable of this type. Its value at the start of the function is `initial`, which may be undef.
  uint32_t declare(Type type, ir::Operand initial);
  uint32_t variable_count() const { return static_cast<uint32_t>(variables_.size()); }
  Type type(uint32_t variable) const { return variables_[variable].type; }
  ir::Operand initial(uint32_t variable) const { return ir::Operand::from_word(variables_[variable].initial); }

  /// Statements, reads and writes belong to `b` from now on. It may be left and taken up again until edges lead out of it.
  void at(ir::BlockId b) {
    if (b != block_) enter(b);
    table_->valid = valid_;
    table_->own = has_handlers_ ? never : own_;
    table_->stamp = own_;
  }
  /// The table answers nothing until the next `at`.
  void pause() { table_->valid = table_->own = never; }
  ir::Operand read(uint32_t variable) {
    const Slot& slot = slots_[variable];
    return ir::Operand::from_word(slot.stamp >= valid_ ? slot.word : read_slow(variable));
  }
  void write(uint32_t variable, ir::Operand value) {
    set(variable, value);
    if (has_handlers_) writes_.push_back({block_, variable, value.word(), f_->last_of(block_)});
  }
  /// The same for an assignment that is a statement already, not the end of what the block has.
  void write_at(uint32_t variable, ir::Operand value, ir::Operand assignment) {
    set(variable, value);
    if (has_handlers_) writes_.push_back({block_, variable, value.word(), assignment});
  }
  /// All edges into the block are there: reads may look into a single predecessor at once.
  void seal(ir::BlockId b) { info_of(b).sealed = true; }

  /// The end of the current block, which all that follows comes through until a block where the ways meet again.
  struct Mark {
    uint32_t link, time;
    uint32_t changed, second;  ///< what was changed since, and behind `second_side`, in changed_
  };
  Mark mark() {
    ++open_marks_;
    uint32_t changed = static_cast<uint32_t>(changed_.size());
    return {static_cast<uint32_t>(chain_.size()) - 1, time_, changed, changed};
  }
  /// Goes back to the mark: like `at`, for a block that the marked one leads to and nothing else.
  void second_side(Mark& mark, ir::BlockId b);
  /// Like `at`, for a block with all its edges, each of them from what was done since the mark, or from the marked block.
  /// `sides`: the first edge is from what was done up to `second_side`, or the marked block if that is nothing, the second
  /// from what was done behind it, and there is no other.
  void meet(const Mark& mark, ir::BlockId b, bool sides);
  /// Instead of `meet`, if nothing goes on from there.
  void drop(const Mark&) { --open_marks_; }
  /// All edges into a loop head are there: one from the marked block, the others from what was done since; `falls_back`: the
  /// last one from the current block.
  void seal_loop(const Mark& mark, ir::BlockId head, bool falls_back);

  /// Assignments are remembered from now on: the function has handlers.
  void expect_handlers() {
    has_handlers_ = true;
    table_->own = never;
  }
  bool remembers_assignments() const { return has_handlers_; }
  /// Some variable gets the same value in several places, as definedness does: then several phis may stand for one value
  /// together in any graph, and are looked for.
  void expect_equal_values() { may_have_groups_ = true; }
  /// All blocks and edges are there already, and these are ways round most of them.
  void use_shortcuts(Shortcuts shortcuts) { shortcuts_ = std::move(shortcuts); }
  /// The block is entered by exceptions.
  void mark_handler(ir::BlockId b) { info_of(b).handler = true; }
  bool is_handler(ir::BlockId b) { return info_of(b).handler; }
  /// The `leave` just appended to the current block.
  void note_leave(ir::Ref leave, uint32_t popped) { leaves_.push_back({block_, leave, popped}); }

  struct Outcome {
    /// A block that was filled before `expect_handlers` although a handler protects it, so that its assignments are not
    /// known; none if all is well.
    ir::BlockId unlogged = none_id<ir::BlockId>;
  };
  /// Ends the construction; every block has its terminator by now. Phis, phi_cs and upsilons wait in the insertion buffer then.
  /// `structured` promises that the graph is reducible, and that unreachable code starts in blocks without predecessors;
  /// otherwise all of it is looked into.
  Outcome finish(bool structured);

  // A function that another construction has begun, which tells what is known; then comes `at`.
  /// Its blocks so far. All edges into them are there, except into the heads of open loops.
  void adopt_blocks(const std::vector<bool>& is_open_head);
  /// The same for blocks that assign nothing and may get more edges.
  void adopt_blocks_without_assignments(uint32_t count);
  /// A phi there, which something reads or not: the next one in the insertion buffer. Answers its word.
  uint32_t adopt_phi(ir::BlockId b, uint32_t variable, bool is_read);
  struct Saved {
    uint32_t variable, word;
  };
  /// What the variables are at the end of a block that assigns them.
  void adopt_values(ir::BlockId b, std::span<const Saved> values);

  /// For the log. A placeholder is known by its number in the insertion buffer.
  uint32_t placeholder_count() const { return static_cast<uint32_t>(placeholders_.size()); }
  ir::BlockId block_of_placeholder(uint32_t p) const { return placeholders_[p].block; }
  uint32_t variable_of_placeholder(uint32_t p) const { return placeholders_[p].variable; }
  /// After `finish`: of a phi, one word per edge into its block; and what it stands for, itself if it stays.
  std::span<const uint32_t> operands_of_placeholder(uint32_t p) const {
    return phis_.operands(p);
  }
  uint32_t value_of_placeholder(uint32_t p) const { return phis_.value(p); }
  /// The block whose end it reads, instead of one operand per edge; none if it does not.
  ir::BlockId above_placeholder(uint32_t p) const { return placeholders_[p].above; }
  /// `visit(phi_c, word, point)`.
  template <typename Visit>
  void for_each_upsilon(Visit&& visit) const {
    for (const Upsilon& u : upsilons_) visit(u.phi_c, phis_.operands(u.phi_c)[u.operand], u.point);
  }

 private:
  static constexpr uint32_t nobody = 0xffffffffu, never = 0xffffffffu;
  static constexpr uint32_t unknown = ir::Operand::erased().word();
  struct Variable {
    Type type;
    uint32_t initial;
    uint32_t written = 0;  ///< the stamp of the last block that assigned it
  };
  struct BlockInfo {
    uint32_t first = 0, count = 0;                   ///< what it assigns, in saved_
    ir::BlockId parent = none_id<ir::BlockId>;       ///< has what was not assigned …
    uint32_t since = 0;                              ///< … from this time on
    uint32_t link = nobody;                          ///< where it is or was in the chain
    uint32_t placeholders = nobody;                  ///< a list
    uint32_t placeholder_count = 0;
    uint32_t demanded = nobody;                      ///< of the list: from here on operands were asked for
    bool waits = false;                              ///< it is in waiting_
    uint32_t row = nobody;                           ///< of rows_, if there are many placeholders
    bool sealed = false, handler = false, closed = false;
    bool late = false;                               ///< there are entries in late_, which win
    bool unlogged = false;                           ///< filled before assignments were remembered
    bool dead = false;                               ///< no way from the entry led to it when it was started
    bool unreachable = false;
  };
  /// Blocks from which the current state was reached. A root is one whose state at the start was not that of the link below:
  /// stamps before `valid` mean nothing in it and above.
  struct Link {
    ir::BlockId block;
    uint32_t log;     ///< the log before it
    uint32_t cached;  ///< entries of cached_ before it
    uint32_t root;    ///< the topmost root up to it
    uint32_t valid;
  };
  /// A slot before it was changed.
  struct Undo {
    uint32_t variable;
    Slot old;
  };
  struct Placeholder {
    ir::BlockId block;
    uint32_t variable;
    uint32_t next_in_block;
    uint32_t known[2] = {unknown, unknown};  ///< operands, if there are two
    ir::BlockId above = none_id<ir::BlockId>;  ///< it is the value at the end of this block: nothing between assigns it
  };
  /// A variable whose value at a block is to be found when it is read, and what is known of it.
  struct Forgotten {
    ir::BlockId block;
    uint32_t known[2];        ///< at the ends of the sides
    uint32_t assigned;        ///< bit i: side i assigns it
  };
  struct Changed {
    uint32_t variable, word;  ///< its last value, or unknown
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
  void set(uint32_t variable, ir::Operand value) {
    Slot& slot = slots_[variable];
    if (slot.stamp == own_)
      slot.word = value.word();
    else
      set_slow(variable, value.word());
  }
  void set_slow(uint32_t variable, uint32_t word);
  uint32_t read_slow(uint32_t variable);
  bool is_known_below(uint32_t root, const Slot& slot) const;
  void enter(ir::BlockId b);
  void begin(ir::BlockId b, BlockInfo& info);
  void leave();
  void sort_saved(const BlockInfo& info);
  void push_link(ir::BlockId b, bool is_root);
  void pop_links(uint32_t size, bool at_end_of_side);
  void forget(const Mark& mark, ir::BlockId b, bool sides);
  bool is_parents(const BlockInfo& info, uint32_t variable) const {
    return !is_none(info.parent) && variables_[variable].written < info.since;
  }
  bool has_single_pred(ir::BlockId b, const BlockInfo& info) const {
    return (info.sealed || complete_) && !info.handler && f_->block(b).pred_count == 1;
  }
  bool find(ir::BlockId b, uint32_t variable, uint32_t& word) const;
  uint32_t read_at_end(ir::BlockId b, uint32_t variable);
  uint32_t new_placeholder(ir::BlockId b, uint32_t variable);
  BlockInfo& info_of(ir::BlockId b) {
    if (blocks_.size() <= index(b)) grow_blocks(b);
    return blocks_[index(b)];
  }
  void grow_blocks(ir::BlockId b);
  void look_at_graph(bool structured);

  // resolve.cpp
  void demand_operands();
  void demand_operands_of(uint32_t placeholder);
  void find_shortcuts();
  void wait(ir::BlockId b) {
    if (std::exchange(blocks_[index(b)].waits, true)) return;
    waiting_.push_back(b);
  }
  bool comes_from_reachable(ir::EdgeId e) const;
  void write_phis();

  // handlers.cpp
  ir::BlockId find_regions();
  void number_regions();
  void demand_upsilons(uint32_t placeholder);
  void write_upsilons();

  ir::Function* f_;
  detail::VariableTable* table_;
  std::vector<Slot> slots_;        ///< by variable
  std::vector<Variable> variables_;
  std::vector<BlockInfo> blocks_;
  std::vector<Saved> saved_;
  PairMap late_;
  std::vector<std::pair<ir::BlockId, uint32_t>> late_pairs_;  ///< its keys, some of them more than once
  std::vector<VariableRow> rows_;      ///< placeholders of blocks that have many of them
  std::vector<Link> chain_;
  std::vector<Undo> log_, cached_;
  std::vector<Changed> changed_;   ///< variables whose assignments were undone, for `meet`
  uint32_t all_unknown_ = 0;       ///< up to here, words in changed_ are unknown
  std::vector<Forgotten> forgotten_;
  uint32_t open_marks_ = 0;
  ir::BlockId block_ = none_id<ir::BlockId>;
  uint32_t block_log_ = 0;         ///< the log when the block began
  uint32_t valid_ = never, own_ = never, time_ = 0;
  bool has_handlers_ = false;
  bool may_have_groups_ = false;   ///< of phis that stand for one value
  bool has_orphans_ = false;
  bool complete_ = false;          ///< all edges are there

  std::vector<Placeholder> placeholders_;
  PhiCandidates phis_;                   ///< beside them; `finish` finds the operands
  std::vector<ir::BlockId> waiting_;     ///< `finish`: blocks with placeholders whose operands are not known
  Shortcuts shortcuts_;                  ///< given, or made in `finish` when it turns out that they pay
  uint32_t made_before_shortcuts_ = 0;   ///< placeholders, then

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
    uint32_t operand;                      ///< of it
    ir::Point point;
  };
  std::vector<Upsilon> upsilons_;
};

}  // namespace braid::ssa
