#include "front/pandasm/translate_function.h"

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

using bytecode::Emitter;
using bytecode::Pc;
using ir::Op;
using ir::Operand;

namespace {

/// The operation on a value kept like this, of five that stand in a row: i32, i64, f32, f64, ref.
Managed for_storage(Managed first, braid::Type type) {
  const uint32_t place = type == i32 ? 0 : type == i64 ? 1 : type == f32 ? 2 : type == f64 ? 3 : 4;
  return static_cast<Managed>(static_cast<uint32_t>(first) + place);
}

}  // namespace

FunctionTranslator::FunctionTranslator(Translation& translation, uint32_t function, const FunctionCode& code)
    : translation_(translation), program_(translation.program()), number_(function), function_(program_.functions[function]),
      types_(translation.function_types_[function]), callees_(translation.links().callees[function]), code_(code) {}

braid::Type FunctionTranslator::type_at(bytecode::BlockId block, uint32_t place, uint32_t) const {
  return storage_of(types_.types[types_.first_type[index(block)] + place].kind);
}

void FunctionTranslator::start(Emitter& emitter) {
  for (uint32_t i = 0; i < function_.parameters.size(); ++i)
    emitter.write(function_.local_count + i, storage_of(function_.parameters[i]), Operand::param(i));
}

Operand FunctionTranslator::takes(uint32_t range, Operand exception, Emitter& emitter) {
  emitter_ = &emitter;
  return managed(Managed::is_instance, {exception, number(translation_.number_of(code_.catch_of(range).exception))});
}

std::string FunctionTranslator::register_name(uint32_t number) const {
  if (number == acc()) return "acc";
  std::string name;
  append_register(name, function_, number);
  return name;
}

uint32_t FunctionTranslator::position(Pc pc) const { return translation_.position(number_, pc); }

ir::Loc FunctionTranslator::location(Pc pc) {
  if (!translation_.options_.locations) return {};
  const LineColumn at = translation_.source_.line_column(function_.code[pc].offset);
  return translation_.module().location(translation_.file_, at.line, at.column);
}

Operand FunctionTranslator::stays(Pc pc, Emitter& emitter) {
  if (!translation_.options_.may_leave) return Operand::undef();
  emitter_ = &emitter;
  return managed(Managed::stays, {number(position(pc))});
}

Operand FunctionTranslator::managed(Managed operation, std::initializer_list<Operand> operands) {
  uint32_t words[4] = {index(translation_.intrinsic(operation))};
  uint32_t count = 1;
  for (Operand operand : operands) words[count++] = operand.word();
  const braid::Type type = type_of_letter(info(operation).result);
  return emitter_->emit(Op::intrinsic, type, std::span<const uint32_t>(words, count));
}

void FunctionTranslator::move(uint32_t to, uint32_t from) {
  const Operand value = read(from);
  emitter_->write(to, emitter_->type(from), value);
}

void FunctionTranslator::jump_if(Op op, Operand a, Operand b) { emitter_->branch(emit(op, i1, {a, b})); }

void FunctionTranslator::translate(Pc pc, Emitter& emitter) {
  emitter_ = &emitter;
  const Instruction& instruction = function_.code[pc];
  const uint32_t* r = instruction.registers;
  if (arithmetic(instruction)) return;
  auto literal = [&](braid::Type type) { return emitter_->constant(type, static_cast<int64_t>(instruction.immediate)); };
  switch (instruction.opcode) {
    case Opcode::nop: return;
    case Opcode::mov: case Opcode::mov_64: case Opcode::mov_obj: return move(r[0], r[1]);
    case Opcode::lda: case Opcode::lda_64: case Opcode::lda_obj: return move(acc(), r[0]);
    case Opcode::sta: case Opcode::sta_64: case Opcode::sta_obj: return move(r[0], acc());
    case Opcode::movi: return emitter.write(r[0], i32, literal(i32));
    case Opcode::movi_64: return emitter.write(r[0], i64, literal(i64));
    case Opcode::fmovi: return emitter.write(r[0], f32, literal(f32));
    case Opcode::fmovi_64: return emitter.write(r[0], f64, literal(f64));
    case Opcode::mov_null: return emitter.write(r[0], ref, emitter.constant(ref, 0));
    case Opcode::ldai: return write_acc(i32, literal(i32));
    case Opcode::ldai_64: return write_acc(i64, literal(i64));
    case Opcode::fldai: return write_acc(f32, literal(f32));
    case Opcode::fldai_64: return write_acc(f64, literal(f64));
    case Opcode::lda_null: return write_acc(ref, emitter.constant(ref, 0));
    case Opcode::lda_str: return write_acc(ref, managed(Managed::text, {number(instruction.name)}));
    case Opcode::lda_type:
      return write_acc(ref, managed(Managed::type, {number(translation_.number_of(function_.types[instruction.name]))}));
    case Opcode::lda_const:
      return emitter.write(r[0], ref, managed(Managed::constants, {number(translation_.links().arrays[instruction.name])}));

    case Opcode::jmp: return emitter.jump();
#define CONDITION(name, op)                                                              \
  case Opcode::name##z: return jump_on_sign(op);                                         \
  case Opcode::name: return jump_if(op, read_acc(), read(r[0]));
    CONDITION(jeq, Op::eq)
    CONDITION(jne, Op::ne)
    CONDITION(jlt, Op::slt)
    CONDITION(jgt, Op::sgt)
    CONDITION(jle, Op::sle)
    CONDITION(jge, Op::sge)
#undef CONDITION
    case Opcode::jeqz_obj: return jump_if(Op::eq, read_acc(), emitter.constant(ref, 0));
    case Opcode::jnez_obj: return jump_if(Op::ne, read_acc(), emitter.constant(ref, 0));
    case Opcode::jeq_obj: return jump_if(Op::eq, read_acc(), read(r[0]));
    case Opcode::jne_obj: return jump_if(Op::ne, read_acc(), read(r[0]));

    case Opcode::newarr: {
      const Operand length = emit(Op::check_negative, i32, {read(r[1])});
      const uint32_t type = translation_.number_of(function_.types[instruction.name]);
      return emitter.write(r[0], ref, managed(Managed::new_array, {number(type), length}));
    }
    case Opcode::lenarr: return write_acc(i32, managed(Managed::length, {not_null(read(r[0]))}));
    case Opcode::ldarr: return array(instruction, Managed::load_i32, false);
    case Opcode::ldarr_8: return array(instruction, Managed::load_i8, false);
    case Opcode::ldarr_16: return array(instruction, Managed::load_i16, false);
    case Opcode::ldarr_64: return array(instruction, Managed::load_i64, false);
    case Opcode::ldarr_obj: return array(instruction, Managed::load_ref, false);
    case Opcode::ldarru_8: return array(instruction, Managed::load_u8, false);
    case Opcode::ldarru_16: return array(instruction, Managed::load_u16, false);
    case Opcode::fldarr_32: return array(instruction, Managed::load_f32, false);
    case Opcode::fldarr_64: return array(instruction, Managed::load_f64, false);
    case Opcode::starr: return array(instruction, Managed::store_i32, true);
    case Opcode::starr_8: return array(instruction, Managed::store_i8, true);
    case Opcode::starr_16: return array(instruction, Managed::store_i16, true);
    case Opcode::starr_64: return array(instruction, Managed::store_i64, true);
    case Opcode::starr_obj: return array(instruction, Managed::store_ref, true);
    case Opcode::fstarr_32: return array(instruction, Managed::store_f32, true);
    case Opcode::fstarr_64: return array(instruction, Managed::store_f64, true);

    case Opcode::newobj: {
      const uint32_t record = translation_.links().records[index(function_.types[instruction.name].record)];
      initialise(record);
      return emitter.write(r[0], ref, managed(Managed::new_object, {number(record)}));
    }
    case Opcode::initobj: case Opcode::initobj_short: case Opcode::initobj_range: return construct(instruction);
    case Opcode::ldobj: case Opcode::ldobj_64: case Opcode::ldobj_obj: case Opcode::stobj: case Opcode::stobj_64:
    case Opcode::stobj_obj: case Opcode::ldobj_v: case Opcode::ldobj_v_64: case Opcode::ldobj_v_obj: case Opcode::stobj_v:
    case Opcode::stobj_v_64: case Opcode::stobj_v_obj: return field(instruction);
    case Opcode::ldstatic: case Opcode::ldstatic_64: case Opcode::ldstatic_obj: case Opcode::ststatic: case Opcode::ststatic_64:
    case Opcode::ststatic_obj: return static_field(instruction);
    case Opcode::checkcast: case Opcode::checkcast_nonnull: case Opcode::isinstance: {
      const Operand type = number(translation_.number_of(function_.types[instruction.name]));
      Operand value = read_acc();
      if (instruction.opcode == Opcode::isinstance)
        return write_acc(i32, emit(Op::zext, i32, {managed(Managed::is_instance, {value, type})}));
      if (instruction.opcode == Opcode::checkcast_nonnull) value = not_null(value);
      return write_acc(ref, managed(Managed::check_cast, {value, type}));
    }

    case Opcode::return_: case Opcode::return_64: case Opcode::return_obj: return emitter.ret(read_acc());
    case Opcode::return_void: return emitter.ret();
    case Opcode::throw_: return emitter.throw_value(not_null(read(r[0])));
    default: return call(instruction);
  }
}

/// Null before bounds; a store takes the accumulator, a load gives it.
void FunctionTranslator::array(const Instruction& instruction, Managed operation, bool stores) {
  const Operand array = not_null(read(instruction.registers[0]));
  const Operand index = stores ? read(instruction.registers[1]) : read_acc();
  const Operand checked = emit(Op::check_bounds, i32, {index, managed(Managed::length, {array})});
  if (stores) {
    managed(operation, {array, checked, read_acc()});
    return;
  }
  const braid::Type type = type_of_letter(info(operation).result);
  write_acc(type, managed(operation, {array, checked}));
}

void FunctionTranslator::field(const Instruction& instruction) {
  const FieldLink link = translation_.links().fields[instruction.name];
  const braid::Type type = storage_of(program_.records[link.record].fields[link.field].type);
  const Operand which = number(translation_.first_field_[link.record] + link.field);
  const OpcodeInfo& about = info(instruction.opcode);
  const bool uses_register = instruction.register_count == 2;
  const Operand object = not_null(read(instruction.registers[instruction.register_count - 1]));
  const uint32_t other = uses_register ? instruction.registers[0] : acc();
  const bool loads = uses_register ? about.what(0) == 'D' : about.acc_out != '=';
  if (loads)
    emitter_->write(other, type, managed(for_storage(Managed::get_i32, type), {object, which}));
  else
    managed(for_storage(Managed::put_i32, type), {object, which, read(other)});
}

void FunctionTranslator::static_field(const Instruction& instruction) {
  const FieldLink link = translation_.links().fields[instruction.name];
  const braid::Type type = storage_of(program_.records[link.record].fields[link.field].type);
  const Operand which = number(translation_.first_field_[link.record] + link.field);
  initialise(link.record);
  if (info(instruction.opcode).acc_out != '=')
    write_acc(type, managed(for_storage(Managed::get_static_i32, type), {which}));
  else
    managed(for_storage(Managed::put_static_i32, type), {which, read_acc()});
}

void FunctionTranslator::initialise(uint32_t record) {
  if (record == unlinked || !translation_.hierarchy_.needs_initialising(record)) return;
  const uint32_t words[] = {index(translation_.initialise_function()), number(record).word()};
  emitter_->emit(Op::call, void_type, words);
}

/// The registers that hold the arguments.
std::vector<uint32_t> FunctionTranslator::arguments(const Instruction& instruction, size_t parameters) const {
  const OpcodeInfo& about = info(instruction.opcode);
  std::vector<uint32_t> found(instruction.registers, instruction.registers + instruction.register_count);
  if (about.what(1) == 'R') {
    found.clear();
    for (uint32_t i = 0; i < parameters; ++i) found.push_back(instruction.registers[0] + i);
  }
  if (about.acc_in == '?') found.insert(found.begin() + static_cast<ptrdiff_t>(instruction.immediate), acc());
  return found;
}

uint32_t FunctionTranslator::meant_by(uint32_t callee, Operand object) {
  const Hierarchy& hierarchy = translation_.hierarchy_;
  const TranslationOptions& options = translation_.options_;
  if (!hierarchy.is_overridden(callee)) return callee;
  const Receivers receivers = options.receivers ? options.receivers(number_, emitter_->pc()) : Receivers{};
  if (!options.guesses || !receivers.may_guess) return unlinked;
  const bool is_seen = receivers.record != unlinked && hierarchy.is_subrecord(receivers.record, hierarchy.owner(callee));
  const uint32_t target =
      is_seen ? hierarchy.find_virtual(receivers.record, callee) : hierarchy.only_implementation(callee);
  if (target == unlinked || !program_.functions[target].has_body) return unlinked;
  const Operand state = emitter_->state();
  const Operand holds = is_seen ? managed(Managed::has_class, {object, number(receivers.record)})
                                : managed(Managed::means, {object, number(callee), number(target)});
  emit(Op::guard, void_type, {holds, state});
  translation_.guesses_.insert(position(emitter_->pc()));
  return target;
}

void FunctionTranslator::call(const Instruction& instruction) {
  const uint32_t number_of_callee = callees_[instruction.name];
  const Function& callee = program_.functions[number_of_callee];
  bool is_virtual = false;
  switch (instruction.opcode) {
    case Opcode::call_virt: case Opcode::call_virt_short: case Opcode::call_virt_range: case Opcode::call_virt_acc:
    case Opcode::call_virt_acc_short: is_virtual = true; break;
    default: break;
  }
  std::vector<uint32_t> words;
  const std::vector<uint32_t> registers = arguments(instruction, callee.parameters.size());
  size_t first = 0;
  if (is_virtual) {
    const Operand object = not_null(read(registers[0]));
    const uint32_t meant = meant_by(number_of_callee, object);
    is_virtual = meant == unlinked;
    if (is_virtual) {
      words.push_back(index(emitter_->module().function(translation_.function(number_of_callee)).signature_id()));
      words.push_back(managed(Managed::method, {object, number(number_of_callee)}).word());
    } else {
      words.push_back(index(translation_.function(meant)));
    }
    words.push_back(object.word());
    first = 1;
  } else {
    const Hierarchy& hierarchy = translation_.hierarchy_;
    if (!hierarchy.is_instance(number_of_callee)) initialise(hierarchy.owner(number_of_callee));
    words.push_back(index(translation_.function(number_of_callee)));
  }
  for (size_t i = first; i < registers.size(); ++i) words.push_back(read(registers[i]).word());
  const braid::Type result = storage_of(callee.result);
  if (translation_.options_.build.call_states) emitter_->caller_state();
  const Operand value = emitter_->emit(is_virtual ? Op::call_indirect : Op::call, result, words);
  if (result != void_type) write_acc(result, value);
}

/// A new object, then its constructor; of an array type, an array of arrays.
void FunctionTranslator::construct(const Instruction& instruction) {
  const uint32_t constructor = callees_[instruction.name];
  const Type& type = program_.functions[constructor].parameters[0];
  const std::vector<uint32_t> registers = arguments(instruction, program_.functions[constructor].parameters.size() - 1);
  std::vector<uint32_t> words;
  if (type.dimensions != 0) {
    const uint32_t dimensions = static_cast<uint32_t>(registers.size());
    words = {index(translation_.array_maker(dimensions)), number(translation_.number_of(type)).word()};
    for (uint32_t length : registers) words.push_back(read(length).word());
    return write_acc(ref, emitter_->emit(Op::intrinsic, ref, words));
  }
  const uint32_t record = translation_.links().records[index(type.record)];
  initialise(record);
  const Operand object = managed(Managed::new_object, {number(record)});
  words = {index(translation_.function(constructor)), object.word()};
  for (uint32_t argument : registers) words.push_back(read(argument).word());
  if (translation_.options_.build.call_states) emitter_->caller_state(Emitter::Held{acc(), object});
  emitter_->emit(Op::call, storage_of(program_.functions[constructor].result), words);
  write_acc(ref, object);
}

}  // namespace braid::pandasm
