// A pandasm program as it was written: records, functions with their instructions, arrays of constants. Names are
// not looked up
// yet, except labels and registers, which belong to one function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/symbol_table.h"
#include "front/pandasm/opcode.h"

namespace braid::pandasm {

enum class Primitive : uint8_t { void_, u1, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, any, record };
/// `record` has no name of its own.
std::string_view name(Primitive primitive);

/// How wide an integer is where it is stored; a u1 is a byte.
constexpr unsigned integer_bits(Primitive primitive) {
  switch (primitive) {
    case Primitive::u1: case Primitive::i8: case Primitive::u8: return 8;
    case Primitive::i16: case Primitive::u16: return 16;
    case Primitive::i32: case Primitive::u32: return 32;
    default: return 64;
  }
}

/// A primitive or a record, or an array of arrays of it.
struct Type {
  Primitive primitive = Primitive::void_;
  uint8_t dimensions = 0;
  Symbol record = none_id<Symbol>;

  bool is_void() const { return primitive == Primitive::void_ && dimensions == 0; }
  bool operator==(const Type&) const = default;
};

/// `<static, extends=R>`.
struct Attribute {
  Symbol key;
  Symbol value = none_id<Symbol>;
  uint32_t offset;  ///< in the source, as in all that follows
};

struct Field {
  Type type;
  Symbol name;
  std::vector<Attribute> attributes;
  uint32_t offset;
};

struct Record {
  Symbol name;  ///< with its dots
  std::vector<Attribute> attributes;
  std::vector<Field> fields;
  bool has_body = false;
  uint32_t offset;
};

/// `name` or `name:(types)`.
struct FunctionName {
  Symbol name;
  bool has_signature = false;
  std::vector<Type> parameters;
};

/// Registers are numbers in the frame: first those called v, then the parameters. A row of arguments that is known
/// by its first
/// register is that one register.
struct Instruction {
  static constexpr uint32_t most_registers = 4;

  Opcode opcode;
  uint8_t register_count = 0;
  uint32_t registers[most_registers] = {};
  uint32_t name = 0;       ///< pc of a label, else an entry of the function's `types`, `callees`, or a symbol
  uint32_t offset = 0;
  uint64_t immediate = 0;  ///< an integer, extended by its sign; the bits of a float; the place of the accumulator
};
static_assert(sizeof(Instruction) == 40);

struct Label {
  Symbol name;
  uint32_t pc;
};

struct Catch {
  static constexpr uint32_t no_pc = 0xffffffffu;

  bool is_all = false;
  Type exception;           ///< if not
  uint32_t begin, end;      ///< what it protects
  uint32_t handler, handler_end = no_pc;
  uint32_t offset;
};

struct Function {
  Symbol name;
  Type result;
  std::vector<Type> parameters;
  std::vector<Attribute> attributes;
  bool has_body = false;
  uint32_t local_count = 0;            ///< registers called v; parameters follow
  std::vector<uint32_t> local_names;   ///< their numbers in the text; empty if those are 0, 1, …
  std::vector<Instruction> code;
  std::vector<Label> labels;           ///< in the order of their places
  std::vector<Catch> catches;          ///< in the order of the text
  std::vector<Type> types;             ///< that instructions name
  std::vector<FunctionName> callees;   ///< that instructions name
  uint32_t offset;
};

/// What a call of a function counts towards the limit of depth, which also limits the registers of all frames: one,
/// and more if it has
/// thousands of them. The same in all engines.
inline uint32_t frames_of(const Function& function) {
  constexpr uint32_t registers_per_frame = 1024;
  return 1 + (function.local_count + static_cast<uint32_t>(function.parameters.size())) / registers_per_frame;
}

struct Literal {
  enum class Form : uint8_t { integer, real, text } form = Form::integer;
  Type type;
  uint64_t bits = 0;  ///< of a real: of its f64, or f32 if that is its type; of a text: its symbol
};

struct ConstantArray {
  Symbol name;
  bool has_element_type = false;  ///< one type for all, not one for each
  Type element;
  std::vector<Literal> literals;
  uint32_t offset;
};

struct Program {
  SymbolTable symbols;
  Symbol language = none_id<Symbol>;
  std::vector<Record> records;
  std::vector<Function> functions;
  std::vector<ConstantArray> arrays;
};

}  // namespace braid::pandasm
