// Blocks and liveness of random bytecode against definitions that need no graph: instruction by instruction, to a fixpoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "bytecode/register_liveness.h"

namespace braid::bytecode {
namespace {

struct TestCode final : Code {
  std::vector<Decoded> instructions;
  std::vector<TryRange> ranges;
  uint32_t registers = 0;
  std::vector<uint32_t> thrown = {0};  ///< the register that holds what was thrown

  uint32_t size() const override { return static_cast<uint32_t>(instructions.size()); }
  uint32_t register_count() const override { return registers; }
  void decode(Pc pc, Decoded& decoded) const override { decoded = instructions[pc]; }
  std::span<const TryRange> tries() const override { return ranges; }
  std::span<const uint32_t> written_by_throw() const override { return thrown; }
};

TestCode random_code(std::mt19937& random, uint32_t size, uint32_t registers, uint32_t ranges) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  TestCode code;
  code.registers = registers;
  for (uint32_t i = 0; i < size; ++i) {
    Decoded& now = code.instructions.emplace_back();
    for (uint32_t n = below(3); n != 0; --n) now.reads.push_back(below(registers));
    if (below(3) != 0) now.writes.push_back(below(registers));
    now.may_throw = below(4) == 0;
    const uint32_t kind = below(8);
    if (kind < 2) now.targets.push_back(below(size));
    if (kind == 2) now.targets = {below(size), below(size)};
    now.falls_through = kind != 0 && kind != 3 && i + 1 != size;
  }
  for (uint32_t i = 0; i < ranges; ++i) {
    Pc begin = below(size), end = begin + below(size / 2 + 1);
    code.ranges.push_back({begin, std::min(end, size), below(size), below(3) == 0});
  }
  return code;
}

/// Ranges around an instruction that are asked.
std::vector<uint32_t> ranges_at(const TestCode& code, Pc pc) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < code.ranges.size(); ++i) {
    if (pc < code.ranges[i].begin || pc >= code.ranges[i].end) continue;
    found.push_back(i);
    if (code.ranges[i].takes_all) break;
  }
  return found;
}

std::vector<bool> naive_reachable(const TestCode& code) {
  std::vector<bool> reached(code.size(), false);
  std::vector<Pc> work = {0};
  while (!work.empty()) {
    Pc pc = work.back();
    work.pop_back();
    if (pc >= code.size() || reached[pc]) continue;
    reached[pc] = true;
    const Decoded& now = code.instructions[pc];
    for (Pc target : now.targets) work.push_back(target);
    if (now.falls_through) work.push_back(pc + 1);
    if (now.may_throw)
      for (uint32_t range : ranges_at(code, pc)) work.push_back(code.ranges[range].handler);
  }
  return reached;
}

/// Before each instruction.
std::vector<std::vector<bool>> naive_liveness(const TestCode& code) {
  std::vector<std::vector<bool>> live(code.size(), std::vector<bool>(code.registers, false));
  for (bool changed = true; changed;) {
    changed = false;
    for (Pc pc = code.size(); pc-- > 0;) {
      const Decoded& now = code.instructions[pc];
      for (uint32_t r = 0; r < code.registers; ++r) {
        bool after = false, handled = false;
        for (Pc target : now.targets) after = after || live[target][r];
        if (now.falls_through && pc + 1 < code.size()) after = after || live[pc + 1][r];
        if (now.may_throw && r != code.thrown[0])
          for (uint32_t range : ranges_at(code, pc)) handled = handled || live[code.ranges[range].handler][r];
        const bool writes = std::find(now.writes.begin(), now.writes.end(), r) != now.writes.end();
        const bool reads = std::find(now.reads.begin(), now.reads.end(), r) != now.reads.end();
        const bool is_live = reads || handled || (after && !writes);
        if (is_live != live[pc][r]) {
          live[pc][r] = is_live;
          changed = true;
        }
      }
    }
  }
  return live;
}

TEST(BytecodeBlocks, BlocksAndLivenessOfRandomCode) {
  std::mt19937 random(11);
  uint32_t handlers = 0, protected_blocks = 0, unreachable = 0, live_at_throw = 0;
  for (int round = 0; round < 3000; ++round) {
    TestCode code = random_code(random, 1 + random() % 40, 1 + random() % 6, random() % 5);
    Blocks blocks(code);
    const std::vector<bool> reached = naive_reachable(code);
    for (Pc pc = 0; pc < code.size(); ++pc) {
      ASSERT_EQ(reached[pc], !is_none(blocks.block_of(pc))) << round << " at " << pc;
      unreachable += !reached[pc];
      if (!reached[pc]) continue;
      const Block& block = blocks[blocks.block_of(pc)];
      ASSERT_TRUE(block.first <= pc && pc < block.end);
      std::span<const uint32_t> ranges = blocks.ranges(block.handlers);
      ASSERT_EQ(ranges_at(code, pc), std::vector<uint32_t>(ranges.begin(), ranges.end()));
      protected_blocks += pc == block.first && !ranges.empty();
      // Nothing leads into the middle of a block, and nothing out of it but at its end.
      for (Pc target : code.instructions[pc].targets) ASSERT_EQ(blocks[blocks.block_of(target)].first, target);
      const bool goes_on = code.instructions[pc].targets.empty() && code.instructions[pc].falls_through;
      ASSERT_TRUE(goes_on || pc + 1 == block.end);
    }
    const std::vector<std::vector<bool>> expected = naive_liveness(code);
    RegisterLiveness liveness(code, blocks);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      const BlockId id = static_cast<BlockId>(b);
      handlers += blocks[id].is_handler;
      Pc next = blocks[id].end;
      liveness.for_each_backwards(id, [&](Pc pc, const std::vector<bool>& live) {
        ASSERT_EQ(--next, pc);
        ASSERT_EQ(expected[pc], live) << round << " at " << pc;
        live_at_throw += code.instructions[pc].may_throw && !ranges_at(code, pc).empty();
      });
      ASSERT_EQ(next, blocks[id].first);
      std::vector<bool> at_start(code.registers, false);
      for (flow::Variable v : liveness.live_in(id)) at_start[index(v)] = true;
      ASSERT_EQ(expected[blocks[id].first], at_start);
    }
  }
  std::printf("%u handler blocks, %u protected blocks, %u instructions unreachable, %u protected throws\n", handlers,
              protected_blocks, unreachable, live_at_throw);
  EXPECT_GT(handlers, 1000u);
  EXPECT_GT(protected_blocks, 3000u);
  EXPECT_GT(unreachable, 3000u);
  EXPECT_GT(live_at_throw, 1500u);
}

}  // namespace
}  // namespace braid::bytecode
