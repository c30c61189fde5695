#include "front/pandasm/ssa_engine.h"

#include <algorithm>

namespace braid::pandasm {

SsaEngine::SsaEngine(const SourceFile& source, const std::vector<FunctionTypes>& types, Vm& vm,
                     const SsaOptions& options)
    : vm_(vm), options_(options) {
  TranslationOptions translation;
  translation.build.osr_states = false;
  translation.may_leave = static_cast<bool>(options.stays);
  // What is inlined can be left only if the frames of its callers are known.
  translation.build.call_states = std::any_of(options_.passes.begin(), options_.passes.end(),
                                              [](const passes::Pass* pass) { return pass->name == "inline"; });
  translation_ = std::make_unique<Translation>(source, vm.program(), vm.links(), types, translation);
  translation_->initialise_function();
  ir::Module& module = translation_->module();
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (!f.is_external()) ssa::construct(f, {options_.algorithm, ssa::Prune::pruned, nullptr});
  }
  if (!options_.passes.empty()) passes::run_passes(module, options_.passes);
  bind();
  bind_functions();
  interp::RunOptions run;
  run.max_depth = options.max_depth;
  run.max_steps = options.max_steps;
  run.runtime = this;
  // A new object collects where it is time to; only who wants to collect everywhere needs more places.
  run.passes_stops = !vm.heap().options().stress;
  interpreter_ = std::make_unique<interp::Interpreter>(module, run);
  vm_.heap().add_roots(*this);
}

SsaEngine::~SsaEngine() { vm_.heap().remove_roots(*this); }

void SsaEngine::visit_roots(heap::RootVisitor& visitor) {
  for (const Run& run : runs_) run.frames->visit_references([&](uint64_t reference) { visitor.visit(reference); });
}

// ---- exceptions ----

uint64_t SsaEngine::make_error(std::string_view kind, std::string_view text) {
  if (kind != thrown)
    vm_.throw_new(Thrown::illegal_state, std::string(kind) + (text.empty() ? "" : ": ") + std::string(text));
  return vm_.take_pending();
}

uint64_t SsaEngine::make_failure(ir::ErrorKind kind, uint64_t value, uint64_t bound) {
  switch (kind) {
    case ir::ErrorKind::null_: vm_.throw_null(); break;
    case ir::ErrorKind::zero: vm_.throw_zero(); break;
    case ir::ErrorKind::negative: vm_.throw_negative_size(static_cast<int32_t>(value)); break;
    case ir::ErrorKind::bounds: vm_.throw_bounds(static_cast<int32_t>(value), static_cast<uint32_t>(bound)); break;
    default: return make_error(ir::error_name(kind), {});
  }
  return vm_.take_pending();
}

uint64_t SsaEngine::make_stack_overflow() {
  vm_.throw_new(Thrown::stack_overflow, {});
  return vm_.take_pending();
}

// ---- runs ----

RunResult SsaEngine::result_of(interp::Outcome outcome) {
  switch (outcome.kind) {
    case interp::OutcomeKind::value: return {RunResult::Kind::returned, outcome.value.bits, {}};
    case interp::OutcomeKind::exception: vm_.throw_object(outcome.value.bits); return {RunResult::Kind::threw, 0, {}};
    case interp::OutcomeKind::limit: return {RunResult::Kind::stopped, 0, {}};
    default: break;
  }
  // A trap of code that was verified: it cannot go on, and says so.
  vm_.throw_new(Thrown::illegal_state, interp::to_string(outcome));
  return {RunResult::Kind::threw, 0, {}};
}

RunResult SsaEngine::call(uint32_t function, std::span<const uint64_t> arguments) {
  ir::Module& module = translation_->module();
  const uint32_t record = vm_.classes().initialised_by_call(function);
  if (record != unlinked && !vm_.is_initialised(record)) {
    const Value number(i32, record);
    const interp::Outcome outcome =
        interpreter_->run(module.function(translation_->initialise_function()), {&number, 1});
    if (outcome.kind != interp::OutcomeKind::value) return result_of(outcome);
  }
  const ir::Function& f = module.function(translation_->function(function));
  if (f.is_external()) {
    const Outcome outcome = vm_.call_library(function, arguments);
    return {outcome.threw ? RunResult::Kind::threw : RunResult::Kind::returned, outcome.value, {}};
  }
  std::vector<Value> values;
  for (uint32_t i = 0; i < arguments.size(); ++i) values.emplace_back(f.param_type(i), arguments[i]);
  return result_of(interpreter_->run(f, values));
}

LoopAnswer SsaEngine::at_loop_header(const Frame& frame, uint32_t) {
  ir::Module& module = translation_->module();
  auto [at, is_new] = entries_.try_emplace(uint64_t{frame.function} << 32 | frame.pc);
  if (is_new) {
    at->second = translation_->add_entry(frame.function, frame.pc);
    ssa::construct(module.function(at->second.function), {options_.algorithm, ssa::Prune::pruned, nullptr});
    passes::RunOptions only;
    only.only = at->second.function;
    if (!options_.passes.empty()) passes::run_passes(module, options_.passes, only);
  }
  const Translation::Entry& entry = at->second;
  const ir::Function& f = module.function(entry.function);
  std::vector<Value> values;
  for (uint32_t i = 0; i < entry.registers.size(); ++i)
    values.emplace_back(f.param_type(i), frame.registers[entry.registers[i]]);
  ++statistics_.entries;
  next_is_entry_ = true;
  interp::Outcome outcome = interpreter_->run(f, values);
  if (outcome.kind == interp::OutcomeKind::deopt) return {LoopAnswer::Kind::replaced, 0, frames_of(outcome.states)};
  const RunResult result = result_of(std::move(outcome));
  if (result.kind == RunResult::Kind::returned) return {LoopAnswer::Kind::returned, result.value, {}};
  if (result.kind == RunResult::Kind::stopped) vm_.throw_new(Thrown::illegal_state, "too many steps");
  return {LoopAnswer::Kind::threw, 0, {}};
}

/// Outermost first. What is dead at the state stays zero: nothing reads it.
std::vector<Frame> SsaEngine::frames_of(std::span<const ir::FrameState> states) const {
  std::vector<Frame> frames;
  for (size_t i = states.size(); i-- > 0;) {
    const Translation::Place place = translation_->place(states[i].position);
    const Function& function = vm_.program().functions[place.function];
    Frame& frame = frames.emplace_back();
    frame.function = place.function;
    frame.pc = place.pc;
    frame.registers.assign(function.local_count + function.parameters.size() + 1, 0);
    for (const ir::FrameState::Register& r : states[i].registers)
      if (r.value) frame.registers[r.number] = r.value->bits;
  }
  return frames;
}

std::optional<ir::HostResult> SsaEngine::resume(std::span<const ir::FrameState> states, bool is_first) {
  ++statistics_.leaves;
  if (direct_ == nullptr || (is_first && runs_.back().is_entry)) return std::nullopt;
  const std::vector<Frame> frames = frames_of(states);
  const RunResult result = direct_->resume(frames);
  if (result.kind == RunResult::Kind::threw) return ir::HostResult::raise_object(vm_.take_pending());
  if (result.kind == RunResult::Kind::stopped) return ir::HostResult::raise("too many steps");
  const braid::Type type = storage_of(vm_.program().functions[frames[0].function].result);
  return ir::HostResult(type == void_type ? Value() : Value(type, result.value));
}

}  // namespace braid::pandasm
