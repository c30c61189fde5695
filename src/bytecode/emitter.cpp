#include "bytecode/emitter.h"

#include <algorithm>

#include "type/type_text.h"

namespace braid::bytecode {

using ir::Op;
using ir::Operand;

// ---- registers ----

ir::VarId Emitter::variable(uint32_t number, Type type) {
  for (uint32_t i = registers_[number].first_variable; i != no_variable; i = variables_[i].next)
    if (variables_[i].type == type) return variables_[i].variable;
  std::string name = translator_.register_name(number);
  if (registers_[number].first_variable != no_variable) name += "." + to_string(f_.module().types, type);
  const ir::VarId made = f_.variables.push({f_.module().symbol(name), type, ir::UndefMeaning::reject});
  variables_.push_back({type, made, registers_[number].first_variable});
  registers_[number].first_variable = static_cast<uint32_t>(variables_.size() - 1);
  return made;
}

void Emitter::start_block(ir::BlockId block) {
  block_ = block;
  ++stamp_;
  for (uint32_t number : dirty_) registers_[number].is_dirty = false;
  dirty_.clear();
  state_ = Operand::undef();
  live_ = {};
  decoded_ = nullptr;
}

void Emitter::declare(uint32_t number, Type type) {
  Register& r = registers_[number];
  r.block = stamp_;
  r.is_dirty = false;
  r.type = type;
  r.value = Operand::undef();
}

void Emitter::start_instruction(Pc pc, const Decoded* decoded, std::span<const uint32_t> live,
                                std::span<const uint32_t> live_meanwhile, ir::Loc loc) {
  pc_ = pc;
  decoded_ = decoded;
  live_ = live;
  live_meanwhile_ = live_meanwhile;
  loc_ = loc;
  state_ = Operand::undef();
}

Operand Emitter::read(uint32_t number) {
  Register& r = registers_[number];
  assert(r.block == stamp_ && "a register is read that was neither written nor live at the start of the block");
  if (!r.value.is_undef()) return r.value;
  const uint32_t words[] = {index(variable(number, r.type))};
  return registers_[number].value = emit(Op::get, registers_[number].type, words);
}

void Emitter::write(uint32_t number, Type type, Operand value) {
  Register& r = registers_[number];
  r.block = stamp_;
  r.type = type;
  r.value = value;
  if (r.is_dirty) return;
  r.is_dirty = true;
  dirty_.push_back(number);
}

bool Emitter::is_live_at_end(uint32_t number) const {
  return std::binary_search(live_out_.begin(), live_out_.end(), static_cast<flow::Variable>(number));
}

void Emitter::write_back() {
  for (uint32_t number : dirty_) {
    Register& r = registers_[number];
    if (!r.is_dirty) continue;
    r.is_dirty = false;
    const uint32_t words[] = {index(variable(number, r.type)), registers_[number].value.word()};
    emit(Op::set, void_type, words);
  }
  dirty_.clear();
}

void Emitter::write_back(std::span<const flow::Variable> live) {
  // Those that are not live at the end lose what they hold; the rest are written in the order of the numbers.
  for (flow::Variable v : live) {
    Register& r = registers_[index(v)];
    if (r.block != stamp_ || !r.is_dirty) continue;
    r.is_dirty = false;
    const uint32_t words[] = {index(variable(index(v), r.type)), registers_[index(v)].value.word()};
    emit(Op::set, void_type, words);
  }
  for (uint32_t number : dirty_) registers_[number].is_dirty = false;
  dirty_.clear();
}

// ---- statements ----

Operand Emitter::emit(Op op, Type type, std::initializer_list<Operand> operands) {
  return f_.append(block_, f_.make(op, type, operands, loc_));
}

Operand Emitter::emit(Op op, Type type, std::span<const uint32_t> words) {
  return f_.append(block_, f_.make(op, type, words, loc_));
}

Operand Emitter::state(ir::ResumeKind resume) {
  if (!state_.is_undef()) return state_;
  std::vector<uint32_t> words = {translator_.position(pc_), static_cast<uint32_t>(resume), Operand::undef().word()};
  words.reserve(3 + 2 * live_.size());
  for (uint32_t number : live_) {
    words.push_back(number);
    words.push_back(read(number).word());
  }
  return state_ = emit(Op::save_state, state_type, words);
}

Operand Emitter::caller_state(std::optional<Held> holds) {
  std::vector<uint32_t> words = {translator_.position(pc_), static_cast<uint32_t>(ir::ResumeKind::after_call),
                                 Operand::undef().word()};
  for (uint32_t number : live_meanwhile_) {
    if (holds && holds->number == number) continue;
    words.push_back(number);
    words.push_back(read(number).word());
  }
  if (holds) {
    words.push_back(holds->number);
    words.push_back(holds->value.word());
  }
  return emit(Op::save_state, state_type, words);
}

// ---- ends ----

void Emitter::end() { write_back(live_out_); }

void Emitter::jump() {
  if (decoded_->targets.empty() && !decoded_->falls_through) return f_.unreachable(block_, loc_);
  end();
  f_.jump(block_, ways_.target(decoded_->targets.empty() ? pc_ + 1 : decoded_->targets[0]), loc_);
}

void Emitter::branch(Operand condition) {
  end();
  const ir::BlockId yes = ways_.target(decoded_->targets[0]);
  f_.branch(block_, condition, yes, ways_.target(pc_ + 1), loc_);
}

void Emitter::switch_on(Operand value, Type type) {
  end();
  std::vector<ir::Function::Case> cases;
  for (size_t i = 0; i < decoded_->targets.size(); ++i)
    cases.push_back({constant(type, static_cast<int64_t>(i)), ways_.target(decoded_->targets[i])});
  f_.switch_on(block_, value, ways_.target(pc_ + 1), cases, loc_);
}

void Emitter::ret() {
  ways_.leave();
  f_.ret(block_, loc_);
}

void Emitter::ret(Operand value) {
  ways_.leave();
  f_.ret(block_, value, loc_);
}

void Emitter::throw_value(Operand exception) { f_.throw_value(block_, exception, loc_); }

}  // namespace braid::bytecode
