// The event log of a construction (ssa/event_log.h) with the names of the function that it is about, and
// three renderings of it: tables for one variable, the table of ckompiler's documentation byte for byte, and
// JSON (docs/log.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "ssa/construct.h"

namespace braid::driver {

/// Everything is of the input: its blocks, its variables, its statements that mention them.
struct LoggedConstruction {
  ssa::EventLog log;
  ssa::Algorithm algorithm;
  ssa::Prune prune;
  std::string function;
  std::vector<std::string> blocks;
  std::vector<std::string> variables;
  std::vector<std::string>
      statements;  ///< by position: the text of those that mention a variable, empty for others
};

/// Takes the function to SSA and keeps the log. O(function + log).
LoggedConstruction construct_logged(ir::Function& f, ssa::ConstructOptions options);

/// Whether the function has a variable of this name; `x` also stands for `var.3`.
bool has_variable(const LoggedConstruction& run, std::string_view variable);

/// How the phis of a variable were placed and every mention of it renamed: two tables.
std::string trace_tables(const LoggedConstruction& run, std::string_view variable);
/// The renaming as ckompiler prints it. Its third column shows the reaching definition before the update, and
/// the link of the definition that was chosen; links are taken before the update, so that they may name what
/// does not dominate.
std::string seed_table(const LoggedConstruction& run, std::string_view variable);

/// Version of the schema of `log_json`. A change that an old reader would misread raises it.
inline constexpr uint32_t log_schema_version = 1;
std::string log_json(std::span<const LoggedConstruction> runs);

}  // namespace braid::driver
