// Linear SSA to the sea and back: the same results, no more statements, whatever the shape of the function.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "demote.h"
#include "interp/interpreter.h"
#include "ir/verify.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "sea/land.h"
#include "sea/lift.h"
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

struct RoundTripCoverage {
  uint32_t programs = 0, functions = 0, runs = 0, ended = 0, statements = 0, statements_after = 0;
  std::array<uint32_t, static_cast<unsigned>(NodeOp::end)> nodes = {};
  uint32_t effect_phis = 0;

  uint32_t of(NodeOp op) const { return nodes[static_cast<unsigned>(op)]; }
  uint32_t of(Op op) const { return of(node_op(op)); }
  void add(const Graph& graph) {
    for (uint32_t i = 0; i < graph.size(); ++i) {
      NodeId n = static_cast<NodeId>(i);
      ++nodes[static_cast<unsigned>(graph.op(n))];
      effect_phis += graph.is(n, Op::phi) && graph.type(n) == void_type;
    }
  }
  void print() const {
    std::printf("%u programs, %u functions, %u runs of which %u ended; %u statements but jumps, %u after\n",
                programs, functions, runs, ended, statements, statements_after);
    std::printf(
        "nodes: region %u, loop %u, never %u, effect_entry %u, phi %u of which %u of effects, phi_c %u, "
        "upsilon %u, "
        "pi %u, undef %u, enter %u, leave %u, the_exception %u, call %u, switch %u, get %u, set %u, load %u, "
        "store %u\n",
        of(NodeOp::region), of(NodeOp::loop), of(NodeOp::never), of(NodeOp::effect_entry), of(Op::phi),
        effect_phis, of(Op::phi_c), of(Op::upsilon), of(Op::pi), of(NodeOp::undef), of(Op::enter),
        of(Op::leave), of(Op::the_exception), of(Op::call), of(Op::switch_), of(Op::get), of(Op::set),
        of(Op::load), of(Op::store));
  }
};

class RoundTrip {
 public:
  explicit RoundTrip(RoundTripCoverage& coverage) : coverage_(coverage) {}

  /// What is wrong, with the program; empty if nothing is.
  std::string check(uint32_t seed) {
    RandomVariableProgram program(seed);
    if (seed % 4 == 1) program.add_states();
    std::string text = program.make();
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    if (!parsed) return render(parsed.error());
    module_ = parsed->module.get();
    Function& f = module_->function(FuncId{0});
    const Function original = f;
    std::vector<ProgramRuns::Run> expected = runs_.run_all(*module_, program);
    ++coverage_.programs;
    for (const ProgramRuns::Run& run : expected) {
      ++coverage_.runs;
      coverage_.ended += run.outcome.kind != interp::OutcomeKind::limit;
    }
    std::string wrong = check_form(program, expected, "with variables");
    if (!wrong.empty()) return wrong;
    f = original;
    ssa::construct(f, {ssa::Algorithm::cytron, seed % 4 == 0 ? ssa::Prune::minimal : ssa::Prune::pruned});
    wrong = check_form(program, expected, "in SSA");
    if (!wrong.empty() || program.has_states()) return wrong;
    f = original;
    Demote(f, {"acc", "fuel"}, seed).run();
    ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::pruned});
    return check_form(program, expected, "in memory");
  }

 private:
  std::string check_form(const RandomVariableProgram& program, const std::vector<ProgramRuns::Run>& expected,
                         const std::string& form) {
    Function& f = module_->function(FuncId{0});
    std::string before = text::to_text(f);
    uint32_t statements = statements_but_jumps(f);
    SourceNames names;
    Graph graph = lift(f, &names);
    for (const std::string& fault : {graph.check(), shape_fault(graph)})
      if (!fault.empty()) return form + ": " + fault + "\n" + before;
    land(graph, f, &names);
    std::string after = text::to_text(f);
    std::string both = "\n" + before + after;
    std::vector<Finding> findings = verify(f);
    if (!findings.empty()) return form + ": " + findings[0].message + both;
    if (!f.is_at_rest()) return form + ": not at rest" + both;
    if (statements_but_jumps(f) > statements) return form + ": more statements" + both;
    std::string different = ProgramRuns::compare(expected, runs_.run_all(*module_, program));
    if (!different.empty()) return form + ": " + different + both;
    coverage_.add(graph);
    ++coverage_.functions;
    coverage_.statements += statements;
    coverage_.statements_after += statements_but_jumps(f);
    return {};
  }

  RoundTripCoverage& coverage_;
  ProgramRuns runs_;
  Module* module_ = nullptr;
};

#ifdef NDEBUG
constexpr uint32_t program_count = 10'000;
#else
constexpr uint32_t program_count = 1'000;
#endif

TEST(SeaRoundTrip, RandomPrograms) {
  RoundTripCoverage coverage;
  RoundTrip round_trip(coverage);
  for (uint32_t seed = 0; seed < program_count; ++seed) {
    std::string wrong = round_trip.check(seed);
    ASSERT_EQ(wrong, "") << "seed " << seed;
  }
  coverage.print();

  EXPECT_GE(coverage.ended, coverage.runs * 9 / 10);
  EXPECT_LT(coverage.statements_after, coverage.statements);
  // How many of a kind of node there are per hundred programs.
  auto at_least = [&](uint32_t count, uint32_t per_hundred, const char* what) {
    EXPECT_GE(count, program_count / 100 * per_hundred) << what;
  };
  at_least(coverage.of(NodeOp::region), 3'000, "region");
  at_least(coverage.of(NodeOp::loop), 500, "loop");
  EXPECT_GE(coverage.of(NodeOp::never), program_count / 500);
  at_least(coverage.of(NodeOp::effect_entry), 300, "effect_entry");
  at_least(coverage.of(NodeOp::undef), 50, "undef");
  at_least(coverage.effect_phis, 2'500, "phi of effects");
  at_least(coverage.of(Op::phi) - coverage.effect_phis, 5'000, "phi");
  at_least(coverage.of(Op::phi_c), 700, "phi_c");
  at_least(coverage.of(Op::upsilon), 2'000, "upsilon");
  at_least(coverage.of(Op::pi), 100, "pi");
  at_least(coverage.of(Op::leave), 1'000, "leave");
  at_least(coverage.of(Op::the_exception), 30, "the_exception");
  at_least(coverage.of(Op::switch_), 500, "switch");
  at_least(coverage.of(Op::get), 2'000, "get");
  at_least(coverage.of(Op::load), 2'000, "load");
}

}  // namespace
}  // namespace braid::sea
