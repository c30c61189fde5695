// Random dynamic programs: with variables = in SSA = typed = typed twice, on awkward arguments; and what inference claims of
// every value holds in a run that watches it.
#include <gtest/gtest.h>

#include "infer/apply.h"
#include "infer/lift.h"
#include "infer/pi.h"
#include "opt_testing.h"
#include "random_dynamic_programs.h"
#include "ssa/construct.h"

namespace braid::infer {
namespace {

using opt::Program;
using testing_dynamic::RandomProgram;

struct Coverage {
  uint32_t programs = 0, runs = 0, throwing = 0, mixed_phis = 0, dynamic = 0, plain = 0, two_exits = 0, constants = 0, edges = 0,
           pis = 0, floats = 0, strings = 0, handlers = 0, lifted = 0, narrowed = 0, impossible = 0;
};

class InferRandom : public testing::Test {
 protected:
  std::vector<std::string> outcomes(Program& p) {
    std::vector<std::string> out;
    for (const std::vector<Value>& values : RandomProgram::arguments(*p.module)) out.push_back(p.run(values, 2'000'000));
    return out;
  }
  /// The form of the typed program must be a fixpoint of text: what is printed reads back and runs the same.
  void check(uint64_t seed) {
    const std::string source = RandomProgram(seed).text();
    Program p(source);
    if (!p.module || HasFailure()) return;
    const std::vector<std::string> expected = outcomes(p);
    ++seen.programs;
    // Strings that double in nested loops fill the memory in every form, in some sooner than in others.
    if (std::any_of(expected.begin(), expected.end(), [](const std::string& outcome) { return outcome.starts_with("stops"); })) return;
    for (const std::string& outcome : expected) {
      ++seen.runs;
      seen.throwing += outcome.starts_with("throws");
      seen.floats += outcome.find('.') != std::string::npos;
      seen.strings += outcome.starts_with("\"");
      ASSERT_FALSE(outcome.starts_with("traps")) << outcome << "\n" << source;
    }
    seen.handlers += source.find("enter") != std::string::npos;
    ssa::construct(p.function(), {ssa::all_algorithms[seed % std::size(ssa::all_algorithms)], ssa::Prune::pruned});
    p.expect_valid("in SSA");
    ASSERT_EQ(outcomes(p), expected) << "in SSA\n" << source;
    const ir::Function& f = p.function();
    for (uint32_t k = 0; k < f.size(); ++k) seen.mixed_phis += f.columns().stmt(k).op == ir::Op::phi;
    if (seed % 2 == 0) {
      seen.pis += insert_pis(p.function());
      p.expect_valid("with pis");
      ASSERT_EQ(outcomes(p), expected) << "with pis, seed " << seed << "\n" << source << p.text();
    }
    const ApplyReport report = infer_types(p.function());
    p.expect_valid("typed");
    ASSERT_EQ(outcomes(p), expected) << "typed, seed " << seed << "\n" << source << p.text();
    seen.dynamic += report.dynamic;
    seen.plain += report.plain;
    seen.two_exits += report.two_exits;
    seen.constants += report.constants;
    seen.edges += report.edges;
    const std::string once = p.text();
    const LiftReport lifted = lift_over_phis(p.function());
    seen.lifted += lifted.operations;
    seen.narrowed += lifted.narrowed;
    seen.impossible += lifted.edges;
    p.expect_valid("lifted");
    ASSERT_EQ(outcomes(p), expected) << "lifted, seed " << seed << "\n" << source << once << p.text();
    infer_types(p.function());
    p.expect_valid("typed twice");
    ASSERT_EQ(outcomes(p), expected) << "typed twice, seed " << seed << "\n" << source << once;
  }
  Coverage seen;
};

TEST_F(InferRandom, AllFormsAgree) {
  constexpr uint32_t count = 3000;
  for (uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) check(seed);
  EXPECT_EQ(seen.programs, count);
  EXPECT_GT(seen.throwing, seen.runs / 10) << "operations really throw";
  EXPECT_LT(seen.throwing, seen.runs * 8 / 10) << "and not nearly always";
  EXPECT_GT(seen.floats, seen.runs / 20);
  EXPECT_GT(seen.strings, seen.runs / 30);
  EXPECT_GT(seen.handlers, count / 5);
  EXPECT_GT(seen.mixed_phis, count);
  EXPECT_GT(seen.plain, seen.dynamic / 10);
  EXPECT_GT(seen.two_exits, count / 10);
  EXPECT_GT(seen.constants, count / 3);
  EXPECT_GT(seen.edges, count / 10);
  EXPECT_GT(seen.pis, count / 2);
  std::printf("%u tests lifted onto leaves, %u phis were one value, %u edges could not come\n", seen.lifted, seen.narrowed,
              seen.impossible);
  EXPECT_GT(seen.lifted, count / 100);
  EXPECT_GT(seen.narrowed, count / 300);
  EXPECT_GT(seen.impossible, 0u);
}

}  // namespace
}  // namespace braid::infer
