#include "engines_agree.h"

#include <algorithm>

#include "generator.h"
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
                    " with peepholes; " + std::to_string(single_regions) + " of " + std::to_string(jumping) +
                    " programs with jumps with single regions, too\nerrors:";
  for (size_t i = 0; i < std::size(errors); ++i)
    out += " " + std::string(error_names[i]) + " " + std::to_string(errors[i]) + ",";
  return out + " other " + std::to_string(other_errors);
}

EnginesAgree::EnginesAgree(const AgreementOptions& options) : options_(options) {
  tree_interpreter.limits.back_edges = evaluator_.limits.back_edges = options.back_edges;
  evaluator_.limits.calls = tree_interpreter.limits.calls;
  evaluator_.limits.depth = tree_interpreter.limits.depth;
}

std::string EnginesAgree::check_random(uint64_t first_seed, size_t count) {
  random_.resize(std::max(random_.size(), count));
  std::vector<std::string_view> texts;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t seed = first_seed + i;
    Choices choices(seed);
    // Statements of today's language are longer, and there are functions.
    const uint32_t sizes = options_.dialect == Dialect::simple ? 8 : 10;
    Generator generator(choices, {.dialect = options_.dialect,
                                  .valid = seed % 4 != 0,
                                  .statements = 3 + static_cast<uint32_t>(seed % sizes)});
    texts.emplace_back(random_[i] = generator.program());
  }
  const size_t wrong = first_wrong(texts);
  if (wrong == count) return {};
  return "seed " + std::to_string(first_seed + wrong) + ": " + lanes_[wrong].wrong + "\n" + random_[wrong];
}

size_t EnginesAgree::first_wrong(std::span<const std::string_view> texts) {
  if (lanes_.size() < texts.size()) lanes_.resize(texts.size());
  const std::span lanes(lanes_.data(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    lanes[i].text = texts[i];
    lanes[i].wrong.clear();
    run_tree(lanes[i]);
  }
  for (Lane& lane : lanes) {
    if (lane.tree.undecided) continue;
    choose_module(lane);
    lane.source.emplace("program.smp", std::string(lane.text));
  }
  auto for_each_sound = [&](auto&& step) {
    for (Lane& lane : lanes)
      if (!lane.tree.undecided && lane.wrong.empty()) step(lane);
  };
  for (size_t variant = 0; variant < std::size(variants); ++variant)
    for_each_sound([&](Lane& lane) { parse_variant(lane, variant); });
  for (size_t variant = 0; variant < std::size(variants); ++variant)
    for_each_sound([&](Lane& lane) { evaluate_variant(lane, variant); });
  if (options_.land) {
    for_each_sound([&](Lane& lane) { land(lane); });
    for_each_sound([&](Lane& lane) { run_landed(lane); });
  }
  for (Lane& lane : lanes)
    for (std::optional<simple::Program>& program : lane.programs) {
      if (!program) continue;
      for (simple::FunctionGraph& f : program->functions) graphs_.give(std::move(f.graph));
      program.reset();
    }
  auto wrong = std::ranges::find_if(lanes, [](const Lane& lane) { return !lane.wrong.empty(); });
  return static_cast<size_t>(wrong - lanes.begin());
}

void EnginesAgree::run_tree(Lane& lane) {
  ++coverage.programs;
  parse_tree(options_.dialect, lane.text, lane.tree);
  if (lane.tree.undecided) return;
  if (!lane.tree.is_valid()) return coverage.count_error(lane.tree.error);
  ++coverage.valid;
  for (size_t i = 0; i < std::size(arguments); ++i) {
    lane.outcomes[i] = tree_interpreter.run(lane.tree, arguments[i]);
    switch (lane.outcomes[i].kind) {
      case TreeOutcome::Kind::value: ++coverage.values; break;
      case TreeOutcome::Kind::fallthrough: ++coverage.fallthroughs; break;
      case TreeOutcome::Kind::timeout: ++coverage.timeouts; break;
    }
  }
}

/// Constants and names pile up in a module: now and then a new one. Generated functions are named after the
/// number of their parameters; a program that has others, or may have, gets a module of its own.
void EnginesAgree::choose_module(Lane& lane) {
  const TreeProgram& tree = lane.tree;
  bool unusual = options_.dialect == Dialect::simple && !tree.is_valid();
  for (size_t i = 1; i < tree.functions.size(); ++i)
    unusual = unusual || tree.functions[i].name.back() != static_cast<char>('0' + tree.functions[i].parameters);
  if (lane.module != nullptr && !unusual && !lane.was_unusual && ++lane.module_age % 256 != 0) return;
  lane.was_unusual = unusual;
  lane.interpreter.reset();
  lane.module = std::make_unique<ir::Module>();
  interp::RunOptions limits;
  limits.max_memory = 1 << 22;
  lane.interpreter = std::make_unique<interp::Interpreter>(*lane.module, limits);
}

void EnginesAgree::parse_variant(Lane& lane, size_t variant) {
  // Without jumps there are no regions to choose between. With them, the choice shows in the shape of loops only.
  if (variants[variant].single_region) {
    const bool jumps = lane.text.find("break") != std::string_view::npos || lane.text.find("continue") != std::string_view::npos;
    if (!jumps || coverage.jumping++ % single_regions_in != 0) return;
    ++coverage.single_regions;
  }
  simple::ParseOptions parse_options;
  parse_options.language =
      options_.dialect == Dialect::simple8 ? simple::Language::simple8 : simple::Language::simple;
  parse_options.peepholes = variants[variant].peepholes;
  parse_options.single_region = variants[variant].single_region;
  parse_options.observer = options_.observer;
  parse_options.pool = &graphs_;
  Expected<simple::Program> parsed = simple::parse(*lane.module, *lane.source, parse_options);
  if (parsed && lane.tree.is_valid()) {
    lane.programs[variant] = std::move(*parsed);
  } else if (parsed) {
    lane.wrong = "no error instead of '" + lane.tree.error + "'";
  } else {
    const std::string& message = parsed.error()[0].message;
    const bool is_today = options_.dialect == Dialect::simple;
    bool same = is_today ? !lane.tree.is_valid() && is_at_offset(lane, parsed.error()) : message == lane.tree.error;
    if (same && is_today) {
      std::string all = render(parsed.error());
      if (variant == 0)
        lane.errors = std::move(all);
      else if (lane.errors != all)
        lane.wrong = std::string(variants[variant].name) + ": other errors:\n" + all + "instead of\n" + lane.errors;
    }
    if (!same) lane.wrong = "error '" + message + "' instead of '" + (lane.tree.is_valid() ? "none" : lane.tree.error) + "'";
  }
}

/// The first error that is none of calls of functions which may be defined behind the first error.
bool EnginesAgree::is_at_offset(const Lane& lane, const Diagnostics& errors) {
  auto is_at = [&](const Diagnostic& error, size_t offset) {
    const LineColumn at = lane.source->line_column(offset);
    return error.line == at.line && error.column == at.column;
  };
  for (const Diagnostic& error : errors) {
    if (is_at(error, lane.tree.error_offset)) return true;
    if (std::ranges::none_of(lane.tree.early_calls, [&](size_t call) { return is_at(error, call); })) return false;
  }
  return errors.full();
}

void EnginesAgree::evaluate_variant(Lane& lane, size_t variant) {
  if (!lane.programs[variant]) return;
  const simple::Program& program = *lane.programs[variant];
  const bool peepholes = variants[variant].peepholes;
  (peepholes ? coverage.nodes_after : coverage.nodes_before) += program.main().live_count();
  evaluator_.reset(program.main());
  for (const simple::FunctionGraph& f : program.functions) evaluator_.define(f.id, *f.graph);
  for (size_t i = 0; i < std::size(arguments); ++i) {
    if (lane.outcomes[i].kind == TreeOutcome::Kind::timeout && peepholes) continue;
    ++coverage.evaluations;
    sea::Evaluation found = evaluator_.run(arguments[i]);
    std::string wrong = compare(lane.outcomes[i], found);
    if (wrong.empty()) continue;
    lane.wrong = std::string(variants[variant].name) + " at " + std::to_string(arguments[i]) + ": " + wrong;
    return;
  }
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

/// What is run is scheduled from the graph with peepholes.
void EnginesAgree::land(Lane& lane) {
  if (!lane.programs[landed_variant]) return;
  for (const simple::FunctionGraph& f : lane.programs[landed_variant]->functions) {
    ir::Function& body = lane.module->function(f.id);
    sea::land(*f.graph, body);
    lane.interpreter->invalidate(f.id);
    if (std::vector<ir::Finding> findings = ir::verify(body); !findings.empty()) {
      lane.wrong = "landed code: " + findings[0].message;
      return;
    }
  }
}

void EnginesAgree::run_landed(Lane& lane) {
  if (!lane.programs[landed_variant]) return;
  const ir::Function& main = lane.module->function(lane.programs[landed_variant]->functions[0].id);
  for (size_t i = 0; i < std::size(arguments); ++i) {
    const TreeOutcome& expected = lane.outcomes[i];
    if (expected.kind == TreeOutcome::Kind::timeout) continue;
    ++coverage.interpreted;
    Value argument(arguments[i]);
    interp::Outcome outcome = lane.interpreter->run(main, std::span(&argument, 1));
    bool same = outcome.kind == interp::OutcomeKind::value
                    ? expected.kind == TreeOutcome::Kind::value && outcome.value.as_i64() == expected.value
                    : expected.kind == TreeOutcome::Kind::fallthrough &&
                          outcome.kind == interp::OutcomeKind::trap && outcome.message.starts_with(interp::fell_through);
    if (same) continue;
    lane.wrong = "landed code at " + std::to_string(arguments[i]) + ": " + interp::to_string(outcome) +
                 " instead of " + simple_testing::to_string(expected);
    return;
  }
}

}  // namespace braid::simple_testing
