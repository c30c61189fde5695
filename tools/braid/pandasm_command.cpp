// run, of a program in pandasm.
#include <algorithm>
#include <cstdio>
#include <span>

#include "base/number_text.h"
#include "commands.h"
#include "console.h"
#include "driver/load.h"
#include "driver/pandasm_run.h"

namespace braid::tool {

using pandasm::RunResult;

namespace {

/// False with a message.
bool read_ssa_options(const Arguments& arguments, driver::PandasmRunOptions& options) {
  if (std::optional<std::string> name = arguments.value(Option::algorithm)) options.algorithm = *ssa::find_algorithm(*name);
  if (std::optional<std::string> list = arguments.value(Option::passes)) {
    Expected<passes::Pipeline> given = passes::parse_pipeline(*list);
    if (!given) {
      for (const Diagnostic& error : given.error()) report_error(error.message);
      return false;
    }
    options.passes = *given;
  }
  options.osr = static_cast<uint32_t>(std::min<uint64_t>(number(arguments, Option::osr), 0xffffffffu));
  const std::string leave = arguments.value(Option::deopt_at).value_or("0");
  options.deopt_always = leave == "all";
  const ParsedNumber<uint64_t> at = parse_u64(options.deopt_always ? "0" : leave);
  if (!at) report_error("'--deopt-at' needs a number or 'all', not '" + leave + "'");
  if (at) options.deopt_at = *at;
  return static_cast<bool>(at);
}

/// What is given and would do nothing, or would do something else than it says; empty if there is no such thing.
std::string misfit(const Arguments& arguments, const driver::PandasmRunOptions& options, std::string_view engine) {
  const bool leaves = options.deopt_at != 0 || options.deopt_always;
  if (arguments.has(Option::trace) && engine == "bytecode" && options.osr == 0)
    return "'--trace' tells of the ways between engines: it needs '--engine=ssa', '--engine=both' or '--osr'";
  if (options.interpreter.throw_at != 0 && (leaves || options.osr != 0))
    return "'--throw-at' counts instructions of one engine: it does not go with '--deopt-at' or '--osr'";
  if (engine != "bytecode" || options.osr != 0) return {};
  if (leaves) return "'--deopt-at' needs '--engine=ssa', '--engine=both' or '--osr'";
  return options.passes.empty() ? "" : "'--passes' needs '--engine=ssa', '--engine=both' or '--osr'";
}

int exit_code_of(const driver::PandasmRun& run) {
  switch (run.kind) {
    case RunResult::Kind::returned: return run.exit_code;
    case RunResult::Kind::stopped: report_error(run.text); break;
    case RunResult::Kind::threw:
      report_error("uncaught exception: " + run.text);
      std::fwrite(run.stack.data(), 1, run.stack.size(), stderr);
      break;
  }
  return exit_bad_input;
}

}  // namespace

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
  options.interpreter.throw_at = number(arguments, Option::throw_at);
  if (!read_ssa_options(arguments, options)) return exit_usage;
  const std::string engine = arguments.value(Option::engine).value_or("bytecode");
  if (const std::string wrong = misfit(arguments, options, engine); !wrong.empty()) {
    report_error(wrong);
    return exit_usage;
  }
  const bool both = engine == "both";
  if (engine == "ssa") options.engine = driver::PandasmEngine::ssa;
  const std::string entry = arguments.value(Option::entry).value_or("");
  const std::span<const std::string> words = std::span(arguments.words).subspan(1);
  std::string printed;
  options.output = [&](std::string_view text) {
    write_out(text);
    if (both) printed += text;
  };
  if (arguments.has(Option::trace))
    options.trace = [](std::string_view line) {
      flush_out();
      std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    };
  Expected<driver::PandasmRun> run = driver::run_pandasm(**program, entry, words, options);
  if (!run) {
    bad_input(run.error());
    return exit_usage;
  }
  flush_out();
  if (!both) return exit_code_of(*run);
  std::string printed_by_ssa;
  options.engine = driver::PandasmEngine::ssa;
  options.output = [&](std::string_view text) { printed_by_ssa += text; };
  const driver::PandasmRun by_ssa = *driver::run_pandasm(**program, entry, words, options);
  const std::string differ = driver::difference(*run, printed, by_ssa, printed_by_ssa);
  if (run->kind != by_ssa.kind && !driver::is_comparable(*run, by_ssa))
    std::fprintf(stderr, "braid: note: only %s came to the limit of steps: the engines were not compared\n",
                 by_ssa.kind == RunResult::Kind::stopped ? "SSA" : "bytecode");
  if (differ.empty()) return exit_code_of(*run);
  report_error("internal error: the engines do not agree: " + differ);
  return exit_internal;
}

}  // namespace braid::tool
