// What the readers of a module share: the cursor, types, and names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/symbol_table.h"
#include "ir/function.h"
#include "text/cursor.h"
#include "text/parse.h"

namespace braid::text {

/// What a name inside a function stands for. An entry counts only if its stamp is that of the current function, so that
/// nothing has to be cleared between functions.
struct LocalName {
  uint32_t value_stamp = 0, value = 0;        ///< of `%name`: an operand word
  uint32_t variable_stamp = 0, variable = 0;  ///< of a variable
};

/// The same for labels, which the module keeps.
struct BlockName {
  uint32_t stamp = 0, block = 0;
};

struct Reader {
  Reader(ir::Module& m, std::string_view text, const ParseOptions& o)
      : module(m), options(o), problems(o.max_errors), cursor(text, problems) {}

  ir::Module& module;
  const ParseOptions& options;
  Problems problems;
  Cursor cursor;
  std::string scratch;
  std::vector<bool> is_open;      ///< by function: a block without a terminator ends in `unreachable`

  SymbolTable local_symbols;      ///< names inside of functions, which the module does not keep
  std::vector<LocalName> locals;  ///< by symbol
  std::vector<BlockName> blocks;  ///< by symbol of the module

  /// The place of a name in `locals`.
  uint32_t local_index(std::string_view name) {
    uint32_t symbol = index(local_symbols.intern(name));
    if (symbol >= locals.size()) locals.resize(symbol + symbol / 2 + 16);
    return symbol;
  }
  LocalName& local(std::string_view name) { return locals[local_index(name)]; }

  /// The types that stand in nearly every statement are known by their letters; others go through the type's own reader.
  bool type(Type& out) {
    cursor.blanks();
    const char* at = cursor.at;
    int length = 3;
    if (at[0] == 'i') {
      if (at[1] == '6' && at[2] == '4') {
        out = i64;
      } else if (at[1] == '3' && at[2] == '2') {
        out = i32;
      } else if (at[1] == '1' && !is(at[2], name_part)) {
        out = i1;
        length = 2;
      } else if (at[1] == '8') {
        out = i8;
        length = 2;
      } else {
        return other_type(out);
      }
    } else if (at[0] == 'f' && at[1] == '6' && at[2] == '4') {
      out = f64;
    } else if (at[0] == 'p' && at[1] == 't' && at[2] == 'r') {
      out = ptr;
    } else {
      return other_type(out);
    }
    char next = at[length];
    if (is(next, name_part) || next == '=' || next == '[' || next == '|') return other_type(out);
    cursor.at += length;
    return true;
  }
  bool other_type(Type& out);
  /// `(T, T) -> T`, where the arrow may be left out of a function's header: then it gives nothing.
  bool signature(ir::Signature& out);
};

}  // namespace braid::text
