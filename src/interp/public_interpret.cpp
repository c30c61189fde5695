// The public way to run functions.
#include <braid/interpret.h>

#include <cstdio>
#include <cstdlib>

#include "interp/interpreter.h"
#include "ir/bits.h"

namespace braid {
namespace {

/// An argument in the type of its parameter, where the number is the same there; otherwise as it is, for the interpreter
/// to refuse.
Value fitted(const ir::Module& module, const Value& given, Type wanted) {
  std::optional<Kind> from = module.types.single_kind(given.type), to = module.types.single_kind(wanted);
  if (!from || !to || *from == *to) return given;
  if (is_integer(*from) && is_integer(*to)) {
    uint64_t bits = ir::canonical(*to, given.bits);
    return bits == given.bits ? Value(of(*to), bits) : given;
  }
  if (is_integer(*from) && *to == Kind::f64) return Value(static_cast<double>(given.as_i64()));
  if (is_integer(*from) && *to == Kind::f32) return Value(static_cast<float>(given.as_i64()));
  if (*from == Kind::f64 && *to == Kind::f32) return Value(static_cast<float>(given.as_f64()));
  if (*from == Kind::f32 && *to == Kind::f64) return Value(static_cast<double>(given.as_f32()));
  return given;
}

RunResult::Kind kind_of(interp::OutcomeKind kind) {
  switch (kind) {
    case interp::OutcomeKind::value: return RunResult::Kind::value;
    case interp::OutcomeKind::exception: return RunResult::Kind::exception;
    case interp::OutcomeKind::trap: return RunResult::Kind::trap;
    case interp::OutcomeKind::limit: return RunResult::Kind::limit;
    case interp::OutcomeKind::deopt: return RunResult::Kind::deopt;
    case interp::OutcomeKind::error: return RunResult::Kind::error;
  }
  return RunResult::Kind::error;
}

}  // namespace

RunResult run(const Func& f, std::span<const Value> arguments, const RunOptions& options) {
  ir::SimpleRuntime runtime(options.max_memory);
  for (const auto& [name, function] : options.host)
    runtime.bind(name, [&function = function](ir::HostCall& call) -> ir::HostResult {
      IntrinsicResult result = function(call.arguments);
      if (!result.thrown.empty()) return ir::HostResult::raise(std::move(result.thrown));
      return std::move(result.value);
    });
  interp::RunOptions inner;
  inner.max_steps = options.max_steps;
  inner.max_depth = options.max_depth;
  inner.max_memory = options.max_memory;
  inner.runtime = &runtime;
  inner.trace = static_cast<bool>(options.trace);
  inner.trace_sink = options.trace;

  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i)
    values.push_back(i < f.param_count() ? fitted(f.module(), arguments[i], f.param_type(static_cast<uint32_t>(i)))
                                         : arguments[i]);
  interp::Interpreter interpreter(f.module(), inner);
  interp::Outcome outcome = interpreter.run(f, values);
  return {kind_of(outcome.kind), outcome.value, interp::to_string(outcome), outcome.steps};
}

Value interpret_values(const Func& f, std::span<const Value> arguments) {
  RunResult result = run(f, arguments);
  if (result) return result.value;
  std::fprintf(stderr, "error: '@%s' %s\n", std::string(f.name_text()).c_str(), result.message.c_str());
  std::exit(70);
}

}  // namespace braid
