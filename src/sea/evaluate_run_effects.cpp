// What effects do when they are evaluated: memory, objects, calls to the host, exceptions, frame states, ends of runs.
#include <cstring>

#include "ir/bits.h"
#include "sea/effects.h"
#include "sea/evaluate.h"
#include "sea/lift.h"

namespace braid::sea {

using ir::ErrorKind;
using ir::Op;

std::string to_string(const Evaluation& evaluation) {
  switch (evaluation.kind) {
    case Evaluation::Kind::value:
      return evaluation.message.empty() ? ir::to_string(evaluation.value) : evaluation.message;
    case Evaluation::Kind::exception: return "throws " + evaluation.message;
    case Evaluation::Kind::trap: return "traps: " + evaluation.message;
    case Evaluation::Kind::deopt: return ir::to_string(evaluation.states);
    case Evaluation::Kind::fallthrough: return "fallthrough";
    case Evaluation::Kind::timeout: return "timeout";
    case Evaluation::Kind::not_evaluated: break;
  }
  return "not evaluated: " + evaluation.message;
}

// ---- ends and exceptions ----

Evaluator::Flow Evaluator::stop(Evaluation::Kind kind, NodeId at, std::string message) {
  ended_ = finish(kind, 0, at, std::move(message));
  return Flow::stop;
}

Evaluator::Flow Evaluator::out_of_memory(NodeId at) {
  return stop(Evaluation::Kind::timeout, at, "more than " + std::to_string(limits.memory) + " bytes of memory");
}

Evaluator::Flow Evaluator::raise(std::string_view kind, std::string_view text) {
  pending_ = host().make_error(kind.empty() ? "error" : kind, text);
  return pending_ == 0 ? out_of_memory(no_node) : Flow::raise;
}

Evaluator::Flow Evaluator::failed_check(const Site& site, ErrorKind kind, std::string_view text) {
  if ((statement_flags(site.graph(), site.node()) & ir::cannot_throw) == 0) return raise(error_name(kind), text);
  return stop(Evaluation::Kind::trap, site.node(),
              "a statement throws '" + std::string(error_name(kind)) + "' where it is said not to");
}

uint32_t Evaluator::unwind(NodeId at) {
  for (;;) {
    const Frame& frame = frames_.back();
    if (handlers_.size() > frame.handlers) {
      uint32_t handler = handlers_.back();
      handlers_.pop_back();
      if (handler == EvaluateCode::nothing) {
        stop(Evaluation::Kind::trap, at, "an exception where no handler can be reached: " + host().describe(pending_));
      } else if (exceptions_.size() >= limits.memory / sizeof(uint64_t)) {
        out_of_memory(at);
        return EvaluateCode::nothing;
      } else {
        exceptions_.push_back(pending_);
      }
      return handler;
    }
    if (frames_.size() == 1) {
      ended_ = finish(Evaluation::Kind::exception, pending_, at, host().describe(pending_));
      ended_.value = Value(ref, pending_);
      return EvaluateCode::nothing;
    }
    pop_frame();
    if (frames_.back().cannot_throw) {
      stop(Evaluation::Kind::trap, at, "a call throws where it is said not to: " + host().describe(pending_));
      return EvaluateCode::nothing;
    }
  }
}

ir::Runtime& Evaluator::host() {
  if (runtime != nullptr) return *runtime;
  if (own_runtime_ == nullptr) own_runtime_ = std::make_unique<ir::SimpleRuntime>(limits.memory);
  return *own_runtime_;
}

/// `unreachable`, `deopt`.
Evaluator::Flow Evaluator::end(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  if (graph.is(n, Op::deopt)) {
    ended_ = finish(Evaluation::Kind::deopt, 0, n);
    ended_.states = read_states(site);
    return Flow::stop;
  }
  if (graph.is(n, Op::unreachable)) {
    if ((statement_flags(graph, n) & ir::end_of_function) != 0) return stop(Evaluation::Kind::fallthrough, n, {});
    return stop(Evaluation::Kind::trap, n, "reached unreachable code");
  }
  return stop(Evaluation::Kind::not_evaluated, n, "this end is not known");
}

// ---- effects ----

Evaluator::Flow Evaluator::effect(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  EvaluateOperands operands = site.operands();
  uint64_t first = 0;
  switch (Op op = table_op(graph.op(n))) {
    case Op::stack_slot:
    case Op::load:
    case Op::store:
    case Op::mem_copy:
    case Op::mem_fill: return access_memory(site);
    case Op::box:
    case Op::unbox: return box_or_unbox(site);
    case Op::intrinsic: return call_intrinsic(site);
    case Op::get:
    case Op::set:
    case Op::is_defined: return evaluate_variable(site);
    case Op::leave: {
      size_t count = 0;
      for (uint32_t i = 0; i < operands.size(); ++i)
        count += !operands[i].is_wide() || cell(site.slots, operands[i].slot()).is_defined;
      if (handlers_.size() - frames_.back().handlers < count)
        return stop(Evaluation::Kind::trap, n, "leave without a handler to pop");
      handlers_.resize(handlers_.size() - count);
      return Flow::next;
    }
    case Op::the_exception:
      if (exceptions_.empty()) return stop(Evaluation::Kind::trap, n, "no exception is being handled");
      return write_bits(site, exceptions_.back());
    case Op::pop_exception:
      if (!read_bits(site, operands[0], first)) return Flow::stop;
      if (first < exceptions_.size()) exceptions_.resize(static_cast<size_t>(first));
      return Flow::next;
    case Op::throw_undef:
      if (!read_bits(site, operands[0], first)) return Flow::stop;
      if (first != 0) return Flow::next;
      return failed_check(site, ErrorKind::undefined, graph.module().name(static_cast<Symbol>(graph.words(n)[0])));
    case Op::check_overflow: {
      Value value;
      if (!read(site, operands[0], value)) return Flow::stop;
      if (value.elements.size() != 2) return stop(Evaluation::Kind::trap, n, "check_overflow of a tuple with other fields");
      if (value.elements[1].bits != 0) return failed_check(site, ErrorKind::overflow);
      return write(site, Value(value.elements[0]));
    }
    case Op::guard:
      if (!read_bits(site, operands[0], first)) return Flow::stop;
      if (first != 0) return Flow::next;
      ended_ = finish(Evaluation::Kind::deopt, 0, n);
      ended_.states = read_states(site);
      return Flow::stop;
    case Op::safepoint:
    case Op::osr_state: return stop_point(site);
    default:
      if (ir::info(op).rule == ir::TypeRule::dynamic) return evaluate_dynamic(site);
      return stop(Evaluation::Kind::not_evaluated, n, std::string(ir::info(op).text) + ": this effect is not known");
  }
}

// ---- memory ----

/// Laid out when it is first asked for: frames that are there so far have no slots in it. Null if there is no room.
ir::Memory* Evaluator::memory(const Graph& graph) {
  if (has_memory_) return &memory_;
  if (!memory_.reset(graph.module(), limits.memory)) return nullptr;
  has_memory_ = true;
  for (Frame& frame : frames_) frame.memory = memory_.mark();
  return &memory_;
}

Evaluator::Flow Evaluator::access_memory(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  std::span<const uint32_t> words = graph.words(n);
  EvaluateOperands operands = site.operands();
  ir::Memory* memory = this->memory(graph);
  if (memory == nullptr) return out_of_memory(n);
  uint64_t bits[3] = {};
  for (uint32_t i = 0; i < operands.size() && i < 3; ++i)
    if (!read_bits(site, operands[i], bits[i])) return Flow::stop;
  auto bad_address = [&] { return stop(Evaluation::Kind::trap, n, "bad address"); };
  // Memory holds numbers and addresses; an i1 is a byte.
  auto size_of = [&](Type type) -> uint64_t {
    std::optional<Kind> kind = graph.module().types.single_kind(type);
    if (!kind || (bit_width(*kind) == 0 && *kind != Kind::ptr)) return 0;
    return *kind == Kind::ptr ? 8 : (static_cast<uint64_t>(bit_width(*kind)) + 7) / 8;
  };
  switch (table_op(graph.op(n))) {
    case Op::global_addr: return write_bits(site, memory->global_address(static_cast<ir::GlobalId>(words[0])));
    case Op::stack_slot: {
      std::optional<uint64_t> address = memory->allocate(words[0], words[1]);
      return address ? write_bits(site, *address) : out_of_memory(n);
    }
    case Op::load: {
      uint64_t size = size_of(graph.type(n)), value = 0;
      if (size == 0) return stop(Evaluation::Kind::trap, n, "load of a type that memory does not hold");
      const uint8_t* from = memory->readable(bits[0], size);
      if (from == nullptr) return bad_address();
      for (uint64_t i = 0; i < size; ++i) value |= uint64_t{from[i]} << 8 * i;
      return write_bits(site, ir::canonical(*graph.module().types.single_kind(graph.type(n)), value));
    }
    case Op::store: {
      uint64_t size = size_of(operands[0].type);
      if (size == 0) return stop(Evaluation::Kind::trap, n, "store of a type that memory does not hold");
      uint8_t* to = memory->writable(bits[1], size);
      if (to == nullptr) return bad_address();
      for (uint64_t i = 0; i < size; ++i) to[i] = static_cast<uint8_t>(bits[0] >> 8 * i);
      return Flow::next;
    }
    case Op::mem_copy: {
      if (bits[2] == 0) return Flow::next;
      const uint8_t* from = memory->readable(bits[1], bits[2]);
      uint8_t* to = memory->writable(bits[0], bits[2]);
      if (from == nullptr || to == nullptr) return bad_address();
      std::memmove(to, from, static_cast<size_t>(bits[2]));
      return Flow::next;
    }
    default: {  // mem_fill
      if (bits[2] == 0) return Flow::next;
      uint8_t* to = memory->writable(bits[0], bits[2]);
      if (to == nullptr) return bad_address();
      std::memset(to, static_cast<uint8_t>(bits[1]), static_cast<size_t>(bits[2]));
      return Flow::next;
    }
  }
}

Evaluator::Flow Evaluator::box_or_unbox(const Site& site) {
  NodeId n = site.node();
  Value value;
  if (!read(site, site.operands()[0], value)) return Flow::stop;
  if (site.graph().is(n, Op::box)) {
    uint64_t object = host().box(value);
    return object == 0 ? out_of_memory(n) : write_bits(site, object);
  }
  if (value.bits == 0) return failed_check(site, ErrorKind::null_);
  const Value* inside = host().unbox(value.bits);
  const TypeTable& types = site.graph().module().types;
  if (inside == nullptr || !fits(types, *inside, site.graph().type(n))) return failed_check(site, ErrorKind::cast);
  return write(site, Value(*inside));
}

/// Whether a value can be kept as one of this type.
bool Evaluator::fits(const TypeTable& types, const Value& value, Type type) {
  Storage wanted = types.storage(type), is = types.storage(value.type);
  if (wanted != Storage::mixed) {
    if (is != wanted) return false;
    if (is != Storage::tuple || !types.has_elements(type)) return true;
    std::span<const Type> elements = types.elements(type);
    if (elements.size() != value.elements.size()) return false;
    for (size_t i = 0; i < elements.size(); ++i)
      if (!fits(types, value.elements[i], elements[i])) return false;
    return true;
  }
  // A reference of one kind may stand for one of another: only the runtime knows what it is.
  constexpr KindSet references = (null_type | string_type | array_type | object_type | ref).bits;
  return (types.kinds(type) & types.kinds(value.type)) != 0 ||
         (is == Storage::ref && (types.kinds(type) & references) != 0);
}

// ---- calls ----

/// The graph of a function of the module; null if it has none.
EvaluateCode* Evaluator::callee_code(ir::FuncId callee, const Graph& graph) {
  const ir::Module& module = graph.module();
  if (!module.has_function(callee)) return nullptr;
  const ir::Function& function = module.function(callee);
  if (function.is_external() || function.size() == 0) return nullptr;
  lifted_.push_back(std::make_unique<Graph>(lift(function)));
  define(callee, *lifted_.back());
  return by_function_[index(callee)];
}

Evaluator::Flow Evaluator::find_callee(const Site& site, EvaluateOperand address, uint32_t& callee) {
  const Graph& graph = site.graph();
  uint64_t bits;
  if (!read_bits(site, address, bits)) return Flow::stop;
  const ir::Module& module = graph.module();
  ir::FuncId found = ir::Memory::function_at(module, bits);
  ir::SigId wanted = static_cast<ir::SigId>(graph.words(site.node())[0]);
  if (is_none(found) || module.function(found).signature_id() != wanted)
    return failed_check(site, ErrorKind::bad_call);
  callee = index(found);
  return Flow::next;
}

Evaluator::Flow Evaluator::write_answer(const Site& site, bool is_wide, Type declared, Value value,
                                        const std::string& who) {
  if (declared == void_type) return Flow::next;
  const TypeTable& types = site.graph().module().types;
  if (!fits(types, value, declared))
    return stop(Evaluation::Kind::not_evaluated, site.node(),
                who + " answered a value of another type: " + ir::to_string(value));
  if (std::optional<Kind> kind = types.single_kind(value.type); kind && *kind != Kind::tuple)
    value.bits = ir::canonical(*kind, value.bits);
  return write(site, site.at->to, is_wide, site.graph().type(site.node()), std::move(value));
}

Evaluator::Flow Evaluator::thrown_wrongly(NodeId at, const std::string& who) {
  return stop(Evaluation::Kind::trap, at, who + " throws where it is said not to");
}

Evaluator::Flow Evaluator::call_out(const Site& site, ir::FuncId callee, EvaluateOperands operands, uint32_t first) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  const ir::Module& module = graph.module();
  if (!module.has_function(callee)) return stop(Evaluation::Kind::not_evaluated, n, "call: the callee is not known");
  const ir::Function& function = module.function(callee);
  std::string who = "host function @" + std::string(function.name_text());
  const ir::HostFunction* found = function.is_external() ? host().host_function(function.name_text()) : nullptr;
  if (found == nullptr || !*found) return stop(Evaluation::Kind::not_evaluated, n, "there is no " + who);
  ir::Memory* memory = this->memory(graph);
  if (memory == nullptr) return out_of_memory(n);
  std::vector<Value> arguments(operands.size() - first);
  for (uint32_t i = 0; i < arguments.size(); ++i)
    if (!read(site, operands[first + i], arguments[i])) return Flow::stop;
  ir::HostCall call{module, arguments, *memory, host()};
  ir::HostResult result = (*found)(call);
  if (result.kind == ir::HostResult::Kind::value)
    return write_answer(site, operands.has_wide_result(), function.result_type(), std::move(result.value), who);
  if (result.kind == ir::HostResult::Kind::limit) return stop(Evaluation::Kind::timeout, n, result.text);
  // A call through an address knows of its callee only now.
  if ((traits_of(graph, n) & function.external_traits & ir::throws) == 0) return thrown_wrongly(n, who);
  if (result.kind == ir::HostResult::Kind::error) return raise(result.name, result.text);
  pending_ = result.exception;
  return Flow::raise;
}

Evaluator::Flow Evaluator::call_intrinsic(const Site& site) {
  const Graph& graph = site.graph();
  NodeId n = site.node();
  const ir::Intrinsic& intrinsic = graph.module().intrinsics[static_cast<ir::IntrinsicId>(graph.words(n)[0])];
  std::string who = "intrinsic " + std::string(graph.module().name(intrinsic.name));
  if (!intrinsic.evaluate) return stop(Evaluation::Kind::not_evaluated, n, who + " cannot be evaluated");
  EvaluateOperands operands = site.operands();
  std::vector<Value> arguments(operands.size());
  for (uint32_t i = 0; i < arguments.size(); ++i)
    if (!read(site, operands[i], arguments[i])) return Flow::stop;
  IntrinsicResult result = intrinsic.evaluate(arguments);
  if (result.thrown.empty())
    return write_answer(site, operands.has_wide_result(), graph.module().signature(intrinsic.signature).result,
                        std::move(result.value), who);
  if ((traits_of(graph, n) & ir::throws) == 0) return thrown_wrongly(n, who);
  return raise(result.thrown);
}

// ---- frame states ----

std::vector<ir::FrameState> Evaluator::read_states(const Site& site) {
  const Graph& graph = site.graph();
  const uint32_t* list = site.operands().behind();
  std::vector<ir::FrameState> states;
  for (uint32_t count = *list++; count > 0; --count) {
    NodeId state = static_cast<NodeId>(*list++);
    std::span<const uint32_t> words = graph.words(state);
    ir::FrameState frame{words[0], static_cast<ir::ResumeKind>(words[1]), {}};
    for (uint32_t i = 3; i < graph.input_count(state); ++i, list += 2) {
      EvaluateOperand operand{list[0], Type{list[1]}};
      std::optional<Value> value;
      if (!operand.is_wide() || cell(site.slots, operand.slot()).is_defined) {
        value.emplace();
        read(site, operand, *value);
      }
      frame.registers.push_back({words[2 + i - 3], std::move(value)});
    }
    states.push_back(std::move(frame));
  }
  return states;
}

Evaluator::Flow Evaluator::stop_point(const Site& site) {
  struct Here final : ir::StopPoint {
    Here(Evaluator& e, const Site& s) : evaluator(e), site(s) {}
    bool is_loop_header() const override { return site.graph().is(site.node(), Op::osr_state); }
    std::vector<ir::FrameState> read_state() const override { return evaluator.read_states(site); }
    Evaluator& evaluator;
    const Site& site;
  };
  if (host().stop_point(Here(*this, site))) return Flow::next;
  return stop(Evaluation::Kind::timeout, site.node(), "the runtime ended the run");
}

}  // namespace braid::sea
