// The cache of analyses: what is built when, what edits drop; and what compaction says that it has left as it was, against
// analyses built anew.
#include "ir/analyses.h"

#include "diamond.h"
#include "function_fixture.h"
#include "ir/compact.h"
#include "ir/fit_types.h"
#include "ir_edit_walk.h"

namespace braid::ir {
namespace {

using enum Analysis;

class AnalysesOf : public FunctionFixture {
 protected:
  /// What `edit` and then compaction leave, by its own account; which must be true.
  template <typename Edit>
  Analysis left_by(Edit&& edit, CompactOptions options = {}) {
    read(diamond);
    edit();
    Analyses analyses(*f);
    analyses.cfg();
    analyses.dominators();
    analyses.uses();
    analyses.keep(compact(*f, options));
    EXPECT_EQ(to_string(analyses.outdated()), "-");
    return analyses.held();
  }
};

TEST(AnalysisSet, NamesItsMembers) {
  EXPECT_EQ(to_string(none), "-");
  EXPECT_EQ(to_string(cfg | uses), "cfg uses");
  EXPECT_EQ(to_string(all), "cfg dominators uses");
  EXPECT_EQ(all - graph, uses);
  EXPECT_TRUE(contains(all, graph));
  EXPECT_FALSE(contains(uses | cfg, graph));
}

TEST_F(AnalysesOf, BuildsEachWhenItIsAskedForAndOnce) {
  read(diamond);
  AnalysisCosts costs{};
  Analyses analyses(*f, &costs);
  EXPECT_EQ(analyses.held(), none);
  const flow::Graph& graph_before = analyses.cfg();
  EXPECT_EQ(analyses.held(), cfg);
  const BlockDominance& dominators_before = analyses.dominators();
  EXPECT_EQ(&analyses.cfg(), &graph_before) << "what was answered stays where it is";
  EXPECT_EQ(&dominators_before.graph(), &graph_before) << "one graph for both";
  EXPECT_EQ(analyses.held(), graph);
  EXPECT_EQ(&analyses.uses(), &analyses.uses());
  EXPECT_EQ(&analyses.dominators(), &dominators_before);
  EXPECT_EQ(analyses.held(), all);
  EXPECT_EQ(costs[0].built, 1u);
  EXPECT_EQ(costs[1].built, 1u);
  EXPECT_EQ(costs[2].built, 1u);
  EXPECT_EQ(analyses.asked(), all);
}

TEST_F(AnalysesOf, DominatorsBuildTheirGraphButAreWhatWasAskedFor) {
  read(diamond);
  AnalysisCosts costs{};
  Analyses analyses(*f, &costs);
  EXPECT_TRUE(analyses.dominators().dominates(block("entry"), block("join")));
  EXPECT_EQ(costs[0].built, 1u);
  EXPECT_EQ(analyses.asked(), dominators);
  // They do without the cache's own reference to the graph.
  analyses.keep(dominators);
  EXPECT_EQ(analyses.held(), dominators);
  EXPECT_FALSE(analyses.dominators().dominates(block("yes"), block("join")));
  EXPECT_EQ(costs[1].built, 1u);
}

TEST_F(AnalysesOf, KeepDropsTheOthersAndIsRemembered) {
  read(diamond);
  Analyses analyses(*f);
  analyses.cfg();
  analyses.uses();
  analyses.keep(all);
  EXPECT_FALSE(analyses.is_changed());
  EXPECT_EQ(analyses.held(), cfg | uses);
  analyses.keep(graph);
  EXPECT_TRUE(analyses.is_changed());
  EXPECT_EQ(analyses.held(), cfg);
  analyses.keep(all);
  EXPECT_TRUE(analyses.is_changed());
  analyses.start();
  EXPECT_FALSE(analyses.is_changed());
  EXPECT_EQ(analyses.asked(), none);
  analyses.forget(all);
  EXPECT_FALSE(analyses.is_changed());
  EXPECT_EQ(analyses.held(), none);
}

TEST_F(AnalysesOf, OutdatedOnesAreFound) {
  read(diamond);
  Analyses analyses(*f);
  analyses.dominators();
  analyses.uses();
  EXPECT_EQ(to_string(analyses.outdated()), "-");
  f->set_operand(at(6), 0, f->module().constant(i64, 0));
  EXPECT_EQ(to_string(analyses.outdated()), "uses");
  f->branch(block("entry"), at(0), block("yes"), block("join"));
  EXPECT_EQ(to_string(analyses.outdated()), "cfg dominators uses");
  Analyses cfg_alone(*f);
  cfg_alone.cfg();
  EXPECT_EQ(to_string(cfg_alone.outdated()), "-");
  f->unreachable(block("no"));
  EXPECT_EQ(to_string(cfg_alone.outdated()), "cfg");
}

TEST_F(AnalysesOf, CompactionSaysWhatItLeaves) {
  EXPECT_EQ(left_by([] {}), all);
  EXPECT_EQ(left_by([&] { f->erase(at(2)), f->set_operand(at(6), 0, Operand::param(0)); }), graph) << "a hole";
  EXPECT_EQ(left_by([&] { f->replace(at(2), Operand::param(0)); }), graph) << "a replaced statement";
  EXPECT_EQ(left_by([&] { f->insert(f->at_end(block("no")), f->make(Op::neg, i64, {Operand::param(0)})); }), graph);
  EXPECT_EQ(left_by([&] { f->set_operand(at(6), 0, Operand::param(0)); }, {.remove_dead = true}), graph) << "a dead statement";
  EXPECT_EQ(left_by([&] { f->remove_edge(f->edge_count() == 4 ? EdgeId{0} : EdgeId{1}); }), none) << "an edge";
  EXPECT_EQ(left_by([&] { f->set_operand(f->terminator(block("entry")), 0, f->module().constant(i1, 1)); },
                    {.fold_branches = true}),
            none);
  EXPECT_EQ(left_by([&] { f->new_block(); }), none) << "a block that nothing leads to";
  EXPECT_EQ(left_by([&] { f->branch(block("entry"), at(0), block("no"), block("yes")); }), none) << "another order of blocks";
  EXPECT_EQ(left_by([&] { f->split_block(block("yes"), static_cast<Ref>(2)), f->jump(block("yes"), BlockId{4}); }), none);
}

/// A switch that has nothing but its default becomes a jump: no edge goes, but its operand is used no more.
TEST_F(AnalysesOf, CompactionThatFoldsWithoutTakingEdges) {
  read(R"(
func @f(x: i64) -> i64 {
entry:
  %k = select i64 true, 7, 7
  switch i64 %k, end, []
end:
  ret %x
}
)");
  f->set_type(at(0), f->module().types.int_constant(Kind::i64, 7));
  Analyses analyses(*f);
  analyses.cfg();
  analyses.uses();
  analyses.keep(compact(*f, {.fold_branches = true}));
  EXPECT_EQ(f->op(f->terminator(Function::entry())), Op::jump);
  EXPECT_EQ(to_string(analyses.outdated()), "-");
  EXPECT_EQ(analyses.held(), cfg);
}

TEST_F(AnalysesOf, FittingTypesKeepsAllButWhereItInsertsAPi) {
  constexpr const char* source = "func @f(x: i64, y: i64[0..9]) -> i64[0..9] {\nentry:\n  ret %y\n}\n";
  for (const bool fits : {true, false}) {
    read(source);
    if (!fits) f->set_operand(at(0), 0, Operand::param(0));
    Analyses analyses(*f);
    analyses.cfg();
    analyses.uses();
    fit_types(*f, analyses);
    EXPECT_EQ(f->size(), fits ? 1u : 2u);
    EXPECT_EQ(to_string(analyses.outdated()), "-");
    EXPECT_EQ(analyses.held(), fits ? cfg | uses : cfg);
  }
}

TEST(Analyses, CompactionOfRandomFunctionsSaysWhatItLeaves) {
  model::Coverage coverage;
  uint32_t left[8] = {};
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    model::Walker w(seed, coverage);
    w.build();
    for (uint64_t i = 0; i < seed % 5; ++i) w.edit();
    ASSERT_EQ(w.failure, "") << seed;
    Function& f = w.function;
    const CompactOptions options{.count_uses = seed % 2 != 0, .remove_dead = seed % 3 == 0, .fold_branches = seed % 7 == 0};
    // The second time there may be nothing to do, or holes that the first one has made.
    for (int round = 0; round < 2; ++round) {
      Analyses analyses(f);
      analyses.dominators();
      analyses.uses();
      analyses.keep(compact(f, options));
      ASSERT_EQ(to_string(analyses.outdated()), "-") << "seed " << seed;
      ++left[static_cast<size_t>(analyses.held())];
    }
  }
  EXPECT_GE(left[static_cast<size_t>(none)], 30u);
  EXPECT_GE(left[static_cast<size_t>(graph)], 30u);
  EXPECT_GE(left[static_cast<size_t>(all)], 30u);
}

}  // namespace
}  // namespace braid::ir
