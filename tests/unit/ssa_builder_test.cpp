// The public Builder, form by form: what is built is printed, verified and run.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace braid {
namespace {

/// Runs and renders: a value, `throws …`, or how it failed. Also checks that the text reads back.
std::string outcome(const Func& f, std::vector<Value> arguments, const RunOptions& options = {}) {
  return run(f, arguments, options).message;
}

Value v(int64_t x) { return Value(x); }

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

// ---- blocks and jumps ----

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

// ---- values ----

TEST(Builder, OperatorsOnIntegersAndFloats) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  Var x = b.param("x"), y = b.param("y");
  Var r = b.var("r", i64, x + y);
  auto mix = [&](Val value) { r = r * 31 + value; };
  mix(x - y);
  mix(x * y);
  mix(x / y);
  mix(x % y);
  mix(x & y);
  mix(x | y);
  mix(x ^ y);
  mix(x << 3);
  mix(x >> 1);
  mix(100 - x);
  mix(-x);
  mix(~x);
  for (Val c : {x < y, x <= y, x > y, x >= y, x == y, x != y, 3 < x}) mix(b.convert("zext", c, i64));
  x += 1;
  x -= y;
  x *= 3;
  x /= 2;
  x %= 1000;
  x &= 255;
  x |= 512;
  x ^= 5;
  x <<= 4;
  x >>= 1;
  b.ret(r + x);
  int64_t a = 77;
  const int64_t c = -5;
  uint64_t expected = static_cast<uint64_t>(a + c);
  auto model = [&](int64_t value) { expected = expected * 31 + static_cast<uint64_t>(value); };
  for (int64_t value : {a - c, a * c, a / c, a % c, a & c, a | c, a ^ c, a << 3, a >> 1, 100 - a, -a, ~a}) model(value);
  for (bool value : {a < c, a <= c, a > c, a >= c, a == c, a != c, 3 < a}) model(value);
  a += 1, a -= c, a *= 3, a /= 2, a %= 1000, a &= 255, a |= 512, a ^= 5, a <<= 4, a >>= 1;
  EXPECT_EQ(outcome(b.done(), {v(77), v(-5)}), std::to_string(static_cast<int64_t>(expected + static_cast<uint64_t>(a))));

  Builder g(m, "g", {{"x", f64}}, i1);
  Var z = g.param("x");
  Val w = (z + 1.5) * 2 - z / 4 + -z;
  z = w % 3.0;
  g.ret(z == 1.75);
  EXPECT_EQ(outcome(g.done(), {Value(3.0)}), "false");
  Builder h(m, "h", {{"x", f32}}, f32);
  Var y32 = h.param("x");
  h.if_(y32 >= 1, [&] { y32 = y32 * 0.5 + 1; });
  h.ret(y32);
  EXPECT_EQ(interpret(h.done(), 3.0f).as_f32(), 2.5f);
}

TEST(Builder, NumbersWithoutASignStayWhatTheyAre) {
  constexpr uint64_t half = uint64_t{1} << 63;
  Module m;
  Builder b(m, "f", {}, f64);
  Var d = b.var("d", f64, half);
  d = d + UINT64_MAX;
  d += half;
  b.ret(d);
  EXPECT_EQ(interpret(b.done()).as_f64(), 0x1p+65);
  Builder w(m, "word", {}, i64);
  Var x = w.var("x", i64, half);
  x = x | 1u;
  x ^= uint64_t{6};
  w.ret(w.constant(i64, UINT64_MAX) - x);
  EXPECT_EQ(interpret(w.done()).as_i64(), INT64_MAX - 7);
  Builder r(m, "range", {}, f32);
  r.ret(r.constant(f32, UINT64_MAX) + r.constant(f32, -std::numeric_limits<double>::infinity()));
  EXPECT_EQ(interpret(r.done()).as_f32(), -std::numeric_limits<float>::infinity());
}

TEST(Builder, ConditionsAreNegatedAndVariables) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var running = b.var("running", i1, true);
  Var rounds = b.var("rounds", i64, 0);
  b.while_(running, [&] {
    rounds += 1;
    b.if_(!(n > 1), [&] { running = false; }, [&] { n -= 1; });
  });
  b.while_([&]() -> Val { return !running; }, [&] { running = true; rounds += 100; });
  b.if_(!running, [&] { rounds = 0; });
  b.ret(rounds);
  EXPECT_EQ(interpret(b.done(), 5).as_i64(), 105);
}

TEST(Builder, ConstantsOfAllTypes) {
  Module m;
  auto value_of = [&](std::string_view name, Type type, auto number) {
    Builder b(m, name, {}, type);
    b.ret(b.constant(type, number));
    return run(b.done(), {}).value;
  };
  EXPECT_EQ(value_of("i1", i1, int64_t{1}), Value(true));
  EXPECT_EQ(value_of("i8", i8, int64_t{-128}), Value(int8_t{-128}));
  EXPECT_EQ(value_of("u8", i8, int64_t{255}), Value(int8_t{-1}));
  EXPECT_EQ(value_of("i16", i16, int64_t{-300}), Value(int16_t{-300}));
  EXPECT_EQ(value_of("i32", i32, int64_t{1} << 31), Value(INT32_MIN));
  EXPECT_EQ(value_of("i64", i64, INT64_MIN), Value(INT64_MIN));
  EXPECT_EQ(value_of("f32", f32, 0.1), Value(0.1f));
  EXPECT_EQ(value_of("f64", f64, -0.0), Value(-0.0));
  EXPECT_EQ(value_of("whole", f64, int64_t{3}), Value(3.0));
  EXPECT_EQ(value_of("ptr", ptr, int64_t{0}).bits, 0u);
  EXPECT_EQ(value_of("int", i64, 7), Value(int64_t{7}));
  EXPECT_EQ(value_of("bool", i1, true), Value(true));
  EXPECT_EQ(value_of("float", f64, 0.5f), Value(0.5));
  EXPECT_EQ(value_of("uint32", i32, 0xffffffffu), Value(-1));
  Builder b(m, "null", {}, i1);
  b.ret(b.null() == 0);
  EXPECT_EQ(outcome(b.done(), {}), "true");
}

TEST(Builder, OpsByNameSelectAndTuples) {
  Module m;
  Builder b(m, "f", {{"x", i32}, {"c", i1}}, i64);
  Var x = b.param("x"), c = b.param("c");
  Val sum = b.op("sadd_overflow", {x, 1});
  Val pair = b.op("tuple", {b.extract(sum, 0), b.constant(i64, int64_t{7})});
  Val wide = b.convert("sext", b.extract(pair, 0), i64);
  Val chosen = b.select(c, wide, 1000);
  Val other = b.select(c, 2000, wide);
  Val overflowed = b.convert("zext", b.extract(sum, 1), i64);
  b.ret(chosen * 10 + other + b.extract(pair, 1) + overflowed + b.op("smax", {wide, 3}) + b.op("udiv", {100, wide}));
  Func& f = b.done();
  auto model = [](int64_t x, bool c) {
    int64_t w = static_cast<int32_t>(static_cast<uint32_t>(x + 1));
    uint64_t quotient = w == 0 ? 0 : 100u / static_cast<uint64_t>(w);
    return std::to_string((c ? w : 1000) * 10 + (c ? 2000 : w) + 7 + (x == INT32_MAX) + std::max<int64_t>(w, 3) +
                          static_cast<int64_t>(quotient));
  };
  for (int32_t x : {4, -1, -50, INT32_MAX})
    for (bool c : {false, true}) EXPECT_EQ(outcome(f, {Value(x), c}), model(x, c)) << x;
}

TEST(Builder, Calls) {
  Module m;
  m.declare_external("host.twice", std::vector<Type>{i64}, i64);
  {
    Builder b(m, "fib", {{"n", i64}}, i64);
    Var n = b.param("n");
    b.if_(n < 2, [&] { b.ret(n); });
    b.ret(b.call("fib", {n - 1}) + b.call("fib", {n - 2}));
    b.done();
  }
  // Two that call each other, both begun before either is done.
  Builder even(m, "even", {{"n", i64}}, i1), odd(m, "odd", {{"n", i64}}, i1);
  even.if_(even.param(0) == 0, [&] { even.ret(true); });
  even.ret(even.call("odd", {even.param(0) - 1}));
  odd.if_(odd.param(0) == 0, [&] { odd.ret(false); });
  odd.ret(odd.call("even", {odd.param(0) - 1}));
  even.done();
  odd.done();
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Val fib = b.call("fib", {n});
  Val address = b.function_address("fib");
  Val indirect = b.call_indirect(i64, address, {n + 1});
  Val twice = b.call("host.twice", {10});
  Arg arguments[] = {n};
  Val is_even = b.call(*m.find("even"), arguments);
  b.ret(fib * 1000000 + indirect * 1000 + twice + b.convert("zext", is_even, i64));
  Func& f = b.done();
  RunOptions options;
  options.host["host.twice"] = [](std::span<const Value> arguments) {
    return IntrinsicResult(Value(arguments[0].as_i64() * 2));
  };
  EXPECT_EQ(outcome(f, {v(10)}, options), "55089021");
  EXPECT_EQ(outcome(f, {v(11)}, options), "89144020");
}

TEST(Builder, Intrinsics) {
  Module m;
  m.declare({"sat.add", {i8, i8}, i8, Effects::pure, [](std::span<const Value> x) {
               int sum = x[0].as_i32() + x[1].as_i32();
               return IntrinsicResult(Value(static_cast<int8_t>(std::min(127, std::max(-128, sum)))));
             }});
  Builder b(m, "f", {{"x", i8}}, i8);
  b.ret(b.intrinsic("sat.add", {b.param("x"), 100}));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(int8_t{20})}), "120");
  EXPECT_EQ(outcome(f, {Value(int8_t{30})}), "127");
}

TEST(Builder, Memory) {
  Module m;
  uint8_t bytes[] = {1, 2, 3, 4};
  m.add_global("table", 16, bytes, true);
  Builder b(m, "f", {{"i", i64}}, i64);
  Var i = b.param("i");
  Val slot = b.stack_slot(16);
  b.store(i, slot);
  b.store(b.constant(i32, int64_t{-2}), b.op("ptr_add", {slot, 8}));
  Val byte = b.load(i8, b.op("ptr_index", {b.global("table"), i, 1}));
  Val sum = b.load(i64, slot) * 100 + b.convert("sext", byte, i64);
  b.ret(sum + b.convert("sext", b.load(i32, b.op("ptr_add", {slot, 8})), i64));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(2)}), "201");
  EXPECT_EQ(outcome(f, {v(9)}), "898");
  EXPECT_EQ(run(f, std::vector<Value>{v(1000000)}).kind, RunResult::Kind::trap);
}

TEST(Builder, VariableOfAUnionTakesItsMembers) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64 | f64);
  Var x = b.var("x", i64 | f64);
  b.if_(b.param("c"), [&] { x = b.constant(i64, int64_t{4}); }, [&] { x = b.constant(f64, 0.5); });
  b.ret(x);
  Func& f = b.done();
  EXPECT_EQ(run(f, std::vector<Value>{true}).value, Value(int64_t{4}));
  EXPECT_EQ(run(f, std::vector<Value>{false}).value, Value(0.5));
}

TEST(Builder, AssigningAVariableCopiesItsValue) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}}, i64);
  Var x = b.param("x"), y = b.param("y");
  Var t = b.var("t", i64, x);
  x = y;
  y = t;
  b.ret(x * 10 + y);
  EXPECT_EQ(outcome(b.done(), {v(1), v(2)}), "21");
}

TEST(Builder, LocationsReachTheText) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  b.location("a.c", 12, 3);
  Val sum = b.param("x") + 1;
  b.location("a.c", 13, 5);
  b.ret(sum);
  std::string text = to_text(b.done());
  EXPECT_NE(text.find("!\"a.c\":12:3"), std::string::npos) << text;
  EXPECT_NE(text.find("13:5"), std::string::npos) << text;
}

TEST(Builder, TextReadsBack) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Var s = b.var("s", i64, Undefined::throws);
  Label again = b.label("again"), twin = b.label("again"), out = b.label("b1");
  b.jump(again);
  b.at(again);
  b.try_([&] { s = b.op("check_zero", {n}); }, [&](Val) { s = 5; });
  n -= 1;
  b.branch(n > 3, again, twin);
  b.at(twin).branch(n > 1, out, again);
  b.at(out).ret(s);
  std::string text = to_text(b.done());
  Expected<Module> again_read = parse(text);
  ASSERT_TRUE(again_read) << render(again_read.error()) << text;
  EXPECT_EQ(to_text(*again_read->find("f")), text);
}

}  // namespace
}  // namespace braid
