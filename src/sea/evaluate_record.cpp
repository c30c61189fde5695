// Recording values: what a root needs that is not fresh, inputs first, what belongs to earlier regions before
// the rest.
#include <algorithm>
#include <optional>

#include "ir/eval_op.h"
#include "ir/undef_flow.h"
#include "sea/effects.h"
#include "sea/evaluate_code.h"

namespace braid::sea {

using ir::Op;

namespace {

constexpr bool fits_immediate(uint64_t bits) {
  return static_cast<int64_t>(bits) == static_cast<int32_t>(static_cast<uint32_t>(bits));
}

constexpr EvaluateOp with_immediate(EvaluateOp op) {
  return static_cast<EvaluateOp>(static_cast<unsigned>(op) + 1);
}

/// The instruction of an op on 64-bit integers; `last_value` if it has none.
EvaluateOp evaluate_op(Op op) {
  switch (op) {
#define X(name) \
  case Op::name: return EvaluateOp::name;
    BRAID_EVALUATE_BINARY(X)
    BRAID_EVALUATE_COMPARE(X)
    BRAID_EVALUATE_UNARY(X)
#undef X
    default: return EvaluateOp::last_value;
  }
}

constexpr bool is_unary(EvaluateOp op) { return op == EvaluateOp::neg || op == EvaluateOp::not_; }
constexpr bool is_comparison(EvaluateOp op) {
  return op >= EvaluateOp::eq && op <= EvaluateOp::sge_immediate;
}

/// References of several kinds are kept alike.
std::optional<Kind> kind_of(const Graph& graph, NodeId n) {
  Type type = graph.type(n);
  if (type == i64) return Kind::i64;
  const TypeTable& types = graph.module().types;
  if (std::optional<Kind> kind = types.single_kind(type)) return kind;
  return types.storage(type) == Storage::ref ? std::optional(Kind::ref) : std::nullopt;
}

}  // namespace

FoldKinds fold_kinds(const Graph& graph, NodeId n) {
  uint32_t count = graph.input_count(n);
  FoldKinds kinds;
  if (count != 0 && ir::info(table_op(graph.op(n))).rule == ir::TypeRule::ptr_add)
    kinds.operand = Kind::ptr;
  else if (count != 0)
    kinds.operand = kind_of(graph, graph.input(n, count - 1));
  kinds.result = kind_of(graph, n);
  return kinds;
}

/// The instruction of an op whose operands are integers of the right width for it, or `last_value`.
EvaluateOp EvaluateCode::fast_op(NodeId n) const {
  if (!is_table_op(graph_->op(n))) return EvaluateOp::last_value;
  EvaluateOp op = evaluate_op(table_op(graph_->op(n)));
  if (op == EvaluateOp::last_value || graph_->input_count(n) != (is_unary(op) ? 1u : 2u))
    return EvaluateOp::last_value;
  for (uint32_t i = 0; i < graph_->input_count(n); ++i)
    if (NodeId def = graph_->input(n, i); is_none(def) || is_wide(def)) return EvaluateOp::last_value;
  std::optional<Kind> kind = kind_of(*graph_, graph_->input(n, 0));
  // Words are sign-extended, so that comparisons need not know the width; but a true i1 is less than a false
  // one.
  bool fits = is_comparison(op) ? kind && is_integer(*kind) && *kind != Kind::i1 : kind == Kind::i64;
  return fits ? op : EvaluateOp::last_value;
}

bool EvaluateCode::is_compare(NodeId n) const { return is_comparison(fast_op(n)); }

bool EvaluateCode::is_wide(NodeId n) const {
  if (undefined_.size() != 0 && undefined_.test(index(n))) return true;
  Type type = graph_->type(n);
  if (type == i64) return false;
  Storage storage = graph_->module().types.storage(type);
  return storage == Storage::mixed || storage == Storage::tuple;
}

/// Marks what `undef` may flow into. One look at every node if there is none.
void EvaluateCode::find_undefined() {
  undefined_ = {};
  std::vector<NodeId> work;
  auto mark = [&](NodeId n) {
    if (undefined_.size() == 0) undefined_.resize(graph_->size());
    if (undefined_.insert(index(n))) work.push_back(n);
  };
  for (uint32_t i = 0; i < graph_->size(); ++i)
    if (graph_->op(static_cast<NodeId>(i)) == NodeOp::undef) mark(static_cast<NodeId>(i));
  while (!work.empty()) {
    NodeId n = work.back();
    work.pop_back();
    graph_->for_each_use(n, [&](NodeId user, uint32_t) {
      if (is_table_op(graph_->op(user)) &&
          (ir::passes_undef_on(table_op(graph_->op(user))) || graph_->is(user, Op::same)))
        mark(user);
    });
  }
}

NodeId EvaluateCode::origin_of_copy(NodeId n) const {
  while (!is_none(n)) {
    NodeId of = no_node;
    if (graph_->is(n, Op::pi) && graph_->input_count(n) == 2)
      of = graph_->input(n, 1);
    else if (graph_->is(n, Op::same) && graph_->input_count(n) == 1)
      of = graph_->input(n, 0);
    if (is_none(of) || is_wide(n) != is_wide(of)) break;
    // What a pi claims of the elements of a tuple is looked at.
    if (graph_->type(n) != graph_->type(of) && graph_->module().types.storage(graph_->type(n)) == Storage::tuple) break;
    n = of;
  }
  return n;
}

bool EvaluateCode::is_immediate(NodeId n, uint32_t input) const {
  if (input != 1) return false;
  NodeId constant = origin(graph_->input(n, 1));
  if (is_none(constant) || !graph_->is_constant(constant) ||
      !fits_immediate(graph_->constant_value(constant).bits))
    return false;
  EvaluateOp op = fast_op(n);
  return op != EvaluateOp::last_value && !is_unary(op);
}

/// Whether the inputs of `n` must be looked at before it. Reports what cannot be evaluated by an instruction
/// that fails.
bool EvaluateCode::enter_value(NodeId n) {
  Known& k = known(n);
  if (k.slot == in_progress) {
    fail(n, "the value depends on itself");
    return false;
  }
  if (k.slot != nothing) {
    if (k.code == always_fresh || k.block == block_) return true;
    k.block = block_;
    if (is_fresh(k, slots_)) {
      // What this extended block owns and is fresh now is so on every visit: there is one way to here from
      // its region.
      if (k.region != region_)
        foreign_.push_back({k.region, n, {EvaluateOp::ensure, k.slot, regions_[k.region].slot, index(n)}});
      return true;
    }
  } else {
    if (graph_->is(n, Op::phi)) {
      fail(n, "control has not come to the region of this phi");
      return false;
    }
    switch (graph_->op(n)) {
      case NodeOp::parameter:
        if (graph_->payload(n) >= argument_count_) {
          fail(n, "there is no argument for this parameter");
          return false;
        }
        k.slot = graph_->payload(n) * evaluate_slot_words;
        return true;
      case NodeOp::constant:
      case NodeOp::undef:
      case NodeOp::is_zero: break;
      default:
        if (!is_table_op(graph_->op(n)) || graph_->is(n, Op::phi_c) ||
            ir::is_terminator(table_op(graph_->op(n))) || (takes_effect(*graph_, n) && !is_floating_read(n))) {
          fail(n, "control has not come to it, or it is no value");
          return false;
        }
    }
    k.slot = in_progress;
    k.block = block_;
  }
  visits_.push_back({n, first_input(n)});
  return true;
}

/// A pi has its control first, a read that cannot fail none; its effect counts, because it says when it is read.
uint32_t EvaluateCode::first_input(NodeId n) const {
  return graph_->is(n, Op::pi) || is_floating_read(n) ? 1 : 0;
}

bool EvaluateCode::finish_value(NodeId n) {
  uint32_t region = 0;
  for (uint32_t i = first_input(n); i < graph_->input_count(n); ++i) {
    const Known& k = known(origin(graph_->input(n, i)));
    if (k.slot != nothing) region = std::max(region, k.region);
  }
  EvaluateInstruction instruction{};
  if (!instruction_for(n, instruction)) return false;
  Known& k = known(n);
  if (k.slot == in_progress) {
    k.slot = new_slot();
    k.code = 0;
    k.region = region;
  }
  instruction.to = k.slot;
  (k.region == region_ ? own_ : foreign_).push_back({k.region, n, instruction});
  return true;
}

bool EvaluateCode::demand(NodeId root) {
  root = origin(root);
  if (is_none(root)) {
    fail(no_node, "an input is missing");
    return false;
  }
  visits_.clear();
  if (!enter_value(root)) return false;
  while (!visits_.empty()) {
    Visit& visit = visits_.back();
    NodeId n = visit.node;
    if (visit.next_input == graph_->input_count(n)) {
      visits_.pop_back();
      if (!finish_value(n)) return false;
      continue;
    }
    uint32_t input = visit.next_input++;
    if (is_immediate(n, input)) continue;
    NodeId def = origin(graph_->input(n, input));
    if (is_none(def)) {
      fail(n, "an input is missing");
      return false;
    }
    if (!enter_value(def)) return false;
  }
  return true;
}

/// Writes what the last demands have found. Values of earlier regions come first, one group per region: it is
/// skipped if this block has gone through it since the last visit of that region. One value needs no group:
/// its own time says the same.
void EvaluateCode::flush() {
  for (uint32_t i = 0; i < foreign_.size(); ++i) foreign_[i].order = i;
  std::sort(foreign_.begin(), foreign_.end(), [](const Pending& a, const Pending& b) {
    return a.region != b.region ? a.region < b.region : a.order < b.order;
  });
  for (size_t i = 0; i < foreign_.size();) {
    uint32_t region = foreign_[i].region;
    bool is_alone = i + 1 == foreign_.size() || foreign_[i + 1].region != region;
    uint32_t group = is_alone ? nothing : emit(EvaluateOp::group, new_slot(), regions_[region].slot);
    for (; i < foreign_.size() && foreign_[i].region == region; ++i) {
      const Pending& pending = foreign_[i];
      if (pending.instruction.op != EvaluateOp::ensure) {
        emit(EvaluateOp::skip_fresh, pending.instruction.to, regions_[region].slot);
        known(pending.node).code = static_cast<uint32_t>(instructions_.size());
      }
      instructions_.push_back(pending.instruction);
    }
    if (!is_alone) instructions_[group].b = static_cast<uint32_t>(instructions_.size()) - group - 1;
  }
  for (const Pending& pending : own_) {
    known(pending.node).code = static_cast<uint32_t>(instructions_.size());
    instructions_.push_back(pending.instruction);
  }
  own_.clear();
  foreign_.clear();
}

bool EvaluateCode::instruction_for(NodeId n, EvaluateInstruction& out) {
  switch (graph_->op(n)) {
    case NodeOp::constant:
      out = {EvaluateOp::constant, 0, add_constant(graph_->constant_value(n).bits), 0};
      return true;
    case NodeOp::undef: out = {EvaluateOp::undefined, 0, 0, 0}; return true;
    case NodeOp::is_zero:
      if (is_wide(graph_->input(n, 0))) break;
      out = {EvaluateOp::is_zero, 0, slot_of(graph_->input(n, 0)), 0};
      return true;
    default: break;
  }
  EvaluateOp op = fast_op(n);
  if (op == EvaluateOp::last_value) return fold_instruction(n, out);
  out = {op, 0, slot_of(graph_->input(n, 0)), 0};
  if (is_unary(op)) return true;
  if (is_immediate(n, 1)) {
    out.op = with_immediate(op);
    out.b = static_cast<uint32_t>(graph_->constant_value(origin(graph_->input(n, 1))).bits);
  } else {
    out.b = slot_of(graph_->input(n, 1));
  }
  return true;
}

/// The list of a fold: op, kind of the operands, kind of the result, number of values, number of words,
/// these, those. What is no fold of 64-bit values is left to the evaluator's meaning of the op.
bool EvaluateCode::fold_instruction(NodeId n, EvaluateInstruction& out) {
  uint32_t first = first_input(n), count = graph_->input_count(n);
  bool any_wide = is_wide(n) || first != 0;
  for (uint32_t i = first; i < count && !any_wide; ++i) any_wide = is_wide(graph_->input(n, i));
  std::span<const uint32_t> words = graph_->words(n);
  if (!any_wide && is_table_op(graph_->op(n)) && count + words.size() <= 4) {
    Op op = table_op(graph_->op(n));
    FoldKinds kinds = fold_kinds(*graph_, n);
    uint64_t zeros[4] = {};
    if (kinds.operand && kinds.result &&
        ir::fold(op, *kinds.operand, *kinds.result, std::span(zeros, count + words.size()))) {
      out = {EvaluateOp::fold, 0, static_cast<uint32_t>(lists_.size()), 0};
      lists_.insert(lists_.end(),
                    {static_cast<uint32_t>(op), static_cast<uint32_t>(*kinds.operand),
                     static_cast<uint32_t>(*kinds.result), count, static_cast<uint32_t>(words.size())});
      for (uint32_t i = 0; i < count; ++i) lists_.push_back(slot_of(graph_->input(n, i)));
      lists_.insert(lists_.end(), words.begin(), words.end());
      return true;
    }
  }
  out = {EvaluateOp::value, 0, operand_list(n, is_floating_read(n) ? 2 : first), index(n)};
  return true;
}

EvaluateOperand EvaluateCode::operand_of(NodeId n) {
  n = origin(n);
  return {known(n).slot | (is_wide(n) ? EvaluateOperand::wide_bit : 0), graph_->type(n)};
}

/// The slot of a variable stands behind the operands.
uint32_t EvaluateCode::operand_list(NodeId n, uint32_t first) {
  uint32_t list = static_cast<uint32_t>(lists_.size()), count = graph_->input_count(n) - first;
  lists_.insert(lists_.end(), {is_wide(n), count});
  for (uint32_t i = 0; i < count; ++i) {
    EvaluateOperand operand = operand_of(graph_->input(n, first + i));
    lists_.insert(lists_.end(), {operand.word, operand.type.bits});
  }
  if (graph_->is(n, Op::get) || graph_->is(n, Op::set) || graph_->is(n, Op::is_defined)) {
    auto [slot, is_new] = variable_slots_.try_emplace(graph_->words(n)[0], slot_count_);
    if (is_new) new_slot();
    lists_.push_back(slot->second);
  }
  return list;
}

/// The list: whether the result is wide, one operand, the type of the result.
void EvaluateCode::emit_copy(uint32_t to, bool to_wide, Type type, EvaluateOperand from) {
  emit(EvaluateOp::copy, to, static_cast<uint32_t>(lists_.size()));
  lists_.insert(lists_.end(), {to_wide, 1u, from.word, from.type.bits, type.bits});
}

uint32_t EvaluateCode::narrow_slot_of(NodeId n) {
  EvaluateOperand operand = operand_of(n);
  if (!operand.is_wide()) return operand.slot();
  uint32_t slot = new_slot();
  emit_copy(slot, false, operand.type, operand);
  return slot;
}

void EvaluateCode::repair(NodeId root, const uint64_t* slots, std::vector<EvaluateInstruction>& out) {
  out.clear();
  visits_.clear();
  own_.clear();
  auto enter = [&](NodeId n) {
    Known& k = known(n);
    if (k.slot == nothing || k.block == repairing || is_fresh(k, slots)) return;
    k.block = repairing;
    visits_.push_back({n, first_input(n)});
  };
  enter(root);
  while (!visits_.empty()) {
    Visit& visit = visits_.back();
    NodeId n = visit.node;
    if (visit.next_input < graph_->input_count(n)) {
      enter(origin(graph_->input(n, visit.next_input++)));
      continue;
    }
    visits_.pop_back();
    out.push_back(instructions_[known(n).code]);
    own_.push_back({0, n, {}});
  }
  for (const Pending& pending : own_) known(pending.node).block = nothing;
  own_.clear();
  out.push_back({EvaluateOp::resume, 0, 0, 0});
}

}  // namespace braid::sea
