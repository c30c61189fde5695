// Graphs that were lifted from random functions, evaluated as they are: what the interpreter says of the linear form, call by
// call, with exceptions, memory, variables and values that may be undefined; also behind the optimiser, after each rewrite.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

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
    std::printf("%u programs, %u runs, %u compared to the end, of which %u end with an exception; %u handlers run, %llu calls\n",
                programs, runs, compared, thrown, handled, static_cast<unsigned long long>(calls));
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
    std::string text = program.make();
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    if (!parsed) return render(parsed.error());
    Module& module = *parsed->module;
    Function& f = module.function(FuncId{0});
    const Function original = f;
    expected_ = runs_.run_all(module, program);
    ++coverage_.programs;
    std::string wrong = check_form(f, program, "with variables");
    for (uint32_t form = 0; form < 2 && wrong.empty(); ++form) {
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
  at_least(coverage.handled, 1'000, "handlers that are run");
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

}  // namespace
}  // namespace braid::sea
