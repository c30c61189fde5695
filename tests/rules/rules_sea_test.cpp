// The rules in the sea: the pattern of every rule as a graph, optimised, evaluated after each single rewrite. Every rule
// that the sea takes fires, at the widths and kinds that it is for, and none changes a result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "evaluate.h"
#include "pattern_nodes.h"
#include "project_rules.h"
#include "rules/simplify.h"
#include "sea/check_steps.h"
#include "sea/optimise.h"

namespace braid::rulec {
namespace {

using ir::Op;

/// A function that returns the pattern of a rule. Its values are parameters, or sums of two for rules that ask for
/// arithmetic.
class PatternGraph {
 public:
  PatternGraph(ir::Module& module, const Rule& rule, const Kinds& kinds, const RuleRunner& runner) : g(module) {
    g.start = g.make(sea::NodeOp::start, sea::control_type, {});
    g.stop = g.make(sea::NodeOp::stop, void_type, {});
    g.keep(g.start);
    g.keep(g.stop);
    sea::NodeId control = g.make(sea::NodeOp::projection, sea::control_type, {g.start}, 0);
    sea::NodeId pattern = make_pattern(g, rule, kinds, runner, [&](Kind kind, uint64_t bits) {
      arguments.push_back(bits);
      argument_kinds.push_back(kind);
      return g.make(sea::NodeOp::parameter, of(kind), {g.start}, static_cast<uint32_t>(arguments.size() - 1));
    });
    g.add_input(g.stop, g.make(Op::ret, void_type, {control, g.start, pattern}));
  }

  sea::Graph g;
  std::vector<uint64_t> arguments;
  std::vector<Kind> argument_kinds;
};

/// Operations and constants of an expression.
size_t size_of(const Rule& rule, NodeId id) {
  const Node& node = rule[id];
  if (is_constant(rule, id)) return 1;
  if (node.kind == NodeKind::value) return 0;
  size_t size = 1;
  for (NodeId input : node.inputs)
    if (!rule[input].is_immediate) size += size_of(rule, input);
  return size;
}

/// The same, of what a function returns.
size_t size_of_result(const sea::Graph& g) {
  std::set<sea::NodeId> seen;
  std::vector<sea::NodeId> work = {g.input(g.input(g.stop, 0), 2)};
  size_t size = 0;
  while (!work.empty()) {
    sea::NodeId n = work.back();
    work.pop_back();
    if (g.op(n) == sea::NodeOp::parameter || !seen.insert(n).second) continue;
    ++size;
    for (uint32_t i = 0; i < g.input_count(n); ++i) work.push_back(g.input(n, i));
  }
  return size;
}

/// The sea knows some results before a rule is asked, from types or because it has another form of the pattern; and it does
/// not take a rule that would leave more nodes. Then what it leaves is no larger than what the rule would.
TEST(RulesSea, EveryRuleFiresAndNoneChangesAResult) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> fired(sea::rewrite_count());
  struct Counter final : sea::RewriteObserver {
    explicit Counter(std::vector<uint64_t>& f) : fired(f) {}
    bool rewritten(sea::Rewrite rewrite, sea::NodeId) override {
      ++fired[static_cast<uint32_t>(rewrite)];
      return true;
    }
    std::vector<uint64_t>& fired;
  } counter(fired);
  auto count_of = [&](std::string_view name) {
    for (uint32_t k = sea::first_rule_rewrite; k < fired.size(); ++k)
      if (sea::name_of(static_cast<sea::Rewrite>(k)) == name) return fired[k];
    return uint64_t{0};
  };
  std::string never;
  uint64_t graphs = 0, steps = 0, values = 0, fired_rules = 0;
  for (const Rule& rule : all_rules()) {
    bool has_fired = false, is_needed = false;
    for (int tries = 0; tries < 400 && !has_fired; ++tries) {
      const Kinds& kinds = rule.assignments[random() % rule.assignments.size()];
      RuleRunner runner(rule, kinds);
      if (runner.try_once(random) == RuleRunner::Outcome::does_not_apply) continue;
      ir::Module module;
      PatternGraph graph(module, rule, kinds, runner);
      std::vector<std::vector<uint64_t>> lists = {graph.arguments};
      for (int more = 0; more < 3; ++more) {
        lists.push_back(graph.arguments);
        for (size_t i = 0; i < graph.arguments.size(); ++i)
          lists.back()[i] = ir::canonical(graph.argument_kinds[i], more == 0 ? 0 : random() >> random() % 64);
      }
      const uint64_t before = count_of(rule.name);
      sea::StepOptions options;
      options.optimise.observer = &counter;
      sea::StepReport report = sea::check_each_step(graph.g, lists, options);
      ASSERT_FALSE(report.fault) << rule.file << ":" << rule.line << ": " << rule.name << ": "
                                 << to_string(*report.fault);
      ASSERT_EQ(graph.g.check(), "") << rule.name;
      ++graphs;
      steps += report.steps;
      values += report.decided;
      has_fired = count_of(rule.name) > before;
      is_needed = is_needed || size_of_result(graph.g) > size_of(rule, rule.result);
    }
    fired_rules += has_fired;
    if (!has_fired && is_needed)
      never += "\n" + rule.file + ":" + std::to_string(rule.line) + ": " + rule.name;
  }
  std::printf("%llu of %zu rules; %llu graphs, %llu rewrites, %llu results compared\n",
              static_cast<unsigned long long>(fired_rules), all_rules().size(), static_cast<unsigned long long>(graphs),
              static_cast<unsigned long long>(steps), static_cast<unsigned long long>(values));
  EXPECT_EQ(never, "");
  EXPECT_GE(values, graphs * 4);
  EXPECT_GE(fired_rules * 100, all_rules().size() * 80);
}

}  // namespace
}  // namespace braid::rulec
