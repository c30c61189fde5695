// Runs a function of a pandasm program by the direct interpreter.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "driver/pandasm_program.h"
#include "front/pandasm/interpret.h"

namespace braid::driver {

struct PandasmRunOptions {
  heap::HeapOptions heap;
  pandasm::InterpreterOptions interpreter;
  std::function<void(std::string_view)> output;  ///< may be empty
};

struct PandasmRun {
  pandasm::RunResult::Kind kind = pandasm::RunResult::Kind::returned;
  uint64_t value = 0;
  std::string text;   ///< the value, by the type of the result, or the exception: its class and message
  std::string stack;  ///< of an exception: a line for each frame, from where it was thrown
};

/// The function is `main` if the name is empty. It takes all arguments as texts if it has one parameter, an array of them;
/// otherwise numbers. Errors: there is no such function, or it does not take these arguments.
Expected<PandasmRun> run_pandasm(const PandasmProgram& program, std::string_view name, std::span<const std::string> arguments,
                                 const PandasmRunOptions& options);

}  // namespace braid::driver
