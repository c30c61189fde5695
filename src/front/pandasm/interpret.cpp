// Frames of the direct interpreter: calls, initialisers, handlers, roots, and how runs begin and end.
#include "front/pandasm/interpret.h"

#include <algorithm>
#include <utility>

namespace braid::pandasm {

namespace {

/// Steps between two looks at what is due, if nothing wants to be asked at each of them.
constexpr uint64_t most_steps_unseen = 1 << 16;

}  // namespace

Interpreter::Interpreter(Vm& vm, const std::vector<FunctionTypes>& types, const InterpreterOptions& options)
    : vm_(vm), types_(types), options_(options), codes_(vm.program().functions.size()), steps_left_(options.max_steps) {
  vm_.heap().add_roots(*this);
  if (const uint64_t at = options.throw_at != 0 ? options.throw_at : options.watch_at; at != 0) throw_at(at);
}

Interpreter::~Interpreter() { vm_.heap().remove_roots(*this); }

DenseCode& Interpreter::dense(uint32_t function) {
  std::unique_ptr<DenseCode>& code = codes_[function];
  if (code == nullptr) {
    code = std::make_unique<DenseCode>(make_dense(vm_, function));
    if (throws_in_ != 0) watch_throws(*code, vm_.program().functions[function]);
  }
  return *code;
}

void Interpreter::throw_at(uint64_t n) {
  throws_in_ = n;
  for (const std::unique_ptr<DenseCode>& code : codes_)
    if (code != nullptr) watch_throws(*code, vm_.program().functions[code->function]);
}

FrameFacts& Interpreter::facts(DenseCode& code) {
  if (code.facts == nullptr)
    code.facts = std::make_unique<FrameFacts>(vm_.program(), vm_.links(), code.function, types_[code.function]);
  return *code.facts;
}

void Interpreter::visit_roots(heap::RootVisitor& visitor) {
  for (size_t i = 0; i < activations_.size(); ++i) {
    const Activation& activation = activations_[i];
    for (uint32_t number : facts(*activation.code).references(activation.pc)) visitor.visit(argument(activation, number));
    // An object that is being made is its maker's, too.
    const Opcode opcode = vm_.program().functions[activation.code->function].code[activation.pc].opcode;
    if (makes_object(opcode) && i + 1 < activations_.size()) visitor.visit(activation.accumulator);
  }
}

// ---- frames ----

void Interpreter::append(DenseCode& code, uint32_t initialises, uint32_t below) {
  const uint32_t base =
      activations_.empty() ? 0 : activations_.back().base + activations_.back().code->register_count;
  if (base + code.register_count > stack_.size()) stack_.resize(std::max<size_t>(2 * stack_.size(), base + code.register_count));
  activations_.push_back({&code, 0, 0, base, initialises, below + code.frames});
}

bool Interpreter::push(uint32_t function, uint32_t initialises, uint32_t below) {
  DenseCode& code = dense(function);
  // The first one may be as large as it likes.
  if (below != 0 && below + code.frames > options_.max_depth) {
    vm_.throw_new(Thrown::stack_overflow, {});
    return false;
  }
  append(code, initialises, below);
  return true;
}

void Interpreter::pop() {
  if (options_.keeps_registers && activations_.size() == kept_) {
    const std::vector<uint64_t> registers = image(activations_.back()).registers;
    last_registers_.insert(last_registers_.end(), registers.begin(), registers.end());
    --kept_;
  }
  const uint32_t initialised = activations_.back().initialises;
  activations_.pop_back();
  if (initialised != unlinked) vm_.end_initialiser(initialised);
}

Interpreter::Flow Interpreter::begin_initialising(uint32_t record) {
  const Initialiser initialiser = vm_.begin_initialiser(record);
  if (initialiser.need == Initialiser::Need::threw) return Flow::raise;
  is_counted_ = initialiser.need == Initialiser::Need::nothing;
  if (is_counted_ || push(initialiser.function, initialiser.record, activations_.back().depth)) return Flow::next;
  vm_.end_initialiser(initialiser.record);
  return Flow::raise;
}

Interpreter::Flow Interpreter::call(CallSite& site) {
  if (site.initialises != unlinked && !vm_.is_initialised(site.initialises)) return begin_initialising(site.initialises);
  if (--budget_ <= 0 && !pay()) {
    ended_ = RunResult::Kind::stopped;
    return Flow::done;
  }
  uint32_t callee = site.callee;
  const uint32_t* arguments = activations_.back().code->arguments.data() + site.first_argument;
  if (site.is_virtual) {
    const ClassId id = vm_.heap().class_of(argument(activations_.back(), arguments[0]));
    if (is_none(id)) {
      vm_.throw_null();
      return Flow::raise;
    }
    if (id != site.seen) {
      site.has_seen_others = !is_none(site.seen);
      site.seen = id;
      site.target = vm_.classes().find_virtual(id, callee);
    }
    callee = site.target;
  }
  Reference made = heap::null;
  if (site.makes_object && vm_.classes()[site.made].record != unlinked) {
    const Outcome object = vm_.new_object(site.made);
    if (object.threw) return Flow::raise;
    activations_.back().accumulator = made = object.value;
  }
  if (vm_.form(callee) != FunctionForm::bytecode) return call_library(site, callee, made);
  if (!push(callee, unlinked, activations_.back().depth)) return Flow::raise;
  const Activation& caller = activations_[activations_.size() - 2];
  uint64_t* to = stack_.data() + activations_.back().base + activations_.back().code->first_parameter;
  if (site.makes_object) *to++ = made;
  for (uint32_t i = 0; i < site.argument_count; ++i) *to++ = argument(caller, arguments[i]);
  if (!site.is_virtual && !site.makes_object) site.direct = activations_.back().code;
  return Flow::next;
}

Interpreter::Flow Interpreter::call_library(const CallSite& site, uint32_t callee, Reference made) {
  Activation& caller = activations_.back();
  const uint32_t* arguments = caller.code->arguments.data() + site.first_argument;
  outgoing_.clear();
  if (made != heap::null) outgoing_.push_back(made);
  for (uint32_t i = 0; i < site.argument_count; ++i) outgoing_.push_back(argument(caller, arguments[i]));
  const Outcome outcome = vm_.call_library(callee, outgoing_);
  if (outcome.threw) return Flow::raise;
  caller.accumulator = made != heap::null ? made : outcome.value;
  ++caller.pc;
  return Flow::next;
}

bool Interpreter::leave(size_t base, uint64_t value) {
  const bool is_initialiser = activations_.back().initialises != unlinked;
  activations_.back().accumulator = value;
  pop();
  if (activations_.size() == base) {
    result_ = value;
    return false;
  }
  // What an initialiser stood before is executed now; a call has been.
  is_counted_ = is_initialiser;
  if (is_initialiser) return true;
  Activation& caller = activations_.back();
  if (!caller.code->calls[caller.code->code[caller.pc].a].makes_object) caller.accumulator = value;
  ++caller.pc;
  return true;
}

bool Interpreter::unwind(size_t base) {
  for (; activations_.size() > base; pop()) {
    Activation& activation = activations_.back();
    trace_.push_back({activation.code->function, activation.pc});
    if (activation.code->caught.empty()) continue;
    const FrameFacts& known = facts(*activation.code);
    const Catch* found = nullptr;
    known.for_each_handler(activation.pc, [&](uint32_t range) {
      const Catch& handler = known.catch_of(range);
      const size_t line = static_cast<size_t>(&handler - vm_.program().functions[activation.code->function].catches.data());
      if (handler.is_all || vm_.is_instance(vm_.pending(), activation.code->caught[line])) found = &handler;
      return found == nullptr;
    });
    if (found == nullptr) continue;
    activation.pc = found->handler;
    activation.accumulator = vm_.take_pending();
    trace_.clear();
    return true;
  }
  return false;
}

// ---- steps and loops ----

bool Interpreter::pay() {
  steps_left_ -= std::min(chunk_, steps_left_);
  chunk_ = 0;
  if (steps_left_ == 0) return false;
  vm_.safepoint();
  const bool is_watched = options_.watcher != nullptr || vm_.heap().options().stress;
  chunk_ = is_watched ? 1 : std::min(steps_left_, most_steps_unseen);
  budget_ = static_cast<int64_t>(chunk_);
  return true;
}

Interpreter::Flow Interpreter::look(size_t base) {
  if (!pay()) {
    ended_ = RunResult::Kind::stopped;
    return Flow::done;
  }
  return options_.watcher == nullptr ? Flow::next : watch(base);
}

Interpreter::Flow Interpreter::watch(size_t base) {
  DenseCode& code = *activations_.back().code;
  if (code.header_counts.empty()) code.header_counts.resize(code.code.size(), 0);
  const uint32_t count = ++code.header_counts[activations_.back().pc];
  return count < options_.watch_after ? Flow::next : ask(base, count);
}

Interpreter::Flow Interpreter::ask(size_t base, uint32_t count) {
  DenseCode& code = *activations_.back().code;
  LoopAnswer answer = options_.watcher->at_loop_header(image(activations_.back()), count);
  for (uint32_t i = 1; i < answer.frame_count; ++i) pop();
  switch (answer.kind) {
    case LoopAnswer::Kind::go_on: return Flow::next;
    case LoopAnswer::Kind::returned:
      if (leave(base, answer.value)) return Flow::next;
      ended_ = RunResult::Kind::returned;
      return Flow::done;
    case LoopAnswer::Kind::threw:
      trace_ = std::move(answer.trace);
      if (trace_.empty()) trace_.push_back({code.function, activations_.back().pc});
      pop();
      if (activations_.size() > base) return Flow::raise;
      ended_ = RunResult::Kind::threw;
      return Flow::done;
    case LoopAnswer::Kind::stopped: ended_ = RunResult::Kind::stopped; return Flow::done;
    case LoopAnswer::Kind::replaced: break;
  }
  const Activation left = activations_.back();
  const size_t first = activations_.size() - 1;
  activations_.pop_back();
  for (const Frame& frame : answer.frames)
    push_image(frame, activations_.size() == first ? left.depth - left.code->frames : activations_.back().depth);
  activations_[first].initialises = left.initialises;
  return Flow::next;
}

std::vector<Frame> Interpreter::running_frames(uint32_t count) const {
  std::vector<Frame> frames;
  for (size_t i = activations_.size() - std::min<size_t>(count, activations_.size()); i < activations_.size(); ++i)
    frames.push_back(image(activations_[i]));
  return frames;
}

Frame Interpreter::image(const Activation& activation) const {
  Frame frame{activation.code->function, activation.pc, {}, activation.depth};
  const uint64_t* first = stack_.data() + activation.base;
  frame.registers.assign(first, first + activation.code->register_count);
  frame.registers.push_back(activation.accumulator);
  return frame;
}

void Interpreter::push_image(const Frame& frame, uint32_t below) {
  append(dense(frame.function), unlinked, below);
  Activation& activation = activations_.back();
  activation.pc = frame.pc;
  activation.accumulator = frame.registers.back();
  std::copy_n(frame.registers.begin(), activation.code->register_count, stack_.begin() + activation.base);
}

Receivers Interpreter::receivers_at(uint32_t function, bytecode::Pc pc) const {
  const DenseCode* code = codes_[function].get();
  if (code == nullptr) return {};
  const CallSite& site = code->calls[code->code[pc].a];
  if (is_none(site.seen) || site.has_seen_others) return {};
  return {true, vm_.classes()[site.seen].record};
}

// ---- runs ----

RunResult Interpreter::run(size_t base) {
  RunResult result;
  const size_t kept = std::exchange(kept_, activations_.size());
  std::vector<uint64_t> registers = std::exchange(last_registers_, {});
  result.kind = execute(base);
  kept_ = kept;
  result.value = result_;
  if (result.kind == RunResult::Kind::stopped) activations_.resize(base, {nullptr, 0, 0, 0, unlinked});
  if (result.kind == RunResult::Kind::threw) result.trace = std::move(trace_);
  result.registers = std::exchange(last_registers_, std::move(registers));
  trace_.clear();
  return result;
}

RunResult Interpreter::initialise(uint32_t record, uint32_t below) {
  while (!vm_.is_initialised(record)) {
    const Initialiser initialiser = vm_.begin_initialiser(record);
    if (initialiser.need == Initialiser::Need::threw) return {RunResult::Kind::threw, 0, {}};
    if (initialiser.need == Initialiser::Need::nothing) break;
    if (!push(initialiser.function, initialiser.record, below)) {
      vm_.end_initialiser(initialiser.record);
      return {RunResult::Kind::threw, 0, {}};
    }
    if (RunResult result = run(activations_.size() - 1); result.kind != RunResult::Kind::returned) return result;
  }
  return {};
}

RunResult Interpreter::call(uint32_t function, std::span<const uint64_t> arguments, uint32_t below) {
  const uint32_t record = vm_.classes().initialised_by_call(function);
  if (record != unlinked)
    if (RunResult result = initialise(record, below); result.kind != RunResult::Kind::returned) return result;
  if (vm_.form(function) != FunctionForm::bytecode) {
    const Outcome outcome = vm_.call_library(function, arguments);
    return {outcome.threw ? RunResult::Kind::threw : RunResult::Kind::returned, outcome.value, {}};
  }
  if (!push(function, unlinked, below)) return {RunResult::Kind::threw, 0, {}};
  const Activation& activation = activations_.back();
  std::copy(arguments.begin(), arguments.end(), stack_.begin() + activation.base + activation.code->first_parameter);
  return run(activations_.size() - 1);
}

RunResult Interpreter::resume(std::span<const Frame> frames, uint32_t below) {
  const size_t base = activations_.size();
  for (const Frame& frame : frames) {
    push_image(frame, below);
    below = activations_.back().depth;
  }
  return run(base);
}

}  // namespace braid::pandasm
