#include "driver/pandasm_run.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/number_text.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/live_frame.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/value_type.h"
#include "ir/bits.h"

namespace braid::driver {

using pandasm::Function;
using pandasm::Outcome;
using pandasm::Primitive;
using pandasm::RunResult;
using pandasm::TraceEntry;
using pandasm::ValueType;
using pandasm::ValueTypes;

namespace {

constexpr size_t most_shown_frames = 32;

class Runner {
 public:
  Runner(const PandasmProgram& program, const PandasmRunOptions& options)
      : source_(program.source), program_(program.program), vm_(program.program, program.links, {options.heap, options.output}),
        begins_in_ssa_(options.engine == PandasmEngine::ssa) {
    pandasm::InterpreterOptions direct = options.interpreter;
    direct.keeps_registers = options.keeps_registers;
    if (options.forget_at != 0) {
      forgets_.emplace(vm_, program.types, direct);
      direct.watcher = &*forgets_;
      direct.watch_at = options.forget_at;
      direct.watch_after = 0xffffffffu;
    }
    if (begins_in_ssa_ || options.osr != 0) {
      ssa_.emplace(source_, program.types, vm_, ssa_options(options));
      if (options.osr != 0) direct.watcher = &*ssa_;
      if (options.osr != 0) direct.watch_after = options.osr;
      if (begins_in_ssa_) direct.throw_at = 0;
    }
    direct_.emplace(vm_, program.types, direct);
    if (forgets_) forgets_->set_direct(*direct_, options.forget_frames);
    if (ssa_) ssa_->set_direct(*direct_);
  }

  Expected<PandasmRun> run(std::string_view name, std::span<const std::string> texts) {
    Expected<uint32_t> function = find(name);
    if (!function) return function.error();
    const Function& called = program_.functions[*function];
    std::vector<uint64_t> arguments;
    if (takes_texts(called)) {
      // Nothing holds the array until the frame does, and nothing is made in between.
      const Outcome array = vm_.new_strings(texts);
      if (array.threw) return describe(called, {RunResult::Kind::threw, 0, {}});
      arguments.push_back(array.value);
    } else {
      if (texts.size() != called.parameters.size())
        return error("the function takes " + std::to_string(called.parameters.size()) + " arguments, and gets " +
                           std::to_string(texts.size()));
      for (size_t i = 0; i < texts.size(); ++i) {
        const std::optional<uint64_t> number = parse_argument(called.parameters[i], texts[i]);
        if (!number) {
          std::string type;
          pandasm::append_type(type, program_, called.parameters[i]);
          return error("'" + texts[i] + "' cannot be argument " + std::to_string(i) + ", of type " + type);
        }
        arguments.push_back(*number);
      }
    }
    PandasmRun run = describe(called, begins_in_ssa_ ? ssa_->call(*function, arguments) : direct_->call(*function, arguments));
    // What is so deep that the direct interpreter does it is not counted.
    if (!ssa_ || ssa_->statistics().run_directly == 0) run.points = states_seen_;
    run.has_collected = vm_.heap().statistics().collections != 0;
    if (forgets_) run.registers = forgets_->registers();
    else if (begins_in_ssa_) run.registers = ssa_->left_registers();
    if (ssa_ && ssa_->statistics().failed_guesses == 0) run.frames = ssa_->left_frames();
    return run;
  }

 private:
  /// Of the whole program: it has no line.
  Diagnostic error(std::string message) const {
    Diagnostic diagnostic;
    diagnostic.file = source_.name();
    diagnostic.message = std::move(message);
    return diagnostic;
  }

  pandasm::SsaOptions ssa_options(const PandasmRunOptions& options) {
    pandasm::SsaOptions ssa;
    ssa.algorithm = options.algorithm;
    ssa.passes = options.passes;
    ssa.max_depth = options.interpreter.max_depth;
    ssa.trace = options.trace;
    // A step of bytecode is a call, a handler or a backward jump, with what lies between: that may be all there is, now and then.
    constexpr uint64_t statements_per_step = 256, most = uint64_t{1} << 61;
    ssa.max_steps = std::min(options.interpreter.max_steps, most / statements_per_step) * statements_per_step;
    for (const Function& function : program_.functions) ssa.max_steps += uint64_t{64} * function.code.size();
    if (options.deopt_always)
      ssa.stays = [](uint32_t) { return false; };
    else if (options.deopt_at != 0 || options.counts_points)
      ssa.stays = [this, at = options.deopt_at](uint32_t) { return ++states_seen_ != at; };
    else if (const uint64_t at = options.interpreter.throw_at; at != 0)
      ssa.stays = [this, at](uint32_t) {
        if (++states_seen_ != at) return true;
        direct_->throw_at(1);
        return false;
      };
    return ssa;
  }

  Expected<uint32_t> find(std::string_view name) const {
    const std::string wanted(name.empty() ? "main" : name);
    const Symbol symbol = program_.symbols.find(wanted);
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < program_.functions.size(); ++i) {
      if (is_none(symbol) || program_.functions[i].name != symbol || !program_.functions[i].has_body) continue;
      if (found) return error("several functions are called '" + wanted + "'");
      found = i;
    }
    if (!found) return error("no function with a body is called '" + wanted + "'");
    return *found;
  }

  bool takes_texts(const Function& function) const {
    return function.parameters.size() == 1 && function.parameters[0] == pandasm::Type{Primitive::record, 1, program_.symbols.find("panda.String")};
  }

  static std::optional<uint64_t> parse_argument(const pandasm::Type& type, std::string_view text) {
    const ValueType::Kind kind = ValueTypes::holding(type).kind;
    switch (kind) {
      case ValueType::Kind::i32:
      case ValueType::Kind::i64: return integer_argument(type.primitive, text);
      case ValueType::Kind::f32:
      case ValueType::Kind::f64: return real_argument(text, kind == ValueType::Kind::f64);
      case ValueType::Kind::reference: return text == "null" ? std::optional<uint64_t>(heap::null) : std::nullopt;
      default: return std::nullopt;
    }
  }

  /// As a register holds it: extended by the type.
  static std::optional<uint64_t> integer_argument(Primitive type, std::string_view text) {
    const std::optional<uint64_t> number = pandasm::parse_integer(text);
    if (!number) return std::nullopt;
    const std::optional<uint64_t> narrow = pandasm::narrow(*number, pandasm::integer_bits(type));
    const bool is_zero_extended = type == Primitive::u1 || type == Primitive::u8 || type == Primitive::u16;
    if (narrow && is_zero_extended) return *narrow & ((uint64_t{1} << pandasm::integer_bits(type)) - 1);
    return narrow;
  }

  /// In a program these would be bits; on the command line they have names.
  static std::optional<uint64_t> real_argument(std::string_view text, bool is_f64) {
    const std::string_view name = text.starts_with('-') ? text.substr(1) : text;
    if (name != "nan" && name != "inf") return pandasm::parse_real(text, is_f64);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double signed_infinity = name.size() == text.size() ? infinity : -infinity;
    const double value = name == "nan" ? std::numeric_limits<double>::quiet_NaN() : signed_infinity;
    return is_f64 ? ir::bits_of(value) : ir::bits_of(static_cast<float>(value));
  }

  PandasmRun describe(const Function& function, const RunResult& result) {
    PandasmRun run{result.kind, result.value, {}, {}};
    switch (result.kind) {
      case RunResult::Kind::returned:
        run.text = text_of(function.result, result.value);
        if (const ValueType::Kind kind = ValueTypes::holding(function.result).kind;
            kind == ValueType::Kind::i32 || kind == ValueType::Kind::i64)
          run.exit_code = static_cast<uint8_t>(result.value);
        break;
      case RunResult::Kind::stopped: run.text = "the limit of steps is reached"; break;
      case RunResult::Kind::threw:
        run.text = vm_.describe(vm_.pending());
        run.stack = stack_text(result.trace);
        break;
    }
    return run;
  }

  std::string text_of(const pandasm::Type& type, uint64_t value) {
    std::string text;
    const ValueType::Kind kind = ValueTypes::holding(type).kind;
    if (kind == ValueType::Kind::reference) {
      return vm_.shown(value);
    } else if (kind == ValueType::Kind::f32) {
      append_decimal_float(text, ir::as_float<float>(value));
    } else if (kind == ValueType::Kind::f64) {
      append_decimal_float(text, ir::as_float<double>(value));
    } else if (type.primitive == Primitive::u64 || type.primitive == Primitive::u32) {
      append_u64(text, type.primitive == Primitive::u32 ? value & 0xffffffffu : value);
    } else if (!type.is_void()) {
      append_i64(text, static_cast<int64_t>(value));
    }
    return text;
  }

  std::string stack_text(const std::vector<TraceEntry>& trace) const {
    std::string text;
    for (size_t i = 0; i < trace.size() && i < most_shown_frames; ++i) {
      const Function& function = program_.functions[trace[i].function];
      const LineColumn at = source_.line_column(function.code[trace[i].pc].offset);
      text += "    at " + std::string(program_.symbols.view(function.name)) + " (" + source_.name() + ":" + std::to_string(at.line) + ")\n";
    }
    if (trace.size() > most_shown_frames) text += "    and " + std::to_string(trace.size() - most_shown_frames) + " more\n";
    return text;
  }

  const SourceFile& source_;
  const pandasm::Program& program_;
  pandasm::Vm vm_;
  const bool begins_in_ssa_;
  uint64_t states_seen_ = 0;
  std::optional<pandasm::LiveFrameRunner> forgets_;
  std::optional<pandasm::SsaEngine> ssa_;
  std::optional<pandasm::Interpreter> direct_;
};

}  // namespace

bool is_comparable(const PandasmRun& bytecode, const PandasmRun& ssa) {
  return bytecode.kind != RunResult::Kind::stopped && ssa.kind != RunResult::Kind::stopped;
}

std::string difference(const PandasmRun& bytecode, std::string_view bytecode_output, const PandasmRun& ssa,
                       std::string_view ssa_output) {
  if (!is_comparable(bytecode, ssa)) return {};
  if (bytecode_output != ssa_output) return "they print different texts";
  if (bytecode.kind != ssa.kind || bytecode.value != ssa.value || bytecode.text != ssa.text)
    return "bytecode ends with '" + bytecode.text + "', SSA with '" + ssa.text + "'";
  if (bytecode.stack != ssa.stack) return "exceptions come from different places:\n" + bytecode.stack + "and\n" + ssa.stack;
  return {};
}

Expected<PandasmRun> run_pandasm(const PandasmProgram& program, std::string_view name, std::span<const std::string> arguments,
                                 const PandasmRunOptions& options) {
  return Runner(program, options).run(name, arguments);
}

}  // namespace braid::driver
