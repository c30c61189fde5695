// The public Builder in its structured form, with exceptions and undefined variables: what is built is printed, verified and run.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>

#include "builder_testing.h"

namespace braid {
namespace {

TEST(Builder, FirstProgram) {
  Module m;
  Builder b(m, "sum", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var s = b.var("s", i64, 0);
  b.while_([&] { return n > 0; }, [&] {
    s += n;
    n -= 1;
  });
  b.ret(s);
  Func& f = b.done();
  EXPECT_EQ(interpret(f, 100).as_i64(), 5050);
  EXPECT_EQ(phi_count(f), 2u);
  EXPECT_EQ(to_text(f), R"(func @sum(n: i64) -> i64 {
entry:
  jump b1
b1:
  %1 = phi i64 [entry: %n, b2: %6]
  %2 = phi i64 [entry: 0, b2: %5]
  %3 = sgt i64 %1, 0
  branch %3, b2, b3
b2:
  %5 = add i64 %2, %1
  %6 = sub i64 %1, 1
  jump b1
b3:
  ret %2
}
)");
}

TEST(Builder, TestsOfKindsAndOfWhatIsDefined) {
  Module m;
  Builder b(m, "kind", {{"x", i64 | f64 | null_type}, {"known", i1}}, i64);
  Var x = b.param("x"), known = b.param("known"), kind = b.var("kind", i64, 0);
  b.if_(b.is(x, i64 | null_type), [&] { kind = 1; });
  b.if_(b.is(x, null_type), [&] { kind = 2; });
  b.if_(b.is(3, i64), [&] { kind += 10; });
  b.try_([&] { b.throw_undef("x", known); }, [&](Val) { kind += 100; });
  b.ret(kind);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(5), Value(true)}), "11");
  EXPECT_EQ(outcome(f, {Value(2.5), Value(true)}), "10");
  EXPECT_EQ(outcome(f, {v(5), Value(false)}), "111");

  EXPECT_NE(to_text(f).find("throw_undef \"x\", %known"), std::string::npos) << to_text(f);
}

TEST(Builder, ConditionWithoutElse) {
  Module m;
  Builder b(m, "abs", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.if_(x < 0, [&] { x = -x; });
  b.ret(x);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(-7)}), "7");
  EXPECT_EQ(outcome(f, {v(7)}), "7");
  EXPECT_EQ(phi_count(f), 1u);
}

TEST(Builder, ConditionsNested) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  Var x = b.param(0), y = b.param(1);
  Var r = b.var("r", i64);
  b.if_(
      x > 0,
      [&] {
        b.if_(y > 0, [&] { r = 1; }, [&] { r = 2; });
      },
      [&] {
        b.if_(y > 0, [&] { r = 3; }, [&] {
          r = 4;
          b.ret(r);
        });
        r += 10;
      });
  b.ret(r);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(1), v(1)}), "1");
  EXPECT_EQ(outcome(f, {v(1), v(0)}), "2");
  EXPECT_EQ(outcome(f, {v(0), v(1)}), "13");
  EXPECT_EQ(outcome(f, {v(0), v(0)}), "4");
  EXPECT_EQ(phi_count(f), 2u);
}

TEST(Builder, LoopsWithBreakAndContinue) {
  Module m;
  // The sum of the odd numbers below n, at most 100.
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var i = b.var("i", i64, 0), s = b.var("s", i64, 0);
  b.loop([&] {
    b.if_(i >= n, [&] {
      b.break_();
      s = 12345;  // behind a break: not reachable, and no trace of it is left
    });
    Val now = i;
    i += 1;
    b.if_(now % 2 == 0, [&] { b.continue_(); });
    s += now;
    b.if_(s > 100, [&] { b.ret(100); });
  });
  b.ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "0");
  EXPECT_EQ(outcome(f, {v(6)}), "9");
  EXPECT_EQ(outcome(f, {v(60)}), "100");
  EXPECT_EQ(phi_count(f), 2u);
  EXPECT_EQ(to_text(f).find("12345"), std::string::npos);
}

TEST(Builder, LoopsNested) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var i = b.var("i", i64, 0), count = b.var("count", i64, 0);
  b.while_([&] { return i < n; }, [&] {
    Var j = b.var("j", i64, 0);
    b.loop([&] {
      b.if_(j == i, [&] { b.break_(); });
      j += 1;
      count += 1;
      b.if_(count == 1000, [&] { b.continue_(); });
    });
    i += 1;
  });
  b.ret(count);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(10)}), "45");
  // i and count at both heads, j at the inner one; n and, in the inner loop, i do not change.
  EXPECT_EQ(phi_count(f), 4u);
}

TEST(Builder, ConditionOfALoopMayHaveBlocks) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var c = b.var("c", i1, false), s = b.var("s", i64, 0);
  b.while_(
      [&] {
        b.if_(s > 50, [&] { c = false; }, [&] { c = n > 0; });
        b.if_(s == 13, [&] { b.break_(); });
        return c.get();
      },
      [&] {
        s += n;
        n -= 1;
      });
  b.ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(3)}), "6");
  EXPECT_EQ(outcome(f, {v(7)}), "13");
  EXPECT_EQ(outcome(f, {v(40)}), "79");
}

TEST(Builder, EndlessLoopNeedsNoReturn) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  b.loop([&] {
    n -= 1;
    b.if_(n < 0, [&] { b.ret(n); });
  });
  // Not reachable, with control flow of its own.
  b.if_(n > 5, [&] { n = 1; });
  EXPECT_EQ(outcome(b.done(), {v(3)}), "-1");
}

TEST(Builder, CodeBehindReturnIsDropped) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  b.ret(n);
  n = 5;
  b.while_([&] { return n > 0; }, [&] { n -= 1; });
  b.ret(n);
  Func& f = b.done();
  EXPECT_EQ(block_count(f), 1u);
  EXPECT_EQ(outcome(f, {v(3)}), "3");
}

TEST(Builder, VoidFunctionReturnsAtItsEnd) {
  Module m;
  m.add_global("g", 8);
  {
    Builder b(m, "set", {{"n", i64}});
    Var n = b.param("n");
    b.if_(n > 5, [&] { b.ret(); });
    b.store(n, b.global("g"));
    b.done();
  }
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  b.call("set", {n});
  b.ret(b.load(i64, b.global("g")));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(4)}), "4");
  EXPECT_EQ(outcome(f, {v(6)}), "0");
}

// ---- exceptions ----

TEST(Builder, Try) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var step = b.var("step", i64, 0);
  b.try_(
      [&] {
        step = 1;
        b.op("check_zero", {x});
        step = 2;
        b.op("check_negative", {x});
        step = 3;
      },
      [&](Val) { step += 100; });
  b.ret(step);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "101");
  EXPECT_EQ(outcome(f, {v(-1)}), "102");
  EXPECT_EQ(outcome(f, {v(1)}), "3");
}

TEST(Builder, HandlerGetsTheException) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var r = b.var("r", i64, 0);
  b.try_([&] { b.throw_(b.op("box", {x})); }, [&](Val e) { r = b.op("unbox", {e}, i64); });
  b.ret(r * 2);
  EXPECT_EQ(outcome(b.done(), {v(21)}), "42");
}

TEST(Builder, VariableThatRegionDoesNotAssignNeedsNoPhi) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var y = b.var("y", i64, x * 2);
  b.try_([&] { b.op("check_zero", {x}); }, [&](Val) { b.ret(y + 1); });
  b.ret(y);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "1");
  EXPECT_EQ(outcome(f, {v(4)}), "8");
  EXPECT_EQ(phi_count(f), 0u);
}

TEST(Builder, TryNestedAndThrowInsideOfHandler) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var log = b.var("log", i64, 0);
  auto note = [&](int digit) { log = log * 10 + digit; };
  b.try_(
      [&] {
        note(1);
        b.try_(
            [&] {
              note(2);
              b.op("check_zero", {x});
              note(3);
            },
            [&](Val e) {
              note(4);
              b.op("check_negative", {b.constant(i64, int64_t{-1})});
              b.throw_(e);
            });
        note(5);
        b.op("check_negative", {x});
        note(6);
      },
      [&](Val) { note(7); });
  note(8);
  b.ret(log);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "12478");
  EXPECT_EQ(outcome(f, {v(-1)}), "123578");
  EXPECT_EQ(outcome(f, {v(1)}), "123568");
}

TEST(Builder, LeavingTryByBreakContinueAndReturn) {
  Module m;
  Builder b(m, "f", {{"n", i64}, {"stop", i64}}, i64);
  Var n = b.param("n"), stop = b.param("stop");
  Var i = b.var("i", i64, 0), log = b.var("log", i64, 0);
  b.try_(
      [&] {
        b.loop([&] {
          i += 1;
          b.try_(
              [&] {
                b.if_(i > n, [&] { b.break_(); });
                b.try_(
                    [&] {
                      b.if_(i % 2 == 0, [&] { b.continue_(); });
                      b.if_(i == stop, [&] { b.ret(log + 1000); });
                      log += i;
                      b.op("check_zero", {i - 5});
                      log += 1;
                    },
                    [&](Val) {
                      log += 100;
                      b.op("check_negative", {i - n});
                    });
              },
              [&](Val) { log += 10; });
        });
        b.op("check_zero", {log - 4});  // the outer handler is the only one left here
        log += 5000;
      },
      [&](Val) { log = -log; });
  b.ret(log);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(4), v(99)}), "5006");   // 1+1, 3+1
  EXPECT_EQ(outcome(f, {v(2), v(99)}), "5002");
  EXPECT_EQ(outcome(f, {v(3), v(3)}), "1002");
  EXPECT_EQ(outcome(f, {v(5), v(99)}), "5111");   // 2+4+5, then check_zero throws: +100
  EXPECT_EQ(outcome(f, {v(6), v(99)}), "5121");   // ... and the handler throws to the middle one
}

TEST(Builder, TryInLoopAndLoopInTry) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var i = b.var("i", i64, 0), caught = b.var("caught", i64, 0), last = b.var("last", i64, -1);
  b.while_([&] { return i < n; }, [&] {
    b.try_(
        [&] {
          Var j = b.var("j", i64, 3);
          b.while_([&] { return j >= 0; }, [&] {
            last = i * 10 + j;
            b.op("check_zero", {j - i});
            j -= 1;
          });
        },
        [&](Val) { caught = caught * 100 + last; });
    i += 1;
  });
  b.ret(caught);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "0");
  EXPECT_EQ(outcome(f, {v(4)}), "112233");
  EXPECT_EQ(outcome(f, {v(9)}), "112233");
}

TEST(Builder, UncaughtExceptionLeavesTheFunction) {
  Module m;
  {
    Builder b(m, "g", {{"x", i64}}, i64);
    b.ret(b.op("check_zero", {b.param("x")}));
    b.done();
  }
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var r = b.var("r", i64, 7);
  b.try_([&] { r = b.call("g", {x}); }, [&](Val) { r += 1; });
  b.ret(r);
  Func& f = b.done();
  EXPECT_EQ(outcome(*m.find("g"), {v(0)}), "throws zero");
  EXPECT_EQ(outcome(f, {v(0)}), "8");
  EXPECT_EQ(outcome(f, {v(5)}), "5");
}

// ---- undefined variables ----

TEST(Builder, UndefinedThrows) {
  Module m;
  Builder b(m, "f", {{"c", i1}, {"d", i1}}, i64);
  Var c = b.param("c"), d = b.param("d");
  Var x = b.var("x", i64, Undefined::throws);
  b.if_(c, [&] { x = 5; });
  b.if_(d, [&] { b.unset(x); });
  b.ret(x);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {true, false}), "5");
  EXPECT_EQ(outcome(f, {false, false}), "throws undefined 'x'");
  EXPECT_EQ(outcome(f, {true, true}), "throws undefined 'x'");
}

TEST(Builder, CertainlyUndefinedThrows) {
  Module m;
  {
    Builder b(m, "f", {}, i64);
    Var x = b.var("x", i64, Undefined::throws);
    b.ret(x + 1);
    EXPECT_EQ(outcome(b.done(), {}), "throws undefined 'x'");
  }
  Builder b(m, "g", {{"c", i1}}, f64);
  Var x = b.var("x", f64, 1.5), y = b.var("y", f64, Undefined::throws);
  b.if_(b.param("c"), [&] { b.unset(y); }, [&] { x = 2.5; });
  b.ret(x + y);  // undefined on both ways, which is known only when the ways have met
  EXPECT_EQ(outcome(b.done(), {true}), "throws undefined 'y'");
}

TEST(Builder, CheckIsDroppedWhereAssigned) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64);
  Var x = b.var("x", i64, Undefined::throws);
  b.if_(b.param("c"), [&] { x = 1; }, [&] { x = 2; });
  b.ret(x);
  Func& f = b.done();
  EXPECT_EQ(to_text(f).find("throw_undef"), std::string::npos);
  EXPECT_EQ(phi_count(f), 1u);
}

TEST(Builder, UndefinedIsSeenByHandlers) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var x = b.var("x", i64, Undefined::throws), r = b.var("r", i64, 0);
  b.try_(
      [&] {
        b.op("check_zero", {n});
        x = 10;
        b.op("check_zero", {n - 1});
        b.unset(x);
        b.op("check_zero", {n - 2});
        r = x;
      },
      [&](Val) { b.if_(b.is_defined(x), [&] { r = x + 1; }, [&] { r = -1; }); });
  b.ret(r);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "-1");
  EXPECT_EQ(outcome(f, {v(1)}), "11");
  EXPECT_EQ(outcome(f, {v(2)}), "-1");
  EXPECT_EQ(outcome(f, {v(3)}), "-1");
}

TEST(Builder, UndefinedIsZero) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64);
  Var c = b.param("c");
  Var x = b.var("x", i64, Undefined::zero);
  b.if_(c, [&] { x = 5; });
  Var y = b.var("y", i64, x);
  b.unset(x);
  b.ret(x * 10 + y);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {true}), "5");
  EXPECT_EQ(outcome(f, {false}), "0");
}

TEST(Builder, UndefinedIsRejected) {
  Module m;
  {
    Builder b(m, "f", {}, i64);
    Var x = b.var("x", i64);
    b.ret(x);
    Expected<Func*> f = b.try_done();
    ASSERT_FALSE(f);
    EXPECT_EQ(f.error()[0].rule, "undef-use");
  }
  {
    Builder b(m, "possible", {{"c", i1}}, i64);
    Var x = b.var("x", i64);
    b.if_(b.param("c"), [&] { x = 3; });
    b.ret(x + 1);
    Func& f = b.done();
    EXPECT_EQ(outcome(f, {true}), "4");
    EXPECT_EQ(run(f, std::vector<Value>{false}).kind, RunResult::Kind::trap);
  }
  Builder b(m, "unset", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.unset(x);
  b.ret(x);
  EXPECT_FALSE(b.try_done());
}

}  // namespace
}  // namespace braid
