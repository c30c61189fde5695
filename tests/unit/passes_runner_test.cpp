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

/// What passes saw when they ran.
std::vector<Analysis> seen;

void look(ir::Function&, const Analyses& analyses) {
  seen.push_back(analyses.available());
}
void break_it(ir::Function& f, const Analyses&) {
  f.set_type(static_cast<ir::Ref>(0), f64);
}

TEST(Runner, BuildsWhatIsNeededAndDropsWhatIsNotKept) {
  using enum Analysis;
  constexpr Pass table[] = {
      {"a", look, needs(cfg | uses), keeps(cfg), "builds two, keeps one"},
      {"b", look, needs(none), keeps(cfg), "has the one that was kept"},
      {"c", look, needs(dominators), keeps(none), "has both"},
      {"d", look, needs(none), keeps(none), "has nothing"},
  };
  seen.clear();
  auto module = parsed();
  RunOptions options;
  options.only = module->find_function("f")->id();
  run_passes(*module, pipeline_of(table), options);
  EXPECT_EQ(seen, (std::vector<Analysis>{cfg | uses, cfg, cfg | dominators, none}));
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
  std::vector<PassTime> times = {{"one", 3.0, 200, 150}, {"two", 1.0, 150, 100}};
  EXPECT_EQ(time_table(times),
            "pass                         ms    time       before        after   change\n"
            "one                       3.000   75.0%          200          150   -25.0%\n"
            "two                       1.000   25.0%          150          100   -33.3%\n"
            "total                     4.000  100.0%          200          100   -50.0%\n");
}

TEST(Runner, PublicOptimizeReportsUnknownPasses) {
  auto module = parsed();
  EXPECT_TRUE(optimize(*module->find_function("f"), "dce"));
  EXPECT_EQ(text::to_text(*module->find_function("f")).find("add"), std::string::npos);
  EXPECT_FALSE(optimize(*module->find_function("f"), "dse"));
}

}  // namespace
}  // namespace braid::passes
