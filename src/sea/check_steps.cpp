#include "sea/check_steps.h"

namespace braid::sea {
namespace {

class Checker final : public RewriteObserver {
 public:
  Checker(const Graph& graph, std::span<const std::vector<uint64_t>> arguments, const StepOptions& options)
      : graph_(graph), arguments_(arguments), options_(options) {
    evaluator_.limits = options.limits;
    evaluate(known_);
  }

  bool rewritten(Rewrite rewrite, NodeId at) override {
    ++report.steps;
    if (options_.optimise.observer != nullptr && !options_.optimise.observer->rewritten(rewrite, at)) return false;
    evaluate(now_);
    for (size_t i = 0; i < known_.size(); ++i) {
      if (now_[i].kind == Evaluation::Kind::timeout) continue;
      if (known_[i].kind == Evaluation::Kind::timeout) {
        known_[i] = now_[i];
      } else if (known_[i].kind != now_[i].kind || known_[i].bits != now_[i].bits) {
        report.fault = {report.steps, rewrite, at, arguments_[i], to_string(known_[i]), to_string(now_[i])};
        return false;
      }
    }
    return true;
  }

  StepReport report;

 private:
  void evaluate(std::vector<Evaluation>& results) {
    evaluator_.reset(graph_);
    if (options_.prepare) options_.prepare(evaluator_);
    results.clear();
    for (const std::vector<uint64_t>& list : arguments_) results.push_back(evaluator_.run(list));
  }

  const Graph& graph_;
  std::span<const std::vector<uint64_t>> arguments_;
  const StepOptions& options_;
  Evaluator evaluator_;
  std::vector<Evaluation> known_, now_;
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
