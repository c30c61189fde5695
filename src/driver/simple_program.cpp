#include "driver/simple_program.h"

#include "sea/evaluate.h"
#include "sea/land.h"
#include "sea/print_text.h"

namespace braid::driver {

Expected<SimpleProgram> SimpleProgram::open(const SourceFile& source, const simple::ParseOptions& options) {
  auto module = std::make_unique<ir::Module>();
  Expected<simple::Program> program = simple::parse(*module, source, options);
  if (!program) return std::move(program).error();
  return SimpleProgram(std::move(module), std::move(*program), options.language);
}

std::string SimpleProgram::print(SeaForm) const {
  const std::vector<simple::FunctionGraph>& functions = program_.functions;
  std::string out;
  for (size_t i = 1; i <= functions.size(); ++i) {
    const simple::FunctionGraph& function = functions[i % functions.size()];
    if (functions.size() > 1) out += std::string(module_->name(function.name)) + ": ";
    out += sea::print_text(*function.graph) + "\n";
  }
  return out;
}

Expected<std::string> SimpleProgram::evaluate(std::span<const int64_t> arguments) const {
  sea::Evaluator evaluator;
  evaluator.limits.timeout_without_return = language_ == simple::Language::simple8;
  evaluator.reset(program_.main());
  for (const simple::FunctionGraph& function : program_.functions) evaluator.define(function.id, *function.graph);
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

std::unique_ptr<ir::Module> SimpleProgram::land() {
  for (const simple::FunctionGraph& function : program_.functions) sea::land(*function.graph, module_->function(function.id));
  program_ = {};
  return std::move(module_);
}

}  // namespace braid::driver
