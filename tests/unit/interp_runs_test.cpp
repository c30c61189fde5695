// Runs: calls, hosts, intrinsics, memory, limits, states, traces, arguments, and large functions.
#include "growth.h"
#include "interp_testing.h"
#include "small_stack.h"

namespace braid::interp {
namespace {

TEST(InterpRuns, Recursion) {
  Program p(R"(
func @fib(n: i64) -> i64 {
entry:
  %c = slt i64 %n, 2
  branch %c, small, large
small:
  ret %n
large:
  %a = sub i64 %n, 1
  %x = call @fib(%a)
  %b = sub i64 %n, 2
  %y = call @fib(%b)
  %r = add i64 %x, %y
  ret %r
}
func @depth(n: i64) -> i64 {
entry:
  %c = eq i64 %n, 0
  branch %c, end, more
end:
  ret 0
more:
  %m = sub i64 %n, 1
  %r = call @depth(%m)
  %s = add i64 %r, 1
  ret %s
}
func @even(n: i64) -> i1 {
entry:
  %c = eq i64 %n, 0
  branch %c, yes, more
yes:
  ret true
more:
  %m = sub i64 %n, 1
  %r = call @odd(%m)
  ret %r
}
func @odd(n: i64) -> i1 {
entry:
  %c = eq i64 %n, 0
  branch %c, no, more
no:
  ret false
more:
  %m = sub i64 %n, 1
  %r = call @even(%m)
  ret %r
}
)");
  EXPECT_EQ(p.run("fib", int64_t{20}), "6765");
  EXPECT_EQ(p.run("even", int64_t{101}), "false");
  run_on_small_stack([&] { EXPECT_EQ(p.run("depth", int64_t{100'000}), "100000"); });
  p.options.max_depth = 1000;
  EXPECT_EQ(p.run("depth", int64_t{998}), "998");
  EXPECT_EQ(p.run("depth", int64_t{1000}), "stops: more than 1000 calls deep");
  p.options.max_depth = 1'000'000'000;
  p.options.max_memory = 1 << 20;
  EXPECT_EQ(p.run("depth", int64_t{10'000'000}), "stops: more than 1048576 bytes of memory");
}

TEST(InterpRuns, IndirectCalls) {
  Program p(R"(
extern @host(i64) -> i64
func @inc(x: i64) -> i64 {
entry:
  %r = add i64 %x, 1
  ret %r
}
func @other(x: f64) -> i64 {
entry:
  ret 0
}
func @apply(p: ptr, x: i64) -> i64 {
entry:
  %r = call_indirect (i64) -> i64 %p(%x)
  ret %r
}
func @good(x: i64) -> i64 {
entry:
  %f = func_addr @inc
  %r = call @apply(%f, %x)
  ret %r
}
func @through_host(x: i64) -> i64 {
entry:
  %f = func_addr @host
  %r = call @apply(%f, %x)
  ret %r
}
func @wrong_signature(x: i64) -> i64 {
entry:
  %f = func_addr @other
  %r = call @apply(%f, %x)
  ret %r
}
func @beside(x: i64) -> i64 {
entry:
  %f = func_addr @inc
  %g = ptr_add %f, 8
  %r = call @apply(%g, %x)
  ret %r
}
func @read() -> i64 {
entry:
  %f = func_addr @inc
  %r = load i64 %f
  ret %r
}
)");
  p.runtime.bind("host", [](ir::HostCall& call) { return ir::HostResult(Value(call.arguments[0].as_i64() * 3)); });
  EXPECT_EQ(p.run("good", int64_t{4}), "5");
  EXPECT_EQ(p.run("through_host", int64_t{4}), "12");
  EXPECT_EQ(p.run("wrong_signature", int64_t{4}), "throws bad_call");
  EXPECT_EQ(p.run("beside", int64_t{4}), "throws bad_call");
  EXPECT_EQ(p.run_values("apply", {Value(ptr, 0), Value(int64_t{1})}), "throws bad_call");
  EXPECT_EQ(p.run_values("apply", {Value(ptr, ~uint64_t{0}), Value(int64_t{1})}), "throws bad_call");
  EXPECT_EQ(p.run("read"), "traps: bad address in @read");
}

TEST(InterpRuns, HostFunctions) {
  Program p(R"(
extern @log(i64, f64) -> void host
extern @twice(i64) -> i64
extern @fails(i64) -> i64
extern @lies() -> i64
extern @mixed(i64|f64) -> i64|f64
extern @poke(ptr) -> void
func @f(x: i64) -> i64 {
entry:
  call @log(%x, 0x1p-1)
  %r = call @twice(%x)
  ret %r
}
func @g(x: i64) -> i64 {
entry:
  %t = enter handler, body
body:
  %r = call @fails(%x)
  leave %t
  ret %r
handler:
  pop_exception %t
  ret -1
}
func @uncaught(x: i64) -> i64 {
entry:
  %r = call @fails(%x)
  ret %r
}
func @h() -> i64 {
entry:
  %r = call @lies()
  ret %r
}
func @m(c: i1) -> i64|f64 {
entry:
  branch %c, a, b
a:
  %x = call @mixed(i64 1)
  ret %x
b:
  %y = call @mixed(f64 0x1p+1)
  ret %y
}
func @memory() -> i64 {
entry:
  %s = stack_slot 8, 8
  call @poke(%s)
  %r = load i64 %s
  ret %r
}
)");
  std::string log;
  EXPECT_EQ(p.run("f", int64_t{4}), "fails: there is no host function @log");
  p.runtime.bind("log", [&](ir::HostCall& call) {
    const std::string line = ir::to_string(call.arguments[0]) + " " + ir::to_string(call.arguments[1]) + ";";
    if (!log.ends_with(line)) log += line;  // the same program runs in several ways
    return ir::HostResult();
  });
  p.runtime.bind("twice", [](ir::HostCall& call) { return ir::HostResult(Value(call.arguments[0].as_i64() * 2)); });
  p.runtime.bind("fails", [](ir::HostCall& call) {
    if (call.arguments[0].as_i64() == 0) return ir::HostResult::raise("no_luck", "today");
    return ir::HostResult::raise_object(call.runtime.box(Value(int64_t{3})));
  });
  p.runtime.bind("lies", [](ir::HostCall&) { return ir::HostResult(Value(1.5)); });
  p.runtime.bind("mixed", [](ir::HostCall& call) {
    if (call.arguments[0].type == i64) return ir::HostResult(Value(2.5));
    return ir::HostResult(Value(int64_t{7}));
  });
  p.runtime.bind("poke", [](ir::HostCall& call) {
    uint8_t* at = call.memory.writable(call.arguments[0].bits, 8);
    if (at == nullptr) return ir::HostResult::raise("bad");
    at[1] = 1;
    return ir::HostResult();
  });
  EXPECT_EQ(p.run("f", int64_t{4}), "8");
  EXPECT_EQ(log, "4 0.5;");
  EXPECT_EQ(p.run("g", int64_t{0}), "-1");
  EXPECT_EQ(p.run("uncaught", int64_t{0}), "throws no_luck 'today'");
  EXPECT_EQ(p.run("uncaught", int64_t{1}), "throws box 3");
  EXPECT_EQ(p.run("h"), "fails: host function @lies answered a value of another type: 1.5");
  EXPECT_EQ(p.run("m", true), "2.5");
  EXPECT_EQ(p.run("m", false), "7");
  EXPECT_EQ(p.run("memory"), "256");
}

/// What the host is told until the steps are used up.
std::vector<int64_t> told(Program& p, std::string_view name, uint64_t max_steps, const std::vector<Value>& values = {}) {
  std::vector<int64_t> numbers[2];
  p.options.max_steps = max_steps;
  for (bool trace : {false, true}) {
    p.runtime.bind("tell", [&, trace](ir::HostCall& call) {
      numbers[trace].push_back(call.arguments[0].as_i64());
      return ir::HostResult();
    });
    p.last = p.outcome(name, values, trace);
  }
  EXPECT_EQ(numbers[0], numbers[1]) << "with and without tracing";
  return numbers[0];
}

TEST(InterpRuns, CallsAreWithinTheLimitOfSteps) {
  auto module = std::make_unique<ir::Module>();
  std::vector<int64_t> seen;
  module->add_intrinsic({module->symbol("t.see"), module->signature({{i64}, i64}), ir::writes_memory,
                         [&](std::span<const Value> v) -> IntrinsicResult {
                           seen.push_back(v[0].as_i64());
                           return Value(v[0]);
                         },
                         {}});
  Program p(R"(
extern @tell(i64) -> void host
func @row() -> void {
entry:
  call @tell(1)
  call @tell(2)
  call @tell(3)
  call @tell(4)
  call @tell(5)
  ret
}
func @indirect_row() -> void {
entry:
  %t = func_addr @tell
  call_indirect (i64) -> void %t(1)
  call_indirect (i64) -> void %t(2)
  call_indirect (i64) -> void %t(3)
  call_indirect (i64) -> void %t(4)
  ret
}
func @one(n: i64) -> i64 {
entry:
  call @tell(%n)
  %m = add i64 %n, 1
  %r = call @one(%m)
  ret %r
}
func @two(n: i64, by: i64) -> i64 {
entry:
  call @tell(%n)
  %m = add i64 %n, %by
  %r = call @two(%m, %by)
  ret %r
}
func @indirect(n: i64) -> i64 {
entry:
  call @tell(%n)
  %f = func_addr @indirect
  %r = call_indirect (i64) -> i64 %f(%n)
  ret %r
}
func @kept(n: i64) -> i64 {
entry:
  %s = stack_slot 8, 8
  call @tell(%n)
  %r = call @kept(%n)
  ret %r
}
func @intrinsics(n: i64) -> i64 {
entry:
  %a = t.see(%n)
  %b = t.see(%a)
  %c = t.see(%b)
  %d = t.see(%c)
  ret %d
}
)", std::move(module));
  using Numbers = std::vector<int64_t>;
  const Value seven(int64_t{7});
  EXPECT_EQ(told(p, "row", 3), (Numbers{1, 2, 3}));
  EXPECT_EQ(to_string(p.last), "stops: more than 3 steps");
  EXPECT_EQ(p.last.steps, 3u);
  EXPECT_EQ(told(p, "row", 5), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(p.last.kind, OutcomeKind::limit);
  EXPECT_EQ(told(p, "row", 6), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(p.last.kind, OutcomeKind::value);
  EXPECT_EQ(told(p, "row", 0), Numbers{});
  EXPECT_EQ(told(p, "indirect_row", 3), (Numbers{1, 2}));
  // Each activation has three statements.
  EXPECT_EQ(told(p, "one", 7, {seven}), (Numbers{7, 8, 9}));
  EXPECT_EQ(told(p, "one", 6, {seven}), (Numbers{7, 8}));
  EXPECT_EQ(told(p, "two", 7, {seven, seven}), (Numbers{7, 14, 21}));
  EXPECT_EQ(told(p, "two", 6, {seven, seven}), (Numbers{7, 14}));
  EXPECT_EQ(told(p, "indirect", 7, {seven}), (Numbers{7, 7, 7}));
  EXPECT_EQ(told(p, "indirect", 6, {seven}), (Numbers{7, 7}));
  EXPECT_EQ(told(p, "kept", 7, {seven}), (Numbers{7, 7}));
  EXPECT_EQ(told(p, "intrinsics", 3, {seven}), Numbers{});
  EXPECT_EQ(seen, Numbers(6, 7));
}

TEST(InterpRuns, TheTraceEndsWithTheLastStep) {
  Program p("func @f(a: i64) -> i64 {\nentry:\n  %b = add i64 %a, 1\n  %c = add i64 %b, 1\n  %d = add i64 %c, 1\n  ret %d\n}\n");
  std::string lines;
  p.options.trace_sink = [&](std::string_view line) { (lines += line) += '\n'; };
  p.options.max_steps = 2;
  EXPECT_EQ(to_string(p.outcome("f", {Value(int64_t{5})}, true)), "stops: more than 2 steps");
  EXPECT_EQ(lines, "@f (%a) ; 5\n@f entry: %0 = add i64 %a, 1 ; 6\n@f entry: %1 = add i64 %0, 1 ; 7\n");
}

TEST(InterpRuns, StepsAreCountedUpToWhereTheRunEnds) {
  Program p(R"(
func @throws(a: i64) -> i64 {
entry:
  %b = add i64 %a, 1
  %c = mul i64 %b, %a
  %z = check_zero i64 %a
  %d = sub i64 %c, 1
  ret %d
}
func @caught(a: i64) -> i64 {
entry:
  %t = enter handler, body
body:
  %r = call @throws(%a)
  leave %t
  ret %r
handler:
  ret -1
}
func @traps(a: i64) -> i64 {
entry:
  %p = inttoptr i64 %a to ptr
  %x = load i64 %p
  ret %x
}
func @leaves(a: i64) -> i64 {
entry:
  %b = add i64 %a, 1
  %s = save_state 7 reexecute [0: %a]
  %c = slt i64 %a, 5
  guard %c, %s
  %d = add i64 %b, 1
  ret %d
}
)");
  auto steps = [&](std::string_view name, int64_t argument) {
    p.run(name, argument);
    return p.last.steps;
  };
  EXPECT_EQ(steps("throws", 0), 3u);
  EXPECT_EQ(steps("throws", 1), 5u);
  EXPECT_EQ(steps("caught", 0), 1 + 1 + 3 + 1u);
  EXPECT_EQ(steps("caught", 1), 1 + 3 + 5u);
  EXPECT_EQ(steps("traps", 8), 2u);
  EXPECT_EQ(steps("leaves", 1), 6u);
  EXPECT_EQ(steps("leaves", 9), 4u);
}

/// More statements than one instruction can pay for.
TEST(InterpRuns, LongBlocksAreWithinTheLimitOfSteps) {
  constexpr uint64_t count = 150'000;
  std::string sums = "  %0 = add i64 %a, 1\n";
  for (uint64_t i = 1; i < count; ++i) sums += "  %" + std::to_string(i) + " = add i64 %" + std::to_string(i - 1) + ", 1\n";
  const std::string last = "%" + std::to_string(count - 1);
  Program p("extern @tell(i64) -> void host\n"
            "func @sums(a: i64) -> i64 {\nentry:\n" + sums + "  ret " + last + "\n}\n"
            "func @throws(a: i64) -> i64 {\nentry:\n" + sums + "  %z = check_zero i64 %a\n  ret " + last + "\n}\n"
            "func @tells(a: i64) -> i64 {\nentry:\n" + sums + "  call @tell(" + last + ")\n  ret " + last + "\n}\n");
  EXPECT_EQ(p.run("sums", int64_t{5}), std::to_string(count + 5));
  EXPECT_EQ(p.last.steps, count + 1);
  EXPECT_EQ(p.run("throws", int64_t{0}), "throws zero");
  EXPECT_EQ(p.last.steps, count + 1);
  const Value five(int64_t{5});
  EXPECT_EQ(told(p, "tells", count + 1, {five}), std::vector<int64_t>{count + 5});
  EXPECT_EQ(p.last.steps, count + 1);
  EXPECT_EQ(told(p, "tells", count, {five}), std::vector<int64_t>{});
}

TEST(InterpRuns, AHostFunctionMayRunAnother) {
  Program p(R"(
extern @again(i64) -> i64
func @f(x: i64) -> i64 {
entry:
  %c = eq i64 %x, 0
  branch %c, end, more
end:
  ret 1
more:
  %y = sub i64 %x, 1
  %r = call @again(%y)
  %s = mul i64 %r, %x
  ret %s
}
)");
  Interpreter* running = nullptr;
  p.runtime.bind("again", [&](ir::HostCall& call) {
    return ir::HostResult(running->run(p.function("f"), call.arguments).value);
  });
  p.options.runtime = &p.runtime;
  Interpreter interpreter(*p.module, p.options);
  running = &interpreter;
  Value argument[] = {Value(int64_t{6})};
  EXPECT_EQ(to_string(interpreter.run(p.function("f"), argument)), "720");
}

TEST(InterpRuns, Intrinsics) {
  auto module = std::make_unique<ir::Module>();
  ir::Intrinsic saturating{module->symbol("sat.add"), module->signature({{i64, i64}, i64}), ir::no_traits, {}, {}};
  saturating.evaluate = [](std::span<const Value> v) -> IntrinsicResult {
    int64_t sum;
    if (__builtin_add_overflow(v[0].as_i64(), v[1].as_i64(), &sum)) return Value(INT64_MAX);
    return Value(sum);
  };
  module->add_intrinsic(saturating);
  ir::Intrinsic strict{module->symbol("strict.half"), module->signature({{i64}, i64}), ir::throws, {}, {}};
  strict.evaluate = [](std::span<const Value> v) -> IntrinsicResult {
    if (v[0].as_i64() % 2 != 0) return IntrinsicResult::raise("odd");
    return Value(v[0].as_i64() / 2);
  };
  module->add_intrinsic(strict);
  module->add_intrinsic({module->symbol("only.declared"), module->signature({{}, void_type}), ir::no_traits, {}, {}});
  Program p(R"(
func @f(a: i64, b: i64) -> i64 {
entry:
  %r = sat.add(%a, %b)
  ret %r
}
func @g(a: i64) -> i64 {
entry:
  %r = strict.half(%a)
  ret %r
}
func @h() -> void {
entry:
  only.declared()
  ret
}
)", std::move(module));
  EXPECT_EQ(p.run("f", int64_t{1}, int64_t{2}), "3");
  EXPECT_EQ(p.run("f", INT64_MAX, int64_t{2}), "9223372036854775807");
  EXPECT_EQ(p.run("g", int64_t{8}), "4");
  EXPECT_EQ(p.run("g", int64_t{7}), "throws odd");
  EXPECT_EQ(p.run("h"), "fails: intrinsic only.declared cannot be evaluated");
}

TEST(InterpRuns, Memory) {
  Program p(R"(
global @table: 16 align 8 const = "ab\00\ff"
global @counter: 8 align 8 = "\05"
func @widths() -> (i8, i16, i32, i64, i1, f32, f64) {
entry:
  %s = stack_slot 64, 16
  store i8 -1, %s
  %a = load i8 %s
  %p2 = ptr_add %s, 8
  store i16 -2, %p2
  %b = load i16 %p2
  %p3 = ptr_add %s, 16
  store i32 -3, %p3
  %c = load i32 %p3
  %p4 = ptr_add %s, 24
  store i64 -4, %p4
  %d = load i64 %p4
  %p5 = ptr_add %s, 32
  store i1 true, %p5
  %e = load i1 %p5
  %p6 = ptr_add %s, 40
  store f32 0x1.8p+0, %p6
  %f = load f32 %p6
  %p7 = ptr_add %s, 48
  store f64 0x1.cp+0, %p7
  %g = load f64 %p7
  %r = tuple (%a, %b, %c, %d, %e, %f, %g)
  ret %r
}
func @read(i: i64) -> i8 {
entry:
  %t = global_addr @table
  %p = ptr_index %t, %i, 1
  %r = load i8 %p
  ret %r
}
func @write_const() -> void {
entry:
  %t = global_addr @table
  store i8 1, %t
  ret
}
func @count() -> i64 {
entry:
  %c = global_addr @counter
  %x = load i64 %c
  %y = add i64 %x, 1
  store i64 %y, %c
  %z = load i64 %c
  ret %z
}
func @null(p: ptr) -> i64 {
entry:
  %x = load i64 %p
  ret %x
}
func @zeroed() -> i64 {
entry:
  %a = stack_slot 8, 8
  %x = load i64 %a
  store i64 77, %a
  %y = load i64 %a
  %r = add i64 %x, %y
  ret %r
}
func @slots_are_fresh() -> (i64, i1, i64) {
entry:
  %x = call @zeroed()
  %y = call @zeroed()
  %a = stack_slot 8, 8
  %b = stack_slot 8, 8
  %same = eq ptr %a, %b
  %d = ptr_diff %b, %a
  %r = tuple (%y, %same, %d)
  ret %r
}
func @dangling() -> i64 {
entry:
  %p = call @address()
  %r = load i64 %p
  ret %r
}
func @address() -> ptr {
entry:
  %s = stack_slot 8, 8
  ret %s
}
func @move(n: i64) -> i64 {
entry:
  %s = stack_slot 16, 8
  mem_fill %s, 1, 4
  %p = ptr_add %s, 1
  mem_copy %p, %s, %n
  mem_fill %s, 2, 1
  %r = load i64 %s
  ret %r
}
func @eat() -> void {
entry:
  jump loop
loop:
  %s = stack_slot 1000, 8
  jump loop
}
)");
  EXPECT_EQ(p.run("widths"), "(-1, -2, -3, -4, true, 1.5, 1.75)");
  EXPECT_EQ(p.run("read", int64_t{0}) + " " + p.run("read", int64_t{3}) + " " + p.run("read", int64_t{9}), "97 -1 0");
  EXPECT_EQ(p.run("write_const"), "traps: bad address in @write_const");
  EXPECT_EQ(p.run("count"), "6");
  EXPECT_EQ(p.run("count"), "6") << "every run has its own memory";
  EXPECT_EQ(p.run_values("null", {Value(ptr, 0)}), "traps: bad address in @null");
  EXPECT_EQ(p.run_values("null", {Value(ptr, 100)}), "traps: bad address in @null");
  EXPECT_EQ(p.run_values("null", {Value(ptr, ~uint64_t{0})}), "traps: bad address in @null");
  EXPECT_EQ(p.run_values("null", {Value(ptr, 4096 + 16 + 8 - 7)}), "traps: bad address in @null") << "its end is outside";
  EXPECT_EQ(p.run_values("null", {Value(ptr, 4096 + 16)}), "5");
  EXPECT_EQ(p.run("slots_are_fresh"), "(77, false, 8)");
  EXPECT_EQ(p.run("dangling"), "traps: bad address in @dangling");
  EXPECT_EQ(p.run("move", int64_t{4}), std::to_string(0x0101010102));
  EXPECT_EQ(p.run("move", int64_t{0}), std::to_string(0x01010102));
  EXPECT_EQ(p.run("move", int64_t{-1}), "traps: bad address in @move");
  p.options.max_memory = 100'000;
  EXPECT_EQ(p.run("eat"), "stops: more than 100000 bytes of memory");
  p.options.max_memory = 10;
  EXPECT_EQ(p.run("count"), "stops: more than 10 bytes of memory") << "the globals do not fit";
}

TEST(InterpRuns, BoxesCountAsMemory) {
  Program p(R"(
func @f() -> void {
entry:
  jump loop
loop:
  %b = box i64 1
  jump loop
}
)");
  p.runtime = ir::SimpleRuntime(10'000);
  EXPECT_EQ(p.outcome("f", {}, false).kind, OutcomeKind::limit);
}

TEST(InterpRuns, Deopt) {
  Program p(R"(
func @f(x: i64, y: f64) -> i64 {
entry:
  %caller = save_state 7 aftercall [1: i64 5]
  %s = save_state 12 reexecute caller %caller [0: %x, 3: undef, 4: %y]
  %c = sgt i64 %x, 0
  guard %c, %s
  %t = tuple (%x, %x)
  %s2 = save_state 20 reexecute [0: %t]
  %d = sgt i64 %x, 10
  branch %d, out, in
in:
  ret %x
out:
  deopt %s2
}
func @maybe(c: i1) -> i64 {
entry:
  branch %c, a, join
a:
  jump join
join:
  %x = phi i64 [a: 5]
  %s = save_state 3 handler [0: %x]
  deopt %s
}
func @loop(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, body: %i2]
  %s = save_state 1 reexecute [0: %i]
  osr_state %s
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %i2 = add i64 %i, 1
  %d = ne i64 %i2, 7
  guard %d, %s
  jump head
done:
  %s3 = save_state 2 reexecute [0: %i]
  safepoint %s3
  ret %i
}
)");
  EXPECT_EQ(p.run("f", int64_t{5}, 1.5), "5");
  EXPECT_EQ(p.run("f", int64_t{-1}, 1.5), "deopts 12 [0: -1, 3: undef, 4: 1.5] caller 7 aftercall [1: 5]");
  EXPECT_EQ(p.last.kind, OutcomeKind::deopt);
  ASSERT_EQ(p.last.states.size(), 2u);
  EXPECT_EQ(p.last.states[1].resume, ir::ResumeKind::after_call);
  EXPECT_EQ(p.run("f", int64_t{11}, 1.5), "deopts 20 [0: (11, 11)]");
  EXPECT_EQ(p.run("maybe", true), "deopts 3 handler [0: 5]");
  EXPECT_EQ(p.run("maybe", false), "deopts 3 handler [0: undef]");
  EXPECT_EQ(p.run("loop", int64_t{5}), "5");
  EXPECT_EQ(p.run("loop", int64_t{9}), "deopts 1 [0: 6]") << "i keeps its register although i2 takes its place";

  std::string seen;
  int stop_after = 100;
  p.runtime.on_stop_point = [&](const ir::StopPoint& point) {
    auto states = point.read_state();
    seen += point.is_loop_header() ? "L" : "S";
    seen += std::to_string(states[0].position) + ":" + ir::to_string(*states[0].registers[0].value) + " ";
    return --stop_after > 0;
  };
  p.options.runtime = &p.runtime;
  Interpreter interpreter(*p.module, p.options);
  Value argument[] = {Value(int64_t{2})};
  EXPECT_EQ(to_string(interpreter.run(p.function("loop"), argument)), "2");
  EXPECT_EQ(seen, "L1:0 L1:1 L1:2 S2:2 ");
  stop_after = 2;
  EXPECT_EQ(to_string(interpreter.run(p.function("loop"), argument)), "stops: the runtime ended the run");

  // Who passes stop points asks nobody; a state that a guard reads is still there.
  seen.clear();
  p.options.passes_stops = true;
  Interpreter passing(*p.module, p.options);
  EXPECT_EQ(to_string(passing.run(p.function("loop"), argument)), "2");
  EXPECT_EQ(seen, "");
  Value nine[] = {Value(int64_t{9})};
  EXPECT_EQ(to_string(passing.run(p.function("loop"), nine)), "deopts 1 [0: 6]");
}

TEST(InterpRuns, Arguments) {
  Program p(R"(
func @f(a: i64, b: f32) -> i64 {
entry:
  ret %a
}
func @g(a: i8) -> i64 {
entry:
  %r = sext i8 %a to i64
  ret %r
}
extern @e() -> void
)");
  EXPECT_EQ(p.run("f", int64_t{1}), "fails: @f takes 2 arguments, not 1");
  EXPECT_EQ(p.run("f", int64_t{1}, 1.5), "fails: argument 2 of @f has another type");
  EXPECT_EQ(p.run("f", int64_t{1}, 1.5f), "1");
  EXPECT_EQ(p.run_values("g", {Value(i8, 0xff)}), "-1") << "made canonical";
  EXPECT_EQ(p.run("e"), "fails: @e cannot be run: it has no body");
}

TEST(InterpRuns, Trace) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: %x, head: %j]
  %u = phi i64 [entry: undef, head: %i]
  %j = sub i64 %i, 1
  %c = sgt i64 %j, 0
  branch %c, head, done
done:
  %q = check_zero i64 %j
  ret %q
}
)");
  std::string lines;
  p.options.trace_sink = [&](std::string_view line) { (lines += line) += "\n"; };
  Outcome outcome = p.outcome("f", {Value(int64_t{2})}, true);
  EXPECT_EQ(to_string(outcome), "throws zero");
  EXPECT_EQ(lines, R"(@f (%x) ; 2
@f entry: jump head
@f head: %1 = phi i64 [entry: %x, head: %3] ; 2
@f head: %2 = phi i64 [entry: undef, head: %1] ; undef
@f head: %3 = sub i64 %1, 1 ; 1
@f head: %4 = sgt i64 %3, 0 ; true
@f head: branch %4, head, done ; true
@f head: %1 = phi i64 [entry: %x, head: %3] ; 1
@f head: %2 = phi i64 [entry: undef, head: %1] ; 2
@f head: %3 = sub i64 %1, 1 ; 0
@f head: %4 = sgt i64 %3, 0 ; false
@f head: branch %4, head, done ; false
@f done: %6 = check_zero i64 %3 throws zero
)");
}

/// A chain of blocks, each with an addition, a phi and a branch.
std::unique_ptr<ir::Module> chain(uint32_t blocks) {
  auto m = std::make_unique<ir::Module>();
  ir::Function& f = m->add_function(m->symbol("f"), {{i64}, i64});
  ir::BlockId at = f.new_block();
  ir::Operand value = ir::Operand::param(0);
  for (uint32_t i = 0; i < blocks; ++i) {
    ir::BlockId left = f.new_block(), join = f.new_block();
    ir::Operand test = f.append(at, f.make(ir::Op::slt, i1, {value, m->constant(i64, i)}));
    f.branch(at, test, left, join);
    ir::Operand sum = f.append(left, f.make(ir::Op::add, i64, {value, m->constant(i64, 3)}));
    f.jump(left, join);
    value = f.append(join, f.make(ir::Op::phi, i64, {value, sum}));
    at = join;
  }
  f.ret(at, value);
  return m;
}

TEST(InterpRuns, LargeFunctionsAreLinear) {
  double ratio = growth_ratio(
      20'000, [](size_t size) { return chain(static_cast<uint32_t>(size)); },
      [](std::unique_ptr<ir::Module>& m) {
        Interpreter interpreter(*m);
        Value argument[] = {Value(int64_t{0})};
        EXPECT_EQ(interpreter.run(m->function(ir::FuncId{0}), argument).kind, OutcomeKind::value);
      });
  EXPECT_LT(ratio, 3.0);
}

TEST(InterpRuns, AHundredThousandBlocks) {
  run_on_small_stack([] {
    Program p(chain(100'000));
    EXPECT_EQ(p.outcome("f", {Value(int64_t{0})}, false).kind, OutcomeKind::value);
  });
}

}  // namespace
}  // namespace braid::interp
