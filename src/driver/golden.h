// Runs one golden file (driver/golden_file.h). Nothing is shared between files, so a caller may run many at once.
#pragma once

#include <optional>
#include <string>

#include "base/source_file.h"

namespace braid::driver {

struct GoldenOptions {
  bool bless = false;       ///< what is printed now is what is expected
  bool all_points = false;  ///< bytecode is left and interrupted wherever it can be, not only at some places
};

struct GoldenResult {
  bool passed = false;
  std::string report;                  ///< why it failed: one paragraph per fault, with diffs
  std::optional<std::string> blessed;  ///< with `bless`: the new text of the file, if it changes
};

GoldenResult run_golden(const SourceFile& source, const GoldenOptions& options = {});

}  // namespace braid::driver
