// Runs passes over a module: has what a pass needs built when it asks for it, drops what it does not keep and what no later pass
// needs, verifies, times and prints after it, and keeps snapshots for those who want to show every step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/verify.h"
#include "passes/pass.h"

namespace braid::passes {

#ifdef NDEBUG
inline constexpr bool is_debug_build = false;
#else
inline constexpr bool is_debug_build = true;
#endif

struct RunOptions {
  ir::FuncId only = none_id<ir::FuncId>;  ///< none: every function with a body
  bool verify_each = false;
  /// What a pass keeps is built again and compared, and what it asks for looked up in the table; `verify_each` means this, too.
  bool check_contracts = is_debug_build;
  bool verify_result = false;  ///< once, behind the last pass
  bool keep_snapshots = false;
  std::string print_after;  ///< the name of a pass, `all`, or nothing
  std::function<void(std::string_view pass)> print;  ///< called after those passes
};

struct PassTime {
  std::string_view pass;
  double milliseconds = 0;  ///< without those of the analyses that it asked for
  uint64_t statements_before = 0, statements_after = 0;
};

/// The module as text after a pass; the first is named `input`.
struct Snapshot {
  std::string pass;
  std::string text;
};

struct RunReport {
  std::vector<PassTime> times;
  ir::AnalysisCosts analyses;
  std::vector<Snapshot> snapshots;
  std::string_view broken_by;          ///< the pass whose result is not valid; empty if that is not known
  std::vector<ir::Finding> findings;   ///< what is wrong with its result; with verify_each the run ends there
  /// What a pass did that its line in the table does not say, as a sentence; the run ends there.
  std::string broken_contract;

  bool ok() const { return findings.empty() && broken_contract.empty(); }
};

/// Each pass runs over all functions before the next one begins.
RunReport run_passes(ir::Module& module, std::span<const Pass* const> pipeline, const RunOptions& options = {});

/// The table of `--time-passes`: milliseconds, share of the time, statements before and after, and the change; below it how
/// often analyses were built, and how long that took.
std::string time_table(const RunReport& report);

}  // namespace braid::passes
