#include "front/pandasm/ssa_engine.h"

#include <algorithm>
#include <tuple>

namespace braid::pandasm {

namespace {

constexpr uint32_t most_failures = 3;     ///< of a guess, before code is built without it
constexpr uint32_t least_sure_depth = 8;  ///< calls that are worth a run of their own

}  // namespace

SsaEngine::SsaEngine(const SourceFile& source, const std::vector<FunctionTypes>& types, Vm& vm,
                     const SsaOptions& options)
    : source_(source), types_(types), vm_(vm), options_(options), steps_left_(options.max_steps),
      told_(vm, options.trace) {
  vm_.heap().add_roots(*this);
}

SsaEngine::~SsaEngine() { vm_.heap().remove_roots(*this); }

Translation& SsaEngine::translation() {
  if (translation_ == nullptr) build();
  return *translation_;
}

void SsaEngine::restart() {
  steps_left_ = options_.max_steps;
  initialising_.clear();
  failures_.clear();
  outdated_.clear();
  guess_failed_ = false;
  trace_.clear();
  left_registers_.clear();
  left_frames_ = 0;
  statistics_ = {};
  if (translation_ != nullptr) statistics_.guesses = translation_->guess_count();
}

void SsaEngine::build() {
  TranslationOptions translation;
  translation.build.osr_states = false;
  translation.locations = true;
  translation.may_leave = static_cast<bool>(options_.stays);
  // What is inlined can be left only if the frames of its callers are known.
  const bool inlines = std::any_of(options_.passes.begin(), options_.passes.end(),
                                   [](const passes::Pass* pass) { return pass->name == "inline"; });
  translation.build.call_states = inlines;
  translation.guesses = inlines;
  translation.receivers = [this](uint32_t function, bytecode::Pc pc) { return receivers_at(function, pc); };
  translation_ = std::make_unique<Translation>(source_, vm_.program(), vm_.links(), types_, translation);
  translation_->initialise_function();
  finish(none_id<ir::FuncId>);
  bind();
  bind_functions();
  bind_accesses();
  interp::RunOptions run;
  run.runtime = this;
  run.heap = &access_;
  // A new object collects where it is time to; only who wants to collect everywhere needs more places.
  run.passes_stops = !vm_.heap().options().stress;
  interpreter_ = std::make_unique<interp::Interpreter>(translation_->module(), run);
}

void SsaEngine::finish(ir::FuncId only) {
  ir::Module& module = translation_->module();
  const bool is_all = is_none(only);
  const uint32_t first = is_all ? 0 : index(only);
  const uint32_t end = is_all ? static_cast<uint32_t>(module.function_count()) : first + 1;
  for (uint32_t i = first; i < end; ++i)
    if (!module.function(static_cast<ir::FuncId>(i)).is_external()) construct(static_cast<ir::FuncId>(i));
  passes::RunOptions how;
  how.only = only;
  if (!options_.passes.empty()) passes::run_passes(module, options_.passes, how);
  for (uint32_t i = first; i < end; ++i)
    most_inlined_ = std::max(most_inlined_, more_frames(module.function(static_cast<ir::FuncId>(i))));
  statistics_.guesses = translation_->guess_count();
}

void SsaEngine::construct(ir::FuncId function) {
  ssa::construct(translation_->module().function(function), {options_.algorithm, ssa::Prune::pruned, nullptr});
}

void SsaEngine::visit_roots(heap::RootVisitor& visitor) {
  for (const Run& run : runs_) run.frames->visit_references([&](uint64_t reference) { visitor.visit(reference); });
}

// ---- guesses ----

Receivers SsaEngine::receivers_at(uint32_t function, bytecode::Pc pc) const {
  if (translation_ != nullptr) {
    const auto failed = failures_.find(translation_->position(function, pc));
    if (failed != failures_.end() && failed->second >= most_failures) return {false, unlinked};
  }
  if (options_.receivers) return options_.receivers(function, pc);
  return direct_ == nullptr ? Receivers{} : direct_->receivers_at(function, pc);
}

void SsaEngine::note_failure(std::span<const ir::FrameState> states, bool leaves_entry) {
  ++statistics_.failed_guesses;
  // There is newer code already.
  if (interpreter_->is_outdated()) return;
  if (++failures_[states[0].position] < most_failures) return;
  // The guess is in all that the function was inlined into, and in itself unless that was built again because of another one of them.
  const size_t first = translation_->is_guess(states[0].position) ? 0 : 1;
  for (const ir::FrameState& state : states.subspan(first)) {
    const uint32_t function = translation_->place(state.position).function;
    if (std::find(outdated_.begin(), outdated_.end(), function) == outdated_.end()) outdated_.push_back(function);
  }
  if (!leaves_entry) return;
  const auto entry = entries_.find(runs_.back().entry);
  interpreter_->invalidate(entry->second.function);
  entries_.erase(entry);
  ++statistics_.rebuilt;
}

void SsaEngine::rebuild() {
  for (uint32_t number : std::exchange(outdated_, {})) {
    const ir::FuncId id = translation_->function(number);
    const uint32_t sure = most_inlined_;
    translation_->translate_again(number);
    finish(id);
    // Runs that are under way count on what their calls are at most.
    if (!runs_.empty() && most_inlined_ > sure) {
      translation_->translate_again(number);
      construct(id);
      most_inlined_ = sure;
    }
    interpreter_->invalidate(id);
    ++statistics_.rebuilt;
  }
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

/// The calls in whose place a statement stands come behind it.
void SsaEngine::unwinds_to(ir::Loc loc) {
  const ir::Module& module = translation_->module();
  for (; loc != ir::Loc{}; loc = module.location(loc).inlined_at)
    if (const std::optional<Translation::Place> place = translation_->place(module.location(loc)))
      trace_.push_back({place->function, place->pc});
}

void SsaEngine::throws_at(ir::Loc loc) {
  if (loc == ir::Loc{}) return;
  trace_.clear();
  unwinds_to(loc);
}

// ---- runs ----

uint32_t SsaEngine::sure_depth(uint32_t below) const {
  return below >= options_.max_depth ? 0 : (options_.max_depth - below) / (1 + most_inlined_);
}

interp::Outcome SsaEngine::run(const ir::Function& f, std::span<const Value> arguments, uint32_t below) {
  const auto [steps, depth, memory] = std::tuple(interpreter_->options().max_steps, interpreter_->options().max_depth,
                                                 interpreter_->options().max_memory);
  // The first one may be as large as it likes.
  interpreter_->set_limits(steps_left_, std::max(sure_depth(below), 1u), memory);
  interp::Outcome outcome = interpreter_->run(f, arguments, below);
  steps_left_ -= std::min(steps_left_, outcome.steps);
  interpreter_->set_limits(steps, depth, memory);
  return outcome;
}

RunResult SsaEngine::result_of(interp::Outcome outcome) {
  switch (outcome.kind) {
    case interp::OutcomeKind::value: return {RunResult::Kind::returned, outcome.value.bits, {}};
    case interp::OutcomeKind::exception:
      vm_.throw_object(outcome.value.bits);
      return {RunResult::Kind::threw, 0, std::move(trace_)};
    case interp::OutcomeKind::limit: return {RunResult::Kind::stopped, 0, {}};
    default: break;
  }
  // A trap of code that was verified: it cannot go on, and says so.
  vm_.throw_new(Thrown::illegal_state, interp::to_string(outcome));
  return {RunResult::Kind::threw, 0, {}};
}

RunResult SsaEngine::call(uint32_t function, std::span<const uint64_t> arguments) {
  ir::Module& module = translation().module();
  rebuild();
  const uint32_t record = vm_.classes().initialised_by_call(function);
  if (record != unlinked && !vm_.is_initialised(record)) {
    const Value number(i32, record);
    const interp::Outcome outcome = run(module.function(translation_->initialise_function()), {&number, 1}, 0);
    if (outcome.kind != interp::OutcomeKind::value) return result_of(outcome);
  }
  const ir::Function& f = module.function(translation_->function(function));
  if (f.is_external()) {
    const Outcome outcome = vm_.call_library(function, arguments);
    return {outcome.threw ? RunResult::Kind::threw : RunResult::Kind::returned, outcome.value, {}};
  }
  if (direct_ != nullptr && sure_depth(0) == 0) return direct_->call(function, arguments);
  std::vector<Value> values;
  for (uint32_t i = 0; i < arguments.size(); ++i) values.emplace_back(f.param_type(i), arguments[i]);
  return result_of(run(f, values, 0));
}

LoopAnswer SsaEngine::at_loop_header(const Frame& frame, uint32_t) {
  ir::Module& module = translation().module();
  rebuild();
  const uint64_t key = uint64_t{frame.function} << 32 | frame.pc;
  auto [at, is_new] = entries_.try_emplace(key);
  if (is_new) {
    at->second = translation_->add_entry(frame.function, frame.pc);
    finish(at->second.function);
    if (told_) told_.builds({frame.function, frame.pc}, module.function(at->second.function));
  }
  const Translation::Entry& entry = at->second;
  const ir::Function& f = module.function(entry.function);
  const uint32_t below = frame.depth - f.frames;
  if (sure_depth(below) == 0) return {};
  std::vector<Value> values;
  for (uint32_t i = 0; i < entry.registers.size(); ++i)
    values.emplace_back(f.param_type(i), frame.registers[entry.registers[i]]);
  ++statistics_.entries;
  if (told_) {
    ir::FrameState state;
    for (uint32_t i = 0; i < values.size(); ++i) state.registers.push_back({entry.registers[i], values[i]});
    told_.enters({frame.function, frame.pc}, state);
  }
  next_entry_ = key;
  interp::Outcome outcome = run(f, values, below);
  if (outcome.kind == interp::OutcomeKind::deopt) return {LoopAnswer::Kind::replaced, 0, frames_of(outcome.states)};
  if (told_ && outcome.kind == interp::OutcomeKind::value) told_.returns({frame.function, frame.pc}, outcome.value);
  RunResult result = result_of(std::move(outcome));
  switch (result.kind) {
    case RunResult::Kind::returned: return {LoopAnswer::Kind::returned, result.value};
    case RunResult::Kind::stopped: return {LoopAnswer::Kind::stopped};
    case RunResult::Kind::threw: break;
  }
  if (told_) told_.throws({frame.function, frame.pc});
  return {LoopAnswer::Kind::threw, 0, {}, std::move(result.trace)};
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

ir::HostResult SsaEngine::host_result(RunResult result, braid::Type type) {
  if (result.kind == RunResult::Kind::stopped) return ir::HostResult::stop("too many steps");
  if (result.kind == RunResult::Kind::returned) return type == void_type ? Value() : Value(type, result.value);
  trace_ = std::move(result.trace);
  return ir::HostResult::raise_object(vm_.take_pending());
}

std::optional<ir::HostResult> SsaEngine::resume(std::span<const ir::FrameState> states, bool is_first) {
  ++statistics_.leaves;
  const bool leaves_entry = is_first && runs_.back().entry != no_entry;
  // An instruction may be left for other reasons, but not after its guess was checked.
  const uint32_t position = states[0].position;
  const bool is_guess = guess_failed_ && (translation_->is_guess(position) || failures_.contains(position));
  if (told_) told_.leaves(*translation_, states, is_guess ? "the receiver is another one than before" : "");
  if (is_guess) note_failure(states, leaves_entry);
  guess_failed_ = false;
  if (direct_ == nullptr || leaves_entry) return std::nullopt;
  const std::vector<Frame> frames = frames_of(states);
  const Function& outermost = vm_.program().functions[frames[0].function];
  RunResult result = direct_->resume(frames, runs_.back().frames->depth() - pandasm::frames_of(outermost));
  left_registers_ = std::move(result.registers);
  left_frames_ = static_cast<uint32_t>(frames.size());
  rebuild();
  return host_result(std::move(result), storage_of(outermost.result));
}

std::optional<ir::HostResult> SsaEngine::call_elsewhere(ir::FuncId id, std::span<const Value> arguments, uint32_t depth) {
  if (direct_ == nullptr) return std::nullopt;
  const ir::Function& f = translation_->module().function(id);
  const braid::Type type = f.result_type();
  // Each run can nest a share of what is left, so there are not many of them inside of each other.
  if (sure_depth(depth) >= least_sure_depth) return host_result(result_of(run(f, arguments, depth)), type);
  statistics_.run_directly += depth < options_.max_depth;
  if (id == translation_->initialise_function())
    return host_result(direct_->initialise(static_cast<uint32_t>(arguments[0].bits), depth), type);
  std::vector<uint64_t> words;
  for (const Value& value : arguments) words.push_back(value.bits);
  return host_result(direct_->call(translation_->number_of(id), words, depth), type);
}

}  // namespace braid::pandasm
