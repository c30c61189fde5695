// The text form of types. What is printed is read back as the same type, bit for bit.
//
//   type  = "none" | "any" | part { "|" part }                     each kind at most once; printed in the
//   order of kinds part  = kind | int "=" number | int "[" number ".." number "]" | float "=" number |
//   "string=" text in quotes | "string=#" number                  the text of a symbol, or its number where no table is given
//         | ("object" | "ref") ":" class ["!"]                     "!": exactly this class
//         | "(" [ type { "," type } [","] ] ")"                    "(i64,)" has one element, "()" none
//   class = letters, digits and "_", ".", "$", not starting with a digit; or any name in quotes
//
// Floats are printed as in base/number_text.h with every bit: `0x1.8p+1`, `-inf`, `nan:0x7ff8000000000000`.
// Space is allowed only inside of parentheses, so that `i64 [` and `i64 = 5` are not read as ranges and
// constants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/symbol_table.h"
#include "type/type_table.h"

namespace braid {

/// With `symbols`, known strings are shown as text; the number of a symbol means nothing outside of its module.
void append_type(std::string& out, const TypeTable& table, Type type, const SymbolTable* symbols = nullptr);
std::string to_string(const TypeTable& table, Type type);

/// Reads the longest type at `pos` and moves `pos` behind it; `bool` is read as i1. On a fault `pos` is where
/// it is and `error` says what it is.
std::optional<Type> parse_type(TypeTable& table, std::string_view text, size_t& pos, std::string& error,
                               SymbolTable* symbols = nullptr);

}  // namespace braid
