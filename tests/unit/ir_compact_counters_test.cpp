// What functions and compaction cost, counted: copies of statements, bytes, allocations, growth of time.
//
// `operator new` counts for vectors; the statement columns live in memory of `malloc`, which glibc counts itself.
#include "ir/compact.h"
#include "ir/uses.h"
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>

#include "growth.h"
#include "small_stack.h"

// A sanitizer brings an allocator of its own, which does not count.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define BRAID_OTHER_MALLOC
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(BRAID_OTHER_MALLOC)
#define BRAID_MALLOC_COUNTS
#include <malloc.h>
#endif

namespace {
uint64_t new_calls = 0;
}

// Not inlined: g++ would warn that memory of `new` goes to `free`.
[[gnu::noinline]] void* operator new(size_t size) {
  ++new_calls;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace braid::ir {
namespace {

struct Sample {
  std::unique_ptr<Module> module = std::make_unique<Module>();
  Function* f = nullptr;

  Sample() { f = &module->add_function(module->symbol("f"), {{i64, i1}, i64}); }
  Operand add(BlockId b, Operand left, Operand right) { return f->append(b, f->make(Op::add, i64, {left, right})); }
  Operand c(int64_t value) { return module->constant(i64, value); }
};

/// One block of additions, each of the two values before it.
Sample statements(size_t count) {
  Sample s;
  BlockId b = s.f->new_block();
  Operand before = Operand::param(0), last = s.add(b, before, before);
  for (size_t i = 1; i < count; ++i) before = std::exchange(last, s.add(b, last, before));
  s.f->ret(b, last);
  return s;
}
/// A chain of diamonds with a phi each, appended from the last to the first.
Sample blocks(size_t count) {
  Sample s;
  std::vector<BlockId> list{s.f->new_block()};
  while (list.size() < 3 * count + 1) list.push_back(s.f->new_block());
  s.f->ret(list.back(), s.c(0));
  for (size_t i = list.size() - 1; i > 0; i -= 3) {
    s.add(list[i - 1], Operand::param(0), s.c(1));
    s.f->jump(list[i - 1], list[i]);
    s.f->jump(list[i - 2], list[i]);
    s.f->branch(list[i - 3], Operand::param(1), list[i - 2], list[i - 1]);
    NewRef phi = s.f->insert(Function::phis_of(list[i]), s.f->make(Op::phi, i64, {Operand::param(0), s.c(2)}));
    s.f->insert(s.f->at_end(list[i]), s.f->make(Op::add, i64, {phi, phi}));
  }
  return s;
}
/// A join with many predecessors and two phis; every third edge is removed.
Sample predecessors(size_t count) {
  Sample s;
  BlockId entry = s.f->new_block(), join = s.f->new_block();
  std::vector<Function::Case> cases;
  for (size_t i = 0; i < count; ++i) cases.push_back({s.c(static_cast<int64_t>(i)), s.f->new_block()});
  for (const Function::Case& each : cases) s.f->jump(each.target, join);
  std::vector<uint32_t> words;
  for (const Function::Case& each : cases) words.push_back(each.value.word());
  Operand phi = s.f->append(join, s.f->make(Op::phi, i64, words));
  s.f->append(join, s.f->make(Op::phi, i64, words));
  s.f->ret(join, phi);
  s.f->switch_on(entry, Operand::param(0), cases[0].target, cases);
  for (uint32_t e = 0; e < count; e += 3) s.f->remove_edge(static_cast<EdgeId>(e));
  return s;
}
/// A loop nest: each loop is entered from the one around it and leaves to that one's latch.
Sample nest(size_t depth) {
  Sample s;
  BlockId entry = s.f->new_block();
  std::vector<BlockId> heads, latches;
  for (size_t i = 0; i < depth; ++i) heads.push_back(s.f->new_block()), latches.push_back(s.f->new_block());
  BlockId done = s.f->new_block();
  s.f->jump(entry, heads[0]);
  for (size_t i = 0; i < depth; ++i) {
    BlockId inner = i + 1 < depth ? heads[i + 1] : latches[i];
    BlockId outer = i > 0 ? latches[i - 1] : done;
    s.f->branch(heads[i], Operand::param(1), inner, outer);
    s.f->jump(latches[i], heads[i]);
  }
  for (size_t i = 0; i < depth; ++i) {
    // From around the loop, and from its latch.
    std::vector<uint32_t> words(s.f->block(heads[i]).pred_count, Operand::param(0).word());
    Operand phi = s.f->insert(Function::phis_of(heads[i]), s.f->make(Op::phi, i64, words));
    NewRef next = s.f->insert(s.f->at_end(latches[i]), s.f->make(Op::add, i64, {phi, s.c(1)}));
    s.f->for_each_pred(heads[i], [&](EdgeId e) {
      if (s.f->edge(e).from == latches[i]) s.f->set_operand(phi, s.f->edge(e).pred_index, next);
    });
  }
  s.f->ret(done, s.c(0));
  return s;
}

using Generator = Sample (*)(size_t);
const std::pair<const char*, Generator> generators[] = {
    {"statements", statements}, {"blocks", blocks}, {"predecessors", predecessors}, {"nest", nest}};

TEST(CompactCounters, EachStatementIsCopiedAtMostOnce) {
  for (auto [name, make] : generators) {
    Sample s = make(1000);
    ASSERT_TRUE(verify(*s.f).empty()) << name << ": " << verify(*s.f)[0].message;
    // What is replaced leaves holes that are not copied.
    uint32_t replaced = 0;
    for (uint32_t i = 0; i < s.f->size(); i += 7)
      if (s.f->op(static_cast<Ref>(i)) == Op::add) s.f->replace(static_cast<Ref>(i), Operand::param(0)), ++replaced;
    uint32_t before = s.f->dense_count();
    Compact walk(*s.f);
    uint32_t visited = 0;
    while (walk.next()) ++visited;
    EXPECT_EQ(walk.copied(), visited) << name;
    walk.finish();
    EXPECT_EQ(walk.moved(), 0u) << name;
    EXPECT_LE(walk.copied(), before - replaced) << name;
    EXPECT_EQ(walk.copied(), s.f->size()) << name;
    EXPECT_TRUE(verify(*s.f).empty()) << name;
  }
}

TEST(CompactCounters, BytesOfAStatement) {
  constexpr size_t count = 100'000;
  Sample s = statements(count);
  // As many that go: their room must go, too.
  for (size_t i = 0; i < count; ++i)
    s.f->erase(s.f->insert(Function::after(static_cast<Ref>(i)), s.f->make(Op::neg, i64, {s.c(1)})));
  compact(*s.f);
  ASSERT_EQ(s.f->size(), count + 1);
  double bytes = static_cast<double>(s.f->bytes()) / (count + 1);
  EXPECT_GE(bytes, 24.0);
  EXPECT_LT(bytes, 24.01);
  Uses uses(*s.f);
  double with_uses = bytes + static_cast<double>(uses.bytes()) / (count + 1);
  EXPECT_LT(with_uses, 36.01);
  EXPECT_GT(with_uses, 35.9);
}

#ifdef BRAID_MALLOC_COUNTS
TEST(CompactCounters, ReservedStatementsAllocateNothing) {
  constexpr uint32_t count = 10'000;
  Sample s;
  BlockId b = s.f->new_block();
  s.f->reserve(count, 1, 0);
  Operand last = Operand::param(0), one = s.c(1);
  struct mallinfo2 before = mallinfo2();
  uint64_t calls = new_calls;
  for (uint32_t i = 0; i < count; ++i) last = s.add(b, last, one);
  uint64_t calls_after = new_calls;
  struct mallinfo2 after = mallinfo2();
  EXPECT_EQ(calls_after, calls);
  EXPECT_EQ(after.uordblks, before.uordblks);
  EXPECT_EQ(after.hblkhd, before.hblkhd);
  EXPECT_EQ(s.f->size(), count);
  // The measure sees what there is to see: one more statement does not fit.
  s.add(b, last, one);
  after = mallinfo2();
  EXPECT_NE(after.uordblks + after.hblkhd, before.uordblks + before.hblkhd);
}
#endif

/// The number of allocations that `run` makes with vectors.
uint64_t allocations(const std::function<void()>& run) {
  uint64_t before = new_calls;
  run();
  return new_calls - before;
}

TEST(CompactCounters, CopyingAFunctionAllocatesAFixedNumberOfBlocks) {
  uint64_t expected = 0;
  for (size_t count : {1'000u, 100'000u}) {
    Sample s = statements(count);
    s.f->param_names = {s.module->symbol("x")};  // at least this vector is seen to be copied
    compact(*s.f);
    uint64_t calls = allocations([&] {
      Function copy = *s.f;
      EXPECT_EQ(copy.size(), count + 1);
    });
    if (expected == 0) expected = calls;
    EXPECT_EQ(calls, expected) << count;
  }
  EXPECT_LE(expected, 12u);
  EXPECT_GT(expected, 0u);
}

/// Vectors that grow double, so a hundredfold function makes a few allocations more, not a hundredfold.
TEST(CompactCounters, CompactionAllocatesNothingPerStatement) {
  for (auto [name, make] : generators) {
    Sample small = make(1'000), large = make(64'000);
    uint64_t few = allocations([&] { compact(*small.f); }), many = allocations([&] { compact(*large.f); });
    EXPECT_LE(many, few + 64) << name;
  }
}

TEST(CompactCounters, TimeGrowsWithTheFunction) {
  for (auto [name, make] : generators) {
    run_on_small_stack([&, name = name, make = make] {
      EXPECT_LT(growth_ratio(
                    25'000, [&](size_t size) { return make(size); },
                    [](Sample& s) {
                      Function copy = *s.f;
                      compact(copy, {.count_uses = true});
                    }),
                3.0)
          << name;
    });
  }
}

/// A pass that erases, inserts behind and ahead, and removes edges on the way costs no more.
TEST(CompactCounters, TimeOfEditsGrowsWithTheFunction) {
  for (auto [name, make] : generators) {
    run_on_small_stack([&, name = name, make = make] {
      EXPECT_LT(growth_ratio(
                    10'000, [&](size_t size) { return make(size); },
                    [](Sample& s) {
                      Function copy = *s.f;
                      Compact walk(copy);
                      const uint32_t words[] = {Operand::param(0).word(), Operand::param(0).word()};
                      Draft extra{Op::add, i64, words};
                      uint32_t step = 0;
                      for (Ref r : walk) {
                        Op op = walk.op(r);
                        if (++step % 5 == 0 && op == Op::branch) {
                          EdgeId edge = none_id<EdgeId>;
                          walk.for_each_succ(walk.block_here(), [&](EdgeId e) { edge = e; });
                          walk.remove_edge(edge);
                        }
                        if (is_terminator(op) || is_phi_like(op)) continue;
                        if (step % 3 == 0) walk.insert_after(r, extra);
                        if (step % 3 == 1) walk.insert_before(r, extra);
                        if (step % 7 == 0) walk.replace(r, Operand::param(0));
                        if (step % 11 == 0) walk.insert_here(extra);
                      }
                      walk.finish();
                    }),
                3.0)
          << name;
    });
  }
}

/// Another edge into a block looks at its phis, not at the ranges behind them.
TEST(CompactCounters, TimeOfEdgesIntoABlockOfManyRanges) {
  EXPECT_LT(growth_ratio(
                5'000,
                [](size_t count) {
                  Sample s;
                  BlockId join = s.f->new_block(), other = s.f->new_block();
                  s.f->append(join, s.f->make(Op::phi, i64));
                  for (size_t i = 0; i < count; ++i) {
                    s.add(join, Operand::param(0), s.c(1));
                    s.add(other, Operand::param(0), s.c(1));
                    s.f->new_block();
                  }
                  return s;
                },
                [](Sample& s) {
                  Function copy = *s.f;
                  for (uint32_t b = 2; b < copy.block_count(); ++b) copy.jump(static_cast<BlockId>(b), BlockId{0});
                }),
            3.0);
}

}  // namespace
}  // namespace braid::ir
