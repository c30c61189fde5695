#include "bytecode/emitter.h"

#include <algorithm>
#include <iterator>

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
  forget_dirty();
  state_ = Operand::undef();
  live_ = std::nullopt;
  decoded_ = nullptr;
}

void Emitter::declare(uint32_t number, Type type) {
  Register& r = registers_[number];
  r.block = stamp_;
  r.is_dirty = false;
  r.type = type;
  r.value = Operand::undef();
}

void Emitter::start_instruction(Pc pc, const Decoded* decoded, ir::Loc loc) {
  pc_ = pc;
  decoded_ = decoded;
  live_ = std::nullopt;
  loc_ = loc;
  state_ = Operand::undef();
}

void Emitter::start_state(Pc pc, std::span<const uint32_t> live, ir::Loc loc) {
  start_instruction(pc, nullptr, loc);
  live_ = live;
}

void Emitter::set_handled(std::span<const flow::Variable> registers) {
  for (flow::Variable v : registers) registers_[index(v)].handled = stamp_;
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

void Emitter::put_back(uint32_t number) {
  Register& r = registers_[number];
  r.is_dirty = false;
  const uint32_t words[] = {index(variable(number, r.type)), r.value.word()};
  emit(Op::set, void_type, words);
}

void Emitter::write_back() {
  for (uint32_t number : dirty_) put_back(number);
  dirty_.clear();
}

void Emitter::write_back_handled() {
  for (uint32_t number : dirty_) {
    if (registers_[number].handled == stamp_)
      put_back(number);
    else
      quiet_.push_back(number);
  }
  dirty_.clear();
}

void Emitter::write_back(std::span<const flow::Variable> live) {
  // Those that are not live at the end lose what they hold; the rest are written in the order of the numbers.
  for (flow::Variable v : live)
    if (const Register& r = registers_[index(v)]; r.block == stamp_ && r.is_dirty) put_back(index(v));
  forget_dirty();
}

void Emitter::forget_dirty() {
  for (uint32_t number : dirty_) registers_[number].is_dirty = false;
  for (uint32_t number : quiet_) registers_[number].is_dirty = false;
  dirty_.clear();
  quiet_.clear();
}

// ---- statements ----

Operand Emitter::emit(Op op, Type type, std::initializer_list<Operand> operands) {
  static_assert(sizeof(Operand) == sizeof(uint32_t));
  return emit(op, type, std::span(reinterpret_cast<const uint32_t*>(operands.begin()), operands.size()));
}

Operand Emitter::emit(Op op, Type type, std::span<const uint32_t> words) {
  ir::Inst inst{{op, static_cast<uint8_t>(words.size()), 0, {0, 0, 0}}, type, loc_};
  if (words.size() > std::size(inst.stmt.arg)) return f_.append(block_, f_.make(op, type, words, loc_));
  for (size_t i = 0; i < words.size(); ++i) inst.stmt.arg[i] = words[i];
  return f_.append(block_, inst);
}

Operand Emitter::state(ir::ResumeKind resume) {
  if (!state_.is_undef()) return state_;
  std::vector<uint32_t> words = {translator_.position(pc_), static_cast<uint32_t>(resume), Operand::undef().word()};
  const std::span<const uint32_t> live = live_ ? *live_ : ways_.live_before();
  words.reserve(3 + 2 * live.size());
  for (uint32_t number : live) {
    words.push_back(number);
    words.push_back(read(number).word());
  }
  return state_ = emit(Op::save_state, state_type, words);
}

Operand Emitter::caller_state(std::optional<Held> holds) {
  std::vector<uint32_t> words = {translator_.position(pc_), static_cast<uint32_t>(ir::ResumeKind::after_call),
                                 Operand::undef().word()};
  for (uint32_t number : ways_.live_meanwhile()) {
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
  // A region is left before registers are written back: nothing throws from here on, so no handler need know of it.
  const ir::BlockId to = ways_.only_target(decoded_->targets.empty() ? pc_ + 1 : decoded_->targets[0]);
  end();
  f_.jump(block_, to, loc_);
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
