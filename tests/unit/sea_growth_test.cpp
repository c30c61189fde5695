// Lifting, scheduling and landing grow with the function, whatever its shape, and use no native stack.
#include <gtest/gtest.h>

#include <memory>

#include "growth.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "one_function.h"
#include "sea/land.h"
#include "sea/lift.h"
#include "sea/optimise.h"
#include "sea/print_text.h"
#include "small_stack.h"

namespace braid::sea {
namespace {

using namespace ir;

#ifdef NDEBUG
constexpr size_t large = 1'000'000;
#else
constexpr size_t large = 100'000;
#endif

struct Subject : OneFunction {
  Subject() : OneFunction({{i64, ptr}, i64}) {}
  Operand number(int64_t n) { return module.constant(i64, n); }
  Operand add(BlockId b, Operand x, Operand y) { return f->append(b, f->make(Op::add, i64, {x, y})); }
  Operand test(BlockId b, Operand x, int64_t n) { return f->append(b, f->make(Op::slt, i1, {x, number(n)})); }
};
using Made = std::unique_ptr<Subject>;

Made straight_line(size_t count) {
  auto s = std::make_unique<Subject>();
  BlockId b = s->f->new_block();
  Operand x = Operand::param(0);
  for (size_t i = 0; i < count; ++i) x = s->add(b, x, s->number(static_cast<int64_t>(i % 100)));
  s->f->ret(b, x);
  return s;
}

Made diamonds(size_t count) {
  auto s = std::make_unique<Subject>();
  Function& f = *s->f;
  BlockId b = f.new_block();
  Operand x = Operand::param(0);
  for (size_t i = 0; i < count / 5; ++i) {
    BlockId left = f.new_block(), right = f.new_block(), below = f.new_block();
    Operand twice = s->add(b, x, x);
    f.branch(b, s->test(b, x, static_cast<int64_t>(i)), left, right);
    Operand l = s->add(left, twice, s->number(1));
    f.jump(left, below);
    f.jump(right, below);
    x = f.append(below, f.make(Op::phi, i64, {l, twice}));
    b = below;
  }
  f.ret(b, x);
  return s;
}

/// Each loop in the one before; every value of the innermost depends on the parameters only.
Made nested_loops(size_t count) {
  auto s = std::make_unique<Subject>();
  Function& f = *s->f;
  size_t depth = count / 10;
  std::vector<BlockId> heads, outs;
  BlockId b = f.new_block();
  for (size_t i = 0; i < depth; ++i) {
    heads.push_back(f.new_block());
    outs.push_back(f.new_block());
    f.jump(b, heads.back());
    b = f.new_block();
    f.branch(heads.back(), s->test(heads.back(), Operand::param(0), static_cast<int64_t>(i)), b, outs.back());
  }
  Operand x = Operand::param(0);
  for (size_t i = 0; i < 4 * depth; ++i) {
    x = s->add(b, Operand::param(0), i % 3 == 0 ? x : s->number(1));
    f.append(b, f.make(Op::store, void_type, {x, Operand::param(1)}));
  }
  f.jump(b, heads.back());
  for (size_t i = depth; i-- > 1;) f.jump(outs[i], heads[i - 1]);
  f.ret(outs[0], Operand::param(0));
  return s;
}

/// Many reads of one state, and many links that end it.
Made reads_and_cases(size_t count) {
  auto s = std::make_unique<Subject>();
  Function& f = *s->f;
  BlockId b = f.new_block();
  size_t cases = count / 6;
  uint32_t slot_words[] = {16, 8};
  Operand slot = f.append(b, f.make(Op::stack_slot, ptr, slot_words));
  std::vector<Operand> reads;
  for (size_t i = 0; i < cases; ++i) reads.push_back(f.append(b, f.make(Op::load, i64, {slot})));
  std::vector<Function::Case> targets;
  for (size_t i = 0; i < cases; ++i) targets.push_back({s->number(static_cast<int64_t>(i)), f.new_block()});
  BlockId otherwise = f.new_block();
  f.switch_on(b, Operand::param(0), otherwise, targets);
  f.ret(otherwise, Operand::param(0));
  for (size_t i = 0; i < cases; ++i) {
    BlockId at = targets[i].target;
    f.append(at, f.make(Op::store, void_type, {Operand::param(0), slot}));
    f.ret(at, s->add(at, reads[i], reads[(i * 7919) % cases]));
  }
  return s;
}

/// A long chain of dominators, with values from its top used everywhere below, and checks and calls in
/// between.
Made chain_of_exits(size_t count) {
  auto s = std::make_unique<Subject>();
  Function& f = *s->f;
  BlockId b = f.new_block();
  std::vector<Operand> values;
  for (size_t i = 0; i < 100; ++i)
    values.push_back(s->add(b, Operand::param(0), s->number(static_cast<int64_t>(i))));
  BlockId out = f.new_block();
  std::vector<Operand> at_out;
  for (size_t i = 0; i < count / 4; ++i) {
    BlockId next = f.new_block();
    Operand x = s->add(b, values[i % 100], values[(i * 31) % 100]);
    Operand checked = f.append(b, f.make(Op::check_zero, i64, {x}));
    f.branch(b, s->test(b, checked, 7), out, next);
    at_out.push_back(x);
    b = next;
  }
  f.ret(b, values[0]);
  std::vector<uint32_t> words;
  for (Operand x : at_out) words.push_back(x.word());
  f.ret(out, f.append(out, f.make(Op::phi, i64, words)));
  return s;
}

void round_trip(Subject& s) {
  Function before = *s.f;
  Graph graph = lift(*s.f);
  land(graph, *s.f);
  *s.f = std::move(before);
}

struct Family {
  const char* name;
  Made (*make)(size_t);
};
constexpr Family families[] = {{"straight line", straight_line},
                               {"diamonds", diamonds},
                               {"nested loops", nested_loops},
                               {"reads and cases", reads_and_cases},
                               {"chain of exits", chain_of_exits}};

TEST(SeaGrowth, DoublingNeverTriplesTheTime) {
  for (const Family& family : families) {
    double ratio = growth_ratio(large / 20, family.make, [](Made& s) { round_trip(*s); });
    std::printf("%s: x%.2f per doubling\n", family.name, ratio);
    EXPECT_LT(ratio, 3.0) << family.name;
  }
}

TEST(SeaGrowth, ALargeFunctionOnASmallStack) {
  for (const Family& family : families) {
    Made s = family.make(large);
    ASSERT_TRUE(verify(*s->f).empty()) << family.name;
    std::clock_t start = std::clock();
    run_on_small_stack([&] {
      Graph graph = lift(*s->f);
      land(graph, *s->f);
    });
    std::printf("%s: %u statements in %.2f s\n", family.name, s->f->size(),
                static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_TRUE(verify(*s->f).empty()) << family.name;
  }
}

/// Ends behind tests that are implied by the one before: they die one after the other. As many others stay.
Made implied_ends(size_t count) {
  auto s = std::make_unique<Subject>();
  Function& f = *s->f;
  BlockId b = f.new_block();
  auto end_unless = [&](Operand test) {
    const BlockId more = f.new_block(), out = f.new_block();
    f.branch(b, test, more, out);
    f.ret(out, s->number(static_cast<int64_t>(index(out))));
    b = more;
  };
  for (size_t i = 0; i < count; ++i)
    end_unless(f.append(b, f.make(Op::ne, i1, {Operand::param(0), s->number(-2 * static_cast<int64_t>(i))})));
  std::vector<Operand> all;
  for (size_t i = 0; i < count; ++i) {
    const Operand test = s->test(b, Operand::param(0), static_cast<int64_t>(i) + 5);
    all.push_back(i == 0 ? test : f.append(b, f.make(Op::and_, i1, {all.back(), test})));
  }
  for (Operand test : all) end_unless(test);
  f.ret(b, Operand::param(0));
  return s;
}

class Watching final : public RewriteObserver {
 public:
  explicit Watching(const Graph& graph) : graph_(graph) {}
  bool rewritten(Rewrite, NodeId) override {
    for (uint32_t i = 0; i < graph_.input_count(graph_.stop); ++i) has_gaps |= is_none(graph_.input(graph_.stop, i));
    ++rewrites;
    return true;
  }
  bool has_gaps = false;
  uint64_t rewrites = 0;

 private:
  const Graph& graph_;
};

TEST(SeaGrowth, EndsThatDieOneAfterTheOther) {
  const double ratio = growth_ratio(
      5'000, implied_ends,
      [](Made& s) {
        Graph graph = lift(*s->f);
        optimise(graph);
      },
      2.8);
  EXPECT_LT(ratio, 2.8);
}

/// Whoever watches sees no gaps where they were, and the same comes out.
TEST(SeaGrowth, EndsThatDieLeaveNoGaps) {
  Made s = implied_ends(50);
  Graph plain = lift(*s->f), watched = lift(*s->f);
  Watching watching(watched);
  OptimiseOptions options;
  options.observer = &watching;
  EXPECT_EQ(optimise(watched, options).rewrites, watching.rewrites);
  EXPECT_FALSE(watching.has_gaps);
  optimise(plain);
  EXPECT_EQ(plain.check(), "");
  EXPECT_EQ(print_text(plain), print_text(watched));
  EXPECT_EQ(plain.input_count(plain.stop), 52u) << "those that stay, the first that is implied by nothing, and the last";
  for (uint32_t i = 0; i < plain.input_count(plain.stop); ++i) ASSERT_FALSE(is_none(plain.input(plain.stop, i)));
}

}  // namespace
}  // namespace braid::sea
