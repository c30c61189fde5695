// Inference against LLVM's sccp on the integer shapes of SSA construction, in SSA on both sides: types of all values, and
// what follows from them written down. Then growth: time per statement from a thousand statements to a million, and for phis that
// hang on each other in one ring.
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SCCP.h>

#include <cmath>
#include <vector>

#include "infer/apply.h"
#include "ir/compact.h"
#include "shapes.h"
#include "ssa/construct.h"
#include "subjects.h"
#include "variable_shapes.h"

namespace braid::bench {
namespace {

class Sccp {
 public:
  Sccp() {
    manager_.registerPass([] { return llvm::TargetLibraryAnalysis(); });
    manager_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  }
  void run(llvm::Function& f) { pass_.run(f, manager_); }
  /// What it knows of a function that goes away.
  void forget(llvm::Function& f) { manager_.clear(f, f.getName()); }

 private:
  llvm::FunctionAnalysisManager manager_;
  llvm::SCCPPass pass_;
};

ir::Function& in_ssa(ir::Module& module, Flow flow, uint32_t statements, bool many) {
  ir::Function& f = build(module, flow, statements, variables_of(statements, many));
  ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::pruned});
  ir::compact(f);
  return f;
}

/// In a deep nest with many variables the phis are quadratic in the statements: ten thousand make 135,000, a hundred thousand 13
/// million.
uint32_t most_statements(const Effort& effort, Flow flow, bool many) {
  return std::min({effort.largest, largest_size(flow, many), flow == Flow::deep && many ? 10'000u : ~0u});
}
/// To make SSA with LLVM takes a time that is quadratic in the statements if there are many variables: minutes for a million.
uint32_t most_statements_for_llvm(const Effort& effort, Flow flow, bool many) {
  return std::min(most_statements(effort, flow, many), many && flow != Flow::straight ? 100'000u : ~0u);
}

/// One size or two: what a quick run has, and the largest.
std::vector<uint32_t> sizes_against_llvm(const Effort& effort, Flow flow, bool many) {
  const uint32_t largest = most_statements_for_llvm(effort, flow, many);
  std::vector<uint32_t> sizes = {std::min(100'000u, largest)};
  if (largest > sizes[0]) sizes.push_back(largest);
  return sizes;
}

/// `%x_i = phi [entry: i, head: %x_(i+1)]`, all in the head of one loop.
ir::Function& ring_of_phis(ir::Module& module, uint32_t count) {
  ir::Function& f = module.add_function(module.symbol("ring"), {{i64}, i64});
  ir::BlockId entry = f.new_block(), head = f.new_block(), done = f.new_block();
  f.jump(entry, head);
  std::vector<ir::Ref> phis;
  for (uint32_t i = 0; i < count; ++i)
    phis.push_back(f.append(head, f.make(ir::Op::phi, i64, {module.constant(i64, i)})));
  ir::Operand condition = f.append(head, f.make(ir::Op::slt, i1, {phis[0], ir::Operand::param(0)}));
  f.branch(head, condition, head, done);
  for (uint32_t i = 0; i < count; ++i) f.set_operand(phis[i], 1, phis[(i + 1) % count]);
  f.ret(done, phis[0]);
  ir::compact(f);
  return f;
}

/// Nanoseconds per statement; as many runs as make the work worth timing.
double time_of(const Effort& effort, const ir::Function& f) {
  const uint32_t runs = std::max(1u, 200'000 / f.size());
  double seconds = least_time(effort, [&](Stopwatch& watch) {
    std::vector<ir::Function> copies(runs, f);
    watch.start();
    for (ir::Function& copy : copies) infer::infer_types(copy);
    watch.stop();
  });
  return seconds * 1e9 / f.size() / runs;
}

Row against_sccp(const Effort& effort, llvm::LLVMContext& context, Flow flow, bool many, uint32_t statements) {
  ir::Module module;
  const ir::Function with_variables = build(module, flow, statements, variables_of(statements, many));
  const ir::Function& f = in_ssa(module, flow, statements, many);
  Times times = interleave(
      effort,
      [&](Stopwatch& watch) {
        ir::Function copy = f;
        watch.start();
        infer::infer_types(copy);
        watch.stop();
      },
      [&](Stopwatch& watch) {
        llvm::Module copy("m", context);
        llvm::Function& theirs = translate(copy, with_variables);
        promote(theirs);
        Sccp sccp;
        watch.start();
        sccp.run(theirs);
        watch.stop();
        sccp.forget(theirs);
      });
  const double scale = 1e9 / f.size();
  return {std::string(name(flow)) + (many ? ", many variables" : ""), f.size(), times.ours * scale, times.theirs * scale,
          "ns", Goal::at_least, 3};
}

}  // namespace

void measure_infer(Table& table, const Effort& effort) {
  llvm::LLVMContext context;
  table.section("inference, per statement", "LLVM sccp");
  double sum = 0, count = 0;
  for (Flow flow : growing_flows)
    for (bool many : {false, true})
      for (uint32_t statements : sizes_against_llvm(effort, flow, many)) {
        const Row row = against_sccp(effort, context, flow, many, statements);
        table.add(row);
        sum += std::log(row.yardstick / row.ours);
        ++count;
      }
  table.add({"geometric mean", 0, 1, std::exp(sum / count), "", Goal::at_least, 3});

  table.section("inference, growth of the time per statement when the size doubles", "");
  for (Flow flow : growing_flows)
    for (bool many : {false, true}) {
      const uint32_t largest = most_statements(effort, flow, many);
      double worst = 0, before = 0;
      // A function that is quadratic in its size is measured by its own statements.
      for (uint32_t size = std::min(62'500u, largest / 4); size <= largest; size *= 2) {
        ir::Module module;
        const double now = time_of(effort, in_ssa(module, flow, size, many));
        if (before != 0) worst = std::max(worst, now / before);
        before = now;
      }
      table.add({std::string(name(flow)) + (many ? ", many variables" : ""), largest, worst, 0, "x", Goal::at_most, 1.3});
    }
  double before = 0, worst = 0;
  for (uint32_t size = 1250; size <= 20'000; size *= 2) {
    ir::Module module;
    const double now = time_of(effort, ring_of_phis(module, size));
    if (before != 0) worst = std::max(worst, now / before);
    before = now;
  }
  table.add({"ring of phis", 20'000, worst, 0, "x", Goal::at_most, 1.3});
}

}  // namespace braid::bench
