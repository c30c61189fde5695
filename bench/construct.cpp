// Variables to SSA: each constructor against LLVM's mem2reg on the same graph. From the function with variables (stack slots)
// to numbered SSA without them; dominators, liveness and compaction are timed, verification is not.
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cmath>
#include <limits>
#include <vector>

#include "shapes.h"
#include "ssa/construct.h"
#include "subjects.h"
#include "variable_shapes.h"

namespace braid::bench {
namespace {

/// Phis that are left when those of a single value are gone.
uint32_t count_phis(llvm::Function& f) {
  uint32_t count = 0;
  for (bool again = true; again;) {
    again = false;
    count = 0;
    for (llvm::BasicBlock& b : f)
      for (llvm::Instruction& i : llvm::make_early_inc_range(b)) {
        auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
        if (phi == nullptr) break;
        ++count;
        llvm::Value* only = phi->hasConstantValue();
        if (only == nullptr) continue;
        phi->replaceAllUsesWith(only);
        phi->eraseFromParent();
        again = true;
      }
  }
  return count;
}

uint32_t count_phis(const ir::Function& f) {
  std::vector<ir::Operand> value;
  for (uint32_t i = 0; i < f.size(); ++i) value.push_back(static_cast<ir::Ref>(i));
  auto resolved = [&](ir::Operand operand) {
    while (operand.is_stmt() && value[operand.number()] != operand) operand = value[operand.number()];
    return operand;
  };
  uint32_t count = 0;
  for (bool again = true; again;) {
    again = false;
    count = 0;
    for (uint32_t i = 0; i < f.size(); ++i) {
      const ir::Stmt& s = f.columns().stmt(i);
      ir::Operand itself = static_cast<ir::Ref>(i), only = itself;
      if (s.op != ir::Op::phi || value[i] != itself) continue;
      ++count;
      bool is_single = true;
      for (uint32_t word : f.args(s)) {
        ir::Operand operand = resolved(ir::Operand::from_word(word));
        if (operand == itself || operand == only) continue;
        is_single = only == itself;
        if (!is_single) break;
        only = operand;
      }
      if (!is_single || only == itself) continue;
      value[i] = only;
      again = true;
    }
  }
  return count;
}

constexpr size_t algorithm_count = std::size(ssa::all_algorithms);

struct Case {
  Flow flow;
  bool many;
  uint32_t size;
  double ours[algorithm_count];
  double theirs;  ///< infinity if it was not run
};

/// mem2reg walks the dominator tree for each variable: what takes longer than so many times the effort for a row is not
/// waited for.
constexpr double patience = 40;

Case measure(const Effort& effort, llvm::LLVMContext& context, Flow flow, bool many, uint32_t statements, bool with_llvm) {
  ir::Module module;
  const ir::Function& f = build(module, flow, statements, variables_of(statements, many));
  constexpr double none_yet = std::numeric_limits<double>::infinity();
  Case result{flow, many, f.size(), {none_yet, none_yet, none_yet}, none_yet};
  uint32_t phis[algorithm_count] = {}, their_phis = 0;
  Stopwatch::Clock::time_point begin = Stopwatch::Clock::now();
  auto spent = [&] { return std::chrono::duration<double>(Stopwatch::Clock::now() - begin).count(); };
  for (uint32_t i = 0; i == 0 || (i < effort.repetitions && spent() < 4 * effort.seconds) || spent() < effort.seconds; ++i) {
    for (size_t a = 0; a < algorithm_count; ++a) {
      ir::Function copy = f;
      Stopwatch watch;
      watch.start();
      ssa::construct(copy, {ssa::all_algorithms[a], ssa::Prune::pruned});
      watch.stop();
      result.ours[a] = std::min(result.ours[a], watch.seconds());
      if (i == 0) phis[a] = count_phis(copy);
    }
    if (!with_llvm) continue;
    llvm::Module copy("m", context);
    llvm::Function& theirs = translate(copy, f);
    Stopwatch watch;
    watch.start();
    promote(theirs);
    watch.stop();
    result.theirs = std::min(result.theirs, watch.seconds());
    if (i == 0) their_phis = count_phis(theirs);
  }
  for (size_t a = 0; a < algorithm_count; ++a)
    if (phis[a] != (with_llvm ? their_phis : phis[0]))
      fail(std::string(name(flow)) + ": " + std::string(ssa::name(ssa::all_algorithms[a])) + " has " +
           std::to_string(phis[a]) + " phis, LLVM " + std::to_string(their_phis));
  return result;
}

}  // namespace

void measure_construct(Table& table, const Effort& effort) {
  llvm::LLVMContext context;
  std::vector<Case> cases;
  for (Flow flow : growing_flows)
    for (bool many : {false, true}) {
      double expected = 0;  // of LLVM, if it goes on as it did
      for (uint32_t size = 1000; size <= std::min(effort.largest, largest_size(flow, many)); size *= 10) {
        cases.push_back(measure(effort, context, flow, many, size, expected < patience * effort.seconds));
        double before = size == 1000 ? cases.back().theirs : cases[cases.size() - 2].theirs;
        expected = std::max(10 * cases.back().theirs, cases.back().theirs * cases.back().theirs / before);
      }
    }
  cases.push_back(measure(effort, context, Flow::wide_join, false, 500'000, true));
  cases.push_back(measure(effort, context, Flow::thousand_loops, false, 14'000, true));

  // One of them must be fast everywhere: the one with the best mean.
  double mean[algorithm_count];
  size_t best = 0;
  for (size_t a = 0; a < algorithm_count; ++a) {
    double sum = 0, count = 0;
    for (const Case& c : cases)
      if (std::isfinite(c.theirs)) sum += std::log(c.theirs / c.ours[a]), ++count;
    mean[a] = std::exp(sum / count);
    if (mean[a] > mean[best]) best = a;
  }
  for (size_t a = 0; a < algorithm_count; ++a) {
    table.section(std::string("variables to SSA, ") + std::string(ssa::name(ssa::all_algorithms[a])) + ", per statement",
                  "LLVM mem2reg");
    for (const Case& c : cases) {
      double scale = 1e9 / c.size;
      bool compared = std::isfinite(c.theirs);
      table.add({std::string(name(c.flow)) + (c.many ? ", many variables" : ""), c.size, c.ours[a] * scale,
                 compared ? c.theirs * scale : 0, "ns", a == best && compared ? Goal::at_least : Goal::none, 3});
    }
    double goal = a == best ? 8 : ssa::all_algorithms[a] == ssa::Algorithm::cytron ? 5 : 0;
    table.add({"geometric mean", 0, 1, mean[a], "", goal == 0 ? Goal::none : Goal::at_least, goal});
  }
}

}  // namespace braid::bench
