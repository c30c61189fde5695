// The public lattice: the type table of a module, and the types of a function's statements.
#include <braid/lattice.h>

#include <string>
#include <vector>

#include "ir/function.h"
#include "ir/transfer.h"
#include "type/type_text.h"

namespace braid {
namespace {

/// A type of another module has no values here.
Type known(const TypeTable& types, Type type) { return types.has(type) ? type : none; }

}  // namespace

std::string to_text(const Module& m, Type type) {
  if (!m.ir().types.has(type)) return "a type that does not exist";
  std::string text;
  append_type(text, m.ir().types, type, &m.ir().symbols);
  return text;
}

Expected<Type> parse_type(Module& m, std::string_view text) {
  size_t end = 0;
  std::string message;
  std::optional<Type> type = parse_type(m.ir().types, text, end, message, &m.ir().symbols);
  if (type && end == text.size()) return *type;
  Diagnostic diagnostic;
  diagnostic.message = type ? "expected the end of the type" : message;
  diagnostic.line = 1;
  diagnostic.column = static_cast<uint32_t>(end + 1);
  diagnostic.source_line = std::string(text);
  return diagnostic;
}

KindSet kinds(const TypeTable& types, Type type) { return types.kinds(known(types, type)); }
Type join(TypeTable& types, Type a, Type b) { return types.join(known(types, a), known(types, b)); }
Type meet(TypeTable& types, Type a, Type b) { return types.meet(known(types, a), known(types, b)); }
bool is_within(const TypeTable& types, Type a, Type b) { return types.has(a) && types.has(b) && types.leq(a, b); }
Type int_range(TypeTable& types, Kind kind, int64_t low, int64_t high) {
  return is_integer(kind) && low <= high ? types.int_range(kind, low, high) : none;
}
Type tuple_of(TypeTable& types, std::span<const Type> elements) {
  std::vector<Type> all(elements.begin(), elements.end());
  for (Type& element : all) element = known(types, element);
  return types.tuple(all);
}

std::optional<std::pair<int64_t, int64_t>> range_of(const TypeTable& types, Type type, Kind kind) {
  if (!is_integer(kind) || (kinds(types, type) & kind_bit(kind)) == 0) return std::nullopt;
  return types.range(type, kind);
}

KindSet kinds(const Module& m, Type type) { return kinds(m.ir().types, type); }
Type join(Module& m, Type a, Type b) { return join(m.ir().types, a, b); }
Type meet(Module& m, Type a, Type b) { return meet(m.ir().types, a, b); }
bool is_within(const Module& m, Type a, Type b) { return is_within(m.ir().types, a, b); }
Type int_range(Module& m, Kind kind, int64_t low, int64_t high) { return int_range(m.ir().types, kind, low, high); }
Type tuple_of(Module& m, std::span<const Type> elements) { return tuple_of(m.ir().types, elements); }
std::optional<std::pair<int64_t, int64_t>> range_of(const Module& m, Type type, Kind kind) {
  return range_of(m.ir().types, type, kind);
}

Type type_of(const Func& f, uint32_t statement) {
  return statement < f.size() ? f.columns().type(statement) : none;
}

Type narrow_type_of(const Func& f, uint32_t statement) {
  if (statement >= f.size()) return none;
  const ir::Stmt& stmt = f.columns().stmt(statement);
  std::span<const uint32_t> words = f.args(stmt);
  std::vector<Type> operands(words.size(), none);
  for (uint32_t i = 0; i < words.size(); ++i)
    if (ir::info(stmt.op).is_value(i)) operands[i] = ir::value_type(f, ir::Operand::from_word(words[i]));
  return ir::transfer(f, stmt, f.columns().type(statement), operands);
}

Type result_type(const Func& f) { return f.result_type(); }

}  // namespace braid
