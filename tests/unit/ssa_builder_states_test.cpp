// Frame states through the Builder: built in structured code and in labels, verified, printed, run.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "builder_testing.h"

namespace braid {
namespace {

TEST(BuilderStates, GuardInALoopLeavesWithWhatTheLoopHas) {
  Module m;
  Builder b(m, "sum", {{"n", i64}, {"limit", i64}}, i64);
  Var n = b.param("n"), limit = b.param("limit");
  Var s = b.var("s", i64, 0);
  b.while_([&] { return n > 0; }, [&] {
    Val state = b.save_state(7, {{0, n}, {1, s}});
    b.osr_state(state);
    b.guard(s < limit, state);
    s += n;
    n -= 1;
  });
  b.ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(4), v(100)}), "10");
  EXPECT_EQ(outcome(f, {v(4), v(7)}), "deopts 7 [0: 2, 1: 7]");
  EXPECT_EQ(phi_count(f), 2u);
  EXPECT_NE(to_text(f).find("save_state 7 reexecute [0: %1, 1: %2]"), std::string::npos) << to_text(f);
  Expected<Module> again = parse(to_text(m));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(to_text(*again), to_text(m));
}

TEST(BuilderStates, DeoptEndsABlock) {
  for (bool labels : {false, true}) {
    Module m;
    Builder b(m, "f", {{"x", i64}}, i64);
    if (labels) b.label();
    Var x = b.param("x");
    b.if_(x > 9, [&] { b.deopt(b.save_state(3, {{2, x * 2}, {5, 1.5}, {6, 4}}, Builder::Resume::after_call)); });
    b.ret(x + 1);
    Func& f = b.done();
    EXPECT_EQ(outcome(f, {v(1)}), "2");
    EXPECT_EQ(outcome(f, {v(10)}).substr(0, 9), "deopts 3 ") << outcome(f, {v(10)});
    EXPECT_NE(outcome(f, {v(10)}).find("2: 20"), std::string::npos) << outcome(f, {v(10)});
  }
}

TEST(BuilderStates, CallersAndRegistersThatAreNotAssigned) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var later = b.var("later", i64);
  Builder::Register outer[] = {{0, x}};
  Val caller = b.save_state(11, outer, Builder::Resume::after_call);
  Builder::Register inner[] = {{0, later}, {1, x}};
  Val state = b.save_state(2, inner, Builder::Resume::reexecute, caller);
  b.safepoint(state);
  b.guard(x != 0, state);
  later = x;
  b.ret(later);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(3)}), "3");
  std::string left = outcome(f, {v(0)});
  EXPECT_EQ(left.substr(0, 9), "deopts 2 ");
  EXPECT_NE(left.find("11"), std::string::npos) << left;
}

TEST(BuilderStates, WhatIsNoStateIsReported) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.guard(x > 0, x);
  b.ret(x);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_NE(render(f.error()).find("guard"), std::string::npos) << render(f.error());
}

TEST(BuilderStates, EffectsBehindAStateAreReported) {
  Module m;
  Builder b(m, "f", {{"p", ptr}}, void_type);
  Var p = b.param("p");
  Val state = b.save_state(1, {{0, p}});
  b.store(b.constant(i64, int64_t{1}), p);
  b.safepoint(state);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_NE(render(f.error()).find("state-effects"), std::string::npos) << render(f.error());
}

// Memory, conversions and choices in a loop need the types of phis that have no place yet.
TEST(BuilderStates, AllOperationsWorkOnPhisOfOpenLoops) {
  Module m;
  m.add_global("cells", 64);
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var at = b.var("at", ptr, b.global("cells"));
  Var most = b.var("most", i64, 0);
  Var half = b.var("half", f64, 0.0);
  b.while_([&] { return n > 0; }, [&] {
    b.store(n, at);
    most = b.select(n > most, n, most);
    half = b.convert("sitofp", n, f64) / 2.0 + half;
    Val pair = b.op("sadd_overflow", {most, n});
    most = b.extract(pair, 0);
    at = b.op("ptr_add", {at, 8});
    n -= 1;
  });
  b.ret(most + b.load(i64, b.global("cells")) + b.convert("fptosi", half, i64));
  Expected<Func*> f = b.try_done();
  ASSERT_TRUE(f) << render(f.error());
  EXPECT_EQ(outcome(**f, {v(3)}), "15");
  EXPECT_EQ(phi_count(**f), 4u);
}

}  // namespace
}  // namespace braid
