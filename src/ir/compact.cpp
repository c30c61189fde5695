// The walk of compaction: choosing blocks, copying and renaming statements.
#include "ir/compact.h"

#include <algorithm>
#include <cassert>

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

/// Reverse post-order over live edges. Successors are taken last to first, so that the first one comes first.
void Compact::order_blocks() {
  if (static_blocks_ == 0) return;
  struct Frame {
    BlockId block;
    uint32_t next;  ///< operand of the terminator to look at next, counted down
  };
  std::vector<Frame> stack;
  std::vector<bool> seen(static_blocks_, false);
  static_order_.reserve(static_blocks_);
  auto push = [&](BlockId b) {
    seen[index(b)] = true;
    Operand t = f_.terminator(b);
    stack.push_back({b, t.is_undef() ? 0 : f_.operand_count(f_.stmt(t))});
  };
  push(Function::entry());
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == 0) {
      static_order_.push_back(frame.block);
      stack.pop_back();
      continue;
    }
    const Stmt& t = f_.stmt(f_.terminator(frame.block));
    uint32_t i = --frame.next;
    if (info(t.op).kind_of(i) != OperandKind::block) continue;
    EdgeId e = static_cast<EdgeId>(f_.arg(t, i));
    if (is_none(e) || f_.edge(e).dead || seen[index(f_.edge(e).to)]) continue;
    push(f_.edge(e).to);
  }
  std::reverse(static_order_.begin(), static_order_.end());
  // What is not reachable now never will be: its edges are dead for the phis they enter.
  if (static_order_.size() == static_blocks_) return;
  for (Edge& edge : f_.edges_)
    if (!seen[index(edge.from)]) edge.dead = true;
}

bool Compact::has_emitted_pred(BlockId b) const {
  for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred)
    if (!f_.edge(e).dead && emitted_[index(f_.edge(e).from)].state == BlockState::closed) return true;
  return false;
}

/// A block may be emitted as soon as a predecessor was: then every path of emitted blocks to it passes its dominators.
/// A block whose turn comes before that (the edge was removed while walking) waits until an edge leads to it.
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

void Compact::open_block(BlockId b) {
  block_ = b;
  in_block_ = true;
  skip_rest_ = false;
  emitted_[index(b)].state = BlockState::open;
  emitted_[index(b)].first = out_.size();
  order_.push_back(b);
  // Dead edges leave the list of predecessors; the phis keep the columns of the others.
  Block& block = f_.blocks_[b];
  columns_kept_.clear();
  columns_whole_ = true;
  EdgeId last = none_id<EdgeId>;
  for (EdgeId e = block.first_pred; !is_none(e);) {
    Edge& edge = f_.edges_[e];
    EdgeId next = edge.next_pred;
    if (edge.dead) {
      columns_whole_ = false;
      (is_none(last) ? block.first_pred : f_.edges_[last].next_pred) = next;
    } else {
      columns_kept_.push_back(edge.pred_index);
      edge.pred_index = static_cast<uint32_t>(columns_kept_.size() - 1);
      last = e;
    }
    e = next;
  }
  block.last_pred = last;
  block.pred_count = static_cast<uint32_t>(columns_kept_.size());
  cursor_.start(b);
}

void Compact::close_block() {
  Emitted& emitted = emitted_[index(block_)];
  emitted.end = out_.size();
  emitted.state = BlockState::closed;
  in_block_ = false;
  visiting_ = not_yet;
  if (emitted.terminator == not_yet) return;
  const Stmt& t = out_.stmt(emitted.terminator);
  const OpInfo& op = info(t.op);
  std::span<const uint32_t> words = args(t);
  for (uint32_t i = 0; i < words.size(); ++i) {
    if (op.kind_of(i) != OperandKind::block) continue;
    EdgeId e = static_cast<EdgeId>(words[i]);
    if (!is_none(e) && !f_.edge(e).dead) note_reached(f_.edge(e).to);
  }
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
      return true;
    }
  }
}

// ---- operands ----

uint32_t Compact::map_slow(uint32_t word, bool& late) {
  Operand operand = Operand::from_word(word);
  for (uint32_t steps = 0;; ++steps) {
    uint32_t dense;
    switch (operand.tag()) {
      case Tag::stmt: dense = operand.number(); break;
      case Tag::pending: dense = old_count_ + operand.number(); break;
      case Tag::old: dense = operand.number(); break;
      case Tag::final_stmt: return Operand::make(Tag::stmt, operand.number()).word();
      case Tag::final_pending: return Operand::make(Tag::pending, operand.number()).word();
      default: return operand.word();
    }
    uint32_t renamed = rename_[dense];
    if (renamed == not_yet || steps > rename_.size()) {
      late = true;
      return Operand(static_cast<OldRef>(dense)).word();
    }
    operand = Operand::from_word(renamed);
    if (!operand.is_old()) return renamed;
  }
}

inline uint32_t Compact::map_word(uint32_t word, bool& late) {
  uint32_t tag = word >> Operand::index_bits;
  if (tag == static_cast<uint32_t>(Tag::stmt)) {
    uint32_t renamed = rename_[word];
    // Tags below `old` are final; `not_yet` and forward names go the long way.
    if ((renamed >> Operand::index_bits) < static_cast<uint32_t>(Tag::old)) return renamed;
  } else if (tag >= static_cast<uint32_t>(Tag::param) && tag <= static_cast<uint32_t>(Tag::small)) {
    return word;
  }
  return map_slow(word, late);
}

void Compact::count_uses(const Stmt& stmt, int change) {
  const OpInfo& op = info(stmt.op);
  std::span<const uint32_t> words = args(stmt);
  for (uint32_t i = 0; i < words.size(); ++i) {
    if (!op.is_value(i)) continue;
    Operand operand = Operand::from_word(words[i]);
    if (operand.is_stmt()) uses_[operand.number()] += static_cast<uint32_t>(change);
  }
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

void Compact::drop(uint32_t dense, Operand meaning, bool narrower) {
  rename_[dense] = meaning.word();
  if (!narrower) return;
  if (narrower_.size() < rename_.size()) narrower_.resize(rename_.size(), 0);
  narrower_[dense] = 1;
}

// ---- statements ----

bool Compact::emit(uint32_t dense) {
  const Stmt& old = dense < old_count_ ? f_.columns_.stmt(dense) : f_.pending_.stmt(dense - old_count_);
  const OpInfo& op = info(old.op);
  if (!narrower_.empty()) {
    // Users of a value that has become narrower are worth another look.
    std::span<const uint32_t> words = f_.args(old);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (!op.is_value(i) || !(operand.is_stmt() || operand.is_pending())) continue;
      uint32_t used = operand.is_stmt() ? operand.number() : old_count_ + operand.number();
      if (used < narrower_.size() && narrower_[used]) f_.stmt_mut(f_.from_dense(dense)).flags |= refined;
    }
  }
  if ((op.traits & terminator) != 0 || old.op <= Op::same || old.op >= Op::phi) return emit_special(dense, old);
  bool late = false;
  Stmt stmt = old;
  if (!old.is_pooled()) {
    if (op.value_mask & 1) stmt.arg[0] = old.n > 0 ? map_word(old.arg[0], late) : 0;
    if (op.value_mask & 2) stmt.arg[1] = old.n > 1 ? map_word(old.arg[1], late) : 0;
    if (op.value_mask & 4) stmt.arg[2] = old.n > 2 ? map_word(old.arg[2], late) : 0;
  } else {
    std::span<const uint32_t> words = f_.args(old);
    stmt.arg[0] = static_cast<uint32_t>(pool_.size());
    stmt.arg[2] = stmt.arg[1];
    for (uint32_t i = 0; i < words.size(); ++i) pool_.push_back(op.is_value(i) ? map_word(words[i], late) : words[i]);
  }
  push(dense, stmt, late);
  return true;
}

bool Compact::emit_special(uint32_t dense, const Stmt& old) {
  if (is_terminator(old.op)) return emit_terminator(dense, old);
  bool late = false;
  switch (old.op) {
    case Op::nothing: drop(dense, Operand::erased(), false); return false;
    case Op::same: {
      uint32_t meaning = map_word(old.arg[0], late);
      drop(dense, Operand::from_word(meaning), (old.flags & refined) != 0);
      return false;
    }
    case Op::phi: return emit_phi(dense, old);
    case Op::phi_c: return emit_phi_c(dense, old);
    case Op::leave: return emit_leave(dense, old);
    case Op::pi: {
      Operand value = Operand::from_word(map_word(old.arg[0], late));
      if (!late && !value.is_undef()) {
        Type known = value.is_constant() ? f_.module().constant_type(value) : type_of(value);
        if (f_.module().types.leq(known, old_type(dense))) {
          drop(dense, value, (old.flags & refined) != 0);
          return false;
        }
      }
      Stmt stmt = old;
      stmt.arg[0] = value.word();
      push(dense, stmt, late);
      return true;
    }
    case Op::throw_undef: {
      Operand flag = Operand::from_word(map_word(old.arg[1], late));
      if (flag.is_constant() && f_.module().constants.value(flag).bits == 1) {
        drop(dense, Operand::erased(), false);
        return false;
      }
      Stmt stmt = old;
      stmt.arg[1] = flag.word();
      push(dense, stmt, late);
      return true;
    }
    default: {
      std::span<const uint32_t> words = f_.args(old);
      Stmt stmt = old;
      uint32_t* to = stmt.arg;
      if (old.is_pooled()) {
        stmt.arg[0] = static_cast<uint32_t>(pool_.size());
        stmt.arg[2] = stmt.arg[1];
        pool_.resize(pool_.size() + words.size());
        to = pool_.data() + stmt.arg[0];
      }
      for (uint32_t i = 0; i < words.size(); ++i) to[i] = info(old.op).is_value(i) ? map_word(words[i], late) : words[i];
      push(dense, stmt, late);
      return true;
    }
  }
}

bool Compact::emit_phi(uint32_t dense, const Stmt& old) {
  // The name comes first: a phi may use itself.
  rename_[dense] = out_.size();
  std::span<const uint32_t> words = f_.args(old);
  bool late = false;
  auto column = [&](uint32_t i) { return i < words.size() ? words[i] : Operand::undef().word(); };
  if (columns_kept_.size() == 1) {
    uint32_t mapped = map_word(column(columns_kept_[0]), late);
    Operand value = Operand::from_word(mapped);
    bool itself = mapped == out_.size();
    if (!late && !itself && !value.is_undef() && !value.is_erased() &&
        f_.module().types.leq(type_of(value), old_type(dense))) {
      drop(dense, value, (old.flags & refined) != 0 || type_of(value) != old_type(dense));
      return false;
    }
  }
  Stmt stmt{Op::phi, 0, old.flags, {0, 0, 0}};
  uint32_t count = static_cast<uint32_t>(columns_kept_.size());
  uint32_t* to = stmt.arg;
  if (count > 3) {
    stmt.n = Stmt::pooled;
    stmt.arg[0] = static_cast<uint32_t>(pool_.size());
    stmt.arg[1] = stmt.arg[2] = count;
    pool_.resize(pool_.size() + count);
    to = pool_.data() + stmt.arg[0];
  } else {
    stmt.n = static_cast<uint8_t>(count);
  }
  if (columns_whole_ && words.size() == count)
    for (uint32_t i = 0; i < count; ++i) to[i] = map_word(words[i], late);
  else
    for (uint32_t i = 0; i < count; ++i) to[i] = map_word(column(columns_kept_[i]), late);
  push(dense, stmt, late);
  return true;
}

/// Upsilons that are gone, or in blocks that are not reachable, leave the list; those ahead are looked at again at the end.
bool Compact::emit_phi_c(uint32_t dense, const Stmt& old) {
  std::vector<uint32_t> kept;
  bool late = false;
  for (uint32_t word : f_.args(old)) {
    uint32_t mapped = map_word(word, late);
    if (mapped != Operand::erased().word()) kept.push_back(mapped);
  }
  Inst inst = Function::make_in(pool_, Op::phi_c, none, kept, {});
  inst.stmt.flags = old.flags;
  push(dense, inst.stmt, late);
  return true;
}

bool Compact::emit_leave(uint32_t dense, const Stmt& old) {
  std::vector<uint32_t> kept;
  bool late = false;
  for (uint32_t word : f_.args(old)) {
    uint32_t mapped = map_word(word, late);
    if (mapped != Operand::erased().word()) kept.push_back(mapped);
  }
  if (kept.empty()) {
    drop(dense, Operand::erased(), false);
    return false;
  }
  push(dense, Function::make_in(pool_, Op::leave, void_type, kept, {}).stmt, late);
  return true;
}

bool Compact::emit_terminator(uint32_t dense, Stmt old) {
  if (options_.fold_branches && (old.op == Op::branch || old.op == Op::switch_)) {
    bool late = false;
    Operand condition = Operand::from_word(map_word(f_.operand(old, 0).word(), late));
    std::optional<TypeConstant> known;
    if (condition.is_constant())
      known = TypeConstant{Kind::i64, f_.module().constants.value(condition).bits};
    else if (condition.is_stmt() || condition.is_param())
      known = f_.module().types.as_constant(type_of(condition));
    if (known) {
      std::span<const uint32_t> words = f_.args(old);
      uint32_t taken = old.op == Op::branch ? (known->bits ? 1 : 2) : 1;
      for (uint32_t i = 2; old.op == Op::switch_ && i < words.size(); i += 2)
        if (f_.module().constants.value(Operand::from_word(words[i])).bits == known->bits) taken = i + 1;
      EdgeId target = static_cast<EdgeId>(words[taken]);
      if (!is_none(target) && !f_.edge(target).dead) {
        for (uint32_t i = 1; i < words.size(); ++i)
          if (i != taken && info(old.op).kind_of(i) == OperandKind::block)
            f_.edges_[static_cast<EdgeId>(words[i])].dead = true;
        old = Stmt{Op::jump, 1, old.flags, {index(target), 0, 0}};
        f_.edges_[target].slot = 0;
      }
    }
  }
  bool late = false;
  std::span<const uint32_t> words = f_.args(old);
  const OpInfo& op = info(old.op);
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
  emitted_[index(block_)].terminator = out_.size() - 1;
  return true;
}

// ---- reading ----

Operand Compact::renamed(OldRef old) const {
  Operand operand(old);
  for (uint32_t steps = 0; operand.is_old() && steps <= rename_.size(); ++steps) {
    uint32_t renamed = rename_[operand.number()];
    if (renamed == not_yet) return operand;
    operand = Operand::from_word(renamed);
  }
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
  Operand operand = f_.operand(f_.from_dense(index(old)), i);
  switch (operand.tag()) {
    case Tag::stmt: return renamed(static_cast<OldRef>(operand.number()));
    case Tag::pending: return renamed(static_cast<OldRef>(old_count_ + operand.number()));
    case Tag::final_stmt: return Operand::make(Tag::stmt, operand.number());
    case Tag::final_pending: return Operand::make(Tag::pending, operand.number());
    default: return operand;
  }
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
