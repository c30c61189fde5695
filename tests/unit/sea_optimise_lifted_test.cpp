// Functions of linear SSA, lifted, optimised and landed: the same results, valid, and no more statements.
#include <gtest/gtest.h>

#include <cstdio>

#include "demote.h"
#include "interp/interpreter.h"
#include "ir/verify.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "sea/land.h"
#include "sea/lift.h"
#include "sea/optimise.h"
#include "sea_shape.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::sea {
namespace {

using namespace ir;

uint32_t statements_but_jumps(const Function& f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += f.columns().stmt(i).op != Op::jump;
  return count;
}

class OptimisedTrip {
 public:
  RewriteCounts counts;
  uint64_t before = 0, after = 0;

  /// What is wrong, with the program; empty if nothing is.
  std::string check(uint32_t seed) {
    RandomVariableProgram program(seed);
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", program.make()));
    if (!parsed) return render(parsed.error());
    Module& module = *parsed->module;
    Function& f = module.function(FuncId{0});
    std::vector<ProgramRuns::Run> expected = runs_.run_all(module, program);
    if (seed % 3 == 1) Demote(f, {"acc", "fuel"}).run();
    if (seed % 3 != 2) ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::pruned});
    std::string text = text::to_text(f);
    const uint32_t statements = statements_but_jumps(f);
    SourceNames names;
    Graph graph = lift(f, &names);
    OptimiseOptions options;
    options.observer = &counts;
    options.constants_are_nodes = false;
    optimise(graph, options);
    for (const std::string& fault : {graph.check(), shape_fault(graph)})
      if (!fault.empty()) return fault + "\n" + text;
    land(graph, f, &names);
    text += text::to_text(f);
    std::vector<Finding> findings = verify(f);
    if (!findings.empty()) return findings[0].message + "\n" + text;
    before += statements;
    after += statements_but_jumps(f);
    if (statements_but_jumps(f) > statements) return "more statements\n" + text;
    std::string different = ProgramRuns::compare(expected, runs_.run_all(module, program));
    return different.empty() ? different : different + "\n" + text;
  }

 private:
  ProgramRuns runs_;
};

TEST(SeaOptimiseLifted, RandomPrograms) {
  OptimisedTrip trip;
  for (uint32_t seed = 0; seed < 2'000; ++seed) ASSERT_EQ(trip.check(seed), "") << "seed " << seed;
  std::printf("%llu statements but jumps, %llu after\n", static_cast<unsigned long long>(trip.before),
              static_cast<unsigned long long>(trip.after));
  EXPECT_LT(trip.after, trip.before);
  for (Rewrite rewrite : {Rewrite::constant, Rewrite::equal_node, Rewrite::phi_same_input, Rewrite::branch_known,
                          Rewrite::region_one_way, Rewrite::flow_constant})
    EXPECT_GT(trip.counts.count(rewrite), 10u) << name_of(rewrite);
}

}  // namespace
}  // namespace braid::sea
