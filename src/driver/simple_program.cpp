#include "driver/simple_program.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sea/add_exits.h"
#include "sea/evaluate.h"
#include "sea/land.h"
#include "sea/print_graph.h"
#include "sea/print_text.h"

namespace braid::driver {

Expected<SimpleProgram> SimpleProgram::open(const SourceFile& source, const simple::ParseOptions& options) {
  auto module = std::make_unique<ir::Module>();
  Expected<simple::Program> program = simple::parse(*module, source, options);
  if (!program) return std::move(program).error();
  SimpleProgram opened(std::move(module), std::move(*program), options.language);
  if (options.language == simple::Language::simple) opened.add_exits();
  return opened;
}

void SimpleProgram::add_exits() {
  for (const simple::FunctionGraph& function : program_.functions)
    sea::add_exits(*function.graph, language_ == simple::Language::simple);
}

/// The program itself, and what calls may lead to.
std::vector<const simple::FunctionGraph*> SimpleProgram::needed_functions() const {
  std::vector<const simple::FunctionGraph*> by_id, needed{&program_.functions[0]};
  for (const simple::FunctionGraph& function : program_.functions) {
    if (by_id.size() <= index(function.id)) by_id.resize(index(function.id) + 1);
    by_id[index(function.id)] = &function;
  }
  by_id[index(needed[0]->id)] = nullptr;
  for (size_t next = 0; next < needed.size(); ++next) {
    const sea::Graph& graph = *needed[next]->graph;
    for (uint32_t k = 0; k < graph.size(); ++k) {
      const sea::NodeId n = static_cast<sea::NodeId>(k);
      if (!graph.is(n, ir::Op::call)) continue;
      if (const simple::FunctionGraph* callee = std::exchange(by_id[graph.words(n)[0]], nullptr)) needed.push_back(callee);
    }
  }
  return needed;
}

std::string SimpleProgram::print(SeaForm form) const {
  std::vector<sea::NamedGraph> functions;
  for (const simple::FunctionGraph& function : program_.functions)
    functions.push_back({module_->name(function.name), function.graph.get()});
  std::rotate(functions.begin(), functions.begin() + 1, functions.end());
  if (form == SeaForm::json) return sea::print_json(functions);
  std::string out;
  for (const sea::NamedGraph& function : functions) {
    if (form == SeaForm::dot) {
      out += sea::print_dot(*function.graph, {.name = function.name});
      continue;
    }
    if (functions.size() > 1) out += std::string(function.name) + (form == SeaForm::text ? ": " : ":\n");
    out += form == SeaForm::text ? sea::print_text(*function.graph) + "\n" : sea::print_table(*function.graph);
  }
  return out;
}

Expected<std::string> SimpleProgram::evaluate(std::span<const int64_t> arguments) const {
  sea::Evaluator evaluator;
  evaluator.limits.timeout_without_return = language_ == simple::Language::simple8;
  evaluator.reset(program_.main());
  for (const simple::FunctionGraph* function : needed_functions()) evaluator.define(function->id, *function->graph);
  std::string out;
  for (int64_t argument : arguments) {
    sea::Evaluation evaluation = evaluator.run(argument);
    if (evaluation.kind == sea::Evaluation::Kind::not_evaluated) {
      Diagnostic error;
      error.message = to_string(evaluation);
      return error;
    }
    out += to_string(evaluation) + "\n";
  }
  return out;
}

StepCheck SimpleProgram::check_each_step(std::span<const int64_t> arguments) {
  std::vector<std::vector<uint64_t>> lists;
  for (int64_t argument : arguments) lists.push_back({static_cast<uint64_t>(argument)});
  std::vector<CheckedGraph> graphs;
  for (const simple::FunctionGraph& function : program_.functions)
    graphs.push_back({function.id, module_->name(function.name), function.graph.get()});
  return driver::check_each_step(graphs, nullptr, lists);
}

std::unique_ptr<ir::Module> SimpleProgram::land() {
  // Chapter 8 has no such exits, so that printed graphs are without them.
  if (language_ == simple::Language::simple8) add_exits();
  for (const simple::FunctionGraph& function : program_.functions) sea::land(*function.graph, module_->function(function.id));
  program_ = {};
  return std::move(module_);
}

}  // namespace braid::driver
