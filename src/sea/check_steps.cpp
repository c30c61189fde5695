#include "sea/check_steps.h"

namespace braid::sea {
namespace {

class Checker final : public RewriteObserver {
 public:
  Checker(const Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options)
      : graph_(graph), arguments_(arguments), options_(options) {
    evaluator_.limits = options.limits;
    evaluator_.runtime = options.runtime;
    evaluate(known_);
  }

  bool rewritten(Rewrite rewrite, NodeId at) override {
    ++report.steps;
    if (options_.optimise.observer != nullptr && !options_.optimise.observer->rewritten(rewrite, at)) return false;
    evaluate(now_);
    for (size_t i = 0; i < known_.size(); ++i) {
      if (now_[i].is_open) continue;
      if (known_[i].is_open) {
        known_[i] = now_[i];
        continue;
      }
      ++report.decided;
      if (known_[i].text != now_[i].text) {
        report.fault = {report.steps, rewrite, at, arguments_[i], known_[i].text, now_[i].text};
        return false;
      }
    }
    return true;
  }

  StepReport report;

 private:
  struct Result {
    bool is_open;  ///< says nothing of what the graph means
    std::string text;
  };

  void evaluate(std::vector<Result>& results) {
    evaluator_.reset(options_.evaluated == nullptr ? graph_ : *options_.evaluated, options_.function);
    if (options_.prepare) options_.prepare(evaluator_);
    results.clear();
    for (const std::vector<uint64_t>& list : arguments_) {
      Evaluation evaluation = evaluator_.run(list);
      bool is_open = evaluation.kind == Evaluation::Kind::timeout || evaluation.uses_undef;
      results.push_back({is_open, to_string(evaluation)});
      if (options_.observed) results.back().text += options_.observed();
    }
  }

  const Graph& graph_;
  std::span<const std::vector<uint64_t>> arguments_;
  const StepOptions& options_;
  Evaluator evaluator_;
  std::vector<Result> known_, now_;
};

}  // namespace

StepReport check_each_step(Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options) {
  Checker checker(graph, arguments, options);
  OptimiseOptions optimise_options = options.optimise;
  optimise_options.observer = &checker;
  optimise(graph, optimise_options);
  return checker.report;
}

std::string to_string(const StepFault& fault) {
  std::string text = "step " + std::to_string(fault.step) + ", " + std::string(name_of(fault.rewrite)) + " at node " +
                     std::to_string(index(fault.at)) + ": for ";
  for (size_t i = 0; i < fault.arguments.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<int64_t>(fault.arguments[i]));
  return text + " the result was " + fault.before + " and is " + fault.after;
}

}  // namespace braid::sea
