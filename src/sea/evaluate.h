// The graph evaluator: executes a graph as it is, before and after every rewrite, without scheduling it
// first.
//
// Control is walked from the start. Where ways meet, the phis are resolved for the way that was taken, all of
// them before any is published. Everything else floats and is computed when a branch, a phi, a call or a
// return first asks for it.
//
// What is asked for is recorded: the first visit of a control block writes code for it, later visits run that
// code. A value belongs to the last region on which it depends; it is computed at most once per visit of that
// region, however many blocks ask for it. Within the extended block of the region this is known when the code
// is written; elsewhere the time of the computation is compared with the time of the visit. So nothing is
// exponential, nothing is recursive, blocks that are never reached cost nothing, and what a loop does not
// change is not computed again in it.
//
// Cost: O(nodes asked for) to record, O(nodes computed + phis resolved) to run. Programs may recurse: their
// frames stand in a vector.
//
// Pure operations are those of ir/eval_op. Effects happen in the order of their chain, as in the interpreter: memory and
// stack slots are an ir::Memory, host functions and managed objects are asked of an ir::Runtime, a throw goes to the last
// handler that was entered. A read that cannot fail and so has no control is done right behind the effect that it hangs on.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/memory.h"
#include "ir/runtime.h"
#include "sea/evaluate_code.h"
#include "sea/graph.h"

namespace braid::sea {

struct Evaluation {
  enum class Kind : uint8_t {
    value,
    exception,      ///< thrown and not caught
    trap,           ///< a bad address, or what a valid program cannot do
    deopt,          ///< left to a saved state
    fallthrough,    ///< control ends without a return
    timeout,        ///< a limit: back edges taken, calls made, calls in calls, memory
    not_evaluated,  ///< the graph is not valid, or a function that it calls is not there: see `message`
  };
  Kind kind = Kind::value;
  bool uses_undef = false;  ///< of a trap: it used a value that is not defined
  uint64_t bits = 0;    ///< of a value, in the canonical form of ir/bits.h, or of the thrown reference; otherwise 0
  NodeId at = no_node;  ///< the return, or the node that ended it
  std::string message;  ///< which limit, what was thrown, what is wrong
  Value value;          ///< with its type; a tuple has no bits
  std::vector<ir::FrameState> states;  ///< of a deopt: the frame, then its callers

  bool is_value() const { return kind == Kind::value; }
};

/// The value, `throws …`, `traps: …`, `deopts …`, `fallthrough`, `timeout`, or `not evaluated: ` and why.
std::string to_string(const Evaluation& evaluation);

struct EvaluateLimits {
  uint64_t back_edges =
      1000;  ///< taken in all loops together: so many may be taken, the next one is a timeout
  uint64_t calls = 1'000'000;
  uint32_t depth = 100'000;  ///< calls in calls
  uint64_t memory = uint64_t{1} << 28;  ///< bytes of memory, and of objects if the runtime is the evaluator's own
  /// As the original does it: a graph without any return times out, even if its control simply ends.
  bool timeout_without_return = false;
};

/// May be kept and used for one graph after another: its memory is used again.
class Evaluator {
 public:
  EvaluateLimits limits;
  ir::Runtime* runtime = nullptr;  ///< null: one inside, without host functions; its references live until the next run

  Evaluator();
  ~Evaluator();

  /// Forgets all graphs and starts anew with this one, which is what `run` runs. Also after the graph has
  /// changed. A graph that reads or writes variables needs the function that they belong to.
  void reset(const Graph& graph, const ir::Function* function = nullptr);
  /// Calls of `callee` run this graph. It may be the graph of `reset` itself. Functions of the module that have a body and
  /// no graph are lifted when they are called.
  void define(ir::FuncId callee, const Graph& graph);
  /// Arguments in canonical form, one per parameter.
  Evaluation run(std::span<const uint64_t> arguments);
  Evaluation run(std::span<const Value> arguments);
  Evaluation run(int64_t argument) {
    uint64_t bits = static_cast<uint64_t>(argument);
    return run(std::span(&bits, 1));
  }
  /// Back edges that the last run has taken, those over the limit not counted.
  uint64_t back_edges() const { return back_edges_; }
  /// Values that all runs have computed so far, for tests of the promise above. Counted only if asked for
  /// before.
  uint64_t computed() const { return computed_; }
  void count_computed(bool on) { counting_ = on; }

 private:
  struct Frame {
    EvaluateCode* code;
    uint32_t base;      ///< its first word
    uint32_t reserved;  ///< words that it has
    uint32_t resume;    ///< where it goes on
    uint32_t result;    ///< its slot that gets the result of the call
    Type result_type;
    bool is_wide_result;
    bool cannot_throw;  ///< the call that it is in
    uint32_t handlers, exceptions;  ///< how many there were when it began
    uint64_t memory;
  };
  /// What is not undefined has a value.
  struct Cell {
    Value value;
    bool is_defined = false;
  };
  /// How an instruction that needs more than a few steps ended.
  enum class Flow : uint8_t { next, raise, stop };
  /// Such an instruction, in its activation.
  struct Site {
    const EvaluateInstruction* at;
    EvaluateCode* code;
    uint64_t* slots;
    uint64_t now;
    void set(uint32_t slot, uint64_t bits) const {
      slots[slot] = bits;
      slots[slot + 1] = now;
    }
    NodeId node() const { return static_cast<NodeId>(at->b); }
    const Graph& graph() const { return code->graph(); }
    EvaluateOperands operands() const { return {code->list(at->a)}; }
  };
  /// Where a run is, between two instructions.
  struct Run {
    EvaluateCode* code;
    uint64_t* slots;                    ///< of the last frame
    const EvaluateInstruction* at;
    const EvaluateInstruction* resume;  ///< behind what is being repaired
    uint64_t now;
    uint64_t rounds;                    ///< back edges that may still be taken
    uint64_t plain, most_plain;         ///< regions that may still be passed until one counts as a back edge
    uint64_t calls;
    uint32_t block;
  };

  EvaluateCode& new_code(const Graph& graph, const ir::Function* function);
  bool start(size_t argument_count);
  template <bool is_counting>
  Evaluation execute(EvaluateCode& first);
  void push_frame(EvaluateCode& code, uint32_t base);
  void pop_frame();
  void extend(Frame& frame);
  Evaluation finish(Evaluation::Kind kind, uint64_t bits, NodeId at, std::string message = {});

  // Slow instructions (evaluate_step.cpp).
  bool step(Run& run);
  bool go_on(Run& run, Flow flow);
  bool throw_from(Run& run, NodeId node);
  void back_in(Run& run);
  bool call(Run& run);
  bool return_(Run& run);
  bool leave(const Run& run, Evaluation evaluation);
  bool leave(const Run& run);

  // Values (evaluate_value.cpp).
  Cell& cell(const uint64_t* slots, uint32_t slot);
  static Type scalar_type(const Graph& graph, Type type);
  static Value zero_of(const Graph& graph, Type type);
  static bool fits(const TypeTable& types, const Value& value, Type type);
  /// Of an operand; otherwise the run has ended.
  bool read(const Site& site, EvaluateOperand operand, Value& out);
  bool read_bits(const Site& site, EvaluateOperand operand, uint64_t& out);
  Flow write(const Site& site, uint32_t slot, bool is_wide, Type type, Value value);
  Flow write(const Site& site, Value value);
  Flow write_bits(const Site& site, uint64_t bits);
  Flow copy(const Site& site);
  Flow copy(const Site& site, Type type);
  Flow evaluate(const Site& site);
  Flow evaluate_fold(const Site& site);
  Flow evaluate_overflow(const Site& site);
  Flow evaluate_variable(const Site& site);

  // Effects (evaluate_run_effects.cpp).
  Flow effect(const Site& site);
  Flow access_memory(const Site& site);
  Flow box_or_unbox(const Site& site);
  Flow evaluate_dynamic(const Site& site);
  Flow find_callee(const Site& site, EvaluateOperand address, uint32_t& callee);
  Flow call_out(const Site& site, ir::FuncId callee, EvaluateOperands operands, uint32_t first);
  Flow call_intrinsic(const Site& site);
  Flow thrown_wrongly(NodeId at, const std::string& who);
  Flow write_answer(const Site& site, bool is_wide, Type declared, Value value, const std::string& who);
  Flow stop_point(const Site& site);
  Flow end(const Site& site);
  std::vector<ir::FrameState> read_states(const Site& site);
  ir::Memory* memory(const Graph& graph);
  ir::Runtime& host();
  EvaluateCode* callee_code(ir::FuncId callee, const Graph& graph);
  Flow raise(std::string_view kind, std::string_view text = {});
  Flow failed_check(const Site& site, ir::ErrorKind kind, std::string_view text = {});
  Flow stop(Evaluation::Kind kind, NodeId at, std::string message);
  Flow out_of_memory(NodeId at);
  /// To the innermost handler, in the last frame: the block. `nothing` if the run has ended.
  uint32_t unwind(NodeId at);

  std::vector<std::unique_ptr<EvaluateCode>> codes_;
  uint32_t used_codes_ = 0;
  std::vector<EvaluateCode*> by_function_;
  std::vector<std::unique_ptr<Graph>> lifted_;
  std::vector<uint64_t> slots_;
  std::vector<Cell> cells_;  ///< of slots that are wide, by the same number; grows when there is one
  std::vector<Frame> frames_;
  std::vector<EvaluateInstruction> repair_;
  std::vector<uint32_t> handlers_;    ///< the block that leads to each; `nothing`: there is none
  std::vector<uint64_t> exceptions_;  ///< those that are being handled
  uint64_t pending_ = 0;              ///< the exception that is being thrown
  ir::Memory memory_;
  bool has_memory_ = false;  ///< in this run
  std::unique_ptr<ir::SimpleRuntime> own_runtime_;
  Evaluation ended_;
  uint64_t now_ = 0;  ///< grows with every visit of a region, over all runs: old slots never look fresh
  uint64_t back_edges_ = 0;
  uint64_t computed_ = 0;
  bool counting_ = false;
};

}  // namespace braid::sea
