// Registers, operands and conversions between layouts.
#include <algorithm>

#include "interp/emitter.h"

namespace braid::interp {

using ir::Op;

void Emitter::assign_registers() {
  auto registers_for = [&](Type type) {
    uint32_t first = new_registers(layouts_.of(type).size);
    layouts_.append_references(type, first, code_.references);
    return first;
  };
  for (uint32_t i = 0; i < f_.param_count(); ++i) {
    code_.parameters.push_back(f_.param_type(i));
    parameters_.push_back(registers_for(f_.param_type(i)));
  }
  code_.parameter_words = next_register_;
  // What must start as zero: whether variables and slots are defined.
  variables_.resize(f_.variables.size());
  for (uint32_t i = 0; i < f_.variables.size(); ++i) variables_[static_cast<ir::VarId>(i)].flag = new_registers(1);
  for (uint32_t dense : analysis_.order())
    if (f_.op(f_.from_dense(dense)) == Op::phi_c) slots_[dense] = {no_register, new_registers(1)};
  code_.zeroed = next_register_ - code_.parameter_words;

  for (uint32_t i = 0; i < f_.variables.size(); ++i) {
    ir::VarId variable = static_cast<ir::VarId>(i);
    variables_[variable].first = registers_for(f_.variables[variable].type);
  }
  registers_.assign(f_.dense_count(), no_register);
  for (uint32_t dense : analysis_.order()) {
    const Type type = f_.type(f_.from_dense(dense));
    if (f_.op(f_.from_dense(dense)) == Op::phi_c) slots_[dense].first = registers_for(type);
    if (analysis_.is_flagged(dense)) flags_[dense] = new_registers(1);
    if (!analysis_.owns_registers(dense) || analysis_.is_fused(dense) || layouts_.of(type).size == 0) continue;
    uint32_t& owner = registers_[shared_.empty() ? dense : shared_[dense]];
    if (owner == no_register)
      owner = registers_for(type);
    else
      layouts_.append_references(type, owner, code_.references);  // it may share the register of a null, say
    registers_[dense] = owner;
  }
  for (uint32_t dense : analysis_.order())
    if (analysis_.is_held(dense)) assign_held(dense);
  std::sort(code_.references.begin(), code_.references.end());
  code_.references.erase(std::unique(code_.references.begin(), code_.references.end()), code_.references.end());
}

void Emitter::assign_held(uint32_t access) {
  const Operand owner = analysis_.held_object(access);
  auto [at, is_new] = held_.emplace(analysis_.held_key(access), next_register_);
  if (!is_new) return;
  new_registers(1);
  if (owner.is_param())
    code_.constants.push_back({at->second, 0});
  else
    forgotten_[f_.dense(owner)].push_back(at->second);
}

uint32_t Emitter::scratch() {
  if (scratch_ == no_register) scratch_ = new_registers(1);
  return scratch_;
}

uint32_t Emitter::constant_register(uint64_t bits) {
  auto [at, is_new] = constants_.emplace(bits, next_register_);
  if (is_new) code_.constants.push_back({new_registers(1), bits});
  return at->second;
}

uint32_t Emitter::location(Operand resolved) {
  Analysis::Place place = analysis_.place(resolved);
  if (place.owner.is_constant()) return constant_register(f_.module().constants.value(place.owner).bits);
  if (place.owner.is_param())
    return place.owner.number() < parameters_.size() ? parameters_[place.owner.number()] + place.offset : scratch();
  if (!place.owner.is_stmt() && !place.owner.is_pending()) return scratch();
  uint32_t first = registers_[f_.dense(place.owner)];
  return first == no_register ? scratch() : first + place.offset;
}

uint32_t Emitter::flag_of(Operand resolved) const {
  if (!resolved.is_stmt() && !resolved.is_pending()) return no_register;
  auto found = flags_.find(f_.dense(resolved));
  return found == flags_.end() ? no_register : found->second;
}

uint32_t Emitter::use(Operand operand) {
  Operand resolved = resolve(operand);
  if (is_undef(resolved)) {
    trap("use of undef");
    return scratch();
  }
  if (uint32_t flag = flag_of(resolved); flag != no_register) {
    if (undef_message_ == no_register) undef_message_ = message("use of undef");
    emit(Opcode::trap_undef, flag, undef_message_);
  }
  if (layouts_.of(type_of(resolved)).form == Layout::Form::nothing) {
    trap("use of a value that cannot exist");
    return scratch();
  }
  return location(resolved);
}

uint32_t Emitter::use_as(Operand operand, Type type) {
  Operand resolved = resolve(operand);
  uint32_t from = use(operand);
  if (is_undef(resolved) || layouts_.same(type_of(resolved), type)) return from;
  uint32_t to = new_registers(layouts_.of(type).size);
  convert(from, type_of(resolved), to, type, false);
  return to;
}

bool Emitter::as_immediate(Operand operand, int32_t& value) const {
  Operand resolved = resolve(operand);
  if (!resolved.is_constant()) return false;
  int64_t bits = static_cast<int64_t>(f_.module().constants.value(resolved).bits);
  value = static_cast<int32_t>(bits);
  return value == bits;
}

void Emitter::copy_to(uint32_t to, Operand resolved, Type type, bool skip_mismatch) {
  if (!resolved.is_constant()) {
    convert(location(resolved), type_of(resolved), to, type, skip_mismatch);
    return;
  }
  ir::Constant constant = f_.module().constants.value(resolved);
  Layout from = layouts_.of(constant.type), layout = layouts_.of(type);
  if (layout.form == Layout::Form::mixed) {
    load_constant(to, static_cast<uint64_t>(from.storage));
    load_constant(to + 1, constant.bits);
  } else if (layout.form == Layout::Form::scalar && layout.storage == from.storage) {
    load_constant(to, constant.bits);
  } else {
    convert(location(resolved), constant.type, to, type, skip_mismatch);
  }
}

void Emitter::convert(uint32_t from, Type from_type, uint32_t to, Type to_type, bool skip_mismatch) {
  Layout source = layouts_.of(from_type), target = layouts_.of(to_type);
  using Form = Layout::Form;
  if (layouts_.same(from_type, to_type)) {
    move(to, from, source.size);
  } else if (source.form == Form::scalar && target.form == Form::mixed) {
    emit(Opcode::to_mixed, to, from, static_cast<uint32_t>(source.storage));
  } else if (source.form == Form::mixed && target.form == Form::scalar && !skip_mismatch) {
    emit(Opcode::from_mixed, to, from, static_cast<uint32_t>(target.storage));
  } else {
    code_.conversions.push_back({{from_type, from}, {to_type, to}, skip_mismatch});
    emit(Opcode::convert, 0, static_cast<uint32_t>(code_.conversions.size() - 1));
  }
}

void Emitter::move(uint32_t to, uint32_t from, uint32_t count) {
  if (to == from || count == 0) return;
  if (count == 1)
    emit(Opcode::move, to, from);
  else
    emit(Opcode::move_many, to, from, count);
}

void Emitter::load_constant(uint32_t to, uint64_t bits) {
  emit(Opcode::load_constant, to, static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32));
}

Emitter::Result Emitter::result_for(Operand id, Type natural) {
  uint32_t own = registers_[f_.dense(id)];
  if (own != no_register && layouts_.same(f_.type(id), natural)) return {own, natural, true};
  uint32_t size = layouts_.of(natural).size;
  return {size == 0 ? scratch() : new_registers(size), natural, false};
}

void Emitter::finish(Operand id, const Result& result) {
  uint32_t own = registers_[f_.dense(id)];
  if (!result.is_own && own != no_register) convert(result.first, result.natural, own, f_.type(id), false);
}

}  // namespace braid::interp
