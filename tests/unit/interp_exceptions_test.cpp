// Exceptions: handlers, the exception stack, upsilon and phi_c, unwinding.
#include "interp_testing.h"

namespace braid::interp {
namespace {

// Fact 20 of the notes: phi_c reads the last store of the way that was taken. a, b are 1, 2.
TEST(InterpExceptions, PhiCReadsTheLastUpsilon) {
  Program p(R"(
func @f(t: i1) -> i64 {
b1:
  %u0 = upsilon i64 undef
  %v0 = upsilon i64 undef
  %tok = enter b6, b3
b3:
  %u1 = upsilon i64 2
  branch %t, b4, b5
b4:
  %u2 = upsilon i64 1
  jump b5
b5:
  %e = box i64 0
  throw %e
b6:
  %12 = phi_c i64 [%u0, %u1, %u2]
  %13 = phi_c i64 [%v0]
  pop_exception %tok
  jump b7
b7:
  ret %12
}
)");
  EXPECT_EQ(p.run("f", true), "1");
  EXPECT_EQ(p.run("f", false), "2");
}

TEST(InterpExceptions, UpsilonBeforeEnterRunsOnce) {
  // z = 0; try { while (z != 5) z += 1; throw } catch {}; z: a loop inside the region must not store the first value again.
  Program p(R"(
func @f(limit: i64) -> i64 {
entry:
  %u0 = upsilon i64 0
  %t = enter handler, loop_start
loop_start:
  jump loop
loop:
  %z = phi i64 [loop_start: 0, body: %z2]
  %d = sub i64 %limit, %z
  %x = check_zero i64 %d
  jump body
body:
  %z2 = add i64 %z, 1
  %u1 = upsilon i64 %z2
  jump loop
handler:
  %r = phi_c i64 [%u0, %u1]
  pop_exception %t
  ret %r
}
)");
  EXPECT_EQ(p.run("f", int64_t{0}), "0");
  EXPECT_EQ(p.run("f", int64_t{5}), "5");
}

TEST(InterpExceptions, ARegisterThatAHandlerReadsIsNotShared) {
  // i is alive in the handler while i2 is computed in the region.
  Program p(R"(
func @f(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 1, next: %i2]
  %t = enter handler, body
body:
  %d = sub i64 %n, %i
  %i2 = add i64 %i, 10
  %x = check_negative i64 %d
  jump next0
next0:
  leave %t
  jump next
next:
  jump head
handler:
  pop_exception %t
  ret %i
}
)");
  EXPECT_EQ(p.run("f", int64_t{35}), "41");
  EXPECT_EQ(p.run("f", int64_t{-1}), "1");
}

TEST(InterpExceptions, NestedHandlersAndRethrow) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %outer = enter outer_handler, outer_body
outer_body:
  %inner = enter inner_handler, inner_body
inner_body:
  %q = check_zero i64 %x
  leave %inner
  jump after
after:
  %n = check_negative i64 %x
  leave %outer
  ret %n
inner_handler:
  %e = the_exception
  throw %e
outer_handler:
  %o = the_exception
  pop_exception %outer
  ret -1
}
func @replaced(x: i64) -> ref {
entry:
  %outer = enter outer_handler, outer_body
outer_body:
  %inner = enter inner_handler, inner_body
inner_body:
  %e1 = box i64 1
  throw %e1
inner_handler:
  %e2 = box i64 2
  throw %e2
outer_handler:
  %o = the_exception
  pop_exception %outer
  ret %o
}
func @both_left(x: i64) -> i64 {
entry:
  %a = enter h1, one
one:
  %b = enter h2, two
two:
  %q = check_zero i64 %x
  leave %a, %b
  %z = check_negative i64 %x
  ret %z
h1:
  pop_exception %a
  ret -1
h2:
  pop_exception %b
  leave %a
  ret -2
}
)");
  EXPECT_EQ(p.run("f", int64_t{5}), "5");
  EXPECT_EQ(p.run("f", int64_t{0}), "-1") << "the inner handler throws on";
  EXPECT_EQ(p.run("f", int64_t{-5}), "-1") << "the inner region was left";
  EXPECT_EQ(p.run("replaced", int64_t{0}), "box 2");
  EXPECT_EQ(p.run("both_left", int64_t{3}), "3");
  EXPECT_EQ(p.run("both_left", int64_t{0}), "-2");
  EXPECT_EQ(p.run("both_left", int64_t{-1}), "throws negative") << "no handler is left";
}

TEST(InterpExceptions, TheExceptionStack) {
  // While one exception is handled, another is thrown and handled inside; then the first is the one again.
  Program p(R"(
func @f() -> (i64, i64) {
entry:
  %a = enter first, body
body:
  %e1 = box i64 1
  throw %e1
first:
  %b = enter second, body2
body2:
  %e2 = box i64 2
  throw %e2
second:
  %x = the_exception
  pop_exception %b
  %y = the_exception
  pop_exception %a
  %i = unbox i64 %x
  %j = unbox i64 %y
  %r = tuple (%i, %j)
  ret %r
}
)");
  EXPECT_EQ(p.run("f"), "(2, 1)");
}

TEST(InterpExceptions, AcrossFrames) {
  Program p(R"(
func @thrower(n: i64) -> i64 {
entry:
  %c = eq i64 %n, 0
  branch %c, now, deeper
now:
  %e = box i64 99
  throw %e
deeper:
  %m = sub i64 %n, 1
  %r = call @thrower(%m)
  %s = add i64 %r, 1
  ret %s
}
func @catcher(n: i64) -> i64 {
entry:
  %t = enter handler, body
body:
  %r = call @thrower(%n)
  leave %t
  ret %r
handler:
  %e = the_exception
  pop_exception %t
  %v = unbox i64 %e
  ret %v
}
func @often(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, body: %i2]
  %s = phi i64 [entry: 0, body: %s2]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %v = call @catcher(%i)
  %s2 = add i64 %s, %v
  %i2 = add i64 %i, 1
  jump head
done:
  ret %s
}
func @uncaught(n: i64) -> i64 {
entry:
  %r = call @thrower(%n)
  ret %r
}
func @promised(n: i64) -> i64 {
entry:
  %r = call @thrower(%n) !nothrow
  ret %r
}
)");
  EXPECT_EQ(p.run("catcher", int64_t{0}), "99");
  EXPECT_EQ(p.run("catcher", int64_t{1000}), "99");
  EXPECT_EQ(p.run("often", int64_t{50}), std::to_string(99 * 50));
  EXPECT_EQ(p.run("uncaught", int64_t{3}), "throws box 99");
  EXPECT_EQ(p.run("promised", int64_t{3}), "traps: a call throws where it is said not to: box 99");
}

/// Behind what is not said to throw no upsilon need stand, and no slot need be written.
TEST(InterpExceptions, WhoIsNotSaidToThrowMustNot) {
  auto module = std::make_unique<ir::Module>();
  const IntrinsicEval boo = [](std::span<const Value> v) -> IntrinsicResult {
    if (v[0].as_i64() == 0) return IntrinsicResult::raise("boo");
    return Value(v[0]);
  };
  const ir::SigId signature = module->signature({{i64}, i64});
  module->add_intrinsic({module->symbol("t.pure"), signature, ir::no_traits, boo, {}});
  module->add_intrinsic({module->symbol("t.writes"), signature, ir::writes_memory, boo, {}});
  module->add_intrinsic({module->symbol("t.throws"), signature, ir::throws, boo, {}});
  std::string text = "extern @pure(i64) -> i64 pure\nextern @host(i64) -> i64 host\nextern @throws(i64) -> i64 host throws\n"
                     "extern @any(i64) -> i64\n";
  const std::pair<const char*, const char*> calls[] = {
      {"intrinsic_pure", "t.pure(%a)"},       {"intrinsic_writes", "t.writes(%a)"}, {"intrinsic_throws", "t.throws(%a)"},
      {"call_pure", "call @pure(%a)"},        {"call_host", "call @host(%a)"},      {"call_throws", "call @throws(%a)"},
      {"call_any", "call @any(%a)"},          {"promised", "call @any(%a) !nothrow"}};
  // Where it may throw, the slot must have been written.
  for (const auto& [name, call] : calls) {
    const bool may_throw = std::string_view(name).ends_with("throws") || std::string_view(name).ends_with("any");
    const std::string before = may_throw ? "  %v = upsilon i64 77\n" : "", slots = may_throw ? "[%v, %u]" : "[%u]";
    text += "func @" + std::string(name) + "(a: i64) -> i64 {\nentry:\n" + before + "  %t = enter handler, body\nbody:\n  %r = " + call +
            "\n  %u = upsilon i64 %r\n  %z = check_zero i64 %a\n  leave %t\n  ret %r\nhandler:\n  %c = phi_c i64 " + slots +
            "\n  pop_exception %t\n  ret %c\n}\n";
  }
  for (const char* callee : {"host", "any"})
    text += "func @through_" + std::string(callee) + "(a: i64) -> i64 {\nentry:\n  %f = func_addr @" + callee +
            "\n  %t = enter handler, body\nbody:\n  %r = call_indirect (i64) -> i64 %f(%a)\n  leave %t\n  ret %r\n"
            "handler:\n  pop_exception %t\n  ret 77\n}\n";
  Program p(std::move(text), std::move(module));
  for (const char* name : {"pure", "host", "throws", "any"})
    p.runtime.bind(name, [](ir::HostCall& call) {
      return call.arguments[0].as_i64() == 0 ? ir::HostResult::raise("boo") : ir::HostResult(Value(call.arguments[0]));
    });
  auto traps = [&](std::string_view name, const std::string& who) {
    EXPECT_EQ(p.run(name, int64_t{5}), "5");
    const std::string end = "traps: " + who + " throws where it is said not to";
    EXPECT_EQ(p.run(name, int64_t{0}), end);
    EXPECT_EQ(p.last_of_graph, end) << name;
  };
  traps("intrinsic_pure", "intrinsic t.pure");
  traps("intrinsic_writes", "intrinsic t.writes");
  traps("call_pure", "host function @pure");
  traps("call_host", "host function @host");
  traps("promised", "host function @any");
  traps("through_host", "host function @host");
  for (const char* name : {"intrinsic_throws", "call_throws", "call_any", "through_any"}) {
    EXPECT_EQ(p.run(name, int64_t{5}), "5");
    EXPECT_EQ(p.run(name, int64_t{0}), "77") << name;
  }
}

TEST(InterpExceptions, HandlersOfACallerSurviveItsCalls) {
  Program p(R"(
func @inner(x: i64) -> i64 {
entry:
  %t = enter handler, body
body:
  %q = check_zero i64 %x
  leave %t
  ret %q
handler:
  pop_exception %t
  ret 7
}
func @outer(x: i64) -> i64 {
entry:
  %t = enter handler, body
body:
  %a = call @inner(0)
  %b = sub i64 %x, %a
  %c = check_zero i64 %b
  leave %t
  ret %c
handler:
  pop_exception %t
  ret -7
}
)");
  EXPECT_EQ(p.run("outer", int64_t{10}), "3");
  EXPECT_EQ(p.run("outer", int64_t{7}), "-7");
}

TEST(InterpExceptions, AnExceptionGoesWithItsActivation) {
  Program p(R"(
func @forgets() -> i64 {
entry:
  %t = enter handler, body
body:
  %e = box i64 1
  throw %e
handler:
  ret 5
}
func @f() -> ref {
entry:
  %t = enter handler, body
body:
  %e = box i64 2
  throw %e
handler:
  %x = call @forgets()
  %mine = the_exception
  ret %mine
}
)");
  EXPECT_EQ(p.run("f"), "box 2");
}

TEST(InterpExceptions, ARegionWhoseHandlerCannotBeReached) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %t = enter none, body
body:
  %q = check_zero i64 %x
  leave %t
  ret %q
}
)");
  EXPECT_EQ(p.run("f", int64_t{4}), "4");
  EXPECT_EQ(p.run("f", int64_t{0}), "traps: an exception where no handler can be reached: zero");
}

TEST(InterpExceptions, UndefinedVariablesInHandlers) {
  Program p(R"(
func @f(a: i64, b: i64) -> i64 {
  var x: i64
entry:
  %t = enter handler, body
body:
  %p = check_zero i64 %a
  set x, %p
  %q = check_zero i64 %b
  leave %t
  ret 0
handler:
  pop_exception %t
  %r = get x
  ret %r
}
func @slots(a: i64, b: i64) -> i64 {
entry:
  %u0 = upsilon i64 undef
  %f0 = upsilon i1 false
  %t = enter handler, body
body:
  %p = check_zero i64 %a
  %u1 = upsilon i64 %p
  %f1 = upsilon i1 true
  %q = check_zero i64 %b
  leave %t
  ret 0
handler:
  %x = phi_c i64 [%u0, %u1]
  %f = phi_c i1 [%f0, %f1]
  pop_exception %t
  throw_undef "x", %f
  ret %x
}
)");
  for (const char* name : {"f", "slots"}) {
    EXPECT_EQ(p.run(name, int64_t{5}, int64_t{5}), "0");
    EXPECT_EQ(p.run(name, int64_t{5}, int64_t{0}), "5");
    EXPECT_EQ(p.run(name, int64_t{0}, int64_t{0}), "throws undefined 'x'");
  }
}

TEST(InterpExceptions, AUsedUndefSlotTraps) {
  Program p(R"(
func @f(a: i64, b: i64) -> i64 {
entry:
  %u0 = upsilon i64 undef
  %t = enter handler, body
body:
  %p = check_zero i64 %a
  %u1 = upsilon i64 %p
  %q = check_zero i64 %b
  leave %t
  ret 0
handler:
  %x = phi_c i64 [%u0, %u1]
  pop_exception %t
  %r = add i64 %x, 1
  ret %r
}
)");
  EXPECT_EQ(p.run("f", int64_t{5}, int64_t{0}), "6");
  EXPECT_EQ(p.run("f", int64_t{0}, int64_t{0}), "traps: use of undef in @f");
}

TEST(InterpExceptions, MixedSlots) {
  Program p(R"(
func @f(a: i64, b: i64) -> i64|f64 {
entry:
  %u0 = upsilon i64|f64 f64 0x1p-1
  %t = enter handler, body
body:
  %p = check_zero i64 %a
  %u1 = upsilon i64|f64 %p
  %q = check_zero i64 %b
  leave %t
  ret i64 0
handler:
  %x = phi_c i64|f64 [%u0, %u1]
  pop_exception %t
  ret %x
}
)");
  EXPECT_EQ(p.run("f", int64_t{5}, int64_t{0}), "5");
  EXPECT_EQ(p.run("f", int64_t{0}, int64_t{0}), "0.5");
}

TEST(InterpExceptions, AnOldPhiCKeepsItsValueWhenTheRegionIsEnteredAgain) {
  Program p(R"(
func @f() -> (i64, i64) {
entry:
  jump again
again:
  %n = phi i64 [entry: 1, more: 2]
  %old = phi i64 [entry: 0, more: %x]
  %u0 = upsilon i64 %n
  %t = enter handler, body
body:
  %e = box i64 0
  throw %e
handler:
  %x = phi_c i64 [%u0]
  pop_exception %t
  %c = eq i64 %x, 1
  branch %c, more, done
more:
  jump again
done:
  %r = tuple (%old, %x)
  ret %r
}
)");
  EXPECT_EQ(p.run("f"), "(1, 2)");
}

/// What a handler has read of its slots does not change when they are written again; what it has read of the exception does
/// not change when that is dropped.
TEST(InterpExceptions, WhatAHandlerHasReadStays) {
  Program p(R"(
func @slots(n: i64) -> i64 {
entry:
  %u0 = upsilon i64 1
  %t0 = enter h, body
body:
  check_true i1 false
  unreachable
h:
  %p = phi_c i64 [%u0, %u1]
  %q = add i64 %p, 1
  %more = slt i64 %p, %n
  %u1 = upsilon i64 %q
  branch %more, again, out
again:
  %t1 = enter h, body2
body2:
  %x = check_zero i64 0
  unreachable
out:
  ret %p
}
func @exception() -> i64 {
entry:
  %b = box i64 5
  %t = enter h, body
body:
  throw %b
h:
  %e = the_exception
  pop_exception %t
  %v = unbox i64 %e
  ret %v
}
)");
  EXPECT_EQ(p.run("slots", int64_t{1}), "1");
  EXPECT_EQ(p.run("slots", int64_t{4}), "4");
  EXPECT_EQ(p.run("exception"), "5");
}

}  // namespace
}  // namespace braid::interp
