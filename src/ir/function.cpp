// Building and editing functions. Every edit is O(1) apart from what it copies.
#include "ir/function.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>

namespace braid::ir {

Function::Function(Module& module, FuncId id, Symbol name, SigId signature, bool external)
    : module_(&module), id_(id), name_(name), signature_(signature), external_(external) {}

// ---- reading ----

Type Function::type_of(Operand operand) const {
  switch (operand.tag()) {
    case Operand::Tag::stmt:
    case Operand::Tag::pending: return type(operand);
    case Operand::Tag::param: return operand.is_param() ? param_type(operand.number()) : none;
    case Operand::Tag::constant:
    case Operand::Tag::small: return module_->constants.value(operand).type;
    default: return none;
  }
}

Operand Function::resolve(Operand operand) const {
  for (uint32_t steps = 0; operand.is_stmt() || operand.is_pending(); ++steps) {
    const Stmt& s = stmt(operand);
    if (s.op != Op::same) return operand;
    if (steps > dense_count()) return Operand::erased();
    operand = Operand::from_word(s.arg[0]);
  }
  return operand;
}

Traits Function::traits(const Stmt& s, std::span<const uint32_t> words) const {
  Traits traits = info(s.op).traits;
  if (s.op == Op::intrinsic) {
    IntrinsicId callee = static_cast<IntrinsicId>(words[0]);
    traits = module_->intrinsics.contains(callee) ? module_->intrinsics[callee].traits : any_effect;
  } else if (s.op == Op::call) {
    FuncId callee = static_cast<FuncId>(words[0]);
    if (module_->has_function(callee) && module_->function(callee).is_external())
      traits = module_->function(callee).external_traits;
  } else if (s.op == Op::get) {
    VarId variable = static_cast<VarId>(words[0]);
    if (!variables.contains(variable) || variables[variable].undef == UndefMeaning::throws) traits |= throws;
  }
  return (s.flags & cannot_throw) ? traits & ~throws : traits;
}

void Function::set_source_variable(Ref r, VarId variable) {
  if (source_variables_.size() <= index(r)) source_variables_.resize(size(), none_id<VarId>);
  source_variables_[index(r)] = variable;
}

BlockId Function::block_of(Operand id) const {
  while (id.is_pending()) {
    const Point& point = points_[id.number()];
    if (point.of_block()) return point.block();
    id = point.anchor();
  }
  if (block_of_.empty()) {
    block_of_.assign(size(), none_id<BlockId>);
    for (uint32_t b = 0; b < block_count(); ++b)
      for_each_range(static_cast<BlockId>(b), [&](uint32_t first, uint32_t end) {
        std::fill(block_of_.begin() + first, block_of_.begin() + end, static_cast<BlockId>(b));
      });
  }
  return block_of_[id.number()];
}

std::vector<uint32_t> Function::live_switch(std::span<const uint32_t> words) const {
  auto lives = [&](uint32_t word) { return !edges_[static_cast<EdgeId>(word)].dead; };
  std::vector<uint32_t> live = {words[0], words[1]};
  for (uint32_t i = 2; i < words.size(); i += 2)
    if (lives(words[i + 1])) live.insert(live.end(), {words[i], words[i + 1]});
  if (lives(live[1])) return live;
  if (live.size() == 2) return {};
  live[1] = live.back();
  live.resize(live.size() - 2);
  return live;
}

bool Function::is_at_rest() const {
  if (pending_count() != 0) return false;
  uint32_t position = 0;
  for (const Block& block : blocks_) {
    if (block.first != position || block.more != Block::no_range) return false;
    position = block.end;
  }
  return position == size();
}

size_t Function::bytes() const {
  return columns_.bytes() + pool_.capacity() * sizeof(uint32_t) + source_variables_.capacity() * sizeof(VarId) +
         blocks_.capacity() * sizeof(Block) + edges_.capacity() * sizeof(Edge) + ranges_.capacity() * sizeof(Range) +
         impossible_.capacity() * sizeof(BlockId) + pending_.bytes() + points_.capacity() * sizeof(Point) +
         pending_phis_.capacity() * sizeof(PendingPhi) + first_pending_phi_.capacity() * sizeof(uint32_t) +
         block_of_.capacity() * sizeof(BlockId);
}

// ---- building ----

void Function::reserve(uint32_t statements, uint32_t blocks, uint32_t edges) {
  columns_.reserve(statements);
  blocks_.reserve(blocks);
  edges_.reserve(edges);
}

Inst Function::make_in(std::vector<uint32_t>& pool, Op op, Type type, std::span<const uint32_t> words, Loc loc) {
  Inst inst{{op, 0, 0, {0, 0, 0}}, type, loc};
  uint32_t count = static_cast<uint32_t>(words.size());
  if (count <= 3) {
    inst.stmt.n = static_cast<uint8_t>(count);
    std::copy(words.begin(), words.end(), inst.stmt.arg);
  } else {
    inst.stmt.n = Stmt::pooled;
    inst.stmt.arg[0] = static_cast<uint32_t>(pool.size());
    inst.stmt.arg[1] = inst.stmt.arg[2] = count;
    // The words may be those of another statement in the same pool, which moves when it grows.
    const uint32_t* from = words.data();
    bool inside = !std::less<>()(from, pool.data()) && std::less<>()(from, pool.data() + pool.size());
    size_t offset = inside ? static_cast<size_t>(from - pool.data()) : 0;
    pool.resize(pool.size() + count);
    std::copy_n(inside ? pool.data() + offset : from, count, pool.data() + inst.stmt.arg[0]);
  }
  return inst;
}

/// Whatever was made since the last statement was placed is new; anything else may be some statement's already.
Inst Function::owned(const Inst& inst) {
  if (!inst.stmt.is_pooled()) return inst;
  Inst result = inst;
  if (inst.stmt.arg[0] < owned_) {
    result = make(inst.stmt.op, inst.type, args(inst.stmt), inst.loc);
    result.stmt.flags = inst.stmt.flags;
  }
  owned_ = static_cast<uint32_t>(pool_.size());
  return result;
}

Inst Function::make(Op op, Type type, std::span<const uint32_t> words, Loc loc) {
  return make_in(pool_, op, type, words, loc);
}

Inst Function::make(Op op, Type type, std::initializer_list<Operand> operands, Loc loc) {
  static_assert(sizeof(Operand) == sizeof(uint32_t));
  return make(op, type, std::span(reinterpret_cast<const uint32_t*>(operands.begin()), operands.size()), loc);
}

void Function::append_range(Block& block, uint32_t position) {
  if (block.first == block.end) {
    block.first = position;
    block.end = position + 1;
    return;
  }
  if (block.more != Block::no_range) {
    Range& last = ranges_[ranges_[block.more].last];
    if (last.end == position) {
      last.end = position + 1;
      return;
    }
  }
  append_range(block, position, position + 1, Block::no_range);
}

/// The range, and the chain behind it, follow what the block has.
void Function::append_range(Block& block, uint32_t first, uint32_t end, uint32_t next) {
  uint32_t made = static_cast<uint32_t>(ranges_.size());
  uint32_t last = next == Block::no_range ? made : ranges_[next].last;
  ranges_.push_back({first, end, next, last});
  if (block.more == Block::no_range) {
    block.more = made;
  } else {
    Range& head = ranges_[block.more];
    ranges_[head.last].next = made;
    head.last = last;
  }
}

void Function::set_impossible(BlockId b, BlockId successor) {
  if (index(b) >= impossible_.size() && is_none(successor)) return;
  if (impossible_.size() < block_count()) impossible_.resize(block_count(), none_id<BlockId>);
  impossible_[index(b)] = successor;
}

Function::Tail Function::open_tail(BlockId b, uint32_t least) {
  Block& block = blocks_[b];
  uint32_t position = size();
  block_of_.clear();
  if (block.first == block.end && block.more == Block::no_range) block.first = block.end = position;
  bool is_last = block.end == position && block.more == Block::no_range;
  while (is_last && columns_.room() < least) columns_.reserve_more();
  return {columns_.stmts(), columns_.types(), position, is_last ? columns_.capacity() : position};
}

void Function::close_tail(BlockId b, uint32_t position, Loc loc) {
  uint32_t first = size(), count = position - first;
  columns_.set_size(position);
  Loc* locs = columns_.locs() + first;
  // Most tails have no location, and some of them are long.
  if (loc == Loc{} && count >= 16)
    std::memset(static_cast<void*>(locs), 0, count * sizeof(Loc));
  else
    std::fill_n(locs, count, loc);
  blocks_[b].end = position;
}

void Function::extend_phi(Stmt& phi, std::vector<uint32_t>& pool, uint32_t count) {
  uint32_t have = phi.is_pooled() ? phi.arg[1] : phi.n;
  if (have >= count) return;
  uint32_t undef = Operand::undef().word();
  if (!phi.is_pooled() && count <= 3) {
    while (phi.n < count) phi.arg[phi.n++] = undef;
    return;
  }
  if (!phi.is_pooled() || count > phi.arg[2]) {
    uint32_t room = std::max(count, have + have / 2 + 2);
    uint32_t offset = static_cast<uint32_t>(pool.size());
    pool.resize(pool.size() + room, undef);
    const uint32_t* words = phi.is_pooled() ? pool.data() + phi.arg[0] : phi.arg;
    std::copy(words, words + have, pool.begin() + offset);
    phi.n = Stmt::pooled;
    phi.arg[0] = offset;
    phi.arg[2] = room;
  }
  std::fill(pool.begin() + phi.arg[0] + have, pool.begin() + phi.arg[0] + count, undef);
  phi.arg[1] = count;
}

void Function::keep_columns(Stmt& phi, std::vector<uint32_t>& pool, std::span<const uint32_t> kept) {
  uint32_t have = phi.is_pooled() ? phi.arg[1] : phi.n;
  uint32_t count = static_cast<uint32_t>(kept.size());
  uint32_t* words = phi.is_pooled() ? pool.data() + phi.arg[0] : phi.arg;
  uint32_t few[3] = {0, 0, 0};
  uint32_t* to = count <= 3 ? few : words;
  for (uint32_t i = 0; i < count; ++i) {
    assert(kept[i] >= i);
    to[i] = kept[i] < have ? words[kept[i]] : Operand::undef().word();
  }
  if (count <= 3) {
    std::copy_n(few, 3, phi.arg);
    phi.n = static_cast<uint8_t>(count);
  } else {
    phi.arg[1] = count;
  }
}

void Function::extend_phis(BlockId b) {
  uint32_t count = blocks_[b].pred_count;
  for_each_phi(b, [&](Stmt& phi) { extend_phi(phi, pool_, count); });
  owned_ = static_cast<uint32_t>(pool_.size());
}

EdgeId Function::new_edge(BlockId from, BlockId to, EdgeKind kind, uint32_t slot) {
  EdgeId e = edges_.push({from, to, none_id<EdgeId>, 0, slot, kind, false});
  link_pred(e);
  if (may_have_phis(to)) extend_phis(to);
  return e;
}

void Function::drop_terminator_edges(BlockId b) {
  for_each_succ(b, [&](EdgeId e) { edges_[e].dead = true; });
}

void Function::set_terminator(BlockId b, const Inst& inst) {
  Operand old = blocks_[b].terminator;
  if (old.is_undef())
    blocks_[b].terminator = append(b, inst);
  else
    put(old, inst);
}

void Function::terminate(BlockId b, Op op, std::span<const uint32_t> words, Loc loc) {
  const OpInfo& row = info(op);
  const Type type = op == Op::enter ? token_type : void_type;
  auto edge_to = [&](uint32_t to, uint32_t slot) {
    if (is_none(static_cast<BlockId>(to))) return none_id<EdgeId>;
    return new_edge(b, static_cast<BlockId>(to), op == Op::enter && slot == 0 ? EdgeKind::exceptional : EdgeKind::normal, slot);
  };
  // A block's first terminator, as all builders write it, needs none of the care that replacing one takes.
  if (blocks_[b].terminator.is_undef() && words.size() <= 3) {
    // The words may be those of another statement, which moves when phis grow.
    Inst inst = make(op, type, words, loc);
    uint32_t* arg = inst.stmt.arg;
    for (uint32_t i = 0; i < inst.stmt.n; ++i)
      if (row.kind_of(i) == OperandKind::block) arg[i] = index(edge_to(arg[i], i));
    blocks_[b].terminator = append(b, inst);
    return;
  }
  Inst inst = owned(make(op, type, words, loc));
  drop_terminator_edges(b);
  // The operand list is placed before there are edges: these may make phis grow, which moves the pool.
  set_terminator(b, inst);
  uint32_t count = operand_count(inst.stmt);
  for (uint32_t i = 0; i < count; ++i) {
    if (row.kind_of(i) != OperandKind::block) continue;
    EdgeId e = edge_to(arg(stmt(blocks_[b].terminator), i), i);
    set_target(stmt_mut(blocks_[b].terminator), pool_, i, e);
  }
}

// Jumps and branches are most of all terminators: as the first one of a block they need not ask the table.
void Function::jump(BlockId b, BlockId to, Loc loc) {
  if (blocks_[b].terminator.is_undef()) {
    EdgeId e = new_edge(b, to, EdgeKind::normal, 0);
    blocks_[b].terminator = append(b, {{Op::jump, 1, 0, {index(e), 0, 0}}, void_type, loc});
    return;
  }
  uint32_t words[] = {index(to)};
  terminate(b, Op::jump, words, loc);
}

void Function::branch(BlockId b, Operand condition, BlockId if_true, BlockId if_false, Loc loc) {
  if (blocks_[b].terminator.is_undef()) {
    EdgeId yes = new_edge(b, if_true, EdgeKind::normal, 1), no = new_edge(b, if_false, EdgeKind::normal, 2);
    Stmt stmt{Op::branch, 3, 0, {condition.word(), index(yes), index(no)}};
    blocks_[b].terminator = append(b, {stmt, void_type, loc});
    return;
  }
  uint32_t words[] = {condition.word(), index(if_true), index(if_false)};
  terminate(b, Op::branch, words, loc);
}

void Function::switch_on(BlockId b, Operand value, BlockId otherwise, std::span<const Case> cases, Loc loc) {
  std::vector<uint32_t> words = {value.word(), index(otherwise)};
  words.reserve(2 + 2 * cases.size());
  for (const Case& c : cases) {
    words.push_back(c.value.word());
    words.push_back(index(c.target));
  }
  terminate(b, Op::switch_, words, loc);
}

void Function::ret(BlockId b, Loc loc) { terminate(b, Op::ret, {}, loc); }

void Function::ret(BlockId b, Operand value, Loc loc) {
  uint32_t words[] = {value.word()};
  terminate(b, Op::ret, words, loc);
}

void Function::throw_value(BlockId b, Operand exception, Loc loc) {
  uint32_t words[] = {exception.word()};
  terminate(b, Op::throw_, words, loc);
}

Operand Function::enter(BlockId b, BlockId handler, BlockId body, Loc loc) {
  uint32_t words[] = {index(handler), index(body)};
  terminate(b, Op::enter, words, loc);
  return blocks_[b].terminator;
}

void Function::deopt(BlockId b, Operand state, Loc loc) {
  uint32_t words[] = {state.word()};
  terminate(b, Op::deopt, words, loc);
}

void Function::unreachable(BlockId b, Loc loc) { terminate(b, Op::unreachable, {}, loc); }

// ---- editing ----

Point Function::at_start(BlockId b) const {
  uint32_t found = Block::no_range;
  for_each_range(b, [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; found == Block::no_range && i < end; ++i) {
      Op op = columns_.stmt(i).op;
      if (!may_precede_phi(op)) found = i;
    }
  });
  return found == Block::no_range ? at_end(b) : before(static_cast<Ref>(found));
}

NewRef Function::insert(Point point, const Inst& inst) {
  NewRef id = static_cast<NewRef>(pending_.push(owned(inst)));
  points_.push_back(point);
  if (inst.stmt.op == Op::phi) note_pending_phi(id);
  return id;
}

void Function::note_pending_phi(NewRef phi) {
  BlockId block = block_of(phi);
  if (first_pending_phi_.size() < block_count()) first_pending_phi_.resize(block_count(), Block::no_range);
  uint32_t& first = first_pending_phi_[index(block)];
  pending_phis_.push_back({phi, first});
  first = static_cast<uint32_t>(pending_phis_.size() - 1);
}

void Function::set_operand(Operand id, uint32_t i, Operand value) {
  Stmt& s = stmt_mut(id);
  assert(i < operand_count(s) && info(s.op).is_value(i));
  (s.is_pooled() ? pool_[s.arg[0] + i] : s.arg[i]) = value.word();
}

void Function::set_type(Operand id, Type type) {
  (id.is_stmt() ? columns_.type(id.number()) : pending_.type(id.number())) = type;
}

void Function::set_loc(Operand id, Loc loc) {
  (id.is_stmt() ? columns_.loc(id.number()) : pending_.loc(id.number())) = loc;
}

void Function::replace(Operand id, Operand value) {
  Stmt& s = stmt_mut(id);
  assert(!is_terminator(s.op));
  s.op = Op::same;
  s.n = 1;
  s.arg[0] = value.word();
}

void Function::put(Operand id, const Inst& inst) {
  stmt_mut(id) = inst.stmt;
  set_type(id, inst.type);
  set_loc(id, inst.loc);
}

void Function::overwrite(Operand id, const Inst& inst) {
  assert(!is_terminator(op(id)) && !is_terminator(inst.stmt.op));
  bool was_phi = op(id) == Op::phi;
  put(id, owned(inst));
  if (id.is_pending() && inst.stmt.op == Op::phi && !was_phi) note_pending_phi(id.new_ref());
}

void Function::add_upsilon(Operand phi_c, Operand upsilon) {
  Stmt& s = stmt_mut(phi_c);
  assert(s.op == Op::phi_c);
  uint32_t count = operand_count(s);
  extend_phi(s, pool_, count + 1);
  owned_ = static_cast<uint32_t>(pool_.size());
  set_operand(phi_c, count, upsilon);
}

void Function::erase(Operand id) {
  Stmt& s = stmt_mut(id);
  assert(!is_terminator(s.op));
  s = Stmt{};
  set_type(id, void_type);
}

void Function::drop_edge(EdgeId e, Stmt& t, Type& type) {
  Edge& edge = edges_[e];
  if (edge.dead) return;
  edge.dead = true;
  if (t.op == Op::branch) {
    EdgeId other = static_cast<EdgeId>(t.arg[edge.slot == 1 ? 2 : 1]);
    t = Stmt{Op::jump, 1, 0, {index(other), 0, 0}};
    edges_[other].slot = 0;
  } else if (t.op == Op::jump || (t.op == Op::enter && edge.slot == 1)) {
    // Nothing that is entered only to leave at once can throw: the handler of a region without a body dies with it.
    if (t.op == Op::enter && t.arg[0] != index(none_id<EdgeId>)) edges_[static_cast<EdgeId>(t.arg[0])].dead = true;
    t = Stmt{Op::unreachable, 0, 0, {0, 0, 0}};
    type = void_type;
  }
}

void Function::remove_edge(EdgeId e) {
  Operand t = blocks_[edges_[e].from].terminator;
  drop_edge(e, stmt_mut(t), t.is_stmt() ? columns_.type(t.number()) : pending_.type(t.number()));
}

BlockId Function::put_on_edge(EdgeId e, Symbol name) {
  const Edge edge = edges_[e];
  assert(edge.kind == EdgeKind::normal && !edge.dead);
  BlockId middle = new_block(name);
  EdgeId into = new_edge(edge.from, middle, EdgeKind::normal, edge.slot);
  set_target(stmt_mut(blocks_[edge.from].terminator), pool_, edge.slot, into);
  edges_[e].from = middle;
  edges_[e].slot = 0;
  return middle;
}

BlockId Function::split_edge(EdgeId e, Symbol name) {
  const Loc where = loc(blocks_[edges_[e].from].terminator);
  BlockId middle = put_on_edge(e, name);
  uint32_t words[] = {index(e)};
  set_terminator(middle, make(Op::jump, void_type, words, where));
  return middle;
}

EdgeId Function::redirect_edge(EdgeId e, BlockId to) {
  Edge old = edges_[e];
  assert(!old.dead);
  edges_[e].dead = true;
  EdgeId moved = new_edge(old.from, to, old.kind, old.slot);
  set_target(stmt_mut(blocks_[old.from].terminator), pool_, old.slot, moved);
  return moved;
}

BlockId Function::split_block(BlockId b, Ref at, Symbol name) {
  const uint32_t position = index(at);
  BlockId made = new_block(name);
  Block& head = blocks_[b];
  Block& tail = blocks_[made];
  // The ranges behind the one with `at`, if there are any, go along.
  auto move_rest = [&](uint32_t end, uint32_t rest) {
    tail.first = position;
    tail.end = end;
    tail.more = rest;
    if (rest != Block::no_range) ranges_[rest].last = ranges_[head.more].last;
  };
  if (head.first <= position && position < head.end) {
    move_rest(head.end, head.more);
    head.end = position;
    head.more = Block::no_range;
  } else {
    uint32_t r = head.more, before = Block::no_range;
    for (; position < ranges_[r].first || position >= ranges_[r].end; r = ranges_[r].next) before = r;
    move_rest(ranges_[r].end, ranges_[r].next);
    const bool is_left = ranges_[r].first != position;
    ranges_[r].end = position;
    uint32_t last = is_left ? r : before;
    (last == Block::no_range ? head.more : ranges_[last].next) = Block::no_range;
    if (last != Block::no_range) ranges_[head.more].last = last;
  }
  for_each_succ(b, [&](EdgeId e) { edges_[e].from = made; });
  tail.terminator = std::exchange(head.terminator, Operand::undef());
  set_impossible(made, impossible(b));
  set_impossible(b, none_id<BlockId>);
  block_of_.clear();
  return made;
}

void Function::merge_successor(BlockId b) {
  Operand jump = blocks_[b].terminator;
  assert(op(jump) == Op::jump && pending_count() == 0);
  EdgeId into = static_cast<EdgeId>(stmt(jump).arg[0]);
  BlockId next = edges_[into].to;
  assert(next != b && has_one_live_pred(next));
  for_each_range(next, [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i)
      if (Ref r = static_cast<Ref>(i); op(r) == Op::phi) replace(r, operand(r, edges_[into].pred_index));
  });
  for_each_succ(next, [&](EdgeId e) { edges_[e].from = b; });
  edges_[into].dead = true;
  put(jump, {});

  Block& head = blocks_[b];
  Block& tail = blocks_[next];
  if (tail.first != tail.end) append_range(head, tail.first, tail.end, tail.more);
  head.terminator = tail.terminator;
  if (is_none(impossible(b))) set_impossible(b, impossible(next));
  tail.first = tail.end = 0;
  tail.more = Block::no_range;
  tail.terminator = Operand::undef();
  block_of_.clear();
}

}  // namespace braid::ir
