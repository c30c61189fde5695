// Types of phis: rings of ten thousand that hang on each other; and what resolution is for: programs in a dynamic
// language whose types change, in the interpreter, against the same programs written with fixed types.
#include <bit>
#include <string_view>

#include "infer/numeric.h"
#include "infer/phi_types.h"
#include "infer/pi.h"
#include "interp/interpreter.h"
#include "ir/compact.h"
#include "mixed/resolve.h"
#include "ssa/construct.h"
#include "subjects.h"
#include "text/parse.h"

namespace braid::bench {
namespace {

struct Pair {
  std::string_view name, dynamic, fixed;
};

constexpr Pair pairs[] = {
    {"sum of floats that starts as the literal 0",
     R"(
language php
func @f(n: i64, d: f64) -> i64|f64 {
  var s: i64|f64
  var i: i64|f64
entry:
  set s, i64 0
  set i, i64 0
  jump head
head:
  %i = get i
  %c = dyn.lt %i, %n
  branch %c, body, done
body:
  %s = get s
  %p = dyn.mul %s, f64 0.5
  %t = dyn.add %p, %d
  set s, %t
  %j = dyn.add %i, i64 1
  set i, %j
  jump head
done:
  %r = get s
  ret %r
}
)",
     R"(
func @f(n: i64, d: f64) -> f64 {
entry:
  jump head
head:
  %s = phi f64 [entry: 0.0, body: %t]
  %i = phi i64 [entry: 0, body: %j]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %p = fmul f64 %s, 0.5
  %t = fadd f64 %p, %d
  %j = add i64 %i, 1
  jump head
done:
  ret %s
}
)"},
    {"integers, half-way floats",
     R"(
language php
func @f(n: i64, d: f64) -> i64|f64 {
  var s: i64|f64
  var i: i64|f64
entry:
  set s, i64 1
  set i, i64 0
  %m = ashr i64 %n, 1
  jump head
head:
  %i = get i
  %c = dyn.lt %i, %n
  branch %c, body, done
body:
  %e = dyn.eq %i, %m
  branch %e, change, step
change:
  %s1 = get s
  %t1 = dyn.mul %s1, %d
  set s, %t1
  jump step
step:
  %s2 = get s
  %t2 = dyn.add %s2, i64 3
  set s, %t2
  %j = dyn.add %i, i64 1
  set i, %j
  jump head
done:
  %r = get s
  ret %r
}
)",
     R"(
func @f(n: i64, d: f64) -> f64 {
entry:
  %m = ashr i64 %n, 1
  jump head
head:
  %s = phi i64 [entry: 1, step: %t]
  %i = phi i64 [entry: 0, step: %j]
  %c = slt i64 %i, %n
  branch %c, body, none
body:
  %e = eq i64 %i, %m
  branch %e, change, step
step:
  %o = sadd_overflow i64 %s, 3
  %t = check_overflow i64 %o
  %j = add i64 %i, 1
  jump head
none:
  %z = sitofp i64 %s to f64
  ret %z
change:
  %y = sitofp i64 %s to f64
  %x = fmul f64 %y, %d
  jump again
again:
  %g = phi f64 [change: %x, rest: %h]
  %k = phi i64 [change: %i, rest: %l]
  %h = fadd f64 %g, 3.0
  %l = add i64 %k, 1
  %c2 = slt i64 %l, %n
  branch %c2, rest, done
rest:
  %e2 = eq i64 %l, %m
  branch %e2, done, again
done:
  ret %h
}
)"},
};

std::unique_ptr<ir::Module> parse(std::string_view text) {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("bench", std::string(text)));
  if (!parsed) fail("a program of the benchmark does not parse: " + render(parsed.error()));
  return std::move(parsed->module);
}
ir::Function& function_of(ir::Module& module) { return *module.find_function("f"); }

/// `%x_i = phi [entry: i or i + 0.5, head: %x_(i+1)]`, all in the head of one loop: one ring, mixed.
ir::Function& mixed_ring(ir::Module& module, uint32_t count) {
  module.language = ir::LanguageId::php;
  ir::Function& f = module.add_function(module.symbol("ring"), {{i64}, i64 | f64});
  ir::BlockId entry = f.new_block(), head = f.new_block(), done = f.new_block();
  f.jump(entry, head);
  std::vector<ir::Ref> phis;
  for (uint32_t i = 0; i < count; ++i) {
    const ir::Operand start = i % 2 == 0 ? module.constant(i64, i)
                                         : module.constants.get(f64, std::bit_cast<uint64_t>(i + 0.5));
    phis.push_back(f.append(head, f.make(ir::Op::phi, i64 | f64, {start})));
  }
  ir::Operand condition = f.append(head, f.make(ir::Op::dyn_lt, i1, {phis[0], ir::Operand::param(0)}));
  f.branch(head, condition, head, done);
  for (uint32_t i = 0; i < count; ++i) f.set_operand(phis[i], 1, phis[(i + 1) % count]);
  f.ret(done, phis[0]);
  ir::compact(f);
  return f;
}

double nanoseconds_per_statement(const Effort& effort, const ir::Function& f, void (*work)(ir::Function&)) {
  const uint32_t runs = std::max(1u, 100'000 / f.size());
  const double seconds = least_time(effort, [&](Stopwatch& watch) {
    std::vector<ir::Function> copies(runs, f);
    watch.start();
    for (ir::Function& copy : copies) work(copy);
    watch.stop();
  });
  return seconds * 1e9 / f.size() / runs;
}

void type_phis(ir::Function& f) {
  const infer::Types types = infer::infer(f);
  keep(infer::type_phis(f, types).phis.size());
}
void resolve_mixed(ir::Function& f) {
  infer::commit_numerics(f);
  mixed::resolve(f, mixed::Way::automatic);
}

}  // namespace

void measure_types(Table& table, const Effort& effort) {
  table.section("types of phis, growth of the time per statement when a ring doubles", "");
  struct Step {
    std::string_view name;
    void (*work)(ir::Function&);
  };
  for (const Step& step : {Step{"typing", type_phis}, Step{"resolution", resolve_mixed}}) {
    double before = 0, worst = 0, last = 0;
    for (uint32_t size = 1250; size <= 20'000; size *= 2) {
      ir::Module module;
      last = nanoseconds_per_statement(effort, mixed_ring(module, size), step.work);
      if (before != 0) worst = std::max(worst, last / before);
      before = last;
    }
    table.add({std::string(step.name) + " of 20,000 phis", 20'000, last, 0, "ns"});
    table.add({std::string(step.name) + ", growth", 20'000, worst, 0, "x", Goal::at_most, 1.3});
  }

  table.section("programs whose types change, in the interpreter, per round", "fixed types");
  for (const Pair& pair : pairs) {
    std::unique_ptr<ir::Module> dynamic = parse(pair.dynamic), fixed = parse(pair.fixed);
    ir::Function& f = function_of(*dynamic);
    ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::pruned});
    infer::commit_numerics(f);
    infer::insert_pis(f);
    mixed::resolve(f, mixed::Way::automatic);
    constexpr int64_t rounds = 1'000'000;
    const Value arguments[] = {Value(rounds), Value(0.25)};
    interp::Interpreter ours(*dynamic, {}), theirs(*fixed, {});
    if (to_string(ours.run(f, arguments)) != to_string(theirs.run(function_of(*fixed), arguments)))
      fail(std::string(pair.name) + ": with fixed types it is another program");
    const Times times = interleave(
        effort,
        [&](Stopwatch& watch) {
          watch.start();
          keep(ours.run(f, arguments).steps);
          watch.stop();
        },
        [&](Stopwatch& watch) {
          watch.start();
          keep(theirs.run(function_of(*fixed), arguments).steps);
          watch.stop();
        });
    const double scale = 1e9 / static_cast<double>(rounds);
    table.add({std::string(pair.name), 0, times.ours * scale, times.theirs * scale, "ns", Goal::at_most, 1.3});
  }
}

}  // namespace braid::bench
