// Functions of linear SSA, lifted, optimised and landed: the same results, valid, and no more statements.
#include <gtest/gtest.h>

#include <cstdio>

#include "demote.h"
#include "interp/interpreter.h"
#include "ir/verify.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "sea/check_steps.h"
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

/// Where 3 * x + 24 becomes 3 * (x + 8), since 8 is there: what was declared of the product says nothing of the sum in it.
TEST(SeaOptimiseLifted, ASumInsideOfAProductIsNotOfItsDeclaredType) {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("declared", R"(func @f(x: i64[0..10], y: i64, w: i64, p: i64) -> i64 {
entry:
  %0 = mul i64 %x, 3
  %1 = add i64[18..54] %0, 24
  %2 = add i64 %y, 8
  %6 = sdiv i64 %1, %2
  %7 = add i64 %y, 30
  %8 = sub i64 %w, %7
  %9 = sub i64 %p, %7
  %10 = add i64 %8, 42
  %11 = add i64 %9, 64
  %12 = sdiv i64 %10, %11
  %13 = xor i64 %12, %6
  ret %13
}
)"));
  ASSERT_TRUE(parsed.has_value());
  Graph graph = lift(parsed->module->function(FuncId{0}));
  const std::vector<std::vector<uint64_t>> arguments = {{2, static_cast<uint64_t>(-7), 7, 9}, {10, 1, 2, 3}, {0, 5, 80, 4}};
  RewriteCounts counts;
  StepOptions options;
  options.optimise.observer = &counts;
  const StepReport report = check_each_step(graph, arguments, options);
  EXPECT_FALSE(report.fault) << to_string(*report.fault);
  EXPECT_GT(counts.count(Rewrite::shared_constant), 0u);
}

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

/// Every number of a long sum comes out once: they do not climb through all of it one behind the other.
TEST(SeaOptimiseLifted, NumbersInALongSumMakeFewNodes) {
  constexpr size_t count = 3'000;
  for (const char* op : {"add", "mul", "xor"}) {
    // Each term is shared until the last block is found to be dead.
    std::string text = "func @f(x: i64) -> i64 {\nentry:\n", again;
    for (size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i), sum = i == 0 ? "%x" : "%s" + std::to_string(i - 1);
      text += "  %v" + number + " = " + op + " i64 %x, " + std::to_string(2 * i + 3) + "\n  %q" + number + " = sdiv i64 %x, " +
              std::to_string(i + 5) + "\n  %r" + number + " = " + op + " i64 " + sum + ", %q" + number + "\n  %s" + number + " = " +
              op + " i64 %r" + number + ", %v" + number + "\n";
      again += "  %t" + number + " = sub i64 %v" + number + (i == 0 ? ", %x\n" : ", %t" + std::to_string(i - 1) + "\n");
    }
    const std::string last = std::to_string(count - 1);
    text += "  %low = slt i64 %x, 5\n  branch %low, inner, out\ninner:\n  %high = sgt i64 %x, 7\n  branch %high, dead, out\ndead:\n" +
            again + "  ret %t" + last + "\nout:\n  ret %s" + last + "\n}\n";
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("sum", text));
    ASSERT_TRUE(parsed) << render(parsed.error());
    Graph graph = lift(parsed->module->function(FuncId{0}));
    optimise(graph);
    EXPECT_LT(graph.size(), 40 * count) << op;
  }
}

}  // namespace
}  // namespace braid::sea
