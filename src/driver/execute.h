// Running a function with the host functions of the tool, and the outcome in a few words.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ir/function.h"
#include "ir/runtime.h"

namespace braid::driver {

struct ExecuteOptions {
  uint64_t max_steps = 0;   ///< 0: the interpreter's own limit
  uint64_t max_depth = 0;
  uint64_t max_memory = 0;
  std::function<void(std::string_view)> trace;   ///< gets one line per executed statement
  std::function<void(std::string_view)> output;  ///< gets what `@print` writes
};

struct Execution {
  enum class Kind : uint8_t { returned, threw, trapped, deoptimised, internal_error };

  Kind kind = Kind::returned;
  Value value;       ///< what was returned
  std::string text;  ///< the value, the exception, or what went wrong
};

/// The arguments must fit the parameters (driver/value_text.h). A host function `print` writes its arguments, with blanks
/// between and a newline behind.
Execution execute(const ir::Function& f, std::span<const Value> arguments, const ExecuteOptions& options = {});

/// The host functions of the tool: `print`. `output` may be empty.
void bind_print(ir::SimpleRuntime& runtime, std::function<void(std::string_view)> output);

}  // namespace braid::driver
