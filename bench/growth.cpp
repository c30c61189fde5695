// Growth: everything at n and at 2n statements, where linear means that a statement costs the same. The nests go as deep as
// they are large; nothing here may use up the stack.
#include "interp/interpreter.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "shapes.h"
#include "subjects.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::bench {
namespace {

using ir::BlockId;

/// Conditions in conditions: `depth` blocks down, as many up again, with a phi in each of these.
ir::Function& nested_conditions(ir::Module& module, uint32_t depth) {
  ir::Function& f = module.add_function(module.symbol("f"), {{i64, i64, i64, i64}, i64});
  ir::Operand x = ir::Operand::param(0);
  BlockId down = f.new_block();
  ir::Operand condition = f.append(down, f.make(ir::Op::slt, i1, {x, ir::Operand::param(1)}));
  std::vector<BlockId> joins;
  for (uint32_t i = 0; i < depth; ++i) {
    BlockId inner = f.new_block();
    joins.push_back(f.new_block());
    f.branch(down, condition, inner, joins.back());
    down = inner;
  }
  ir::Operand value = x;
  while (!joins.empty()) {
    BlockId join = joins.back();
    joins.pop_back();
    f.jump(down, join);
    value = f.append(join, f.make(ir::Op::phi, i64, {x, value}));
    value = f.append(join, f.make(ir::Op::add, i64, {value, x}));
    down = join;
  }
  f.ret(down, value);
  ir::compact(f);
  return f;
}

/// Loops in loops, `depth` of them, each with a counter. None goes round when it is run with n = 0.
ir::Function& nested_loops(ir::Module& module, uint32_t depth) {
  ir::Function& f = module.add_function(module.symbol("f"), {{i64, i64, i64, i64}, i64});
  ir::Operand n = ir::Operand::param(3), one = module.constant(i64, 1);
  BlockId entry = f.new_block(), done = f.new_block();
  BlockId before = entry, after = done;
  for (uint32_t i = 0; i < depth; ++i) {
    BlockId head = f.new_block(), latch = f.new_block();
    f.jump(before, head);
    BlockId body = f.new_block();
    ir::Ref counter = f.append(head, f.make(ir::Op::phi, i64, {module.constant(i64, 0)}));
    f.branch(head, f.append(head, f.make(ir::Op::slt, i1, {counter, n})), body, after);
    ir::Ref next = f.append(latch, f.make(ir::Op::add, i64, {counter, one}));
    f.jump(latch, head);
    f.set_operand(counter, 1, next);
    before = body;
    after = latch;
  }
  f.jump(before, after);
  f.ret(done, n);
  ir::compact(f);
  return f;
}

struct Costs {
  double parse, verify, print, compact, run;
  uint32_t statements = 0, blocks = 0;
};

template <typename Make>
Costs measure(const Effort& effort, int64_t a, int64_t b, Make&& make) {
  Module module;
  const ir::Function& f = make(module);
  SourceFile source("f.braid", text::to_text(module.ir()));
  Costs costs;
  costs.statements = f.size();
  costs.blocks = f.block_count();
  auto each = [&](auto&& work) { return least_time(effort, work) * 1e9 / f.size(); };
  costs.parse = each([&](Stopwatch& watch) {
    watch.start();
    Expected<text::ParsedModule> parsed = text::parse_module(source);
    watch.stop();
    if (!parsed) fail("a large function does not parse");
  });
  costs.verify = each([&](Stopwatch& watch) {
    watch.start();
    bool sound = ir::verify(f).empty();
    watch.stop();
    if (!sound) fail("a large function does not verify");
  });
  costs.print = each([&](Stopwatch& watch) {
    watch.start();
    std::string printed = text::to_text(f);
    watch.stop();
    keep(printed);
  });
  costs.compact = each([&](Stopwatch& watch) {
    ir::Function copy = f;
    watch.start();
    ir::compact(copy);
    watch.stop();
  });
  costs.run = each([&](Stopwatch& watch) {
    interp::Interpreter interpreter(module.ir());
    Value arguments[] = {Value(a), Value(b), Value(int64_t{3}), Value(int64_t{0})};
    watch.start();
    interp::Outcome outcome = interpreter.run(f, arguments);
    watch.stop();
    if (outcome.kind != interp::OutcomeKind::value) fail("a large function does not run: " + to_string(outcome));
  });
  return costs;
}

template <typename Make>
void compare(Table& table, const Effort& effort, std::string_view title, uint32_t n, int64_t a, int64_t b, Make&& make) {
  Costs at_n = measure(effort, a, b, [&](Module& module) -> const ir::Function& { return make(module, n); });
  Costs at_2n = measure(effort, a, b, [&](Module& module) -> const ir::Function& { return make(module, 2 * n); });
  table.section(std::string(title) + ", " + std::to_string(at_2n.blocks) + " blocks, per statement", "at half");
  auto row = [&](std::string_view what, double Costs::*cost) {
    table.add({std::string(what), at_2n.statements, at_2n.*cost, at_n.*cost, "ns", Goal::at_most, 1.5});
  };
  row("parse", &Costs::parse);
  row("verify", &Costs::verify);
  row("print", &Costs::print);
  row("compact", &Costs::compact);
  row("lower and run", &Costs::run);
}

}  // namespace

void measure_growth(Table& table, const Effort& effort) {
  uint32_t statements = effort.largest, blocks = effort.largest / 10;
  compare(table, effort, "straight line", statements / 2, 1, 2,
          [](Module& module, uint32_t n) -> const ir::Function& { return build(module, Shape::straight, n); });
  compare(table, effort, "chain", blocks / 2, 1, 2, [](Module& module, uint32_t n) -> const ir::Function& {
    return build(module, Shape::diamonds, n / 3 * 10);
  });
  compare(table, effort, "conditions in conditions", blocks / 4, 1, 2,
          [](Module& module, uint32_t n) -> const ir::Function& { return nested_conditions(module.ir(), n); });
  compare(table, effort, "loops in loops", blocks / 6, 1, 2,
          [](Module& module, uint32_t n) -> const ir::Function& { return nested_loops(module.ir(), n); });
}

}  // namespace braid::bench
