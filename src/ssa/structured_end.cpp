// The end of structured code: phis that are read get their places, or the function is handed over.
#include <algorithm>
#include <utility>

#include "ir/place_phis.h"
#include "ssa/on_the_fly.h"
#include "ssa/structured_log.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

/// Marks what phis read that are read themselves. A phi that stands for a value reads it, and so does one of an open loop.
void Structured::read_operands() {
  const ir::Stmt* stmts = f_->columns().stmts();
  Stack<uint32_t> work;
  auto read = [&](uint32_t word) {
    if (is_stmt(word)) {
      if ((stmts[word].flags & ir::unread) == 0) return;
      f_->set_flags(static_cast<ir::Ref>(word), 0);
      --unread_;
    } else if (is_numbered(word) && !loop_phis_[number(word)].is_read) {
      loop_phis_[number(word)].is_read = true;
    } else {
      return;
    }
    work.push(word);
  };
  auto read_operands_of = [&](uint32_t word) {
    if (is_stmt(word)) {
      for (uint32_t operand : f_->args(stmts[word])) read(operand);
      return;
    }
    const LoopPhi& phi = loop_phis_[number(word)];
    read(phi.old.word);
    if (phi.value != word || phi.first_operand == nobody) return;
    uint32_t end = phi.first_operand + f_->block(loops_[phi.loop].head).pred_count;
    for (uint32_t i = phi.first_operand + 1; i < end; ++i) read(operands_[i]);
  };
  for (const JoinPhi& phi : join_phis_)
    if ((stmts[phi.position].flags & ir::unread) == 0) read_operands_of(phi.position);
  for (uint32_t p = 0; p < loop_phis_.size(); ++p)
    if (loop_phis_[p].is_read) read_operands_of(word_of(p));
  while (!work.empty()) {
    uint32_t word = work.back();
    work.pop();
    read_operands_of(word);
  }
}

/// What a word stands for; paths are shortened on the way.
uint32_t Structured::resolved(uint32_t word) {
  auto stands_for = [&](uint32_t w) {
    if (is_numbered(w)) return loop_phis_[number(w)].value;
    if (!is_stmt(w)) return w;
    const ir::Stmt& stmt = f_->columns().stmt(w);
    return stmt.op == Op::same ? stmt.arg[0] : w;
  };
  uint32_t root = word;
  for (uint32_t next = stands_for(root); next != root; next = stands_for(root)) root = next;
  while (is_numbered(word) && word != root) word = std::exchange(loop_phis_[number(word)].value, root);
  return root;
}

/// Where a phi at a loop head stands for a value, the ways behind it may turn out to have the same one.
void Structured::remove_copies() {
  for (const JoinPhi& phi : join_phis_) {
    const ir::Stmt& stmt = f_->columns().stmt(phi.position);
    if ((stmt.flags & ir::unread) != 0) continue;
    std::span<const uint32_t> words = f_->args(stmt);
    uint32_t value = resolved(words[0]);
    if (std::all_of(words.begin(), words.end(), [&](uint32_t word) { return resolved(word) == value; }))
      f_->replace(static_cast<ir::Ref>(phi.position), Operand::from_word(value));
  }
}

void Structured::finish() {
  at_->pause();
  if (at_->has_locations)
    for (const JoinPhi& phi : join_phis_) f_->set_loc(static_cast<ir::Ref>(phi.position), {});
  ir::PhiPlan plan;
  if (unread_ != 0 || !loop_phis_.empty()) {
    read_operands();
    if (!loop_phis_.empty()) remove_copies();
    plan.values.resize(loop_phis_.size());
    for (uint32_t p = 0; p < loop_phis_.size(); ++p) plan.values[p] = resolved(word_of(p));
    plan.phis.reserve(loop_phis_.size());
    for (const Loop& loop : loops_) {
      uint32_t count = f_->block(loop.head).pred_count;
      for (uint32_t p = loop.first_phi; p != nobody; p = loop_phis_[p].next) {
        const LoopPhi& phi = loop_phis_[p];
        if (!phi.is_read || phi.value != word_of(p)) continue;
        plan.phis.push_back({loop.head, variables_[phi.variable].type, p, phi.first_operand, phi.first_operand + count});
      }
    }
    for (const JoinPhi& phi : join_phis_) {
      const ir::Stmt& stmt = f_->columns().stmt(phi.position);
      if ((stmt.flags & ir::unread) != 0)
        plan.removed.push_back({phi.position, Operand::erased().word()});
      else if (stmt.op == Op::same)
        plan.removed.push_back({phi.position, resolved(phi.position)});
    }
    plan.operands = {operands_.data(), operands_.size()};
  }
  ir::place_phis(*f_, plan);
}

// ---- going on otherwise ----

/// Phis become placeholders, which find their operands anew. One that nothing has read so far is none: whoever reads the
/// variable makes it.
std::vector<Structured::OpenScope> Structured::hand_over(OnTheFly& to) {
  read_operands();
  uint32_t end = log_.size();
  for (uint32_t i = innermost_; i != nobody; end = loops_[i].mark, i = loops_[i].outer) {
    take_back(loops_[i].mark, end);
    take_outside(loops_[i]);
  }
  take_back(0, end);
  std::vector<bool> is_open_head(f_->block_count(), false);
  for (uint32_t i = innermost_; i != nobody; i = loops_[i].outer) is_open_head[index(loops_[i].head)] = true;
  for (const Variable& variable : variables_) to.declare(variable.type, Operand::from_word(variable.initial));
  to.adopt_blocks(is_open_head);

  for (const LoopPhi& phi : loop_phis_) to.adopt_phi(loops_[phi.loop].head, phi.variable, phi.is_read);
  std::vector<uint32_t> now;  // by number in join_phis_: the word
  uint32_t block = 0;
  for (const JoinPhi& phi : join_phis_) {
    ir::Ref position = static_cast<ir::Ref>(phi.position);
    while (f_->block(static_cast<BlockId>(block)).end <= phi.position) ++block;
    bool is_read = (f_->stmt(position).flags & ir::unread) == 0;
    now.push_back(is_read ? to.adopt_phi(static_cast<BlockId>(block), phi.variable, true) : Operand::erased().word());
    if (is_read)
      f_->replace(position, Operand::from_word(now.back()));
    else
      f_->erase(position);
  }

  std::vector<OnTheFly::Saved> saved;
  for (uint32_t i = 0; i < log_.size();) {
    if (log_[i].variable == nobody) {
      ++i;
      continue;
    }
    BlockId b = block_of_stamp(log_[i].slot.stamp);
    for (; i < log_.size(); ++i) {
      const Change& change = log_[i];
      if (change.variable == nobody) continue;
      if (block_of_stamp(change.slot.stamp) != b) break;
      uint32_t word = change.slot.word;
      if (is_stmt(word)) {
        auto phi = std::lower_bound(join_phis_.begin(), join_phis_.end(), word,
                                    [](const JoinPhi& p, uint32_t position) { return p.position < position; });
        if (phi != join_phis_.end() && phi->position == word) word = now[static_cast<size_t>(phi - join_phis_.begin())];
      } else if (is_numbered(word) && !loop_phis_[number(word)].is_read) {
        word = Operand::erased().word();
      }
      if (word != Operand::erased().word()) saved.push_back({change.variable, word});
    }
    to.adopt_values(b, saved);
    saved.clear();
  }
  return open_scopes();
}

/// Blocks for the edges that wait.
std::vector<Structured::OpenScope> Structured::open_scopes() {
  std::vector<OpenScope> result;
  auto lead = [&](EdgeId e, BlockId& to) {
    if (is_none(to)) to = f_->new_block();
    f_->lead(e, to);
  };
  for (const Scope& scope : scopes_) {
    OpenScope open{scope.is_loop(), scope.has_else, none_id<BlockId>, none_id<BlockId>};
    if (scope.is_loop()) {
      const Loop& loop = loops_[scope.loop];
      open.first = loop.head;
      // Those of an inner loop that is open begin where its own do.
      uint32_t end = exits_.size();
      for (uint32_t i = innermost_; i != scope.loop; i = loops_[i].outer) end = loops_[i].exits;
      for (uint32_t e = loop.exits; e < end; ++e)
        if (!exits_[e].again) lead(exits_[e].edge, open.after);
    } else if (!scope.has_else) {
      lead(scope.otherwise, open.first);
    } else if (!is_none(scope.then_end)) {
      lead(scope.then_end, open.after);
    }
    result.push_back(open);
  }
  return result;
}

}  // namespace braid::ssa
