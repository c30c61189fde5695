// Instructions that need more than a few steps: calls and returns, exceptions, what is recorded while it runs.
#include <algorithm>

#include "ir/eval_op.h"
#include "sea/effects.h"
#include "sea/evaluate.h"

namespace braid::sea {

using ir::Op;

namespace {

uint64_t run_fold(const uint32_t* list, const uint64_t* slots) {
  uint64_t operands[4] = {};
  uint32_t values = list[3], words = list[4];
  for (uint32_t i = 0; i < values; ++i) operands[i] = slots[list[5 + i]];
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

/// The run ends with this.
bool Evaluator::leave(const Run& run, Evaluation evaluation) {
  ended_ = std::move(evaluation);
  return leave(run);
}

/// The run ends with what is said already.
bool Evaluator::leave(const Run& run) {
  now_ = run.now;
  back_edges_ = limits.back_edges - run.rounds;
  return false;
}

/// One instruction. Goes on at `run.at`, or with `run.block` if that is null; false if the run has ended.
bool Evaluator::step(Run& run) {
  const EvaluateInstruction* at = run.at;
  uint64_t* slots = run.slots;
  EvaluateCode& code = *run.code;
  Site site{at, run.code, slots, run.now};
  if (counting_ && (at->op == EvaluateOp::fold || at->op == EvaluateOp::undefined || at->op == EvaluateOp::value))
    ++computed_;
  switch (at->op) {
    case EvaluateOp::fold: site.set(at->to, run_fold(code.list(at->a), slots)); break;
    case EvaluateOp::undefined:
      cell(slots, at->to).is_defined = false;
      site.set(at->to, 0);
      break;
    case EvaluateOp::value: return go_on(run, evaluate(site));
    case EvaluateOp::copy: return go_on(run, copy(site));
    case EvaluateOp::effect: return go_on(run, effect(site));
    case EvaluateOp::check: {
      const uint32_t* list = code.list(at->b);
      std::optional<ir::ErrorKind> error =
          run_check(static_cast<Op>(list[0]), list[1] != 0, slots[at->a], slots[list[2]]);
      if (error) {
        EvaluateInstruction named = *at;
        named.b = list[3];
        site.at = &named;
        if (failed_check(site, *error) == Flow::stop) return leave(run);
        return throw_from(run, static_cast<NodeId>(list[3]));
      }
      site.set(at->to, slots[at->a]);
      break;
    }
    case EvaluateOp::ensure:
      if (slots[at->to + 1] >= slots[at->a + 1]) break;
      code.repair(static_cast<NodeId>(at->b), slots, repair_);
      run.resume = at + 1;
      run.at = repair_.data();
      return true;
    case EvaluateOp::resume: run.at = run.resume; return true;
    case EvaluateOp::switch_: {
      const uint32_t* list = code.list(at->b);
      run.block = at->to;
      for (uint32_t i = 0; i < list[0] && run.block == at->to; ++i)
        if (code.constant(list[1 + i]) == slots[at->a]) run.block = at->to + 1 + i;
      run.at = nullptr;
      return true;
    }
    case EvaluateOp::call: return call(run);
    case EvaluateOp::ret:
    case EvaluateOp::ret_wide:
    case EvaluateOp::ret_void: return return_(run);
    case EvaluateOp::enter:
      handlers_.push_back(at->b != 0 ? at->a : EvaluateCode::nothing);
      site.set(at->to, exceptions_.size());
      run.block = at->a + 1;
      run.at = nullptr;
      return true;
    case EvaluateOp::throw_: pending_ = slots[at->a]; return throw_from(run, site.node());
    case EvaluateOp::fall: return leave(run, finish(Evaluation::Kind::fallthrough, 0, no_node));
    case EvaluateOp::stop: end(site); return leave(run);
    case EvaluateOp::fail:
      return leave(run, finish(Evaluation::Kind::not_evaluated, 0, site.node(), code.message(at->a)));
    case EvaluateOp::record: {
      code.record(run.block, slots);
      back_in(run);
      run.at = nullptr;
      return true;
    }
    default: return leave(run, finish(Evaluation::Kind::not_evaluated, 0, no_node, "this is no slow instruction"));
  }
  ++run.at;
  return true;
}

/// Goes on behind an instruction, if it ended well.
bool Evaluator::go_on(Run& run, Flow flow) {
  if (flow == Flow::raise) return throw_from(run, static_cast<NodeId>(run.at->b));
  if (flow == Flow::stop) return leave(run);
  ++run.at;
  return true;
}

/// To the innermost handler.
bool Evaluator::throw_from(Run& run, NodeId node) {
  const size_t depth = frames_.size();
  const uint64_t plain = run.plain;
  run.block = unwind(node);
  if (run.block == EvaluateCode::nothing) return leave(run);
  back_in(run);
  // A cycle through a handler is as long as others; one through a call is counted with that.
  if (frames_.size() == depth) run.plain = plain;
  run.at = nullptr;
  return true;
}

/// The last frame is the current one. Its code may have grown since it was.
void Evaluator::back_in(Run& run) {
  Frame& frame = frames_.back();
  run.code = frame.code;
  if (frame.reserved < run.code->slot_count()) extend(frame);
  run.slots = slots_.data() + frame.base;
  run.plain = run.most_plain = run.code->graph().size();
}

bool Evaluator::call(Run& run) {
  const EvaluateInstruction* at = run.at;
  EvaluateCode& code = *run.code;
  const Graph& graph = code.graph();
  const uint32_t* list = code.list(at->a);
  uint32_t callee = list[0], first = 0;
  EvaluateOperands operands{list + 1};
  NodeId node = static_cast<NodeId>(at->b);
  Site site{at, run.code, run.slots, run.now};
  if (++run.calls > limits.calls) return leave(run, finish(Evaluation::Kind::timeout, 0, node, "too many calls"));
  if (callee == EvaluateCode::nothing) {
    Flow flow = find_callee(site, operands[0], callee);
    if (flow != Flow::next) return go_on(run, flow);
    first = 1;
  }
  EvaluateCode* next = callee < by_function_.size() ? by_function_[callee] : nullptr;
  if (next == nullptr) next = callee_code(static_cast<ir::FuncId>(callee), graph);
  if (next == nullptr) return go_on(run, call_out(site, static_cast<ir::FuncId>(callee), operands, first));
  if (frames_.size() >= limits.depth)
    return leave(run, finish(Evaluation::Kind::timeout, 0, node, "too many calls in calls"));
  if (!next->accepts(operands.size() - first))
    return leave(run, finish(Evaluation::Kind::not_evaluated, 0, node, "the number of arguments is wrong"));
  Frame& caller = frames_.back();
  caller.resume = static_cast<uint32_t>(at + 1 - code.instructions());
  caller.result = at->to;
  caller.is_wide_result = operands.has_wide_result();
  caller.result_type = graph.type(node);
  caller.cannot_throw = (statement_flags(graph, node) & ir::cannot_throw) != 0;
  uint32_t from = caller.base;
  push_frame(*next, caller.base + caller.reserved);
  uint64_t* slots = slots_.data() + frames_.back().base;
  site.slots = slots_.data() + from;
  for (uint32_t i = 0; i < operands.size() - first; ++i) {
    EvaluateOperand operand = operands[first + i];
    uint32_t to = i * evaluate_slot_words;
    if (!operand.is_wide() && !next->is_wide_parameter(i)) [[likely]] {
      slots[to] = site.slots[operand.slot()];
      continue;
    }
    Value value;
    if (!read(site, operand, value)) return leave(run);
    slots[to] = value.bits;
    if (next->is_wide_parameter(i)) cell(slots, to) = {std::move(value), true};
  }
  back_in(run);
  slots[next->start_region_slot() + 1] = ++run.now;
  run.block = EvaluateCode::first_block;
  run.at = nullptr;
  return true;
}

bool Evaluator::return_(Run& run) {
  const EvaluateInstruction* at = run.at;
  const Graph& graph = run.code->graph();
  NodeId node = static_cast<NodeId>(at->b);
  bool has_value = at->op != EvaluateOp::ret_void;
  bool is_plain = at->op == EvaluateOp::ret && (frames_.size() == 1 || !frames_[frames_.size() - 2].is_wide_result);
  uint64_t bits = at->op == EvaluateOp::ret ? run.slots[at->a] : 0;
  Value value;
  if (has_value && (!is_plain || frames_.size() == 1)) {
    uint32_t wide = at->op == EvaluateOp::ret_wide ? EvaluateOperand::wide_bit : 0;
    if (!read({at, run.code, run.slots, run.now}, {at->a | wide, graph.type(graph.input(node, 2))}, value))
      return leave(run);
  }
  if (frames_.size() == 1) {
    Evaluation result = finish(Evaluation::Kind::value, value.bits, node);
    if (graph.module().types.storage(value.type) == Storage::ref) result.message = host().describe(value.bits);
    result.value = std::move(value);
    return leave(run, std::move(result));
  }
  pop_frame();
  back_in(run);
  const Frame& caller = frames_.back();
  run.at = run.code->instructions() + caller.resume;
  Site site{run.at - 1, run.code, run.slots, run.now};
  if (is_plain || !has_value) {
    site.set(caller.result, bits);
  } else if (write(site, caller.result, caller.is_wide_result, caller.result_type, std::move(value)) != Flow::next) {
    return leave(run);
  }
  return true;
}

}  // namespace braid::sea
