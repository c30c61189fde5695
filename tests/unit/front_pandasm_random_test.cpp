// 10,000 random programs do the same whatever happens to them on the way (../pandasm/ways.h).
//
// Each program goes some of the ways, so that each way has its share of all programs. With BRAID_ALL_STRESS_POINTS in the environment
// every program goes every way, and is entered, left and interrupted wherever it can be.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../pandasm/random_program.h"
#include "../pandasm/ways.h"

namespace braid::pandasm {
namespace {

using namespace braid::pandasm::testing;

TEST(PandasmRandom, DoesTheSameEveryWay) {
  const bool tries_all = std::getenv("BRAID_ALL_STRESS_POINTS") != nullptr;
  constexpr uint64_t programs = 10'000, ways_of_each = 2;
  std::vector<uint64_t> mentioned(opcode_count), taken(way_count);
  uint64_t rejected = 0, instructions = 0, with_tries = 0, printed = 0, returned = 0;
  Counts counts;
  for (uint64_t seed = 0, found = 0; found < programs; ++seed) {
    const std::string text = RandomProgram(seed, RandomProgramOptions::of(seed)).text();
    Diagnostics errors;
    bool is_linked = false;
    const std::unique_ptr<Verified> v = open(text, errors, is_linked);
    ASSERT_TRUE(is_linked) << render(errors) << text;
    if (v == nullptr) {
      ++rejected;
      ASSERT_TRUE(RandomProgramOptions::of(seed).careless) << "seed " << seed << " is rejected\n" << render(errors) << text;
      continue;
    }
    ++found;
    for (const Function& function : v->program.functions) {
      for (const Instruction& instruction : function.code) ++mentioned[static_cast<size_t>(instruction.opcode)];
      instructions += function.code.size();
      with_tries += !function.catches.empty();
    }
    Tried tried(*v, seed, counts);
    if (seed % 8 == 0 || tries_all) {
      const std::string fault = tried.check_ir();
      ASSERT_EQ(fault, "") << "seed " << seed << "\n" << text;
    }
    const Ran plain = tried.run({.is_direct = true});
    const uint64_t throwing = tried.throwing();
    ASSERT_TRUE(plain.is_whole) << "seed " << seed << "\n" << text;
    printed += plain.text.size() > 25;
    returned += plain.text.find(" throws ") == std::string::npos;
    Compared compared(tried, plain, seed);
    for (uint64_t k = 0; k < (tries_all ? way_count : ways_of_each); ++k) {
      // Other ways each round: what a program is like depends on the last digits of the seed.
      const size_t number = static_cast<size_t>(seed * ways_of_each + k + seed / way_count) % way_count;
      const Way& way = ways[number];
      ++taken[number];
      const std::string differs = tries_all ? compared.difference_anywhere(way, throwing)
                                            : compared.difference(way, drawn_point(way, throwing, mix64(seed + k)));
      ASSERT_EQ(differs, "") << "seed " << seed << "\n" << text;
    }
  }
  uint32_t opcodes = 0;
  for (uint32_t i = 0; i < opcode_count; ++i) {
    opcodes += mentioned[i] != 0;
    if (mentioned[i] == 0) std::printf("never: %s\n", std::string(info(static_cast<Opcode>(i)).text).c_str());
  }
  auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%llu rejected; %u of %u opcodes, %llu instructions, %llu functions with handlers, %llu programs print, %llu return\n",
              number(rejected), opcodes, opcode_count, number(instructions), number(with_tries), number(printed), number(returned));
  std::printf("%llu objects, %llu collections, %llu entries, %llu leaves, %llu runs throw\n", number(counts.objects),
              number(counts.collections), number(counts.entries), number(counts.leaves), number(counts.threw));
  std::printf("%llu guesses held, %llu failed, %llu entries rebuilt; %llu frames and %llu sets of final registers compared, "
              "with %llu callers\n",
              number(counts.guesses_held), number(counts.guesses_failed), number(counts.rebuilt), number(counts.frames_compared),
              number(counts.registers_compared), number(counts.inlined_frames_left));
  for (size_t i = 0; i < way_count; ++i) {
    std::printf("%6llu programs %s\n", number(taken[i]), ways[i].name);
    EXPECT_GE(taken[i], ways_of_each * programs / way_count - programs / 100) << ways[i].name;
  }
  EXPECT_EQ(opcodes, opcode_count);
  EXPECT_GT(rejected, programs / 200);
  EXPECT_GT(with_tries, programs / 2);
  EXPECT_GT(printed, programs / 20);
  EXPECT_GT(returned, programs / 2);
  EXPECT_GT(counts.objects, programs);
  EXPECT_GT(counts.collections, programs);
  EXPECT_GT(counts.entries, programs / 10);
  EXPECT_GT(counts.leaves, programs / 2);
  EXPECT_GT(counts.threw, programs / 10);
  EXPECT_GT(counts.guesses_held, programs / 50);
  EXPECT_GT(counts.guesses_failed, programs / 100);
  EXPECT_GT(counts.rebuilt, 0u);
  EXPECT_GT(counts.frames_compared, programs / 50);
  EXPECT_GT(counts.registers_compared, programs / 20);
  EXPECT_GT(counts.inlined_frames_left, programs / 100);
}

}  // namespace
}  // namespace braid::pandasm
