// A function: statements in one flat vector, blocks as ranges of it, edges, and the insertion buffer.
//
// A *position* in the vector is a statement's number. At rest every block is one range, blocks stand in an order in which
// dominators come first, and the insertion buffer is empty; `compact` (ir/compact.h) brings a function there. While a
// function is built or edited a block may be several ranges, statements may be `nothing` or `same`, edges may be dead, and
// statements may wait in the insertion buffer. Everything that reads a function copes with both.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "base/id_map.h"
#include "base/stack.h"
#include "base/symbol_table.h"
#include "ir/columns.h"
#include "ir/module.h"
#include "ir/words.h"

namespace braid::ir {

/// What reading an undefined variable means.
enum class UndefMeaning : uint8_t {
  throws,  ///< the exception `undefined`
  zero,    ///< the zero of its type
  reject,  ///< the front end has proved that it does not happen; an engine traps
};

struct Variable {
  Symbol name;
  Type type;
  UndefMeaning undef = UndefMeaning::throws;
};

/// What may stand between and before the phis of a block.
inline bool may_precede_phi(Op op) { return is_phi_like(op) || op == Op::nothing || op == Op::same; }

enum class EdgeKind : uint32_t { normal, exceptional };

/// One way from the terminator of `from` to `to`. It is also one column of the phis of `to`: number `pred_index`.
struct Edge {
  // Braces would not let a number into a field of 30 bits.
  Edge(BlockId from, BlockId to, EdgeId next_pred, uint32_t pred_index, uint32_t slot, EdgeKind kind, bool dead)
      : from(from), to(to), next_pred(next_pred), pred_index(pred_index), slot(slot), kind(kind), dead(dead) {}

  BlockId from, to;
  EdgeId next_pred;  ///< the next edge into `to`
  uint32_t pred_index;
  uint32_t slot : 30;  ///< which operand of the terminator it is
  EdgeKind kind : 1;
  uint32_t dead : 1;
};
static_assert(sizeof(Edge) == 20, "there are more edges than blocks");

struct Block {
  uint32_t first = 0, end = 0;        ///< the first range of positions
  uint32_t more = no_range;           ///< further ranges, a chain in Function::ranges_
  EdgeId first_pred = none_id<EdgeId>, last_pred = none_id<EdgeId>;
  uint32_t pred_count = 0;            ///< edges in the list, dead ones too: the operand count of its phis
  Operand terminator;                 ///< `undef` while there is none
  Symbol name = none_id<Symbol>;

  static constexpr uint32_t no_range = 0xffffffffu;
};
static_assert(sizeof(Block) == 32, "what few blocks have is kept beside them");

/// A place for a new statement. Statements at equal points keep the order in which they were inserted.
class Point {
 public:
  enum class Side : uint8_t { before, after, block_phis, block_end };

  Point(Side side, Operand anchor) : side(side), word_(anchor.word()) { assert(!of_block()); }
  Point(Side side, BlockId block) : side(side), word_(index(block)) { assert(of_block()); }

  Side side;
  bool of_block() const { return side >= Side::block_phis; }
  /// The statement, in the vector or in the buffer, before or after which the place is.
  Operand anchor() const { return Operand::from_word(word_); }
  /// The block whose phis or end the place is.
  BlockId block() const { return static_cast<BlockId>(word_); }

 private:
  uint32_t word_;
};

class Function {
 public:
  Function(Module& module, FuncId id, Symbol name, SigId signature, bool external);

  // ---- identity ----
  Module& module() const { return *module_; }
  FuncId id() const { return id_; }
  Symbol name() const { return name_; }
  std::string_view name_text() const { return module_->name(name_); }
  bool is_external() const { return external_; }
  SigId signature_id() const { return signature_; }
  const Signature& signature() const { return module_->signature(signature_); }
  Type result_type() const { return signature().result; }
  uint32_t param_count() const { return static_cast<uint32_t>(signature().params.size()); }
  Type param_type(uint32_t i) const { return signature().params[i]; }
  std::vector<Symbol> param_names;  ///< may be shorter than the parameters; none_id is "no name"
  IdMap<VarId, Variable> variables;
  Traits external_traits = any_effect;  ///< of an external function: what calling it may do
  uint32_t frames = 1;                  ///< what a call of it counts towards a limit of depth
  uint32_t inlined_frames = 0;          ///< … and what calls that were inlined would count, one inside of the other

  // ---- reading statements ----
  uint32_t size() const { return columns_.size(); }
  uint32_t pending_count() const { return pending_.size(); }
  /// One number for statements in the vector and in the buffer: position, or size() + number in the buffer.
  uint32_t dense_count() const { return size() + pending_count(); }
  uint32_t dense(Operand id) const { return id.is_stmt() ? id.number() : size() + id.number(); }
  Operand from_dense(uint32_t dense) const {
    return dense < size() ? Operand(static_cast<Ref>(dense)) : Operand(static_cast<NewRef>(dense - size()));
  }
  /// `id` names a statement of the vector or of the insertion buffer.
  const Stmt& stmt(Operand id) const {
    return id.is_stmt() ? columns_.stmt(id.number()) : pending_.stmt(index(id.new_ref()));
  }
  Op op(Operand id) const { return stmt(id).op; }
  Type type(Operand id) const { return id.is_stmt() ? columns_.type(id.number()) : pending_.type(id.number()); }
  Loc loc(Operand id) const { return id.is_stmt() ? columns_.loc(id.number()) : pending_.loc(id.number()); }
  Inst inst(Operand id) const { return {stmt(id), type(id), loc(id)}; }
  /// The type of any value operand; `none` for undef and erased.
  Type type_of(Operand operand) const;
  const Columns& columns() const { return columns_; }
  std::span<const Point> points() const { return points_; }

  /// The operand words of a statement of this function.
  std::span<const uint32_t> args(const Stmt& stmt) const {
    if (stmt.is_pooled()) return {pool_.data() + stmt.arg[0], stmt.arg[1]};
    return {stmt.arg, stmt.n};
  }
  uint32_t operand_count(const Stmt& stmt) const { return stmt.is_pooled() ? stmt.arg[1] : stmt.n; }
  uint32_t arg(const Stmt& stmt, uint32_t i) const { return args(stmt)[i]; }
  Operand operand(const Stmt& stmt, uint32_t i) const { return Operand::from_word(arg(stmt, i)); }
  Operand operand(Operand id, uint32_t i) const { return operand(stmt(id), i); }
  /// What `same` statements stand for, followed to the end; a ring of them gives `erased`.
  Operand resolve(Operand operand) const;
  /// The traits of a statement, with declared effects of intrinsics and externals, with what reading an undefined variable
  /// does, and without `throws` where it cannot.
  Traits traits(Operand id) const { return traits(stmt(id), args(stmt(id))); }
  /// The same for a statement that may stand elsewhere, with these operand words.
  Traits traits(const Stmt& stmt, std::span<const uint32_t> words) const;

  /// The source variable of a value, if the column is there.
  VarId source_variable(Operand id) const {
    return source_variables_.empty() || !id.is_stmt() || id.number() >= source_variables_.size()
               ? none_id<VarId>
               : source_variables_[id.number()];
  }
  void set_source_variable(Ref r, VarId variable);
  bool has_source_variables() const { return !source_variables_.empty(); }

  // ---- reading blocks and edges ----
  uint32_t block_count() const { return static_cast<uint32_t>(blocks_.size()); }
  uint32_t edge_count() const { return static_cast<uint32_t>(edges_.size()); }
  static constexpr BlockId entry() { return BlockId{0}; }
  const Block& block(BlockId b) const { return blocks_[b]; }
  const Edge& edge(EdgeId e) const { return edges_[e]; }
  Operand terminator(BlockId b) const { return blocks_[b].terminator; }
  /// A successor that cannot be reached from here, kept to be shown; mostly there is none.
  BlockId impossible(BlockId b) const { return index(b) < impossible_.size() ? impossible_[index(b)] : none_id<BlockId>; }
  /// The block of a statement. O(1) after the first call; a buffered one by its place.
  BlockId block_of(Operand id) const;

  /// Calls `f(EdgeId)` for each live edge into `b`, in order.
  template <typename F>
  void for_each_pred(BlockId b, F&& f) const {
    for (EdgeId e = blocks_[b].first_pred; !is_none(e); e = edges_[e].next_pred)
      if (!edges_[e].dead) f(e);
  }
  /// Whether `f(EdgeId)` is true of a live edge into `b`: asked in order, and no more behind it.
  template <typename F>
  bool any_pred(BlockId b, F&& f) const {
    for (EdgeId e = blocks_[b].first_pred; !is_none(e); e = edges_[e].next_pred)
      if (!edges_[e].dead && f(e)) return true;
    return false;
  }
  /// Calls `f(EdgeId)` for each live edge out of `b`, in the order of the terminator.
  template <typename F>
  void for_each_succ(BlockId b, F&& f) const {
    Operand t = blocks_[b].terminator;
    if (!t.is_undef()) for_each_target(stmt(t), f);
  }
  template <typename F>
  void for_each_target(const Stmt& terminator, F&& f) const {
    for_each_word(OperandKind::block, info(terminator.op), args(terminator), [&](uint32_t word) {
      EdgeId e = static_cast<EdgeId>(word);
      if (!is_none(e) && !edges_[e].dead) f(e);
    });
  }
  /// Exactly one. However many there are, two of them are looked at.
  bool has_one_live_pred(BlockId b) const {
    uint32_t count = 0;
    any_pred(b, [&](EdgeId) { return ++count == 2; });
    return count == 1;
  }
  /// The operands of a switch without dead edges: values of a dead case go to the default, a dead default is taken over
  /// by the last live case. Empty if no edge lives.
  std::vector<uint32_t> live_switch(std::span<const uint32_t> words) const;
  /// Calls `f(first, end)` for the ranges of positions of a block.
  template <typename F>
  void for_each_range(BlockId b, F&& f) const {
    const Block& block = blocks_[b];
    if (block.first != block.end) f(block.first, block.end);
    for (uint32_t r = block.more; r != Block::no_range; r = ranges_[r].next) f(ranges_[r].first, ranges_[r].end);
  }
  /// The last statement of a block in the vector; undef if there is none.
  Operand last_of(BlockId b) const {
    const Block& block = blocks_[b];
    if (block.more != Block::no_range) return static_cast<Ref>(ranges_[ranges_[block.more].last].end - 1);
    return block.first == block.end ? Operand::undef() : Operand(static_cast<Ref>(block.end - 1));
  }
  /// Every block is one range, in the order of the vector, and nothing waits in the insertion buffer.
  bool is_at_rest() const;

  // ---- building ----
  void reserve(uint32_t statements, uint32_t blocks, uint32_t edges);
  /// A statement with these operand words. More than three go to the operand pool. It may be placed several times, and so
  /// may what `inst` reads: each place gets operands of its own.
  Inst make(Op op, Type type, std::span<const uint32_t> words, Loc loc = {});
  Inst make(Op op, Type type, std::initializer_list<Operand> operands = {}, Loc loc = {});
  BlockId new_block(Symbol name = none_id<Symbol>) {
    Block block;
    block.name = name;
    return blocks_.push(block);
  }
  void set_block_name(BlockId b, Symbol name) { blocks_[b].name = name; }
  void set_impossible(BlockId b, BlockId successor);
  /// Appends to the vector as the last statement of `b`. A terminator comes through the functions below; a phi has one
  /// operand per edge that enters the block by now.
  Ref append(BlockId b, const Inst& inst) {
    Block& block = blocks_[b];
    uint32_t position = inst.stmt.is_pooled() ? columns_.push(owned(inst)) : columns_.push(inst);
    if (block.end == position && block.first != block.end && block.more == Block::no_range)
      block.end = position + 1;
    else
      append_range(block, position);
    if (!block_of_.empty()) block_of_.push_back(b);
    return static_cast<Ref>(position);
  }
  /// The end of a block for a writer that appends many statements in place. Until it is closed, nothing else is appended,
  /// and what was written is not read. Of no use (`room` is `position`) if the block has more than one range, otherwise with
  /// room for at least so many.
  struct Tail {
    Stmt* stmts;
    Type* types;
    uint32_t position, room;  ///< statements may be written from `position` to before `room`
  };
  Tail open_tail(BlockId b, uint32_t least = 1);
  /// What was written since it was opened, up to `position`, gets this location.
  void close_tail(BlockId b, uint32_t position, Loc loc);
  /// A statement that was written through a tail, which may be open.
  Stmt& written(uint32_t position) { return columns_.stmts()[position]; }
  /// While a tail is open, or may be: the statements so far and their columns, and room for so many more behind `end`.
  Tail tail_with_room(uint32_t end, uint32_t more) {
    if (columns_.capacity() - end < more) {
      assert(size() == end && "what was written would be lost");
      columns_.reserve(end + more);
    }
    return {columns_.stmts(), columns_.types(), end, columns_.capacity()};
  }
  /// So many more statements were written behind the last one, columns included.
  void extend_tail(uint32_t more) { columns_.set_size(size() + more); }
  /// Nothing is going to be appended. Blocks are filled one after the other, each has its terminator.
  void come_to_rest() {
    columns_.shrink_to_fit();
    blocks_.shrink_to_fit();
    edges_.shrink_to_fit();
    owned_ = static_cast<uint32_t>(pool_.size());
    block_of_ = {};
  }

  // Blocks filled one after the other, terminators included, through one tail: `open_edge` is for an edge whose target comes
  // later, `open_branch` for the two of a branch, of which it answers the first; `lead` gives an edge a target that has no
  // phis yet; `start_block` and `end_block` say where a block begins, with the first edges into it, and where its terminator
  // stands.
  EdgeId open_edge(BlockId from, uint32_t slot) {
    put_open_edge(*edges_.add(), from, slot);
    return static_cast<EdgeId>(edges_.size() - 1);
  }
  EdgeId open_branch(BlockId from) {
    Edge* both = edges_.add(2);
    put_open_edge(both[0], from, 1);
    put_open_edge(both[1], from, 2);
    return static_cast<EdgeId>(edges_.size() - 2);
  }
  void lead(EdgeId e, BlockId to) {
    edges_[e].to = to;
    link_pred(e);
  }
  BlockId start_block(uint32_t position, EdgeId pred) {
    BlockId b = put_block(position, pred, pred, 1);
    edges_[pred].to = b;
    return b;
  }
  BlockId start_block(uint32_t position, EdgeId first, EdgeId second) {
    BlockId b = put_block(position, first, second, 2);
    edges_[first].to = b;
    edges_[first].next_pred = second;
    edges_[second].to = b;
    edges_[second].pred_index = 1;
    return b;
  }
  void end_block(BlockId b, uint32_t terminator) {
    blocks_[b].end = terminator + 1;
    blocks_[b].terminator = static_cast<Ref>(terminator);
  }
  /// An edge for a terminator that the caller is about to write; `slot` is its operand number there. The phis of `to`
  /// get an `undef` column.
  EdgeId new_edge(BlockId from, BlockId to, EdgeKind kind, uint32_t slot);

  // Terminators. An existing one is replaced, its edges are removed. `terminate` takes block numbers in block slots.
  void terminate(BlockId b, Op op, std::span<const uint32_t> words, Loc loc = {});
  void jump(BlockId b, BlockId to, Loc loc = {});
  void branch(BlockId b, Operand condition, BlockId if_true, BlockId if_false, Loc loc = {});
  struct Case {
    Operand value;
    BlockId target;
  };
  void switch_on(BlockId b, Operand value, BlockId otherwise, std::span<const Case> cases, Loc loc = {});
  void ret(BlockId b, Loc loc = {});
  void ret(BlockId b, Operand value, Loc loc = {});
  void throw_value(BlockId b, Operand exception, Loc loc = {});
  /// Answers the token. `handler` may be none: the region is entered, but its handler cannot be reached.
  Operand enter(BlockId b, BlockId handler, BlockId body, Loc loc = {});
  void deopt(BlockId b, Operand state, Loc loc = {});
  void unreachable(BlockId b, Loc loc = {});
  /// As one that has forgotten to return: `unreachable !end`.
  void leave_open(BlockId b, Loc loc = {}) {
    unreachable(b, loc);
    set_flags(terminator(b), end_of_function);
  }

  // ---- editing ----
  /// Buffers a statement; its number can be used at once. Compaction gives it its place.
  NewRef insert(Point point, const Inst& inst);
  static Point before(Operand anchor) { return {Point::Side::before, anchor}; }
  static Point after(Operand anchor) { return {Point::Side::after, anchor}; }
  /// Behind the phis of the block, for anything but a phi or phi_c.
  Point at_start(BlockId b) const;
  /// For a phi or phi_c: at the start of the block.
  static Point phis_of(BlockId b) { return {Point::Side::block_phis, b}; }
  /// Before the terminator, also one that the block gets only later.
  Point at_end(BlockId b) const {
    Operand t = blocks_[b].terminator;
    return t.is_undef() ? Point(Point::Side::block_end, b) : before(t);
  }

  /// The one setter of operands.
  void set_operand(Operand id, uint32_t i, Operand value);
  void set_type(Operand id, Type type);
  void set_loc(Operand id, Loc loc);
  void set_flags(Operand id, uint8_t flags) { stmt_mut(id).flags = flags; }
  /// Replaces all uses: the statement, no terminator, becomes `same value`.
  void replace(Operand id, Operand value);
  /// Neither the old statement nor the new one is a terminator; for these see above.
  void overwrite(Operand id, const Inst& inst);
  /// Adds an upsilon to the operands of a phi_c.
  void add_upsilon(Operand phi_c, Operand upsilon);
  /// The statement, no terminator, becomes `nothing`. A use that remains is an error that the verifier reports.
  void erase(Operand id);

  /// Marks the edge dead; its phi column is skipped from now on and dropped by compaction. A branch becomes a jump, a
  /// terminator without live edges `unreachable`; a switch sends a removed case to its default. O(1).
  void remove_edge(EdgeId e);
  /// Puts a new block in the middle of a normal edge. `e` is from then on the edge out of the new block, so that phi
  /// columns stay where they are.
  BlockId split_edge(EdgeId e, Symbol name = none_id<Symbol>);
  /// Puts what stands from `at` on, a statement of the vector that is no phi, into a new block, the terminator and its edges
  /// too. `b` is without a terminator from then on: give it one. O(ranges of the block).
  BlockId split_block(BlockId b, Ref at, Symbol name = none_id<Symbol>);
  /// Makes the edge lead to `to`. Its column in the phis of the old target dies; the phis of `to` get an `undef` column.
  EdgeId redirect_edge(EdgeId e, BlockId to);
  /// Joins a block that ends in a jump with the target of it, which has no other live edge into it: the statements of
  /// both stand in `b` from then on, phis become what they read. Nothing may wait in the insertion buffer.
  void merge_successor(BlockId b);
  /// Copies blocks: statements, the edges among them, and edges from the copies to where the originals go, with the
  /// originals' phi operands. No edge enters the copies: redirect some. `copies[i]` is the copy of `blocks[i]`, without a
  /// name. A copied upsilon feeds the phi_c of the original; where the phi_c is copied too, all its upsilons must be.
  std::vector<BlockId> clone_blocks(std::span<const BlockId> blocks);

  size_t bytes() const;

 private:
  friend class Compact;
  friend class BlockCursor;
  friend class BlockLinker;
  friend class PhiPlacement;
  friend class Relist;
  friend class SettledCopy;
  friend class VerifyContext;      // reads ranges and pool before it trusts them
  friend struct FunctionSurgery;   // tests make broken functions with it

  struct Range {
    uint32_t first, end, next;
    uint32_t last;  ///< of the first in a chain: the last one
  };

  Stmt& stmt_mut(Operand id) { return id.is_stmt() ? columns_.stmt(id.number()) : pending_.stmt(id.number()); }
  void append_range(Block& block, uint32_t position);
  void append_range(Block& block, uint32_t first, uint32_t end, uint32_t next);
  uint32_t first_pending_phi(BlockId b) const {
    return index(b) < first_pending_phi_.size() ? first_pending_phi_[index(b)] : Block::no_range;
  }
  bool may_have_phis(BlockId b) const {
    const Block& block = blocks_[b];
    return first_pending_phi(b) != Block::no_range ||
           (block.first != block.end && may_precede_phi(columns_.stmt(block.first).op));
  }
  void put(Operand id, const Inst& inst);
  void set_terminator(BlockId b, const Inst& inst);
  void drop_terminator_edges(BlockId b);
  /// A new block, without statements, in the middle of a normal edge; `e` leads out of it from then on.
  BlockId put_on_edge(EdgeId e, Symbol name = none_id<Symbol>);
  /// Marks `e` dead and makes its terminator, `t` of type `type`, do without it.
  void drop_edge(EdgeId e, Stmt& t, Type& type);
  static void set_target(Stmt& t, std::vector<uint32_t>& pool, uint32_t slot, EdgeId e) {
    (t.is_pooled() ? pool[t.arg[0] + slot] : t.arg[slot]) = index(e);
  }
  /// The statement with operands in the pool that no other statement has.
  Inst owned(const Inst& inst);
  void note_pending_phi(NewRef phi);
  /// Calls `visit(Stmt&)` for each phi of a block, buffered ones too.
  template <typename F>
  void for_each_phi(BlockId b, F&& visit) {
    // The ranges behind the end of the phis are not looked at.
    auto visit_prefix = [&](uint32_t first, uint32_t end) {
      for (; first < end && may_precede_phi(columns_.stmt(first).op); ++first)
        if (Stmt& s = columns_.stmt(first); s.op == Op::phi) visit(s);
      return first == end;
    };
    bool in_prefix = visit_prefix(blocks_[b].first, blocks_[b].end);
    for (uint32_t r = blocks_[b].more; in_prefix && r != Block::no_range; r = ranges_[r].next)
      in_prefix = visit_prefix(ranges_[r].first, ranges_[r].end);
    for (uint32_t p = first_pending_phi(b); p != Block::no_range; p = pending_phis_[p].next)
      if (Stmt& s = pending_.stmt(index(pending_phis_[p].phi)); s.op == Op::phi) visit(s);
  }
  void extend_phis(BlockId b);
  /// Gives a phi with operands in `pool` at least `count` of them, new ones `undef`.
  static void extend_phi(Stmt& phi, std::vector<uint32_t>& pool, uint32_t count);
  /// Keeps these columns of a phi, in ascending order; one that it lacks is `undef`.
  static void keep_columns(Stmt& phi, std::vector<uint32_t>& pool, std::span<const uint32_t> kept);
  static Inst make_in(std::vector<uint32_t>& pool, Op op, Type type, std::span<const uint32_t> words, Loc loc);
  void link_pred(EdgeId e) {
    Edge& edge = edges_[e];
    Block& target = blocks_[edge.to];
    edge.pred_index = target.pred_count++;
    edge.next_pred = none_id<EdgeId>;
    if (is_none(target.last_pred))
      target.first_pred = e;
    else
      edges_[target.last_pred].next_pred = e;
    target.last_pred = e;
  }

  static void put_open_edge(Edge& edge, BlockId from, uint32_t slot) {
    edge.from = from;
    edge.to = none_id<BlockId>;
    edge.next_pred = none_id<EdgeId>;
    edge.pred_index = 0;
    edge.slot = slot;
    edge.kind = EdgeKind::normal;
    edge.dead = false;
  }
  BlockId put_block(uint32_t position, EdgeId first_pred, EdgeId last_pred, uint32_t pred_count) {
    Block& block = *blocks_.add();
    block.first = block.end = position;
    block.more = Block::no_range;
    block.first_pred = first_pred;
    block.last_pred = last_pred;
    block.pred_count = pred_count;
    block.terminator = Operand::undef();
    block.name = none_id<Symbol>;
    return static_cast<BlockId>(blocks_.size() - 1);
  }

  Module* module_;
  FuncId id_;
  Symbol name_;
  SigId signature_;
  bool external_;

  Columns columns_;
  std::vector<uint32_t> pool_;
  uint32_t owned_ = 0;  ///< operands in the pool below this belong to statements
  std::vector<VarId> source_variables_;
  IdStack<BlockId, Block> blocks_;
  IdStack<EdgeId, Edge> edges_;
  std::vector<Range> ranges_;
  std::vector<BlockId> impossible_;  ///< by block, as far as there are any
  Columns pending_;
  std::vector<Point> points_;
  struct PendingPhi {
    NewRef phi;
    uint32_t next;
  };
  std::vector<PendingPhi> pending_phis_;
  std::vector<uint32_t> first_pending_phi_;  ///< by block, as far as there are any, in pending_phis_
  mutable std::vector<BlockId> block_of_;  ///< built on demand, grows with the vector
};

}  // namespace braid::ir
