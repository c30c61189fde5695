// Many variables in many blocks: a variable costs where it is mentioned and where it needs a phi, not where it lives.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "growth.h"
#include "ir/function.h"
#include "ssa/on_the_fly.h"

namespace braid {
namespace {

constexpr uint32_t nothing = 0xffffffffu;

/// A program of as many variables as its size, all of them assigned at its start. Block 0 is the first behind the entry.
struct Plan {
  struct Block {
    uint32_t assigned = nothing;  ///< a variable; its value hangs on its last one
    bool reads_all = false;
    std::vector<uint32_t> successors = {};  ///< none: it returns
  };
  uint32_t variables;
  std::vector<Block> blocks = {};
  uint32_t phis = 0;

  uint32_t add(uint32_t assigned = nothing) {
    blocks.push_back({assigned});
    return static_cast<uint32_t>(blocks.size() - 1);
  }
  void lead(uint32_t from, std::vector<uint32_t> to) { blocks[from].successors = std::move(to); }
  /// Everything is read here, behind `last`.
  Plan end(uint32_t last, uint32_t phi_count) {
    blocks[last].reads_all = true;
    phis = phi_count;
    return std::move(*this);
  }
};

Plan chain(uint32_t size) {
  Plan plan{size};
  for (uint32_t i = 0; i < size; ++i) plan.lead(plan.add(i), {i + 1});
  return plan.end(plan.add(), 0);
}

/// A binary tree; each inner block assigns a variable, and the last leaf reads all.
Plan tree(uint32_t size) {
  Plan plan{size};
  for (uint32_t i = 0; i < size; ++i) plan.lead(plan.add(i), {2 * i + 1, 2 * i + 2});
  for (uint32_t i = 0; i < size; ++i) plan.add();
  return plan.end(plan.add(), 0);
}

/// A chain with a leaf at every block, which assigns a variable and ends there.
Plan comb(uint32_t size) {
  Plan plan{size};
  for (uint32_t i = 0; i < size; ++i) {
    plan.lead(plan.add(), {2 * i + 1, 2 * i + 2});
    plan.add(i);
  }
  return plan.end(plan.add(), 0);
}

Plan diamonds(uint32_t size, bool assigns) {
  Plan plan{size};
  uint32_t last = plan.add();
  for (uint32_t i = 0; i < size; ++i) {
    uint32_t left = plan.add(assigns ? i : nothing), right = plan.add(), join = plan.add();
    plan.lead(last, {left, right});
    plan.lead(left, {join});
    plan.lead(right, {join});
    last = join;
  }
  return plan.end(last, assigns ? size : 0);
}

Plan loops(uint32_t size) {
  Plan plan{size};
  uint32_t last = plan.add();
  for (uint32_t i = 0; i < size; ++i) {
    uint32_t head = plan.add(), body = plan.add(i), after = plan.add();
    plan.lead(last, {head});
    plan.lead(head, {body, after});
    plan.lead(body, {head});
    last = after;
  }
  return plan.end(last, size);
}

/// Nothing is assigned in them, and no single phi in their heads stands for one value by itself.
Plan nested_loops(uint32_t size) {
  Plan plan{size};
  uint32_t last = plan.add();
  std::vector<std::pair<uint32_t, uint32_t>> open;
  for (uint32_t i = 0; i < size; ++i) {
    uint32_t head = plan.add(), body = plan.add(), after = plan.add();
    plan.lead(last, {head});
    plan.lead(head, {body, after});
    open.push_back({head, after});
    last = body;
  }
  for (; !open.empty(); open.pop_back()) {
    plan.lead(last, {open.back().first});
    last = open.back().second;
  }
  return plan.end(last, 0);
}

/// Loops with two entries; what one of them assigns needs phis in both.
Plan irreducible_loops(uint32_t size) {
  Plan plan{size};
  uint32_t last = plan.add();
  for (uint32_t i = 0; i < size; ++i) {
    uint32_t left = plan.add(i), right = plan.add(), after = plan.add();
    plan.lead(last, {left, right});
    plan.lead(left, {right, after});
    plan.lead(right, {left});
    last = after;
  }
  return plan.end(last, 2 * size);
}

/// A switch whose ways meet again, and one that all of its edges leave for one block.
Plan switches(uint32_t size) {
  Plan plan{size};
  uint32_t first = plan.add(), join = plan.add(), last = plan.add();
  std::vector<uint32_t> ways, edges(size, last);
  for (uint32_t i = 0; i < size; ++i) plan.lead(ways.emplace_back(plan.add()), {join});
  plan.lead(first, ways);
  plan.lead(join, edges);
  return plan.end(last, 0);
}

/// Answers how many phis there are.
uint32_t build(const Plan& plan, bool backwards, bool verified = false) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"c", i1}}, i64);
  Val x = b.param("x"), c = b.param("c");
  std::vector<std::unique_ptr<Var>> variables;
  for (uint32_t v = 0; v < plan.variables; ++v) variables.push_back(std::unique_ptr<Var>(new Var(b.var("v", i64, v))));
  std::vector<Label> labels;
  for (size_t i = 0; i < plan.blocks.size(); ++i) labels.push_back(b.label());
  b.jump(labels[0]);
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    size_t number = backwards ? plan.blocks.size() - 1 - i : i;
    const Plan::Block& block = plan.blocks[number];
    b.at(labels[number]);
    if (block.assigned != nothing) *variables[block.assigned] += x;
    Val sum = x;
    for (uint32_t v = 0; v < plan.variables && block.reads_all; ++v) sum = sum + *variables[v];
    std::vector<Builder::Case> cases;
    for (uint32_t s : block.successors) cases.push_back({static_cast<int64_t>(cases.size()), labels[s]});
    switch (cases.size()) {
      case 0: b.ret(sum); break;
      case 1: b.jump(cases[0].target); break;
      case 2: b.branch(c, cases[0].target, cases[1].target); break;
      default: b.switch_(x, cases[0].target, cases);
    }
  }
  return phi_count(*b.try_done(verified).value());
}

/// The same without a Builder; answers how many placeholders it has taken, and operands of them.
size_t count_placeholders(const Plan& plan, bool backwards) {
  ir::Module m;
  ir::Function& f = m.add_function(m.symbol("f"), {{i64, i1}, i64});
  detail::VariableTable table;
  ssa::OnTheFly ssa(f, table);
  for (uint32_t v = 0; v < plan.variables; ++v) ssa.declare(i64, m.constant(i64, v));
  std::vector<ir::BlockId> blocks;
  ir::BlockId entry = f.new_block();
  for (size_t i = 0; i < plan.blocks.size(); ++i) blocks.push_back(f.new_block());
  ssa.at(entry);
  f.jump(entry, blocks[0]);
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    size_t number = backwards ? plan.blocks.size() - 1 - i : i;
    const Plan::Block& block = plan.blocks[number];
    ir::BlockId b = blocks[number];
    ssa.at(b);
    if (block.assigned != nothing)
      ssa.write(block.assigned, f.append(b, f.make(ir::Op::add, i64, {ssa.read(block.assigned), ir::Operand::param(0)})));
    for (uint32_t v = 0; v < plan.variables && block.reads_all; ++v) ssa.read(v);
    std::vector<ir::Function::Case> cases;
    for (uint32_t s : block.successors) cases.push_back({m.constant(i64, static_cast<int64_t>(cases.size())), blocks[s]});
    switch (cases.size()) {
      case 0: f.ret(b, ir::Operand::param(0)); break;
      case 1: f.jump(b, cases[0].target); break;
      case 2: f.branch(b, ir::Operand::param(1), cases[0].target, cases[1].target); break;
      default: f.switch_on(b, ir::Operand::param(0), cases[0].target, cases);
    }
  }
  ssa.finish(false);
  size_t count = ssa.placeholder_count();
  for (uint32_t p = 0; p < ssa.placeholder_count(); ++p) count += ssa.operands_of_placeholder(p).size();
  return count;
}

void expect_linear(const std::function<Plan(uint32_t)>& make) {
  constexpr uint32_t few = 100, many = 2000;
  for (bool backwards : {false, true}) {
    // 100 variables, live in 20 times as many blocks, are more than this allows.
    Plan large = make(many);
    ASSERT_LT(count_placeholders(large, backwards), 12 * (large.blocks.size() + 3 * many));
    for (const Plan& plan : {make(few), large}) EXPECT_EQ(build(plan, backwards, true), plan.phis);
    double ratio = growth_ratio(1000, [&](size_t n) { return make(static_cast<uint32_t>(n)); },
                                [&](const Plan& plan) { build(plan, backwards); });
    EXPECT_LT(ratio, 3.0);
  }
}

TEST(OnTheFlyVariables, Chain) { expect_linear(chain); }
TEST(OnTheFlyVariables, Tree) { expect_linear(tree); }
TEST(OnTheFlyVariables, Comb) { expect_linear(comb); }
TEST(OnTheFlyVariables, DiamondsAllLiveThrough) {
  expect_linear([](uint32_t size) { return diamonds(size, false); });
}
TEST(OnTheFlyVariables, DiamondsOneForEach) {
  expect_linear([](uint32_t size) { return diamonds(size, true); });
}
TEST(OnTheFlyVariables, Loops) { expect_linear(loops); }
TEST(OnTheFlyVariables, NestedLoops) { expect_linear(nested_loops); }
TEST(OnTheFlyVariables, IrreducibleLoops) { expect_linear(irreducible_loops); }
TEST(OnTheFlyVariables, Switches) { expect_linear(switches); }

// ---- what comes out ----

using Numbers = std::vector<int64_t>;

/// Builds with as many variables, which are 0, 1, 2, … at first; answers what they are summed up to at the end, the first one
/// times the highest power of 31.
std::string run_with(uint32_t count, int64_t argument,
                     const std::function<void(Builder&, const Var&, const std::vector<std::unique_ptr<Var>>&)>& body) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  std::vector<std::unique_ptr<Var>> variables;
  for (uint32_t v = 0; v < count; ++v) variables.push_back(std::unique_ptr<Var>(new Var(b.var("v", i64, v))));
  body(b, n, variables);
  Var sum = b.var("sum", i64, 0);
  for (const std::unique_ptr<Var>& variable : variables) sum = sum * 31 + *variable;
  b.ret(sum);
  Value arguments[] = {Value(argument)};
  return run(b.done(), arguments).message;
}
std::string sum_of(const Numbers& numbers) {
  uint64_t sum = 0;
  for (int64_t number : numbers) sum = sum * 31 + static_cast<uint64_t>(number);
  return std::to_string(static_cast<int64_t>(sum));
}
Numbers counted(uint32_t count) {
  Numbers numbers;
  for (uint32_t v = 0; v < count; ++v) numbers.push_back(v);
  return numbers;
}

TEST(OnTheFlyVariables, Regions) {
  // The handler sees what its region has assigned before the exception, and a variable of another region.
  constexpr uint32_t count = 200;
  for (int64_t argument : {-1, 0, 1, 57, 199}) {
    Numbers expected = counted(count);
    for (uint32_t i = 0; i < count; ++i) {
      expected[i] += 1;
      if (argument == i) expected[i] += 1000 + expected[i * 7 % count];
      else expected[i] += 10;
    }
    EXPECT_EQ(run_with(count, argument,
                       [](Builder& b, const Var& n, const std::vector<std::unique_ptr<Var>>& v) {
                         for (uint32_t i = 0; i < count; ++i)
                           b.try_(
                               [&] {
                                 *v[i] += 1;
                                 b.op("check_zero", {n - i});
                                 *v[i] += 10;
                               },
                               [&](Val) { *v[i] += *v[i * 7 % count] + 1000; });
                       }),
              sum_of(expected));
  }
}

TEST(OnTheFlyVariables, BlocksTakenUpAgain) {
  // A chain of blocks that are all begun before one of them goes on.
  constexpr uint32_t count = 1000;
  Numbers expected = counted(count);
  for (uint32_t i = 0; i < count; ++i) {
    expected[i] += 5;
    expected[i * 7 % count] *= 3;
  }
  EXPECT_EQ(run_with(count, 5,
                     [](Builder& b, const Var& n, const std::vector<std::unique_ptr<Var>>& v) {
                       std::vector<Label> labels;
                       for (uint32_t i = 0; i <= count; ++i) labels.push_back(b.label());
                       b.jump(labels[0]);
                       for (uint32_t i = 0; i < count; ++i) {
                         b.at(labels[i]);
                         *v[i] += n;
                       }
                       for (uint32_t i = 0; i < count; ++i) {
                         b.at(labels[i]);
                         *v[i * 7 % count] *= 3;
                         b.jump(labels[i + 1]);
                       }
                       b.at(labels[count]);
                     }),
            sum_of(expected));
}

}  // namespace
}  // namespace braid
