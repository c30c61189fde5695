// Random programs out of SSA and back, and what they covered.
#include <gtest/gtest.h>

#include <random>

#include "leaves_ssa.h"

namespace braid {
namespace {

TEST(LeaveSsa, RandomProgramsRunAsBefore) {
  LeavingCoverage coverage;
  LeavesSsa leaves(coverage);
  for (uint32_t seed = 0; seed < 1'500; ++seed) {
    RandomVariableProgram program(seed);
    std::string wrong = leaves.check(program, seed);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong;
  }
  coverage.print();
  EXPECT_GE(coverage.optimised, 800u);
  EXPECT_GE(coverage.sum.phis, 50'000u);
  EXPECT_GE(coverage.sum.phi_cs, 5'000u);
  EXPECT_GE(coverage.sum.edge_copies, 5'000u);
  EXPECT_GE(coverage.sum.start_copies, 2'000u);
  EXPECT_GE(coverage.sum.stores, 10'000u);
  EXPECT_GE(coverage.sum.split_edges, 4'000u);
  EXPECT_LE(coverage.sum.copies(), coverage.sum.operands / 10);
}

/// What a state names is what it was there, whatever is assigned before its user.
TEST(LeaveSsa, RandomProgramsWithStatesRunAsBefore) {
  LeavingCoverage coverage;
  LeavesSsa leaves(coverage);
  for (uint32_t seed = 0; seed < 600; ++seed) {
    RandomVariableProgram program(seed);
    program.add_states();
    std::string wrong = leaves.check(program, seed);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong;
  }
  coverage.print();
  EXPECT_GE(coverage.states, 3'000u);
  EXPECT_GE(coverage.assigned_behind, 800u);
  EXPECT_GE(coverage.deoptimised, 150u);
}

/// Loops that pass values on to each other: phis whose operands are phis of the same block, in an order of
/// their own for each way back. That is where cycles come from. Every fourth has so many ways back that its head is wide, and most
/// of them bring the same; every sixteenth has very many.
class Shuffle {
 public:
  explicit Shuffle(uint32_t seed) : random_(seed), is_wide_(seed % 4 == 3), is_very_wide_(seed % 16 == 15) {}

  std::string text() {
    uint32_t values = 2 + pick(5), ways = is_very_wide_ ? 70 + pick(20) : is_wide_ ? 9 + pick(20) : 1 + pick(3);
    std::string out = "func @f(n: i64, x: i64) -> i64 {\nentry:\n";
    for (uint32_t v = 0; v < values; ++v) out += "  %s" + name(v) + " = add i64 %x, " + name(v) + "\n";
    out += "  jump head\nhead:\n";
    std::string heads = "  %i = phi i64 [entry: %n";
    for (uint32_t w = 0; w < ways; ++w) heads += ", way" + name(w) + ": %j" + name(w);
    out += heads + "]\n";
    for (uint32_t v = 0; v < values; ++v) {
      out += "  %p" + name(v) + " = phi i64 [entry: %s" + name(v);
      for (uint32_t w = 0; w < ways; ++w) out += ", way" + name(w) + ": " + source(v, values, w);
      out += "]\n";
    }
    out +=
        "  %far = mul i64 %i, " +
        std::string(is_very_wide_ ? "19\n  %low = and i64 %far, 127\n" : "1\n  %low = and i64 %far, 31\n") +
        "  %more = sgt i64 %i, 0\n  branch %more, choose, done\nchoose:\n  switch "
        "i64 %low, way0, [";
    for (uint32_t w = 1; w < ways; ++w) out += (w == 1 ? "" : ", ") + name(w) + ": way" + name(w);
    out += "]\n";
    for (uint32_t w = 0; w < ways; ++w) {
      out += "way" + name(w) + ":\n  %j" + name(w) + " = sub i64 %i, 1\n";
      for (uint32_t v = 0; v < values; ++v)
        out += "  %t" + name(w) + "_" + name(v) + " = add i64 %p" + name(v) + ", " + name(1 + pick(3)) + "\n";
      out += "  jump head\n";
    }
    out += "done:\n  %r0 = add i64 %p0, 0\n";
    for (uint32_t v = 1; v < values; ++v)
      out += "  %m" + name(v) + " = mul i64 %r" + name(v - 1) + ", 31\n  %r" + name(v) + " = add i64 %m" +
             name(v) + ", %p" + name(v) + "\n";
    return out + "  ret %r" + name(values - 1) + "\n}\n";
  }

 private:
  static std::string name(uint32_t number) { return std::to_string(number); }
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  std::string source(uint32_t v, uint32_t values, uint32_t way) {
    switch (pick(is_wide_ ? 24 : 6)) {
      case 0: return "%t" + name(way) + "_" + name(pick(values));
      case 1: return name(pick(9));
      case 2: return "%p" + name(pick(values));
      default: return "%p" + name((v + 1 + (is_wide_ ? 0 : way)) % values);
    }
  }

  std::mt19937 random_;
  bool is_wide_, is_very_wide_;
};

TEST(LeaveSsa, ValuesThatChangePlaces) {
  uint32_t temporaries = 0, copies = 0, split_edges = 0;
  for (uint32_t seed = 0; seed < 1'000; ++seed) {
    std::string source = Shuffle(seed).text();
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("shuffle", source));
    ASSERT_TRUE(parsed) << render(parsed.error()) << source;
    ir::Module& module = *parsed->module;
    ir::Function& f = module.function(ir::FuncId{0});
    auto run = [&](int64_t n) {
      Value arguments[] = {Value(n), Value(int64_t{7})};
      return interp::to_string(interp::Interpreter(module, {.max_steps = 100'000}).run(f, arguments));
    };
    std::vector<std::string> expected;
    for (int64_t n = 0; n < 40; n += 1 + n / 8) expected.push_back(run(n));
    dessa::Report report = dessa::leave_ssa(f);
    temporaries += report.temporaries;
    copies += report.copies();
    split_edges += report.split_edges;
    ASSERT_TRUE(ir::verify(f).empty()) << source << text::to_text(f);
    size_t next = 0;
    for (int64_t n = 0; n < 40; n += 1 + n / 8)
      ASSERT_EQ(run(n), expected[next++]) << "seed " << seed << ", " << n << "\n" << source << text::to_text(f);
  }
  std::printf("%u copies, %u temporaries\n", copies, temporaries);
  EXPECT_GE(temporaries, 300u);
  EXPECT_EQ(split_edges, 0u);
}

}  // namespace
}  // namespace braid
