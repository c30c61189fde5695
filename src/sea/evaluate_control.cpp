// Recording control: what stands in a block, in the order of its effects, and where control goes from there.
#include <algorithm>

#include "sea/evaluate_code.h"

namespace braid::sea {

using ir::Op;

void EvaluateCode::reset(const Graph& graph, const ir::Function* function) {
  graph_ = &graph;
  function_ = function;
  instructions_.assign(1, {EvaluateOp::record, 0, 0, 0});
  blocks_.clear();
  begins_.clear();
  regions_.clear();
  phis_.clear();
  known_.assign(graph.size(), {});
  lists_.clear();
  constants_.clear();
  messages_.clear();
  phi_c_slots_.clear();
  variable_slots_.clear();
  wide_parameters_.clear();
  slot_count_ = 0;
  argument_count_ = nothing;
  find_undefined();
}

bool EvaluateCode::accepts(uint32_t argument_count) {
  if (argument_count_ != nothing) return argument_count_ == argument_count;
  argument_count_ = argument_count;
  slot_count_ = argument_count * evaluate_slot_words;
  graph_->for_each_use(graph_->start, [&](NodeId user, uint32_t) {
    if (graph_->op(user) != NodeOp::parameter || graph_->payload(user) >= argument_count || !is_wide(user)) return;
    wide_parameters_.resize(argument_count, false);
    wide_parameters_[graph_->payload(user)] = true;
  });
  uint32_t slot = new_slot();
  known(graph_->start) = {slot, 0, always_fresh, nothing};
  regions_.push_back({graph_->start, slot, 0, 0, first_block});
  new_block(graph_->start, 0);
  return true;
}

uint32_t EvaluateCode::new_block(NodeId control, uint32_t region) {
  blocks_.push_back({control, region});
  begins_.push_back(0);
  return static_cast<uint32_t>(blocks_.size()) - 1;
}

uint32_t EvaluateCode::emit(EvaluateOp op, uint32_t to, uint32_t a, uint32_t b) {
  instructions_.push_back({op, to, a, b});
  return static_cast<uint32_t>(instructions_.size()) - 1;
}

uint32_t EvaluateCode::add_constant(uint64_t bits) {
  constants_.push_back(bits);
  return static_cast<uint32_t>(constants_.size()) - 1;
}

/// The block ends here, when control comes here.
void EvaluateCode::fail(NodeId n, std::string why) {
  for (const Visit& visit : visits_)
    if (known(visit.node).slot == in_progress) known(visit.node) = {};
  if (!is_none(n) && known(n).slot == in_progress) known(n) = {};
  flush();
  if (!is_none(n) && is_table_op(graph_->op(n)))
    why = std::string(ir::info(table_op(graph_->op(n))).text) + ": " + why;
  messages_.push_back(std::move(why));
  emit(EvaluateOp::fail, 0, static_cast<uint32_t>(messages_.size()) - 1, index(n));
}

/// What ends a block, or none; fills the list of what stands in it.
NodeId EvaluateCode::find_end(NodeId control, uint32_t& way) {
  effects_.clear();
  NodeId end = no_node;
  for (bool again = true; again;) {
    again = false;
    NodeId next = no_node;
    graph_->for_each_use(control, [&](NodeId user, uint32_t number) {
      NodeOp op = graph_->op(user);
      if (op == NodeOp::never) {
        end = user;
      } else if (is_region(op)) {
        end = user;
        way = number;
      } else if (op == NodeOp::projection) {
        if (graph_->type(user) == control_type && graph_->payload(user) == 0) next = user;
      } else if (is_table_op(op) && number == 0 && op != Op::phi && op != Op::pi && op != Op::phi_c) {
        if (ir::is_terminator(table_op(op)))
          end = user;
        else
          effects_.push_back(user);
      }
    });
    if (control == graph_->start && is_none(end) && !is_none(next)) {
      control = next;
      again = true;
    }
  }
  return end;
}

void EvaluateCode::record(uint32_t block, const uint64_t* slots) {
  block_ = block;
  region_ = blocks_[block].region;
  slots_ = slots;
  begins_[block] = static_cast<uint32_t>(instructions_.size() * sizeof(EvaluateInstruction));
  NodeId control = blocks_[block].control;
  if (is_none(control)) {
    emit(EvaluateOp::fall, 0);
    return;
  }
  if (control == graph_->start)
    record_reads(control);
  else if (is_region(graph_->op(control)))
    record_region_start(control);
  uint32_t way = 0;
  for (;;) {
    NodeId end = find_end(control, way);
    order_effects();
    for (NodeId n : effects_)
      if (!record_effect(n)) return;
    if (is_none(end)) break;
    if (graph_->op(end) != NodeOp::never) {
      record_end(end, way);
      return;
    }
    control = projection(end, 0);
    if (is_none(control)) break;
  }
  emit(EvaluateOp::fall, 0);
}

NodeId EvaluateCode::projection(NodeId n, uint32_t number) const {
  NodeId found = no_node;
  graph_->for_each_use(n, [&](NodeId user, uint32_t) {
    if (graph_->op(user) == NodeOp::projection && graph_->payload(user) == number) found = user;
  });
  return found;
}

void EvaluateCode::record_end(NodeId end, uint32_t way) {
  NodeOp op = graph_->op(end);
  if (is_region(op)) {
    record_edge(end, way);
  } else if (op == Op::branch) {
    record_branch(end);
  } else if (op == Op::switch_) {
    record_switch(end);
  } else if (op == Op::ret) {
    if (graph_->input_count(end) < 3) {
      emit(EvaluateOp::ret_void, 0, 0, index(end));
      return;
    }
    NodeId value = graph_->input(end, 2);
    if (!demand(value)) return;
    flush();
    EvaluateOperand operand = operand_of(value);
    emit(operand.is_wide() ? EvaluateOp::ret_wide : EvaluateOp::ret, 0, operand.slot(), index(end));
  } else if (op == Op::enter) {
    record_enter(end);
  } else {
    record_stop(end);
  }
}

void EvaluateCode::record_branch(NodeId n) {
  uint32_t targets = new_block(no_node, region_);
  new_block(no_node, region_);
  graph_->for_each_use(n, [&](NodeId user, uint32_t) {
    if (graph_->op(user) == NodeOp::projection && graph_->payload(user) < 2)
      blocks_[targets + graph_->payload(user)].control = user;
  });
  NodeId condition = origin(graph_->input(n, 1));
  bool is_fused = !is_none(condition) && known(condition).slot == nothing &&
                  graph_->has_one_use(condition) && is_compare(condition);
  if (!is_fused) {
    if (!demand(condition)) return;
    flush();
    uint32_t slot = narrow_slot_of(condition);
    emit(EvaluateOp::branch, targets, slot);
    return;
  }
  bool immediate = is_immediate(condition, 1);
  if (!demand(graph_->input(condition, 0)) || (!immediate && !demand(graph_->input(condition, 1)))) return;
  flush();
  EvaluateInstruction instruction{};
  instruction_for(condition, instruction);
  unsigned distance = static_cast<unsigned>(EvaluateOp::branch_eq) - static_cast<unsigned>(EvaluateOp::eq);
  emit(static_cast<EvaluateOp>(static_cast<unsigned>(instruction.op) + distance), targets, instruction.a,
       instruction.b);
}

/// Projection 0 is the default; the words are the constants of the cases.
void EvaluateCode::record_switch(NodeId n) {
  std::span<const uint32_t> cases = graph_->words(n);
  uint32_t count = static_cast<uint32_t>(cases.size());
  uint32_t targets = new_block(no_node, region_);
  for (uint32_t i = 0; i < count; ++i) new_block(no_node, region_);
  graph_->for_each_use(n, [&](NodeId user, uint32_t) {
    if (graph_->op(user) == NodeOp::projection && graph_->payload(user) <= count)
      blocks_[targets + graph_->payload(user)].control = user;
  });
  NodeId value = graph_->input(n, 1);
  if (!demand(value)) return;
  flush();
  uint32_t list = static_cast<uint32_t>(lists_.size());
  lists_.push_back(count);
  for (uint32_t word : cases) {
    ir::Operand operand = ir::Operand::from_word(word);
    if (!operand.is_constant()) {
      fail(n, "a case is no constant");
      return;
    }
    lists_.push_back(add_constant(graph_->module().constants.value(operand).bits));
  }
  uint32_t slot = narrow_slot_of(value);
  emit(EvaluateOp::switch_, targets, slot, list);
}

uint32_t EvaluateCode::reach_region(NodeId region) {
  Known& k = known(region);
  if (k.slot != nothing) return k.region;
  uint32_t number = static_cast<uint32_t>(regions_.size());
  k = {new_slot(), number, always_fresh, nothing};
  Region reached{region, k.slot, static_cast<uint32_t>(phis_.size()), 0, new_block(region, number)};
  graph_->for_each_use(region, [&](NodeId user, uint32_t input) {
    bool is_state = graph_->op(user) == NodeOp::effect_entry ||
                    (graph_->is(user, Op::phi) && graph_->type(user) == void_type);
    if (input != 0) return;
    // A state of memory has no value, only a time.
    if (is_state) known(user) = {reached.slot, number, always_fresh, nothing};
    if (is_state || !graph_->is(user, Op::phi)) return;
    known(user) = {new_slot(), number, always_fresh, nothing};
    phis_.push_back(user);
  });
  reached.phi_count = static_cast<uint32_t>(phis_.size()) - reached.first_phi;
  regions_.push_back(reached);
  return number;
}

/// All phis are read before any is written: one that is written before it is read goes through a slot of its
/// own, as does every wide one.
void EvaluateCode::record_edge(NodeId node, uint32_t way) {
  const Region region = regions_[reach_region(node)];
  auto phi_at = [&](uint32_t i) { return phis_[region.first_phi + i]; };
  auto source = [&](uint32_t i) -> NodeId {
    NodeId phi = phi_at(i);
    return way + 1 < graph_->input_count(phi) ? origin(graph_->input(phi, way + 1)) : no_node;
  };
  auto is_copied = [&](uint32_t i) { return is_wide(phi_at(i)) || is_wide(source(i)); };
  auto is_constant = [&](uint32_t i) {
    return !is_none(source(i)) && graph_->is_constant(source(i)) && !is_wide(phi_at(i));
  };
  for (uint32_t i = 0; i < region.phi_count; ++i)
    if (!is_constant(i) && !demand(source(i))) return;
  flush();
  auto slot_at = [&](uint32_t i) { return known(phi_at(i)).slot; };  // they follow each other
  struct Copy {
    uint32_t phi, from;
  };
  std::vector<Copy> copies;
  for (uint32_t i = 0; i < region.phi_count; ++i) {
    if (is_constant(i) || !is_copied(i)) continue;
    uint32_t saved = new_slot();
    emit_copy(saved, is_wide(phi_at(i)), graph_->type(phi_at(i)), operand_of(source(i)));
    copies.push_back({i, saved});
  }
  moves_.clear();
  for (uint32_t i = 0; i < region.phi_count; ++i) {
    if (is_constant(i) || is_copied(i)) continue;
    uint32_t from = slot_of(source(i));
    uint32_t to = slot_at(i);
    if (from == to) continue;
    if (from >= slot_at(0) && from < to) {
      uint32_t saved = new_slot();
      emit(EvaluateOp::move, saved, from);
      from = saved;
    }
    moves_.push_back({to, from});
  }
  for (const Move& move : moves_) emit(EvaluateOp::move, move.to, move.from);
  for (const Copy& copy : copies) {
    Type type = graph_->type(phi_at(copy.phi));
    bool wide = is_wide(phi_at(copy.phi));
    emit_copy(slot_at(copy.phi), wide, type, {copy.from | (wide ? EvaluateOperand::wide_bit : 0), type});
  }
  for (uint32_t i = 0; i < region.phi_count; ++i)
    if (is_constant(i))
      emit(EvaluateOp::move_constant, slot_at(i), add_constant(graph_->constant_value(source(i)).bits));
  bool is_back_edge = graph_->op(node) == NodeOp::loop && way > 0;
  bool is_joined = copies.empty() && !instructions_.empty() && instructions_.back().op == EvaluateOp::move;
  emit(is_back_edge ? EvaluateOp::back_edge : EvaluateOp::region, region.block, region.slot);
  if (is_joined) join_moves(moves_.size(), is_back_edge);
}

/// Moves two at a time, the last ones together with the edge behind them.
void EvaluateCode::join_moves(size_t count, bool is_back_edge) {
  EvaluateInstruction* end = instructions_.data() + instructions_.size() - 1;
  size_t last = count < 2 ? 1 : 2;
  EvaluateOp one = is_back_edge ? EvaluateOp::move_back_edge : EvaluateOp::move_region;
  EvaluateOp two = is_back_edge ? EvaluateOp::moves_back_edge : EvaluateOp::moves_region;
  (end - last)->op = last == 1 ? one : two;
  for (size_t i = last; i + 2 <= count; i += 2) (end - i - 2)->op = EvaluateOp::moves;
}

}  // namespace braid::sea
