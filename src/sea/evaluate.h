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
// Evaluated are pure operations (by ir/eval_op), checks that hold, calls in the order of their effects.
// Undefined values are zero. For everything else the answer is `not_evaluated`, with the reason: memory,
// tuples, handlers, frame states.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sea/evaluate_code.h"
#include "sea/graph.h"

namespace braid::sea {

struct Evaluation {
  enum class Kind : uint8_t {
    value,
    fallthrough,    ///< control ends without a return
    timeout,        ///< a limit: back edges taken, calls made, calls in calls
    not_evaluated,  ///< the graph does what the evaluator does not know, or is not valid: see `message`
  };
  Kind kind = Kind::value;
  uint64_t bits = 0;    ///< of the value, in the canonical form of ir/bits.h; otherwise 0
  NodeId at = no_node;  ///< the return, or the node that cannot be evaluated
  std::string message;  ///< of not_evaluated, and which limit

  bool is_value() const { return kind == Kind::value; }
};

/// The value as a signed number, `fallthrough`, `timeout`, or `not evaluated: ` and why.
std::string to_string(const Evaluation& evaluation);

struct EvaluateLimits {
  uint64_t back_edges =
      1000;  ///< taken in all loops together: so many may be taken, the next one is a timeout
  uint64_t calls = 1'000'000;
  uint32_t depth = 100'000;  ///< calls in calls
  /// As the original does it: a graph without any return times out, even if its control simply ends.
  bool timeout_without_return = false;
};

/// May be kept and used for one graph after another: its memory is used again.
class Evaluator {
 public:
  /// What calls of functions without a graph do: the result, or nothing if it is not known.
  using Host = std::function<std::optional<uint64_t>(ir::FuncId callee, std::span<const uint64_t> arguments)>;

  EvaluateLimits limits;
  Host host;

  Evaluator();
  ~Evaluator();

  /// Forgets all graphs and starts anew with this one, which is what `run` runs. Also after the graph has
  /// changed.
  void reset(const Graph& graph);
  /// Calls of `callee` run this graph. It may be the graph of `reset` itself.
  void define(ir::FuncId callee, const Graph& graph);
  /// Arguments in canonical form, one per parameter.
  Evaluation run(std::span<const uint64_t> arguments);
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
    uint32_t base;      ///< its first slot
    uint32_t reserved;  ///< slots that it has
    uint32_t resume;    ///< where it goes on
    uint32_t result;    ///< its slot that gets the result of the call
  };

  EvaluateCode& new_code(const Graph& graph);
  template <bool is_counting>
  Evaluation execute(EvaluateCode* code);
  void push_frame(EvaluateCode& code, uint32_t base);
  void extend(Frame& frame);
  Evaluation finish(Evaluation::Kind kind, uint64_t bits, NodeId at, std::string message = {});

  std::vector<std::unique_ptr<EvaluateCode>> codes_;
  uint32_t used_codes_ = 0;
  std::vector<EvaluateCode*> by_function_;
  std::vector<EvaluateSlot> slots_;
  std::vector<Frame> frames_;
  std::vector<uint64_t> arguments_;
  std::vector<EvaluateInstruction> repair_;
  uint64_t now_ = 0;  ///< grows with every visit of a region, over all runs: old slots never look fresh
  uint64_t back_edges_ = 0;
  uint64_t computed_ = 0;
  bool counting_ = false;
};

}  // namespace braid::sea
