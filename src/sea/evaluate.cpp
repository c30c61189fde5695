// Running what was recorded.
#include "sea/evaluate.h"

#include <algorithm>

#include "ir/eval_op.h"
#include "ir/runtime.h"

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
std::optional<ir::ErrorKind> run_check(Op op, uint64_t a, uint64_t b) {
  int64_t value = static_cast<int64_t>(a);
  switch (op) {
    case Op::check_zero: return a == 0 ? std::optional(ir::ErrorKind::zero) : std::nullopt;
    case Op::check_negative: return value < 0 ? std::optional(ir::ErrorKind::negative) : std::nullopt;
    case Op::check_true: return a == 0 ? std::optional(ir::ErrorKind::assertion) : std::nullopt;
    case Op::check_null: return a == 0 ? std::optional(ir::ErrorKind::null_) : std::nullopt;
    default:
      return value < 0 || value >= static_cast<int64_t>(b) ? std::optional(ir::ErrorKind::bounds)
                                                           : std::nullopt;
  }
}

}  // namespace

std::string to_string(const Evaluation& evaluation) {
  switch (evaluation.kind) {
    case Evaluation::Kind::value: return std::to_string(static_cast<int64_t>(evaluation.bits));
    case Evaluation::Kind::fallthrough: return "fallthrough";
    case Evaluation::Kind::timeout: return "timeout";
    case Evaluation::Kind::not_evaluated: break;
  }
  return "not evaluated: " + evaluation.message;
}

Evaluator::Evaluator() = default;
Evaluator::~Evaluator() = default;

EvaluateCode& Evaluator::new_code(const Graph& graph) {
  if (used_codes_ == codes_.size()) codes_.push_back(std::make_unique<EvaluateCode>());
  EvaluateCode& code = *codes_[used_codes_++];
  code.reset(graph);
  return code;
}

void Evaluator::reset(const Graph& graph) {
  used_codes_ = 0;
  by_function_.clear();
  new_code(graph);
}

void Evaluator::define(ir::FuncId callee, const Graph& graph) {
  if (index(callee) >= by_function_.size()) by_function_.resize(index(callee) + 1, nullptr);
  by_function_[index(callee)] =
      used_codes_ > 0 && &codes_[0]->graph() == &graph ? codes_[0].get() : &new_code(graph);
}

/// Old slots of a new frame are no danger: it is younger than all of them.
void Evaluator::push_frame(EvaluateCode& code, uint32_t base) {
  frames_.push_back({&code, base, code.slot_count(), 0, 0});
  size_t end = size_t{base} + code.slot_count();
  if (slots_.size() < end) slots_.resize(std::max(end, 2 * slots_.size()));
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

Evaluation Evaluator::run(std::span<const uint64_t> arguments) {
  back_edges_ = 0;
  if (used_codes_ == 0) return finish(Evaluation::Kind::not_evaluated, 0, no_node, "there is no graph");
  EvaluateCode& code = *codes_[0];
  const Graph& graph = code.graph();
  if (is_none(graph.start))
    return finish(Evaluation::Kind::not_evaluated, 0, no_node, "the graph has no start");
  if (limits.timeout_without_return && (is_none(graph.stop) || graph.input_count(graph.stop) == 0))
    return finish(Evaluation::Kind::timeout, 0, no_node, "there is no return");
  if (!code.accepts(static_cast<uint32_t>(arguments.size())))
    return finish(Evaluation::Kind::not_evaluated, 0, no_node,
                  "the number of arguments is not that of earlier runs");
  frames_.clear();
  push_frame(code, 0);
  for (size_t i = 0; i < arguments.size(); ++i) slots_[i].value = arguments[i];
  return counting_ ? execute<true>(&code) : execute<false>(&code);
}

template <bool is_counting>
Evaluation Evaluator::execute(EvaluateCode* code) {
  using Kind = Evaluation::Kind;
  uint64_t now = ++now_, back_edges = 0, calls = 0;
  // Cycles of plain regions (irreducible ones) count too: no way without a cycle passes as many regions as
  // there are nodes.
  uint64_t plain = code->graph().size();
  EvaluateSlot* slots = slots_.data();
  const EvaluateInstruction* at = nullptr;
  const EvaluateInstruction* resume = nullptr;
  uint32_t block = EvaluateCode::first_block;
  slots[code->start_region_slot()].time = now;

// The clock and the counts stay in registers: nothing takes their address.
#define END(kind, bits, node, message)                                   \
  {                                                                      \
    now_ = now;                                                          \
    back_edges_ = std::min(back_edges, limits.back_edges);               \
    return finish(Kind::kind, bits, static_cast<NodeId>(node), message); \
  }
#define SET(...)                             \
  {                                          \
    uint64_t computed_value = (__VA_ARGS__); \
    slots[at->to] = {computed_value, now};   \
    ++at;                                    \
    continue;                                \
  }
enter:
  if (code->begin(block) == EvaluateCode::nothing) [[unlikely]] {
    code->record(block, slots);
    Frame& frame = frames_.back();
    if (frame.reserved < code->slot_count()) {
      extend(frame);
      slots = slots_.data() + frame.base;
    }
  }
  at = code->instructions() + code->begin(block);
  for (;;) {
    if (is_counting && at->op <= EvaluateOp::last_value) ++computed_;
    switch (at->op) {
#define X(name)                                                                                         \
  case EvaluateOp::name: SET(ir::eval_int_binary<Op::name, 64>(slots[at->a].value, slots[at->b].value)) \
  case EvaluateOp::name##_immediate:                                                                    \
    SET(ir::eval_int_binary<Op::name, 64>(slots[at->a].value, immediate(at->b)))
      BRAID_EVALUATE_BINARY(X)
#undef X
#define X(name)                                                                                      \
  case EvaluateOp::name: SET(ir::eval_int_compare<Op::name>(slots[at->a].value, slots[at->b].value)) \
  case EvaluateOp::name##_immediate:                                                                 \
      SET(ir::eval_int_compare<Op::name>(slots[at->a].value, immediate(at->b)))                      \
  case EvaluateOp::branch_##name:                                                                    \
    block = at->to + !ir::eval_int_compare<Op::name>(slots[at->a].value, slots[at->b].value);        \
    goto enter;                                                                                      \
  case EvaluateOp::branch_##name##_immediate:                                                        \
    block = at->to + !ir::eval_int_compare<Op::name>(slots[at->a].value, immediate(at->b));          \
    goto enter;
      BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) \
  case EvaluateOp::name: SET(ir::eval_int_unary<Op::name, 64>(slots[at->a].value))
      BRAID_EVALUATE_UNARY(X)
#undef X
      case EvaluateOp::is_zero: SET(slots[at->a].value == 0)
      case EvaluateOp::fold: SET(run_fold(code->list(at->a), slots))
      case EvaluateOp::constant: SET(code->constant(at->a))
      case EvaluateOp::check: {
        const uint32_t* list = code->list(at->b);
        if (std::optional<ir::ErrorKind> error =
                run_check(static_cast<Op>(list[0]), slots[at->a].value, slots[list[1]].value))
          END(not_evaluated, 0, list[2], "throws " + std::string(ir::error_name(*error)))
        SET(slots[at->a].value)
      }
      case EvaluateOp::move: SET(slots[at->a].value)
      case EvaluateOp::move_constant: SET(code->constant(at->a))
      case EvaluateOp::group:
        if (slots[at->to].time >= slots[at->a].time) {
          at += at->b;
        } else {
          slots[at->to].time = now;
        }
        ++at;
        break;
      case EvaluateOp::skip_fresh: at += slots[at->to].time >= slots[at->a].time ? 2 : 1; break;
      case EvaluateOp::ensure:
        if (slots[at->to].time < slots[at->a].time) {
          code->repair(static_cast<NodeId>(at->b), slots, repair_);
          resume = at + 1;
          at = repair_.data();
        } else {
          ++at;
        }
        break;
      case EvaluateOp::resume: at = resume; break;
      case EvaluateOp::branch: block = at->to + (slots[at->a].value == 0); goto enter;
      case EvaluateOp::switch_: {
        const uint32_t* list = code->list(at->b);
        block = at->to;
        for (uint32_t i = 0; i < list[0]; ++i)
          if (code->constant(list[1 + i]) == slots[at->a].value) {
            block = at->to + 1 + i;
            break;
          }
        goto enter;
      }
      case EvaluateOp::back_edge:
        if (++back_edges > limits.back_edges) END(timeout, 0, index(no_node), "too many back edges")
        plain = code->graph().size();
        slots[at->a].time = ++now;
        block = at->to;
        goto enter;
      case EvaluateOp::region:
        if (--plain == 0) {
          plain = code->graph().size();
          if (++back_edges > limits.back_edges) END(timeout, 0, index(no_node), "too many back edges")
        }
        slots[at->a].time = ++now;
        block = at->to;
        goto enter;
      case EvaluateOp::call: {
        const uint32_t* list = code->list(at->a);
        uint32_t callee = list[0], count = list[1];
        if (++calls > limits.calls) END(timeout, 0, at->b, "too many calls")
        EvaluateCode* next = callee < by_function_.size() ? by_function_[callee] : nullptr;
        arguments_.resize(count);
        for (uint32_t i = 0; i < count; ++i) arguments_[i] = slots[list[2 + i]].value;
        if (next == nullptr) {
          std::optional<uint64_t> answer =
              host ? host(static_cast<ir::FuncId>(callee), arguments_) : std::nullopt;
          if (!answer) END(not_evaluated, 0, at->b, "the callee is not known")
          SET(*answer)
        }
        if (frames_.size() >= limits.depth) END(timeout, 0, at->b, "too many calls in calls")
        if (!next->accepts(count)) END(not_evaluated, 0, at->b, "the number of arguments is wrong")
        Frame& caller = frames_.back();
        caller.resume = static_cast<uint32_t>(at + 1 - code->instructions());
        caller.result = at->to;
        uint32_t base = caller.base + caller.reserved;
        code = next;
        push_frame(*code, base);
        slots = slots_.data() + base;
        for (uint32_t i = 0; i < count; ++i) slots[i].value = arguments_[i];
        slots[code->start_region_slot()].time = ++now;
        plain = code->graph().size();
        block = EvaluateCode::first_block;
        goto enter;
      }
      case EvaluateOp::ret:
      case EvaluateOp::ret_void: {
        uint64_t result = at->op == EvaluateOp::ret ? slots[at->a].value : 0;
        if (frames_.size() == 1) END(value, result, at->b, {})
        frames_.pop_back();
        Frame& caller = frames_.back();
        code = caller.code;
        if (caller.reserved < code->slot_count()) extend(caller);
        slots = slots_.data() + caller.base;
        at = code->instructions() + caller.resume;
        slots[caller.result] = {result, now};
        plain = code->graph().size();
        break;
      }
      case EvaluateOp::fall: END(fallthrough, 0, index(no_node), {})
      case EvaluateOp::fail: END(not_evaluated, 0, at->b, code->message(at->a))
    }
  }
#undef SET
#undef END
}

}  // namespace braid::sea
