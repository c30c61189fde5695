// Landing graphs that no function was lifted to: comparisons that are integers, branches on integers, control
// that ends.
#include "sea/land.h"

#include <gtest/gtest.h>

#include <random>

#include "interp/interpreter.h"
#include "ir/verify.h"
#include "sea/build.h"
#include "sea/evaluate.h"
#include "sea/peepholes.h"
#include "sea_testing.h"
#include "text/print.h"

namespace braid::sea {
namespace {

using namespace ir;

Function& declare(Module& module, uint32_t parameters = 1) {
  return module.add_function(module.symbol("f"), {std::vector<Type>(parameters, i64), i64});
}

std::string landed(const Graph& graph, Function& f) {
  land(graph, f);
  std::vector<Finding> findings = verify(f);
  std::string text = text::to_text(f);
  EXPECT_TRUE(findings.empty()) << findings[0].message << "\n" << text;
  EXPECT_TRUE(f.is_at_rest());
  return text;
}

int64_t run(const Function& f, int64_t argument) {
  interp::Interpreter interpreter(f.module(), {});
  Value value(argument);
  interp::Outcome outcome = interpreter.run(f, {&value, 1});
  EXPECT_EQ(outcome.kind, interp::OutcomeKind::value) << interp::to_string(outcome);
  return outcome.kind == interp::OutcomeKind::value ? outcome.value.as_i64() : -1;
}

TEST(SeaLand, AComparisonIsWidenedWhereItsValueIsNeeded) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId less = h.op(Op::slt, h.parameters[0], h.number(5));
  NodeId test = h.branch(less);
  h.control = h.way(test, 0);
  h.ret(h.add(less, h.number(10)));
  h.control = h.way(test, 1);
  h.ret(h.number(7));
  EXPECT_EQ(landed(h.g, f),
            "func @f(arg0: i64) -> i64 {\nb0:\n  %0 = slt i64 %arg0, 5\n  %1 = zext i1 %0 to i64\n  branch "
            "%0, b1, b2\n"
            "b1:\n  %3 = add i64 %1, 10\n  ret %3\nb2:\n  ret 7\n}\n");
  EXPECT_EQ(run(f, 4), 11);
  EXPECT_EQ(run(f, 5), 7);
}

TEST(SeaLand, AnAskedComparisonStaysNarrow) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId zero = h.g.make(NodeOp::is_zero, i64, {h.op(Op::slt, h.parameters[0], h.number(5))});
  NodeId test = h.branch(zero);
  h.control = h.way(test, 0);
  h.ret(h.number(1));
  h.control = h.way(test, 1);
  h.ret(h.number(2));
  EXPECT_EQ(landed(h.g, f),
            "func @f(arg0: i64) -> i64 {\nb0:\n  %0 = slt i64 %arg0, 5\n  %1 = eq i1 %0, false\n  branch %1, "
            "b1, b2\n"
            "b1:\n  ret 1\nb2:\n  ret 2\n}\n");
  EXPECT_EQ(run(f, 4), 2);
  EXPECT_EQ(run(f, 5), 1);
}

TEST(SeaLand, BranchesAskIntegersAndConstants) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId test = h.branch(h.parameters[0]);
  h.control = h.way(test, 0);
  NodeId known = h.branch(h.number(-4));
  NodeId zero = h.way(test, 1);
  h.control = h.way(known, 0);
  h.ret(h.g.make(NodeOp::is_zero, i64, {h.parameters[0]}));
  h.control = h.region({zero, h.way(known, 1)});
  h.ret(h.number(9));
  std::string text = landed(h.g, f);
  EXPECT_NE(text.find("%0 = ne i64 %arg0, 0"), std::string::npos) << text;
  EXPECT_NE(text.find("branch true,"), std::string::npos) << text;
  EXPECT_EQ(run(f, 3), 0);
  EXPECT_EQ(run(f, 0), 9);
}

TEST(SeaLand, WhereControlEndsItSaysSo) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId test = h.branch(h.parameters[0]);
  h.control = h.way(test, 0);
  h.ret(h.number(1));
  h.g.keep(h.way(test, 1));
  std::string text = landed(h.g, f);
  EXPECT_NE(text.find("unreachable !end"), std::string::npos) << text;
  EXPECT_EQ(run(f, 3), 1);
}

TEST(SeaLand, AWayOutThatIsGoneEndsWithoutATerminator) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId test = h.branch(h.parameters[0]);
  h.control = h.way(test, 1);
  h.ret(h.number(4));
  std::string text = landed(h.g, f);
  EXPECT_NE(text.find("unreachable !end\n"), std::string::npos) << text;
  EXPECT_EQ(run(f, 0), 4);
}

TEST(SeaLand, AnEndlessLoopWithoutAnExitKeepsItsCalls) {
  Module module;
  Function& tick = module.add_function(module.symbol("tick"), {{i64}, i64}, true);
  Function& f = declare(module);
  HandGraph h(module);
  NodeId head = h.loop(h.control);
  NodeId effect = h.g.make(Op::phi, void_type, {head, h.g.start, no_node});
  h.control = head;
  NodeId call = h.call(tick.id(), effect, {h.parameters[0]});
  h.g.set_input(effect, 2, call);
  h.g.set_input(head, 1, head);
  EXPECT_EQ(landed(h.g, f),
            "func @f(arg0: i64) -> i64 {\nb0:\n  jump b1\nb1:\n  %1 = call @tick(%arg0)\n  jump b1\n}\n");
}

TEST(SeaLand, LinksComeInTheOrderOfTheChain) {
  Module module;
  Function& tick = module.add_function(module.symbol("tick"), {{i64}, i64}, true);
  Function& f = declare(module);
  HandGraph h(module);
  NodeId second = h.call(tick.id(), h.g.start, {h.number(2)});
  NodeId first = h.call(tick.id(), h.g.start, {h.number(1)});
  h.g.set_input(second, 1, first);
  h.ret(h.number(0), second);
  EXPECT_EQ(landed(h.g, f),
            "func @f(arg0: i64) -> i64 {\nb0:\n  %0 = call @tick(1)\n  %1 = call @tick(2)\n  ret 0\n}\n");
}

TEST(SeaLand, DeadWaysIntoARegionAreNoColumns) {
  Module module;
  Function& f = declare(module);
  HandGraph h(module);
  NodeId nobody = h.g.make(NodeOp::region, none, {});
  NodeId test = h.branch(h.parameters[0]);
  NodeId region = h.region({nobody, h.way(test, 1), h.way(test, 0)});
  NodeId phi = h.phi(region, {h.number(1), h.number(2), h.number(3)});
  h.control = region;
  h.ret(phi);
  EXPECT_EQ(landed(h.g, f),
            "func @f(arg0: i64) -> i64 {\nb0:\n  %0 = ne i64 %arg0, 0\n  branch %0, b1, b1\nb1:\n"
            "  %2 = phi i64 [b0: 3, b0: 2]\n  ret %2\n}\n");
  EXPECT_EQ(run(f, 8), 3);
  EXPECT_EQ(run(f, 0), 2);
}

// ---- random programs ----

/// Straight into a graph, as a parser would: ifs, loops that end, breaks, continues, returns.
class RandomBuild {
 public:
  RandomBuild(Graph& graph, uint32_t seed)
      : builder_(graph, none_, {.single_region = seed % 2 == 0}), random_(seed) {}

  void run() {
    Module& module = builder_.graph().module();
    NodeId argument = builder_.parameter(module.symbol("arg"));
    builder_.scopes().open_level();
    for (uint32_t i = 0; i < names; ++i)
      builder_.scopes().define(module.symbol("v" + std::to_string(i)), i64,
                               i == 0 ? argument : builder_.constant(i));
    statements(4);
    builder_.ret(value(3));
    builder_.finish();
  }

 private:
  static constexpr uint32_t names = 5;

  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint32_t slot(uint32_t i) {
    return builder_.scopes().find(builder_.graph().module().symbol("v" + std::to_string(i)));
  }
  NodeId name() { return builder_.scopes().lookup(slot(pick(names))); }

  NodeId value(uint32_t depth) {
    if (depth == 0 || pick(4) == 0)
      return pick(3) == 0 ? builder_.constant(static_cast<int64_t>(pick(7)) - 3) : name();
    constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::sdiv, Op::slt,
                          Op::sle, Op::eq,  Op::ne,  Op::and_, Op::xor_};
    if (pick(6) == 0) return builder_.is_zero(value(depth - 1));
    if (pick(8) == 0) return builder_.unary(Op::neg, value(depth - 1));
    // Nothing holds an operand while the next one is built but the graph's own count.
    NodeId left = value(depth - 1);
    builder_.graph().keep(left);
    NodeId right = value(depth - 1);
    NodeId made = builder_.binary(ops[pick(std::size(ops))], left, right);
    builder_.graph().unkeep(left);
    return made;
  }

  void statements(uint32_t depth) {
    for (uint32_t count = 1 + pick(4); count > 0 && builder_.reachable(); --count) statement(depth);
  }
  void statement(uint32_t depth) {
    switch (depth == 0 ? 0 : pick(8)) {
      case 4:
      case 5:
        builder_.if_(value(2));
        statements(depth - 1);
        builder_.else_();
        if (pick(2) == 0) statements(depth - 1);
        ASSERT_TRUE(builder_.end_if());
        break;
      case 6:
        builder_.loop();
        builder_.loop_while(pick(12) == 0 ? builder_.constant(1) : value(2));
        statements(depth - 1);
        if (builder_.reachable() && pick(2) == 0) builder_.scopes().assign(slot(0), builder_.constant(0));
        builder_.end_loop();
        break;
      case 7:
        if (builder_.in_loop() && pick(2) == 0) {
          builder_.if_(value(1));
          pick(2) == 0 ? builder_.break_() : builder_.continue_();
          builder_.else_();
          ASSERT_TRUE(builder_.end_if());
        } else if (pick(4) == 0) {
          builder_.if_(value(2));
          builder_.ret(value(2));
          builder_.else_();
          ASSERT_TRUE(builder_.end_if());
        }
        break;
      default: builder_.scopes().assign(slot(pick(names)), value(3));
    }
  }

  NoPeepholes none_;
  Builder builder_;
  std::mt19937 random_;
};

TEST(SeaLand, RandomProgramsRunAsTheirGraphs) {
  uint32_t values = 0, timeouts = 0, falls = 0, blocks = 0, widened = 0;
  for (uint32_t seed = 0; seed < 4'000; ++seed) {
    Module module;
    Function& f = declare(module);
    Graph graph(module);
    RandomBuild(graph, seed).run();
    ASSERT_EQ(graph.check(), "");
    std::string text = landed(graph, f);
    if (HasFailure()) FAIL() << "seed " << seed;
    blocks += f.block_count();
    for (uint32_t i = 0; i < f.size(); ++i) widened += f.columns().stmt(i).op == Op::zext;
    Evaluator evaluator;
    evaluator.reset(graph);
    interp::RunOptions options;
    options.max_steps = 20'000;
    interp::Interpreter interpreter(module, options);
    for (int64_t argument : {int64_t{0}, int64_t{1}, int64_t{-7}, int64_t{seed}}) {
      Evaluation expected = evaluator.run(argument);
      Value value(argument);
      interp::Outcome outcome = interpreter.run(f, {&value, 1});
      switch (expected.kind) {
        case Evaluation::Kind::value:
          ++values;
          if (outcome.kind == interp::OutcomeKind::limit) break;
          ASSERT_EQ(outcome.kind, interp::OutcomeKind::value) << "seed " << seed << "\n" << text;
          ASSERT_EQ(outcome.value.as_i64(), static_cast<int64_t>(expected.bits)) << "seed " << seed << "\n"
                                                                                 << text;
          break;
        case Evaluation::Kind::timeout: ++timeouts; break;
        case Evaluation::Kind::fallthrough: ++falls; break;
        default: FAIL() << to_string(expected);
      }
    }
  }
  std::printf("%u values, %u timeouts, %u ends without return; %u blocks, %u comparisons widened\n", values,
              timeouts, falls, blocks, widened);
  EXPECT_GE(values, 8'000u);
  EXPECT_GE(blocks, 20'000u);
  EXPECT_GE(widened, 5'000u);
}

}  // namespace
}  // namespace braid::sea
