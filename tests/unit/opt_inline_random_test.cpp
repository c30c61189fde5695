// Random programs that call other random programs, within loops and protected regions: inlined, they are
// valid and do the same.
#include <cstdio>

#include "opt/inline.h"
#include "opt_testing.h"
#include "program_runs.h"
#include "ssa/construct.h"

namespace braid::opt {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The function that is called where the outer program calls `@risk`.
std::string callee(RandomVariableProgram& program) {
  std::string text = program.make();
  replace_all(text, "@risk", "@hazard");
  replace_all(text, "func @f(", "func @risk(");
  replace_all(text, "extern @see(i64, i64) -> i64\n", "");
  return text;
}

bool has_handlers(const ir::Function& f) {
  for (uint32_t i = 0; i < f.size(); ++i)
    if (f.columns().stmt(i).op == ir::Op::enter) return true;
  return false;
}

TEST(Inline, RandomProgramsDoTheSame) {
  constexpr uint32_t programs = 1'200;
  ProgramRuns runs;
  InlineReport all;
  uint32_t changed = 0, with_handlers = 0, values = 0, outcomes = 0;
  for (uint32_t seed = 0; seed < programs; ++seed) {
    RandomVariableProgram outer(2 * seed), inner(2 * seed + 1);
    std::string text = outer.make();
    if (text.size() > 20'000) continue;
    replace_all(text, "extern @risk(i64) -> i64\n", "");
    text += callee(inner);
    if (text.size() > 40'000) continue;
    Program program(text);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text;
    constexpr ssa::Algorithm algorithms[] = {ssa::Algorithm::cytron, ssa::Algorithm::braun,
                                             ssa::Algorithm::regmap};
    for (const char* name : {"f", "risk"})
      ssa::construct(program.function(name), {algorithms[seed % 3], ssa::Prune::pruned});
    const std::vector<ProgramRuns::Run> before = runs.run_all(*program.module, outer);
    const InlineReport report = inline_calls(program.function(), {.most_statements = 400, .budget = 10'000});
    program.expect_valid("inlined, seed " + std::to_string(seed));
    ASSERT_FALSE(HasFailure());
    const std::string wrong = ProgramRuns::compare(before, runs.run_all(*program.module, outer));
    ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << program.text();
    all.calls += report.calls;
    all.statements += report.statements;
    changed += report.calls != 0;
    with_handlers += report.calls != 0 && has_handlers(program.function("risk"));
    for (const ProgramRuns::Run& run : before) {
      ++outcomes;
      values += run.outcome.kind == interp::OutcomeKind::value;
    }
  }
  std::printf(
      "%u of %u programs had calls inlined, %u of callees with handlers; %u calls, %u statements; %u of %u "
      "runs returned\n",
      changed, programs, with_handlers, all.calls, all.statements, values, outcomes);
  EXPECT_GE(changed, programs / 8);
  EXPECT_GE(with_handlers, programs / 25);
  EXPECT_GE(values, outcomes / 4);
}

}  // namespace
}  // namespace braid::opt
