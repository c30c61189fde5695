// The end of a compaction: forward references, phi columns of edges that died late, new numbers for blocks and edges,
// dead statements; and the view of an unfinished result.
#include <algorithm>
#include <cassert>

#include "ir/compact.h"

namespace braid::ir {

using Tag = Operand::Tag;

void Compact::finish() {
  assert(!finished_);
  while (next()) {
  }
  resolve_late();
  strip_columns();
  if (options_.remove_dead) remove_dead();
  assert(!options_.count_uses || use_counts_are_right());
  renumber();
  finished_ = true;
}

/// Operands that were ahead when they were read have their final name by now. What was never emitted is gone: a phi_c
/// forgets such an upsilon, anything else is left with `erased` (the columns of edges from blocks that were not emitted
/// are stripped next).
void Compact::resolve_late() {
  auto resolve = [&](Stmt& stmt) {
    const OpInfo& op = info(stmt.op);
    uint32_t count = stmt.is_pooled() ? stmt.arg[1] : stmt.n;
    uint32_t* words = stmt.is_pooled() ? pool_.data() + stmt.arg[0] : stmt.arg;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t word = words[i];
      if (op.is_value(i) && Operand::from_word(word).is_old()) {
        bool late = false;
        word = map_slow(word, late);
        if (late) word = Operand::erased().word();
        if (options_.count_uses && Operand::from_word(word).is_stmt()) ++uses_[Operand::from_word(word).number()];
        if (stmt.op == Op::phi_c && word == Operand::erased().word()) continue;
      }
      words[kept++] = word;
    }
    if (stmt.is_pooled())
      stmt.arg[1] = kept;
    else
      stmt.n = static_cast<uint8_t>(kept);
  };
  for (Ref r : late_)
    if (index(r) < out_.size()) resolve(out_.stmt(index(r)));
  for (uint32_t k = 0; k < behind_.size(); ++k) resolve(behind_.stmt(k));
}

/// Edges that died after their target was emitted, and edges from blocks that were never emitted, still have columns.
void Compact::strip_columns() {
  for (BlockId b : order_) {
    Block& block = f_.blocks_[b];
    columns_kept_.clear();
    uint32_t seen = 0;
    EdgeId last = none_id<EdgeId>;
    for (EdgeId e = block.first_pred; !is_none(e);) {
      Edge& edge = f_.edges_[e];
      EdgeId next = edge.next_pred;
      if (emitted_[index(edge.from)].state != BlockState::closed) edge.dead = true;
      if (edge.dead) {
        (is_none(last) ? block.first_pred : f_.edges_[last].next_pred) = next;
      } else {
        edge.pred_index = static_cast<uint32_t>(columns_kept_.size());
        columns_kept_.push_back(seen);
        last = e;
      }
      ++seen;
      e = next;
    }
    if (seen == columns_kept_.size()) continue;
    block.last_pred = last;
    block.pred_count = static_cast<uint32_t>(columns_kept_.size());
    auto strip = [&](Stmt& phi) {
      if (options_.count_uses) count_uses(phi, -1);
      uint32_t* words = phi.is_pooled() ? pool_.data() + phi.arg[0] : phi.arg;
      for (uint32_t i = 0; i < columns_kept_.size(); ++i) words[i] = words[columns_kept_[i]];
      uint32_t count = static_cast<uint32_t>(columns_kept_.size());
      if (phi.is_pooled() && count > 3) {
        phi.arg[1] = count;
      } else {
        uint32_t inline_words[3] = {0, 0, 0};
        std::copy(words, words + count, inline_words);
        std::copy(inline_words, inline_words + 3, phi.arg);
        phi.n = static_cast<uint8_t>(count);
      }
      if (options_.count_uses) count_uses(phi, 1);
    };
    const Emitted& emitted = emitted_[index(b)];
    for (uint32_t i = emitted.first; i < emitted.end; ++i)
      if (out_.stmt(i).op == Op::phi) strip(out_.stmt(i));
    for (uint32_t k = 0; k < behind_.size(); ++k) {
      if (behind_.stmt(k).op != Op::phi) continue;
      Operand anchor = behind_points_[k].anchor;
      while (anchor.is_pending()) anchor = behind_points_[anchor.number()].anchor;
      if (anchor.number() >= emitted.first && anchor.number() < emitted.end) strip(behind_.stmt(k));
    }
  }
}

/// Dead cases leave a switch: their values go to the default; a dead default is taken over by the last live case.
void Compact::clean_switch(Stmt& stmt, Type& type) {
  std::vector<uint32_t> words(args(stmt).begin(), args(stmt).end());
  auto lives = [&](uint32_t word) { return word != index(none_id<EdgeId>) && !f_.edges_[static_cast<EdgeId>(word)].dead; };
  std::vector<uint32_t> kept = {words[0], words[1]};
  for (uint32_t i = 2; i < words.size(); i += 2) {
    if (!lives(words[i + 1])) continue;
    kept.push_back(words[i]);
    kept.push_back(words[i + 1]);
  }
  if (!lives(kept[1])) {
    if (kept.size() == 2) {
      if (options_.count_uses) count_uses(stmt, -1);
      stmt = Stmt{Op::unreachable, 0, 0, {0, 0, 0}};
      type = void_type;
      return;
    }
    kept[1] = kept.back();
    kept.resize(kept.size() - 2);
  }
  if (kept.size() == words.size()) return;
  if (options_.count_uses) count_uses(stmt, -1);
  if (kept.size() == 2) {
    stmt = Stmt{Op::jump, 1, 0, {kept[1], 0, 0}};
    f_.edges_[static_cast<EdgeId>(kept[1])].slot = 0;
    return;
  }
  for (uint32_t i = 1; i < kept.size(); ++i)
    if (info(Op::switch_).kind_of(i) == OperandKind::block) f_.edges_[static_cast<EdgeId>(kept[i])].slot = i;
  std::copy(kept.begin(), kept.end(), pool_.begin() + stmt.arg[0]);
  stmt.arg[1] = static_cast<uint32_t>(kept.size());
  if (options_.count_uses) count_uses(stmt, 1);
}

/// Uses are counted in `uses_`; buffered statements count as users and are never removed.
void Compact::remove_dead() {
  std::vector<uint32_t> work;
  auto removable = [&](uint32_t i) {
    const Stmt& s = out_.stmt(i);
    if (uses_[i] != 0 || s.op == Op::nothing) return false;
    return (f_.traits(s, args(s)) & keeps_alive) == 0;
  };
  for (uint32_t i = out_.size(); i-- > 0;) {
    if (!removable(i)) continue;
    work.push_back(i);
    while (!work.empty()) {
      uint32_t dead = work.back();
      work.pop_back();
      Stmt stmt = out_.stmt(dead);
      if (stmt.op == Op::nothing) continue;
      count_uses(stmt, -1);
      out_.stmt(dead) = Stmt{};
      out_.type(dead) = void_type;
      const OpInfo& op = info(stmt.op);
      std::span<const uint32_t> words = args(stmt);
      for (uint32_t k = 0; k < words.size(); ++k) {
        Operand operand = Operand::from_word(words[k]);
        // Those below `i` are looked at when the sweep comes to them.
        if (op.is_value(k) && operand.is_stmt() && operand.number() > i && removable(operand.number()))
          work.push_back(operand.number());
      }
    }
  }
}

bool Compact::use_counts_are_right() const {
  std::vector<uint32_t> counted(out_.size(), 0);
  auto count = [&](const Stmt& stmt) {
    std::span<const uint32_t> words = args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (info(stmt.op).is_value(i) && operand.is_stmt()) ++counted[operand.number()];
    }
  };
  for (uint32_t i = 0; i < out_.size(); ++i) count(out_.stmt(i));
  for (uint32_t k = 0; k < behind_.size(); ++k) count(behind_.stmt(k));
  return counted == uses_;
}

void Compact::renumber() {
  // Blocks in the order of emission, edges in the order of (target, predecessor list): lists of predecessors are
  // contiguous from here on.
  std::vector<BlockId> new_block(f_.block_count(), none_id<BlockId>);
  for (uint32_t i = 0; i < order_.size(); ++i) new_block[index(order_[i])] = static_cast<BlockId>(i);
  std::vector<EdgeId> new_edge(f_.edge_count(), none_id<EdgeId>);
  IdMap<BlockId, Block> blocks;
  IdMap<EdgeId, Edge> edges;
  blocks.reserve(order_.size());
  // Switches are cleaned first: they may change which slot an edge has.
  for (BlockId b : order_) {
    uint32_t t = emitted_[index(b)].terminator;
    if (t != not_yet && out_.stmt(t).op == Op::switch_) clean_switch(out_.stmt(t), out_.type(t));
  }
  for (BlockId b : order_) {
    const Emitted& emitted = emitted_[index(b)];
    const Block& old = f_.block(b);
    Block block;
    block.first = emitted.first;
    block.end = emitted.end;
    block.name = old.name;
    block.pred_count = old.pred_count;
    if (emitted.terminator != not_yet) block.terminator = static_cast<Ref>(emitted.terminator);
    if (!is_none(old.impossible)) block.impossible = new_block[index(old.impossible)];
    EdgeId previous = none_id<EdgeId>;
    for (EdgeId e = old.first_pred; !is_none(e); e = f_.edge(e).next_pred) {
      Edge edge = f_.edge(e);
      edge.from = new_block[index(edge.from)];
      edge.to = new_block[index(edge.to)];
      edge.next_pred = none_id<EdgeId>;
      EdgeId id = edges.push(edge);
      new_edge[index(e)] = id;
      if (is_none(previous))
        block.first_pred = id;
      else
        edges[previous].next_pred = id;
      previous = id;
    }
    block.last_pred = previous;
    blocks.push(block);
  }
  for (const Block& block : blocks) {
    if (block.terminator.is_undef()) continue;
    Stmt& t = out_.stmt(block.terminator.number());
    const OpInfo& op = info(t.op);
    uint32_t count = t.is_pooled() ? t.arg[1] : t.n;
    uint32_t* words = t.is_pooled() ? pool_.data() + t.arg[0] : t.arg;
    for (uint32_t i = 0; i < count; ++i)
      if (op.kind_of(i) == OperandKind::block && words[i] != index(none_id<EdgeId>)) words[i] = index(new_edge[words[i]]);
  }

  out_.shrink_to_fit();
  f_.columns_ = std::move(out_);
  f_.pool_ = std::move(pool_);
  f_.source_variables_ = std::move(source_variables_);
  f_.blocks_ = std::move(blocks);
  f_.edges_ = std::move(edges);
  f_.ranges_.clear();
  f_.pending_ = Columns();
  f_.points_.clear();
  f_.pending_phis_.clear();
  f_.block_of_.clear();
  for (uint32_t k = 0; k < behind_.size(); ++k)
    f_.insert({behind_points_[k].side, f_.dense(behind_points_[k].anchor)}, behind_.inst(k));
}

Function Compact::finished_part() const {
  Function part(f_.module(), f_.id(), f_.name(), f_.signature_id(), false);
  part.param_names = f_.param_names;
  part.variables = f_.variables;
  part.columns_ = out_;
  part.pool_ = pool_;
  part.source_variables_ = source_variables_;

  std::vector<BlockId> number(f_.block_count(), none_id<BlockId>);
  for (BlockId b : order_) {
    const Emitted& emitted = emitted_[index(b)];
    Block block;
    block.first = emitted.first;
    block.end = range(b).second;
    block.name = f_.block(b).name;
    if (emitted.terminator != not_yet) block.terminator = static_cast<Ref>(emitted.terminator);
    number[index(b)] = part.blocks_.push(block);
  }
  auto number_of = [&](BlockId b) {
    if (!is_none(number[index(b)])) return number[index(b)];
    number[index(b)] = part.new_block(f_.block(b).name);
    return number[index(b)];
  };
  // Edges between emitted blocks keep their columns, in order; others lead to empty blocks.
  std::vector<EdgeId> edge_of(f_.edge_count(), none_id<EdgeId>);
  for (BlockId b : order_) {
    std::vector<uint32_t> kept;
    for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred) {
      const Edge& edge = f_.edge(e);
      if (edge.dead || emitted_[index(edge.from)].terminator == not_yet) continue;
      kept.push_back(edge.pred_index);
      edge_of[index(e)] = part.edges_.push({number[index(edge.from)], number[index(b)], none_id<EdgeId>, 0, edge.slot, edge.kind, false});
      part.link_pred(edge_of[index(e)]);
    }
    auto [first, end] = range(b);
    for (uint32_t i = first; i < end; ++i) {
      Stmt& s = part.columns_.stmt(i);
      if (s.op != Op::phi) continue;
      std::vector<uint32_t> words;
      for (uint32_t column : kept) words.push_back(args(stmt(static_cast<Ref>(i)))[column]);
      uint8_t flags = s.flags;
      s = Function::make_in(part.pool_, Op::phi, none, words, {}).stmt;
      s.flags = flags;
    }
  }
  for (BlockId b : order_) {
    uint32_t t = emitted_[index(b)].terminator;
    if (t == not_yet) {
      part.unreachable(number[index(b)]);
      continue;
    }
    Stmt& s = part.columns_.stmt(t);
    for (uint32_t i = 0; i < part.operand_count(s); ++i) {
      if (info(s.op).kind_of(i) != OperandKind::block) continue;
      EdgeId e = static_cast<EdgeId>(part.arg(s, i));
      if (is_none(e)) continue;
      if (is_none(edge_of[index(e)]) && !f_.edge(e).dead) {
        const Edge& edge = f_.edge(e);
        edge_of[index(e)] = part.edges_.push({number[index(b)], number_of(edge.to), none_id<EdgeId>, 0, i, edge.kind, false});
        part.link_pred(edge_of[index(e)]);
      }
      part.set_target(part.columns_.stmt(t), part.pool_, i, edge_of[index(e)]);
    }
  }
  for (uint32_t b = static_cast<uint32_t>(order_.size()); b < part.block_count(); ++b)
    part.unreachable(static_cast<BlockId>(b));
  for (uint32_t i = 0; i < out_.size(); ++i) {
    const Stmt& s = part.columns_.stmt(i);
    for (uint32_t k = 0; k < part.operand_count(s); ++k)
      if (info(s.op).is_value(k) && part.operand(s, k).is_old()) part.set_operand(static_cast<Ref>(i), k, Operand::undef());
  }
  for (uint32_t k = 0; k < behind_.size(); ++k) {
    Inst inst = behind_.inst(k);
    NewRef id = part.insert({behind_points_[k].side, part.dense(behind_points_[k].anchor)},
                            part.make(inst.stmt.op, inst.type, args(inst.stmt), inst.loc));
    for (uint32_t i = 0; i < part.operand_count(part.stmt(id)); ++i)
      if (info(inst.stmt.op).is_value(i) && part.operand(id, i).is_old()) part.set_operand(id, i, Operand::undef());
  }
  return part;
}

}  // namespace braid::ir
