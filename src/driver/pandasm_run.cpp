#include "driver/pandasm_run.h"

#include <optional>
#include <vector>

#include "base/number_text.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/value_type.h"
#include "ir/bits.h"

namespace braid::driver {

using heap::ClassId;
using pandasm::Function;
using pandasm::Outcome;
using pandasm::Primitive;
using pandasm::RunResult;
using pandasm::TraceEntry;
using pandasm::ValueType;
using pandasm::ValueTypes;

namespace {

constexpr size_t most_shown_frames = 32;

Diagnostic plain_error(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  return diagnostic;
}

class Runner {
 public:
  Runner(const PandasmProgram& program, const PandasmRunOptions& options)
      : source_(program.source), program_(program.program), vm_(program.program, program.links, {options.heap, options.output}),
        interpreter_(vm_, program.types, options.interpreter) {}

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
        return plain_error("the function takes " + std::to_string(called.parameters.size()) + " arguments, and gets " +
                           std::to_string(texts.size()));
      for (size_t i = 0; i < texts.size(); ++i) {
        const std::optional<uint64_t> number = parse_argument(called.parameters[i], texts[i]);
        if (!number) return plain_error("'" + texts[i] + "' cannot be argument " + std::to_string(i));
        arguments.push_back(*number);
      }
    }
    return describe(called, interpreter_.call(*function, arguments));
  }

 private:
  Expected<uint32_t> find(std::string_view name) const {
    const std::string wanted(name.empty() ? "main" : name);
    const Symbol symbol = program_.symbols.find(wanted);
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < program_.functions.size(); ++i) {
      if (is_none(symbol) || program_.functions[i].name != symbol || !program_.functions[i].has_body) continue;
      if (found) return plain_error("several functions are called '" + wanted + "'");
      found = i;
    }
    if (!found) return plain_error("no function with a body is called '" + wanted + "'");
    return *found;
  }

  bool takes_texts(const Function& function) const {
    return function.parameters.size() == 1 && function.parameters[0] == pandasm::Type{Primitive::record, 1, program_.symbols.find("panda.String")};
  }

  static std::optional<uint64_t> parse_argument(const pandasm::Type& type, std::string_view text) {
    switch (ValueTypes::holding(type).kind) {
      case ValueType::Kind::i32:
        if (std::optional<uint64_t> number = pandasm::parse_integer(text)) return pandasm::narrow(*number, 32);
        return std::nullopt;
      case ValueType::Kind::i64: return pandasm::parse_integer(text);
      case ValueType::Kind::f32: return pandasm::parse_real(text, false);
      case ValueType::Kind::f64: return pandasm::parse_real(text, true);
      case ValueType::Kind::reference: return text == "null" ? std::optional<uint64_t>(heap::null) : std::nullopt;
      default: return std::nullopt;
    }
  }

  PandasmRun describe(const Function& function, const RunResult& result) {
    PandasmRun run{result.kind, result.value, {}, {}};
    switch (result.kind) {
      case RunResult::Kind::returned: run.text = text_of(function.result, result.value); break;
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
      const ClassId id = vm_.heap().class_of(value);
      if (is_none(id)) return "null";
      if (vm_.classes().name(id) != "panda.String") return vm_.classes().name(id);
      pandasm::append_quoted(text, vm_.heap().text(value));
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
  pandasm::Interpreter interpreter_;
};

}  // namespace

Expected<PandasmRun> run_pandasm(const PandasmProgram& program, std::string_view name, std::span<const std::string> arguments,
                                 const PandasmRunOptions& options) {
  return Runner(program, options).run(name, arguments);
}

}  // namespace braid::driver
