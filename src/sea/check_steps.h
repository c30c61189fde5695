// Checks the optimiser as it goes: the graph is evaluated after every single rewrite, and the first rewrite that changes a
// result is named.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sea/evaluate.h"
#include "sea/optimise.h"

namespace braid::sea {

struct StepFault {
  uint64_t step;               ///< counted from 1
  Rewrite rewrite;
  NodeId at;                   ///< the node that it was done at
  std::vector<uint64_t> arguments;
  std::string before, after;   ///< what the graph gave for them
};

struct StepReport {
  uint64_t steps = 0;                ///< rewrites that were done
  uint64_t decided = 0;              ///< results that could be compared
  std::optional<StepFault> fault;    ///< the last of them, if it changed a result
};

struct StepOptions {
  OptimiseOptions optimise;          ///< its observer hears of each rewrite before it is judged
  EvaluateLimits limits;
  const Graph* evaluated = nullptr;         ///< what is run, if it is another graph, which calls this one
  const ir::Function* function = nullptr;   ///< of what is run, if it reads or writes variables
  ir::Runtime* runtime = nullptr;           ///< with the host functions; null: there are none
  /// What a run did beside its result, asked after every run and compared with it; may be empty.
  std::function<std::string()> observed;
  std::function<void(Evaluator&)> prepare;  ///< after every reset: defines other functions; may be empty
};

/// Optimises the graph, and evaluates it for each list of arguments before and after each rewrite. A timeout on one side
/// says nothing: graphs that mean the same may go round their loops a different number of times. Nor does a use of `undef`,
/// which may become anything. Calls to the host and exceptions are part of the result. Ends at the first fault.
StepReport check_each_step(Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options = {});

/// One line for people: `step 7, phi_same_input at node 12: for 3 the result was 5 and is 6`.
std::string to_string(const StepFault& fault);

}  // namespace braid::sea
