// A pandasm source: read, linked and verified, and from there to IR.
#pragma once

#include <braid/expected.h>

#include <memory>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "front/pandasm/translation.h"

namespace braid::driver {

/// What is made from it refers to it.
struct PandasmProgram {
  /// All errors of the first step that finds any.
  static Expected<std::unique_ptr<PandasmProgram>> open(SourceFile source);

  SourceFile source;
  pandasm::Program program;
  pandasm::Links links;
  std::vector<pandasm::FunctionTypes> types;
};

/// By the name.
inline bool is_pandasm_file(std::string_view name) { return name.ends_with(".pa"); }

}  // namespace braid::driver
