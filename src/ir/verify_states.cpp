// Rules of frame states: who uses them, callers, registers, and what may happen between a state and its user.
//
// A state is out of date once an effect stands between it and its user on some path. The points of a function between
// which no such effect lies are numbered like the values of one variable in minimal SSA: an effect makes a new number, and
// so does a block where two numbers meet, that is, a block in the iterated dominance frontier of the effects (computed
// over the dominator tree by levels: V. C. Sreedhar, G. R. Gao, A Linear Time Algorithm for Placing phi-Nodes, 1995).
// State and user must have the same number. O(statements + edges), and sorting for the registers.
//
// An assignment to a variable is no such effect: the variable ends with the frame that is left, and what is executed again
// reads the registers that the state has named with their values. Nor is an upsilon, which writes what only this frame reads.
#include <algorithm>
#include <vector>

#include "ir/verify_context.h"

namespace braid::ir {
namespace {

constexpr uint32_t resume_kinds = 3;
constexpr Traits repeatable_harm = writes_memory | handlers | host_effect;

/// The operand that is a state, or none.
std::optional<uint32_t> state_operand(Op op) {
  switch (op) {
    case Op::safepoint:
    case Op::osr_state:
    case Op::deopt: return 0;
    case Op::guard: return 1;
    case Op::save_state: return 2;
    default: return std::nullopt;
  }
}

class StateCheck {
 public:
  explicit StateCheck(VerifyContext& context) : c(context), f(context.f) {}

  void run() {
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      check_uses(id, stmt);
      if (stmt.op == Op::save_state) check_state(id, stmt);
    });
    check_callers();
    number_points();
    check_effects();
  }

 private:
  bool is_state(Operand operand) const {
    return c.is_statement(operand) && f.op(operand) == Op::save_state && !c.is_bad(f.dense(operand));
  }

  void check_uses(Operand id, const Stmt& stmt) {
    std::optional<uint32_t> slot = state_operand(stmt.op);
    if (!slot && !has_states_) return;
    if (stmt.op == Op::same) return;
    BlockId b = c.block_of(id);
    c.for_each_operand(stmt, b, [&](uint32_t i, Operand operand) {
      if (slot == i) {
        bool may_be_undef = stmt.op == Op::save_state;
        if (!is_state(operand) && !(may_be_undef && operand.is_undef()))
          c.report(Rule::state_use, id, b, say(info(stmt.op).text, " needs a save_state, not ", c.name(operand)));
      } else if (is_state(operand)) {
        c.report(Rule::state_use, id, b, say(info(stmt.op).text, " uses the state ", c.name(operand), " as a value"));
      }
    });
  }

  void check_state(Operand id, const Stmt& stmt) {
    std::span<const uint32_t> words = f.args(stmt);
    if (words[1] >= resume_kinds)
      c.report(Rule::state_resume, id, say("there is no resume kind ", words[1]));
    registers_.clear();
    for (uint32_t i = 3; i < words.size(); i += 2) registers_.push_back(words[i]);
    std::sort(registers_.begin(), registers_.end());
    auto twice = std::adjacent_find(registers_.begin(), registers_.end());
    if (twice != registers_.end())
      c.report(Rule::state_registers, id, say("register ", *twice, " occurs more than once"));
  }

  /// Each state has one caller, so a walk that comes back to a state it has itself seen has found a ring.
  void check_callers() {
    std::vector<uint32_t> seen_by(f.dense_count(), 0);
    uint32_t walk = 0;
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& start) {
      if (start.op != Op::save_state) return;
      ++walk;
      for (Operand at = id; is_state(at); at = c.operand(f.stmt(at), 2)) {
        uint32_t& seen = seen_by[f.dense(at)];
        if (seen == walk) c.report(Rule::state_caller, at, "the callers of this state form a ring");
        if (seen != 0) break;
        seen = walk;
      }
    });
  }

  // ---- effects between a state and its user ----

  bool is_effect(Operand id, const Stmt& stmt) const {
    if (stmt.op == Op::nothing || stmt.op == Op::same) return false;
    Traits traits = f.traits(id);
    return (traits & repeatable_harm) != 0 && (traits & idempotent) == 0;
  }
  bool is_handler(BlockId b) const {
    EdgeId e = f.block(b).first_pred;
    for (; !is_none(e); e = f.edge(e).next_pred)
      if (!f.edge(e).dead) return f.edge(e).kind == EdgeKind::exceptional;
    return false;
  }

  /// Gives each block the number with which it starts and the one with which it ends.
  void number_points() {
    has_effect_.resize(c.block_count);
    meets_.resize(c.block_count);
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      if (is_effect(id, stmt)) has_effect_.set(index(c.block_of(id)));
    });
    for (uint32_t b = 0; b < c.block_count; ++b)
      if (is_handler(static_cast<BlockId>(b))) meets_.set(b);
    find_meeting_blocks();

    const flow::Dominators& tree = c.block_tree().tree();
    at_start_.assign(c.block_count, 0);
    at_end_.assign(c.block_count, 0);
    for (flow::Node n : tree.preorder()) {
      uint32_t b = index(n);
      flow::Node above = tree.idom(n);
      at_start_[b] = meets_.test(b) || is_none(above) ? ++numbers_ : at_end_[index(above)];
      at_end_[b] = has_effect_.test(b) ? ++numbers_ : at_start_[b];
    }
  }

  /// Adds the iterated dominance frontier of the effects to `meets_`.
  void find_meeting_blocks() {
    const flow::Dominators& tree = c.block_tree().tree();
    const flow::Graph& graph = c.block_graph();
    std::vector<std::vector<flow::Node>> by_level;
    uint32_t level = 0;
    auto add = [&](flow::Node n) {
      uint32_t at = tree.level(n);
      if (by_level.size() <= at) by_level.resize(at + 1);
      by_level[at].push_back(n);
      level = std::max(level, at);
    };
    BitSet queued(c.block_count), visited(c.block_count);
    for (flow::Node n : tree.preorder())
      if ((has_effect_.test(index(n)) || meets_.test(index(n))) && queued.insert(index(n))) add(n);
    std::vector<flow::Node> stack;
    for (;;) {
      while (level > 0 && (by_level.size() <= level || by_level[level].empty())) --level;
      if (by_level.empty() || by_level[level].empty()) return;
      flow::Node root = by_level[level].back();
      by_level[level].pop_back();
      uint32_t root_level = level;
      stack.push_back(root);
      while (!stack.empty()) {
        flow::Node n = stack.back();
        stack.pop_back();
        if (!visited.insert(index(n))) continue;
        for (flow::Node to : graph.successors.row(n)) {
          if (tree.level(to) > root_level || !meets_.insert(index(to))) continue;
          if (queued.insert(index(to))) add(to);
        }
        for (flow::Node child : tree.children(n))
          if (!visited.test(index(child))) stack.push_back(child);
      }
      level = std::max(level, root_level);
    }
  }

  void check_effects() {
    for (uint32_t b = 0; b < c.block_count; ++b) {
      BlockId block = static_cast<BlockId>(b);
      if (!c.is_reachable(block)) continue;
      uint32_t since = 0;  // the place of the last effect in this block, plus one
      c.for_each_in(block, [&](Operand id, uint32_t dense, const Stmt& stmt) {
        std::optional<uint32_t> slot = state_operand(stmt.op);
        if (slot && stmt.op != Op::save_state) {
          Operand state = c.operand(stmt, *slot);
          if (is_state(state) && is_out_of_date(f.dense(state), block, since))
            c.report(Rule::state_effects, id, block,
                     say("an effect that cannot be repeated lies between ", c.name(state), " and this ",
                         info(stmt.op).text));
        }
        if (is_effect(id, stmt)) since = c.order_of(dense) + 1;
      });
    }
  }

  bool is_out_of_date(uint32_t state, BlockId user_block, uint32_t since) {
    BlockId from = c.block_of_dense[state];
    if (from == user_block) return c.order_of(state) < since;
    if (since != 0 || !c.is_reachable(from)) return since != 0;
    return last_effect(from) > c.order_of(state) || at_end_[index(from)] != at_start_[index(user_block)];
  }

  /// The place of the last effect in a block, plus one.
  uint32_t last_effect(BlockId b) {
    if (!has_effect_.test(index(b))) return 0;
    if (last_effect_.empty()) last_effect_.assign(c.block_count, not_yet);
    uint32_t& last = last_effect_[index(b)];
    if (last != not_yet) return last;
    last = 0;
    c.for_each_in(b, [&](Operand id, uint32_t dense, const Stmt& stmt) {
      if (is_effect(id, stmt)) last = c.order_of(dense) + 1;
    });
    return last;
  }

  static constexpr uint32_t not_yet = 0xffffffffu;

  VerifyContext& c;
  const Function& f;
  const bool has_states_ = c.present[static_cast<unsigned>(Op::save_state)];
  std::vector<uint32_t> registers_;
  BitSet has_effect_, meets_;
  std::vector<uint32_t> at_start_, at_end_, last_effect_;
  uint32_t numbers_ = 0;
};

}  // namespace

void check_states(VerifyContext& c) {
  for (Op op : {Op::save_state, Op::osr_state, Op::safepoint, Op::guard, Op::deopt})
    if (c.present[static_cast<unsigned>(op)]) return StateCheck(c).run();
}

}  // namespace braid::ir
