// All constructors against the program over variables: on random graphs, with undefined variables and with handlers, the
// results verify, run alike, and have the same phis.
#include "ssa/construct.h"

#include <gtest/gtest.h>

#include <string>

#include "interp/interpreter.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "random_variable_programs.h"
#include "ssa/redundant_phis.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {
namespace {

using interp::Interpreter;
using interp::Outcome;
using interp::OutcomeKind;

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Expected<text::ParsedModule> module = text::parse_module(SourceFile("random", text));
  if (!module) {
    ADD_FAILURE() << render(module.error()) << text;
    return nullptr;
  }
  return std::move(module->module);
}

std::vector<Outcome> run_all(ir::Module& module) {
  interp::RunOptions options;
  options.max_steps = 1'000'000;
  Interpreter interpreter(module, options);
  std::vector<Outcome> outcomes;
  for (int64_t n : {-3, 0, 1, 2, 7}) {
    Value argument(n);
    outcomes.push_back(interpreter.run(module.function(ir::FuncId{0}), {&argument, 1}));
  }
  return outcomes;
}

uint32_t count_phis(const ir::Function& f, ir::Op op) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += f.columns().stmt(i).op == op;
  return count;
}

struct Form {
  ssa::ConstructOptions options;
  const char* name;
};
constexpr Form forms[] = {
    {{ssa::Algorithm::cytron, ssa::Prune::pruned}, "cytron pruned"},
    {{ssa::Algorithm::braun, ssa::Prune::pruned}, "braun"},
    {{ssa::Algorithm::regmap, ssa::Prune::pruned}, "regmap"},
    {{ssa::Algorithm::cytron, ssa::Prune::semi}, "cytron semi-pruned"},
    {{ssa::Algorithm::cytron, ssa::Prune::minimal}, "cytron minimal"},
};

TEST(Construct, AllAgreeWithTheProgramOverVariables) {
  uint32_t ended = 0, threw = 0, runs = 0, with_phis = 0, phi_cs = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::string text = RandomVariableProgram(seed).make();
    std::unique_ptr<ir::Module> original = parsed(text);
    ASSERT_NE(original, nullptr);
    std::vector<ir::Finding> wrong = ir::verify(*original);
    ASSERT_TRUE(wrong.empty()) << wrong[0].message << "\n" << text;
    std::vector<Outcome> expected = run_all(*original);
    for (const Outcome& outcome : expected) {
      ++runs;
      ended += outcome.kind == OutcomeKind::value;
      threw += outcome.kind == OutcomeKind::exception;
    }
    uint32_t pruned_phis = 0, pruned_phi_cs = 0;
    for (const Form& form : forms) {
      std::unique_ptr<ir::Module> module = parsed(text);
      ir::Function& f = module->function(ir::FuncId{0});
      ssa::construct(f, form.options);
      std::vector<ir::Finding> findings = ir::verify(f);
      ASSERT_TRUE(findings.empty()) << form.name << ", seed " << seed << ": " << findings[0].message << "\n"
                                    << text << text::to_text(f);
      std::vector<Outcome> got = run_all(*module);
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(interp::to_string(got[i]), interp::to_string(expected[i]))
            << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
      ssa::remove_redundant_phis(f);
      ASSERT_TRUE(ir::verify(f).empty()) << form.name << ", seed " << seed;
      uint32_t phis = count_phis(f, ir::Op::phi), phi_c = count_phis(f, ir::Op::phi_c);
      if (&form == &forms[0]) {
        pruned_phis = phis;
        pruned_phi_cs = phi_c;
        with_phis += phis != 0;
        phi_cs += phi_c;
      } else if (form.options.prune == ssa::Prune::pruned) {
        ASSERT_EQ(phis, pruned_phis) << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
        ASSERT_EQ(phi_c, pruned_phi_cs) << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
      } else {
        ASSERT_GE(phis, pruned_phis) << form.name << ", seed " << seed;
      }
    }
  }
  std::printf("%u runs: %u%% ended with a value, %u%% with an exception; %u programs with phis, %u phi_cs\n", runs,
              100 * ended / runs, 100 * threw / runs, with_phis, phi_cs);
  EXPECT_GE(100 * ended / runs, 20u);
  EXPECT_GE(100 * threw / runs, 10u);
  EXPECT_GE(with_phis, 1000u);
  EXPECT_GE(phi_cs, 1000u);
}

}  // namespace
}  // namespace braid
