// Recording what stands in a block: links of the chain of effects in its order, reads where their state is the current
// one, regions with handlers, frame states.
//
// A read that cannot fail has no control: it is done right behind the effect that it hangs on, once per visit of that, when
// the state that it reads is certainly there. A read with control is done in its block, before the next link.
#include "sea/effects.h"

#include <algorithm>

#include "sea/evaluate_code.h"

namespace braid::sea {

using ir::Op;

bool EvaluateCode::is_floating_read(NodeId n) const {
  return (graph_->is(n, Op::load) || graph_->is(n, Op::get) || graph_->is(n, Op::is_defined)) &&
         graph_->input_count(n) >= 2 && is_none(graph_->input(n, 0));
}

/// Each effect names the one before it: links are followed from those whose predecessor stands elsewhere. What only reads
/// comes before the next link.
void EvaluateCode::order_effects() {
  if (effects_.size() < 2) return;
  // While this runs, of a node in the list `region` is 1, `block` its first follower and `code` the next one beside it.
  for (NodeId n : effects_) known(n) = {nothing, 1, nothing, nothing};
  auto is_listed = [&](NodeId n) { return known(n).slot == nothing && known(n).region == 1; };
  std::vector<NodeId> heads;
  for (size_t i = effects_.size(); i-- > 0;) {
    NodeId n = effects_[i], e = graph_->input_count(n) > 1 ? graph_->input(n, 1) : no_node;
    if (is_none(e) || e == n || !is_listed(e)) {
      heads.push_back(n);
    } else {
      known(n).code = known(e).block;
      known(e).block = index(n);
    }
  }
  std::vector<NodeId> ordered, links;
  auto add_links = [&](auto&& each) {
    size_t first = links.size();
    each([&](NodeId n) { is_link(*graph_, n) ? links.push_back(n) : ordered.push_back(n); });
    std::reverse(links.begin() + static_cast<ptrdiff_t>(first), links.end());
  };
  add_links([&](auto&& add) { std::for_each(heads.rbegin(), heads.rend(), add); });
  while (!links.empty()) {
    NodeId n = links.back();
    links.pop_back();
    ordered.push_back(n);
    add_links([&](auto&& add) {
      for (uint32_t at = known(n).block; at != nothing; at = known_[at].code) add(static_cast<NodeId>(at));
    });
  }
  for (NodeId n : effects_) known(n) = {};
  effects_ = std::move(ordered);
}

bool EvaluateCode::demand_values(NodeId n) {
  for (uint32_t i = 2; i < graph_->input_count(n); ++i)
    if (!demand(graph_->input(n, i))) return false;
  return true;
}

/// Control, effect, values. The result is fresh whenever control has come here.
bool EvaluateCode::record_effect(NodeId n) {
  Op op = table_op(graph_->op(n));
  bool recorded = true;
  switch (op) {
    case Op::save_state: return true;  // its users look into it
    case Op::call:
    case Op::call_indirect: recorded = record_call(n); break;
    case Op::check_null:
    case Op::check_zero:
    case Op::check_negative:
    case Op::check_bounds:
    case Op::check_true: recorded = record_check(n); break;
    case Op::upsilon: recorded = record_upsilon(n); break;
    case Op::guard:
    case Op::safepoint:
    case Op::osr_state: {
      uint32_t values = graph_->input_count(n) - 1;
      for (uint32_t i = 2; i < values && recorded; ++i) recorded = demand(graph_->input(n, i));
      recorded = recorded && demand_state(graph_->input(n, values));
      if (!recorded) break;
      flush();
      uint32_t list = static_cast<uint32_t>(lists_.size());
      lists_.insert(lists_.end(), {0, values - 2});
      for (uint32_t i = 2; i < values; ++i) {
        EvaluateOperand operand = operand_of(graph_->input(n, i));
        lists_.insert(lists_.end(), {operand.word, operand.type.bits});
      }
      add_state(graph_->input(n, values));
      known(n) = {new_slot(), region_, always_fresh, block_};
      emit(EvaluateOp::effect, known(n).slot, list, index(n));
      break;
    }
    default:
      recorded = demand_values(n);
      if (!recorded) break;
      flush();
      uint32_t list = operand_list(n, 2);
      known(n) = {new_slot(), region_, always_fresh, block_};
      emit(EvaluateOp::effect, known(n).slot, list, index(n));
  }
  if (recorded) record_reads(n);
  return recorded;
}

/// The list: the callee, then a list of operands. Of an indirect call the callee is `nothing` and the first operand its
/// address.
bool EvaluateCode::record_call(NodeId n) {
  if (!demand_values(n)) return false;
  flush();
  uint32_t list = static_cast<uint32_t>(lists_.size());
  bool is_direct = graph_->is(n, Op::call) && !graph_->words(n).empty();
  lists_.push_back(is_direct ? graph_->words(n)[0] : nothing);
  operand_list(n, 2);
  known(n) = {new_slot(), region_, always_fresh, block_};
  emit(EvaluateOp::call, known(n).slot, list, index(n));
  return true;
}

bool EvaluateCode::record_check(NodeId n) {
  if (!demand_values(n)) return false;
  flush();
  NodeId value = graph_->input(n, 2);
  uint32_t first = narrow_slot_of(value);
  uint32_t second = graph_->input_count(n) > 3 ? narrow_slot_of(graph_->input(n, 3)) : first;
  uint32_t list = static_cast<uint32_t>(lists_.size());
  bool is_i1 = graph_->module().types.single_kind(graph_->type(value)) == Kind::i1;
  lists_.insert(lists_.end(), {static_cast<uint32_t>(graph_->op(n)), is_i1, second, index(n)});
  known(n) = {new_slot(), region_, always_fresh, block_};
  emit(EvaluateOp::check, known(n).slot, first, list);
  return true;
}

uint32_t EvaluateCode::slot_of_phi_c(NodeId phi_c) {
  auto [slot, is_new] = phi_c_slots_.try_emplace(index(phi_c), slot_count_);
  if (is_new) new_slot();
  return slot->second;
}

bool EvaluateCode::record_upsilon(NodeId n) {
  NodeId phi_c = no_node;
  graph_->for_each_use(n, [&](NodeId user, uint32_t input) {
    if (graph_->is(user, Op::phi_c) && input >= 2) phi_c = user;
  });
  known(n) = {new_slot(), region_, always_fresh, block_};
  if (is_none(phi_c)) return true;
  if (!demand(graph_->input(n, 2))) return false;
  flush();
  emit_copy(slot_of_phi_c(phi_c), is_wide(phi_c), graph_->type(phi_c), operand_of(graph_->input(n, 2)));
  return true;
}

/// The token is fresh in the body only; what hangs on the effect of entering is read before.
void EvaluateCode::record_enter(NodeId n) {
  known(n) = {new_slot(), region_, always_fresh, block_};
  record_reads(n);
  uint32_t targets = new_block(projection(n, 0), region_);
  new_block(projection(n, 1), region_);
  emit(EvaluateOp::enter, known(n).slot, targets, is_none(blocks_[targets].control) ? 0 : 1);
}

/// An end of the function other than a return.
void EvaluateCode::record_stop(NodeId n) {
  Op op = table_op(graph_->op(n));
  if (op == Op::throw_) {
    if (!demand_values(n)) return;
    flush();
    uint32_t slot = narrow_slot_of(graph_->input(n, 2));
    emit(EvaluateOp::throw_, 0, slot, index(n));
    return;
  }
  uint32_t list = static_cast<uint32_t>(lists_.size());
  if (op == Op::deopt) {
    if (!demand_state(graph_->input(n, 2))) return;
    flush();
    list = static_cast<uint32_t>(lists_.size());
    lists_.insert(lists_.end(), {0, 0});
    add_state(graph_->input(n, 2));
  }
  emit(EvaluateOp::stop, 0, list, index(n));
}

/// What stands at the start of a region: values that upsilons have left, reads of the state that is met there.
void EvaluateCode::record_region_start(NodeId region) {
  std::vector<NodeId> states;
  graph_->for_each_use(region, [&](NodeId user, uint32_t input) {
    if (input != 0) return;
    if (graph_->op(user) == NodeOp::effect_entry ||
        (graph_->is(user, Op::phi) && graph_->type(user) == void_type))
      states.push_back(user);
    if (!graph_->is(user, Op::phi_c)) return;
    known(user) = {new_slot(), region_, always_fresh, nothing};
    bool wide = is_wide(user);
    uint32_t from = slot_of_phi_c(user);
    if (wide)
      emit_copy(known(user).slot, true, graph_->type(user),
                {from | EvaluateOperand::wide_bit, graph_->type(user)});
    else
      emit(EvaluateOp::move, known(user).slot, from);
  });
  for (NodeId state : states) record_reads(state);
}

/// Whether control has come to what the address of a read is made of.
bool EvaluateCode::can_be_read(NodeId read) {
  if (!graph_->is(read, Op::load)) return true;
  for (NodeId at = origin(graph_->input(read, 2)); !is_none(at); at = origin(graph_->input(at, 0))) {
    if (known(at).slot != nothing || graph_->is(at, Op::global_addr) || graph_->is_constant(at) ||
        graph_->op(at) == NodeOp::parameter)
      return true;
    bool is_distance = (graph_->is(at, Op::ptr_add) || graph_->is(at, Op::ptr_index)) &&
                       !is_none(graph_->input(at, 1)) && graph_->is_constant(origin(graph_->input(at, 1)));
    if (!is_distance) return false;
  }
  return false;
}

void EvaluateCode::record_reads(NodeId effect) {
  bool any = false;
  graph_->for_each_use(effect, [&](NodeId user, uint32_t input) {
    if (input != 1 || !is_floating_read(user) || !can_be_read(user)) return;
    any = demand(user) || any;
  });
  if (any) flush();
}

/// A state with the states of its callers; `undef` ends them.
bool EvaluateCode::demand_state(NodeId state) {
  for (; !is_none(state) && graph_->is(state, Op::save_state); state = graph_->input(state, 2))
    for (uint32_t i = 3; i < graph_->input_count(state); ++i)
      if (!demand(graph_->input(state, i))) return false;
  return true;
}

/// Behind the operands: the number of states, then of each the node and its registers.
void EvaluateCode::add_state(NodeId state) {
  size_t count = lists_.size();
  lists_.push_back(0);
  for (; !is_none(state) && graph_->is(state, Op::save_state); state = graph_->input(state, 2)) {
    ++lists_[count];
    lists_.push_back(index(state));
    for (uint32_t i = 3; i < graph_->input_count(state); ++i) {
      EvaluateOperand operand = operand_of(graph_->input(state, i));
      lists_.insert(lists_.end(), {operand.word, operand.type.bits});
    }
  }
}

}  // namespace braid::sea
