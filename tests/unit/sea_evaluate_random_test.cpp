// Graphs that were lifted from random functions, evaluated as they are: what the interpreter says of the linear form, call
// by call, with exceptions, memory, variables and values that may be undefined; also behind the optimiser, after each rewrite.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <utility>

#include "demote.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "sea/check_steps.h"
#include "sea/evaluate.h"
#include "sea/lift.h"
#include "sea/optimise.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::sea {
namespace {

using namespace ir;

struct Coverage {
  uint32_t programs = 0, runs = 0, compared = 0, thrown = 0, handled = 0, optimised = 0;
  uint64_t calls = 0;
  std::array<uint32_t, op_count> nodes = {};

  uint32_t of(Op op) const { return nodes[static_cast<unsigned>(op)]; }
  void add(const Graph& graph) {
    for (uint32_t i = 0; i < graph.size(); ++i)
      if (NodeOp op = graph.op(static_cast<NodeId>(i)); is_table_op(op)) ++nodes[static_cast<unsigned>(op)];
  }
  void print() const {
    std::printf("%u programs, %u runs, %u compared to the end, of which %u end with an exception; ", programs, runs, compared,
                thrown);
    std::printf("%u handlers run, %llu calls\n", handled, static_cast<unsigned long long>(calls));
    std::printf("nodes: load %u, store %u, stack_slot %u, global_addr %u, get %u, set %u, upsilon %u, phi_c %u, enter %u, "
                "leave %u, the_exception %u, pop_exception %u, throw_undef %u, check_zero %u, box %u\n",
                of(Op::load), of(Op::store), of(Op::stack_slot), of(Op::global_addr), of(Op::get), of(Op::set),
                of(Op::upsilon), of(Op::phi_c), of(Op::enter), of(Op::leave), of(Op::the_exception), of(Op::pop_exception),
                of(Op::throw_undef), of(Op::check_zero), of(Op::box));
  }
};

class EvaluatesAlike {
 public:
  explicit EvaluatesAlike(Coverage& coverage) : coverage_(coverage) {
    runtime_.bind("see", [this](HostCall& call) -> HostResult {
      seen_.push_back({call.arguments[0].as_i64(), call.arguments[1].as_i64()});
      return Value(int64_t{0});
    });
    runtime_.bind("risk", [](HostCall& call) -> HostResult {
      if (call.arguments[0].as_i64() == 2) return HostResult::raise("risk");
      return call.arguments[0];
    });
    evaluator_.runtime = &runtime_;
  }

  std::string check(uint32_t seed) {
    RandomVariableProgram program(seed);
    if (seed % 4 == 1) program.add_states();
    std::string text = program.make();
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    if (!parsed) return render(parsed.error());
    Module& module = *parsed->module;
    Function& f = module.function(FuncId{0});
    const Function original = f;
    expected_ = runs_.run_all(module, program);
    ++coverage_.programs;
    std::string wrong = check_form(f, program, "with variables");
    for (uint32_t form = 0; form < (program.has_states() ? 1 : 2) && wrong.empty(); ++form) {
      f = original;
      if (form == 1) Demote(f, {"acc", "fuel"}, seed).run();
      ssa::construct(f, {ssa::Algorithm::cytron, seed % 4 == 0 ? ssa::Prune::minimal : ssa::Prune::pruned});
      wrong = check_form(f, program, form == 0 ? "in SSA" : "in memory");
    }
    return wrong.empty() ? wrong : wrong + "\n" + text + text::to_text(f);
  }

 private:
  std::string check_form(const Function& f, const RandomVariableProgram& program, const std::string& form) {
    Graph graph = lift(f);
    coverage_.add(graph);
    std::string wrong = evaluate_all(graph, f, program);
    if (!wrong.empty()) return form + ": " + wrong;
    optimise(graph);
    ++coverage_.optimised;
    wrong = evaluate_all(graph, f, program);
    return wrong.empty() ? wrong : form + ", optimised: " + wrong;
  }

  std::string evaluate_all(const Graph& graph, const Function& f, const RandomVariableProgram& program) {
    evaluator_.reset(graph, &f);
    evaluator_.limits.back_edges = program.has_fuel() ? 1'000'000 : 300;
    for (size_t i = 0; i < program.arguments().size(); ++i) {
      seen_.clear();
      runtime_.clear();
      Evaluation found = evaluator_.run(program.arguments()[i]);
      const ProgramRuns::Run& run = expected_[i];
      ++coverage_.runs;
      bool is_cut = run.outcome.kind == interp::OutcomeKind::limit || found.kind == Evaluation::Kind::timeout;
      std::string want = interp::to_string(run.outcome), is = to_string(found);
      // The texts of traps name functions.
      bool both_trap = run.outcome.kind == interp::OutcomeKind::trap && found.kind == Evaluation::Kind::trap;
      if (!is_cut && !both_trap && want != is) return "run " + std::to_string(i) + ": " + is + " instead of " + want;
      if (!is_cut && run.seen.size() != seen_.size()) return "run " + std::to_string(i) + ": other calls";
      size_t common = std::min(run.seen.size(), seen_.size());
      if (!std::equal(seen_.begin(), seen_.begin() + static_cast<ptrdiff_t>(common), run.seen.begin()))
        return "run " + std::to_string(i) + ": calls with other values";
      coverage_.compared += !is_cut;
      coverage_.thrown += found.kind == Evaluation::Kind::exception;
      coverage_.calls += seen_.size();
      for (const ProgramRuns::Seen& seen : seen_)
        for (uint32_t mark : program.handler_marks()) coverage_.handled += seen.mark == static_cast<int64_t>(mark);
    }
    return {};
  }

  Coverage& coverage_;
  ProgramRuns runs_;
  SimpleRuntime runtime_;
  std::vector<ProgramRuns::Seen> seen_;
  std::vector<ProgramRuns::Run> expected_;
  Evaluator evaluator_;
};

#ifdef NDEBUG
constexpr uint32_t program_count = 500;
#else
constexpr uint32_t program_count = 100;
#endif

TEST(SeaEvaluateRandom, GraphsGiveWhatTheLinearFormGives) {
  Coverage coverage;
  EvaluatesAlike alike(coverage);
  for (uint32_t seed = 0; seed < program_count; ++seed) {
    std::string wrong = alike.check(seed);
    ASSERT_EQ(wrong, "") << "seed " << seed;
  }
  coverage.print();
  EXPECT_GE(coverage.compared, coverage.runs * 9 / 10);
  EXPECT_GE(coverage.thrown, coverage.runs / 100);
  // How many of a kind there are per hundred programs.
  auto at_least = [&](uint32_t count, uint32_t per_hundred, const char* what) {
    EXPECT_GE(count, program_count / 100 * per_hundred) << what;
  };
  at_least(coverage.handled, 700, "handlers that are run");
  at_least(coverage.of(Op::load), 2'000, "load");
  at_least(coverage.of(Op::store), 500, "store");
  at_least(coverage.of(Op::stack_slot), 50, "stack_slot");
  at_least(coverage.of(Op::global_addr), 30, "global_addr");
  at_least(coverage.of(Op::get), 2'000, "get");
  at_least(coverage.of(Op::set), 1'000, "set");
  at_least(coverage.of(Op::upsilon), 2'000, "upsilon");
  at_least(coverage.of(Op::phi_c), 700, "phi_c");
  at_least(coverage.of(Op::leave), 500, "leave");
  at_least(coverage.of(Op::the_exception), 30, "the_exception");
  at_least(coverage.of(Op::pop_exception), 30, "pop_exception");
  at_least(coverage.of(Op::throw_undef), 30, "throw_undef");
}

/// Small functions, evaluated after every single rewrite: results, exceptions and calls to the host stay what they are.
class StepsMeanTheSame {
 public:
  StepsMeanTheSame() {
    runtime_.bind("see", [this](HostCall& call) -> HostResult {
      seen_ += " " + ir::to_string(call.arguments[0]) + ":" + ir::to_string(call.arguments[1]);
      return Value(int64_t{0});
    });
    runtime_.bind("risk", [](HostCall& call) -> HostResult {
      if (call.arguments[0].as_i64() == 2) return HostResult::raise("risk");
      return call.arguments[0];
    });
    options.runtime = &runtime_;
    options.limits.back_edges = 200;
    options.observed = [this] {
      runtime_.clear();
      return std::exchange(seen_, {});
    };
  }

  StepReport check(Graph& graph, const Function& f, std::span<const int64_t> arguments) {
    std::vector<std::vector<uint64_t>> lists;
    for (int64_t argument : arguments) lists.push_back({static_cast<uint64_t>(argument)});
    options.function = &f;
    return check_each_step(graph, lists, options);
  }

  StepOptions options;

 private:
  SimpleRuntime runtime_;
  std::string seen_;
};

TEST(SeaEvaluateRandom, EveryStepOnLiftedFunctionsMeansTheSame) {
  StepsMeanTheSame steps;
  RewriteCounts counts;
  steps.options.optimise.observer = &counts;
  uint64_t rewrites = 0, decided = 0, functions = 0;
  for (uint32_t seed = 0; functions < 300; ++seed) {
    RandomVariableProgram program(seed);
    std::string text = program.make();
    if (program.node_count() > 12) continue;
    ++functions;
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    ASSERT_TRUE(parsed);
    Function& f = parsed->module->function(FuncId{0});
    if (seed % 3 == 1) Demote(f, {"acc", "fuel"}, seed).run();
    if (seed % 3 != 2) ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::minimal});
    Graph graph = lift(f);
    StepReport report = steps.check(graph, f, program.arguments());
    ASSERT_FALSE(report.fault) << "seed " << seed << ": " << to_string(*report.fault) << "\n" << text::to_text(f);
    rewrites += report.steps;
    decided += report.decided;
  }
  std::printf("%llu rewrites, %llu results compared\n", static_cast<unsigned long long>(rewrites),
              static_cast<unsigned long long>(decided));
  EXPECT_GT(decided, rewrites * 2);
  // Programs in Simple have no handlers.
  EXPECT_GE(counts.count(Rewrite::upsilon_unreachable), 1u);
}

/// The one way on which the value is defined is never taken; below `use` it is used, and there it does not matter what it
/// is.
TEST(SeaEvaluateRandom, AUseOfWhatIsSurelyUndefinedMayBecomeAnything) {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("program", R"(
func @f(n: i64) -> i64 {
entry:
  %zero = and i64 %n, 0
  %always = eq i64 %zero, 0
  branch %always, a, b
a:
  jump join
b:
  jump join
join:
  %v = phi i64 [a: undef, b: %n]
  %c = slt i64 %n, 0
  branch %c, use, skip
use:
  %r = add i64 %v, 1
  ret %r
skip:
  ret 7
}
)"));
  ASSERT_TRUE(parsed);
  const Function& f = parsed->module->function(FuncId{0});
  Graph graph = lift(f);
  RewriteCounts counts;
  StepsMeanTheSame steps;
  steps.options.optimise.observer = &counts;
  const int64_t arguments[] = {5, -5};
  StepReport report = steps.check(graph, f, arguments);
  EXPECT_FALSE(report.fault) << to_string(*report.fault);
  EXPECT_GE(counts.count(Rewrite::undef_use), 1u);
  EXPECT_GT(report.decided, 0u);
}

/// A cycle with several ways in has no back edge. Its rounds are counted all the same, also if each goes through a handler.
TEST(SeaEvaluateRandom, ACycleThroughAHandlerIsLimited) {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("program", R"(
func @f(e: ref, c: i1) -> i64 {
entry:
  branch %c, a, b
a:
  %t = enter handler, body
body:
  throw %e
handler:
  pop_exception %t
  jump b
b:
  jump a
}
)"));
  ASSERT_TRUE(parsed);
  const Function& f = parsed->module->function(FuncId{0});
  const Graph graph = lift(f);
  Evaluator evaluator;
  evaluator.limits.memory = 1 << 20;
  evaluator.reset(graph, &f);
  const Value arguments[] = {Value(ref, 1), Value(true)};
  const Evaluation end = evaluator.run(std::span<const Value>(arguments));
  EXPECT_EQ(end.kind, Evaluation::Kind::timeout);
  EXPECT_EQ(end.message, "too many back edges");
}

/// Spoils a store once, as a wrong rewrite would.
class StoreSpoiler final : public RewriteObserver {
 public:
  StoreSpoiler(Graph& graph, uint64_t step) : graph_(graph), step_(step) {}
  bool rewritten(Rewrite rewrite, NodeId at) override {
    if (--step_ != 0) return true;
    spoiled = rewrite;
    where = at;
    for (uint32_t i = 0; i < graph_.size(); ++i)
      if (NodeId n = static_cast<NodeId>(i); graph_.is(n, Op::store))
        graph_.set_input(n, 2, graph_.make_constant(i64, 4711));
    return true;
  }
  Rewrite spoiled{};
  NodeId where = no_node;

 private:
  Graph& graph_;
  uint64_t step_;
};

TEST(SeaEvaluateRandom, AWrongStepIsNamedInAProgramWithMemoryCallsAndHandlers) {
  const std::string text = R"(
func @f(n: i64) -> i64 {
entry:
  %slot = stack_slot 8, 8
  %zero = mul i64 %n, 0
  %same = add i64 %n, %zero
  %more = add i64 %same, 5
  store i64 %more, %slot
  %token = enter caught, body
body:
  %read = load i64 %slot
  %twice = call @twice(%read)
  %checked = check_zero i64 %twice
  leave %token
  ret %checked
caught:
  ret -1
}
func @twice(x: i64) -> i64 {
entry:
  %r = add i64 %x, %x
  ret %r
}
)";
  for (uint64_t step : {1, 2}) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("program", text));
    ASSERT_TRUE(parsed);
    const Function& f = parsed->module->function(FuncId{0});
    Graph graph = lift(f);
    StoreSpoiler spoiler(graph, step);
    StepsMeanTheSame steps;
    steps.options.optimise.observer = &spoiler;
    const int64_t arguments[] = {1, -5};
    StepReport report = steps.check(graph, f, arguments);
    ASSERT_TRUE(report.fault) << step;
    EXPECT_EQ(report.fault->step, step);
    EXPECT_EQ(report.fault->rewrite, spoiler.spoiled);
    EXPECT_EQ(report.fault->at, spoiler.where);
    EXPECT_EQ(report.fault->change.before, "12");
    EXPECT_EQ(report.fault->change.after, "9422");
  }
}

}  // namespace
}  // namespace braid::sea
