// Views of an unfinished compaction: what is finished, as a function of its own, and what is emitted, to be shown.
#include <algorithm>
#include <tuple>

#include "ir/compact.h"

namespace braid::ir {

/// Without blocks and edges.
Function Compact::emitted_statements() const {
  Function part(f_.module(), f_.id(), f_.name(), f_.signature_id(), false);
  part.param_names = f_.param_names;
  part.variables = f_.variables;
  part.frames = f_.frames;
  part.inlined_frames = f_.inlined_frames;
  part.columns_ = out_;
  part.pool_ = pool_;
  part.owned_ = static_cast<uint32_t>(pool_.size());
  part.source_variables_ = source_variables_;
  part.pending_ = behind_;
  part.points_ = behind_points_;
  return part;
}

Function Compact::emitted_part() const {
  Function part = emitted_statements();
  part.edges_ = f_.edges_;
  part.blocks_ = f_.blocks_;
  for (uint32_t i = 0; i < f_.block_count(); ++i) {
    Block& block = part.blocks_[static_cast<BlockId>(i)];
    block.first = block.end = 0;
    block.more = Block::no_range;
    block.terminator = Operand::undef();
  }
  for (BlockId b : order_) {
    std::tie(part.blocks_[b].first, part.blocks_[b].end) = range(b);
    if (uint32_t t = emitted_[index(b)].terminator; t != not_yet) part.blocks_[b].terminator = static_cast<Ref>(t);
  }
  return part;
}

/// Edges between finished terminators and emitted blocks keep their columns, in order; others lead to empty blocks.
Function Compact::finished_part() const {
  Function part = emitted_statements();
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
  for (uint32_t k = 0; k < behind_.size(); ++k)
    if (behind_.stmt(k).op == Op::phi) part.note_pending_phi(static_cast<NewRef>(k));

  // Edges, with the columns of the phis that they enter.
  std::vector<EdgeId> edge_of(f_.edge_count(), none_id<EdgeId>);
  std::vector<uint32_t> kept;
  for (BlockId b : order_) {
    kept.clear();
    bool has_edges_ahead = false;
    for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred) {
      const Edge& edge = f_.edge(e);
      bool is_ahead = emitted_[index(edge.from)].terminator == not_yet;
      has_edges_ahead |= is_ahead && !edge.dead;
      if (edge.dead || is_ahead) continue;
      kept.push_back(edge.pred_index);
      edge_of[index(e)] = part.edges_.push(
          {number[index(edge.from)], number[index(b)], none_id<EdgeId>, 0, edge.slot, edge.kind, false});
      part.link_pred(edge_of[index(e)]);
    }
    part.for_each_phi(number[index(b)], [&](Stmt& phi) {
      Function::keep_columns(phi, part.pool_, kept);
      if (has_edges_ahead) phi.flags |= unfinished;
    });
  }
  for (BlockId b : order_) {
    uint32_t t = emitted_[index(b)].terminator;
    if (t == not_yet) {
      part.unreachable(number[index(b)]);
      continue;
    }
    Stmt& s = part.columns_.stmt(t);
    if (s.op == Op::switch_) {
      Inst live = Function::make_in(part.pool_, Op::switch_, void_type, f_.live_switch(args(out_.stmt(t))), {});
      if (live.stmt.n == 0) live.stmt.op = Op::unreachable;
      s = live.stmt;
    }
    for (uint32_t i = 0; i < part.operand_count(s); ++i) {
      if (info(s.op).kind_of(i) != OperandKind::block) continue;
      EdgeId e = static_cast<EdgeId>(part.arg(s, i));
      if (is_none(e)) continue;
      if (is_none(edge_of[index(e)]) && !f_.edge(e).dead) {
        const Edge& edge = f_.edge(e);
        BlockId& to = number[index(edge.to)];
        if (is_none(to)) to = part.new_block(f_.block(edge.to).name);
        edge_of[index(e)] = part.edges_.push({number[index(b)], to, none_id<EdgeId>, 0, i, edge.kind, false});
        part.link_pred(edge_of[index(e)]);
      }
      if (!is_none(edge_of[index(e)])) part.edges_[edge_of[index(e)]].slot = i;
      Function::set_target(s, part.pool_, i, edge_of[index(e)]);
    }
  }
  for (uint32_t b = static_cast<uint32_t>(order_.size()); b < part.block_count(); ++b)
    part.unreachable(static_cast<BlockId>(b));

  // Names of what is not finished.
  std::vector<bool> read(part.dense_count());
  for (uint32_t dense = 0; dense < part.dense_count(); ++dense) {
    Operand id = part.from_dense(dense);
    Stmt s = part.stmt(id);
    kept.clear();
    for (uint32_t i = 0; i < part.operand_count(s); ++i) {
      if (!info(s.op).is_value(i)) continue;
      Operand operand = part.operand(s, i);
      // What was ahead when it was named may be finished by now.
      Operand meaning = operand.is_old() ? renamed(operand.old_ref()) : operand;
      if (meaning.is_old()) part.stmt_mut(id).flags |= unfinished;
      if (s.op == Op::phi_c) {
        if (!(meaning.is_stmt() || meaning.is_pending()) || part.op(meaning) == Op::nothing) continue;
        kept.push_back(meaning.word());
        read[part.dense(meaning)] = true;
      } else if (operand.is_old()) {
        part.set_operand(id, i, meaning.is_old() ? Operand::undef() : meaning);
      }
    }
    if (s.op == Op::phi_c && !std::ranges::equal(kept, part.args(s))) {
      Inst list = Function::make_in(part.pool_, Op::phi_c, none, kept, {});
      list.stmt.flags = part.stmt(id).flags;
      part.stmt_mut(id) = list.stmt;
    }
  }
  for (uint32_t dense = 0; has_upsilons_ && dense < part.dense_count(); ++dense)
    if (part.op(part.from_dense(dense)) == Op::upsilon && !read[dense]) part.erase(part.from_dense(dense));
  return part;
}

}  // namespace braid::ir
