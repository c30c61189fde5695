// Random programs do the same whatever happens to them on the way: collections everywhere, frames taken over at every loop, by
// another interpreter or by compiled code, and given back.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../pandasm/random_program.h"
#include "front/pandasm/interpret.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/ssa_engine.h"

namespace braid::pandasm {
namespace {

/// Hands every frame back as it is; every third one is run to its end by another interpreter.
struct Watcher final : LoopWatcher {
  Interpreter* other = nullptr;
  uint32_t asked = 0;
  LoopAnswer at_loop_header(const Frame& frame, uint32_t) override {
    if (++asked % 3 != 0) return {LoopAnswer::Kind::replaced, 0, {frame}};
    const RunResult rest = other->resume({&frame, 1});
    if (rest.kind == RunResult::Kind::returned) return {LoopAnswer::Kind::returned, rest.value, {}};
    return {LoopAnswer::Kind::threw, 0, {}};
  }
};

struct Done {
  std::string text;  ///< what was printed, and how it ended
  uint64_t objects = 0;
};

enum class Way { plain, stress, taken_over, compiled, entered_and_left };

/// `throw_at`: which of the instructions that may throw does.
Done run(const SourceFile& source, const Program& program, const Links& links, const std::vector<FunctionTypes>& types, Way way,
         uint64_t throw_at = 0) {
  Done done;
  VmOptions options;
  options.heap.stress = way != Way::plain;
  options.output = [&](std::string_view text) { done.text += text; };
  Vm vm(program, links, options);
  Interpreter other(vm, types);
  Watcher watcher;
  watcher.other = &other;
  InterpreterOptions how;
  how.max_steps = 100'000;
  if (way == Way::taken_over) how.watcher = &watcher;
  std::unique_ptr<SsaEngine> engine;
  uint32_t asked = 0;
  Interpreter* direct = nullptr;
  if (way != Way::compiled) how.throw_at = throw_at;
  if (way == Way::compiled || way == Way::entered_and_left) {
    SsaOptions options_of_ssa;
    if (way == Way::entered_and_left) options_of_ssa.stays = [&](uint32_t) { return ++asked % 5 != 0; };
    if (throw_at != 0)
      options_of_ssa.stays = [&](uint32_t) {
        if (++asked != throw_at) return true;
        direct->throw_at(1);
        return false;
      };
    engine = std::make_unique<SsaEngine>(source, types, vm, options_of_ssa);
    if (way == Way::entered_and_left) how.watcher = engine.get();
  }
  Interpreter interpreter(vm, types, how);
  direct = &interpreter;
  if (engine) engine->set_direct(interpreter);
  uint32_t entry = 0;
  while (program.symbols.view(program.functions[entry].name) != "main") ++entry;
  const RunResult result = way == Way::compiled ? engine->call(entry, {}) : interpreter.call(entry, {});
  if (result.kind == RunResult::Kind::threw) done.text += " throws " + vm.describe(vm.pending());
  else done.text += result.kind == RunResult::Kind::stopped ? " stops" : " = " + std::to_string(static_cast<int64_t>(result.value));
  done.objects = vm.heap().statistics().allocated_objects;
  return done;
}

TEST(PandasmRandom, DoesTheSameEveryWay) {
  constexpr uint64_t programs = 1000;
  std::vector<uint64_t> mentioned(opcode_count);
  uint64_t instructions = 0, with_tries = 0, printed = 0, objects = 0, threw = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const std::string text = RandomProgram(seed).text();
    SourceFile source("random.pa", text);
    Expected<Program> program = parse(source);
    ASSERT_TRUE(program.has_value()) << render(program.error()) << text;
    Expected<Links> links = link(source, *program);
    ASSERT_TRUE(links.has_value()) << render(links.error());
    Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
    ASSERT_TRUE(types.has_value()) << render(types.error());
    for (const Function& function : program->functions) {
      for (const Instruction& instruction : function.code) ++mentioned[static_cast<size_t>(instruction.opcode)];
      instructions += function.code.size();
      with_tries += !function.catches.empty();
    }
    const Done plain = run(source, *program, *links, *types, Way::plain);
    printed += plain.text.size() > 25;
    objects += plain.objects;
    for (Way way : {Way::stress, Way::taken_over, Way::compiled, Way::entered_and_left}) {
      if (way >= Way::compiled && seed % 4 != 0) continue;
      ASSERT_EQ(plain.text, run(source, *program, *links, *types, way).text)
          << "seed " << seed << " way " << static_cast<int>(way) << "\n" << text;
    }
    for (uint64_t at = 1 + seed % 7; at < 40 && seed % 4 == 0; at += 11) {
      const Done thrown = run(source, *program, *links, *types, Way::plain, at);
      threw += thrown.text != plain.text;
      ASSERT_EQ(thrown.text, run(source, *program, *links, *types, Way::stress, at).text) << "seed " << seed << " at " << at;
      ASSERT_EQ(thrown.text, run(source, *program, *links, *types, Way::compiled, at).text)
          << "seed " << seed << " at " << at << "\n" << text;
    }
  }
  uint32_t opcodes = 0;
  for (uint32_t i = 0; i < opcode_count; ++i) {
    opcodes += mentioned[i] != 0;
    if (mentioned[i] == 0) std::printf("never: %s\n", std::string(info(static_cast<Opcode>(i)).text).c_str());
  }
  std::printf("%u of %u instructions in use, %llu in all, %llu functions with handlers, %llu programs print, %llu objects\n",
              opcodes, opcode_count, static_cast<unsigned long long>(instructions), static_cast<unsigned long long>(with_tries),
              static_cast<unsigned long long>(printed), static_cast<unsigned long long>(objects));
  std::printf("%llu runs end differently because of an exception on request\n", static_cast<unsigned long long>(threw));
  EXPECT_GT(threw, programs / 4);
  EXPECT_EQ(opcodes, opcode_count);
  EXPECT_GT(with_tries, programs);
  EXPECT_GT(printed, programs / 4);
  EXPECT_GT(objects, 20 * programs);
}

}  // namespace
}  // namespace braid::pandasm
