// The code cache, and outcomes as text.
#include "interp/interpreter.h"

#include <algorithm>

#include "interp/lower.h"
#include "interp/machine.h"

namespace braid::interp {

Interpreter::Interpreter(ir::Module& module, RunOptions options)
    : module_(module), options_(std::move(options)), layouts_(module.types) {
  if (options_.runtime == nullptr) own_runtime_ = std::make_unique<ir::SimpleRuntime>(options_.max_memory);
}

Interpreter::~Interpreter() = default;

namespace {

/// Host functions are there to be called by others.
Outcome without_body(const ir::Function& f, size_t arguments) {
  Outcome outcome;
  outcome.kind = OutcomeKind::error;
  outcome.message = "@" + std::string(f.name_text());
  if (arguments == f.param_count())
    outcome.message += " cannot be run: it has no body";
  else
    outcome.message += " takes " + std::to_string(f.param_count()) + " arguments, not " + std::to_string(arguments);
  return outcome;
}

}  // namespace

Outcome Interpreter::run(const ir::Function& f, std::span<const Value> arguments, uint32_t below) {
  if (f.is_external()) return without_body(f, arguments.size());
  bool is_own = module_.has_function(f.id()) && &module_.function(f.id()) == &f;
  std::unique_ptr<Code> copy;
  if (!is_own) {
    copy = lower(f, layouts_, lower_options());
    link(*copy);
  }
  const Code* entry = is_own ? code(f.id()) : copy.get();
  if (own_runtime_) own_runtime_->clear();
  ir::Runtime& runtime = own_runtime_ ? *own_runtime_ : *options_.runtime;
  Machine machine(*this, runtime);
  running_.push_back(&machine);
  Outcome outcome = machine.run(*entry, arguments, below);
  running_.pop_back();
  if (running_.empty()) outdated_.clear();
  return outcome;
}

void Interpreter::invalidate(ir::FuncId id) {
  forget(id);
  const bool is_in_calls = index(id) < is_called_outside_.size() && is_called_outside_[index(id)];
  if (!is_in_calls || module_.function(id).is_external()) return;
  is_called_outside_[index(id)] = false;
  for (uint32_t i = 0; i < codes_.size(); ++i) forget(static_cast<ir::FuncId>(i));
}

void Interpreter::forget(ir::FuncId id) {
  if (index(id) >= codes_.size() || !codes_[index(id)]->is_lowered) return;
  Code& place = *codes_[index(id)];
  if (!running_.empty()) {
    outdated_.push_back(std::make_unique<Code>(std::move(place)));
    for (Machine* machine : running_) machine->replace_code(place, *outdated_.back());
  }
  place = Code();
}

bool Interpreter::is_outdated() const {
  const Code* running = running_.empty() ? nullptr : running_.back()->running_code();
  return std::any_of(outdated_.begin(), outdated_.end(), [&](const auto& code) { return code.get() == running; });
}

void Interpreter::invalidate_all() {
  for (const std::unique_ptr<Code>& code : codes_) *code = Code();
}

void Interpreter::set_limits(uint64_t max_steps, uint32_t max_depth, uint64_t max_memory) {
  options_.max_steps = max_steps;
  options_.max_depth = max_depth;
  options_.max_memory = max_memory;
}

const Code* Interpreter::lower_function(ir::FuncId id) {
  Code& code = place_of(id);
  code = std::move(*lower(module_.function(id), layouts_, lower_options()));
  link(code);
  ++lowered_;
  return &code;
}

Code& Interpreter::place_of(ir::FuncId id) {
  while (codes_.size() <= index(id)) codes_.push_back(std::make_unique<Code>());
  return *codes_[index(id)];
}

void Interpreter::link(Code& code) {
  for (ir::FuncId callee : code.external_callees) {
    if (is_called_outside_.size() <= index(callee)) is_called_outside_.resize(index(callee) + 1);
    is_called_outside_[index(callee)] = true;
  }
  for (uint32_t call : code.internal_calls) {
    const Code& callee = place_of(code.calls[code.instrs[call].a].function);
    code.instrs[call + 1].set_constant(reinterpret_cast<uintptr_t>(&callee));
  }
}

std::string to_string(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::value: return outcome.message.empty() ? ir::to_string(outcome.value) : outcome.message;
    case OutcomeKind::exception: return "throws " + outcome.message;
    case OutcomeKind::trap: return "traps: " + outcome.message;
    case OutcomeKind::limit: return "stops: " + outcome.message;
    case OutcomeKind::error: return "fails: " + outcome.message;
    case OutcomeKind::deopt: break;
  }
  return ir::to_string(outcome.states);
}

}  // namespace braid::interp
