#include "front/pandasm/instruction_types.h"

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

using Kind = ValueType::Kind;

namespace {

/// The kind that a letter of the table stands for alone.
Kind kind_of(char letter) {
  switch (letter) {
    case 'i': return Kind::i32;
    case 'l': return Kind::i64;
    case 'f': return Kind::f32;
    case 'd': return Kind::f64;
    case 'r': return Kind::reference;
    default: return Kind::undefined;
  }
}

bool may_hold(char letter, const ValueType& value) {
  switch (letter) {
    case 'w': return value.kind == Kind::i32 || value.kind == Kind::f32;
    case 'q': return value.kind == Kind::i64 || value.kind == Kind::f64;
    case 'r': return value.is_reference();
    default: return value.kind == kind_of(letter);
  }
}

std::string_view wanted_by(char letter) {
  switch (letter) {
    case 'w': return "i32 or f32";
    case 'q': return "i64 or f64";
    case 'i': return "i32";
    case 'l': return "i64";
    case 'f': return "f32";
    case 'd': return "f64";
    default: return "a reference";
  }
}

/// Bits of an element, and whether it is a float; 0 for references.
struct Layout {
  unsigned bits;
  bool is_float;
};
Layout layout_of(const Type& type) {
  if (type.dimensions != 0) return {0, false};
  switch (type.primitive) {
    case Primitive::u1: case Primitive::i8: case Primitive::u8: return {8, false};
    case Primitive::i16: case Primitive::u16: return {16, false};
    case Primitive::i32: case Primitive::u32: return {32, false};
    case Primitive::i64: case Primitive::u64: return {64, false};
    case Primitive::f32: return {32, true};
    case Primitive::f64: return {64, true};
    default: return {0, false};
  }
}

Layout layout_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::ldarr_8: case Opcode::ldarru_8: case Opcode::starr_8: return {8, false};
    case Opcode::ldarr_16: case Opcode::ldarru_16: case Opcode::starr_16: return {16, false};
    case Opcode::ldarr: case Opcode::starr: return {32, false};
    case Opcode::ldarr_64: case Opcode::starr_64: return {64, false};
    case Opcode::fldarr_32: case Opcode::fstarr_32: return {32, true};
    case Opcode::fldarr_64: case Opcode::fstarr_64: return {64, true};
    default: return {0, false};
  }
}

}  // namespace

InstructionTypes::InstructionTypes(const Program& program, const Links& links, uint32_t function, const FunctionCode& code)
    : program_(program), links_(links), function_(program.functions[function]), callees_(links.callees[function]),
      code_(code), types_(program, links) {}

std::string InstructionTypes::name_of(uint32_t number) const {
  if (number == code_.accumulator()) return "the accumulator";
  std::string name;
  append_register(name, function_, number);
  return name;
}

std::string InstructionTypes::fault_of(char holds, uint32_t number) {
  const ValueType& value = at(number);
  if (value.kind == Kind::undefined) return name_of(number) + " is not assigned on all paths to here";
  return name_of(number) + " holds " + types_.text(value) + ", and " + std::string(wanted_by(holds)) + " is needed";
}

/// Reads are checked by the table, what is special about an instruction by its opcode; then the table says what is written.
std::string InstructionTypes::apply(bytecode::Pc pc, std::vector<ValueType>& registers) {
  registers_ = &registers;
  const Instruction& instruction = function_.code[pc];
  const OpcodeInfo& about = info(instruction.opcode);
  uint32_t next = 0;
  for (uint32_t i = 0; i < about.operand_count(); ++i) {
    const char what = about.what(i);
    if ((what == 'S' || what == 'X') && !may_hold(about.holds(i), at(instruction.registers[next])))
      return fault_of(about.holds(i), instruction.registers[next]);
    if (what == 'S' || what == 'X' || what == 'D') ++next;
  }
  if (about.acc_in != '-' && about.acc_in != '?' && !may_hold(about.acc_in, accumulator()))
    return fault_of(about.acc_in, code_.accumulator());
  if (has(instruction.opcode, calls)) return call(instruction);

  // What a copy gives is what it takes.
  ValueType copied = accumulator();
  if (about.acc_in == '-' && instruction.register_count != 0) copied = at(instruction.registers[instruction.register_count - 1]);
  next = 0;
  for (uint32_t i = 0; i < about.operand_count(); ++i) {
    const char what = about.what(i);
    if (what == 'D' || what == 'X') {
      const Kind kind = kind_of(about.holds(i));
      const bool is_copy = kind == Kind::undefined || kind == Kind::reference;
      at(instruction.registers[next]) = is_copy ? copied : ValueTypes::of(kind);
    }
    if (what == 'S' || what == 'X' || what == 'D') ++next;
  }
  if (std::string fault = special(instruction); !fault.empty()) return fault;
  switch (about.acc_out) {
    case '=': break;
    case 'w': case 'q': case 'r': break;  // lda takes it from the register, the others are special
    default: accumulator() = ValueTypes::of(kind_of(about.acc_out));
  }
  return {};
}

/// Instructions whose types the table does not tell.
std::string InstructionTypes::special(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::lda: case Opcode::lda_64: case Opcode::lda_obj: accumulator() = at(instruction.registers[0]); return {};
    case Opcode::lda_null: accumulator() = ValueTypes::of(Kind::null); return {};
    case Opcode::mov_null: at(instruction.registers[0]) = ValueTypes::of(Kind::null); return {};
    case Opcode::lda_str: accumulator() = types_.known("panda.String"); return {};
    case Opcode::lda_type: accumulator() = types_.known("panda.Class"); return {};
    case Opcode::lda_const: {
      const ConstantArray& array = program_.arrays[links_.arrays[instruction.name]];
      if (!array.has_element_type) return "the array has elements of several types";
      const bool is_text = array.element == types_.known("panda.String").type;
      if (!is_text && ValueTypes::holding(array.element).is_reference()) return "an array of constants holds numbers or texts";
      for (const Literal& literal : array.literals)
        if ((literal.form == Literal::Form::text) != is_text) return "a literal of the array does not fit its type";
      Type type = array.element;
      ++type.dimensions;
      at(instruction.registers[0]) = ValueTypes::reference(type);
      return {};
    }
    case Opcode::newarr: {
      const Type& type = function_.types[instruction.name];
      if (type.dimensions == 0) return "newarr makes an array, and this type is none";
      at(instruction.registers[0]) = ValueTypes::reference(type);
      return {};
    }
    case Opcode::newobj: {
      const Type& type = function_.types[instruction.name];
      if (type.dimensions != 0 || type.primitive != Primitive::record)
        return "newobj makes an object, and this type is not that of a record";
      at(instruction.registers[0]) = ValueTypes::reference(type);
      return {};
    }
    case Opcode::lenarr:
      if (const ValueType& value = at(instruction.registers[0]); value.kind == Kind::reference && value.type.dimensions == 0)
        return name_of(instruction.registers[0]) + " holds " + types_.text(value) + ", and an array is needed";
      return {};
    case Opcode::checkcast: case Opcode::checkcast_nonnull: case Opcode::isinstance: {
      const Type& type = function_.types[instruction.name];
      if (!ValueTypes::holding(type).is_reference()) return "this is not the type of a reference";
      if (instruction.opcode != Opcode::isinstance) accumulator() = ValueTypes::reference(type);
      return {};
    }
    case Opcode::ldarr: case Opcode::ldarr_8: case Opcode::ldarr_16: case Opcode::ldarr_64: case Opcode::ldarr_obj:
    case Opcode::ldarru_8: case Opcode::ldarru_16: case Opcode::fldarr_32: case Opcode::fldarr_64: case Opcode::starr:
    case Opcode::starr_8: case Opcode::starr_16: case Opcode::starr_64: case Opcode::starr_obj: case Opcode::fstarr_32:
    case Opcode::fstarr_64: return element(instruction);
    case Opcode::ldobj: case Opcode::stobj: case Opcode::ldobj_v: case Opcode::stobj_v: case Opcode::ldstatic:
    case Opcode::ststatic: return field(instruction, 'w');
    case Opcode::ldobj_64: case Opcode::stobj_64: case Opcode::ldobj_v_64: case Opcode::stobj_v_64: case Opcode::ldstatic_64:
    case Opcode::ststatic_64: return field(instruction, 'q');
    case Opcode::ldobj_obj: case Opcode::stobj_obj: case Opcode::ldobj_v_obj: case Opcode::stobj_v_obj:
    case Opcode::ldstatic_obj: case Opcode::ststatic_obj: return field(instruction, 'r');
    case Opcode::return_: case Opcode::return_64: case Opcode::return_obj: case Opcode::return_void: return leave(instruction);
    default: return {};
  }
}

std::string InstructionTypes::element(const Instruction& instruction) {
  const uint32_t array = instruction.registers[0];
  const ValueType value = at(array);
  const bool loads_reference = instruction.opcode == Opcode::ldarr_obj;
  if (value.kind == Kind::null) {  // it throws
    if (loads_reference) accumulator() = ValueTypes::of(Kind::null);
    return {};
  }
  if (value.type.dimensions == 0) return name_of(array) + " holds " + types_.text(value) + ", and an array is needed";
  Type type = value.type;
  --type.dimensions;
  const Layout has = layout_of(type), wanted = layout_of(instruction.opcode);
  if (has.bits != wanted.bits || has.is_float != wanted.is_float)
    return "the elements of " + name_of(array) + " are " + types_.text(ValueTypes::holding(type)) + " in " +
           std::to_string(has.bits) + " bits, which this instruction is not for";
  if (loads_reference) accumulator() = ValueTypes::reference(type);
  return {};
}

std::string InstructionTypes::field(const Instruction& instruction, char width) {
  const FieldLink link = links_.fields[instruction.name];
  const Record& record = program_.records[link.record];
  const Field& field = record.fields[link.field];
  const std::string name(program_.symbols.view(static_cast<Symbol>(instruction.name)));
  const ValueType holds = ValueTypes::holding(field.type);
  if (!may_hold(width, holds)) return "the field '" + name + "' is " + types_.text(holds) + ", which this instruction is not for";
  const bool is_static = find_attribute(program_, field.attributes, "static") != nullptr;
  const OpcodeInfo& about = info(instruction.opcode);
  const bool wants_static = about.operand_count() == 1;
  if (is_static != wants_static) return "the field '" + name + (is_static ? "' is static" : "' is not static");
  if (!is_static) {
    const uint32_t object = instruction.registers[instruction.register_count - 1];
    const ValueType& value = at(object);
    const Type owner{Primitive::record, 0, record.name};
    if (value.kind == Kind::reference && !types_.is_subtype(value.type, owner))
      return name_of(object) + " holds " + types_.text(value) + ", which has no field '" + name + "'";
  }
  const bool into_register = about.what(0) == 'D', from_register = instruction.register_count == 2 && !into_register;
  if (into_register) {
    at(instruction.registers[0]) = holds;
  } else if (about.acc_out != '=') {
    accumulator() = holds;
  } else {
    const uint32_t from = from_register ? instruction.registers[0] : code_.accumulator();
    if (!types_.fits(at(from), field.type))
      return name_of(from) + " holds " + types_.text(at(from)) + ", and the field '" + name + "' is " + types_.text(holds);
  }
  return {};
}

std::string InstructionTypes::check_argument(uint32_t number, const Type& wanted, size_t place) {
  const ValueType& value = at(number);
  if (value.kind == Kind::undefined) return name_of(number) + " is not assigned on all paths to here";
  if (types_.fits(value, wanted)) return {};
  return name_of(number) + " holds " + types_.text(value) + ", and argument " + std::to_string(place) + " is " +
         types_.text(ValueTypes::holding(wanted));
}

std::string InstructionTypes::call(const Instruction& instruction) {
  const Function& callee = program_.functions[callees_[instruction.name]];
  std::span<const Type> parameters = callee.parameters;
  const bool makes = makes_object(instruction.opcode);
  if (makes) {
    if (parameters.empty() || !ValueTypes::holding(parameters[0]).is_reference()) return "this function is no constructor";
    parameters = parameters.subspan(1);
  }
  const OpcodeInfo& about = info(instruction.opcode);
  if (about.text.starts_with("call.virt") && (parameters.empty() || !ValueTypes::holding(parameters[0]).is_reference()))
    return "a virtual call needs an object, and this function takes none";
  const char how = about.what(1);
  std::vector<uint32_t> arguments(instruction.registers, instruction.registers + instruction.register_count);
  if (how == 'R') {
    arguments.clear();
    for (size_t i = 0; i < parameters.size(); ++i) {
      const uint32_t number = instruction.registers[0] + static_cast<uint32_t>(i);
      if (number >= code_.accumulator()) return "the row of arguments runs out of the frame";
      arguments.push_back(number);
    }
  }
  if (about.acc_in == '?')
    arguments.insert(arguments.begin() + static_cast<ptrdiff_t>(instruction.immediate), code_.accumulator());
  if (arguments.size() != parameters.size())
    return "the function takes " + std::to_string(parameters.size()) + " arguments, and gets " + std::to_string(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (std::string fault = check_argument(arguments[i], parameters[i], i); !fault.empty()) return fault;
  accumulator() = makes ? ValueTypes::holding(callee.parameters[0]) : ValueTypes::holding(callee.result);
  return {};
}

std::string InstructionTypes::leave(const Instruction& instruction) {
  const Type& result = function_.result;
  const std::string wanted = "the function returns " + types_.text(ValueTypes::holding(result));
  if (instruction.opcode == Opcode::return_void) return result.is_void() ? "" : wanted;
  if (result.is_void()) return "the function returns nothing";
  if (types_.fits(accumulator(), result)) return {};
  return "the accumulator holds " + types_.text(accumulator()) + ", and " + wanted;
}

}  // namespace braid::pandasm
