// The public way to run functions.
#include <braid/interpret.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "interp/interpreter.h"
#include "ir/bits.h"

namespace braid {
namespace {

/// An integer without a sign, if it is meant so.
uint64_t unsigned_bits(const Value& given, Kind kind) {
  const int width = bit_width(kind);
  return width == 64 ? given.bits : given.bits & ((uint64_t{1} << width) - 1);
}

/// An argument in the type of its parameter, where the number is the same there; otherwise as it is, for the interpreter
/// to refuse. An unsigned number may take all bits of its parameter.
Value fitted(const ir::Module& module, const Value& given, Type wanted) {
  if (!module.types.has(given.type)) return given;
  std::optional<Kind> from = module.types.single_kind(given.type), to = module.types.single_kind(wanted);
  if (!from || !to || *from == *to) return given;
  const bool is_unsigned = given.is_unsigned && is_integer(*from);
  const uint64_t number = is_unsigned ? unsigned_bits(given, *from) : given.bits;
  if (is_integer(*from) && is_integer(*to)) {
    const uint64_t bits = ir::canonical(*to, number);
    const bool fits = bits == number || (is_unsigned && unsigned_bits(Value(of(*to), bits), *to) == number);
    return fits ? Value(of(*to), bits) : given;
  }
  if (is_integer(*from) && is_float(*to)) {
    const double real = is_unsigned ? static_cast<double>(number) : static_cast<double>(given.as_i64());
    if (*to == Kind::f64) return Value(real);
    return Value(is_unsigned ? static_cast<float>(number) : static_cast<float>(given.as_i64()));
  }
  if (*from == Kind::f64 && *to == Kind::f32) {
    const float narrow = static_cast<float>(given.as_f64());
    return std::isinf(narrow) && !std::isinf(given.as_f64()) ? given : Value(narrow);
  }
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

interp::RunOptions inner_options(const RunOptions& options, ir::Runtime& runtime) {
  interp::RunOptions inner;
  inner.max_steps = options.max_steps;
  inner.max_depth = options.max_depth;
  inner.max_memory = options.max_memory;
  inner.runtime = &runtime;
  inner.trace = static_cast<bool>(options.trace);
  inner.trace_sink = options.trace;
  return inner;
}

/// The interpreter and what it asks. The options outlive it.
class Engine {
 public:
  Engine(ir::Module& module, const RunOptions& options)
      : module_(module),
        runtime_(options.max_memory),
        interpreter_(module, inner_options(options, runtime_)),
        seen_(module.changes.size()) {
    for (const auto& [name, function] : options.host)
      if (function) runtime_.bind(name, [&function = function](ir::HostCall& call) { return answer(function(call.arguments)); });
  }

  RunResult run(const Func& f, std::span<const Value> arguments) {
    if (&f.module() != &module_)
      return {RunResult::Kind::error, {}, "fails: @" + std::string(f.name_text()) + " belongs to another module", 0};
    forget_changed();
    if (!interpreter_.is_running()) runtime_.clear();
    std::vector<Value> values;
    values.reserve(arguments.size());
    for (uint32_t i = 0; i < arguments.size(); ++i)
      values.push_back(i < f.param_count() ? fitted(module_, arguments[i], f.param_type(i)) : arguments[i]);
    interp::Outcome outcome = interpreter_.run(f, values);
    return {kind_of(outcome.kind), outcome.value, interp::to_string(outcome), outcome.steps};
  }
  uint64_t code_made() const { return interpreter_.lowered(); }

 private:
  static ir::HostResult answer(IntrinsicResult result) {
    if (!result.thrown.empty()) return ir::HostResult::raise(std::move(result.thrown));
    return std::move(result.value);
  }

  void forget_changed() {
    for (; seen_ < module_.changes.size(); ++seen_) {
      const ir::FuncId changed = module_.changes[seen_];
      if (!is_none(changed)) {
        interpreter_.invalidate(changed);
        continue;
      }
      for (uint32_t i = 0; i < module_.function_count(); ++i) interpreter_.invalidate(static_cast<ir::FuncId>(i));
    }
  }

  ir::Module& module_;
  ir::SimpleRuntime runtime_;
  interp::Interpreter interpreter_;
  size_t seen_;  ///< of the module's changes
};

}  // namespace

struct Runner::Impl {
  Impl(ir::Module& module, RunOptions given) : options(std::move(given)), engine(module, options) {}
  RunOptions options;
  Engine engine;
};

Runner::Runner(Module& m, RunOptions options) : impl_(std::make_unique<Impl>(m.ir(), std::move(options))) {}
Runner::~Runner() = default;
Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;

RunResult Runner::run(const Func& f, std::span<const Value> arguments) { return impl_->engine.run(f, arguments); }
uint64_t Runner::code_made() const { return impl_->engine.code_made(); }

RunResult run(const Func& f, std::span<const Value> arguments, const RunOptions& options) {
  return Engine(f.module(), options).run(f, arguments);
}

Value interpret_values(const Func& f, std::span<const Value> arguments) {
  RunResult result = run(f, arguments);
  if (result) return result.value;
  std::fprintf(stderr, "error: '@%s' %s\n", std::string(f.name_text()).c_str(), result.message.c_str());
  std::exit(70);
}

}  // namespace braid
