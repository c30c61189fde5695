// Running what was recorded: the dispatch loop, frames.
//
// Dispatch jumps from handler to handler where the compiler can (labels as values, a GNU extension), so that each
// instruction has its own indirect branch to predict; otherwise it is a switch.
#include "sea/evaluate.h"

#include <algorithm>

#include "ir/eval_op.h"
#include "sea/effects.h"

#if defined(__GNUC__) && !defined(__wasm__) && !defined(BRAID_SWITCH_DISPATCH)
#define THREADED 1
#else
#define THREADED 0
#endif

namespace braid::sea {

using ir::Op;

namespace {

constexpr uint64_t immediate(uint32_t word) {
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
}

uint64_t run_fold(const uint32_t* list, const EvaluateSlot* slots) {
  uint64_t operands[4] = {};
  uint32_t values = list[3], words = list[4];
  for (uint32_t i = 0; i < values; ++i) operands[i] = slots[list[5 + i]].value;
  for (uint32_t i = 0; i < words; ++i) operands[values + i] = list[5 + values + i];
  return *ir::fold(static_cast<Op>(list[0]), static_cast<Kind>(list[1]), static_cast<Kind>(list[2]),
                   std::span(operands, values + words));
}

/// What a check throws, or nothing if it holds.
std::optional<ir::ErrorKind> run_check(Op op, bool is_i1, uint64_t a, uint64_t b) {
  int64_t value = is_i1 ? -static_cast<int64_t>(a) : static_cast<int64_t>(a);
  switch (op) {
    case Op::check_zero: return a == 0 ? std::optional(ir::ErrorKind::zero) : std::nullopt;
    case Op::check_negative: return value < 0 ? std::optional(ir::ErrorKind::negative) : std::nullopt;
    case Op::check_true: return a == 0 ? std::optional(ir::ErrorKind::assertion) : std::nullopt;
    case Op::check_null: return a == 0 ? std::optional(ir::ErrorKind::null_) : std::nullopt;
    default: {
      bool is_inside = static_cast<int64_t>(a) >= 0 && static_cast<int64_t>(a) < static_cast<int64_t>(b);
      return is_inside ? std::nullopt : std::optional(ir::ErrorKind::bounds);
    }
  }
}

}  // namespace

Evaluator::Evaluator() = default;
Evaluator::~Evaluator() = default;

EvaluateCode& Evaluator::new_code(const Graph& graph, const ir::Function* function) {
  if (used_codes_ == codes_.size()) codes_.push_back(std::make_unique<EvaluateCode>());
  EvaluateCode& code = *codes_[used_codes_++];
  code.reset(graph, function);
  return code;
}

void Evaluator::reset(const Graph& graph, const ir::Function* function) {
  used_codes_ = 0;
  by_function_.clear();
  lifted_.clear();
  new_code(graph, function);
}

void Evaluator::define(ir::FuncId callee, const Graph& graph) {
  if (index(callee) >= by_function_.size()) by_function_.resize(index(callee) + 1, nullptr);
  const ir::Module& module = graph.module();
  by_function_[index(callee)] =
      used_codes_ > 0 && &codes_[0]->graph() == &graph
          ? codes_[0].get()
          : &new_code(graph, module.has_function(callee) ? &module.function(callee) : nullptr);
}

/// Old slots of a new frame are no danger: it is younger than all of them.
void Evaluator::push_frame(EvaluateCode& code, uint32_t base) {
  frames_.push_back({&code, base, code.slot_count(), 0, 0, void_type, false, false,
                     static_cast<uint32_t>(handlers_.size()), static_cast<uint32_t>(exceptions_.size()),
                     has_memory_ ? memory_.mark() : 0});
  size_t end = size_t{base} + code.slot_count();
  if (slots_.size() < end) slots_.resize(std::max(end, 2 * slots_.size()));
}

void Evaluator::pop_frame() {
  const Frame& frame = frames_.back();
  handlers_.resize(frame.handlers);
  exceptions_.resize(frame.exceptions);
  if (has_memory_) memory_.release(frame.memory);
  frames_.pop_back();
}

/// For a frame whose code has grown, also while others stood on it: what those left behind must not look
/// fresh.
void Evaluator::extend(Frame& frame) {
  size_t begin = size_t{frame.base} + frame.reserved, end = size_t{frame.base} + frame.code->slot_count();
  if (slots_.size() < end) slots_.resize(std::max(end, 2 * slots_.size()));
  for (size_t i = begin; i < end; ++i) slots_[i].time = 0;
  frame.reserved = frame.code->slot_count();
}

Evaluation Evaluator::finish(Evaluation::Kind kind, uint64_t bits, NodeId at, std::string message) {
  Evaluation result;
  result.kind = kind;
  result.bits = bits;
  result.at = at;
  result.message = std::move(message);
  return result;
}

Evaluation Evaluator::finish_return(const EvaluateCode& code, NodeId at, uint64_t bits) {
  Evaluation result = finish(Evaluation::Kind::value, bits, at);
  const Graph& graph = code.graph();
  if (graph.input_count(at) < 3) return result;
  result.value = Value(scalar_type(graph, graph.type(graph.input(at, 2))), bits);
  if (graph.module().types.storage(result.value.type) == Storage::ref) result.message = host().describe(bits);
  return result;
}

/// The first frame. False if there is nothing to run.
bool Evaluator::start(size_t argument_count) {
  back_edges_ = 0;
  has_memory_ = false;
  handlers_.clear();
  exceptions_.clear();
  frames_.clear();
  if (own_runtime_ != nullptr) own_runtime_->clear();
  auto refuse = [&](const char* why) {
    ended_ = finish(Evaluation::Kind::not_evaluated, 0, no_node, why);
    return false;
  };
  if (used_codes_ == 0) return refuse("there is no graph");
  EvaluateCode& code = *codes_[0];
  const Graph& graph = code.graph();
  if (is_none(graph.start)) return refuse("the graph has no start");
  if (limits.timeout_without_return && (is_none(graph.stop) || graph.input_count(graph.stop) == 0)) {
    ended_ = finish(Evaluation::Kind::timeout, 0, no_node, "there is no return");
    return false;
  }
  if (!code.accepts(static_cast<uint32_t>(argument_count)))
    return refuse("the number of arguments is not that of earlier runs");
  push_frame(code, 0);
  return true;
}

Evaluation Evaluator::run(std::span<const uint64_t> arguments) {
  if (!start(arguments.size())) return std::move(ended_);
  EvaluateCode& code = *codes_[0];
  for (size_t i = 0; i < arguments.size(); ++i) {
    slots_[i].value = arguments[i];
    if (code.is_wide_parameter(static_cast<uint32_t>(i)))
      cell(slots_.data(), static_cast<uint32_t>(i)) = {Value(i64, arguments[i]), true};
  }
  return counting_ ? execute<true>(&code) : execute<false>(&code);
}

Evaluation Evaluator::run(std::span<const Value> arguments) {
  if (!start(arguments.size())) return std::move(ended_);
  EvaluateCode& code = *codes_[0];
  for (size_t i = 0; i < arguments.size(); ++i) {
    slots_[i].value = arguments[i].bits;
    if (code.is_wide_parameter(static_cast<uint32_t>(i)))
      cell(slots_.data(), static_cast<uint32_t>(i)) = {arguments[i], true};
  }
  return counting_ ? execute<true>(&code) : execute<false>(&code);
}

#if THREADED
#define DISPATCH() goto* labels[static_cast<unsigned>(at->op)]
#define HANDLER(name) handler_##name:
#else
#define DISPATCH() goto dispatch
#define HANDLER(name) case EvaluateOp::name:
#endif
#define NEXT(words) \
  do {              \
    at += (words);  \
    DISPATCH();     \
  } while (false)
#define GO(to)                        \
  do {                                \
    block = (to);                     \
    at = instructions + begins[block]; \
    DISPATCH();                       \
  } while (false)
// Two ways on, not one with a computed target: the processor then predicts where it goes and need not wait for the test.
#define BRANCH_IF(condition)   \
  do {                         \
    if (condition) GO(at->to); \
    GO(at->to + 1);            \
  } while (false)
#define COMPARE_AND_BRANCH(condition) \
  do {                                \
    if (is_counting) ++computed_;     \
    BRANCH_IF(condition);             \
  } while (false)
#define SET(...)                             \
  do {                                       \
    uint64_t set_value = (__VA_ARGS__);      \
    slots[at->to] = {set_value, now};        \
    NEXT(1);                                 \
  } while (false)
#define COMPUTE(...)                 \
  do {                               \
    if (is_counting) ++computed_;    \
    SET(__VA_ARGS__);                \
  } while (false)
#define A slots[at->a].value
#define B slots[at->b].value
// The clock and the counts stay in registers: nothing takes their address.
#define LEAVE()                                                  \
  do {                                                           \
    now_ = now;                                                  \
    back_edges_ = std::min(back_edges, limits.back_edges);       \
  } while (false)
#define END(kind, bits, node, message)                                             \
  do {                                                                             \
    LEAVE();                                                                       \
    return finish(Evaluation::Kind::kind, bits, static_cast<NodeId>(node), message); \
  } while (false)
/// Something slow, then goes on, throws or ends.
#define SLOW(call)                           \
  do {                                       \
    Flow flow = (call);                      \
    if (flow == Flow::next) NEXT(1);         \
    if (flow == Flow::stop) goto stopped;    \
    thrower = static_cast<NodeId>(at->b);    \
    goto raise;                              \
  } while (false)

template <bool is_counting>
Evaluation Evaluator::execute(EvaluateCode* code) {
#if THREADED
  static const void* const labels[] = {
#define X(name) &&handler_##name, &&handler_##name##_immediate,
      BRAID_EVALUATE_BINARY(X) BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) &&handler_branch_##name, &&handler_branch_##name##_immediate,
          BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) &&handler_##name,
              BRAID_EVALUATE_UNARY(X) BRAID_EVALUATE_PLAIN(X)
#undef X
  };
#endif
  uint64_t now = ++now_, back_edges = 0, calls = 0;
  // Cycles of plain regions (irreducible ones) count too: no way without a cycle passes as many regions as
  // there are nodes.
  uint64_t plain = code->graph().size();
  EvaluateSlot* slots = slots_.data();
  const EvaluateInstruction* instructions = code->instructions();
  const uint32_t* begins = code->begins();
  const EvaluateInstruction* at = nullptr;
  const EvaluateInstruction* resume = nullptr;
  uint32_t block = EvaluateCode::first_block;
  NodeId thrower = no_node;
  slots[code->start_region_slot()].time = now;
  GO(block);

#if !THREADED
dispatch:
  switch (at->op) {
#endif
#define X(name)                                                                                \
  HANDLER(name) { COMPUTE(ir::eval_int_binary<Op::name, 64>(A, B)); }                          \
  HANDLER(name##_immediate) { COMPUTE(ir::eval_int_binary<Op::name, 64>(A, immediate(at->b))); }
  BRAID_EVALUATE_BINARY(X)
#undef X
#define X(name)                                                                                      \
  HANDLER(name) { COMPUTE(ir::eval_int_compare<Op::name>(A, B)); }                                   \
  HANDLER(name##_immediate) { COMPUTE(ir::eval_int_compare<Op::name>(A, immediate(at->b))); }        \
  HANDLER(branch_##name) { COMPARE_AND_BRANCH(ir::eval_int_compare<Op::name>(A, B)); }               \
  HANDLER(branch_##name##_immediate) {                                                               \
    COMPARE_AND_BRANCH(ir::eval_int_compare<Op::name>(A, immediate(at->b)));                         \
  }
  BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) \
  HANDLER(name) { COMPUTE(ir::eval_int_unary<Op::name, 64>(A)); }
  BRAID_EVALUATE_UNARY(X)
#undef X
  HANDLER(is_zero) { COMPUTE(A == 0); }
  HANDLER(fold) { COMPUTE(run_fold(code->list(at->a), slots)); }
  HANDLER(constant) { COMPUTE(code->constant(at->a)); }
  HANDLER(undefined) {
    cell(slots, at->to).is_defined = false;
    COMPUTE(0);
  }
  HANDLER(value) {
    if (is_counting) ++computed_;
    SLOW(evaluate({at, code, slots, now}));
  }
  HANDLER(move) { SET(A); }
  HANDLER(move_constant) { SET(code->constant(at->a)); }
  HANDLER(copy) { SLOW(copy({at, code, slots, now})); }
  HANDLER(check) {
    const uint32_t* list = code->list(at->b);
    std::optional<ir::ErrorKind> error =
        run_check(static_cast<Op>(list[0]), list[1] != 0, A, slots[list[2]].value);
    if (!error) SET(A);
    EvaluateInstruction named = *at;
    named.b = list[3];
    if (failed_check({&named, code, slots, now}, *error) == Flow::stop) goto stopped;
    thrower = static_cast<NodeId>(list[3]);
    goto raise;
  }
  HANDLER(effect) { SLOW(effect({at, code, slots, now})); }
  HANDLER(group) {
    if (slots[at->to].time >= slots[at->a].time) NEXT(1 + at->b);
    slots[at->to].time = now;
    NEXT(1);
  }
  HANDLER(skip_fresh) {
    if (slots[at->to].time >= slots[at->a].time) NEXT(2);
    NEXT(1);
  }
  HANDLER(ensure) {
    if (slots[at->to].time >= slots[at->a].time) NEXT(1);
    code->repair(static_cast<NodeId>(at->b), slots, repair_);
    resume = at + 1;
    at = repair_.data();
    DISPATCH();
  }
  HANDLER(resume) {
    at = resume;
    DISPATCH();
  }
  HANDLER(branch) { BRANCH_IF(A != 0); }
  HANDLER(switch_) {
    const uint32_t* list = code->list(at->b);
    uint32_t target = 0;
    for (uint32_t i = 0; i < list[0] && target == 0; ++i)
      if (code->constant(list[1 + i]) == A) target = 1 + i;
    GO(at->to + target);
  }
  HANDLER(back_edge) {
    if (++back_edges > limits.back_edges) END(timeout, 0, index(no_node), "too many back edges");
    plain = code->graph().size();
    slots[at->a].time = ++now;
    GO(at->to);
  }
  HANDLER(region) {
    if (--plain == 0) {
      plain = code->graph().size();
      if (++back_edges > limits.back_edges) END(timeout, 0, index(no_node), "too many back edges");
    }
    slots[at->a].time = ++now;
    GO(at->to);
  }
  HANDLER(call) {
    const uint32_t* list = code->list(at->a);
    uint32_t callee = list[0], first = 0;
    EvaluateOperands operands{list + 1};
    if (++calls > limits.calls) END(timeout, 0, at->b, "too many calls");
    if (callee == EvaluateCode::nothing) {
      Flow flow = find_callee({at, code, slots, now}, operands[0], callee);
      if (flow == Flow::stop) goto stopped;
      if (flow == Flow::raise) {
        thrower = static_cast<NodeId>(at->b);
        goto raise;
      }
      first = 1;
    }
    EvaluateCode* next = callee < by_function_.size() ? by_function_[callee] : nullptr;
    if (next == nullptr) next = callee_code(static_cast<ir::FuncId>(callee), code->graph());
    if (next == nullptr) SLOW(call_out({at, code, slots, now}, static_cast<ir::FuncId>(callee), operands, first));
    if (frames_.size() >= limits.depth) END(timeout, 0, at->b, "too many calls in calls");
    if (!next->accepts(operands.size() - first)) END(not_evaluated, 0, at->b, "the number of arguments is wrong");
    Frame& caller = frames_.back();
    NodeId node = static_cast<NodeId>(at->b);
    caller.resume = static_cast<uint32_t>(at + 1 - instructions);
    caller.result = at->to;
    caller.is_wide_result = operands.has_wide_result();
    caller.result_type = code->graph().type(node);
    caller.cannot_throw = (statement_flags(code->graph(), node) & ir::cannot_throw) != 0;
    uint32_t from = caller.base, base = caller.base + caller.reserved;
    push_frame(*next, base);
    slots = slots_.data() + base;
    for (uint32_t i = 0; i < operands.size() - first; ++i) {
      EvaluateOperand operand = operands[first + i];
      if (!operand.is_wide() && !next->is_wide_parameter(i)) [[likely]] {
        slots[i].value = slots_[from + operand.slot()].value;
        continue;
      }
      Value value;
      Site call_site{at, code, slots_.data() + from, now};
      if (!read(call_site, operand, value)) goto stopped;
      slots[i].value = value.bits;
      if (next->is_wide_parameter(i)) cell(slots, i) = {std::move(value), true};
    }
    code = next;
    instructions = code->instructions();
    begins = code->begins();
    slots[code->start_region_slot()].time = ++now;
    plain = code->graph().size();
    GO(EvaluateCode::first_block);
  }
  HANDLER(ret)
  HANDLER(ret_void) {
    uint64_t bits = at->op == EvaluateOp::ret ? A : 0;
    if (frames_.size() == 1) {
      LEAVE();
      return finish_return(*code, static_cast<NodeId>(at->b), bits);
    }
    const Graph& graph = code->graph();
    NodeId node = static_cast<NodeId>(at->b);
    bool has_value = at->op == EvaluateOp::ret;
    pop_frame();
    Frame& caller = frames_.back();
    code = caller.code;
    if (caller.reserved < code->slot_count()) extend(caller);
    slots = slots_.data() + caller.base;
    instructions = code->instructions();
    begins = code->begins();
    slots[caller.result] = {bits, now};
    if (caller.is_wide_result && has_value)
      cell(slots, caller.result) = {Value(scalar_type(graph, graph.type(graph.input(node, 2))), bits), true};
    plain = code->graph().size();
    at = instructions + caller.resume;
    DISPATCH();
  }
  HANDLER(ret_wide) {
    Value value;
    NodeId node = static_cast<NodeId>(at->b);
    EvaluateOperand operand{at->a | EvaluateOperand::wide_bit, code->graph().type(code->graph().input(node, 2))};
    if (!read({at, code, slots, now}, operand, value)) goto stopped;
    if (frames_.size() == 1) {
      LEAVE();
      Evaluation result = finish(Evaluation::Kind::value, value.bits, node);
      result.value = std::move(value);
      return result;
    }
    pop_frame();
    Frame& caller = frames_.back();
    code = caller.code;
    if (caller.reserved < code->slot_count()) extend(caller);
    slots = slots_.data() + caller.base;
    instructions = code->instructions();
    begins = code->begins();
    plain = code->graph().size();
    at = instructions + caller.resume - 1;
    SLOW(write({at, code, slots, now}, caller.result, caller.is_wide_result, caller.result_type, std::move(value)));
  }
  HANDLER(enter) {
    handlers_.push_back(at->b != 0 ? at->a : EvaluateCode::nothing);
    slots[at->to] = {exceptions_.size(), now};
    GO(at->a + 1);
  }
  HANDLER(throw_) {
    pending_ = A;
    thrower = static_cast<NodeId>(at->b);
    goto raise;
  }
  HANDLER(fall) { END(fallthrough, 0, index(no_node), {}); }
  HANDLER(stop) {
    end({at, code, slots, now});
    goto stopped;
  }
  HANDLER(fail) { END(not_evaluated, 0, at->b, code->message(at->a)); }
  HANDLER(record) {
    code->record(block, slots);
    Frame& frame = frames_.back();
    if (frame.reserved < code->slot_count()) {
      extend(frame);
      slots = slots_.data() + frame.base;
    }
    instructions = code->instructions();
    begins = code->begins();
    GO(block);
  }
#if !THREADED
  }
#endif

raise:
  block = unwind(thrower);
  if (block == EvaluateCode::nothing) goto stopped;
  {
    Frame& frame = frames_.back();
    code = frame.code;
    if (frame.reserved < code->slot_count()) extend(frame);
    slots = slots_.data() + frame.base;
    instructions = code->instructions();
    begins = code->begins();
  }
  GO(block);
stopped:
  LEAVE();
  return std::move(ended_);
}

}  // namespace braid::sea
