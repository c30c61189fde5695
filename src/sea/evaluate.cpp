// Running what was recorded: the dispatch loop, frames.
//
// Dispatch jumps from handler to handler where the compiler can (labels as values, a GNU extension), so that each
// instruction has its own indirect branch to predict; otherwise it is a switch.
#include "sea/evaluate.h"

#include <algorithm>

#include "ir/eval_op.h"

#define DISPATCH_OP EvaluateOp
#define DISPATCH_AT at
#include "base/threaded_dispatch.h"

namespace braid::sea {

using ir::Op;

namespace {

constexpr uint64_t immediate(uint32_t word) {
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
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
  for (size_t i = begin; i < end; ++i) slots_[i] = 0;
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
    slots_[i * evaluate_slot_words] = arguments[i];
    if (code.is_wide_parameter(static_cast<uint32_t>(i)))
      cell(slots_.data(), static_cast<uint32_t>(i) * evaluate_slot_words) = {Value(i64, arguments[i]), true};
  }
  return counting_ ? execute<true>(code) : execute<false>(code);
}

Evaluation Evaluator::run(std::span<const Value> arguments) {
  if (!start(arguments.size())) return std::move(ended_);
  EvaluateCode& code = *codes_[0];
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::optional<Kind> kind = code.graph().module().types.single_kind(arguments[i].type);
    bool is_word = kind && *kind != Kind::tuple;
    slots_[i * evaluate_slot_words] = is_word ? ir::canonical(*kind, arguments[i].bits) : arguments[i].bits;
    if (code.is_wide_parameter(static_cast<uint32_t>(i)))
      cell(slots_.data(), static_cast<uint32_t>(i) * evaluate_slot_words) = {arguments[i], true};
  }
  return counting_ ? execute<true>(code) : execute<false>(code);
}

#define GO(to)                                                                                       \
  do {                                                                                               \
    block = (to);                                                                                    \
    at = reinterpret_cast<const EvaluateInstruction*>(instructions + begins[block]);                 \
    DISPATCH();                                                                                      \
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
#define SET(...)                        \
  do {                                  \
    uint64_t set_value = (__VA_ARGS__); \
    uint64_t* set_at = slots + at->to;  \
    set_at[0] = set_value;              \
    set_at[1] = now;                    \
  } while (false)
#define COMPUTE(...)              \
  do {                            \
    if (is_counting) ++computed_; \
    SET(__VA_ARGS__);             \
    NEXT(1);                      \
  } while (false)
#define MOVE() \
  do {         \
    SET(A);    \
    ++at;      \
  } while (false)
#define A slots[at->a]
#define B slots[at->b]
#define TIME(slot) (slots + (slot))[1]

/// What needs more than a few steps is left to `step`, so that the few things which the loop works with stay in registers.
template <bool is_counting>
Evaluation Evaluator::execute(EvaluateCode& first) {
#if THREADED
  static const void* const labels[] = {
#define X(name) &&handler_##name, &&handler_##name##_immediate,
      BRAID_EVALUATE_BINARY(X) BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) &&handler_branch_##name, &&handler_branch_##name##_immediate,
          BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) &&handler_##name,
              BRAID_EVALUATE_UNARY(X) BRAID_EVALUATE_FAST(X)
#undef X
#define X(name) &&slow,
                  BRAID_EVALUATE_SLOW(X)
#undef X
  };
#endif
  // Cycles of plain regions (irreducible ones) count too: no way without a cycle passes as many regions as
  // there are nodes.
  Run run{&first, slots_.data(), nullptr, nullptr, ++now_, limits.back_edges, first.graph().size(), first.graph().size(),
          0, EvaluateCode::first_block};
  uint64_t now = run.now;
  uint64_t* slots = run.slots;
  const char* instructions = reinterpret_cast<const char*>(first.instructions());
  const uint32_t* begins = first.begins();
  const EvaluateInstruction* at;
  uint32_t block;
  TIME(first.start_region_slot()) = now;
  GO(EvaluateCode::first_block);

#if !THREADED
dispatch:
  switch (at->op) {
#endif
#define X(name)                                                                                  \
  HANDLER(name) { COMPUTE(ir::eval_int_binary<Op::name, 64>(A, B)); }                            \
  HANDLER(name##_immediate) { COMPUTE(ir::eval_int_binary<Op::name, 64>(A, immediate(at->b))); }
  BRAID_EVALUATE_BINARY(X)
#undef X
#define X(name)                                                                               \
  HANDLER(name) { COMPUTE(ir::eval_int_compare<Op::name>(A, B)); }                            \
  HANDLER(name##_immediate) { COMPUTE(ir::eval_int_compare<Op::name>(A, immediate(at->b))); } \
  HANDLER(branch_##name) { COMPARE_AND_BRANCH(ir::eval_int_compare<Op::name>(A, B)); }        \
  HANDLER(branch_##name##_immediate) {                                                        \
    COMPARE_AND_BRANCH(ir::eval_int_compare<Op::name>(A, immediate(at->b)));                  \
  }
  BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) \
  HANDLER(name) { COMPUTE(ir::eval_int_unary<Op::name, 64>(A)); }
  BRAID_EVALUATE_UNARY(X)
#undef X
  HANDLER(is_zero) { COMPUTE(A == 0); }
  HANDLER(constant) { COMPUTE(run.code->constant(at->a)); }
  HANDLER(move) {
    MOVE();
    DISPATCH();
  }
  HANDLER(move_constant) {
    SET(run.code->constant(at->a));
    NEXT(1);
  }
  HANDLER(moves) {
    MOVE();
    MOVE();
    DISPATCH();
  }
  HANDLER(moves_back_edge)
  MOVE();
  FALL_INTO_NEXT();
  HANDLER(move_back_edge)
  MOVE();
  FALL_INTO_NEXT();
  HANDLER(back_edge) {
    if (run.rounds-- == 0) goto too_many_rounds;
    run.plain = run.most_plain;
    TIME(at->a) = ++now;
    GO(at->to);
  }
  HANDLER(moves_region)
  MOVE();
  FALL_INTO_NEXT();
  HANDLER(move_region)
  MOVE();
  FALL_INTO_NEXT();
  HANDLER(region) {
    if (--run.plain == 0) {
      run.plain = run.most_plain;
      if (run.rounds-- == 0) goto too_many_rounds;
    }
    TIME(at->a) = ++now;
    GO(at->to);
  }
  HANDLER(group) {
    if (TIME(at->to) >= TIME(at->a)) NEXT(1 + at->b);
    TIME(at->to) = now;
    NEXT(1);
  }
  HANDLER(skip_fresh) {
    if (TIME(at->to) >= TIME(at->a)) NEXT(2);
    NEXT(1);
  }
  HANDLER(branch) { BRANCH_IF(A != 0); }
#if !THREADED
    default: break;
  }
#else
slow:
#endif
  run.at = at;
  run.now = now;
  run.block = block;
  if (!step(run)) return std::move(ended_);
  now = run.now;
  slots = run.slots;
  block = run.block;
  instructions = reinterpret_cast<const char*>(run.code->instructions());
  begins = run.code->begins();
  at = run.at;
  if (at != nullptr) DISPATCH();
  GO(block);

too_many_rounds:
  run.rounds = 0;
  run.now = now;
  leave(run, finish(Evaluation::Kind::timeout, 0, no_node, "too many back edges"));
  return std::move(ended_);
}

}  // namespace braid::sea
