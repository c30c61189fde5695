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

/// One function of a size, and what is done with it.
class Sample {
 public:
  template <typename Make>
  Sample(Make&& make, uint32_t n, int64_t a, int64_t b)
      : f_(make(module_, n)), source_("f.braid", text::to_text(module_.ir())), a_(a), b_(b) {}

  uint32_t statements() const { return f_.size(); }
  uint32_t blocks() const { return f_.block_count(); }

  void parse(Stopwatch& watch) {
    watch.start();
    Expected<text::ParsedModule> parsed = text::parse_module(source_);
    watch.stop();
    if (!parsed) fail("a large function does not parse");
  }
  void verify(Stopwatch& watch) {
    watch.start();
    bool sound = ir::verify(f_).empty();
    watch.stop();
    if (!sound) fail("a large function does not verify");
  }
  void print(Stopwatch& watch) {
    watch.start();
    std::string printed = text::to_text(f_);
    watch.stop();
    keep(printed);
  }
  void compact(Stopwatch& watch) {
    ir::Function copy = f_;
    watch.start();
    ir::compact(copy);
    watch.stop();
  }
  void run(Stopwatch& watch) {
    interp::Interpreter interpreter(module_.ir());
    Value arguments[] = {Value(a_), Value(b_), Value(int64_t{3}), Value(int64_t{0})};
    watch.start();
    interp::Outcome outcome = interpreter.run(f_, arguments);
    watch.stop();
    if (outcome.kind != interp::OutcomeKind::value) fail("a large function does not run: " + to_string(outcome));
  }

 private:
  Module module_;
  const ir::Function& f_;
  SourceFile source_;
  int64_t a_, b_;
};

/// Both sizes are measured in turn, so that a machine that slows down for a while slows down both.
template <typename Make>
void compare(Table& table, const Effort& effort, std::string_view title, uint32_t n, int64_t a, int64_t b, Make&& make) {
  Sample half(make, n, a, b), whole(make, 2 * n, a, b);
  table.section(std::string(title) + ", " + std::to_string(whole.blocks()) + " blocks, per statement", "at half");
  auto row = [&](std::string_view what, void (Sample::*work)(Stopwatch&)) {
    Times times = interleave(
        effort, [&](Stopwatch& watch) { (whole.*work)(watch); }, [&](Stopwatch& watch) { (half.*work)(watch); });
    table.add({std::string(what), whole.statements(), times.ours * 1e9 / whole.statements(),
               times.theirs * 1e9 / half.statements(), "ns", Goal::at_most, 1.5});
  };
  row("parse", &Sample::parse);
  row("verify", &Sample::verify);
  row("print", &Sample::print);
  row("compact", &Sample::compact);
  row("lower and run", &Sample::run);
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
