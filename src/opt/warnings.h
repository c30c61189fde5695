// Warnings about a program that is valid and yet most likely wrong: code that is never executed, a way to the
// end of a function without a return, variables that are read before anything was assigned to them.
//
// They are found before clean-up, which removes what they are about. Positions are those of the statements:
// in the `.braid` text where a source map is given, otherwise the locations that a front end has written.
#pragma once

#include <braid/diagnostic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "ir/function.h"
#include "text/parse.h"

namespace braid::opt {

enum class WarningKind : uint8_t {
  unreachable_code,     ///< code will never be executed; once per region
  end_of_function,      ///< control reaches the end of non-void function 'f', or the open end of a void one; once per function
  uninitialised,        ///< variable 'x' is used uninitialised: nothing was assigned on any path
  maybe_uninitialised,  ///< variable 'x' may be used uninitialised: on some path
};
/// `unreachable-code`, …: what stands in brackets behind the text.
std::string_view name(WarningKind kind);

struct WarningNote {
  ir::BlockId block;
  ir::Operand where;  ///< `undef`: the block itself
  std::string message;
};

struct Warning {
  WarningKind kind;
  ir::BlockId block;
  ir::Operand where;  ///< `undef`: the block itself
  std::string message;
  std::vector<WarningNote>
      notes;  ///< for a variable: where it is unassigned, and the way from there to the use
};

/// All warnings about a function, in the order of its blocks. Blocks may lack terminators, otherwise the
/// function is valid. Cost: O(statements + edges), and O(log blocks) for each mention of a variable.
std::vector<Warning> find_warnings(const ir::Function& f);

/// The same as diagnostics. `positions` are those of `source`, from which `f` was parsed; both may be null.
void warnings(const ir::Function& f, Diagnostics& diagnostics, const SourceFile* source = nullptr,
              const text::SourceMap* positions = nullptr);

}  // namespace braid::opt
