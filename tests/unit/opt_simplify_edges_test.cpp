#include "opt/simplify_edges.h"

#include "growth.h"
#include "opt_testing.h"
#include "small_stack.h"

namespace braid::opt {
namespace {

TEST(SimplifyEdges, NestedEmptyDiamondsBecomeOneBlock) {
  Program p(R"(
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
)");
  simplify_edges(p.function());
  EXPECT_EQ(p.text(), "func @f(a: i1, b: i1) -> i64 {\nentry:\n  ret 5\n}\n");
}

// The empty header X is entered from B and from the back edge; moving both edges past X makes the phi of B used on the back
// edge too, where it must go on existing.
TEST(SimplifyEdges, AValueThatTheBackEdgeNeedsStays) {
  Program p(R"(
func @f(c: i1, n: i64) -> i64 {
entry:
  branch %c, one, two
one:
  %u = add i64 %n, 1
  jump b
two:
  %v = add i64 %n, 2
  jump b
b:
  %y = phi i64 [one: %u, two: %v]
  jump x
x:
  jump t
t:
  %k = phi i64 [x: %y, r: 9]
  %i = call @next()
  switch i64 %i, done, [1: r, 2: q]
r:
  call @touch()
  jump t
q:
  call @touch()
  jump x
done:
  ret %k
}
func @touch() -> void {
entry:
  ret
}
global @counter: 8
func @next() -> i64 {
entry:
  %p = global_addr @counter
  %a = load i64 %p
  %b = add i64 %a, 1
  store i64 %b, %p
  ret %b
}
)");
  std::string before = p.run({Value(true), Value(int64_t{5})});
  simplify_edges(p.function());
  p.expect_valid("after simplify_edges");
  EXPECT_EQ(p.run({Value(true), Value(int64_t{5})}), before);
  EXPECT_EQ(before, "6");
}

TEST(SimplifyEdges, ConstantsThatMergingUncoversAreFolded) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  jump a
a:
  %c = phi i1 [entry: true]
  jump b
b:
  %d = phi i1 [a: %c]
  branch %d, yes, no
yes:
  %e = phi i1 [b: %d]
  branch %e, one, two
one:
  ret 1
two:
  ret 2
no:
  ret 0
}
)");
  simplify_edges(p.function());
  EXPECT_EQ(p.text(), "func @f(x: i64) -> i64 {\nentry:\n  ret 1\n}\n");
}

TEST(SimplifyEdges, AnImpossibleSuccessorIsNotLost) {
  Program p(R"(
func @f(n: i64) -> i64 {
entry:
  switch i64 %n, a, [1: other, 2: b]
a:
  jump b !impossible other
other:
  ret 0
b:
  ret 1
}
)");
  simplify_edges(p.function());
  p.expect_valid("after simplify_edges");
  EXPECT_NE(p.text().find("!impossible other"), std::string::npos) << p.text();
}

/// A switch with many cases that all lead past one empty block into a block with many phis: moving the edges would make
/// cases x phis operands.
std::string wide(size_t size) {
  std::string text = "func @f(x: i64) -> i64 {\nentry:\n  %a = add i64 %x, 1\n  switch i64 %x, other, [";
  for (size_t i = 0; i < size; ++i) text += (i ? ", " : "") + std::to_string(i) + ": empty";
  text += "]\nother:\n  call @g()\n  jump join\nempty:\n  jump join\njoin:\n";
  for (size_t i = 0; i < size; ++i) text += "  %p" + std::to_string(i) + " = phi i64 [other: 0, empty: %a]\n";
  text += "  ret %p0\n}\nextern @g() -> void\n";
  return text;
}

TEST(SimplifyEdges, DoesNotMakeQuadraticallyManyOperands) {
  Program p(wide(3000));
  simplify_edges(p.function());
  p.expect_valid("after simplify_edges");
  EXPECT_LT(p.text().size(), wide(3000).size());
}

std::string chain(size_t blocks) {
  std::string text = "func @f(x: i64) -> i64 {\nentry:\n  jump c0\n";
  for (size_t i = 0; i < blocks; ++i) {
    std::string n = std::to_string(i);
    text += "c" + n + ":\n  %v" + n + " = add i64 " + (i ? "%v" + std::to_string(i - 1) : "%x") + ", 1\n";
    text += "  jump " + (i % 2 ? "c" : "e" + n + "\ne" + n + ":\n  jump c") + std::to_string(i + 1) + "\n";
  }
  return text + "c" + std::to_string(blocks) + ":\n  ret %v" + std::to_string(blocks - 1) + "\n}\n";
}

TEST(SimplifyEdges, LongChainsAreLinearAndNotRecursive) {
  run_on_small_stack([] {
    Program p(chain(50'000));
    simplify_edges(p.function());
    EXPECT_EQ(p.function().block_count(), 1u);
    EXPECT_EQ(p.function().size(), 50'001u);
  });
  auto ratio = growth_ratio(
      5'000, [](size_t size) { return std::make_unique<Program>(chain(size)); },
      [](std::unique_ptr<Program>& p) {
        ir::Function copy = p->function();
        simplify_edges(copy);
      });
  EXPECT_LT(ratio, 3.0);
}

}  // namespace
}  // namespace braid::opt
