// The direct interpreter from outside: beginning in the middle, being left in the middle, limits, traces.
#include "front/pandasm/interpret.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {
namespace {

struct World {
  explicit World(const std::string& text) : source("t.pa", text) {
    Expected<Program> parsed = parse(source);
    EXPECT_TRUE(parsed.has_value()) << render(parsed.error());
    program = std::move(*parsed);
    Expected<Links> linked = link(source, program);
    EXPECT_TRUE(linked.has_value()) << render(linked.error());
    links = std::move(*linked);
    Expected<std::vector<FunctionTypes>> verified = verify(source, program, links);
    EXPECT_TRUE(verified.has_value()) << render(verified.error());
    types = std::move(*verified);
  }
  uint32_t function(std::string_view name) const {
    for (uint32_t i = 0; i < program.functions.size(); ++i)
      if (program.symbols.view(program.functions[i].name) == name) return i;
    ADD_FAILURE() << name;
    return 0;
  }

  SourceFile source;
  Program program;
  Links links;
  std::vector<FunctionTypes> types;
};

struct Watcher final : LoopWatcher {
  std::function<LoopAnswer(const Frame&, uint32_t)> answer;
  LoopAnswer at_loop_header(const Frame& frame, uint32_t count) override { return answer(frame, count); }
};

// Loops with everything that a frame may hold: numbers, a reference, an exception in the middle of each round.
constexpr const char* looping = R"(
.record Cell {
  i32 value
  Cell next
}
.function i32 step(Cell a0, i32 a1) {
  lda a1
  andi 3
  jeqz bad
  ldobj a0, Cell.value
  add2 a1
  stobj a0, Cell.value
  return
bad:
  newobj v0, panda.IllegalStateException
  throw v0
}
.function i32 run(i32 a0) {
  newobj v0, Cell
  movi v1, 0
  movi v3, 0
loop:
  lda v1
  jge a0, done
begin:
  call step, v0, v1
  add2 v3
  sta v3
end:
next:
  inci v1, 1
  newobj v2, Cell
  stobj.v.obj v0, v2, Cell.next
  ldobj.v v4, v0, Cell.value
  stobj.v v4, v2, Cell.value
  mov.obj v0, v2
  jmp loop
handler:
  muliv v3, v3, 3
  jmp next
done:
  lda v3
  return
.catch panda.Exception, begin, end, handler
}
.function i32 outer(i32 a0) {
  call run, a0
  addi 100
  return
}
)";

uint64_t plain_result(const World& world, std::string_view name, uint64_t argument) {
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  const RunResult result = interpreter.call(world.function(name), std::array{argument});
  EXPECT_EQ(result.kind, RunResult::Kind::returned);
  return result.value;
}

TEST(PandasmInterpret, GoesOnWithTheSameFrames) {
  const World world(looping);
  const uint64_t expected = plain_result(world, "outer", 20);
  for (const bool stress : {false, true}) {
    for (uint32_t at = 1; at <= 25; ++at) {
      Watcher watcher;
      uint32_t asked = 0;
      watcher.answer = [&](const Frame& frame, uint32_t count) {
        ++asked;
        if (count != at) return LoopAnswer{};
        return LoopAnswer{LoopAnswer::Kind::replaced, 0, {frame}};
      };
      VmOptions options;
      options.heap.stress = stress;
      Vm vm(world.program, world.links, options);
      InterpreterOptions how;
      how.watcher = &watcher;
      Interpreter interpreter(vm, world.types, how);
      const RunResult result = interpreter.call(world.function("outer"), std::array<uint64_t, 1>{20});
      EXPECT_EQ(result.kind, RunResult::Kind::returned);
      EXPECT_EQ(result.value, expected) << at;
      EXPECT_GE(asked, 20u);
    }
  }
}

/// A watcher that does the rest of the function itself, in a run of its own inside the run.
TEST(PandasmInterpret, IsLeftInTheMiddle) {
  const World world(looping);
  const uint64_t expected = plain_result(world, "outer", 20);
  VmOptions options;
  options.heap.stress = true;
  Vm vm(world.program, world.links, options);
  Interpreter inner(vm, world.types);
  for (uint32_t at = 1; at <= 10; ++at) {
    Watcher watcher;
    watcher.answer = [&](const Frame& frame, uint32_t) {
      const RunResult rest = inner.resume(std::array{frame});
      EXPECT_EQ(rest.kind, RunResult::Kind::returned);
      return LoopAnswer{LoopAnswer::Kind::returned, rest.value, {}};
    };
    InterpreterOptions how;
    how.watcher = &watcher;
    how.watch_after = at;
    Interpreter interpreter(vm, world.types, how);
    EXPECT_EQ(interpreter.call(world.function("outer"), std::array<uint64_t, 1>{20}).value, expected);
  }
}

TEST(PandasmInterpret, AWatcherMayThrow) {
  const World world(R"(
.function i32 f() {
  movi v0, 0
begin:
loop:
  inci v0, 1
  jmp loop
end:
handler:
  ldai 1
  return
.catchall begin, end, handler
}
.function i32 main() {
begin:
  call f
  return
end:
handler:
  ldai 2
  return
.catch panda.ArithmeticException, begin, end, handler
}
)");
  Vm vm(world.program, world.links);
  Watcher watcher;
  watcher.answer = [&](const Frame&, uint32_t) {
    vm.throw_zero();
    return LoopAnswer{LoopAnswer::Kind::threw, 0, {}};
  };
  InterpreterOptions how;
  how.watcher = &watcher;
  Interpreter interpreter(vm, world.types, how);
  EXPECT_EQ(interpreter.call(world.function("main"), {}).value, 2u);  // the rest of f has thrown, whatever f would have caught
  const RunResult alone = interpreter.call(world.function("f"), {});
  EXPECT_EQ(alone.kind, RunResult::Kind::threw);
  EXPECT_EQ(vm.describe(vm.take_pending()), "panda.ArithmeticException: / by zero");
}

TEST(PandasmInterpret, ResumesAtEveryPlace) {
  const World world(R"(
.record P {
  i32 x
}
.function void P.ctor(P a0, i32 a1) <ctor> {
  lda a1
  muli 2
  stobj a0, P.x
  return.void
}
.function i32 f(i32 a0) {
  addiv v0, a0, 1
  muliv v1, v0, 3
  sub v1, v0
  sta v2
  lda v2
  return
}
.function i32 g(i32 a0) {
  initobj P.ctor, a0
  sta.obj v0
  ldobj v0, P.x
  call.acc f, 0
  addi 5
  return
}
)");
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  const uint64_t expected = interpreter.call(world.function("f"), std::array<uint64_t, 1>{4}).value;
  EXPECT_EQ(expected, 10u);
  // f at pc 3: v0 = 5, v1 = 15, acc = 10.
  EXPECT_EQ(interpreter.resume(std::array{Frame{world.function("f"), 3, {5, 15, 0, 4, 10}}}).value, 10u);
  EXPECT_EQ(interpreter.resume(std::array{Frame{world.function("f"), 1, {5, 0, 0, 4, 0}}}).value, 10u);
  // g in its call of f: what f returns becomes the accumulator.
  const Frame caller{world.function("g"), 3, {0, 0, 0}};
  EXPECT_EQ(interpreter.resume(std::array{caller, Frame{world.function("f"), 4, {0, 0, 33, 0, 0}}}).value, 38u);
  // g in its constructor: the accumulator stays the object.
  const ClassId point = vm.classes().record_class(vm.classes().find_record("P"));
  const Outcome object = vm.new_object(point);
  const Frame maker{world.function("g"), 0, {0, 7, object.value}};
  const Frame constructor{world.function("P.ctor"), 0, {object.value, 7, 0}};
  const uint64_t made = interpreter.resume(std::array{maker, constructor}).value;
  EXPECT_EQ(made, interpreter.call(world.function("g"), std::array<uint64_t, 1>{7}).value);
}

TEST(PandasmInterpret, LimitsAndTraces) {
  const World world(R"(
.function i32 endless() {
loop:
  jmp loop
}
.function i32 endless_throws(i32 a0) {
handler:
  ldai 1
  div2 a0
end:
  return
.catchall handler, end, handler
}
.function i32 inner(i32 a0) {
  ldai 1
  div2 a0
  return
}
.function i32 middle() {
  movi v0, 0
  call inner, v0
  return
}
.function i32 deep(i32 a0) {
  inci a0, 1
  call deep, a0
  return
}
)");
  Vm vm(world.program, world.links);
  InterpreterOptions how;
  how.max_steps = 1'000'000;
  how.max_depth = 50;
  Interpreter interpreter(vm, world.types, how);
  const RunResult thrown = interpreter.call(world.function("middle"), {});
  ASSERT_EQ(thrown.kind, RunResult::Kind::threw);
  ASSERT_EQ(thrown.trace.size(), 2u);
  EXPECT_EQ(thrown.trace[0].function, world.function("inner"));
  EXPECT_EQ(thrown.trace[0].pc, 1u);
  EXPECT_EQ(thrown.trace[1].function, world.function("middle"));
  EXPECT_EQ(thrown.trace[1].pc, 1u);
  EXPECT_EQ(vm.describe(vm.take_pending()), "panda.ArithmeticException: / by zero");

  const RunResult overflow = interpreter.call(world.function("deep"), std::array<uint64_t, 1>{0});
  EXPECT_EQ(overflow.kind, RunResult::Kind::threw);
  EXPECT_EQ(overflow.trace.size(), 50u);
  EXPECT_EQ(vm.describe(vm.take_pending()), "panda.StackOverflowException");

  EXPECT_EQ(interpreter.call(world.function("endless"), {}).kind, RunResult::Kind::stopped);
  Interpreter again(vm, world.types, how);
  EXPECT_EQ(again.call(world.function("endless_throws"), std::array<uint64_t, 1>{0}).kind, RunResult::Kind::stopped);
}

/// Initialisers of a chain of classes: each one's reads a field of the next. Nothing recurses.
TEST(PandasmInterpret, LongChainsOfInitialisers) {
  std::string text;
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += ".record C" + n + " {\n  i32 x <static>\n}\n.function void C" + n + ".init() <cctor> {\n";
    text += i + 1 < count ? "  ldstatic C" + next + ".x\n  addi 1\n" : "  ldai 1\n";
    text += "  ststatic C" + n + ".x\n  return.void\n}\n";
  }
  text += ".function i32 main() {\n  ldstatic C0.x\n  return\n}\n";
  const World world(text);
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  EXPECT_EQ(interpreter.call(world.function("main"), {}).value, static_cast<uint64_t>(count));
}

/// 20,000 registers hold objects, all of which are live while more are made: a map of references costs a walk, and
/// no more memory
/// than one of them needs.
TEST(PandasmInterpret, ManyLiveReferences) {
  constexpr uint32_t count = 20000;
  std::string text = ".record R {\n  i32 x\n}\n.function i32 main() {\n";
  const std::string number = "v" + std::to_string(count), garbage = "v" + std::to_string(count + 1);
  text += "  movi " + number + ", 25\n";
  for (uint32_t i = 0; i < count; ++i) {
    const std::string v = "v" + std::to_string(i);
    text += "  newobj " + v + ", R\n  stobj.v " + number + ", " + v + ", R.x\n  newarr " + garbage + ", " + number + ", i64[]\n";
  }
  text += "  movi " + number + ", 0\n";
  for (uint32_t i = 0; i < count; ++i)
    text += "  ldobj v" + std::to_string(i) + ", R.x\n  add2 " + number + "\n  sta " + number + "\n";
  text += "  return\n}\n";
  const World world(text);
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  EXPECT_EQ(interpreter.call(world.function("main"), {}).value, 25u * count);
  EXPECT_GE(vm.heap().statistics().collections, 2u);
}

/// Records that extend each other 20,000 deep, and a virtual function at the top.
TEST(PandasmInterpret, DeepRecords) {
  std::string text = ".record R0 {}\n.function i32 R0.f(R0 a0) {\n  ldai 7\n  return\n}\n";
  constexpr int count = 20000;
  for (int i = 1; i < count; ++i) text += ".record R" + std::to_string(i) + " <extends=R" + std::to_string(i - 1) + "> {}\n";
  text += ".function i32 main() {\n  newobj v0, R" + std::to_string(count - 1) +
          "\n  call.virt R0.f, v0\n  sta v1\n  lda.obj v0\n  isinstance R5\n  add2 v1\n  return\n}\n";
  const World world(text);
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  EXPECT_EQ(interpreter.call(world.function("main"), {}).value, 8u);
  EXPECT_FALSE(vm.classes().hierarchy().is_overridden(world.function("R0.f")));
}

/// What virtual calls have met so far: nothing, one record, more than one.
TEST(PandasmInterpret, RemembersReceivers) {
  const World world(R"(
.record A
.record B <extends=A>
.function i32 A.f(A a0) {
  ldai 1
  return
}
.function i32 B.f(B a0) {
  ldai 2
  return
}
.function i32 ask(A a0) {
  call.virt A.f, a0
  return
}
.function i32 with_a() {
  newobj v0, A
  call ask, v0
  return
}
.function i32 with_b() {
  newobj v0, B
  call ask, v0
  return
}
)");
  Vm vm(world.program, world.links);
  Interpreter interpreter(vm, world.types);
  const uint32_t ask = world.function("ask"), a = vm.classes().find_record("A");
  EXPECT_EQ(interpreter.receivers_at(ask, 0).record, unlinked);
  EXPECT_EQ(interpreter.call(world.function("with_a"), {}).value, 1u);
  EXPECT_EQ(interpreter.call(world.function("with_a"), {}).value, 1u);
  EXPECT_EQ(interpreter.receivers_at(ask, 0).record, a);
  EXPECT_EQ(interpreter.call(world.function("with_b"), {}).value, 2u);
  EXPECT_EQ(interpreter.receivers_at(ask, 0).record, unlinked);
  EXPECT_EQ(interpreter.call(world.function("with_b"), {}).value, 2u);
  EXPECT_EQ(interpreter.receivers_at(ask, 0).record, unlinked);
}

}  // namespace
}  // namespace braid::pandasm
