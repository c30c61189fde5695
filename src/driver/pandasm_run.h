// Runs a function of a pandasm program: by the direct interpreter, by the SSA engine, or from one to the other in the
// middle.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/pandasm_program.h"
#include "front/pandasm/ssa_engine.h"

namespace braid::driver {

enum class PandasmEngine : uint8_t { bytecode, ssa };

struct PandasmRunOptions {
  heap::HeapOptions heap;
  pandasm::InterpreterOptions interpreter;  ///< its limits are those of both engines, and so is where it throws
  PandasmEngine engine = PandasmEngine::bytecode;
  ssa::Algorithm algorithm = ssa::Algorithm::regmap;
  passes::Pipeline passes;    ///< over the SSA
  uint32_t osr = 0;           ///< after so many backward jumps to one place SSA takes over there; 0: it does not
  uint64_t deopt_at = 0;      ///< the number of the state at which compiled code is left, counted as the program runs
  bool deopt_always = false;  ///< … or at each of them
  /// In bytecode: before this instruction that may throw, so many frames forget what is dead: they then do what frames do that were
  /// rebuilt from states. `PandasmRun::registers` can be compared.
  uint64_t forget_at = 0;
  uint32_t forget_frames = 1;
  bool keeps_registers = false;
  bool counts_points = false;  ///< of the SSA engine: `PandasmRun::points`
  std::function<void(std::string_view)> output;  ///< may be empty
  std::function<void(std::string_view)> trace;   ///< gets a line for each way between the engines; may be empty
};

struct PandasmRun {
  pandasm::RunResult::Kind kind = pandasm::RunResult::Kind::returned;
  uint64_t value = 0;
  std::string text;   ///< the value, by the type of the result, or the exception: its class and message
  std::string stack;  ///< of an exception: a line for each frame, from where it was thrown
  uint8_t exit_code = 0;  ///< the low bits of an integer that was returned
  uint64_t points = 0;    ///< instructions that may throw and that it came to, if someone had to count them and could
  bool has_collected = false;  ///< references are then other numbers than in another run
  /// What the frames that were left, or that have forgotten, held when they ended, the innermost first; if they are kept.
  std::vector<uint64_t> registers = {};
  uint32_t frames = 0;  ///< how many were left; 0 if none was, or some because a guess failed
};

/// Whether both have ended by themselves. They count steps by different measures, so one may come to the limit, or further on, where the
/// other does not.
bool is_comparable(const PandasmRun& bytecode, const PandasmRun& ssa);
/// What of the two is not alike; empty if nothing, or if one of them came to the limit of steps.
std::string difference(const PandasmRun& bytecode, std::string_view bytecode_output, const PandasmRun& ssa,
                       std::string_view ssa_output);

/// The function is `main` if the name is empty. It takes all arguments as texts if it has one parameter, an array of them;
/// otherwise numbers. Errors: there is no such function, or it does not take these arguments.
Expected<PandasmRun> run_pandasm(const PandasmProgram& program, std::string_view name,
                                 std::span<const std::string> arguments, const PandasmRunOptions& options);

}  // namespace braid::driver
