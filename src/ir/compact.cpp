// The walk of compaction: copying and renaming statements.
#include "ir/compact.h"

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
  is_plain_ = !options_.count_uses && f_.source_variables_.empty();
  rename_.assign(f_.dense_count(), not_yet);
  out_.reserve(f_.dense_count());
  if (options_.count_uses) uses_.reserve(f_.dense_count());
  pool_.reserve(f_.pool_.size());
  order_blocks();
}

Compact::~Compact() { assert(finished_ && "a compaction must be finished"); }

// ---- names and columns ----

inline uint32_t Compact::map_word(uint32_t word, bool& late) {
  constexpr uint32_t first_buffered = Operand(NewRef{0}).word(), first_other = Operand::param(0).word();
  if (word >= first_other) {
    if (word < PlainOp::first_name_ahead) return word;
    return follow(walk_name(Operand::from_word(word)), late);
  }
  uint32_t dense = word < first_buffered ? word : old_count_ + (word - first_buffered);
  uint32_t renamed = rename_[dense];
  if (renamed < PlainOp::first_name_ahead && !has_holes_) return renamed;
  if (renamed == not_yet && old_stmt(dense).op > Op::same) {
    late = true;
    return Operand(static_cast<OldRef>(dense)).word();
  }
  return follow(static_cast<OldRef>(dense), late);
}

void Compact::count_uses(const Stmt& stmt, uint32_t change) {
  const OpInfo& op = info(stmt.op);
  std::span<const uint32_t> words = args(stmt);
  for (uint32_t i = 0; i < words.size(); ++i)
    if (op.is_value(i)) count_use(Operand::from_word(words[i]), change);
}

/// What else the walk keeps of a statement that was emitted.
void Compact::note_emitted(uint32_t dense, uint32_t position) {
  if (options_.count_uses) {
    uses_.push_back(0);
    count_uses(out_.stmt(position), 1);
  }
  if (f_.source_variables_.empty()) return;
  source_variables_.push_back(dense < old_count_ ? f_.source_variable(static_cast<Ref>(dense)) : none_id<VarId>);
}

void Compact::push(uint32_t dense, const Stmt& head, uint32_t a, uint32_t b, uint32_t c, bool late) {
  bool buffered = dense >= old_count_;
  uint32_t at = buffered ? dense - old_count_ : dense;
  const Columns& from = buffered ? f_.pending_ : f_.columns_;
  if (out_.room() == 0) out_.reserve_more();
  uint32_t position = out_.push_in_room(head, a, b, from.type(at), from.loc(at));
  out_.stmt(position).arg[2] = c;
  ++copied_;
  rename_[dense] = position;  // the word of Ref(position)
  if (late) late_.push_back(static_cast<Ref>(position));
  if (!is_plain_) note_emitted(dense, position);
}

/// The statement vanishes, its uses name `meaning`.
void Compact::drop(uint32_t dense, Operand meaning, bool narrower) {
  rename_[dense] = meaning.word();
  if (!narrower) return;
  if (narrower_.size() < rename_.size()) narrower_.resize(rename_.size(), 0);
  narrower_[dense] = 1;
  leave_plain();
}

// ---- the walk ----

[[gnu::always_inline]] inline bool Compact::open_next_block() {
  // Until the graph is changed, every block has its turn.
  bool in_order = !graph_changed_ && static_next_ < static_order_.size();
  BlockId b = in_order ? static_order_[static_next_++] : next_block();
  if (is_none(b)) return false;
  block_ = b;
  in_block_ = true;
  skip_rest_ = false;
  Emitted& emitted = emitted_[index(b)];
  emitted.state = BlockState::open;
  emitted.first = out_.size();
  order_.push_back(b);
  if (!is_whole()) drop_dead_columns(b);
  cursor_.start(b);
  set_plain_end();
  return true;
}

bool Compact::start_next_block() { return open_next_block(); }

inline void Compact::close_block() {
  Emitted& emitted = emitted_[index(block_)];
  emitted.end = out_.size();
  emitted.state = BlockState::closed;
  in_block_ = false;
  visiting_ = visited_position_ = not_yet;
  plain_end_ = 0;
  // Until the graph is changed, no block waits for an edge.
  if (graph_changed_ && emitted.terminator != not_yet) note_successors(block_);
}

/// As `copy_plain`, for what most blocks begin and end with.
[[gnu::always_inline]] inline bool Compact::copy_flow(uint32_t dense) {
  const Stmt& old = f_.columns_.stmt(dense);
  uint32_t a = old.arg[0], b = old.arg[1], c = old.arg[2];
  uint32_t position = out_.size();
  bool late = false;
  if (old.op == Op::phi) {
    uint32_t count = f_.block(block_).pred_count;
    if (old.n != count || count < 2 || count > 3) return false;
    rename_[dense] = position;  // it may use itself
    a = map_word(a, late);
    b = map_word(b, late);
    if (count == 3) c = map_word(c, late);
  } else if (old.op == Op::jump || (old.op == Op::branch && !options_.fold_branches)) {
    if (old.op == Op::branch) a = map_word(a, late);
    rename_[dense] = emitted_[index(block_)].terminator = position;
  } else {
    return false;
  }
  out_.push_in_room(old, a, b, f_.columns_.type(dense), f_.columns_.loc(dense));
  out_.stmt(position).arg[2] = c;
  if (late) late_.push_back(static_cast<Ref>(position));
  ++copied_;
  visited_position_ = position;
  visiting_ = dense;
  cursor_.skip_one();
  return true;
}

bool Compact::next_special() {
  for (;;) {
    bool starts = !in_block_;
    if (starts && !open_next_block()) return false;
    uint32_t at = cursor_.position();
    if (at < plain_end_ && (copy_flow(at) || (starts && copy_plain(at)))) return true;
    uint32_t dense = skip_rest_ ? BlockCursor::end : cursor_.next();
    if (dense == BlockCursor::end) {
      close_block();
      continue;
    }
    visiting_ = dense;
    bool emitted = emit(dense);
    set_plain_end();
    if (!emitted) continue;
    visited_position_ = out_.size() - 1;
    return true;
  }
}

// ---- statements ----

/// Users of a value that has become narrower are worth another look.
void Compact::mark_refined(Stmt& stmt) {
  const OpInfo& op = info(stmt.op);
  std::span<const uint32_t> words = f_.args(stmt);
  for (uint32_t i = 0; i < words.size(); ++i) {
    Operand operand = Operand::from_word(words[i]);
    if (!op.is_value(i) || !(operand.is_stmt() || operand.is_pending())) continue;
    uint32_t used = f_.dense(operand);
    if (used < narrower_.size() && narrower_[used]) stmt.flags |= refined;
  }
}

bool Compact::emit(uint32_t dense) {
  Stmt& old = old_stmt(dense);
  if (!narrower_.empty()) mark_refined(old);
  if (old.op == Op::phi) return emit_phi(dense, old);
  if (is_special_to_compaction(old.op)) return emit_special(dense, old);
  if (is_terminator(old.op)) return emit_terminator(dense, old);
  return emit_copy(dense, old);
}

bool Compact::emit_copy(uint32_t dense, const Stmt& old) {
  bool late = false;
  const OpInfo& op = info(old.op);
  uint32_t a = old.arg[0], b = old.arg[1], c = old.arg[2];
  if (old.is_pooled()) {
    std::span<const uint32_t> words = f_.args(old);
    a = static_cast<uint32_t>(pool_.size());
    c = b;
    pool_.resize(pool_.size() + words.size());
    for (uint32_t i = 0; i < words.size(); ++i) pool_[a + i] = op.is_value(i) ? map_word(words[i], late) : words[i];
  } else {
    if (op.value_mask & 1 && old.n > 0) a = map_word(a, late);
    if (op.value_mask & 2 && old.n > 1) b = map_word(b, late);
    if (op.value_mask & 4 && old.n > 2) c = map_word(c, late);
  }
  push(dense, old, a, b, c, late);
  return true;
}

bool Compact::emit_special(uint32_t dense, const Stmt& old) {
  bool late = false;
  switch (old.op) {
    case Op::nothing: drop(dense, Operand::erased(), false); return false;
    case Op::same:
      drop(dense, Operand::from_word(map_word(old.arg[0], late)), (old.flags & refined) != 0);
      return false;
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
  has_folded_ = true;
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

Analysis compact(Function& function, CompactOptions options) {
  Compact walk(function, options);
  walk.finish();
  return walk.unchanged();
}

}  // namespace braid::ir
