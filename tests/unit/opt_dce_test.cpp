#include "opt/dce.h"

#include "opt_testing.h"

namespace braid::opt {
namespace {

TEST(Dce, KeepsWhatAnEffectReads) {
  Program p(R"(
func @f(x: i64, p: ptr) -> void {
entry:
  %a = add i64 %x, 1
  %b = mul i64 %a, 2
  %c = sub i64 %b, 3
  store i64 %b, %p
  ret
}
)");
  dce(p.function());
  EXPECT_EQ(p.text(), R"(func @f(x: i64, p: ptr) -> void {
entry:
  %0 = add i64 %x, 1
  %1 = mul i64 %0, 2
  store i64 %1, %p
  ret
}
)");
}

TEST(Dce, WorksOnPendingEdits) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %0 = add i64 %x, 1
  +> %+0 = add i64 %0, 2
  +> %+1 = add i64 %0, 3
  %1 = same i64 %+0
  %2 = same i64 %+1
  ret %1
}
)");
  dce(p.function());
  EXPECT_EQ(p.text(), R"(func @f(x: i64) -> i64 {
entry:
  %0 = add i64 %x, 1
  %1 = add i64 %0, 2
  ret %1
}
)");
}

TEST(Dce, AColumnOfADeadEdgeKeepsNothing) {
  Program p(R"(
func @f(c: i1, x: i64) -> i64 {
entry:
  %a = add i64 %x, 1
  branch %c, left, join
left:
  jump join
join:
  %r = phi i64 [entry: %a, left: %x]
  ret %r
}
)");
  ir::Function& f = p.function();
  ir::EdgeId to_join = ir::EdgeId{};
  f.for_each_succ(ir::Function::entry(), [&](ir::EdgeId e) { to_join = e; });
  f.remove_edge(to_join);
  dce(f);
  p.expect_valid("after dce");
  EXPECT_EQ(p.text().find("add"), std::string::npos) << p.text();
}

TEST(Dce, ChangesNothingTheSecondTime) {
  Program p(R"(
func @f(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, head: %j]
  %j = add i64 %i, 1
  %c = slt i64 %j, %n
  branch %c, head, done
done:
  ret %j
}
)");
  dce(p.function());
  std::string once = p.text();
  dce(p.function());
  EXPECT_EQ(p.text(), once);
}

/// A chain in which each statement uses the one before, all of it dead, in reverse order of liveness.
std::string chain(size_t length) {
  std::string text = "func @f(x: i64) -> i64 {\nentry:\n  %v0 = add i64 %x, 1\n";
  for (size_t i = 1; i < length; ++i)
    text += "  %v" + std::to_string(i) + " = add i64 %v" + std::to_string(i - 1) + ", 1\n";
  return text + "  ret %x\n}\n";
}

TEST(Dce, RemovesALongChainWithoutRecursion) {
  Program p(chain(100'000));
  dce(p.function());
  EXPECT_EQ(p.function().size(), 1u);
}

}  // namespace
}  // namespace braid::opt
