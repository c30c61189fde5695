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

/// What a run gave before, and gives now.
struct ResultChange {
  std::vector<uint64_t> arguments;
  std::string before, after;
};

/// `for 3 the result was 5 and is 6`.
std::string to_string(const ResultChange& change);

struct StepFault {
  uint64_t step;               ///< counted from 1
  Rewrite rewrite;
  NodeId at;                   ///< the node that it was done at
  ResultChange change;
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

/// The results of a graph for some arguments, and of what the graph becomes.
///
/// A timeout says nothing until there is a result: graphs that mean the same may go round their loops a different number of
/// times. But what had a result must still have it within many more rounds. Nor does a use of `undef`, which may become anything.
/// Calls to the host and exceptions are part of the result.
class StepResults {
 public:
  StepResults(std::span<const std::vector<uint64_t>> arguments, const StepOptions& options);

  /// Runs the graph as it is now. The first result that is not what it was, if any.
  std::optional<ResultChange> look(const Graph& graph);
  /// Results that could be compared.
  uint64_t decided() const { return decided_; }

 private:
  struct Result {
    bool is_open = true;  ///< says nothing of what the graph means
    std::string text;
  };
  enum class Patience : uint8_t { usual, great };

  Result run(std::span<const uint64_t> arguments, Patience patience);

  std::span<const std::vector<uint64_t>> arguments_;
  const StepOptions& options_;
  Evaluator evaluator_;
  std::vector<Result> known_;
  uint64_t decided_ = 0;
};

/// Optimises the graph, and evaluates it for each list of arguments before and after each rewrite. Ends at the first fault.
StepReport check_each_step(Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options = {});

/// One line for people: `step 7, phi_same_input at node 12: for 3 the result was 5 and is 6`.
std::string to_string(const StepFault& fault);

}  // namespace braid::sea
