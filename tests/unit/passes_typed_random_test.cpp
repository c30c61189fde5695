// Random programs whose values have the types that inference finds, through passes that come later: what they put in the place of a
// value may be known for less, and the program must be valid all the same, with the same results.
#include <random>

#include "opt_testing.h"
#include "passes/pass.h"
#include "program_runs.h"
#include "random_dynamic_programs.h"
#include "ssa/construct.h"

namespace braid::passes {
namespace {

using opt::Program;

/// With all analyses there before: those that it keeps must be right.
void run_pass(Program& p, const Pass& pass) {
  ir::Analyses analyses(p.function());
  analyses.dominators();
  analyses.uses();
  pass.run(p.function(), analyses);
  if (analyses.is_changed()) analyses.forget(Analysis::all - pass.keeps);
  EXPECT_EQ(to_string(analyses.outdated()), "-") << pass.name;
}

/// Inference, and then one to three passes by chance.
std::vector<const Pass*> passes_behind_inference(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<const Pass*> pipeline{find_pass("infer")};
  for (uint32_t count = 1 + random() % 3; count > 0; --count) {
    const Pass& next = all_passes()[random() % all_passes().size()];
    if (next.name == "dessa") {
      if (count == 1) pipeline.push_back(&next);  // behind it there is no SSA
    } else {
      pipeline.push_back(&next);
    }
  }
  return pipeline;
}

std::string names_of(const std::vector<const Pass*>& pipeline) {
  std::string names;
  for (const Pass* pass : pipeline) names += (names.empty() ? "" : ",") + std::string(pass->name);
  return names;
}

uint32_t narrow_phis(const ir::Module& module) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    for (uint32_t k = 0; k < f.size(); ++k) {
      const ir::Ref r = static_cast<ir::Ref>(k);
      count += (f.op(r) == ir::Op::phi || f.op(r) == ir::Op::upsilon) && !f.type(r).is_plain();
    }
  }
  return count;
}

/// To SSA, to types and on; valid after each pass. Answers how many phis were narrow when inference was done.
uint32_t run_all(Program& p, uint32_t seed, const std::vector<const Pass*>& pipeline) {
  ssa::construct(p.function(), {ssa::all_algorithms[seed % std::size(ssa::all_algorithms)], ssa::Prune::pruned});
  uint32_t narrow = 0;
  for (const Pass* pass : pipeline) {
    run_pass(p, *pass);
    if (pass == pipeline[0]) narrow = narrow_phis(*p.module);
    p.expect_valid("seed " + std::to_string(seed) + ", " + std::string(pass->name) + " in " + names_of(pipeline));
    if (testing::Test::HasFailure()) break;
  }
  return narrow;
}

TEST(TypedRandom, VariablesThroughPasses) {
  constexpr uint32_t count = 2000;
  ProgramRuns runs;
  uint32_t narrow = 0;
  for (uint32_t seed = 0; seed < count && !HasFailure(); ++seed) {
    RandomVariableProgram program(seed);
    const std::string source = program.make();
    Program p(source);
    if (HasFailure()) return;
    const std::vector<ProgramRuns::Run> expected = runs.run_all(*p.module, program);
    const std::vector<const Pass*> pipeline = passes_behind_inference(seed);
    narrow += run_all(p, seed, pipeline);
    if (HasFailure()) return;
    const std::string difference = ProgramRuns::compare(expected, runs.run_all(*p.module, program));
    ASSERT_EQ(difference, "") << "seed " << seed << ", " << names_of(pipeline) << "\n" << source << p.text();
  }
  RecordProperty("narrow_phis", static_cast<int>(narrow));
  EXPECT_GT(narrow, count / 4) << "phis and upsilons whose types say more than their kinds";
}

TEST(TypedRandom, DynamicProgramsThroughPasses) {
  uint32_t narrow = 0;
  constexpr uint32_t count = 2000;
  for (uint32_t seed = 0; seed < count && !HasFailure(); ++seed) {
    const std::string source = testing_dynamic::RandomProgram(seed).text();
    Program p(source);
    if (HasFailure()) return;
    auto outcomes = [&] {
      std::vector<std::string> all;
      for (const std::vector<Value>& values : testing_dynamic::RandomProgram::arguments(*p.module)) all.push_back(p.run(values, 2'000'000));
      return all;
    };
    const std::vector<std::string> expected = outcomes();
    if (std::any_of(expected.begin(), expected.end(), [](const std::string& text) { return text.starts_with("stops"); })) continue;
    const std::vector<const Pass*> pipeline = passes_behind_inference(seed);
    narrow += run_all(p, seed, pipeline);
    if (HasFailure()) return;
    ASSERT_EQ(outcomes(), expected) << "seed " << seed << ", " << names_of(pipeline) << "\n" << source << p.text();
  }
  EXPECT_GT(narrow, count / 4) << "phis and upsilons whose types say more than their kinds";
}

}  // namespace
}  // namespace braid::passes
