// Guesses on the receivers of virtual calls that fail: code is built again without them, whichever engine is outermost, and
// while it runs.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "../pandasm/ways.h"

namespace braid::pandasm {
namespace {

using namespace braid::pandasm::testing;

// `area` is inlined into `work` and `other`, where the record of the receiver is guessed; these are called without a guess.
constexpr const char* shapes = R"(
.record Shape { i32 size }
.record Square <extends=Shape> {}
.function i32 Shape.area(Shape a0) {
  ldobj a0, Shape.size
  return
}
.function i32 Square.area(Square a0) {
  ldobj a0, Shape.size
  sta v0
  mul v0, v0
  return
}
.function i32 area(Shape a0) {
  call.virt Shape.area, a0
  return
}
.function i32 Shape.work(Shape a0, i32 a1) <noimpl>
.function i32 Shape.other(Shape a0, i32 a1) <noimpl>
.function i32 Square.work(Square a0, i32 a1) {
  movi v0, 0
  lda a1
  jlez done
  addiv v0, a1, -1
  call.virt Shape.work, a0, v0
  sta v0
done:
  call area, a0
  add2 v0
  return
}
.function i32 Square.other(Square a0, i32 a1) {
  movi v0, 0
  lda a1
  jlez done
  addiv v0, a1, -1
  call.virt Shape.other, a0, v0
  sta v0
done:
  call area, a0
  add2 v0
  return
}
.function i32 rounds(Shape a0, i32 a1, i32 a2) {
  movi v0, 0
  movi v1, 3
  stobj.v v1, a0, Shape.size
loop:
  lda a1
  jlez done
  call.virt Shape.work, a0, a2
  add2 v0
  sta v0
  call.virt Shape.other, a0, a2
  add2 v0
  sta v0
  inci a1, -1
  jmp loop
done:
  lda v0
  return
}
.function i32 squares(i32 a0, i32 a1) {
  newobj v0, Square
  call rounds, v0, a0, a1
  return
}
.function i32 main() {
  ldai 0
  return
}
)";

struct Guessing {
  explicit Guessing(const char* text) {
    Diagnostics errors;
    bool is_linked = false;
    program = open(text, errors, is_linked);
    EXPECT_NE(program, nullptr) << render(errors);
    vm = std::make_unique<Vm>(program->program, program->links);
  }
  uint32_t function(std::string_view name) const {
    for (uint32_t i = 0; i < program->program.functions.size(); ++i)
      if (program->program.symbols.view(program->program.functions[i].name) == name) return i;
    ADD_FAILURE() << name;
    return 0;
  }
  /// All receivers in `area` are said to be of one record, and nothing is known of others.
  void build(std::string_view record, uint32_t enter_after = 0) {
    SsaOptions options;
    options.passes = pipeline("inline,simplify,dce");
    const uint32_t guessed = program->links.records[index(program->program.symbols.find(record))];
    options.receivers = [guessed, area = function("area")](uint32_t caller, bytecode::Pc) {
      return caller == area ? Receivers{true, guessed} : Receivers{false, unlinked};
    };
    engine = std::make_unique<SsaEngine>(program->source, program->types, *vm, options);
    InterpreterOptions how;
    if (enter_after != 0) how.watcher = engine.get();
    if (enter_after != 0) how.watch_after = enter_after;
    direct = std::make_unique<Interpreter>(*vm, program->types, how);
    engine->set_direct(*direct);
  }

  std::unique_ptr<Verified> program;
  std::unique_ptr<Vm> vm;
  std::unique_ptr<SsaEngine> engine;
  std::unique_ptr<Interpreter> direct;
};

uint64_t expected(uint64_t rounds, uint64_t depth) { return rounds * 2 * (depth + 1) * 9; }

TEST(PandasmGuesses, AreGivenUpWhileTheirCallersRun) {
  Guessing world(shapes);
  world.build("Shape");
  const RunResult result = world.engine->call(world.function("squares"), std::array<uint64_t, 2>{20, 0});
  EXPECT_EQ(result.kind, RunResult::Kind::returned);
  EXPECT_EQ(result.value, expected(20, 0));
  const SsaStatistics& statistics = world.engine->statistics();
  // Three times in `work`, where it is given up; then `other` still has it, once.
  EXPECT_EQ(statistics.failed_guesses, 4u);
  EXPECT_GE(statistics.rebuilt, 3u);
  EXPECT_LE(statistics.rebuilt, 4u);
}

/// What is in the middle of a function goes on in its old code, and makes no new one again and again.
TEST(PandasmGuesses, OldCodeRunsToItsEnd) {
  Guessing world(shapes);
  world.build("Shape");
  const RunResult result = world.engine->call(world.function("squares"), std::array<uint64_t, 2>{5, 30});
  EXPECT_EQ(result.value, expected(5, 30));
  const SsaStatistics& statistics = world.engine->statistics();
  // The first call of each of the two finds 31 frames of old code on the stack.
  EXPECT_EQ(statistics.failed_guesses, 62u);
  EXPECT_LE(statistics.rebuilt, 4u);
}

TEST(PandasmGuesses, AreGivenUpWithTheDirectInterpreterOutermost) {
  Guessing world(shapes);
  world.build("Shape", 2);
  const RunResult result = world.direct->call(world.function("squares"), std::array<uint64_t, 2>{20, 3});
  EXPECT_EQ(result.value, expected(20, 3));
  const SsaStatistics& statistics = world.engine->statistics();
  EXPECT_GE(statistics.entries, 1u);
  EXPECT_GE(statistics.rebuilt, 2u);
  EXPECT_LE(statistics.failed_guesses, 10u);
}

TEST(PandasmGuesses, ThatHoldStay) {
  Guessing world(shapes);
  world.build("Square");
  const RunResult result = world.engine->call(world.function("squares"), std::array<uint64_t, 2>{20, 3});
  EXPECT_EQ(result.value, expected(20, 3));
  EXPECT_EQ(world.engine->statistics().failed_guesses, 0u);
  EXPECT_EQ(world.engine->statistics().rebuilt, 0u);
  EXPECT_GT(world.engine->statistics().checked_guesses, 100u);
}

}  // namespace
}  // namespace braid::pandasm
