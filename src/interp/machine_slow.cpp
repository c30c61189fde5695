// What the machine does beside dispatching: calls out, values between layouts, exceptions, states, the ends of runs.
#include <algorithm>
#include <utility>
#include <cstring>

#include "interp/machine.h"
#include "ir/strings.h"
#include "type/type_text.h"

namespace braid::interp {

using ir::ErrorKind;

Machine::Machine(Interpreter& interpreter, ir::Runtime& runtime)
    : interpreter_(interpreter), runtime_(runtime), options_(interpreter.options_), layouts_(interpreter.layouts_),
      tuples_(options_.max_memory), activations_(options_.max_depth),
      heap_(options_.heap == nullptr ? nullptr : options_.heap->heap) {
  if (interpreter.spare_stack_.size() > options_.max_memory / sizeof(uint64_t)) return;
  stack_.swap(interpreter.spare_stack_);
  find_last_plain();
}

Machine::~Machine() {
  constexpr size_t most_kept = 1 << 16;
  if (stack_.size() <= most_kept) interpreter_.spare_stack_.swap(stack_);
}

void Machine::find_last_plain() {
  last_plain_ = stack_.size() < most_plain_registers ? nullptr : stack_.data() + stack_.size() - most_plain_registers;
}

Outcome Machine::run(const Code& code, std::span<const Value> arguments, uint32_t below) {
  below_ = below;
  constexpr uint64_t most = uint64_t{1} << 62;
  fuel_ = static_cast<int64_t>(std::min(options_.max_steps, most));
  int64_t full = fuel_;
  auto check = [&] {
    if (!memory_.reset(interpreter_.module_, options_.max_memory)) return out_of_memory() == Flow::next;
    if (arguments.size() != code.parameters.size()) {
      stop(OutcomeKind::error, code.name + " takes " + std::to_string(code.parameters.size()) + " arguments, not " +
                                   std::to_string(arguments.size()));
      return false;
    }
    if (push(&code, nullptr, nullptr, 0) != Flow::next) return false;
    uint32_t at = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      auto refuse = [&](const std::string& more) {
        stop(OutcomeKind::error, "argument " + std::to_string(i + 1) + " of " + code.name + " has another type" + more);
        return false;
      };
      if (!is_within(layouts_.types(), arguments[i], code.parameters[i]))
        return refuse(" than " + to_string(layouts_.types(), code.parameters[i]) + ": " + ir::to_string(arguments[i]));
      Stored stored = write_value(layouts_, tuples_, code.parameters[i], arguments[i], stack_.data() + at);
      if (stored == Stored::no_room) return out_of_memory() == Flow::next;
      if (stored == Stored::mismatch) return refuse({});
      at += layouts_.of(code.parameters[i]).size;
    }
    return true;
  };
  raw_intrinsics_ = runtime_.raw_intrinsics();
  runtime_.run_begins(*this);
  if (check()) execute();
  runtime_.run_ends(*this);
  Storage storage = layouts_.types().storage(outcome_.value.type);
  if (outcome_.kind == OutcomeKind::value && storage == Storage::ref)
    outcome_.message = ir::describe(interpreter_.module_, runtime_, outcome_.value.bits);
  outcome_.steps = static_cast<uint64_t>(full - std::max<int64_t>(fuel_, 0));
  return std::move(outcome_);
}

void Machine::visit_references(const std::function<void(uint64_t)>& visit) const {
  for (const Activation& activation : activations_)
    for (const ReferenceRegister& held : activation.code->references) {
      const uint64_t* word = activation.base + held.number;
      if (!held.is_mixed || word[-1] == static_cast<uint64_t>(Storage::ref)) visit(*word);
    }
  for (uint64_t exception : exceptions_) visit(exception);
  visit(pending_);
}

void Machine::replace_code(const Code& from, const Code& to) {
  for (Activation& activation : activations_)
    if (activation.code == &from) activation.code = &to;
}

uint32_t Machine::depth() const {
  uint32_t depth = below_;
  const Code* caller = nullptr;
  for (const Activation& activation : activations_) {
    depth += activation.code->frames + (caller == nullptr ? 0 : site_of(activation, *caller).inlined);
    caller = activation.code;
  }
  return depth;
}

Machine::Flow Machine::too_deep(const Code& code, const Instr* return_to, const CallSite* site) {
  if (!activations_.empty()) {
    const Activation& caller = activations_.back();
    const ir::Function& callee = interpreter_.module_.function(code.function);
    find_arguments(*caller.code, *site, callee.signature(), caller.base);
    if (auto result = runtime_.call_elsewhere(code.function, values_, depth() + site->inlined)) {
      const bool returned = result->kind == ir::HostResult::Kind::value;
      if (!returned) runtime_.unwinds_to(place_of(return_to - 1));
      return answer(*result, *site, return_to, code.name);
    }
    pending_ = runtime_.make_stack_overflow();
    if (pending_ != 0) return Flow::raise;
  }
  return stop(OutcomeKind::limit, "more than " + std::to_string(options_.max_depth) + " calls deep");
}

Machine::Flow Machine::answer(const ir::HostResult& result, const CallSite& site, const Instr* return_to, std::string_view name) {
  switch (result.kind) {
    case ir::HostResult::Kind::limit: return stop(OutcomeKind::limit, result.text);
    case ir::HostResult::Kind::error:
      if (raise(result.name, result.text) != Flow::raise) return Flow::stop;
      return unwind(nullptr) ? Flow::resume : Flow::stop;
    case ir::HostResult::Kind::exception:
      pending_ = result.exception;
      return unwind(nullptr) ? Flow::resume : Flow::stop;
    case ir::HostResult::Kind::value: break;
  }
  resume_at_ = return_to;
  const Flow stored = store_result(site, result.value, "what was called for ", name, activations_.back().base);
  return stored == Flow::next ? Flow::resume : stored;
}

Machine::Flow Machine::push(const Code* code, const Instr* return_to, const CallSite* site, uint64_t base) {
  if (!code->error.empty()) return stop(OutcomeKind::error, code->name + " cannot be run: " + code->error);
  if (activations_.is_full() && !activations_.make_room()) return too_deep(*code, return_to, site);
  uint64_t end = base + code->frame_size;
  if (end > stack_.size()) {
    if (end > options_.max_memory / sizeof(uint64_t)) return out_of_memory();
    grow_stack(std::min(std::max(2 * end, uint64_t{4} * most_plain_registers), options_.max_memory / sizeof(uint64_t)));
  }
  uint64_t* frame = stack_.data() + base;
  if (code->zeroed != 0) std::memset(frame + code->parameter_words, 0, code->zeroed * sizeof(uint64_t));
  for (const Code::InitialConstant& constant : code->constants) frame[constant.reg] = constant.bits;
  activations_.add() = {code, return_to, frame, static_cast<uint32_t>(handlers_.size()),
                        static_cast<uint32_t>(exceptions_.size()), memory_.mark()};
  return Flow::next;
}

void Machine::grow_stack(uint64_t registers) {
  std::vector<uint64_t> larger(static_cast<size_t>(registers));
  std::copy(stack_.begin(), stack_.end(), larger.begin());
  for (Activation& activation : activations_) activation.base = larger.data() + (activation.base - stack_.data());
  stack_.swap(larger);
  find_last_plain();
}

// ---- calls out ----

void Machine::find_arguments(const Code& code, const CallSite& site, const ir::Signature& signature, const uint64_t* base) {
  values_.clear();
  const uint32_t* registers = code.argument_registers.data() + site.first_argument;
  uint32_t at = 0;
  for (Type type : signature.params) {
    uint32_t size = layouts_.of(type).size;
    words_.clear();
    for (uint32_t i = 0; i < size && at < site.argument_words; ++i) words_.push_back(base[registers[at++]]);
    words_.resize(size, 0);
    values_.push_back(read_value(layouts_, tuples_, type, words_.data()));
  }
}

Machine::Flow Machine::store_result(const CallSite& site, const Value& value, std::string_view what, std::string_view name,
                                    uint64_t* base) {
  if (site.result.type == void_type) return Flow::next;
  if (is_within(layouts_.types(), value, site.result.type)) {
    switch (write_value(layouts_, tuples_, site.result.type, value, base + site.result.first)) {
      case Stored::ok: return Flow::next;
      case Stored::no_room: return out_of_memory();
      case Stored::mismatch: break;
    }
  }
  return stop(OutcomeKind::error,
              std::string(what) + std::string(name) + " answered a value of another type: " + ir::to_string(value));
}

constexpr std::string_view the_intrinsic = "intrinsic ";

/// Who is not said to throw must not: handlers around it may read what was never written.
Machine::Flow Machine::thrown_outside(const CallSite& site, std::string_view what, std::string_view name) {
  if (!site.cannot_throw) return Flow::raise;
  return stop(OutcomeKind::trap, std::string(what) + std::string(name) + " throws where it is said not to");
}

Machine::Flow Machine::thrown_by_raw(const CallSite& site) {
  const ir::Intrinsic& intrinsic = interpreter_.module_.intrinsics[site.intrinsic];
  return thrown_outside(site, the_intrinsic, interpreter_.module_.name(intrinsic.name));
}

Machine::Flow Machine::call_host(const Code& code, const CallSite& site, uint64_t* base) {
  constexpr std::string_view what = "host function @";
  const ir::Function& callee = interpreter_.module_.function(site.function);
  const std::string_view name = callee.name_text();
  const ir::HostFunction* host = runtime_.host_function(name);
  if (host == nullptr || !*host) return stop(OutcomeKind::error, "there is no " + std::string(what) + std::string(name));
  find_arguments(code, site, callee.signature(), base);
  ir::HostCall call{interpreter_.module_, values_, memory_, runtime_};
  ir::HostResult result = (*host)(call);
  if (result.kind == ir::HostResult::Kind::value) return store_result(site, result.value, what, name, base);
  if (result.kind == ir::HostResult::Kind::limit) return stop(OutcomeKind::limit, result.text);
  if (thrown_outside(site, what, name) == Flow::stop) return Flow::stop;
  if (result.kind == ir::HostResult::Kind::error) return raise(result.name, result.text);
  pending_ = result.exception;
  return Flow::raise;
}

Machine::Flow Machine::call_intrinsic(const Code& code, const CallSite& site, uint64_t* base) {
  constexpr std::string_view what = the_intrinsic;
  const ir::Intrinsic& intrinsic = interpreter_.module_.intrinsics[site.intrinsic];
  const std::string_view name = interpreter_.module_.name(intrinsic.name);
  if (!intrinsic.evaluate) return stop(OutcomeKind::error, std::string(what) + std::string(name) + " cannot be evaluated");
  find_arguments(code, site, interpreter_.module_.signature(intrinsic.signature), base);
  IntrinsicResult result = intrinsic.evaluate(values_);
  if (result.thrown.empty()) return store_result(site, result.value, what, name, base);
  if (thrown_outside(site, what, name) == Flow::stop) return Flow::stop;
  return raise(result.thrown);
}

// ---- values ----

Machine::Flow Machine::convert(const Conversion& conversion, uint64_t* base) {
  Value value = read_value(layouts_, tuples_, conversion.from.type, base + conversion.from.first);
  switch (write_value(layouts_, tuples_, conversion.to.type, value, base + conversion.to.first)) {
    case Stored::ok: return Flow::next;
    case Stored::no_room: return out_of_memory();
    case Stored::mismatch: break;
  }
  if (conversion.skip_mismatch) return Flow::next;
  return stop(OutcomeKind::trap, "a value is not of the type that it is known to be of");
}

Machine::Flow Machine::element(const Conversion& conversion, uint32_t field, uint64_t* base) {
  Value value = read_value(layouts_, tuples_, conversion.from.type, base + conversion.from.first);
  if (field < value.elements.size()) {
    Stored stored = write_value(layouts_, tuples_, conversion.to.type, value.elements[field], base + conversion.to.first);
    if (stored == Stored::ok) return Flow::next;
    if (stored == Stored::no_room) return out_of_memory();
  }
  return stop(OutcomeKind::trap, "a tuple is not of the type that it is known to be of");
}

Machine::Flow Machine::box(Type type, uint64_t* to, const uint64_t* from) {
  *to = runtime_.box(read_value(layouts_, tuples_, type, from));
  return *to == 0 ? out_of_memory() : Flow::next;
}

Machine::Flow Machine::unbox(Type type, uint64_t* to, uint64_t object) {
  if (object == 0) return raise(ErrorKind::null_);
  const Value* value = runtime_.unbox(object);
  if (value == nullptr) return raise(ErrorKind::cast);
  switch (write_value(layouts_, tuples_, type, *value, to)) {
    case Stored::ok: return Flow::next;
    case Stored::no_room: return out_of_memory();
    case Stored::mismatch: break;
  }
  return raise(ErrorKind::cast);
}

// ---- states ----

std::vector<ir::FrameState> Machine::read_states(const Code& code, uint32_t state, const uint64_t* base) {
  std::vector<ir::FrameState> states;
  for (; state != no_register; state = code.states[state].caller) {
    const SavedState& saved = code.states[state];
    ir::FrameState frame{saved.position, saved.resume, {}};
    for (const SavedState::Register& r : saved.registers) {
      bool defined = r.value.first != no_register && (r.flag == no_register || base[r.flag] != 0);
      std::optional<Value> value;
      if (defined) value = read_value(layouts_, tuples_, r.value.type, base + r.value.first);
      frame.registers.push_back({r.number, std::move(value)});
    }
    states.push_back(std::move(frame));
  }
  return states;
}

Machine::Flow Machine::leave_to(uint32_t state) {
  std::vector<ir::FrameState> states = read_states(*activations_.back().code, state, activations_.back().base);
  std::optional<ir::HostResult> result = runtime_.resume(states, activations_.size() == 1);
  if (!result) {
    outcome_.kind = OutcomeKind::deopt;
    outcome_.states = std::move(states);
    return Flow::stop;
  }
  const Activation left = activations_.back();
  const Code& code = *left.code;
  if (result->kind != ir::HostResult::Kind::value) {
    // Its own handlers were asked by whoever went on.
    if (!code.keeps_nothing) handlers_.resize(left.handlers);
    return answer(*result, {}, nullptr, code.name);
  }
  pop(left);
  if (activations_.empty()) {
    outcome_.value = std::move(result->value);
    return Flow::stop;
  }
  return answer(*result, site_of(left, *activations_.back().code), left.return_to, code.name);
}

Machine::Flow Machine::stop_point(const Code& code, uint32_t state, bool loop_header, const uint64_t* base) {
  struct Here final : ir::StopPoint {
    Machine& machine;
    const Code& code;
    uint32_t state;
    bool loop_header;
    const uint64_t* base;
    Here(Machine& m, const Code& c, uint32_t s, bool l, const uint64_t* b)
        : machine(m), code(c), state(s), loop_header(l), base(b) {}
    bool is_loop_header() const override { return loop_header; }
    std::vector<ir::FrameState> read_state() const override { return machine.read_states(code, state, base); }
  };
  if (runtime_.stop_point(Here(*this, code, state, loop_header, base))) return Flow::next;
  return stop(OutcomeKind::limit, "the runtime ended the run");
}

/// A string by its text; references that are something else by their number.
std::string Machine::shown(const Value& value) const {
  bool is_string = layouts_.types().storage(value.type) == Storage::ref &&
                   ir::string_of(interpreter_.module_, runtime_, value.bits).has_value();
  return is_string ? ir::describe(interpreter_.module_, runtime_, value.bits) : ir::to_string(value);
}

void Machine::trace(const Code& code, const TracePoint& point, const uint64_t* base) {
  if (!options_.trace_sink) return;
  std::string line = code.name + " " + point.text;
  std::string_view before = " ; ";
  for (const auto& [value, flag] : point.values) {
    line += std::exchange(before, ", ");
    bool is_undef = value.first == no_register || (flag != no_register && base[flag] == 0);
    line += is_undef ? "undef" : shown(read_value(layouts_, tuples_, value.type, base + value.first));
  }
  options_.trace_sink(line);
}

// ---- exceptions and ends ----

Machine::Flow Machine::raise(std::string_view kind, std::string_view text) {
  pending_ = runtime_.make_error(kind.empty() ? "error" : kind, text);
  return pending_ == 0 ? out_of_memory() : Flow::raise;
}

Machine::Flow Machine::failed_check(ErrorKind kind, bool safe, std::string_view text) {
  if (!safe) return raise(kind, text);
  return stop(OutcomeKind::trap, "a statement throws '" + std::string(error_name(kind)) + "' where it is said not to");
}

Machine::Flow Machine::failed_check(ErrorKind kind, bool safe, uint64_t value, uint64_t bound) {
  if (safe) return failed_check(kind, safe);
  pending_ = runtime_.make_failure(kind, value, bound);
  return pending_ == 0 ? out_of_memory() : Flow::raise;
}

void Machine::pop(const Activation& activation) {
  if (!activation.code->keeps_nothing) {
    handlers_.resize(activation.handlers);
    exceptions_.resize(activation.exceptions);
    memory_.release(activation.memory);
  }
  activations_.pop_back();
}

/// The statement whose line is still to come when an instruction of it is executed; null for a terminator.
static const TracePoint* trace_point_at(const Code& code, const Instr* at) {
  uint32_t position = static_cast<uint32_t>(at - code.instrs.data());
  auto point = std::partition_point(code.trace_points.begin(), code.trace_points.end(),
                                    [&](const TracePoint& p) { return p.end <= position; });
  return point != code.trace_points.end() && point->first <= position ? &*point : nullptr;
}

void Machine::trace_throw(const Instr* at) {
  if (at == nullptr || !options_.trace_sink || !options_.trace) return;
  const Code& code = *activations_.back().code;
  std::string line = code.name + " ";
  // A terminator was shown before it was executed.
  if (const TracePoint* point = trace_point_at(code, at)) line += point->text + " ";
  options_.trace_sink(line + "throws " + runtime_.describe(pending_));
}

/// A statement at which the run ends, for another reason than an exception.
void Machine::trace_stop(const Code& code, const Instr* at) {
  if (!options_.trace_sink || !options_.trace) return;
  if (const TracePoint* point = trace_point_at(code, at))
    options_.trace_sink(code.name + " " + point->text +
                        (outcome_.kind == OutcomeKind::deopt ? " deopts" : " ends the run: " + outcome_.message));
}

ir::Loc Machine::place_of(const Instr* at) const {
  const Code& code = *activations_.back().code;
  const uint32_t position = static_cast<uint32_t>(at - code.instrs.data());
  auto behind = std::partition_point(code.sources.begin(), code.sources.end(),
                                     [&](const SourceRange& range) { return range.first <= position; });
  return behind == code.sources.begin() ? ir::Loc{} : behind[-1].loc;
}

bool Machine::unwind(const Instr* at) {
  trace_throw(at);
  if (at != nullptr) runtime_.throws_at(place_of(at));
  for (;;) {
    Activation current = activations_.back();
    if (!current.code->keeps_nothing && handlers_.size() > current.handlers) {
      const Instr* target = handlers_.back().target;
      handlers_.pop_back();
      if (target == nullptr) {
        stop(OutcomeKind::trap, "an exception where no handler can be reached: " + runtime_.describe(pending_));
        return false;
      }
      if (exceptions_.size() >= options_.max_memory / sizeof(uint64_t)) return out_of_memory() == Flow::next;
      exceptions_.push_back(pending_);
      resume_at_ = target;
      return true;
    }
    pop(current);
    if (activations_.empty()) {
      outcome_.kind = OutcomeKind::exception;
      outcome_.value = Value(ref, pending_);
      outcome_.message = runtime_.describe(pending_);
      return false;
    }
    if (site_of(current, *activations_.back().code).cannot_throw) {
      stop(OutcomeKind::trap, "a call throws where it is said not to: " + runtime_.describe(pending_));
      return false;
    }
    runtime_.unwinds_to(place_of(&current.call()));
    trace_throw(&current.call());
  }
}

Machine::Flow Machine::stop(OutcomeKind kind, std::string message) {
  outcome_.kind = kind;
  outcome_.message = std::move(message);
  return Flow::stop;
}

Machine::Flow Machine::out_of_memory() {
  return stop(OutcomeKind::limit, "more than " + std::to_string(options_.max_memory) + " bytes of memory");
}

}  // namespace braid::interp
