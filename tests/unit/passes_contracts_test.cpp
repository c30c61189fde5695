// The table of passes says what they do: what they ask for is named, what they keep is right. A pass that lies is found, and what
// two passes need is built once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "diamond.h"
#include "infer/lift.h"
#include "ir/compact.h"
#include "opt_testing.h"
#include "passes/runner.h"
#include "ssa/construct.h"

namespace braid::passes {
namespace {

using enum Analysis;
using ir::Analyses;

RunReport report_of(std::span<const Pass> table, const RunOptions& options, const char* source = diamond) {
  opt::Program p(source);
  Pipeline pipeline;
  for (const Pass& pass : table) pipeline.push_back(&pass);
  return run_passes(*p.module, pipeline, options);
}
std::string breach_of(std::span<const Pass> table) {
  RunOptions options;
  options.check_contracts = true;
  return report_of(table, options).broken_contract;
}

void ask_for_uses(ir::Function&, Analyses& analyses) { analyses.uses(); }
void ask_for_dominators(ir::Function&, Analyses& analyses) { analyses.dominators(); }
void ask_for_all(ir::Function&, Analyses& analyses) {
  analyses.dominators();
  analyses.uses();
}
/// Reads something else in a phi, and says nothing.
void edit_in_secret(ir::Function& f, Analyses& analyses) {
  analyses.uses();
  f.set_operand(static_cast<ir::Ref>(6), 0, f.module().constant(i64, 0));
}
/// Takes an edge away, and says that the graph is as it was.
void keep_a_graph_that_changed(ir::Function& f, Analyses& analyses) {
  analyses.dominators();
  f.unreachable(ir::BlockId{2});
  analyses.keep(graph);
}
/// Says truly that nothing is left.
void change_and_say_so(ir::Function& f, Analyses& analyses) {
  f.unreachable(ir::BlockId{2});
  analyses.keep(none);
}

TEST(Contracts, ALieIsFoundAndNamesPassAndAnalysis) {
  constexpr Pass secretive[] = {{"secretive", edit_in_secret, needs(uses), keeps(all), ""}, {"b", ask_for_uses, needs(uses), keeps(all), ""}};
  EXPECT_EQ(breach_of(secretive), "pass 'secretive' keeps what is not right any more: uses, in '@f'");
  constexpr Pass liar[] = {{"liar", keep_a_graph_that_changed, needs(dominators), keeps(graph), ""}};
  EXPECT_EQ(breach_of(liar), "pass 'liar' keeps what is not right any more: cfg dominators, in '@f'");
  // What the table does not let it keep is dropped, and does no harm.
  constexpr Pass harmless[] = {{"liar", keep_a_graph_that_changed, needs(dominators), keeps(none), ""}};
  EXPECT_EQ(breach_of(harmless), "");
  constexpr Pass honest[] = {{"a", ask_for_all, needs(dominators | uses), keeps(all), ""},
                             {"honest", change_and_say_so, needs(none), keeps(all), ""}};
  EXPECT_EQ(breach_of(honest), "");
}

TEST(Contracts, WhatThePassBeforeHasBuiltIsCheckedToo) {
  constexpr Pass table[] = {{"a", ask_for_all, needs(dominators | uses), keeps(all), ""},
                            {"b", keep_a_graph_that_changed, needs(dominators), keeps(all), ""},
                            {"c", ask_for_all, needs(dominators | uses), keeps(all), ""}};
  RunOptions options;
  options.verify_each = true;
  const RunReport report = report_of(table, options);
  EXPECT_EQ(report.broken_contract, "pass 'b' keeps what is not right any more: cfg dominators, in '@f'");
  EXPECT_EQ(report.broken_by, "b");
  EXPECT_EQ(report.times.size(), 2u) << "the run ends there";
  EXPECT_FALSE(report.ok());
}

TEST(Contracts, AskingForWhatTheTableDoesNotNameIsFound) {
  constexpr Pass table[] = {{"curious", ask_for_all, needs(uses), keeps(all), ""}};
  EXPECT_EQ(breach_of(table), "pass 'curious' asks for what the table of passes does not name: dominators, in '@f'");
}

TEST(Contracts, AreNotCheckedWhereNobodyWantsIt) {
  constexpr Pass liar[] = {{"liar", keep_a_graph_that_changed, needs(dominators), keeps(graph), ""}};
  RunOptions options;
  options.check_contracts = false;
  EXPECT_TRUE(report_of(liar, options).ok());
}

struct Built {
  uint64_t cfg, dominators, uses;
  bool operator==(const Built&) const = default;
};
Built built_by(const RunReport& report) {
  return {report.analyses[0].built, report.analyses[1].built, report.analyses[2].built};
}
std::ostream& operator<<(std::ostream& out, const Built& built) {
  return out << built.cfg << " graphs, " << built.dominators << " dominator trees, " << built.uses << " uses";
}
Built built_by(std::string_view passes, const char* source) {
  opt::Program p(source);
  return built_by(run_passes(*p.module, *parse_pipeline(passes)));
}

TEST(Sharing, WhatTwoPassesNeedIsBuiltOnce) {
  constexpr Pass table[] = {{"a", ask_for_uses, needs(uses), keeps(all), ""},
                            {"b", ask_for_uses, needs(uses), keeps(none), ""},
                            {"c", ask_for_all, needs(dominators | uses), keeps(all), ""},
                            {"d", ask_for_dominators, needs(dominators), keeps(all), ""}};
  EXPECT_EQ(built_by(report_of(table, {})), (Built{1, 1, 1}));
  constexpr Pass with_a_change[] = {{"a", ask_for_all, needs(dominators | uses), keeps(all), ""},
                                    {"b", change_and_say_so, needs(none), keeps(none), ""},
                                    {"c", ask_for_all, needs(dominators | uses), keeps(all), ""}};
  EXPECT_EQ(built_by(report_of(with_a_change, {})), (Built{2, 2, 2}));
}

TEST(Sharing, PassesOfTheTableShare) {
  EXPECT_EQ(built_by("compact,promote,split-constants,inline,dessa", diamond), (Built{0, 0, 0})) << "they ask for nothing";
  EXPECT_EQ(built_by("lift,simplify,simplify-edges", diamond), (Built{1, 0, 1}));
  EXPECT_EQ(built_by("clean-graph,pi,lift,simplify,sea", diamond), (Built{1, 1, 1})) << "one graph for both kinds of passes";
  EXPECT_EQ(built_by("sea", diamond), (Built{1, 1, 0}));
  EXPECT_EQ(built_by("dce,dce", diamond), (Built{1, 0, 0}));
  EXPECT_EQ(built_by("infer", diamond), (Built{0, 0, 0})) << "it asks only where types do not fit";
}

TEST(Sharing, ThePassBehindFindsWhatTheLastRoundHasBuilt) {
  constexpr const char* chain = "func @f(x: i64) -> i64 {\nentry:\n  jump next\nnext:\n  ret %x\n}\n";
  EXPECT_EQ(built_by("simplify-edges", chain), (Built{2, 0, 2})) << "one round that merges, one that finds nothing";
  EXPECT_EQ(built_by("simplify-edges,simplify-edges,simplify,pi", chain), (Built{2, 1, 2}));
}

TEST(Sharing, AChangeOfStatementsLeavesTheGraph) {
  constexpr const char* dead = R"(
func @f(x: i64) -> i64 {
entry:
  %dead = mul i64 %x, 3
  %more = add i64 %dead, 1
  ret %x
}
)";
  EXPECT_EQ(built_by("dce,dce,sea", dead), (Built{1, 1, 0}));
  EXPECT_EQ(built_by("simplify,dce,simplify", dead), (Built{1, 0, 2}));
}

/// Nothing moves where an edge of a phi brings nothing any more, and what it brought is still used elsewhere.
TEST(Contracts, AnOperandThatGoesWhereNothingMoves) {
  constexpr const char* source = R"(
language php
func @f(c: i1, e: i1, d: f64, i: i64) -> f64|i64|string {
entry:
  %s = dyn.concat string "a", string "b" !nothrow
  branch %c, number, other
other:
  branch %e, whole, text
number:
  jump join
whole:
  jump join
text:
  jump join
join:
  %x = phi f64|i64|string [number: %d, whole: %i, text: %s]
  branch %c, one, rest
rest:
  branch %e, two, three
one:
  %p = pi f64 %x
  ret %p
two:
  %q = pi i64 %x
  ret %q
three:
  ret %s
}
)";
  opt::Program p(source);
  ir::Function& f = p.function();
  ir::compact(f);
  Analyses analyses(f);
  analyses.uses();
  const infer::LiftReport report = infer::lift_over_phis(f, analyses);
  EXPECT_EQ(report.edges, 1u);
  EXPECT_EQ(report.operations + report.narrowed, 0u);
  EXPECT_EQ(to_string(analyses.outdated()), "-");
}

/// What passes do to programs of the golden files, against what the table says.
TEST(Contracts, TheTableSaysWhatPassesDo) {
  std::vector<std::string> sources;
  for (const char* folder : {"opt", "infer", "sea", "clean", "mixed", "promote", "dessa", "cfg", "ssa"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(BRAID_SOURCE_DIR "/tests/files/") + folder)) {
      if (entry.path().extension() != ".braid") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      sources.push_back(std::move(text).str());
    }
  ASSERT_GE(sources.size(), 50u);
  for (const Pass& pass : all_passes()) {
    Analysis asked = none, kept = none;
    bool has_changed = false;
    for (const std::string& source : sources) {
      Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("golden file", source));
      if (!parsed || !ir::verify(*parsed->module).empty()) continue;
      for (uint32_t i = 0; i < parsed->module->function_count(); ++i) {
        ir::Function& f = parsed->module->function(static_cast<ir::FuncId>(i));
        if (f.is_external() || f.block_count() == 0) continue;
        if (pass.name != "promote") ssa::construct(f);
        Analyses analyses(f);
        analyses.dominators();
        analyses.uses();
        analyses.start();
        pass.run(f, analyses);
        asked = asked | analyses.asked();
        if (!analyses.is_changed()) {
          EXPECT_EQ(analyses.held(), all) << pass.name;
        } else {
          has_changed = true;
          analyses.forget(all - pass.keeps);
          kept = kept | analyses.held();
        }
        ASSERT_EQ(to_string(analyses.outdated()), "-") << pass.name << " in\n" << source;
      }
    }
    EXPECT_EQ(to_string(asked), to_string(pass.needs)) << pass.name << " needs";
    // Those that change nothing but literals and types have nothing to report.
    EXPECT_EQ(has_changed, pass.name != "split-constants" && pass.name != "numeric") << pass.name;
    EXPECT_EQ(to_string(kept), has_changed ? to_string(pass.keeps) : "-") << pass.name << " keeps";
  }
}

}  // namespace
}  // namespace braid::passes
