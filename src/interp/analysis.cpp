// The analyses, each one walk.
#include "interp/analysis.h"

#include "base/bit_set.h"
#include "flow/orders.h"

namespace braid::interp {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::OpInfo;
using ir::Stmt;
using ir::TypeRule;

Analysis::Analysis(const ir::Function& f, Layouts& layouts, const LowerOptions& options)
    : f_(f), layouts_(layouts), heap_(options.heap) {
  uint32_t count = f.dense_count();
  resolved_.assign(count, Operand::make(Operand::Tag::old, 0));
  position_of_.assign(count, unreachable);
  fused_.assign(count, false);
  pinned_.assign(count, false);
  order_blocks();
  order_statements(options.passes_stops);
  place_values();
  map_upsilons();
  if (!options.trace) {
    count_uses();
    fuse_comparisons();
    if (heap_ != nullptr) defer_checks();
    counts_ = {};
  }
  collect_uses();
  find_undefined();
  if (heap_ != nullptr) hold_objects();
}

flow::Graph Analysis::block_graph() const {
  return flow::Graph::build(f_.block_count(), static_cast<flow::Node>(0), [&](auto&& emit) {
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      f_.for_each_succ(static_cast<BlockId>(b), [&](ir::EdgeId e) {
        emit(static_cast<flow::Node>(b), static_cast<flow::Node>(index(f_.edge(e).to)));
      });
  });
}

void Analysis::order_blocks() {
  number_of_.assign(f_.block_count(), unreachable);
  const flow::Graph graph = block_graph();
  for (flow::Node node : flow::reverse_post_order(graph)) {
    BlockId id = static_cast<BlockId>(index(node));
    number_of_[id] = static_cast<uint32_t>(blocks_.size());
    blocks_.push_back({id, 0, 0, 0});
  }
}

void Analysis::order_statements(bool passes_stops) {
  ir::PendingLists lists(f_);
  // A state that only stop points ask for would keep its values in their registers for nothing.
  BitSet is_asked(passes_stops ? f_.dense_count() : 0);
  for (uint32_t dense = 0; passes_stops && dense < f_.dense_count(); ++dense) {
    const Stmt& s = f_.stmt(f_.from_dense(dense));
    if (s.op != Op::guard && s.op != Op::deopt && s.op != Op::save_state) continue;
    const Operand state = f_.resolve(f_.operand(s, s.op == Op::guard ? 1 : s.op == Op::save_state ? 2 : 0));
    if (state.is_stmt() || state.is_pending()) is_asked.set(f_.dense(state));
  }
  auto is_passed = [&](Op op, uint32_t dense) {
    return op == Op::safepoint || op == Op::osr_state || (op == Op::save_state && !is_asked.test(dense));
  };
  order_.reserve(f_.dense_count());
  block_at_.reserve(f_.dense_count());
  for (Block& block : blocks_) {
    block.first = block.phi_end = static_cast<uint32_t>(order_.size());
    bool ended = false;
    ir::for_each_statement(f_, lists, block.id, [&](Operand id) {
      Op op = f_.op(id);
      if (ended || op == Op::nothing || op == Op::same) return;
      uint32_t dense = f_.dense(id);
      if (passes_stops && is_passed(op, dense)) return;
      position_of_[dense] = static_cast<uint32_t>(order_.size());
      block_at_.push_back(number_of_[block.id]);
      order_.push_back(dense);
      if (op == Op::phi) block.phi_end = static_cast<uint32_t>(order_.size());
      ended = ir::is_terminator(op);
    });
    block.end = static_cast<uint32_t>(order_.size());
    f_.for_each_pred(block.id, [&](ir::EdgeId e) {
      if (f_.edge(e).kind == ir::EdgeKind::exceptional) block.is_handler = true;
    });
  }
}

Operand Analysis::resolve(Operand operand) const {
  const Operand unknown = Operand::make(Operand::Tag::old, 0);
  if (operand.is_stmt() && operand.number() < f_.size() && !(resolved_[operand.number()] == unknown))
    return resolved_[operand.number()];
  Operand at = operand;
  // Twice along the chain: to its end, then writing the end to every link, so that long chains are walked once.
  for (uint32_t steps = 0; at.is_stmt() || at.is_pending(); ++steps) {
    uint32_t dense = f_.dense(at);
    if (dense >= f_.dense_count() || steps > f_.dense_count()) {
      at = Operand::erased();
      break;
    }
    if (!(resolved_[dense] == unknown)) {
      at = resolved_[dense];
      break;
    }
    const Stmt& s = f_.stmt(at);
    if (s.op == Op::same) {
      at = f_.operand(s, 0);
    } else if (s.op == Op::pi && layouts_.same(f_.type(at), f_.type_of(f_.resolve(f_.operand(s, 0))))) {
      at = f_.operand(s, 0);
    } else {
      break;
    }
  }
  for (Operand link = operand; link.is_stmt() || link.is_pending();) {
    uint32_t dense = f_.dense(link);
    if (dense >= f_.dense_count() || !(resolved_[dense] == unknown)) break;
    resolved_[dense] = at;
    if (link == at) break;
    link = f_.operand(f_.stmt(link), 0);
  }
  return at;
}

void Analysis::place_values() {
  places_.resize(f_.dense_count());
  for (uint32_t dense = 0; dense < places_.size(); ++dense) places_[dense] = {f_.from_dense(dense), 0};
  // Dominators come first, so that an owner is placed before its other names.
  for (uint32_t dense : order_) places_[dense] = place_of(f_.from_dense(dense));
}

Analysis::Place Analysis::place_of(Operand id) const {
  const Stmt& s = f_.stmt(id);
  Place own{id, 0};
  if (ir::info(s.op).fixed_count == 0 || !ir::info(s.op).is_value(0)) return own;
  Operand from = resolve(f_.operand(s, 0));
  if (from.is_undef() || from.is_erased()) return own;
  Type type = f_.type(id), from_type = f_.type_of(from);
  Layout from_layout = layouts_.of(from_type);
  Place other = place(from);
  switch (ir::info(s.op).rule) {
    case TypeRule::check_null:
    case TypeRule::check_int:
    case TypeRule::check_bounds: return layouts_.same(type, from_type) ? other : own;
    case TypeRule::ptr_to_int:
    case TypeRule::int_to_ptr: return from_layout.size == 1 && layouts_.of(type).size == 1 ? other : own;
    case TypeRule::bitcast: {
      Storage a = from_layout.storage, b = layouts_.of(type).storage;
      bool wide = (a == Storage::i64 && b == Storage::f64) || (a == Storage::f64 && b == Storage::i64);
      return wide ? other : own;
    }
    case TypeRule::int_extend: {
      // Canonical bits are sign-extended already; only an i1 is kept as an unsigned number.
      bool free = (s.op == Op::zext) == (from_layout.storage == Storage::i1);
      return free && from_layout.size == 1 && layouts_.of(type).size == 1 ? other : own;
    }
    case TypeRule::extract:
    case TypeRule::check_overflow: {
      uint32_t field = s.op == Op::extract ? f_.arg(s, 1) : 0;
      if (from_layout.form != Layout::Form::tuple) return own;
      std::span<const Type> elements = layouts_.types().elements(from_type);
      if (field >= elements.size() || !layouts_.same(type, elements[field])) return own;
      return {other.owner, other.offset + layouts_.offsets(from_type)[field]};
    }
    default: return own;
  }
}

void Analysis::map_upsilons() {
  for (uint32_t dense : order_) {
    const Stmt& s = f_.stmt(f_.from_dense(dense));
    if (s.op != Op::phi_c) continue;
    if (phi_c_of_.empty()) phi_c_of_.assign(f_.dense_count(), unreachable);
    for (uint32_t word : f_.args(s)) {
      Operand upsilon = f_.resolve(Operand::from_word(word));
      if (upsilon.is_stmt() || upsilon.is_pending()) phi_c_of_[f_.dense(upsilon)] = dense;
    }
  }
}

void Analysis::count_uses() {
  counts_.assign(f_.dense_count(), 0);
  for (uint32_t dense : order_) {
    const Stmt& s = f_.stmt(f_.from_dense(dense));
    const OpInfo& op = ir::info(s.op);
    std::span<const uint32_t> words = f_.args(s);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!op.is_value(i)) continue;
      Operand used = resolve(Operand::from_word(words[i]));
      if (used.is_stmt() || used.is_pending()) counts_[f_.dense(used)] |= counts_[f_.dense(used)] << 1 | 1;
    }
  }
}

void Analysis::fuse_comparisons() {
  for (const Block& block : blocks_) {
    if (block.first == block.end) continue;
    const Stmt& s = f_.stmt(f_.from_dense(order_[block.end - 1]));
    if (s.op != Op::branch) continue;
    Operand condition = resolve(f_.operand(s, 0));
    if (!condition.is_stmt() && !condition.is_pending()) continue;
    uint32_t dense = f_.dense(condition);
    TypeRule rule = ir::info(f_.op(condition)).rule;
    bool compares = rule == TypeRule::equality || rule == TypeRule::signed_compare ||
                    rule == TypeRule::unsigned_compare || rule == TypeRule::float_compare;
    uint32_t position = position_of_[dense];
    fused_[dense] = compares && counts_[dense] == 1 && position >= block.first && position < block.end;
  }
}

template <typename F>
void Analysis::for_each_use(F&& visit) const {
  auto use = [&](Operand operand, uint32_t position, uint32_t user) {
    Operand owner = place(resolve(operand)).owner;
    if (owner.is_stmt() || owner.is_pending()) visit(f_.dense(owner), Use{position, user});
  };
  for (const Block& block : blocks_) {
    for (uint32_t dense : statements(block)) {
      const Stmt& s = f_.stmt(f_.from_dense(dense));
      std::span<const uint32_t> words = f_.args(s);
      if (s.op == Op::phi) {
        f_.for_each_pred(block.id, [&](ir::EdgeId e) {
          const ir::Edge& edge = f_.edge(e);
          uint32_t from = number_of_[edge.from];
          if (from == unreachable || edge.pred_index >= words.size()) return;
          use(Operand::from_word(words[edge.pred_index]), 2 * (blocks_[from].end - 1) + 1, dense);
        });
        continue;
      }
      const OpInfo& op = ir::info(s.op);
      uint32_t position = 2 * position_of_[dense];
      if (fused_[dense]) position = 2 * (block.end - 1);
      if (is_deferred(dense)) position = 2 * deferred_to_[dense];
      for (uint32_t i = 0; i < words.size(); ++i)
        if (op.is_value(i)) use(Operand::from_word(words[i]), position, dense);
    }
  }
}

void Analysis::collect_uses() {
  uses_.build_again(f_.dense_count(), [&](auto&& emit) {
    for_each_use([&](uint32_t owner, Use use) { emit(owner, use); });
  });
  for (uint32_t dense : order_) {
    const Stmt& s = f_.stmt(f_.from_dense(dense));
    if (s.op != Op::save_state) continue;
    for (uint32_t i = 4; i < f_.operand_count(s); i += 2) {
      Operand owner = place(resolve(f_.operand(s, i))).owner;
      if (owner.is_stmt() || owner.is_pending()) pinned_[f_.dense(owner)] = true;
    }
  }
}

void Analysis::find_undefined() {
  std::vector<uint32_t> work;
  auto mark = [&](uint32_t dense) {
    if (flagged_.empty()) flagged_.assign(f_.dense_count(), false);
    if (flagged_[dense]) return;
    flagged_[dense] = true;
    work.push_back(dense);
  };
  auto mark_user = [&](uint32_t user) {
    Op op = f_.op(f_.from_dense(user));
    if (op == Op::phi || op == Op::pi) mark(user);
    if (op == Op::upsilon && phi_c_of(user) != unreachable) mark(phi_c_of(user));
  };
  for (const Block& block : blocks_) {
    for (uint32_t dense : statements(block)) {
      const Stmt& s = f_.stmt(f_.from_dense(dense));
      std::span<const uint32_t> words = f_.args(s);
      if (s.op == Op::pi || s.op == Op::upsilon) {
        Operand from = resolve(Operand::from_word(words[0]));
        if (from.is_undef() || from.is_erased()) mark_user(dense);
      } else if (s.op == Op::phi) {
        f_.for_each_pred(block.id, [&](ir::EdgeId e) {
          const ir::Edge& edge = f_.edge(e);
          if (number_of_[edge.from] == unreachable) return;
          Operand from = edge.pred_index < words.size() ? resolve(Operand::from_word(words[edge.pred_index]))
                                                        : Operand::undef();
          if (from.is_undef() || from.is_erased()) mark(dense);
        });
      }
    }
  }
  while (!work.empty()) {
    uint32_t dense = work.back();
    work.pop_back();
    // Uses of other names of these registers count, too: a flag too many costs a little, one too few is wrong.
    for (Use use : uses_.row(dense)) mark_user(use.user);
  }
}

}  // namespace braid::interp
