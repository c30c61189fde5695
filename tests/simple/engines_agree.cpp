#include "engines_agree.h"

#include "ir/verify.h"
#include "sea/land.h"

namespace braid::simple_testing {

void AgreementCoverage::count_error(std::string_view text) {
  constexpr std::string_view beginnings[] = {"Syntax error, expected an identifier",
                                             "Syntax error, expected",
                                             "Syntax error, unexpected",
                                             "Syntax error: integer",
                                             "Expected an identifier",
                                             "Undefined name",
                                             "Redefining name",
                                             "Cannot define",
                                             "No active loop"};
  constexpr size_t places[] = {1, 0, 2, 3, 4, 5, 6, 7, 8};
  for (size_t i = 0; i < std::size(beginnings); ++i) {
    if (!text.starts_with(beginnings[i])) continue;
    ++errors[places[i]];
    return;
  }
  ++other_errors;
}

std::string AgreementCoverage::to_string() const {
  std::string out = std::to_string(programs) + " programs, " + std::to_string(valid) + " valid; " +
                    std::to_string(values) + " values, " + std::to_string(fallthroughs) + " fell through, " +
                    std::to_string(timeouts) + " timed out; " + std::to_string(evaluations) +
                    " graphs evaluated, " + std::to_string(interpreted) + " interpreted; " +
                    std::to_string(nodes_before) + " nodes, " + std::to_string(nodes_after) +
                    " with peepholes\nerrors:";
  for (size_t i = 0; i < std::size(errors); ++i)
    out += " " + std::string(error_names[i]) + " " + std::to_string(errors[i]) + ",";
  return out + " other " + std::to_string(other_errors);
}

EnginesAgree::EnginesAgree(const AgreementOptions& options) : options_(options) {
  tree_interpreter.limits.back_edges = evaluator_.limits.back_edges = options.back_edges;
  evaluator_.limits.calls = tree_interpreter.limits.calls;
  evaluator_.limits.depth = tree_interpreter.limits.depth;
}

/// Constants and names pile up in a module: now and then a new one. Generated functions are named after the
/// number of their parameters; a program that has others, or may have, gets a module of its own.
void EnginesAgree::choose_module() {
  bool unusual = options_.dialect == Dialect::simple && !tree_.is_valid();
  for (size_t i = 1; i < tree_.functions.size(); ++i)
    unusual =
        unusual || tree_.functions[i].name.back() != static_cast<char>('0' + tree_.functions[i].parameters);
  if (module_ != nullptr && !unusual && !was_unusual_ && ++module_age_ % 256 != 0) return;
  was_unusual_ = unusual;
  interpreter_.reset();
  module_ = std::make_unique<ir::Module>();
  interp::RunOptions limits;
  limits.max_memory = 1 << 22;
  interpreter_ = std::make_unique<interp::Interpreter>(*module_, limits);
}

std::string EnginesAgree::check(std::string_view text) {
  ++coverage.programs;
  parse_tree(options_.dialect, text, tree_);
  if (tree_.undecided) return {};
  if (tree_.is_valid()) {
    ++coverage.valid;
    for (size_t i = 0; i < std::size(arguments); ++i) {
      outcomes_[i] = tree_interpreter.run(tree_, arguments[i]);
      switch (outcomes_[i].kind) {
        case TreeOutcome::Kind::value: ++coverage.values; break;
        case TreeOutcome::Kind::fallthrough: ++coverage.fallthroughs; break;
        case TreeOutcome::Kind::timeout: ++coverage.timeouts; break;
      }
    }
  } else {
    coverage.count_error(tree_.error);
  }
  choose_module();
  const SourceFile source("program.smp", std::string(text));
  // Without jumps there are no regions to choose between.
  bool jumps =
      text.find("break") != std::string_view::npos || text.find("continue") != std::string_view::npos;
  // One engine after the other, each for all variants: so its code stays near.
  std::optional<simple::Program> programs[std::size(variants)];
  std::string wrong;
  for (size_t i = 0; i < std::size(variants) && wrong.empty(); ++i)
    if (jumps || !variants[i].single_region) wrong = parse_variant(source, variants[i], programs[i]);
  for (size_t i = 0; i < std::size(variants) && wrong.empty(); ++i)
    if (programs[i]) wrong = evaluate_variant(*programs[i], variants[i]);
  for (size_t i = 0; i < std::size(variants) && wrong.empty(); ++i)
    if (programs[i] && options_.land && variants[i].peepholes && !variants[i].single_region)
      wrong = check_landed(*programs[i]);
  for (std::optional<simple::Program>& program : programs)
    if (program)
      for (simple::FunctionGraph& f : program->functions) graphs_.give(std::move(f.graph));
  return wrong.empty() ? wrong : wrong + "\n" + std::string(text);
}

std::string EnginesAgree::parse_variant(const SourceFile& source, const Variant& variant,
                                        std::optional<simple::Program>& program) {
  simple::ParseOptions parse_options;
  parse_options.language =
      options_.dialect == Dialect::simple8 ? simple::Language::simple8 : simple::Language::simple;
  parse_options.peepholes = variant.peepholes;
  parse_options.single_region = variant.single_region;
  parse_options.observer = options_.observer;
  parse_options.pool = &graphs_;
  Expected<simple::Program> parsed = simple::parse(*module_, source, parse_options);
  if (!parsed) {
    const std::string& message = parsed.error()[0].message;
    bool same = options_.dialect == Dialect::simple8 ? message == tree_.error : !tree_.is_valid();
    if (same) return {};
    return "error '" + message + "' instead of '" + (tree_.is_valid() ? "none" : tree_.error) + "'";
  }
  if (!tree_.is_valid()) return "no error instead of '" + tree_.error + "'";
  program = std::move(*parsed);
  return {};
}

std::string EnginesAgree::evaluate_variant(const simple::Program& program, const Variant& variant) {
  (variant.peepholes ? coverage.nodes_after : coverage.nodes_before) += program.main().live_count();
  evaluator_.reset(program.main());
  for (const simple::FunctionGraph& f : program.functions) evaluator_.define(f.id, *f.graph);
  for (size_t i = 0; i < std::size(arguments); ++i) {
    if (outcomes_[i].kind == TreeOutcome::Kind::timeout && variant.peepholes) continue;
    ++coverage.evaluations;
    sea::Evaluation found = evaluator_.run(arguments[i]);
    if (std::string wrong = compare(outcomes_[i], found); !wrong.empty())
      return std::string(variant.name) + " at " + std::to_string(arguments[i]) + ": " + wrong;
  }
  return {};
}

/// Calls on a way that ends without a return hang on nothing: graphs do without them, even if they would
/// never end.
std::string EnginesAgree::compare(const TreeOutcome& expected, const sea::Evaluation& found) const {
  if (options_.dialect == Dialect::simple && expected.kind == TreeOutcome::Kind::timeout &&
      found.kind == sea::Evaluation::Kind::fallthrough)
    return {};
  if (expected.kind == TreeOutcome::Kind::value && found.kind == sea::Evaluation::Kind::value &&
      found.bits == static_cast<uint64_t>(expected.value))
    return {};
  std::string text = simple_testing::to_string(expected), other = sea::to_string(found);
  return text == other ? std::string() : other + " instead of " + text;
}

std::string EnginesAgree::check_landed(const simple::Program& program) {
  for (const simple::FunctionGraph& f : program.functions) {
    ir::Function& body = module_->function(f.id);
    sea::land(*f.graph, body);
    interpreter_->invalidate(f.id);
    if (std::vector<ir::Finding> findings = ir::verify(body); !findings.empty())
      return "landed code: " + findings[0].message;
  }
  const ir::Function& main = module_->function(program.functions[0].id);
  for (size_t i = 0; i < std::size(arguments); ++i) {
    if (outcomes_[i].kind == TreeOutcome::Kind::timeout) continue;
    ++coverage.interpreted;
    Value argument(arguments[i]);
    interp::Outcome outcome = interpreter_->run(main, std::span(&argument, 1));
    bool same =
        outcome.kind == interp::OutcomeKind::value
            ? outcomes_[i].kind == TreeOutcome::Kind::value && outcome.value.as_i64() == outcomes_[i].value
            : outcomes_[i].kind == TreeOutcome::Kind::fallthrough;
    if (!same)
      return "landed code at " + std::to_string(arguments[i]) + ": " + interp::to_string(outcome) +
             " instead of " + simple_testing::to_string(outcomes_[i]);
  }
  return {};
}

}  // namespace braid::simple_testing
