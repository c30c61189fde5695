// The walk of compaction: choosing blocks, copying and renaming statements.
#include "ir/compact.h"

#include <algorithm>
#include <optional>

namespace braid::ir {

using Tag = Operand::Tag;

Compact::Compact(Function& function, Options options)
    : f_(function),
      options_(options),
      old_count_(function.size()),
      static_blocks_(function.block_count()),
      lists_(function),
      cursor_(f_, lists_) {
  options_.count_uses |= options_.remove_dead;
  rename_.assign(f_.dense_count(), not_yet);
  emitted_.resize(static_blocks_);
  out_.reserve(f_.dense_count());
  if (options_.count_uses) uses_.reserve(f_.dense_count());
  pool_.reserve(f_.pool_.size());
  order_blocks();
}

Compact::~Compact() { assert(finished_ && "a compaction must be finished"); }

// ---- the order of blocks ----

/// Over live edges, as terminators are by now. Successors are taken last to first, so that the first one comes first.
std::vector<BlockId> Compact::reverse_post_order() const {
  struct Frame {
    BlockId block;
    uint32_t next;  ///< operand of the terminator to look at next, counted down
  };
  auto terminator_of = [&](BlockId b) {
    if (uint32_t t = emitted_[index(b)].terminator; t != not_yet)
      return std::pair(out_.stmt(t).op, args(out_.stmt(t)));
    Operand t = f_.terminator(b);
    if (t.is_undef()) return std::pair(Op::unreachable, std::span<const uint32_t>());
    return std::pair(f_.op(t), f_.args(f_.stmt(t)));
  };
  std::vector<BlockId> order;
  order.reserve(f_.block_count());
  std::vector<Frame> stack;
  std::vector<bool> seen(f_.block_count(), false);
  auto push = [&](BlockId b) {
    seen[index(b)] = true;
    stack.push_back({b, static_cast<uint32_t>(terminator_of(b).second.size())});
  };
  push(Function::entry());
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == 0) {
      order.push_back(frame.block);
      stack.pop_back();
      continue;
    }
    auto [op, words] = terminator_of(frame.block);
    uint32_t i = --frame.next;
    if (info(op).kind_of(i) != OperandKind::block || !lives(words[i])) continue;
    BlockId to = f_.edge(static_cast<EdgeId>(words[i])).to;
    if (!seen[index(to)]) push(to);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void Compact::order_blocks() {
  if (static_blocks_ == 0) return;
  static_order_ = reverse_post_order();
  order_.reserve(static_order_.size());
  if (static_order_.size() == static_blocks_) return;
  // What is not reachable now never will be: its edges are dead for the phis they enter.
  for (Emitted& emitted : emitted_) emitted.state = BlockState::gone;
  for (BlockId b : static_order_) emitted_[index(b)].state = BlockState::ahead;
  for (Edge& edge : f_.edges_)
    if (emitted_[index(edge.from)].state == BlockState::gone) edge.dead = true;
}

bool Compact::has_emitted_pred(BlockId b) const {
  for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred)
    if (!f_.edge(e).dead && emitted_[index(f_.edge(e).from)].state == BlockState::closed) return true;
  return false;
}

/// A block may be emitted as soon as a predecessor was: then there is a path to it on which all its dominators are, of
/// blocks that were emitted before. A block whose turn comes earlier, because an edge was removed while walking, waits
/// until an edge leads to it.
bool Compact::start_next_block() {
  while (ready_next_ < ready_.size()) {
    BlockId b = ready_[ready_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (has_emitted_pred(b)) {
      open_block(b);
      return true;
    }
    emitted_[index(b)].state = BlockState::deferred;
  }
  while (static_next_ < static_order_.size()) {
    BlockId b = static_order_[static_next_++];
    if (emitted_[index(b)].state >= BlockState::open) continue;
    if (b == Function::entry() || has_emitted_pred(b)) {
      open_block(b);
      return true;
    }
    emitted_[index(b)].state = BlockState::deferred;
  }
  return false;
}

void Compact::note_reached(BlockId b) {
  BlockState state = emitted_[index(b)].state;
  if (state == BlockState::deferred || (state == BlockState::ahead && index(b) >= static_blocks_)) ready_.push_back(b);
}

/// Takes dead edges out of the list of predecessors; `kept_` are the columns of the others. Answers whether there were any.
bool Compact::drop_dead_preds(BlockId b) {
  Block& block = f_.blocks_[b];
  kept_.clear();
  EdgeId last = none_id<EdgeId>;
  auto link = [&](EdgeId e) { (is_none(last) ? block.first_pred : f_.edges_[last].next_pred) = e; };
  for (EdgeId e = block.first_pred; !is_none(e); e = f_.edges_[e].next_pred) {
    Edge& edge = f_.edges_[e];
    if (edge.dead) continue;
    link(e);
    last = e;
    kept_.push_back(edge.pred_index);
    edge.pred_index = static_cast<uint32_t>(kept_.size() - 1);
  }
  link(none_id<EdgeId>);
  block.last_pred = last;
  bool dropped = kept_.size() != block.pred_count;
  block.pred_count = static_cast<uint32_t>(kept_.size());
  return dropped;
}

void Compact::open_block(BlockId b) {
  block_ = b;
  in_block_ = true;
  skip_rest_ = false;
  emitted_[index(b)].state = BlockState::open;
  emitted_[index(b)].first = out_.size();
  order_.push_back(b);
  if (drop_dead_preds(b))
    f_.for_each_phi(b, [&](Stmt& phi) { Function::keep_columns(phi, f_.pool_, kept_); });
  cursor_.start(b);
}

void Compact::close_block() {
  Emitted& emitted = emitted_[index(block_)];
  emitted.end = out_.size();
  emitted.state = BlockState::closed;
  in_block_ = false;
  visiting_ = visited_position_ = not_yet;
  if (emitted.terminator == not_yet) return;
  for_each_succ(block_, [&](EdgeId e) { note_reached(f_.edge(e).to); });
}

bool Compact::next() {
  for (;;) {
    if (!in_block_ && !start_next_block()) return false;
    uint32_t dense = skip_rest_ ? BlockCursor::end : cursor_.next();
    if (dense == BlockCursor::end) {
      close_block();
      continue;
    }
    visiting_ = dense;
    if (emit(dense)) {
      visited_position_ = out_.size() - 1;
      visited_is_named_ = false;
      return true;
    }
  }
}

// ---- operands ----

/// A word of a statement that waits in the old function, as the walk names it.
Operand Compact::walk_name(Operand waiting) const {
  switch (waiting.tag()) {
    case Tag::stmt:
    case Tag::pending: return static_cast<OldRef>(f_.dense(waiting));
    case Tag::final_stmt: return Operand::make(Tag::stmt, waiting.number());
    case Tag::final_pending: return Operand::make(Tag::pending, waiting.number());
    default: return waiting;
  }
}

/// Follows a name to the end, through `same` and `nothing` ahead and behind. Links that are final by now are shortened.
uint32_t Compact::follow(Operand name, bool& late) {
  for (size_t steps = 0; steps <= rename_.size() + out_.size() + behind_.size(); ++steps) {
    if (name.is_old()) {
      Operand last = name;
      while (last.is_old() && rename_[last.number()] != not_yet) last = Operand::from_word(rename_[last.number()]);
      bool may_vanish = last.is_stmt() && last.number() + 1 >= out_.size();
      while (!may_vanish && name != last && Operand::from_word(rename_[name.number()]) != last) {
        uint32_t& link = rename_[name.number()];
        name = Operand::from_word(link);
        link = last.word();
      }
      name = last;
    }
    if (!name.is_old() && (!has_holes_ || !(name.is_stmt() || name.is_pending()))) return name.word();
    if (name.is_stmt() && name.number() == out_.size()) return name.word();  // a phi that is being emitted
    const Stmt& s = name.is_old() ? stmt(name.old_ref()) : finished_stmt(name);
    if (s.op == Op::nothing) return Operand::erased().word();
    if (s.op != Op::same) {
      late |= name.is_old();
      return name.word();
    }
    Operand meaning = Operand::from_word(s.arg[0]);
    name = name.is_old() ? walk_name(meaning) : meaning;
  }
  return Operand::erased().word();  // a ring
}

inline uint32_t Compact::map_word(uint32_t word, bool& late) {
  uint32_t tag = word >> Operand::index_bits;
  if (tag == static_cast<uint32_t>(Tag::stmt)) {
    uint32_t renamed = rename_[word];
    // Tags below `old` are final; `not_yet`, forward names and what may be a hole go the long way.
    if ((renamed >> Operand::index_bits) < static_cast<uint32_t>(Tag::old) && !has_holes_) return renamed;
  } else if (tag >= static_cast<uint32_t>(Tag::param) && tag <= static_cast<uint32_t>(Tag::small)) {
    return word;
  }
  return follow(walk_name(Operand::from_word(word)), late);
}

void Compact::count_uses(const Stmt& stmt, uint32_t change) {
  const OpInfo& op = info(stmt.op);
  std::span<const uint32_t> words = args(stmt);
  for (uint32_t i = 0; i < words.size(); ++i)
    if (op.is_value(i)) count_use(Operand::from_word(words[i]), change);
}

inline void Compact::push(uint32_t dense, const Stmt& stmt, bool late) {
  bool buffered = dense >= old_count_;
  uint32_t at = buffered ? dense - old_count_ : dense;
  const Columns& from = buffered ? f_.pending_ : f_.columns_;
  uint32_t position = out_.push(stmt, from.type(at), from.loc(at));
  ++copied_;
  rename_[dense] = position;  // the word of Ref(position)
  if (options_.count_uses) {
    uses_.push_back(0);
    count_uses(stmt, 1);
  }
  if (late) late_.push_back(static_cast<Ref>(position));
  if (!f_.source_variables_.empty())
    source_variables_.push_back(buffered ? none_id<VarId> : f_.source_variable(static_cast<Ref>(dense)));
}

/// The statement vanishes, its uses name `meaning`.
void Compact::drop(uint32_t dense, Operand meaning, bool narrower) {
  rename_[dense] = meaning.word();
  if (!narrower) return;
  if (narrower_.size() < rename_.size()) narrower_.resize(rename_.size(), 0);
  narrower_[dense] = 1;
}

// ---- statements ----

namespace {

/// Per op: which of three operands are values, and whether it is copied as it is.
constexpr uint8_t plain_bit = 8;
struct PlainOps {
  uint8_t mask[op_count];
};
const PlainOps plain_ops = [] {
  PlainOps table{};
  for (unsigned i = 0; i < op_count; ++i) {
    Op op = static_cast<Op>(i);
    bool plain = !is_terminator(op) && op > Op::same && op < Op::phi;
    table.mask[i] = static_cast<uint8_t>(plain ? (info(op).value_mask & 7) | plain_bit : 0);
  }
  return table;
}();

}  // namespace

/// Copies plain statements up to the first that needs more than renaming. What the walk counts or marks on the way must
/// be off.
void Compact::copy_run() {
  if (skip_rest_ || has_holes_ || options_.count_uses || !narrower_.empty() || !f_.source_variables_.empty()) return;
  uint32_t length = cursor_.run_length();
  if (length == 0) return;
  uint32_t first = cursor_.position(), start = out_.size();
  out_.resize_uninitialized(start + length);
  const Stmt* from = f_.columns_.stmts() + first;
  Stmt* to = out_.stmts() + start;
  uint32_t* rename = rename_.data();
  uint32_t count = 0;
  for (; count < length; ++count) {
    Stmt stmt = from[count];
    uint8_t mask = plain_ops.mask[static_cast<unsigned>(stmt.op)];
    if (!(mask & plain_bit) || stmt.is_pooled()) break;
    bool simple = true;
    for (uint32_t i = 0; i < 3; ++i) {
      if (!(mask >> i & 1) || i >= stmt.n) continue;
      uint32_t tag = stmt.arg[i] >> Operand::index_bits;
      if (tag == static_cast<uint32_t>(Tag::stmt)) {
        stmt.arg[i] = rename[stmt.arg[i]];
        simple &= (stmt.arg[i] >> Operand::index_bits) < static_cast<uint32_t>(Tag::old);
      } else {
        simple &= tag >= static_cast<uint32_t>(Tag::param) && tag <= static_cast<uint32_t>(Tag::small);
      }
    }
    if (!simple) break;
    to[count] = stmt;
    rename[first + count] = start + count;
  }
  out_.copy_columns(start, f_.columns_, first, count);
  out_.resize_uninitialized(start + count);
  copied_ += count;
  cursor_.skip(count);
}

bool Compact::emit(uint32_t dense) {
  Stmt& old = dense < old_count_ ? f_.columns_.stmt(dense) : f_.pending_.stmt(dense - old_count_);
  const OpInfo& op = info(old.op);
  if (!narrower_.empty()) {
    // Users of a value that has become narrower are worth another look.
    std::span<const uint32_t> words = f_.args(old);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (!op.is_value(i) || !(operand.is_stmt() || operand.is_pending())) continue;
      uint32_t used = f_.dense(operand);
      if (used < narrower_.size() && narrower_[used]) old.flags |= refined;
    }
  }
  if ((op.traits & terminator) != 0 || old.op <= Op::same || old.op >= Op::phi) return emit_special(dense, old);
  if (old.is_pooled()) return emit_copy(dense, old);
  bool late = false;
  Stmt stmt = old;
  if (op.value_mask & 1 && old.n > 0) stmt.arg[0] = map_word(old.arg[0], late);
  if (op.value_mask & 2 && old.n > 1) stmt.arg[1] = map_word(old.arg[1], late);
  if (op.value_mask & 4 && old.n > 2) stmt.arg[2] = map_word(old.arg[2], late);
  push(dense, stmt, late);
  return true;
}

bool Compact::emit_copy(uint32_t dense, const Stmt& old) {
  bool late = false;
  const OpInfo& op = info(old.op);
  std::span<const uint32_t> words = f_.args(old);
  Stmt stmt = old;
  uint32_t* to = stmt.arg;
  if (old.is_pooled()) {
    stmt.arg[0] = static_cast<uint32_t>(pool_.size());
    stmt.arg[2] = stmt.arg[1];
    pool_.resize(pool_.size() + words.size());
    to = pool_.data() + stmt.arg[0];
  }
  for (uint32_t i = 0; i < words.size(); ++i) to[i] = op.is_value(i) ? map_word(words[i], late) : words[i];
  push(dense, stmt, late);
  return true;
}

bool Compact::emit_special(uint32_t dense, const Stmt& old) {
  if (is_terminator(old.op)) return emit_terminator(dense, old);
  bool late = false;
  switch (old.op) {
    case Op::nothing: drop(dense, Operand::erased(), false); return false;
    case Op::same:
      drop(dense, Operand::from_word(map_word(old.arg[0], late)), (old.flags & refined) != 0);
      return false;
    case Op::phi: return emit_phi(dense, old);
    case Op::phi_c:
    case Op::leave: return emit_list(dense, old);
    case Op::upsilon: has_upsilons_ = true; break;
    case Op::pi: {
      // A pi that says no more than is known of its operand is a copy of it.
      Operand value = Operand::from_word(map_word(old.arg[0], late));
      if (late || value.is_undef()) break;
      Type known = value.is_constant() ? f_.module().constant_type(value) : type_of(value);
      if (!f_.module().types.leq(known, old_type(dense))) break;
      drop(dense, value, (old.flags & refined) != 0);
      return false;
    }
    case Op::throw_undef: {
      Operand flag = Operand::from_word(map_word(old.arg[1], late));
      if (!flag.is_constant() || f_.module().constants.value(flag).bits != 1) break;
      drop(dense, Operand::erased(), false);
      return false;
    }
    default: break;
  }
  return emit_copy(dense, old);
}

bool Compact::emit_phi(uint32_t dense, const Stmt& old) {
  // The name comes first: a phi may use itself.
  rename_[dense] = out_.size();
  std::span<const uint32_t> words = f_.args(old);
  uint32_t count = f_.block(block_).pred_count;
  auto column = [&](uint32_t i) { return i < words.size() ? words[i] : Operand::undef().word(); };
  bool late = false;
  if (count == 1) {
    Operand value = Operand::from_word(map_word(column(0), late));
    if (!late && value.word() != out_.size() && !value.is_undef() && !value.is_erased() &&
        f_.module().types.leq(type_of(value), old_type(dense))) {
      drop(dense, value, (old.flags & refined) != 0 || type_of(value) != old_type(dense));
      return false;
    }
  }
  Stmt stmt{Op::phi, static_cast<uint8_t>(count), old.flags, {0, 0, 0}};
  uint32_t* to = stmt.arg;
  if (count > 3) {
    stmt.n = Stmt::pooled;
    stmt.arg[0] = static_cast<uint32_t>(pool_.size());
    stmt.arg[1] = stmt.arg[2] = count;
    pool_.resize(pool_.size() + count);
    to = pool_.data() + stmt.arg[0];
  }
  for (uint32_t i = 0; i < count; ++i) to[i] = map_word(column(i), late);
  push(dense, stmt, late);
  return true;
}

/// A phi_c forgets upsilons that are gone, a leave tokens; without any token it is nothing. Upsilons that are ahead, or in
/// blocks that will not be reached, are looked at again at the end.
bool Compact::emit_list(uint32_t dense, const Stmt& old) {
  bool late = false;
  kept_.clear();
  for (uint32_t word : f_.args(old)) {
    uint32_t mapped = map_word(word, late);
    if (mapped != Operand::erased().word()) kept_.push_back(mapped);
  }
  if (old.op == Op::leave && kept_.empty()) {
    drop(dense, Operand::erased(), false);
    return false;
  }
  Stmt stmt = Function::make_in(pool_, old.op, none, kept_, {}).stmt;
  stmt.flags = old.flags;
  push(dense, stmt, late);
  return true;
}

/// Makes a branch or switch on a constant a jump. What a dead case or default means, `clean_switch` says too.
bool Compact::fold_terminator(Stmt& stmt) {
  bool late = false;
  std::span<const uint32_t> words = f_.args(stmt);
  Operand condition = Operand::from_word(map_word(words[0], late));
  const ConstTable& constants = f_.module().constants;
  uint64_t bits;
  if (condition.is_constant()) {
    bits = constants.value(condition).bits;
  } else {
    std::optional<TypeConstant> known = f_.module().types.as_constant(type_of(condition));
    if (!known) return false;
    bits = known->bits;
  }
  uint32_t taken = 1;
  if (stmt.op == Op::branch) {
    taken = bits != 0 ? 1 : 2;
  } else {
    for (uint32_t i = 2; i < words.size() && taken == 1; i += 2)
      if (constants.value(Operand::from_word(words[i])).bits == bits && lives(words[i + 1])) taken = i + 1;
    for (uint32_t i = static_cast<uint32_t>(words.size()) - 1; i > 1 && !lives(words[taken]); i -= 2) taken = i;
  }
  if (!lives(words[taken])) return false;
  for (uint32_t i = 1; i < words.size(); ++i)
    if (i != taken && info(stmt.op).kind_of(i) == OperandKind::block) remove_target(words[i]);
  uint32_t target = words[taken];
  stmt = Stmt{Op::jump, 1, 0, {target, 0, 0}};
  f_.edges_[static_cast<EdgeId>(target)].slot = 0;
  return true;
}

bool Compact::emit_terminator(uint32_t dense, const Stmt& old) {
  Stmt stmt = old;
  if (options_.fold_branches && (old.op == Op::branch || old.op == Op::switch_) && fold_terminator(stmt))
    push(dense, stmt, false);
  else
    emit_copy(dense, old);
  emitted_[index(block_)].terminator = out_.size() - 1;
  return true;
}

// ---- reading ----

Operand Compact::renamed(OldRef old) const {
  Operand operand(old);
  while (operand.is_old() && rename_[operand.number()] != not_yet)
    operand = Operand::from_word(rename_[operand.number()]);
  return operand;
}

Type Compact::type_of(Operand operand) const {
  switch (operand.tag()) {
    case Tag::stmt: return out_.type(operand.number());
    case Tag::pending: return behind_.type(operand.number());
    case Tag::old: return old_type(operand.number());
    default: return f_.type_of(operand);
  }
}

Operand Compact::operand(OldRef old, uint32_t i) const {
  Operand name = walk_name(f_.operand(f_.from_dense(index(old)), i));
  return name.is_old() ? renamed(name.old_ref()) : name;
}

std::pair<uint32_t, uint32_t> Compact::range(BlockId b) const {
  const Emitted& emitted = emitted_[index(b)];
  return {emitted.first, emitted.state == BlockState::closed ? emitted.end : out_.size()};
}

void compact(Function& function, CompactOptions options) {
  Compact walk(function, options);
  walk.finish();
}

}  // namespace braid::ir
