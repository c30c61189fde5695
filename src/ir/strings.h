// Strings as managed references: the strings of a module's table by themselves, others by the runtime that made them.
//
// A reference whose top bit is set names a symbol of the module, so that a string literal is the same 64 bits in every
// engine and no engine has to make it; symbol 0 is the empty string in every module. All other references belong to the runtime.
// Two equal strings may be different references: only dynamic operations compare text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "ir/runtime.h"

namespace braid::ir {

inline constexpr uint64_t string_literal_bit = uint64_t{1} << 63;
/// The zero of the type `string`.
inline constexpr uint64_t empty_string = string_literal_bit;

constexpr uint64_t string_literal(Symbol symbol) { return string_literal_bit | index(symbol); }

/// The symbol of a reference to a string of the module; none_id for any other.
inline Symbol literal_symbol(const Module& module, uint64_t reference) {
  Symbol symbol = static_cast<Symbol>(reference & 0xffffffffu);
  bool is_literal = (reference & ~uint64_t{0xffffffffu}) == string_literal_bit && module.symbols.contains(symbol);
  return is_literal ? symbol : none_id<Symbol>;
}

/// The operand for a string.
inline Operand string_constant(Module& module, std::string_view text) {
  return module.constants.get(string_type, string_literal(module.symbol(text)));
}

/// The text of a reference; nothing if it is no string.
inline std::optional<std::string_view> string_of(const Module& module, const Runtime& runtime, uint64_t reference) {
  if (Symbol symbol = literal_symbol(module, reference); !is_none(symbol)) return module.name(symbol);
  return runtime.string(reference);
}

/// A reference in a few words: `null`, `"text"`, or what the runtime says.
std::string describe(const Module& module, const Runtime& runtime, uint64_t reference);

}  // namespace braid::ir
