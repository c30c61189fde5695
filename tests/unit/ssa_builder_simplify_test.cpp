// A builder that simplifies: fewer statements, the same results.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <random>

namespace braid {
namespace {

TEST(BuilderSimplify, OffUntilAskedFor) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  b.ret(b.param("x") + 0);
  EXPECT_EQ(to_text(b.done()), "func @f(x: i64) -> i64 {\nentry:\n  %0 = add i64 %x, 0\n  ret %0\n}\n");
}

TEST(BuilderSimplify, OperatorsAndOperations) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  b.simplify();
  Var x = b.param("x");
  Var y = b.param("y");
  Var s = b.var("s", i64, 3);
  s += x;  // 3 + x
  s -= 3;  // x
  Val negated = -(-(s * 1));
  Val chosen = b.select(b.constant(i1, int64_t{1}), negated, y);
  Val least = b.op("smin", {chosen, chosen});
  b.ret(least + (b.constant(i64, int64_t{20}) + 22) * (y - y));
  // What was built on the way and is not needed any more is for dce.
  EXPECT_EQ(
      to_text(b.done()),
      "func @f(x: i64, y: i64) -> i64 {\nentry:\n  %0 = add i64 %x, 3\n  %1 = neg i64 %x\n  ret %x\n}\n");
}

TEST(BuilderSimplify, CanBeSwitchedOffAgain) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.simplify();
  Val doubled = x * 2;
  b.simplify(false);
  b.ret(doubled * 1);
  EXPECT_EQ(to_text(b.done()),
            "func @f(x: i64) -> i64 {\nentry:\n  %0 = shl i64 %x, 1\n  %1 = mul i64 %0, 1\n  ret %1\n}\n");
}

/// The same random program with and without.
TEST(BuilderSimplify, SameResults) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const uint64_t seed = random();
    Module m;
    auto build = [&](const char* name, bool simplifies) -> Func& {
      std::mt19937_64 draw(seed);
      Builder b(m, name, {{"x", i64}, {"y", i64}}, i64);
      b.simplify(simplifies);
      Var x = b.param("x");
      Var y = b.param("y");
      Var n = b.var("n", i64, 5);
      auto step = [&](Var& to, Var& from) {
        const int64_t number = static_cast<int64_t>(draw() % 9) - 4;
        switch (draw() % 10) {
          case 0: to += number; break;
          case 1: to -= from; break;
          case 2: to *= number; break;
          case 3: to = (to & from) + (to | from); break;
          case 4: to = to ^ number; break;
          case 5: to = -to; break;
          case 6: to = (to << number) + from; break;
          case 7: to = b.select(to < from, to, from); break;
          case 8: to = to / number; break;
          default: to = b.select(to == from, number, to % 7); break;
        }
      };
      for (int i = 0; i < 6; ++i) step(x, y);
      b.while_([&] { return n > 0; },
               [&] {
                 for (int i = 0; i < 3; ++i) step(y, x);
                 b.if_(y < x, [&] { step(x, n); });
                 n -= 1;
               });
      for (int i = 0; i < 3; ++i) step(x, y);
      b.ret(x - y);
      return b.done();
    };
    Func& plain = build("plain", false);
    Func& simple = build("simple", true);
    for (int i = 0; i < 5; ++i) {
      const int64_t x = static_cast<int64_t>(random()) >> random() % 64,
                    y = static_cast<int64_t>(random()) >> random() % 64;
      ASSERT_EQ(interpret(plain, x, y).as_i64(), interpret(simple, x, y).as_i64())
          << to_text(plain) << to_text(simple);
    }
  }
}

}  // namespace
}  // namespace braid
