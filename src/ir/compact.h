// Compaction, as a walk that passes run in.
//
// The old vector is walked once, reachable blocks in an order in which dominators come first; each statement is copied
// once into the result, with its operands renamed. Overwritten statements (`same`, `nothing`) vanish, buffered ones get
// their place, dead edges lose their phi columns, unreachable blocks disappear. A pass that uses the walk sees every
// statement just after it was emitted and may read, change, delete and insert, also behind and ahead (after Julia's
// IncrementalCompact).
//
// Three kinds of names, three types: `Ref` is a finished statement of the result, `OldRef` one of the old function
// (statements inserted ahead count on behind its last), `NewRef` one inserted behind the walk, which waits in the insertion
// buffer of the result. Block and edge ids are those of the old function until `finish`; only finished blocks are worth
// asking about.
//
// Cost: O(statements + edges + phi operands). Only a pass that removes edges behind the walk may cost more: if a finished
// block has become unreachable, or is entered only by later ones, all blocks are moved once more at the end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/analysis.h"
#include "ir/function.h"
#include "ir/order.h"
#include "ir/plain_op.h"

namespace braid::ir {

/// A statement to be inserted by a walk; `words` as the op table says, value operands as the walk names them.
struct Draft {
  Op op;
  Type type = void_type;
  std::span<const uint32_t> words = {};
  Loc loc = {};
  uint8_t flags = 0;
};

struct CompactOptions {
  bool count_uses = false;     ///< keep use counts of the result (`use_count`)
  bool remove_dead = false;    ///< at the end: pure statements without uses become `nothing`; counts uses
  /// A branch or switch on a constant becomes a jump. What is left of a phi may be undefined on all paths then, which
  /// uses of it do not survive: see ir/undef_uses.h.
  bool fold_branches = false;
};

class Compact {
 public:
  using Options = CompactOptions;
  explicit Compact(Function& function, Options options = {});
  ~Compact();
  Compact(const Compact&) = delete;
  Compact& operator=(const Compact&) = delete;

  // ---- the walk ----
  /// Emits the next statement; false when all is emitted.
  bool next() {
    uint32_t at = cursor_.position();
    return (at < plain_end_ && copy_plain(at)) || next_special();
  }
  /// The statement emitted last; it may have been inserted here.
  Ref here() const { return static_cast<Ref>(out_.size() - 1); }
  /// The old name of the statement that the walk visits.
  OldRef old_here() const { return static_cast<OldRef>(visiting_); }
  BlockId block_here() const { return block_; }
  /// Walks the rest, resolves forward references, renumbers blocks and edges, and puts the result into the function.
  void finish();

  /// `for (Ref r : compact)`. Iterators share the progress of the walk.
  struct End {};
  class Iterator {
   public:
    explicit Iterator(Compact& compact) : compact_(&compact) { ++*this; }
    Ref operator*() const { return compact_->here(); }
    Iterator& operator++() {
      done_ = !compact_->next();
      return *this;
    }
    bool operator==(End) const { return done_; }

   private:
    Compact* compact_;
    bool done_ = false;
  };
  Iterator begin() { return Iterator(*this); }
  End end() { return {}; }

  // ---- reading ----
  uint32_t size() const { return out_.size(); }
  const Stmt& stmt(Ref r) const { return out_.stmt(index(r)); }
  const Stmt& stmt(NewRef r) const { return behind_.stmt(index(r)); }
  Op op(Ref r) const { return stmt(r).op; }
  Type type(Ref r) const { return out_.type(index(r)); }
  Loc loc(Ref r) const { return out_.loc(index(r)); }
  std::span<const uint32_t> args(const Stmt& stmt) const {
    if (stmt.is_pooled()) return {pool_.data() + stmt.arg[0], stmt.arg[1]};
    return {stmt.arg, stmt.n};
  }
  Operand operand(Ref r, uint32_t i) const { return Operand::from_word(args(stmt(r))[i]); }
  Operand operand(NewRef r, uint32_t i) const { return Operand::from_word(args(stmt(r))[i]); }
  /// The type of any operand as the walk names it.
  Type type_of(Operand operand) const;
  uint32_t use_count(Ref r) const { return uses_[index(r)]; }
  uint32_t use_count(NewRef r) const { return behind_uses_[index(r)]; }
  /// What the walk has made of an old statement: an operand of the result, or the OldRef itself while it is ahead.
  Operand renamed(OldRef old) const;
  bool is_ahead(OldRef old) const { return rename_[index(old)] == not_yet; }
  const Stmt& stmt(OldRef old) const { return f_.stmt(f_.from_dense(index(old))); }
  Type type(OldRef old) const { return f_.type(f_.from_dense(index(old))); }
  /// A value operand of a statement ahead, as the walk names it.
  Operand operand(OldRef old, uint32_t i) const;
  uint32_t old_size() const { return old_count_; }
  /// The function whose blocks and edges these are. Its statements are the old ones.
  const Function& old_function() const { return f_; }
  bool is_finished(BlockId b) const { return emitted_[index(b)].state == BlockState::closed; }
  /// It could not be reached when the walk began: nothing of it is or will be emitted.
  bool is_gone(BlockId b) const { return emitted_[index(b)].state == BlockState::gone; }
  /// Calls `f(EdgeId)` for each live edge out of `b`, in the order of the terminator.
  template <typename F>
  void for_each_succ(BlockId b, F&& f) const {
    uint32_t t = emitted_[index(b)].terminator;
    if (t == not_yet) return f_.for_each_succ(b, f);
    for_each_word(OperandKind::block, info(out_.stmt(t).op), args(out_.stmt(t)), [&](uint32_t word) {
      if (lives(word)) f(static_cast<EdgeId>(word));
    });
  }
  /// The blocks emitted so far, the one under way too, in order.
  std::span<const BlockId> emitted_blocks() const { return order_; }
  /// The positions of an emitted block in the result.
  std::pair<uint32_t, uint32_t> range(BlockId b) const;
  /// A function of its own with what is finished: blocks not yet emitted are empty and unreachable, forward references
  /// are `undef`, an upsilon whose phi_c is ahead is `nothing`. What lacks operands is marked `unfinished`, so that no rule
  /// is broken by what is still ahead. For printing and verifying at any moment; O(finished).
  Function finished_part() const;
  /// What is emitted, with the blocks and edges of the walk: blocks that are ahead are empty, and operands that are ahead
  /// stay OldRefs. To be shown beside what is ahead, for nothing else; O(emitted + blocks + edges).
  Function emitted_part() const;
  /// Calls `visit(OldRef)` for the statements of a block that are still ahead, in order.
  template <typename F>
  void for_each_ahead(BlockId b, F&& visit) const {
    BlockState state = emitted_[index(b)].state;
    bool is_open = state == BlockState::open;
    if (state == BlockState::closed || state == BlockState::gone || (is_open && skip_rest_)) return;
    BlockCursor rest = cursor_;
    if (!is_open) rest.start(b);
    for (uint32_t dense = rest.next(); dense != BlockCursor::end; dense = rest.next()) visit(static_cast<OldRef>(dense));
  }

  // ---- changing what is finished ----
  void set_operand(Ref r, uint32_t i, Operand value) { set_finished_operand(r, i, value); }
  void set_operand(NewRef r, uint32_t i, Operand value) { set_finished_operand(r, i, value); }
  void set_type(Ref r, Type type) { out_.type(index(r)) = type; }
  void set_flags(Ref r, uint8_t flags) { out_.stmt(index(r)).flags = flags; }
  void set_loc(Ref r, Loc loc) { out_.loc(index(r)) = loc; }
  /// The statement, no terminator, becomes `nothing`, or vanishes if it was emitted just now and nothing names it.
  void erase(Ref r);
  void erase(NewRef r) { put(r, {Op::nothing}); }
  /// All uses stand for `value` from now on.
  void replace(Ref r, Operand value);
  void replace(NewRef r, Operand value);
  /// A terminator can be overwritten by one that goes nowhere (ret, throw, deopt, unreachable): its edges are removed.
  void overwrite(Ref r, const Draft& draft);
  void overwrite(NewRef r, const Draft& draft);

  // ---- changing what is ahead ----
  void set_operand(OldRef old, uint32_t i, Operand value);
  void set_loc(OldRef old, Loc loc) { f_.set_loc(f_.from_dense(index(old)), loc); }
  void erase(OldRef old);
  void replace(OldRef old, Operand value);

  /// Adds an upsilon to the operands of a phi_c, wherever they stand.
  void add_upsilon(Operand phi_c, Operand upsilon);

  // ---- inserting ----
  /// As the next statement of the result. It is not visited.
  Ref insert_here(const Draft& draft);
  /// Ends the block here with a terminator that goes nowhere (ret, throw, deopt, unreachable); the rest of it is dropped.
  Ref end_block_here(const Draft& draft);
  /// Behind the walk. Waits in the insertion buffer of the result.
  NewRef insert_before(Ref anchor, const Draft& draft) { return insert_behind(Point::Side::before, anchor, draft); }
  NewRef insert_after(Ref anchor, const Draft& draft) { return insert_behind(Point::Side::after, anchor, draft); }
  NewRef insert_before(NewRef anchor, const Draft& draft) { return insert_behind(Point::Side::before, anchor, draft); }
  NewRef insert_after(NewRef anchor, const Draft& draft) { return insert_behind(Point::Side::after, anchor, draft); }
  /// Ahead of the walk, which will visit it. The anchor is ahead; for `insert_after` it may be the one visited now.
  OldRef insert_before(OldRef anchor, const Draft& draft);
  OldRef insert_after(OldRef anchor, const Draft& draft);
  /// At the start of a block that is ahead.
  OldRef insert_phi(BlockId b, const Draft& draft);

  // ---- the graph ----
  // A block that could not be reached when the walk began is gone: no edge can lead there.
  void remove_edge(EdgeId e);
  BlockId split_edge(EdgeId e, Symbol name = none_id<Symbol>);
  EdgeId redirect_edge(EdgeId e, BlockId to);
  /// A new block. The walk comes to it when an edge leads there.
  BlockId new_block(Symbol name = none_id<Symbol>);
  void set_block_name(BlockId b, Symbol name) { f_.set_block_name(b, name); }
  /// At the end of a new block that has no terminator yet.
  OldRef append(BlockId b, const Draft& draft);
  /// The terminator of a new block; block numbers in block slots.
  void terminate(BlockId b, const Draft& draft);
  /// As Function::clone_blocks. The block under way cannot be copied. An emitted phi of one column is its operand by then,
  /// so a finished block with a single predecessor has none that could tell the copy's value from the original's.
  std::vector<BlockId> clone_blocks(std::span<const BlockId> blocks);

  /// When it is finished: what of the function is as it was before. If edits were made while walking, they come on top.
  Analysis unchanged() const { return unchanged_; }

  /// Statements copied from the old vector and its buffer into the result: at most one copy each.
  uint64_t copied() const { return copied_; }
  /// Statements moved at the end because edges were removed behind the walk.
  uint64_t moved() const { return moved_; }

 private:
  friend struct WalkCloneHost;

  static constexpr uint32_t not_yet = 0xffffffffu;
  enum class BlockState : uint8_t {
    gone,      ///< not reachable when the walk began, or at its end
    ahead,
    deferred,  ///< its turn came, but no finished block led to it
    open,
    closed
  };
  struct Emitted {
    uint32_t first = 0, end = 0;
    uint32_t terminator = not_yet;                ///< position in the result
    uint32_t behind_phis = Block::no_range;       ///< phis inserted behind, a chain in behind_phis_
    BlockId number = none_id<BlockId>;            ///< in the result, given at the end
    BlockState state = BlockState::ahead;
  };
  struct BehindPhi {
    NewRef phi;
    uint32_t next;
  };

  // compact_blocks.cpp: their order
  template <typename F>
  uint32_t reverse_post_order(std::vector<BlockId>& order, F&& terminator_of);
  void order_blocks();
  void order_again();
  BlockId next_block();
  bool has_emitted_pred(BlockId b) const;
  bool drop_dead_preds(BlockId b);
  void drop_dead_columns(BlockId b);
  void note_reached(BlockId b);
  void note_successors(BlockId b);
  bool lives(uint32_t edge) const {
    return edge != index(none_id<EdgeId>) && !f_.edge(static_cast<EdgeId>(edge)).dead;
  }
  void remove_target(uint32_t edge) {
    if (edge != index(none_id<EdgeId>)) f_.edges_[static_cast<EdgeId>(edge)].dead = true;
    graph_changed_ = true;
  }
  /// Every edge is alive and leaves a block that can be reached.
  bool is_whole() const { return began_whole_ && !graph_changed_; }

  // compact.cpp: the walk
  /// Visits the cursor's next statement, below `plain_end_`, if it needs nothing but final names for its operands, as almost
  /// all do. Answers whether it did.
  [[gnu::always_inline]] bool copy_plain(uint32_t dense) {
    const Columns& from = f_.columns_;
    const Stmt& old = from.stmt(dense);
    const PlainOp& plain = plain_ops[static_cast<unsigned>(old.op)];
    uint32_t a = old.arg[0], b = old.arg[1];
    if (a < plain.names[0]) [[likely]] a = rename_.data()[a];
    if (b < plain.names[1]) [[likely]] b = rename_.data()[b];
    if (!plain.is_plain() || a >= PlainOp::first_name_ahead || b >= PlainOp::first_name_ahead) return false;
    uint32_t position = out_.push_in_room(old, a, b, from.type(dense), from.loc(dense));
    rename_.data()[dense] = position;  // the word of Ref(position)
    ++copied_;
    visited_position_ = position;
    visiting_ = dense;
    cursor_.skip_one();
    return true;
  }
  /// Up to where `copy_plain` will do, as the walk stands now.
  void set_plain_end() {
    plain_end_ = is_plain_ && !skip_rest_ ? std::min(cursor_.run_end(), cursor_.position() + out_.room()) : 0;
  }
  void leave_plain() {
    is_plain_ = false;
    plain_end_ = 0;
  }
  bool open_next_block();
  bool start_next_block();
  void close_block();
  bool copy_flow(uint32_t dense);
  bool next_special();
  bool emit(uint32_t dense);
  void mark_refined(Stmt& stmt);
  bool emit_special(uint32_t dense, const Stmt& stmt);
  bool emit_phi(uint32_t dense, const Stmt& stmt);
  bool emit_list(uint32_t dense, const Stmt& stmt);
  bool emit_terminator(uint32_t dense, const Stmt& stmt);
  bool emit_copy(uint32_t dense, const Stmt& stmt);
  bool fold_terminator(Stmt& stmt);
  void drop(uint32_t dense, Operand meaning, bool narrower);
  uint32_t map_word(uint32_t word, bool& late);
  void note_emitted(uint32_t dense, uint32_t position);
  /// Emits `head` with these operand words.
  void push(uint32_t dense, const Stmt& head, uint32_t a, uint32_t b, uint32_t c, bool late);
  void push(uint32_t dense, const Stmt& stmt, bool late) {
    push(dense, stmt, stmt.arg[0], stmt.arg[1], stmt.arg[2], late);
  }
  void count_use(Operand operand, uint32_t change) {
    if (operand.is_stmt()) uses_[operand.number()] += change;
    if (operand.is_pending()) behind_uses_[operand.number()] += change;
  }
  void count_uses(const Stmt& stmt, uint32_t change);

  // compact_part.cpp
  Function emitted_statements() const;

  // compact_names.cpp: what names stand for
  Operand walk_name(Operand waiting) const;
  uint32_t follow(Operand name, bool& late);
  Stmt& old_stmt(uint32_t dense) {
    return dense < old_count_ ? f_.columns_.stmt(dense) : f_.pending_.stmt(dense - old_count_);
  }
  Type old_type(uint32_t dense) const { return f_.type(f_.from_dense(dense)); }

  // compact_edit.cpp: what passes do with statements
  uint32_t finished_word(Operand name, bool& late);
  Inst finished_inst(const Draft& draft, bool& late);
  uint32_t waiting_word(uint32_t word);
  Inst waiting_inst(const Draft& draft);
  Stmt& finished_stmt(Operand id) { return id.is_stmt() ? out_.stmt(id.number()) : behind_.stmt(id.number()); }
  void set_finished_operand(Operand id, uint32_t i, Operand value);
  void put(Operand id, const Draft& draft);
  Ref push_here(const Draft& draft);
  NewRef insert_behind(Point::Side side, Operand anchor, const Draft& draft);
  uint32_t add_pending(const Point& point, const Inst& inst);

  // compact_graph.cpp: what passes do with blocks and edges
  BlockId block_of(Ref r) const;
  Stmt& terminator_of(BlockId b, bool& in_result);
  EdgeId add_edge(BlockId from, BlockId to, EdgeKind kind, uint32_t slot);
  void set_edge_target(BlockId from, uint32_t slot, EdgeId e);

  // compact_finish.cpp
  void resolve_late();
  bool order_is_sound() const;
  void move_blocks();
  void strip_columns();
  void clean_switches();
  void match_upsilons();
  void remove_dead();
  bool use_counts_are_right() const;
  bool blocks_stay() const;
  bool statements_stay() const;
  bool edges_stay() const;
  void renumber();
  void keep_numbers();
  static void place_block(Block& block, const Emitted& emitted);
  void put_result();

  Function& f_;
  Options options_;
  uint32_t old_count_;      ///< statements of the old vector
  uint32_t static_blocks_;  ///< blocks at the start
  bool finished_ = false;
  Analysis unchanged_ = Analysis::none;

  Columns out_;
  std::vector<uint32_t> pool_;
  std::vector<VarId> source_variables_;
  std::vector<uint32_t> rename_;   ///< dense old id -> operand word, or not_yet
  std::vector<uint8_t> narrower_;  ///< dense old id -> its replacement knows more; empty while none does
  std::vector<uint32_t> uses_, behind_uses_;
  std::vector<Ref> late_;          ///< finished statements with operands that are ahead
  Columns behind_;
  std::vector<Point> behind_points_;
  std::vector<BlockId> behind_blocks_;
  std::vector<BehindPhi> behind_phis_;
  bool has_upsilons_ = false;
  bool has_holes_ = false;         ///< finished statements were erased or replaced
  bool has_folded_ = false;        ///< a branch or switch became a jump

  PendingLists lists_;
  BlockCursor cursor_;
  std::vector<BlockId> static_order_;
  uint32_t static_next_ = 0;
  std::vector<BlockId> ready_;
  uint32_t ready_next_ = 0;
  std::vector<Emitted> emitted_;  ///< by old block number
  std::vector<BlockId> order_;
  std::vector<uint32_t> kept_;    ///< scratch: phi columns, operands
  BlockId block_ = none_id<BlockId>;
  bool in_block_ = false;
  bool skip_rest_ = false;
  bool began_whole_ = false;      ///< every edge was alive and left a reachable block when the walk began
  bool graph_changed_ = false;    ///< edges died or blocks came since the walk began
  bool is_plain_ = true;          ///< no uses to count, no source variables, no holes, no value that became narrower
  uint32_t plain_end_ = 0;        ///< `copy_plain` will do up to this position of the old vector
  uint32_t visiting_ = not_yet;
  uint64_t copied_ = 0, moved_ = 0;
  uint32_t visited_position_ = not_yet;  ///< where in the result the visited statement stands
  uint32_t named_position_ = not_yet;    ///< the last visited one that an edit has named: it must keep its place
};

/// Full compaction. Answers what of the function is as it was before.
Analysis compact(Function& function, CompactOptions options = {});

}  // namespace braid::ir
