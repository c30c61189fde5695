// The public Builder with blocks and jumps: what is built is printed, verified and run.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>

#include "builder_testing.h"

namespace braid {
namespace {

TEST(Builder, GotoForm) {
  Module m;
  Builder b(m, "sum", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var s = b.var("s", i64, 0);
  Label head = b.label("head"), body = b.label("body"), done = b.label("done");
  b.jump(head);
  b.at(head).branch(n > 0, body, done);
  b.at(body);
  s += n;
  n -= 1;
  b.jump(head);
  b.at(done).ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(100)}), "5050");
  EXPECT_EQ(phi_count(f), 2u);
  EXPECT_NE(to_text(f).find("head:\n"), std::string::npos);
}

TEST(Builder, BlocksTakenUpAgain) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64);
  Var c = b.param("c");
  Var x = b.var("x", i64, 1), y = b.var("y", i64, 2);
  Label first = b.label("first"), second = b.label("second"), last = b.label("last");
  b.branch(c, first, second);
  b.at(last);
  Val early = x;  // before any edge leads here
  b.at(second);
  x = 30;
  b.at(first);
  x = 10;
  b.at(second);
  x += 1;
  y = x;
  b.at(first);
  y = x + 5;
  b.jump(last);
  b.at(last);
  Val sum = early * 1000 + x * 100 + y;
  b.at(second).jump(last);
  b.at(last).ret(sum);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {true}), "11015");
  EXPECT_EQ(outcome(f, {false}), "34131");
  EXPECT_EQ(phi_count(f), 2u);
}

TEST(Builder, SwitchWithSeveralEdgesToOneBlock) {
  Module m;
  Builder b(m, "f", {{"x", i32}}, i64);
  Var x = b.param("x");
  Var r = b.var("r", i64, 0);
  Label one = b.label("one"), many = b.label("many"), out = b.label("out");
  b.switch_(x, out, {{1, one}, {2, many}, {3, many}, {-4, many}, {5, out}});
  b.at(one);
  r = 10;
  b.jump(many);
  b.at(many);
  r += 1;
  b.jump(out);
  b.at(out).ret(r);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(int32_t{1})}), "11");
  EXPECT_EQ(outcome(f, {Value(int32_t{3})}), "1");
  EXPECT_EQ(outcome(f, {Value(int32_t{-4})}), "1");
  EXPECT_EQ(outcome(f, {Value(int32_t{5})}), "0");
  EXPECT_EQ(outcome(f, {Value(int32_t{6})}), "0");
  EXPECT_EQ(phi_count(f), 2u);
}

TEST(Builder, EmptySwitchAndUnusedLabels) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Label out = b.label("out"), unused = b.label("unused");
  (void)unused;
  b.switch_(b.param("x"), out, {});
  b.at(out).ret(b.param("x"));
  EXPECT_EQ(outcome(b.done(), {v(4)}), "4");
}

TEST(Builder, IrreducibleGraph) {
  Module m;
  // Two blocks of a loop, entered at both. x does not change, though a simple test for redundant phis cannot see it.
  Builder b(m, "f", {{"c", i1}, {"x", i64}, {"n", i64}}, i64);
  Var c = b.param("c"), x = b.param("x"), n = b.param("n");
  Label left = b.label("left"), right = b.label("right"), out = b.label("out");
  b.branch(c, left, right);
  b.at(left);
  n -= x;
  b.branch(n > 0, right, out);
  b.at(right);
  n -= x * 2;
  b.branch(n > 0, left, out);
  b.at(out).ret(n + x);
  Func& f = b.done();
  EXPECT_EQ(phi_count(f), 3u) << to_text(f);  // n in each of the three blocks
  EXPECT_EQ(outcome(f, {true, v(1), v(10)}), "1");
  EXPECT_EQ(outcome(f, {false, v(1), v(10)}), "0");
}

TEST(Builder, HandlersInGotoForm) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var s = b.var("s", i64, 0);
  Label handler = b.handler_label("handler"), body = b.label("body"), rest = b.label("rest"), out = b.label("out");
  Val token = b.enter(handler, body);
  b.at(body);
  s = 1;
  b.op("check_zero", {x});
  s = 2;
  b.jump(rest);
  b.at(rest);
  b.op("check_negative", {x});
  s = 3;
  b.leave(token);
  s = 4;
  b.jump(out);
  b.at(handler);
  b.the_exception();
  b.pop_exception(token);
  s += 10;
  b.jump(out);
  b.at(out).ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "11");
  EXPECT_EQ(outcome(f, {v(-1)}), "12");
  EXPECT_EQ(outcome(f, {v(1)}), "4");
}

TEST(Builder, OneHandlerForSeveralRegionsAndTwoLeavesInOneBlock) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var s = b.var("s", i64, 0);
  Label outer = b.handler_label("outer"), inner = b.handler_label("inner");
  Label first = b.label("first"), second = b.label("second"), third = b.label("third"), out = b.label("out");
  Val t1 = b.enter(outer, first);
  b.at(first);
  s = 1;
  b.op("check_zero", {x - 1});  // to outer with 1
  Val t2 = b.enter(inner, second);
  b.at(second);
  b.op("check_zero", {x - 2});  // to inner with 1
  s = 2;
  s = 3;
  b.op("check_zero", {x - 3});  // to inner with 3
  b.leave(t2);
  s += 1;
  Val t3 = b.enter(inner, third);
  b.at(third);
  b.op("check_zero", {x - 4});  // to inner with 4
  s = 5;
  b.leave(t3);
  s = 6;
  b.op("check_zero", {x - 5});  // to outer with 6
  b.leave(t1);
  s = 7;
  b.op("check_zero", {x - 6});  // out of the function
  b.jump(out);
  b.at(outer);
  s += 100;
  b.jump(out);
  b.at(inner);                  // in the region of outer
  s += 200;
  b.op("check_zero", {x - 3});
  b.leave(t1);
  b.jump(out);
  b.at(out).ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(1)}), "101");
  EXPECT_EQ(outcome(f, {v(2)}), "201");
  EXPECT_EQ(outcome(f, {v(3)}), "303");
  EXPECT_EQ(outcome(f, {v(4)}), "204");
  EXPECT_EQ(outcome(f, {v(5)}), "106");
  EXPECT_EQ(outcome(f, {v(6)}), "throws zero");
  EXPECT_EQ(outcome(f, {v(7)}), "7");
}

}  // namespace
}  // namespace braid
