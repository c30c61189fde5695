// run, of a program in pandasm.
#include <algorithm>
#include <cstdio>
#include <span>

#include "commands.h"
#include "console.h"
#include "driver/load.h"
#include "driver/pandasm_run.h"

namespace braid::tool {

using pandasm::RunResult;

int run_pandasm_command(const Arguments& arguments) {
  Expected<SourceFile> source = driver::load(arguments.words[0]);
  if (!source) return bad_input(source.error());
  Expected<std::unique_ptr<driver::PandasmProgram>> program = driver::PandasmProgram::open(std::move(*source));
  if (!program) return bad_input(program.error());

  driver::PandasmRunOptions options;
  if (std::optional<std::string> size = arguments.value(Option::heap)) options.heap.max_bytes = *parse_size(*size);
  options.heap.stress = arguments.has(Option::gc_stress);
  if (const uint64_t steps = number(arguments, Option::max_steps)) options.interpreter.max_steps = steps;
  if (const uint64_t depth = number(arguments, Option::max_depth))
    options.interpreter.max_depth = static_cast<uint32_t>(std::min<uint64_t>(depth, 0xffffffffu));
  options.output = [](std::string_view text) { write_out(text); };
  Expected<driver::PandasmRun> run = driver::run_pandasm(
      **program, arguments.value(Option::entry).value_or(""), std::span(arguments.words).subspan(1), options);
  if (!run) {
    bad_input(run.error());
    return exit_usage;
  }
  flush_out();
  switch (run->kind) {
    case RunResult::Kind::returned: return static_cast<int>(run->value & 0xff);
    case RunResult::Kind::stopped: report_error(run->text); break;
    case RunResult::Kind::threw:
      report_error("uncaught exception: " + run->text);
      std::fwrite(run->stack.data(), 1, run->stack.size(), stderr);
      break;
  }
  return exit_bad_input;
}

}  // namespace braid::tool
