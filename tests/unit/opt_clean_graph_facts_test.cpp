// What Julia's tests of its clean-up of the graph (cfg_simplify!) hold fast, restated. Julia's `goto n if not
// c` is a branch on c to the next block or to n; Julia's entry may be a target, ours is a block of its own.
#include "opt/clean_graph.h"
#include "opt_testing.h"

namespace braid::opt {
namespace {

std::vector<Value> both(bool a, bool b) { return {Value(a), Value(b)}; }

// Six gotos in a chain and a return are one block with one statement. As it is.
TEST(CleanGraphFacts, AChainOfJumpsIsOneStatement) {
  Program p(
      "func @f() -> i64 {\nb1:\n  jump b2\nb2:\n  jump b3\nb3:\n  jump b4\nb4:\n  jump b5\nb5:\n  jump "
      "b6\nb6:\n  jump b7\n"
      "b7:\n  ret 1\n}\n");
  clean_graph(p.function());
  EXPECT_EQ(p.function().block_count(), 1u);
  EXPECT_EQ(p.function().size(), 1u);
}

// A ring b1 -> b2 -> b3 -> b1 is one block. Restated: one block beside the entry, which nothing enters.
TEST(CleanGraphFacts, ARingOfJumpsIsOneBlock) {
  Program p(
      "func @f() -> i64 {\nentry:\n  jump one\none:\n  jump two\ntwo:\n  jump three\nthree:\n  jump "
      "one\n}\n");
  clean_graph(p.function());
  EXPECT_EQ(p.text(), "func @f() -> i64 {\nentry:\n  jump one\none:\n  jump one\n}\n");
}

// Two branches, one of them with two ways to the same return: Julia keeps 4 blocks. Restated: a branch with
// two ways to the same place is a jump, so 3 are left; the returns are the same.
TEST(CleanGraphFacts, ABranchWithTwoWaysToTheSamePlaceIsNone) {
  Program p(R"(
func @f(x: i1, y: i1) -> i64 {
one:
  branch %x, two, four
two:
  branch %y, three, five
three:
  jump five
four:
  ret 1
five:
  ret 2
}
)");
  clean_graph(p.function());
  EXPECT_EQ(
      p.text(),
      "func @f(x: i1, y: i1) -> i64 {\none:\n  branch %x, five, four\nfive:\n  ret 2\nfour:\n  ret 1\n}\n");
  EXPECT_EQ(p.run(both(true, true)), "2");
  EXPECT_EQ(p.run(both(true, false)), "2");
  EXPECT_EQ(p.run(both(false, true)), "1");
}

// Seven blocks become five, and the block that a branch falls through to stays the one with `ret 2`.
// Restated: order means nothing here, so the true successor of the second branch is the one with `ret 2`.
TEST(CleanGraphFacts, JumpsBetweenBranchesGo) {
  Program p(R"(
func @f(x: i1, y: i1) -> i64 {
one:
  branch %x, two, three
two:
  jump four
three:
  ret 1
four:
  jump five
five:
  branch %y, six, seven
six:
  ret 2
seven:
  ret 3
}
)");
  clean_graph(p.function());
  EXPECT_EQ(p.function().block_count(), 5u);
  EXPECT_NE(p.text().find("five:\n  branch %y, six, seven\nsix:\n  ret 2\n"), std::string::npos) << p.text();
  EXPECT_EQ(p.run(both(true, true)), "2");
  EXPECT_EQ(p.run(both(true, false)), "3");
  EXPECT_EQ(p.run(both(false, true)), "1");
}

// Ten blocks become six, and the operands of the phi for the two ways round the loop are the same value.
// Restated: here the two ways are one as soon as their operands are the same, so the branches between them go
// and 3 blocks are left; the phi has the value of the loop once. With different operands the branch stays,
// and with it the phi's two operands.
TEST(CleanGraphFacts, WaysRoundALoopWithTheSameOperandAreOne) {
  auto program = [](const char* six) {
    return std::string(R"(
func @f(x: i64, c: i1) -> i64 {
one:
  %0 = add i64 %x, 1
  jump three
two:
  jump three
three:
  %p = phi i64 [one: %0, two: undef, six: )") +
           six + R"(, ten: %a]
  jump four
four:
  %a = add i64 %p, 1
  %d = slt i64 %a, 10
  branch %d, six, five
five:
  ret %a
six:
  branch %c, seven, three
seven:
  branch %c, eight, nine
eight:
  jump ten
nine:
  jump ten
ten:
  jump three
}
)";
  };
  Program same(program("%a"));
  clean_graph(same.function());
  same.expect_valid("after clean_graph");
  EXPECT_EQ(same.text(),
            "func @f(x: i64, c: i1) -> i64 {\none:\n  %0 = add i64 %x, 1\n  jump three\nthree:\n"
            "  %2 = phi i64 [one: %0, three: %3]\n  %3 = add i64 %2, 1\n  %4 = slt i64 %3, 10\n  branch %4, "
            "three, five\nfive:\n"
            "  ret %3\n}\n");
  EXPECT_EQ(same.run({Value(int64_t{0}), Value(true)}), "10");

  Program different(program("%x"));
  clean_graph(different.function());
  different.expect_valid("after clean_graph");
  EXPECT_EQ(different.function().block_count(), 5u) << different.text();
  EXPECT_NE(different.text().find("[one: %0, six: %x, seven: %3]"), std::string::npos) << different.text();
  EXPECT_EQ(different.run({Value(int64_t{0}), Value(true)}), "10");
}

// A block that cannot go on has no successor, and a block without predecessors goes: 3 of 4 are left.
// Restated: where Julia's block ends in a call of type Union{}, ours ends in a throw.
TEST(CleanGraphFacts, BlocksWithoutPredecessorsGo) {
  Program p(R"(
extern @opaque() -> i64
func @f(x: i1) -> i64 {
one:
  branch %x, two, four
two:
  throw null
three:
  %0 = call @opaque()
  jump four
four:
  ret 4
}
)");
  CleanReport report = clean_graph(p.function());
  p.expect_valid("after clean_graph");
  EXPECT_EQ(report.unreachable, 1u);
  EXPECT_EQ(p.function().block_count(), 3u);
}

// An enter, jumps, a leave and a branch: 6 of 8 blocks are left, and the branch keeps the block behind it.
// Restated: `leave` is no terminator here, so the branch joins its block and 5 are left; both ways of the
// branch lead where they led.
TEST(CleanGraphFacts, JumpsInsideARegionGo) {
  Program p(R"(
func @f(x: i1, y: i1) -> i64 {
one:
  %t = enter four, two
two:
  jump three
three:
  jump five
four:
  pop_exception %t
  ret 0
five:
  check_true %y
  leave %t
  jump six
six:
  branch %x, seven, eight
seven:
  ret 1
eight:
  ret 2
}
)");
  clean_graph(p.function());
  p.expect_valid("after clean_graph");
  EXPECT_EQ(p.function().block_count(), 5u) << p.text();
  EXPECT_EQ(p.run(both(true, true)), "1");
  EXPECT_EQ(p.run(both(false, true)), "2");
  EXPECT_EQ(p.run(both(true, false)), "0");
}

}  // namespace
}  // namespace braid::opt
