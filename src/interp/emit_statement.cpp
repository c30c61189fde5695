// The instructions of one statement, by the rule of its op. Arithmetic is in emit_arithmetic.cpp, calls are in
// emit_calls.cpp.
#include "interp/emitter.h"
#include "ir/memory.h"

namespace braid::interp {

using ir::FuncId;
using ir::Op;
using ir::TypeRule;

void Emitter::emit_select(Operand id, const Stmt& s) {
  Type type = f_.type(id);
  uint32_t size = layouts_.of(type).size;
  uint32_t condition = use(f_.operand(s, 0));
  uint32_t if_true = use_as(f_.operand(s, 1), type), if_false = use_as(f_.operand(s, 2), type);
  if (size == 0) return;
  emit(size == 1 ? Opcode::select : Opcode::select_many, registers_[f_.dense(id)], condition, if_true);
  emit(Opcode::trap, if_false, size);
}

void Emitter::emit_tuple(Operand id, const Stmt& s) {
  TypeTable& types = f_.module().types;
  std::vector<Type> elements;
  for (uint32_t word : f_.args(s)) elements.push_back(type_of(resolve(Operand::from_word(word))));
  Type type = f_.type(id);
  // The statement's own type may say more of mixed elements, or nothing of nested ones.
  if (layouts_.of(type).form != Layout::Form::tuple || types.elements(type).size() != elements.size())
    type = types.tuple_of_any_size(elements);
  std::span<const Type> wanted = types.elements(type);
  if (wanted.size() != elements.size()) {
    for (uint32_t word : f_.args(s)) use(Operand::from_word(word));
    return trap("use of a value that cannot exist");
  }
  Result result = result_for(id, type);
  for (uint32_t i = 0; i < elements.size(); ++i) {
    Operand resolved = resolve(f_.operand(s, i));
    use(resolved);
    if (!is_undef(resolved)) copy_to(result.first + layouts_.offsets(type)[i], resolved, wanted[i], false);
  }
  finish(id, result);
}

void Emitter::emit_extract(Operand id, const Stmt& s) {
  Operand tuple = f_.operand(s, 0);
  uint32_t from = use(tuple), field = f_.arg(s, 1);
  if (!analysis_.owns_registers(f_.dense(id)) || registers_[f_.dense(id)] == no_register) return;
  code_.conversions.push_back({{type_of(resolve(tuple)), from}, {f_.type(id), registers_[f_.dense(id)]}, false});
  emit(Opcode::element, 0, static_cast<uint32_t>(code_.conversions.size() - 1), field);
}

void Emitter::emit_dynamic(Operand id, const Stmt& s) {
  DynamicSite site{s.op, (s.flags & ir::cannot_throw) != 0, false, f_.type(id), {}, {}};
  const ir::OpInfo& op = ir::info(s.op);
  for (uint32_t i = 0; i < 2 && i < f_.operand_count(s); ++i) {
    if (!op.is_value(i)) {
      site.type = Type{f_.arg(s, i)};
      continue;
    }
    site.has_second = i == 1;
    Operand operand = f_.operand(s, i);
    site.operands[i] = {type_of(resolve(operand)), use(operand)};
  }
  Type type = f_.type(id);
  uint32_t own = registers_[f_.dense(id)];
  // A value that cannot exist, or that nobody keeps: the operation may throw all the same.
  site.result = {type, own != no_register ? own : new_registers(2)};
  code_.dynamics.push_back(site);
  emit(Opcode::dynamic, 0, static_cast<uint32_t>(code_.dynamics.size() - 1));
}

void Emitter::emit_get(Operand id, const Stmt& s) {
  const ir::Variable& variable = f_.variables[static_cast<ir::VarId>(f_.arg(s, 0))];
  VariablePlace place = variables_[static_cast<ir::VarId>(f_.arg(s, 0))];
  uint32_t size = layouts_.of(variable.type).size;
  Result result = result_for(id, variable.type);
  if (variable.undef == ir::UndefMeaning::zero) {
    move(result.first, place.first, size);
  } else {
    bool throws = variable.undef == ir::UndefMeaning::throws;
    emit(throws ? Opcode::get_or_throw : Opcode::get_or_trap, result.first, place.first, place.flag);
    emit(Opcode::trap, message(std::string(f_.module().name(variable.name))), size);
  }
  finish(id, result);
}

void Emitter::emit_set(const Stmt& s) {
  ir::VarId number = static_cast<ir::VarId>(f_.arg(s, 0));
  const ir::Variable& variable = f_.variables[number];
  VariablePlace place = variables_[number];
  Operand value = resolve(f_.operand(s, 1));
  bool to_zero = variable.undef == ir::UndefMeaning::zero;
  uint32_t size = layouts_.of(variable.type).size;
  if (is_undef(value)) {
    load_constant(place.flag, 0);
    for (uint32_t i = 0; to_zero && i < size; ++i) load_constant(place.first + i, code_.zeros[zeros_[index(number)] + i]);
    return;
  }
  uint32_t flag = flag_of(value);
  if (to_zero && flag != no_register) {
    uint32_t from = location(value);
    if (!layouts_.same(type_of(value), variable.type)) {
      uint32_t converted = new_registers(size);
      // An undefined value may have any tag; it is not looked at.
      convert(from, type_of(value), converted, variable.type, true);
      from = converted;
    }
    emit(Opcode::copy_or_zero, place.first, from, flag);
    emit(Opcode::trap, zeros_[index(number)], size);
  } else {
    if (layouts_.of(type_of(value)).form == Layout::Form::nothing) return trap("use of a value that cannot exist");
    copy_to(place.first, value, variable.type, flag != no_register);
  }
  if (flag == no_register)
    load_constant(place.flag, 1);
  else
    move(place.flag, flag, 1);
}

void Emitter::emit_is_defined(Operand id, const Stmt& s) {
  Result result = result_for(id, i1);
  move(result.first, variables_[static_cast<ir::VarId>(f_.arg(s, 0))].flag, 1);
  finish(id, result);
}

void Emitter::emit_upsilon(Operand id, const Stmt& s) {
  uint32_t phi_c = analysis_.phi_c_of(f_.dense(id));
  if (phi_c == Analysis::unreachable) return;
  auto slot = slots_.find(phi_c);
  if (slot == slots_.end()) return;
  Operand value = resolve(f_.operand(s, 0));
  if (is_undef(value)) return load_constant(slot->second.flag, 0);
  copy_to(slot->second.first, value, f_.type(f_.from_dense(phi_c)), true);
  if (!analysis_.is_flagged(phi_c)) return;
  if (uint32_t flag = flag_of(value); flag != no_register)
    move(slot->second.flag, flag, 1);
  else
    load_constant(slot->second.flag, 1);
}

void Emitter::emit_phi_c(Operand id) {
  uint32_t dense = f_.dense(id);
  const VariablePlace& slot = slots_[dense];
  if (registers_[dense] != no_register) move(registers_[dense], slot.first, layouts_.of(f_.type(id)).size);
  if (analysis_.is_flagged(dense)) move(flags_[dense], slot.flag, 1);
}

void Emitter::emit_pi(Operand id, const Stmt& s) {
  Operand value = resolve(f_.operand(s, 0));
  uint32_t dense = f_.dense(id), flag = flag_of(value);
  if (resolve(id) != id) return;  // another name, nothing to do
  if (is_undef(value)) return load_constant(flags_[dense], 0);
  if (registers_[dense] != no_register) copy_to(registers_[dense], value, f_.type(id), flag != no_register);
  if (analysis_.is_flagged(dense)) {
    if (flag == no_register)
      load_constant(flags_[dense], 1);
    else
      move(flags_[dense], flag, 1);
  }
}

void Emitter::emit_check(Operand id, const Stmt& s) {
  Operand operand = f_.operand(s, 0);
  uint32_t a = use(operand), safe = (s.flags & ir::cannot_throw) != 0;
  Layout layout = layouts_.of(type_of(resolve(operand)));
  switch (s.op) {
    case Op::check_null: emit(Opcode::check_null, a, safe); break;
    case Op::check_zero: emit(Opcode::check_zero, a, safe); break;
    case Op::check_negative:
      emit(layout.storage == Storage::i1 ? Opcode::check_negative_bit : Opcode::check_negative, a, safe);
      break;
    case Op::check_bounds: emit(Opcode::check_bounds, a, safe, use(f_.operand(s, 1))); break;
    case Op::check_true: emit(Opcode::check_true, a, safe); return;
    default: {
      Type tuple = type_of(resolve(operand));
      if (layout.form != Layout::Form::tuple || layouts_.offsets(tuple).size() != 3)
        return trap("check_overflow of a tuple with other fields");
      emit(Opcode::check_overflow, a + layouts_.offsets(tuple)[1], safe);
      uint32_t own = registers_[f_.dense(id)];
      if (own != no_register) convert(a, layouts_.types().elements(tuple)[0], own, f_.type(id), false);
      return;
    }
  }
  uint32_t own = registers_[f_.dense(id)];
  if (own != no_register) convert(a, type_of(resolve(operand)), own, f_.type(id), false);
}

void Emitter::emit_memory(Operand id, const Stmt& s) {
  switch (s.op) {
    case Op::load: {
      Storage storage = layouts_.of(f_.type(id)).storage;
      uint32_t address = use(f_.operand(s, 0));
      Opcode op;
      switch (storage) {
        case Storage::i1: op = Opcode::load_1; break;
        case Storage::i8: op = Opcode::load_8; break;
        case Storage::i16: op = Opcode::load_16; break;
        case Storage::i32: op = Opcode::load_32; break;
        case Storage::f32: op = Opcode::load_f32; break;
        case Storage::i64:
        case Storage::f64:
        case Storage::ptr: op = Opcode::load_64; break;
        default: return trap("load of a type that memory does not hold");
      }
      emit(op, result_for(id, f_.type(id)).first, address);
      return;
    }
    case Op::store: {
      Storage storage = storage_of(f_.operand(s, 0));
      uint32_t value = use(f_.operand(s, 0)), address = use(f_.operand(s, 1));
      Opcode op;
      switch (storage) {
        case Storage::i1:
        case Storage::i8: op = Opcode::store_8; break;
        case Storage::i16: op = Opcode::store_16; break;
        case Storage::i32:
        case Storage::f32: op = Opcode::store_32; break;
        case Storage::i64:
        case Storage::f64:
        case Storage::ptr: op = Opcode::store_64; break;
        default: return trap("store of a type that memory does not hold");
      }
      emit(op, value, address);
      return;
    }
    case Op::mem_copy:
    case Op::mem_fill: {
      uint32_t a = use(f_.operand(s, 0)), b = use(f_.operand(s, 1)), c = use(f_.operand(s, 2));
      emit(s.op == Op::mem_copy ? Opcode::mem_copy : Opcode::mem_fill, a, b, c);
      return;
    }
    default: break;
  }
  // The rest give an address (or a distance).
  Result result = result_for(id, s.op == Op::ptr_diff ? i64 : ptr);
  constexpr unsigned i64_width = *width_index(Storage::i64);
  switch (s.op) {
    case Op::func_addr: load_constant(result.first, ir::Memory::function_address(static_cast<FuncId>(f_.arg(s, 0)))); break;
    case Op::global_addr: emit(Opcode::global_addr, result.first, f_.arg(s, 0)); break;
    case Op::stack_slot:
      code_.keeps_nothing = false;
      emit(Opcode::stack_slot, result.first, f_.arg(s, 0), f_.arg(s, 1));
      break;
    case Op::ptr_index: {
      uint32_t a = use(f_.operand(s, 0)), b = use(f_.operand(s, 1));
      emit(Opcode::ptr_index, result.first, a, b);
      emit(Opcode::trap, f_.arg(s, 2));
      break;
    }
    default: {
      const auto& forms = opcode_table.by_width[static_cast<unsigned>(s.op == Op::ptr_add ? Op::add : Op::sub)][i64_width];
      uint32_t a = use(f_.operand(s, 0));
      int32_t immediate = 0;
      if (as_immediate(f_.operand(s, 1), immediate)) {
        emit(forms.immediate, result.first, a, static_cast<uint32_t>(immediate));
      } else {
        uint32_t b = use(f_.operand(s, 1));
        emit(forms.plain, result.first, a, b);
      }
    }
  }
  finish(id, result);
}

SavedState Emitter::saved_state(const Stmt& s) {
  SavedState state{f_.arg(s, 0), static_cast<ir::ResumeKind>(f_.arg(s, 1)), no_register, {}};
  for (uint32_t i = 3; i + 1 < f_.operand_count(s); i += 2) {
    Operand value = resolve(f_.operand(s, i + 1));
    uint32_t first = is_undef(value) ? no_register : location(value);
    state.registers.push_back({f_.arg(s, i), {type_of(value), first}, flag_of(value)});
  }
  return state;
}

uint32_t Emitter::state_index(Operand operand) {
  uint32_t user = no_register, first = no_register;
  for (Operand at = resolve(operand); !is_undef(at);) {
    if ((!at.is_stmt() && !at.is_pending()) || f_.op(at) != Op::save_state) {
      fail("a save state that is not used directly");
      break;
    }
    auto [entry, is_new] = states_.emplace(f_.dense(at), static_cast<uint32_t>(code_.states.size()));
    uint32_t number = entry->second;
    if (is_new) code_.states.push_back(saved_state(f_.stmt(at)));
    if (user == no_register) first = number;
    else code_.states[user].caller = number;
    if (!is_new) break;
    user = number;
    at = resolve(f_.operand(at, 2));
  }
  if (first != no_register) return first;
  trap("use of undef");
  code_.states.push_back({0, ir::ResumeKind::reexecute, no_register, {}});
  return static_cast<uint32_t>(code_.states.size() - 1);
}

/// Adds the value to a line, unless it takes no registers or is nothing to be shown: a token, a state.
void Emitter::show(TracePoint& point, Operand operand) {
  Operand resolved = resolve(operand);
  if (is_undef(resolved)) {
    point.values.push_back({{none, no_register}, no_register});
  } else if (Type type = type_of(resolved); type != token_type && type != state_type && layouts_.of(type).size != 0) {
    point.values.push_back({{type_of(resolved), location(resolved)}, flag_of(resolved)});
  }
}

/// What the function is called with.
void Emitter::emit_trace_of_parameters() {
  if (f_.param_count() == 0) return;
  TracePoint point{"(", {}, 0, 0};
  for (uint32_t i = 0; i < f_.param_count(); ++i) {
    if (i != 0) point.text += ", ";
    trace_->append_value(point.text, Operand::param(i));
    show(point, Operand::param(i));
  }
  point.text += ')';
  code_.trace_points.push_back(std::move(point));
  emit(Opcode::trace, 0);
}

void Emitter::emit_trace(Operand id, uint32_t first) {
  uint32_t end = static_cast<uint32_t>(code_.instrs.size());
  TracePoint point{{}, {}, first, end};
  trace_->append_block(point.text, analysis_.blocks()[current_].id);
  point.text += ": ";
  trace_->append(point.text, id);
  Operand resolved = resolve(id);
  bool has_value = layouts_.of(f_.type(id)).size != 0 && f_.op(id) != Op::upsilon && !is_undef(resolved);
  if (has_value && !ir::is_terminator(f_.op(id))) {
    show(point, id);
  } else {
    const Stmt& s = f_.stmt(id);
    for (uint32_t i = 0; i < f_.operand_count(s); ++i)
      if (Operand o = f_.operand(s, i); ir::info(s.op).is_value(i) && !o.is_constant() && !o.is_undef()) show(point, o);
  }
  code_.trace_points.push_back(std::move(point));
  emit_paying(Opcode::trace, static_cast<uint32_t>(code_.trace_points.size() - 1));
}

void Emitter::emit_statement(Operand id) {
  const uint32_t dense = f_.dense(id);
  if (analysis_.is_fused(dense)) return;
  if (analysis_.is_deferred(dense)) {
    deferred_.push_back(dense);
    return;
  }
  emit_now(id);
  if (auto found = forgotten_.find(dense); found != forgotten_.end())
    for (uint32_t held : found->second) load_constant(held, 0);
}

void Emitter::emit_now(Operand id) {
  const Stmt& s = f_.stmt(id);
  uint32_t dense = f_.dense(id);
  if (emit_arithmetic(id, s)) return;
  switch (ir::info(s.op).rule) {
    case TypeRule::select: emit_select(id, s); break;
    case TypeRule::tuple: emit_tuple(id, s); break;
    case TypeRule::extract: emit_extract(id, s); break;
    case TypeRule::box: {
      Type type = type_of(resolve(f_.operand(s, 0)));
      uint32_t from = use(f_.operand(s, 0));
      Result result = result_for(id, ref);
      code_.types.push_back(type);
      emit(Opcode::box, result.first, from, static_cast<uint32_t>(code_.types.size() - 1));
      finish(id, result);
      break;
    }
    case TypeRule::unbox: {
      uint32_t from = use(f_.operand(s, 0));
      uint32_t to = registers_[dense] == no_register ? scratch() : registers_[dense];
      code_.types.push_back(f_.type(id));
      emit(Opcode::unbox, to, from, static_cast<uint32_t>(code_.types.size() - 1));
      break;
    }
    case TypeRule::dynamic:
    case TypeRule::kind_test:
    case TypeRule::variant_tag:
    case TypeRule::variant_get: emit_dynamic(id, s); break;
    case TypeRule::variant_make: {
      uint32_t from = use_as(f_.operand(s, 0), f_.type(id));
      if (registers_[dense] != no_register) move(registers_[dense], from, layouts_.of(f_.type(id)).size);
      break;
    }
    case TypeRule::call:
    case TypeRule::call_indirect:
    case TypeRule::intrinsic: emit_call(id, s); break;
    case TypeRule::func_addr:
    case TypeRule::stack_slot:
    case TypeRule::global_addr:
    case TypeRule::load:
    case TypeRule::store:
    case TypeRule::mem_copy:
    case TypeRule::mem_fill:
    case TypeRule::ptr_add:
    case TypeRule::ptr_diff: emit_memory(id, s); break;
    case TypeRule::get: emit_get(id, s); break;
    case TypeRule::set: emit_set(s); break;
    case TypeRule::is_defined: emit_is_defined(id, s); break;
    case TypeRule::pi: emit_pi(id, s); break;
    case TypeRule::upsilon: emit_upsilon(id, s); break;
    case TypeRule::phi_c: emit_phi_c(id); break;
    case TypeRule::leave: {
      uint32_t count = 0;
      for (uint32_t word : f_.args(s)) count += !is_undef(resolve(Operand::from_word(word)));
      if (count != 0) emit(Opcode::leave, count);
      break;
    }
    case TypeRule::the_exception: {
      Result result = result_for(id, ref);
      emit(Opcode::the_exception, result.first);
      finish(id, result);
      break;
    }
    case TypeRule::pop_exception: emit(Opcode::pop_exception, use(f_.operand(s, 0))); break;
    case TypeRule::throw_undef: {
      uint32_t name = message(std::string(f_.module().name(static_cast<Symbol>(f_.arg(s, 0)))));
      emit(Opcode::throw_undef, use(f_.operand(s, 1)), name, (s.flags & ir::cannot_throw) != 0);
      break;
    }
    case TypeRule::check_null:
    case TypeRule::check_int:
    case TypeRule::check_bounds:
    case TypeRule::check_overflow:
    case TypeRule::check_true: emit_check(id, s); break;
    case TypeRule::guard: {
      uint32_t condition = use(f_.operand(s, 0));
      emit(Opcode::guard, condition, state_index(f_.operand(s, 1)));
      break;
    }
    case TypeRule::state_use:
      emit(Opcode::stop_point, state_index(f_.operand(s, 0)), s.op == Op::osr_state);
      break;
    default: break;  // phi, save_state: nothing; terminators are emitted with their block
  }
}

}  // namespace braid::interp
