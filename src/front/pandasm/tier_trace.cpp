#include "front/pandasm/tier_trace.h"

#include "base/number_text.h"
#include "front/pandasm/pandasm.h"
#include "ir/bits.h"

namespace braid::pandasm {

std::string TierTrace::place(Translation::Place at) const {
  const Function& function = vm_.program().functions[at.function];
  std::string text(vm_.program().symbols.view(function.name));
  text += " at " + std::to_string(at.pc) + " (";
  append_instruction(text, vm_.program(), function, at.pc);
  return text + ")";
}

std::string TierTrace::value(const Value& value) const {
  std::string text;
  if (value.type == ref) return vm_.shown(value.bits);
  if (value.type == f32) append_decimal_float(text, ir::as_float<float>(value.bits));
  else if (value.type == f64) append_decimal_float(text, ir::as_float<double>(value.bits));
  else append_i64(text, static_cast<int64_t>(value.bits));
  return text;
}

std::string TierTrace::registers(Translation::Place at, const ir::FrameState& state) const {
  const Function& function = vm_.program().functions[at.function];
  const uint32_t accumulator = function.local_count + static_cast<uint32_t>(function.parameters.size());
  std::string text;
  for (const ir::FrameState::Register& r : state.registers) {
    text += text.empty() ? ": " : ", ";
    if (r.number == accumulator) text += "acc";
    else append_register(text, function, r.number);
    text += " = " + (r.value ? value(*r.value) : "undefined");
  }
  return text;
}

void TierTrace::builds(Translation::Place header, const ir::Function& code) {
  sink_("builds code for " + place(header) + ": @" + std::string(code.name_text()) + ", " + std::to_string(code.size()) + " statements");
}

void TierTrace::enters(Translation::Place at, const ir::FrameState& state) {
  sink_("enters " + place(at) + registers(at, state));
}

void TierTrace::leaves(const Translation& translation, std::span<const ir::FrameState> states, std::string_view because) {
  std::string_view verb = "leaves ";
  for (const ir::FrameState& state : states) {
    const Translation::Place at = translation.place(state.position);
    std::string line = std::string(verb) + place(at) + registers(at, state);
    if (&state == states.data() && !because.empty()) line.append(", ").append(because);
    sink_(line);
    verb = "  called by ";
  }
}

void TierTrace::returns(Translation::Place at, const Value& result) {
  sink_("returns from " + place(at) + (result.type == void_type ? "" : ": " + value(result)));
}

void TierTrace::throws(Translation::Place at) { sink_("throws out of " + place(at) + ": " + vm_.describe(vm_.pending())); }

}  // namespace braid::pandasm
