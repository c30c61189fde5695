#include "sea/check_steps.h"

namespace braid::sea {

StepResults::StepResults(std::span<const std::vector<uint64_t>> arguments, const StepOptions& options)
    : arguments_(arguments), options_(options), known_(arguments.size()) {
  evaluator_.runtime = options.runtime;
}

StepResults::Result StepResults::run(std::span<const uint64_t> arguments, Patience patience) {
  constexpr uint64_t more = 16;
  evaluator_.limits = options_.limits;
  if (patience == Patience::great) {
    evaluator_.limits.back_edges *= more;
    evaluator_.limits.calls *= more;
  }
  Evaluation evaluation = evaluator_.run(arguments);
  Result result{evaluation.kind == Evaluation::Kind::timeout || evaluation.uses_undef, to_string(evaluation)};
  if (options_.observed) result.text += options_.observed();
  return result;
}

std::optional<ResultChange> StepResults::look(const Graph& graph) {
  evaluator_.reset(graph, options_.function);
  if (options_.prepare) options_.prepare(evaluator_);
  for (size_t i = 0; i < known_.size(); ++i) {
    Result now = run(arguments_[i], Patience::usual);
    if (known_[i].is_open) {
      if (!now.is_open) known_[i] = std::move(now);
      continue;
    }
    if (now.is_open) now = run(arguments_[i], Patience::great);
    ++decided_;
    if (known_[i].text != now.text) return ResultChange{arguments_[i], known_[i].text, now.text};
  }
  return std::nullopt;
}

namespace {

class Checker final : public RewriteObserver {
 public:
  Checker(const Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options)
      : run_(options.evaluated == nullptr ? graph : *options.evaluated), options_(options), results_(arguments, options) {
    results_.look(run_);
  }

  bool rewritten(Rewrite rewrite, NodeId at) override {
    ++report.steps;
    if (options_.optimise.observer != nullptr && !options_.optimise.observer->rewritten(rewrite, at)) return false;
    std::optional<ResultChange> change = results_.look(run_);
    report.decided = results_.decided();
    if (change) report.fault = {report.steps, rewrite, at, std::move(*change)};
    return !report.fault;
  }

  StepReport report;

 private:
  const Graph& run_;
  const StepOptions& options_;
  StepResults results_;
};

}  // namespace

StepReport check_each_step(Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options) {
  Checker checker(graph, arguments, options);
  OptimiseOptions optimise_options = options.optimise;
  optimise_options.observer = &checker;
  optimise(graph, optimise_options);
  return checker.report;
}

std::string to_string(const ResultChange& change) {
  std::string text = "for ";
  for (size_t i = 0; i < change.arguments.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<int64_t>(change.arguments[i]));
  return text + " the result was " + change.before + " and is " + change.after;
}

std::string to_string(const StepFault& fault) {
  return "step " + std::to_string(fault.step) + ", " + std::string(name_of(fault.rewrite)) + " at node " +
         std::to_string(index(fault.at)) + ": " + to_string(fault.change);
}

}  // namespace braid::sea
