// Pis and lifting grow with the function: many branches to one block, long lines of pis, phis of very many operands.
#include <gtest/gtest.h>

#include "growth.h"
#include "infer/lift.h"
#include "infer/pi.h"
#include "numbered.h"
#include "opt_testing.h"

namespace braid::infer {
namespace {

using opt::Program;

/// Tests in a row, all of which lead to one block.
std::string ladder(size_t count) {
  return "func @f(x: i64) -> i64 {\nentry:\n  jump d0\n" +
         numbered("d#:\n  %c# = ne i64 %x, #\n  branch %c#, d^, out\n", 0, count) +
         numbered("d#:\n  ret 1\nout:\n  ret %x\n}\n", count);
}

/// Tests in a row, each of which says more of one value, and behind them many questions about it.
std::string line_of_pis(size_t count) {
  return "extern @see(i1) -> void host\nfunc @f(x: i64) -> i64 {\nentry:\n  jump d0\n" +
         numbered("d#:\n  %c# = sgt i64 %x, #\n  branch %c#, d^, x#\nx#:\n  ret #\n", 0, count) + numbered("d#:\n", count) +
         numbered("  %q# = eq i64 %x, 1000000#\n  call @see(%q#)\n", 0, count) + "  ret 1\n}\n";
}

/// One phi of many constants, and as many questions about it as there are given.
std::string questions_of_one_phi(size_t ways, size_t questions) {
  return "extern @see(i1) -> void host\nfunc @f(x: i64) -> i64 {\nentry:\n  switch i64 %x, j, [0: j" +
         numbered(", #: j", 1, ways) + "]\nj:\n  %p = phi i64 [entry: 0" + numbered(", entry: #", 0, ways) + "]\n" +
         numbered("  %c# = eq i64 %p, #\n  call @see(%c#)\n", 0, questions) + "  ret %p\n}\n";
}
std::string as_many_questions(size_t count) { return questions_of_one_phi(count, count); }

/// One phi that only phis read, each of which only a pi reads.
std::string phis_read_by_pis(size_t count) {
  return "language php\nfunc @f(x: null|i64|f64|string, c: i1) -> i64|f64 {\nentry:\n  branch %c, a, b\n"
         "a:\n  jump j\nb:\n  jump j\nj:\n  %p = phi null|i64|f64|string [a: %x, b: null null]\n  jump k0\n" +
         numbered("k#:\n  branch %c, l#, m#\nl#:\n  jump r#\nm#:\n  jump r#\nr#:\n"
                  "  %q# = phi null|i64|f64|string [l#: %p, m#: null null]\n  %z# = pi i64 %q#\n  jump k^\n", 0, count) +
         numbered("k#:\n  ret %z~\n}\n", count);
}

template <typename Prepare, typename Run>
void expect_linear(size_t count, std::string (*text)(size_t), Prepare&& prepare, Run&& run) {
  const double ratio = growth_ratio(
      count,
      [&](size_t size) {
        auto p = std::make_unique<Program>(text(size));
        prepare(p->function());
        return p;
      },
      [&](const std::unique_ptr<Program>& p) {
        ir::Function copy = p->function();
        run(copy);
      },
      2.8);
  EXPECT_LT(ratio, 2.8);
}
void nothing(ir::Function&) {}
void pis(ir::Function& f) { EXPECT_NE(insert_pis(f), 0u); }
void lift(ir::Function& f) { lift_over_phis(f); }

TEST(InferGrowth, ManyBranchesToOneBlock) { expect_linear(4'000, ladder, nothing, [](ir::Function& f) { insert_pis(f); }); }

TEST(InferGrowth, LongLinesOfPis) { expect_linear(4'000, line_of_pis, pis, lift); }

TEST(InferGrowth, ManyQuestionsOfAWidePhi) { expect_linear(2'000, as_many_questions, nothing, lift); }

TEST(InferGrowth, APhiOfManyReaders) { expect_linear(4'000, phis_read_by_pis, nothing, lift); }

LiftReport lifted(const std::string& text) {
  Program p(text);
  const LiftReport report = lift_over_phis(p.function());
  p.expect_valid("lifted");
  return report;
}

TEST(Lift, WhatIsMadeGrowsWithTheFunction) {
  EXPECT_EQ(lifted(questions_of_one_phi(100, 100)).phis, 100u);
  const LiftReport many = lifted(questions_of_one_phi(2'000, 2'000));
  EXPECT_GT(many.phis, 10u);
  EXPECT_LT(many.phis, 100u) << "each of 2000 operands";
}

TEST(Lift, PhisOfVeryManyOperandsAreLeftAlone) {
  EXPECT_EQ(lifted(questions_of_one_phi(4'000, 3)).phis, 3u);
  EXPECT_EQ(lifted(questions_of_one_phi(5'000, 3)).phis, 0u);
}

TEST(Lift, AnEdgeStaysForAnyOfItsReaders) {
  // What %q1 admits and what %q2 admits come to %r one after the other.
  EXPECT_EQ(lifted("extern @see(i64, f64) -> void host\nfunc @f(k: i64, x: i64, y: f64) -> void {\nentry:\n"
                   "  switch i64 %k, c, [0: a, 1: b]\na:\n  jump r\nb:\n  jump r\nc:\n  jump r\n"
                   "r:\n  %r = phi null|i64|f64 [a: %x, b: %y, c: null null]\n  %t = slt i64 %k, 5\n  branch %t, r1, p\n"
                   "r1:\n  jump p\np:\n  %p = phi null|i64|f64 [r: %r, r1: null null]\n  branch %t, p1, q1\np1:\n  jump q1\n"
                   "q1:\n  %q1 = phi null|i64|f64 [p: %p, p1: null null]\n  %z1 = pi i64 %q1\n  branch %t, s, q2\ns:\n  jump q2\n"
                   "q2:\n  %q2 = phi null|i64|f64 [q1: %p, s: null null]\n  %z2 = pi f64 %q2\n  call @see(%z1, %z2)\n  ret\n}\n")
                .edges,
            4u)
      << "the nulls, and nothing else";
}

}  // namespace
}  // namespace braid::infer
