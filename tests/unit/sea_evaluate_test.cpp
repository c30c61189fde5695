// The evaluator on graphs made by hand: order of phis, once per visit, limits, calls, faults. Random programs
// are in sea_simple_random_test.cpp.
#include "sea/evaluate.h"

#include <gtest/gtest.h>

#include "growth.h"
#include "sea_testing.h"
#include "small_stack.h"

namespace braid::sea {
namespace {

using ir::Op;
using Kind = Evaluation::Kind;

int64_t value_of(Evaluator& e, int64_t argument) {
  Evaluation result = e.run(argument);
  EXPECT_EQ(result.kind, Kind::value) << to_string(result);
  return static_cast<int64_t>(result.bits);
}

/// i = 0; s = 0; while (i < arg) { s = s + i; i = i + 1; } return s;
struct SumLoop {
  explicit SumLoop(ir::Module& module) : h(module) {
    NodeId head = h.loop(h.control);
    i = h.phi(head, {h.number(0), no_node});
    s = h.phi(head, {h.number(0), no_node});
    h.control = head;
    NodeId test = h.branch(h.op(Op::slt, i, h.parameters[0]));
    h.g.set_input(s, 2, h.add(s, i));
    h.g.set_input(i, 2, h.add(i, h.number(1)));
    h.g.set_input(head, 1, h.way(test, 0));
    h.control = h.way(test, 1);
    h.ret(s);
  }
  HandGraph h;
  NodeId i, s;
};

TEST(SeaEvaluate, Straight) {
  ir::Module module;
  HandGraph h(module);
  h.ret(h.add(h.op(Op::mul, h.parameters[0], h.number(3)), h.number(1)));
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 5), 16);
  EXPECT_EQ(value_of(e, -2), -5);
  EXPECT_EQ(to_string(e.run(7)), "22");
}

TEST(SeaEvaluate, LoopsAndTheirLimit) {
  ir::Module module;
  SumLoop loop(module);
  Evaluator e;
  e.reset(loop.h.g);
  EXPECT_EQ(value_of(e, 0), 0);
  EXPECT_EQ(value_of(e, 10), 45);
  EXPECT_EQ(e.back_edges(), 10u);
  EXPECT_EQ(value_of(e, 1000), 499500);
  EXPECT_EQ(e.run(1001).kind, Kind::timeout);
  EXPECT_EQ(e.back_edges(), 1000u);
  e.limits.back_edges = 1001;
  EXPECT_EQ(value_of(e, 1001), 500500);
}

TEST(SeaEvaluate, PhisAreReadBeforeTheyAreWritten) {
  ir::Module module;
  for (bool swapped : {false, true}) {
    // (a, b, n) = (b, a, n - 1), with the phis made in both orders
    HandGraph h(module);
    NodeId head = h.loop(h.control);
    NodeId a = h.phi(head, {h.number(swapped ? 2 : 1), no_node});
    NodeId b = h.phi(head, {h.number(swapped ? 1 : 2), no_node});
    NodeId n = h.phi(head, {h.parameters[0], no_node});
    NodeId last = h.phi(head, {h.number(0), n});
    h.g.set_input(a, 2, b);
    h.g.set_input(b, 2, a);
    h.g.set_input(n, 2, h.op(Op::sub, n, h.number(1)));
    h.control = head;
    NodeId test = h.branch(n);
    h.g.set_input(head, 1, h.way(test, 0));
    h.control = h.way(test, 1);
    NodeId pair = h.add(h.op(Op::mul, swapped ? b : a, h.number(10)), swapped ? a : b);
    h.ret(h.add(h.op(Op::mul, pair, h.number(100)), last));
    Evaluator e;
    e.reset(h.g);
    EXPECT_EQ(value_of(e, 0), 1200);
    EXPECT_EQ(value_of(e, 1), 2101);
    EXPECT_EQ(value_of(e, 2), 1201);
    EXPECT_EQ(value_of(e, 3), 2101);
  }
}

TEST(SeaEvaluate, ProjectionZeroIsTrue) {
  ir::Module module;
  HandGraph h(module);
  NodeId test = h.branch(h.op(Op::slt, h.parameters[0], h.number(5)));
  NodeId join = h.region({h.way(test, 0), h.way(test, 1)});
  h.control = join;
  h.ret(h.phi(join, {h.number(10), h.number(20)}));
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 4), 10);
  EXPECT_EQ(value_of(e, 5), 20);
}

TEST(SeaEvaluate, EveryNodeOncePerVisitOfItsRegion) {
  ir::Module module;
  // Two loops in one another; `big` depends on the parameter alone, `outer` on the outer counter, `inner` on
  // both. Both arms of a condition and what comes after it ask for all of them.
  HandGraph h(module);
  NodeId big = h.parameters[0];
  for (int k = 0; k < 40; ++k) big = h.op(Op::mul, big, big);
  NodeId head = h.loop(h.control);
  NodeId i = h.phi(head, {h.number(0), no_node});
  h.control = head;
  NodeId outer_test = h.branch(h.op(Op::slt, i, h.number(7)));
  NodeId inner_head = h.loop(h.way(outer_test, 0));
  NodeId j = h.phi(inner_head, {h.number(0), no_node});
  NodeId s = h.phi(inner_head, {h.number(0), no_node});
  NodeId outer = h.op(Op::xor_, i, big);
  NodeId inner = h.op(Op::xor_, h.add(j, outer), big);
  h.control = inner_head;
  NodeId inner_test = h.branch(h.op(Op::slt, j, h.number(11)));
  h.control = h.way(inner_test, 0);
  NodeId choice = h.branch(h.op(Op::and_, j, h.number(1)));
  NodeId join = h.region({h.way(choice, 0), h.way(choice, 1)});
  NodeId picked = h.phi(join, {h.add(inner, outer), h.op(Op::sub, inner, big)});
  h.g.set_input(s, 2, h.add(h.add(s, picked), h.op(Op::or_, inner, outer)));
  h.g.set_input(j, 2, h.add(j, h.number(1)));
  h.g.set_input(inner_head, 1, join);
  NodeId sum = h.phi(head, {h.number(0), no_node});
  h.g.set_input(sum, 2, h.add(sum, s));
  h.g.set_input(i, 2, h.add(i, h.number(1)));
  h.g.set_input(head, 1, h.way(inner_test, 1));
  h.control = h.way(outer_test, 1);
  h.ret(sum);

  uint64_t x = 3;
  for (int k = 0; k < 40; ++k) x *= x;
  uint64_t expected = 0;
  for (uint64_t a = 0; a < 7; ++a) {
    uint64_t t = 0;
    for (uint64_t b = 0; b < 11; ++b) {
      uint64_t o = a ^ x, in = (b + o) ^ x;
      t += ((b & 1) != 0 ? in + o : in - x) + (in | o);
    }
    expected += t;
  }
  Evaluator e;
  e.reset(h.g);
  e.count_computed(true);
  EXPECT_EQ(static_cast<uint64_t>(value_of(e, 3)), expected);
  // big: 40. Per outer round: the test, outer, sum, i. Per inner round: the test, add and xor of inner, the
  // condition, picked, two sums, or, j. Both tests once more.
  constexpr uint64_t least = 40 + 7 * 4 + 77 * 9 + 1 + 7;
  EXPECT_EQ(e.computed(), least);
  uint64_t first = e.computed();
  EXPECT_EQ(static_cast<uint64_t>(value_of(e, 3)), expected);
  EXPECT_EQ(e.computed() - first, least);
}

TEST(SeaEvaluate, AJoinAsksForWhatOnlyOneArmComputed) {
  ir::Module module;
  // The first round takes the arm that computes `shared`; later ones take the other arm, and the join needs
  // it all the same.
  HandGraph h(module);
  NodeId head = h.loop(h.control);
  NodeId i = h.phi(head, {h.number(0), no_node});
  NodeId s = h.phi(head, {h.number(0), no_node});
  NodeId deep = i;
  for (int k = 0; k < 30; ++k) deep = h.add(deep, deep);
  h.control = head;
  NodeId test = h.branch(h.op(Op::slt, i, h.parameters[0]));
  h.control = h.way(test, 0);
  NodeId choice = h.branch(i);
  NodeId join = h.region({h.way(choice, 1), h.way(choice, 0)});
  NodeId picked = h.phi(join, {deep, i});
  h.control = join;
  NodeId late = h.region({join});
  h.g.set_input(s, 2, h.add(h.add(s, picked), deep));
  h.g.set_input(i, 2, h.add(i, h.number(1)));
  h.g.set_input(head, 1, late);
  h.control = h.way(test, 1);
  h.ret(s);
  Evaluator e;
  e.reset(h.g);
  e.count_computed(true);
  int64_t expected = 0;
  for (int64_t k = 0; k < 20; ++k) expected += (k == 0 ? k << 30 : k) + (k << 30);
  EXPECT_EQ(value_of(e, 20), expected);
  EXPECT_LE(e.computed(), 21u * 40);
}

TEST(SeaEvaluate, OtherWidthsAndFloats) {
  ir::Module module;
  HandGraph h(module);
  NodeId narrow = h.g.make(Op::trunc, i8, {h.parameters[0]});
  NodeId sum = h.g.make(Op::add, i8, {narrow, narrow});
  NodeId wide = h.g.make(Op::sext, i64, {sum});
  NodeId real = h.g.make(Op::sitofp, f64, {wide});
  NodeId half = h.g.make(Op::fdiv, f64, {real, h.g.make_constant(f64, std::bit_cast<uint64_t>(2.0))});
  NodeId back = h.g.make(Op::fptosi, i64, {half});
  NodeId small = h.g.make(Op::slt, i1, {narrow, h.g.make_constant(i8, 5)});
  h.ret(h.g.make(Op::select, i64, {small, back, h.parameters[0]}));
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 4), 4);
  EXPECT_EQ(value_of(e, -100), 28);  // -200 wraps to 56
  EXPECT_EQ(value_of(e, 77), 77);
}

TEST(SeaEvaluate, FallingThrough) {
  ir::Module module;
  HandGraph h(module);
  NodeId test = h.branch(h.parameters[0]);
  h.control = h.way(test, 0);
  h.ret(h.number(1));
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 1), 1);
  EXPECT_EQ(to_string(e.run(int64_t{0})), "fallthrough");

  HandGraph empty(module);
  e.reset(empty.g);
  EXPECT_EQ(e.run(int64_t{0}).kind, Kind::fallthrough);
  e.limits.timeout_without_return = true;
  EXPECT_EQ(to_string(e.run(int64_t{0})), "timeout");
}

TEST(SeaEvaluate, Switch) {
  ir::Module module;
  HandGraph h(module);
  uint32_t cases[] = {module.constant(i64, 5).word(), module.constant(i64, -3).word()};
  NodeId choice = h.g.make(Op::switch_, control_type, {h.control, h.parameters[0]}, h.g.payload_of(cases));
  NodeId join = h.region({h.way(choice, 0), h.way(choice, 1), h.way(choice, 2)});
  h.control = join;
  h.ret(h.phi(join, {h.number(10), h.number(20), h.parameters[0]}));
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 4), 10);
  EXPECT_EQ(value_of(e, 5), 20);
  EXPECT_EQ(value_of(e, -3), -3);
}

/// f(n) = n < 2 ? n : f(n - 1) + f(n - 2)
void make_fibonacci(HandGraph& h, ir::FuncId self) {
  NodeId n = h.parameters[0];
  NodeId test = h.branch(h.op(Op::slt, n, h.number(2)));
  h.control = h.way(test, 0);
  h.ret(n);
  h.control = h.way(test, 1);
  NodeId first = h.call(self, h.g.start, {h.op(Op::sub, n, h.number(1))});
  NodeId second = h.call(self, first, {h.op(Op::sub, n, h.number(2))});
  h.ret(h.add(first, second), second);
}

TEST(SeaEvaluate, Recursion) {
  ir::Module module;
  HandGraph h(module);
  ir::FuncId self = static_cast<ir::FuncId>(0);
  make_fibonacci(h, self);
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(e.run(5).kind, Kind::not_evaluated);
  e.define(self, h.g);
  EXPECT_EQ(value_of(e, 20), 6765);
  e.limits.calls = 100;
  EXPECT_EQ(e.run(20).kind, Kind::timeout);
  e.limits.calls = 1'000'000;
  e.limits.depth = 10;
  EXPECT_EQ(e.run(20).kind, Kind::timeout);
  EXPECT_EQ(value_of(e, 10), 55);
}

TEST(SeaEvaluate, FramesThatGrowAfterACall) {
  // f(n): if (n) r = f(n - 1) else r = 0; two regions later: r + n * 5 + n * 3. The innermost frame records
  // the blocks behind the call first, and leaves its values where the frames below it grow. What stands
  // before the call moves them about.
  for (uint32_t padding = 0; padding < 12; ++padding) {
    ir::Module module;
    HandGraph h(module);
    ir::FuncId self = static_cast<ir::FuncId>(0);
    NodeId n = h.parameters[0], next_n = h.op(Op::sub, n, h.number(1 + static_cast<int64_t>(padding)));
    for (uint32_t i = 0; i < padding; ++i) next_n = h.add(next_n, h.number(1));
    NodeId test = h.branch(n);
    h.control = h.way(test, 0);
    NodeId inner = h.call(self, h.g.start, {next_n});
    NodeId join = h.region({h.control, h.way(test, 1)});
    NodeId r = h.phi(join, {inner, h.number(0)});
    NodeId effect = h.g.make(Op::phi, void_type, {join, inner, h.g.start});
    NodeId next = h.region({join});
    NodeId last = h.region({next});
    NodeId product = h.op(Op::mul, n, h.number(5));
    NodeId carried = h.phi(last, {h.add(product, h.op(Op::mul, n, h.number(3)))});
    h.control = last;
    h.ret(h.add(r, carried), effect);
    for (int64_t k : {0, 1, 2, 5, 50}) {
      Evaluator e;
      e.reset(h.g);
      e.define(self, h.g);
      EXPECT_EQ(value_of(e, k), 8 * k * (k + 1) / 2) << k << ", " << padding;
      EXPECT_EQ(value_of(e, 3), 48) << k << ", " << padding;
    }
  }
}

TEST(SeaEvaluate, HostCallsComeInTheOrderOfTheirEffects) {
  ir::Module module;
  HandGraph h(module);
  // Made in the opposite order of the chain.
  ir::FuncId host = module.add_function(module.symbol("see"), {{i64}, i64}, true).id();
  NodeId third = h.call(host, h.g.start, {h.number(3)});
  NodeId second = h.call(host, h.g.start, {h.number(2)});
  NodeId first = h.call(host, h.g.start, {h.number(1)});
  h.g.set_input(second, 1, first);
  h.g.set_input(third, 1, second);
  h.ret(h.add(first, h.add(second, third)), third);
  Evaluator e;
  std::vector<int64_t> seen;
  ir::SimpleRuntime runtime;
  runtime.bind("see", [&](ir::HostCall& call) -> ir::HostResult {
    seen.push_back(call.arguments[0].as_i64());
    return Value(call.arguments[0].as_i64() * 10);
  });
  e.runtime = &runtime;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 0), 60);
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 3}));
}

TEST(SeaEvaluate, ChecksThatHoldAndThoseThatThrow) {
  ir::Module module;
  HandGraph h(module);
  NodeId checked = h.g.make(Op::check_zero, i64, {h.control, h.g.start, h.parameters[0]});
  h.ret(h.op(Op::sdiv, h.number(100), checked), checked);
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(value_of(e, 7), 14);
  Evaluation thrown = e.run(int64_t{0});
  EXPECT_EQ(thrown.kind, Kind::exception);
  EXPECT_EQ(to_string(thrown), "throws zero");
  EXPECT_EQ(thrown.at, checked);
}

TEST(SeaEvaluate, GraphsThatAreNotValid) {
  ir::Module module;
  Evaluator e;
  EXPECT_EQ(e.run(1).kind, Kind::not_evaluated);
  Graph without_start(module);
  e.reset(without_start);
  EXPECT_EQ(e.run(1).kind, Kind::not_evaluated);

  HandGraph missing(module);
  NodeId hole = missing.g.make(Op::add, i64, {missing.parameters[0], no_node});
  missing.ret(hole);
  e.reset(missing.g);
  EXPECT_EQ(to_string(e.run(1)), "not evaluated: add: an input is missing");

  HandGraph circle(module);
  NodeId a = circle.add(circle.parameters[0], circle.parameters[0]);
  NodeId b = circle.add(a, circle.parameters[0]);
  circle.g.set_input(a, 1, b);
  circle.ret(b);
  e.reset(circle.g);
  EXPECT_EQ(to_string(e.run(1)), "not evaluated: add: the value depends on itself");
  EXPECT_EQ(to_string(e.run(1)), "not evaluated: add: the value depends on itself");

  HandGraph memory(module);
  NodeId load = memory.g.make(Op::load, i64, {memory.control, memory.g.start, memory.parameters[0]});
  memory.ret(load);
  e.reset(memory.g);
  EXPECT_EQ(to_string(e.run(1)), "traps: bad address");

  HandGraph other(module);
  other.ret(other.parameters[0]);
  e.reset(other.g);
  uint64_t two[] = {1, 2};
  EXPECT_EQ(e.run(1).kind, Kind::value);
  EXPECT_EQ(e.run(two).kind, Kind::not_evaluated);
}

TEST(SeaEvaluate, CyclesOfPlainRegionsEnd) {
  ir::Module module;
  HandGraph h(module);
  NodeId test = h.branch(h.parameters[0]);
  NodeId left = h.region({h.way(test, 0), no_node}), right = h.region({h.way(test, 1), left});
  h.g.set_input(left, 1, right);
  Evaluator e;
  e.reset(h.g);
  EXPECT_EQ(e.run(1).kind, Kind::timeout);
  EXPECT_EQ(e.run(int64_t{0}).kind, Kind::timeout);
}

/// Doubling again and again, without sharing being seen: 2^n ways through the graph.
TEST(SeaEvaluate, GrowthOfSharedValues) {
  for (Op op : {Op::add, Op::mul}) {
    double ratio = growth_ratio(
        100'000,
        [&](size_t size) {
          auto module = std::make_unique<ir::Module>();
          auto h = std::make_unique<HandGraph>(*module);
          NodeId x = h->parameters[0];
          for (size_t k = 0; k < size; ++k) x = h->op(op, x, x);
          h->ret(x);
          return std::pair(std::move(module), std::move(h));
        },
        [](auto& input) {
          Evaluator e;
          e.reset(input.second->g);
          EXPECT_TRUE(e.run(3).is_value());
        });
    EXPECT_LT(ratio, 3.0);
  }
}

/// Conditions one after another, each asking for one more link of a chain that depends on the parameter
/// alone.
TEST(SeaEvaluate, GrowthOfChainsThatManyBlocksAskFor) {
  double ratio = growth_ratio(
      20'000,
      [](size_t size) {
        auto module = std::make_unique<ir::Module>();
        auto h = std::make_unique<HandGraph>(*module);
        NodeId x = h->parameters[0], v = h->parameters[0];
        for (size_t k = 0; k < size; ++k) {
          x = h->add(x, h->number(1));
          NodeId test = h->branch(h->op(Op::eq, x, h->number(7)));
          NodeId join = h->region({h->way(test, 0), h->way(test, 1)});
          h->control = join;
          v = h->phi(join, {h->add(v, x), v});
        }
        h->ret(v);
        return std::pair(std::move(module), std::move(h));
      },
      [](auto& input) {
        Evaluator e;
        e.reset(input.second->g);
        EXPECT_TRUE(e.run(3).is_value());
      });
  EXPECT_LT(ratio, 3.0);
}

TEST(SeaEvaluate, DeepGraphsNeedNoStack) {
  ir::Module module;
  HandGraph h(module);
  NodeId x = h.parameters[0];
  for (int k = 0; k < 300'000; ++k) x = h.add(x, h.number(1));
  h.ret(x);
  HandGraph f(module);
  ir::FuncId self = static_cast<ir::FuncId>(0);
  NodeId test = f.branch(f.parameters[0]);
  f.control = f.way(test, 1);
  f.ret(f.number(0));
  f.control = f.way(test, 0);
  NodeId inner = f.call(self, f.g.start, {f.op(Op::sub, f.parameters[0], f.number(1))});
  f.ret(f.add(inner, f.number(2)), inner);
  run_on_small_stack([&] {
    Evaluator e;
    e.reset(h.g);
    EXPECT_EQ(value_of(e, 1), 300'001);
    e.reset(f.g);
    e.define(self, f.g);
    EXPECT_EQ(value_of(e, 99'000), 198'000);
  });
}

}  // namespace
}  // namespace braid::sea
