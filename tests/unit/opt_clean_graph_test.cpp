// Clean-up of the graph: what each rule does, random programs before and after, growth.
#include "opt/clean_graph.h"

#include "flow/orders.h"
#include "growth.h"
#include "ir/graph_view.h"
#include "messy_programs.h"
#include "opt/dce.h"
#include "opt_testing.h"
#include "small_stack.h"
#include "ssa/construct.h"

namespace braid::opt {
namespace {

std::string cleaned(const std::string& text) {
  Program p(text);
  clean_graph(p.function());
  p.expect_valid("after clean_graph");
  return p.text();
}

TEST(CleanGraph, EmptyBlocksGoUntilNothingChanges) {
  // Collapsing `left3` makes both ways of `left` alike, which leaves it empty, and so on to the entry.
  EXPECT_EQ(cleaned(R"(
func @f(a: i1, b: i1) -> i64 {
entry:
  branch %a, left, right
left:
  branch %b, left1, left2
left1:
  jump left3
left2:
  jump left3
left3:
  jump join
right:
  jump join
join:
  ret 5
}
)"),
            "func @f(a: i1, b: i1) -> i64 {\nentry:\n  ret 5\n}\n");
}

TEST(CleanGraph, BranchesOnConstantsStay) {
  std::string text = "func @f() -> i64 {\nentry:\n  branch true, one, two\none:\n  ret 1\ntwo:\n  ret 2\n}\n";
  EXPECT_EQ(cleaned(text), text);
}

TEST(CleanGraph, EdgesWithDifferentPhiOperandsAreNotMerged) {
  std::string text =
      "func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, join\na:\n  jump join\njoin:\n  %2 = phi i64 [entry: "
      "2, a: 1]\n"
      "  ret %2\n}\n";
  EXPECT_EQ(cleaned(text), text);
  // Of two such blocks one goes; with the same operands both do, and the branch with them.
  auto two = [](const char* second) {
    return std::string(
               "func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, b\na:\n  jump join\nb:\n  jump "
               "join\njoin:\n") +
           "  %p = phi i64 [a: 1, b: " + second + "]\n  ret %p\n}\n";
  };
  EXPECT_EQ(cleaned(two("2")),
            "func @f(c: i1) -> i64 {\nentry:\n  branch %c, join, b\nb:\n  jump join\njoin:\n"
            "  %2 = phi i64 [entry: 1, b: 2]\n  ret %2\n}\n");
  EXPECT_EQ(cleaned(two("1")), "func @f(c: i1) -> i64 {\nentry:\n  ret 1\n}\n");
}

TEST(CleanGraph, ABranchWithTwoEdgesToOneBlockIsFoldedOnlyWithTheSameOperands) {
  std::string text =
      "func @f(c: i1) -> i64 {\nentry:\n  branch %c, join, join\njoin:\n  %1 = phi i64 [entry: 1, entry: "
      "2]\n  ret %1\n}\n";
  EXPECT_EQ(cleaned(text), text);
  std::string choice =
      "func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, join, [1: join, 2: join]\njoin:\n"
      "  %1 = phi i64 [entry: 1, entry: 1, entry: 2]\n  ret %1\n}\n";
  EXPECT_EQ(cleaned(choice), choice);
  EXPECT_EQ(cleaned("func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, join, [1: join, 2: join]\njoin:\n"
                    "  %1 = phi i64 [entry: 1, entry: 1, entry: 1]\n  ret %1\n}\n"),
            "func @f(n: i64) -> i64 {\nentry:\n  ret 1\n}\n");
}

TEST(CleanGraph, AnEmptyBlockOfManySourcesGoesFromThoseThatAllowIt) {
  EXPECT_EQ(cleaned(R"(
func @f(n: i64) -> i64 {
entry:
  switch i64 %n, a, [1: b, 2: c]
a:
  %x = add i64 %n, 1
  jump empty
b:
  %y = add i64 %n, 2
  jump empty
c:
  %z = eq i64 %n, 7
  branch %z, empty, join
empty:
  jump join
join:
  %p = phi i64 [empty: 3, c: 4]
  ret %p
}
)"),
            "func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, a, [1: b, 2: c]\na:\n  %1 = add i64 %n, 1\n  "
            "jump join\nb:\n"
            "  %3 = add i64 %n, 2\n  jump join\nc:\n  %5 = eq i64 %n, 7\n  branch %5, empty, join\nempty:\n  "
            "jump join\njoin:\n"
            "  %8 = phi i64 [a: 3, b: 3, c: 4, empty: 3]\n  ret %8\n}\n");
}

TEST(CleanGraph, EndlessLoopsAreOrdinary) {
  // An empty block that jumps to itself; a ring of them; a ring behind a branch.
  std::string self = "func @f() -> i64 {\nentry:\n  jump a\na:\n  jump a\n}\n";
  EXPECT_EQ(cleaned(self), self);
  EXPECT_EQ(cleaned("func @f() -> i64 {\nentry:\n  jump a\na:\n  jump b\nb:\n  jump c\nc:\n  jump a\n}\n"),
            self);
  EXPECT_EQ(cleaned("func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, out\na:\n  branch %c, b, d\nb:\n  jump "
                    "a\nd:\n  jump a\n"
                    "out:\n  ret 1\n}\n"),
            "func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, out\na:\n  jump a\nout:\n  ret 1\n}\n");
  // A loop of two empty branches may run for ever: it is no way to `out`.
  std::string two =
      "func @f(c: i1, d: i1) -> i64 {\nentry:\n  jump a\na:\n  branch %c, b, out\nb:\n  branch %d, a, "
      "out\nout:\n"
      "  ret 1\n}\n";
  EXPECT_EQ(cleaned(two), two);
}

TEST(CleanGraph, LoopsInDeadCodeGo) {
  EXPECT_EQ(cleaned(R"(
func @f(x: i64) -> i64 {
  var x: i64
entry:
  set x, %x
  ret %x !impossible head
head:
  %0 = get x
  %1 = sgt i64 %0, 0
  branch %1, body, after
body:
  %2 = sub i64 %0, 1
  set x, %2
  jump head
after:
  %3 = get x
  ret %3
}
)"),
            "func @f(x: i64) -> i64 {\n  var x: i64\nentry:\n  set x, %x\n  ret %x\n}\n");
}

TEST(CleanGraph, ImpossibleEdgesDoNotConnectAndAreKept) {
  // `dead` is only behind an impossible edge: it goes, and the edge shows where it would have led.
  EXPECT_EQ(cleaned(R"(
func @f(c: i1) -> i64 {
entry:
  branch %c, early, late
early:
  %0 = add i64 1, 2
  ret %0 !impossible dead
dead:
  %1 = add i64 3, 4
  jump behind
behind:
  jump late
late:
  ret 2
}
)"),
            "func @f(c: i1) -> i64 {\nentry:\n  branch %c, early, late\nearly:\n  %1 = add i64 1, 2\n"
            "  ret %1 !impossible late\nlate:\n  ret 2\n}\n");
  // Past an empty block, and to a block that stays apart because it is shown.
  EXPECT_EQ(
      cleaned(R"(
func @f(c: i1) -> i64 {
entry:
  branch %c, early, late
early:
  ret 1 !impossible empty
late:
  %0 = add i64 1, 2
  jump empty
empty:
  jump last
last:
  ret 2
}
)"),
      "func @f(c: i1) -> i64 {\nentry:\n  branch %c, early, late\nearly:\n  ret 1 !impossible last\nlate:\n"
      "  %2 = add i64 1, 2\n  jump last\nlast:\n  ret 2\n}\n");
  // A block with an impossible edge is not collapsed: there would be nowhere to show it.
  std::string shown =
      "func @f(c: i1) -> i64 {\nentry:\n  branch %c, leave, out\nleave:\n"
      "  jump out !impossible out\nout:\n  ret 1\n}\n";
  EXPECT_EQ(cleaned(shown), shown);
}

TEST(CleanGraph, HandlersStay) {
  std::string text = R"(func @f(x: i64) -> i64 {
entry:
  %0 = enter handler, body
body:
  %1 = check_zero i64 %x
  leave %0
  ret %1
handler:
  jump out
out:
  pop_exception %0
  ret 9
}
)";
  Program p(text);
  CleanReport report = clean_graph(p.function());
  p.expect_valid("after clean_graph");
  EXPECT_EQ(report.collapsed, 0u);
  EXPECT_EQ(report.merged, 1u);
  EXPECT_EQ(p.run({Value(int64_t{0})}), "9");
  EXPECT_EQ(p.run({Value(int64_t{5})}), "5");
}

TEST(CleanGraph, OpenBlocksEndInUnreachableAndAreReported) {
  ir::Module module;
  ir::Function& f = module.add_function(module.symbol("f"), {{i1}, i64});
  ir::BlockId entry = f.new_block(), open = f.new_block(module.symbol("open")), done = f.new_block();
  ir::BlockId dead = f.new_block(module.symbol("dead"));
  f.branch(entry, ir::Operand::param(0), open, done);
  ir::Loc place = module.location(module.symbol("a.c"), 7, 3);
  f.append(open, f.make(ir::Op::check_zero, i64, {module.constant(i64, 0)}, place));
  f.ret(done, module.constant(i64, 1));
  CleanReport report = clean_graph(f);
  EXPECT_TRUE(ir::verify(f).empty());
  ASSERT_EQ(report.open.size(), 1u);
  EXPECT_EQ(report.open[0], open);
  EXPECT_EQ(report.unreachable, 1u) << index(dead);
  EXPECT_EQ(text::to_text(f),
            "func @f(arg0: i1) -> i64 {\nb0:\n  branch %arg0, open, b2\nopen:\n  %1 = check_zero i64 0 "
            "!\"a.c\":7:3\n"
            "  unreachable !\"a.c\":7:3 !end\nb2:\n  ret 1\n}\n");
}

TEST(CleanGraph, NothingToDo) {
  ir::Module module;
  ir::Function& external = module.add_function(module.symbol("e"), {{}, i64}, true);
  EXPECT_FALSE(clean_graph(external).changed());
  Program p("func @f() -> i64 {\nentry:\n  ret 1\n}\n");
  EXPECT_FALSE(clean_graph(p.function()).changed());
}

struct Coverage {
  uint32_t runs = 0, ended = 0, endless = 0, threw = 0, collapsed = 0, folded = 0, merged = 0,
           unreachable = 0, shown = 0;
};

void check(const std::string& source, bool in_ssa, Coverage& coverage) {
  Program before(source), after(source);
  if (::testing::Test::HasFailure()) return;
  if (in_ssa) ssa::construct(after.function());
  CleanReport report = clean_graph(after.function());
  after.expect_valid("after clean_graph");
  coverage.collapsed += report.collapsed;
  coverage.folded += report.folded;
  coverage.merged += report.merged;
  coverage.unreachable += report.unreachable;
  const ir::Function& f = after.function();
  EXPECT_EQ(flow::reachable(ir::block_graph(f)).count(), f.block_count()) << source;
  for (uint32_t b = 0; b < f.block_count(); ++b)
    coverage.shown += !is_none(f.impossible(static_cast<ir::BlockId>(b)));
  constexpr uint64_t steps = 20'000;
  for (int64_t n : {0, 1, 2, 3, 5, 6}) {
    std::string expected = before.run({Value(n)}, steps);
    ++coverage.runs;
    coverage.endless += expected.starts_with("stops");
    coverage.threw += expected.starts_with("throws");
    EXPECT_EQ(after.run({Value(n)}, steps), expected) << source << after.text();
  }
  std::string once = after.text();
  EXPECT_FALSE(clean_graph(after.function()).changed()) << source << once << after.text();
  EXPECT_EQ(after.text(), once) << source;
}

TEST(CleanGraph, RandomProgramsKeepTheirResultsAndNothingIsLeftToDo) {
  Coverage coverage;
  for (uint32_t seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    check(MessyProgram(seed).text(), false, coverage);
    check(MessyProgram(seed).text(), true, coverage);
  }
  std::printf(
      "%u runs: %u endless, %u threw; blocks: %u collapsed, %u folded, %u merged, %u unreachable; %u "
      "impossible edges kept\n",
      coverage.runs, coverage.endless, coverage.threw, coverage.collapsed, coverage.folded, coverage.merged,
      coverage.unreachable, coverage.shown);
  EXPECT_GE(coverage.endless, coverage.runs / 50);
  EXPECT_GE(coverage.threw, coverage.runs / 50);
  EXPECT_LE(coverage.endless + coverage.threw, coverage.runs / 2);
  for (uint32_t count :
       {coverage.collapsed, coverage.folded, coverage.merged, coverage.unreachable, coverage.shown})
    EXPECT_GE(count, 500u);
}

/// A chain of blocks that do nothing; as a ring it has no end.
std::unique_ptr<ir::Module> chain(size_t size, bool ring) {
  auto module = std::make_unique<ir::Module>();
  ir::Function& f = module->add_function(module->symbol("f"), {{}, i64});
  for (size_t i = 0; i < size; ++i) f.new_block();
  for (uint32_t i = 0; i + 1 < size; ++i)
    f.jump(static_cast<ir::BlockId>(i), static_cast<ir::BlockId>(i + 1));
  ir::BlockId last = static_cast<ir::BlockId>(size - 1);
  if (ring)
    f.jump(last, ir::BlockId{1});
  else
    f.ret(last, module->constant(i64, 7));
  return module;
}

/// Diamonds inside each other whose phis have equal operands: each is empty only when the one inside it is
/// gone.
std::string nest(size_t depth) {
  std::string text = "func @f(c: i1, n: i64) -> i64 {\nentry:\n  jump d" + std::to_string(depth) + "\n";
  for (size_t i = depth; i > 0; --i) {
    std::string n = std::to_string(i);
    text += "d" + n + ":\n  branch %c, " + (i == 1 ? "in" : "d" + std::to_string(i - 1)) + ", e" + n + "\n";
    text += "e" + n + ":\n  jump j" + n + "\n";
  }
  text += "in:\n  jump j1\n";
  for (size_t i = 1; i <= depth; ++i) {
    std::string n = std::to_string(i), inner = i == 1 ? "in" : "j" + std::to_string(i - 1);
    text += "j" + n + ":\n  %p" + n + " = phi i64 [" + inner + ": %n, e" + n + ": %n]\n  jump " +
            (i == depth ? "out" : "j" + std::to_string(i + 1)) + "\n";
  }
  return text + "out:\n  ret %p" + std::to_string(depth) + "\n}\n";
}

/// Merging is linear in what is merged, whatever stands at the end of the chain.
std::string straight(size_t size) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  jump b0x\n";
  for (size_t i = 0; i < size; ++i) {
    std::string n = std::to_string(i);
    text += "b" + n + "x:\n  %a" + n + " = add i64 %n, " + n + "\n  jump b" + std::to_string(i + 1) + "x\n";
  }
  return text + "b" + std::to_string(size) + "x:\n  ret %n\n}\n";
}

TEST(CleanGraph, LongChainsRingsAndNestsEndAsOneBlock) {
  run_on_small_stack([] {
    for (bool ring : {false, true}) {
      auto module = chain(100'000, ring);
      ir::Function& f = module->function(ir::FuncId{0});
      clean_graph(f);
      EXPECT_EQ(f.block_count(), ring ? 2u : 1u);
    }
    Program p(nest(20'000));
    clean_graph(p.function());
    EXPECT_EQ(p.text(), "func @f(c: i1, n: i64) -> i64 {\nentry:\n  ret %n\n}\n");
    Program q(straight(50'000));
    clean_graph(q.function());
    EXPECT_EQ(q.function().block_count(), 1u);
  });
}

TEST(CleanGraph, TimeGrowsWithTheInput) {
  auto growth = [](auto&& make, size_t size) {
    return growth_ratio(size, make, [](auto& input) {
      for (int i = 0; i < 2; ++i) {
        ir::Function copy = input->function(ir::FuncId{0});
        clean_graph(copy);
      }
    });
  };
  EXPECT_LT(growth([](size_t n) { return chain(n, false); }, 50'000), 3.0);
  EXPECT_LT(growth([](size_t n) { return chain(n, true); }, 50'000), 3.0);
  EXPECT_LT(growth([](size_t n) { return std::move(Program(nest(n)).module); }, 5'000), 3.0);
  EXPECT_LT(growth([](size_t n) { return std::move(Program(straight(n)).module); }, 10'000), 3.0);
}

}  // namespace
}  // namespace braid::opt
