// Stack slots to variables: random programs run alike over slots, over variables and in SSA.
#include "ssa/promote.h"

#include <cstdio>

#include "growth.h"
#include "messy_programs.h"
#include "opt_testing.h"
#include "ssa/construct.h"

namespace braid::ssa {
namespace {

using opt::Program;

uint32_t count(const ir::Function& f, ir::Op op) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < f.size(); ++i) found += f.op(static_cast<ir::Ref>(i)) == op;
  return found;
}

TEST(Promote, RandomProgramsRunAlike) {
  uint32_t promoted = 0, left = 0, runs = 0, endless = 0, threw = 0;
  for (uint32_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    std::string source = MessyProgram(seed, {.slots = true}).text();
    Program before(source), variables(source), values(source);
    if (HasFailure()) return;
    promoted += promote(variables.function());
    variables.expect_valid("after promote");
    left += count(variables.function(), ir::Op::stack_slot);
    EXPECT_EQ(promote(variables.function()), 0u) << source;
    promote(values.function());
    construct(values.function());
    values.expect_valid("after promote and construction");
    EXPECT_EQ(count(values.function(), ir::Op::get), 0u);
    constexpr uint64_t steps = 50'000;
    for (int64_t n : {0, 1, 3, 6}) {
      std::string expected = before.run({Value(n)}, steps);
      ++runs;
      endless += expected.starts_with("stops");
      threw += expected.starts_with("throws");
      EXPECT_EQ(variables.run({Value(n)}, steps), expected) << source << variables.text();
      EXPECT_EQ(values.run({Value(n)}, steps), expected) << source << values.text();
    }
  }
  std::printf("%u runs: %u endless, %u threw; %u slots became variables, %u stayed\n", runs, endless, threw,
              promoted, left);
  EXPECT_GE(promoted, 4000u);
  EXPECT_GE(left, 300u);
  EXPECT_LE(endless, runs / 2);
}

TEST(Promote, SlotsOfEveryKindAreZeroAtFirst) {
  for (const char* type : {"i1", "i8", "i16", "i32", "i64", "f32", "f64", "ptr"}) {
    std::string name = type;
    Program p("func @f() -> " + name + " {\nentry:\n  %a = stack_slot 8, 8\n  %b = load " + name +
              " %a\n  ret %b\n}\n");
    std::string expected = p.run({});
    EXPECT_EQ(promote(p.function()), 1u) << type;
    p.expect_valid("after promote");
    EXPECT_EQ(p.run({}), expected) << type;
  }
}

TEST(Promote, AStoredAddressIsNoAccess) {
  Program p(
      "func @f() -> ptr {\nentry:\n  %a = stack_slot 8, 8\n  %b = stack_slot 8, 8\n  store ptr %a, %b\n"
      "  store ptr null, %a\n  %p = load ptr %b\n  %r = load ptr %p\n  ret %r\n}\n");
  std::string expected = p.run({});
  EXPECT_EQ(promote(p.function()), 1u);
  p.expect_valid("after promote");
  EXPECT_EQ(count(p.function(), ir::Op::stack_slot), 1u);
  EXPECT_EQ(p.run({}), expected);
}

TEST(Promote, AnUnusedSlotIsNotTouched) {
  Program p("func @f() -> i64 {\nentry:\n  %a = stack_slot 8, 8\n  ret 1\n}\n");
  std::string text = p.text();
  EXPECT_EQ(promote(p.function()), 0u);
  EXPECT_EQ(p.text(), text);
}

TEST(Promote, WhatWaitsInTheBufferIsSeen) {
  Program p("func @f() -> i64 {\nentry:\n  %a = stack_slot 8, 8\n  %b = load i64 %a\n  ret %b\n}\n");
  ir::Function& f = p.function();
  ir::Operand slot = ir::Ref{0};
  f.insert(ir::Function::after(slot), f.make(ir::Op::store, void_type, {p.module->constant(i64, 5), slot}));
  EXPECT_EQ(promote(f), 1u);
  p.expect_valid("after promote");
  EXPECT_EQ(p.run({}), "5");
}

TEST(Promote, TimeGrowsWithTheInput) {
  auto slots = [](size_t size) {
    std::string text = "func @f() -> i64 {\nentry:\n";
    for (size_t i = 0; i < size; ++i) {
      std::string n = std::to_string(i);
      text += "  %s" + n + " = stack_slot 8, 8\n  store i64 " + n + ", %s" + n + "\n  %l" + n +
              " = load i64 %s" + n + "\n";
    }
    return std::move(Program(text + "  ret %l0\n}\n").module);
  };
  double growth = growth_ratio(20'000, slots, [](auto& module) {
    ir::Function copy = module->function(ir::FuncId{0});
    promote(copy);
  });
  EXPECT_LT(growth, 3.0);
}

}  // namespace
}  // namespace braid::ssa
