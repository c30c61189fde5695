#include "driver/execute.h"

#include <algorithm>

#include "interp/interpreter.h"
#include "ir/strings.h"

namespace braid::driver {

using namespace ir;

namespace {

/// Writes its arguments to the output of the run.
HostFunction print_to(std::function<void(std::string_view)> output) {
  return [output = std::move(output)](HostCall& call) {
    std::string line;
    for (const Value& value : call.arguments) {
      if (!line.empty()) line += ' ';
      bool is_reference = TypeTable::storage_of(call.module.types.kinds(value.type)) == Storage::ref;
      line += is_reference ? describe(call.module, call.runtime, value.bits) : to_string(value);
    }
    line += '\n';
    if (output) output(line);
    return HostResult();
  };
}

/// What a valid program may do, as bad as it is: read where nothing is, end without a return.
bool is_fault_of_program(const std::string& trap) {
  return trap.starts_with("bad address") || trap.starts_with(interp::fell_through);
}

Execution::Kind kind_of(const interp::Outcome& outcome) {
  switch (outcome.kind) {
    case interp::OutcomeKind::value: return Execution::Kind::returned;
    case interp::OutcomeKind::exception: return Execution::Kind::threw;
    case interp::OutcomeKind::deopt: return Execution::Kind::deoptimised;
    // Every other trap is something that a valid program does only if a proof behind it was wrong.
    case interp::OutcomeKind::trap:
      return is_fault_of_program(outcome.message) ? Execution::Kind::trapped : Execution::Kind::internal_error;
    case interp::OutcomeKind::limit:
    case interp::OutcomeKind::error: return Execution::Kind::trapped;
  }
  return Execution::Kind::internal_error;
}

}  // namespace

void bind_print(SimpleRuntime& runtime, std::function<void(std::string_view)> output) {
  runtime.bind("print", print_to(std::move(output)));
}

Execution execute(const Function& f, std::span<const Value> arguments, const ExecuteOptions& options) {
  interp::RunOptions limits;
  if (options.max_steps) limits.max_steps = options.max_steps;
  if (options.max_depth) limits.max_depth = static_cast<uint32_t>(std::min<uint64_t>(options.max_depth, ~uint32_t{0}));
  if (options.max_memory) limits.max_memory = options.max_memory;
  limits.trace = static_cast<bool>(options.trace);
  limits.trace_sink = options.trace;
  SimpleRuntime runtime(limits.max_memory);
  bind_print(runtime, options.output);
  limits.runtime = &runtime;

  interp::Interpreter interpreter(f.module(), limits);
  interp::Outcome outcome = interpreter.run(f, arguments);
  Execution execution;
  execution.kind = kind_of(outcome);
  execution.value = outcome.value;
  execution.text = outcome.message;
  if (outcome.kind == interp::OutcomeKind::value && outcome.message.empty()) execution.text = to_string(outcome.value);
  if (outcome.kind == interp::OutcomeKind::deopt) {
    constexpr std::string_view word = "deopts ";
    execution.text = interp::to_string(outcome).substr(word.size());
  }
  return execution;
}

}  // namespace braid::driver
