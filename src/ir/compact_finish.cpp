// The end of a compaction: forward references, blocks that lost their place, phi columns of edges that died late, dead
// statements, new numbers for blocks and edges.
#include <algorithm>

#include "ir/block_order.h"
#include "ir/compact.h"

namespace braid::ir {

namespace {

/// Maps the value operands of a statement; a phi_c loses those that become `erased`.
template <typename F>
void rewrite(Stmt& stmt, std::vector<uint32_t>& pool, F&& map) {
  const OpInfo& op = info(stmt.op);
  uint32_t count = stmt.is_pooled() ? stmt.arg[1] : stmt.n;
  uint32_t* words = stmt.is_pooled() ? pool.data() + stmt.arg[0] : stmt.arg;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t word = op.is_value(i) ? map(words[i]) : words[i];
    if (stmt.op == Op::phi_c && word == Operand::erased().word()) continue;
    words[kept++] = word;
  }
  if (stmt.is_pooled())
    stmt.arg[1] = kept;
  else
    stmt.n = static_cast<uint8_t>(kept);
}

}  // namespace

void Compact::finish() {
  assert(!finished_);
  while (next()) {
  }
  resolve_late();
  if (graph_changed_) {
    if (!order_is_sound()) move_blocks();
    strip_columns();
  }
  if (!is_whole()) clean_switches();
  if (has_upsilons_) match_upsilons();
  if (options_.remove_dead) remove_dead();
  assert(!options_.count_uses || use_counts_are_right());
  const bool have_blocks_numbers = blocks_stay();
  if (have_blocks_numbers && is_whole()) unchanged_ = statements_stay() ? Analysis::all : Analysis::graph;
  if (have_blocks_numbers && edges_stay())
    keep_numbers();
  else
    renumber();
  put_result();
  finished_ = true;
}

/// Operands that were ahead when they were read have their final name by now. What was never emitted is gone: `erased`.
/// (The columns of edges from blocks that were not emitted are stripped next.)
void Compact::resolve_late() {
  auto resolve = [&](uint32_t word) {
    if (!Operand::from_word(word).is_old()) return word;
    bool late = false;
    uint32_t known = rename_[Operand::from_word(word).number()];
    word = known < PlainOp::first_name_ahead && !has_holes_ ? known : follow(Operand::from_word(word), late);
    if (late) return Operand::erased().word();
    if (options_.count_uses) count_use(Operand::from_word(word), 1);
    return word;
  };
  for (Ref r : late_) {
    // A statement that was erased at once has left its place to another: looking at that does no harm.
    if (index(r) >= out_.size()) continue;
    Stmt& stmt = out_.stmt(index(r));
    if (stmt.op == Op::phi && !stmt.is_pooled())
      for (uint32_t i = 0; i < stmt.n; ++i) stmt.arg[i] = resolve(stmt.arg[i]);
    else
      rewrite(stmt, pool_, resolve);
  }
  for (uint32_t k = 0; k < behind_.size(); ++k) rewrite(behind_.stmt(k), pool_, resolve);
}

/// Whether every block is entered from a block before it: then there is a path of such blocks from the entry to it, on
/// which all its dominators are, and it is reachable.
bool Compact::order_is_sound() const {
  return std::all_of(order_.begin(), order_.end(), [&](BlockId b) {
    if (b == Function::entry()) return true;
    for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred) {
      const Emitted& from = emitted_[index(f_.edge(e).from)];
      if (!f_.edge(e).dead && from.state == BlockState::closed && from.first < emitted_[index(b)].first) return true;
    }
    return false;
  });
}

/// Puts the blocks that are reachable by now in a new order, and drops the others.
void Compact::move_blocks() {
  std::vector<BlockId> before = std::move(order_);
  order_again();
  if (has_holes_) {
    // A replaced statement that is dropped must not take with it what it stands for.
    auto resolve = [&](uint32_t word) {
      bool late = false;
      uint32_t meaning = follow(Operand::from_word(word), late);
      if (options_.count_uses) {
        count_use(Operand::from_word(word), -1u);
        count_use(Operand::from_word(meaning), 1);
      }
      return meaning;
    };
    for (uint32_t i = 0; i < out_.size(); ++i) rewrite(out_.stmt(i), pool_, resolve);
    for (uint32_t k = 0; k < behind_.size(); ++k) rewrite(behind_.stmt(k), pool_, resolve);
  }
  // What is dropped uses nothing any more. A buffered statement keeps its number and needs some place.
  for (BlockId b : before)
    for (uint32_t i = emitted_[index(b)].first; i < emitted_[index(b)].end; ++i)
      if (emitted_[index(b)].state == BlockState::gone) put(static_cast<Ref>(i), {Op::nothing});
  for (uint32_t k = 0; k < behind_.size(); ++k) {
    if (emitted_[index(behind_blocks_[k])].state != BlockState::gone) continue;
    put(static_cast<NewRef>(k), {Op::nothing});
    behind_points_[k] = Point(Point::Side::block_end, Function::entry());
  }

  Columns moved;
  moved.reserve(out_.size());
  std::vector<uint32_t> place(out_.size(), Operand::erased().word()), uses;
  std::vector<VarId> variables;
  for (BlockId b : order_) {
    Emitted& emitted = emitted_[index(b)];
    uint32_t first = moved.size();
    for (uint32_t i = emitted.first; i < emitted.end; ++i) {
      place[i] = moved.push(out_.inst(i));
      if (!uses_.empty()) uses.push_back(uses_[i]);
      if (!source_variables_.empty()) variables.push_back(source_variables_[i]);
    }
    if (emitted.terminator != not_yet) emitted.terminator = place[emitted.terminator];
    emitted.first = first;
    emitted.end = moved.size();
  }
  moved_ = moved.size();
  out_ = std::move(moved);
  uses_ = std::move(uses);
  source_variables_ = std::move(variables);
  auto rename = [&](uint32_t word) { return Operand::from_word(word).is_stmt() ? place[word] : word; };
  for (uint32_t i = 0; i < out_.size(); ++i) rewrite(out_.stmt(i), pool_, rename);
  for (uint32_t k = 0; k < behind_.size(); ++k) {
    rewrite(behind_.stmt(k), pool_, rename);
    Point& point = behind_points_[k];
    if (!point.of_block()) point = Point(point.side, Operand::from_word(rename(point.anchor().word())));
  }
}

/// Edges that died after their target was emitted, and edges from blocks that were never emitted, still have columns.
void Compact::strip_columns() {
  for (Edge& edge : f_.edges_)
    if (emitted_[index(edge.from)].state != BlockState::closed) edge.dead = true;
  for (BlockId b : order_) {
    if (!drop_dead_preds(b)) continue;
    auto strip = [&](Stmt& phi) {
      if (phi.op != Op::phi) return;
      if (options_.count_uses) count_uses(phi, -1u);
      Function::keep_columns(phi, pool_, kept_);
      if (options_.count_uses) count_uses(phi, 1);
    };
    const Emitted& emitted = emitted_[index(b)];
    for (uint32_t i = emitted.first; i < emitted.end; ++i) strip(out_.stmt(i));
    for (uint32_t p = emitted.behind_phis; p != Block::no_range; p = behind_phis_[p].next)
      strip(behind_.stmt(index(behind_phis_[p].phi)));
  }
}

/// Dead cases leave a switch; one that is left with its default alone is a jump.
void Compact::clean_switches() {
  for (BlockId b : order_) {
    uint32_t t = emitted_[index(b)].terminator;
    if (t == not_yet || out_.stmt(t).op != Op::switch_) continue;
    Stmt& stmt = out_.stmt(t);
    std::vector<uint32_t> live = f_.live_switch(args(stmt));
    if (live.size() == args(stmt).size()) continue;
    if (options_.count_uses) count_uses(stmt, -1u);
    if (live.empty()) {
      stmt = Stmt{Op::unreachable, 0, 0, {0, 0, 0}};
    } else if (live.size() == 2) {
      stmt = Stmt{Op::jump, 1, 0, {live[1], 0, 0}};
      f_.edges_[static_cast<EdgeId>(live[1])].slot = 0;
    } else {
      for (uint32_t i = 1; i < live.size(); i += 2) f_.edges_[static_cast<EdgeId>(live[i])].slot = i;
      std::copy(live.begin(), live.end(), pool_.begin() + stmt.arg[0]);
      stmt.arg[1] = static_cast<uint32_t>(live.size());
    }
    if (options_.count_uses) count_uses(stmt, 1);
  }
}

/// An upsilon stores for the phi_c that lists it: if one goes, so does its place in the list, or its purpose.
void Compact::match_upsilons() {
  std::vector<bool> read(out_.size()), behind_read(behind_.size());
  auto forget_erased = [&](uint32_t word) {
    Operand operand = Operand::from_word(word);
    if (!operand.is_stmt() && !operand.is_pending()) return word;
    if (finished_stmt(operand).op == Op::nothing) {
      if (options_.count_uses) count_use(operand, -1u);
      return Operand::erased().word();
    }
    (operand.is_stmt() ? read : behind_read)[operand.number()] = true;
    return word;
  };
  for (uint32_t i = 0; i < out_.size(); ++i)
    if (out_.stmt(i).op == Op::phi_c) rewrite(out_.stmt(i), pool_, forget_erased);
  for (uint32_t k = 0; k < behind_.size(); ++k)
    if (behind_.stmt(k).op == Op::phi_c) rewrite(behind_.stmt(k), pool_, forget_erased);
  for (uint32_t i = 0; i < out_.size(); ++i)
    if (out_.stmt(i).op == Op::upsilon && !read[i]) put(static_cast<Ref>(i), {Op::nothing});
  for (uint32_t k = 0; k < behind_.size(); ++k)
    if (behind_.stmt(k).op == Op::upsilon && !behind_read[k]) put(static_cast<NewRef>(k), {Op::nothing});
}

void Compact::remove_dead() {
  std::vector<Operand> work;
  auto note = [&](Operand id) {
    if (!(id.is_stmt() || id.is_pending())) return;
    if ((id.is_stmt() ? uses_ : behind_uses_)[id.number()] != 0) return;
    const Stmt& s = finished_stmt(id);
    if (s.op != Op::nothing && (f_.traits(s, args(s)) & keeps_alive) == 0) work.push_back(id);
  };
  for (uint32_t i = 0; i < out_.size(); ++i) note(static_cast<Ref>(i));
  for (uint32_t k = 0; k < behind_.size(); ++k) note(static_cast<NewRef>(k));
  while (!work.empty()) {
    Operand id = work.back();
    work.pop_back();
    Stmt dead = finished_stmt(id);
    put(id, {Op::nothing});
    std::span<const uint32_t> words = args(dead);
    for (uint32_t i = 0; i < words.size(); ++i)
      if (info(dead.op).is_value(i)) note(Operand::from_word(words[i]));
  }
}

bool Compact::use_counts_are_right() const {
  std::vector<uint32_t> counted(uses_.size()), behind_counted(behind_uses_.size());
  auto count = [&](const Stmt& stmt) {
    std::span<const uint32_t> words = args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (!info(stmt.op).is_value(i)) continue;
      if (operand.is_stmt()) ++counted[operand.number()];
      if (operand.is_pending()) ++behind_counted[operand.number()];
    }
  };
  for (uint32_t i = 0; i < out_.size(); ++i) count(out_.stmt(i));
  for (uint32_t k = 0; k < behind_.size(); ++k) count(behind_.stmt(k));
  return counted == uses_ && behind_counted == behind_uses_;
}

/// Whether blocks have already the numbers that `renumber` would give them, as in a function at rest whose graph a pass has
/// left alone.
bool Compact::blocks_stay() const {
  if (order_.size() != f_.block_count()) return false;
  for (uint32_t i = 0; i < order_.size(); ++i)
    if (index(order_[i]) != i) return false;
  return true;
}

/// The same of edges, in blocks that keep their numbers.
bool Compact::edges_stay() const {
  auto has_spare_room = [](const auto& map) { return map.capacity() != map.size(); };
  if (has_spare_room(f_.blocks_) || has_spare_room(f_.edges_)) return false;
  uint32_t edge = 0;
  for (const Block& block : f_.blocks_)
    for (EdgeId e = block.first_pred; !is_none(e); e = f_.edge(e).next_pred)
      if (index(e) != edge++) return false;
  return edge == f_.edge_count();
}

/// Whether each statement was copied to where it stood, and reads what it read: none waits, came, went or was overwritten. For
/// blocks that keep their numbers.
bool Compact::statements_stay() const {
  if (has_holes_ || has_folded_ || copied_ != old_count_ || out_.size() != old_count_) return false;
  if (f_.pending_count() != 0 || behind_.size() != 0) return false;
  return std::all_of(order_.begin(), order_.end(), [&](BlockId b) {
    const Block& block = f_.block(b);
    return block.more == Block::no_range && block.first == emitted_[index(b)].first;
  });
}

/// Gives a block its place in the result.
inline void Compact::place_block(Block& block, const Emitted& emitted) {
  block.first = emitted.first;
  block.end = emitted.end;
  block.more = Block::no_range;
  block.terminator = emitted.terminator == not_yet ? Operand::undef() : Operand(static_cast<Ref>(emitted.terminator));
}

void Compact::keep_numbers() {
  for (BlockId b : order_) place_block(f_.blocks_[b], emitted_[index(b)]);
}

/// Blocks get the order of emission.
void Compact::renumber() {
  for (uint32_t i = 0; i < order_.size(); ++i) emitted_[index(order_[i])].number = static_cast<BlockId>(i);
  renumber_blocks(
      f_.blocks_, f_.edges_, f_.impossible_, order_, out_, pool_, [&](BlockId b) { return emitted_[index(b)].number; },
      [&](Block& block, BlockId b) { place_block(block, emitted_[index(b)]); });
}

void Compact::put_result() {
  out_.shrink_to_fit();
  f_.columns_ = std::move(out_);
  f_.pool_ = std::move(pool_);
  f_.owned_ = static_cast<uint32_t>(f_.pool_.size());
  f_.source_variables_ = std::move(source_variables_);
  f_.ranges_ = {};
  f_.pending_ = std::move(behind_);
  f_.points_ = std::move(behind_points_);
  f_.pending_phis_ = {};
  f_.first_pending_phi_ = {};
  f_.block_of_ = {};
  for (uint32_t k = 0; k < f_.pending_count(); ++k)
    if (f_.pending_.stmt(k).op == Op::phi) f_.note_pending_phi(static_cast<NewRef>(k));
}

}  // namespace braid::ir
