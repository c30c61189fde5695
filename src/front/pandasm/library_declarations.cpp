// What the functions of the library are called and what they take.
#include <string>
#include <vector>

#include "front/pandasm/class_table.h"
#include "front/pandasm/library.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/runtime_records.h"
#include "front/pandasm/value_type.h"

namespace braid::pandasm {

namespace {

struct LibraryFunction {
  std::string_view name, result, parameters;
};
constexpr LibraryFunction functions[] = {
#define FUNCTION(id, name, result, parameters) {name, result, parameters},
#include "front/pandasm/library.def"
#undef FUNCTION
};

using Kind = ValueType::Kind;

/// Of what a register holds that has a value of the type; all references are one.
Kind kind_of(std::string_view type) {
  if (type == "void") return Kind::undefined;
  if (type == "i64" || type == "u64") return Kind::i64;
  if (type == "f32") return Kind::f32;
  if (type == "f64") return Kind::f64;
  return type.find('.') == std::string_view::npos ? Kind::i32 : Kind::reference;
}

template <typename Visit>
void for_each_parameter(std::string_view parameters, Visit&& visit) {
  while (!parameters.empty()) {
    const size_t comma = parameters.find(',');
    visit(parameters.substr(0, comma));
    parameters = comma == std::string_view::npos ? std::string_view{} : parameters.substr(comma + 1);
  }
}

/// Primitive types by their names, records by theirs, with `[]` behind.
Type type_named(Program& program, std::string_view text) {
  Type type;
  while (text.ends_with("[]")) {
    ++type.dimensions;
    text.remove_suffix(2);
  }
  for (int i = 0; i < static_cast<int>(Primitive::record); ++i) {
    type.primitive = static_cast<Primitive>(i);
    if (name(type.primitive) == text) return type;
  }
  type.primitive = Primitive::record;
  type.record = program.symbols.intern(text);
  return type;
}

Function declaration(Program& program, std::string_view name, const Type& result, std::vector<Type> parameters) {
  Function function{};
  function.name = program.symbols.intern(name);
  function.result = result;
  function.parameters = std::move(parameters);
  function.attributes.push_back({program.symbols.intern("external"), none_id<Symbol>, 0});
  if (name.ends_with(".ctor")) function.attributes.push_back({program.symbols.intern("ctor"), none_id<Symbol>, 0});
  return function;
}

}  // namespace

std::optional<Function> declare_library(Program& program, std::string_view name, size_t argument_count) {
  for (const LibraryFunction& known : functions) {
    if (known.name != name) continue;
    std::vector<Type> parameters;
    for_each_parameter(known.parameters, [&](std::string_view type) { parameters.push_back(type_named(program, type)); });
    return declaration(program, name, type_named(program, known.result), std::move(parameters));
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view owner = name.substr(0, dot), method = name.substr(dot + 1);
  const Type text{Primitive::record, 0, program.symbols.intern("panda.String")};
  const Type nothing;
  std::vector<Type> parameters = {type_named(program, owner)};
  if (method == "ctor" && owner.ends_with("[]")) {
    if (argument_count == 0 || argument_count > parameters[0].dimensions) return std::nullopt;
    parameters.insert(parameters.end(), argument_count, Type{Primitive::i32, 0, none_id<Symbol>});
    return declaration(program, name, nothing, std::move(parameters));
  }
  const bool is_throwable = is_runtime_throwable(owner);
  if (method == "getMessage" && is_throwable) return declaration(program, name, text, std::move(parameters));
  if (method != "ctor" || (!is_throwable && owner != "panda.Object")) return std::nullopt;
  if (is_throwable && argument_count == 1) parameters.push_back(text);
  return declaration(program, name, nothing, std::move(parameters));
}

std::optional<LibraryId> find_library(const Program& program, const ClassTable& classes, uint32_t function) {
  const Function& declared = program.functions[function];
  const std::string_view name = program.symbols.view(declared.name);
  for (uint32_t i = 0; i < std::size(functions); ++i) {
    if (functions[i].name != name) continue;
    size_t next = 0;
    bool fits = ValueTypes::holding(declared.result).kind == kind_of(functions[i].result);
    for_each_parameter(functions[i].parameters, [&](std::string_view type) {
      fits = fits && next < declared.parameters.size() &&
             ValueTypes::holding(declared.parameters[next]).kind == kind_of(type);
      ++next;
    });
    return fits && next == declared.parameters.size() ? std::optional(static_cast<LibraryId>(i)) : std::nullopt;
  }
  const size_t dot = name.rfind('.');
  const std::string_view method = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
  const std::vector<Type>& parameters = declared.parameters;
  if (dot == std::string_view::npos || parameters.empty()) return std::nullopt;
  if (method == "ctor" && parameters[0].dimensions != 0) return LibraryId::array_ctor;
  const uint32_t owner = classes.hierarchy().owner(function);
  if (owner == unlinked) return std::nullopt;
  auto is_text = [&](const Type& type) {
    return type.dimensions == 0 && type.primitive == Primitive::record && program.symbols.view(type.record) == "panda.String";
  };
  const bool is_throwable = classes.is_throwable(owner), is_ctor = method == "ctor" && declared.result.is_void();
  if (is_throwable && method == "getMessage" && parameters.size() == 1 && is_text(declared.result))
    return LibraryId::exception_message;
  if (is_throwable && is_ctor && parameters.size() == 2 && is_text(parameters[1])) return LibraryId::exception_ctor_message;
  if (is_throwable && is_ctor && parameters.size() == 1) return LibraryId::exception_ctor;
  if (owner == classes.object_record() && is_ctor && parameters.size() == 1) return LibraryId::object_ctor;
  return std::nullopt;
}

}  // namespace braid::pandasm
