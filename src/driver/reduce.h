// Makes a program smaller as long as a check holds for it. One in Simple as reduce_simple.h says; others by delta debugging (A. Zeller and R. Hildebrandt,
// Simplifying and Isolating Failure-Inducing Input, 2002) over declarations, blocks, edges, statements and
// operands.
//
// Each round offers to take out all things of a kind, then halves of them, down to single ones, and keeps
// what still passes the check. Every accepted step makes a measure of the program smaller, so that it ends;
// the result is a program from which no single thing can be taken. At most O(size^2) checks, about size * log
// size as a rule; each costs O(size) beside the check itself. Deterministic.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/source_file.h"
#include "front/simple/simple.h"

namespace braid::driver {

struct ReduceOptions {
  uint64_t max_checks = 10'000;  ///< 0: no limit
  std::optional<simple::Language> language = {};  ///< if there is one, the source is in Simple
};

struct ReduceResult {
  std::string text;
  uint64_t checks = 0;
  uint64_t size_before = 0, size_after = 0;
  std::string_view unit = "statements";  ///< what the sizes count
  bool ended_early = false;  ///< there were no checks left
};

/// Whether a program is still interesting. It must answer the same for the same text.
using ReduceCheck = std::function<bool(const std::string& text)>;

/// An error if the source cannot be read, or if the check does not hold for it. Candidates that cannot be
/// read are never offered; nor, if the source is a valid program, are those that are not. A source in Simple that is not valid
/// is just text.
Expected<ReduceResult> reduce(const SourceFile& source, const ReduceCheck& check,
                              const ReduceOptions& options = {});

}  // namespace braid::driver
