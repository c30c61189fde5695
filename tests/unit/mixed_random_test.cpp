// Random dynamic programs: with variables = in SSA = typed = versioned = with variants = both = after leaving SSA, on awkward
// arguments and with budgets from none to plenty.
#include <gtest/gtest.h>

#include "dessa/leave_ssa.h"
#include "infer/apply.h"
#include "infer/lift.h"
#include "infer/numeric.h"
#include "infer/pi.h"
#include "mixed/resolve.h"
#include "opt_testing.h"
#include "random_dynamic_programs.h"
#include "ssa/construct.h"

namespace braid::mixed {
namespace {

using opt::Program;
using testing_dynamic::RandomProgram;

struct Coverage {
  uint32_t programs = 0, runs = 0, throwing = 0, handlers = 0, mixed_phis = 0, overflows = 0, versioned = 0, rounds = 0,
           copied = 0, cut_short = 0, variants = 0, fast_paths = 0, conversions = 0, literals = 0;
};

class MixedRandom : public testing::Test {
 protected:
  static std::vector<std::string> outcomes(Program& p) {
    interp::RunOptions options;
    options.max_steps = 2'000'000;
    interp::Interpreter interpreter(*p.module, options);
    std::vector<std::string> out;
    for (const std::vector<Value>& values : RandomProgram::arguments(*p.module))
      out.push_back(to_string(interpreter.run(p.function(), values)));
    return out;
  }
  static uint32_t budget(uint64_t seed) {
    constexpr uint32_t budgets[] = {300, 100, 40, 200, 10, 0};
    return budgets[seed / 3 % std::size(budgets)];
  }

  void count_phis(const ir::Function& f) {
    const TypeTable& table = f.module().types;
    for (uint32_t p = 0; p < f.size(); ++p) {
      const ir::Op op = f.columns().stmt(p).op;
      seen.mixed_phis += op == ir::Op::phi && table.storage(f.columns().type(p)) == Storage::mixed;
      seen.overflows += op == ir::Op::sadd_overflow || op == ir::Op::smul_overflow || op == ir::Op::ssub_overflow;
    }
  }

  void check(uint64_t seed) {
    const std::string source = RandomProgram(seed, RandomProgram::style_of(seed)).text();
    Program p(source);
    if (!p.module || HasFailure()) return;
    const std::vector<std::string> expected = outcomes(p);
    ++seen.programs;
    seen.handlers += source.find("enter") != std::string::npos;
    for (const std::string& outcome : expected) {
      ++seen.runs;
      seen.throwing += outcome.starts_with("throws");
      ASSERT_FALSE(outcome.starts_with("stops") || outcome.starts_with("traps")) << outcome << "\n" << source;
    }
    ssa::construct(p.function(), {ssa::all_algorithms[seed % std::size(ssa::all_algorithms)], ssa::Prune::pruned});
    const std::string in_ssa = p.text();
    // Both by themselves, or one behind the other: each program takes all steps, and has half of the forms.
    const std::vector<Way> ways = seed / 2 % 2 == 0 ? std::vector{Way::version, Way::variant} : std::vector{Way::automatic};
    for (Way way : ways) {
      Program q(in_ssa);
      if (HasFailure()) return;
      std::string before = in_ssa;
      auto same = [&](const char* what) {
        q.expect_valid(what);
        const std::vector<std::string> got = outcomes(q);
        if (got != expected)
          ADD_FAILURE() << what << ", way " << int(way) << ", seed " << seed << ", was " << testing::PrintToString(expected)
                        << ", is " << testing::PrintToString(got) << "\n" << source << "\n" << before << "\n" << q.text();
        return !HasFailure();
      };
      if (seed % 3 != 0) seen.literals += infer::commit_numerics(q.function()).literals;
      if (seed % 4 != 0) infer::insert_pis(q.function());
      if (way != Way::variant) {
        infer::infer_types(q.function());
        count_phis(q.function());
      }
      if (seed % 5 == 1) {
        infer::infer_types(q.function());
        infer::lift_over_phis(q.function());
      }
      const Resolution resolved = resolve(q.function(), way, {budget(seed), seed % 5 == 0 ? 3u : 8u});
      note(resolved);
      ASSERT_LE(resolved.versions.copied, budget(seed)) << "seed " << seed;
      if (!same("resolved")) return;
      before = q.text();
      dessa::leave_ssa(q.function());
      if (!same("out of SSA")) return;
    }
  }

  void note(const Resolution& resolved) {
    seen.versioned += resolved.versions.rounds != 0;
    seen.rounds += resolved.versions.rounds;
    seen.copied += resolved.versions.copied;
    seen.cut_short += resolved.versions.ended_by_budget;
    seen.variants += resolved.variants.phis;
    seen.fast_paths += resolved.variants.fast_paths;
    seen.conversions += resolved.variants.conversions;
  }
  Coverage seen;
};

TEST_F(MixedRandom, AllWaysAgree) {
  constexpr uint32_t count = 10'000;
  for (uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) check(seed);
  std::printf("%u programs, %u runs, %u throw, %u with handlers; %u mixed phis, %u overflow checks; %u functions versioned in "
              "%u rounds, %u statements copied, %u times the budget ended; %u variant phis, %u fast paths, %u conversions; %u literals became floats\n",
              seen.programs, seen.runs, seen.throwing, seen.handlers, seen.mixed_phis, seen.overflows, seen.versioned, seen.rounds,
              seen.copied, seen.cut_short, seen.variants, seen.fast_paths, seen.conversions, seen.literals);
  EXPECT_EQ(seen.programs, count);
  EXPECT_GT(seen.throwing, seen.runs / 20);
  EXPECT_LT(seen.throwing, seen.runs * 8 / 10);
  EXPECT_GT(seen.handlers, count / 5);
  EXPECT_GT(seen.mixed_phis, count);
  EXPECT_GT(seen.overflows, count / 4);
  EXPECT_GT(seen.versioned, count / 4);
  EXPECT_GT(seen.rounds, seen.versioned * 11 / 10);
  EXPECT_GT(seen.copied, count);
  EXPECT_GT(seen.cut_short, count / 20);
  EXPECT_GT(seen.variants, count / 2);
  EXPECT_GT(seen.fast_paths, count);
  EXPECT_GT(seen.conversions, count / 2);
  EXPECT_GT(seen.literals, count / 50);
}

}  // namespace
}  // namespace braid::mixed
