#include "driver/step_check.h"

#include <memory>

#include "driver/execute.h"
#include "sea/check_steps.h"
#include "sea/lift.h"

namespace braid::driver {

StepCheck check_each_step(std::span<const CheckedGraph> graphs, const ir::Function* function,
                          std::span<const std::vector<uint64_t>> arguments) {
  StepCheck check;
  std::string written;
  ir::SimpleRuntime runtime;
  bind_print(runtime, [&](std::string_view text) { written += text; });
  sea::StepOptions options;
  options.evaluated = graphs[0].graph;
  options.function = function;
  options.runtime = &runtime;
  options.observed = [&] {
    runtime.clear();
    std::string text = written.empty() ? std::string() : ", having written " + written;
    written.clear();
    return text;
  };
  options.prepare = [&](sea::Evaluator& evaluator) {
    for (const CheckedGraph& graph : graphs) evaluator.define(graph.id, *graph.graph);
  };
  for (const CheckedGraph& graph : graphs) {
    sea::StepReport report = sea::check_each_step(*graph.graph, arguments, options);
    check.count += report.steps;
    if (!report.fault) continue;
    check.fault = (graphs.size() > 1 ? "@" + std::string(graph.name) + ": " : std::string()) + to_string(*report.fault);
    break;
  }
  return check;
}

StepCheck check_each_step(const ir::Function& f, std::span<const Value> arguments) {
  const ir::Module& module = f.module();
  std::vector<std::unique_ptr<sea::Graph>> lifted;
  std::vector<CheckedGraph> graphs;
  auto add = [&](const ir::Function& function) {
    lifted.push_back(std::make_unique<sea::Graph>(sea::lift(function)));
    graphs.push_back({function.id(), function.name_text(), lifted.back().get()});
  };
  add(f);
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    ir::FuncId id = static_cast<ir::FuncId>(i);
    if (id != f.id() && module.has_function(id) && !module.function(id).is_external()) add(module.function(id));
  }
  std::vector<uint64_t> bits;
  for (const Value& value : arguments) bits.push_back(value.bits);
  return check_each_step(graphs, &f, std::span(&bits, 1));
}

}  // namespace braid::driver
