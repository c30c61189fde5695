#include "passes/runner.h"

#include <braid/passes.h>
#include <gtest/gtest.h>

#include "text/parse.h"
#include "text/print.h"

namespace braid::passes {
namespace {

constexpr const char* source = R"(
func @f(x: i64) -> i64 {
entry:
  %dead = add i64 %x, 1
  ret %x
}
func @g(x: i64) -> i64 {
entry:
  %dead = add i64 %x, 2
  ret %x
}
)";

std::unique_ptr<ir::Module> parsed() {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("test", source));
  EXPECT_TRUE(parsed) << render(parsed.error());
  return std::move(parsed->module);
}

Pipeline pipeline_of(std::span<const Pass> table) {
  Pipeline pipeline;
  for (const Pass& pass : table) pipeline.push_back(&pass);
  return pipeline;
}

/// What passes found when they ran.
std::vector<Analysis> seen;

void look(ir::Function&, ir::Analyses& analyses) {
  seen.push_back(analyses.held());
}
void use_graph_and_uses(ir::Function& f, ir::Analyses& analyses) {
  look(f, analyses);
  analyses.cfg();
  analyses.uses();
}
void change_no_graph(ir::Function& f, ir::Analyses& analyses) {
  look(f, analyses);
  analyses.keep(Analysis::graph);
}
void break_it(ir::Function& f, ir::Analyses&) {
  f.set_type(static_cast<ir::Ref>(0), f64);
}

TEST(Runner, KeepsWhatAPassLeavesAndALaterOneNeeds) {
  using enum Analysis;
  constexpr Pass table[] = {
      {"a", use_graph_and_uses, needs(cfg | uses), keeps(none), "changes nothing: all is kept"},
      {"b", look, needs(none), keeps(none), "finds both"},
      {"c", change_no_graph, needs(none), keeps(all), "leaves the graph"},
      {"d", look, needs(uses), keeps(none), "finds the graph, which the next one needs"},
      {"e", change_no_graph, needs(dominators), keeps(none), "may keep nothing"},
      {"f", use_graph_and_uses, needs(cfg | uses), keeps(all), "finds nothing"},
      {"g", look, needs(cfg), keeps(all), "uses are gone, since no later pass needs them"},
      {"h", look, needs(none), keeps(all), "so is the graph"},
  };
  seen.clear();
  auto module = parsed();
  RunOptions options;
  options.only = module->find_function("f")->id();
  run_passes(*module, pipeline_of(table), options);
  EXPECT_EQ(seen, (std::vector<Analysis>{none, cfg | uses, cfg | uses, cfg, cfg, none, cfg, none}));
}

TEST(Runner, RunsEachPassOverAllFunctions) {
  auto module = parsed();
  RunReport report = run_passes(*module, *parse_pipeline("dce"));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(text::to_text(*module).find("add"), std::string::npos);
  ASSERT_EQ(report.times.size(), 1u);
  EXPECT_EQ(report.times[0].statements_before, 4u);
  EXPECT_EQ(report.times[0].statements_after, 2u);
  EXPECT_TRUE(report.snapshots.empty());
}

TEST(Runner, OneFunctionAlone) {
  auto module = parsed();
  RunOptions options;
  options.only = module->find_function("g")->id();
  run_passes(*module, *parse_pipeline("dce"), options);
  EXPECT_NE(text::to_text(*module->find_function("f")).find("add"), std::string::npos);
  EXPECT_EQ(text::to_text(*module->find_function("g")).find("add"), std::string::npos);
}

TEST(Runner, KeepsSnapshotsWithTheInputFirst) {
  auto module = parsed();
  std::string input = text::to_text(*module);
  RunOptions options;
  options.keep_snapshots = true;
  RunReport report = run_passes(*module, *parse_pipeline("compact,dce"), options);
  ASSERT_EQ(report.snapshots.size(), 3u);
  EXPECT_EQ(report.snapshots[0].pass, "input");
  EXPECT_EQ(report.snapshots[0].text, input);
  EXPECT_EQ(report.snapshots[1].pass, "compact");
  EXPECT_EQ(report.snapshots[2].pass, "dce");
  EXPECT_EQ(report.snapshots[2].text, text::to_text(*module));
  EXPECT_NE(report.snapshots[1].text, report.snapshots[2].text);
}

TEST(Runner, PrintsAfterOnePassOrAll) {
  std::string printed;
  RunOptions options;
  auto module = parsed();
  options.print = [&](std::string_view pass) { printed += std::string(pass) + "\n" + text::to_text(*module); };
  options.print_after = "dce";
  run_passes(*module, *parse_pipeline("compact,dce"), options);
  EXPECT_EQ(printed, "dce\n" + text::to_text(*module));
  printed.clear();
  options.print_after = "all";
  run_passes(*module, *parse_pipeline("compact,dce"), options);
  EXPECT_EQ(printed, "compact\n" + text::to_text(*module) + "dce\n" + text::to_text(*module));
}

TEST(Runner, VerifyingStopsAtThePassThatBreaksTheProgram) {
  constexpr Pass table[] = {
      {"good", look, needs(Analysis::none), keeps(Analysis::none), ""},
      {"bad", break_it, needs(Analysis::none), keeps(Analysis::none), ""},
      {"never", look, needs(Analysis::none), keeps(Analysis::none), ""},
  };
  auto module = parsed();
  RunOptions options;
  options.verify_each = true;
  RunReport report = run_passes(*module, pipeline_of(table), options);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.broken_by, "bad");
  EXPECT_EQ(report.times.size(), 2u);
  options.verify_each = false;
  EXPECT_TRUE(run_passes(*module, pipeline_of(table), options).ok());
}

TEST(Runner, VerifyingTheResultNamesThePassThatRanAlone) {
  constexpr Pass bad = {"bad", break_it, needs(Analysis::none), keeps(Analysis::none), ""};
  constexpr Pass look_on = {"good", look, needs(Analysis::none), keeps(Analysis::none), ""};
  RunOptions options;
  options.verify_result = true;
  RunReport alone = run_passes(*parsed(), Pipeline{&bad}, options);
  EXPECT_FALSE(alone.ok());
  EXPECT_EQ(alone.broken_by, "bad");
  RunReport both = run_passes(*parsed(), Pipeline{&bad, &look_on}, options);
  EXPECT_FALSE(both.ok());
  EXPECT_EQ(both.broken_by, "");
  EXPECT_EQ(both.times.size(), 2u);
}

TEST(Runner, TheTableOfTimesAddsUp) {
  RunReport report;
  report.times = {{"one", 3.0, 200, 150}, {"two", 1.0, 150, 100}};
  report.analyses[0] = {2, 0.75};
  report.analyses[2] = {10, 0.25};
  EXPECT_EQ(time_table(report),
            "pass                         ms    time       before        after   change\n"
            "one                       3.000   60.0%          200          150   -25.0%\n"
            "two                       1.000   20.0%          150          100   -33.3%\n"
            "analysis                     ms    time        built\n"
            "cfg                       0.750   15.0%            2\n"
            "dominators                0.000    0.0%            0\n"
            "uses                      0.250    5.0%           10\n"
            "total                     5.000  100.0%          200          100   -50.0%\n");
}

/// Analyses take long here, and passes next to nothing.
TEST(Runner, TimesOfAnalysesAreNoTimesOfPasses) {
  std::string text = "func @f(x: i64) -> i64 {\nentry:\n";
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) text += "  %" + std::to_string(i) + " = add i64 %x, " + std::to_string(i) + "\n";
  Expected<text::ParsedModule> module = text::parse_module(SourceFile("test", text + "  ret %x\n}\n"));
  ASSERT_TRUE(module);
  constexpr Pass table[] = {{"a", +[](ir::Function&, ir::Analyses& analyses) { analyses.uses(); }, needs(Analysis::uses), keeps(Analysis::all), ""}};
  for (const bool check : {false, true}) {
    RunOptions options;
    options.check_contracts = check;
    const RunReport report = run_passes(*module->module, pipeline_of(table), options);
    EXPECT_EQ(report.analyses[2].built, 1u);
    EXPECT_GT(report.analyses[2].milliseconds, 0);
    EXPECT_LT(report.times[0].milliseconds, report.analyses[2].milliseconds) << check;
  }
}

TEST(Runner, PublicOptimizeReportsUnknownPasses) {
  auto module = parsed();
  EXPECT_TRUE(optimize(*module->find_function("f"), "dce"));
  EXPECT_EQ(text::to_text(*module->find_function("f")).find("add"), std::string::npos);
  EXPECT_FALSE(optimize(*module->find_function("f"), "dse"));
}

}  // namespace
}  // namespace braid::passes
