#include "driver/compare.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "driver/display_names.h"
#include "ir/compact.h"

namespace braid::driver {

using ir::Op;
using ir::Operand;

namespace {

using Clock = std::chrono::steady_clock;

/// Short runs are repeated for this long, and three times at least.
constexpr double least_milliseconds = 20;
constexpr int least_runs = 3;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Live is what a statement reads that is neither phi nor upsilon, and what a live phi reads.
void count_phis(const ir::Function& f, ComparedConstruction& result) {
  std::vector<bool> live(f.size(), false);
  std::vector<uint32_t> work;
  auto read = [&](Operand value) {
    if (!value.is_stmt() || live[value.number()]) return;
    live[value.number()] = true;
    work.push_back(value.number());
  };
  auto read_operands = [&](const ir::Stmt& s) {
    for (uint32_t k = 0; k < f.operand_count(s); ++k)
      if (ir::info(s.op).kind_of(k) == ir::OperandKind::value) read(f.operand(s, k));
  };
  auto flows = [](Op op) { return ir::is_phi_like(op) || op == Op::upsilon; };
  for (uint32_t i = 0; i < f.size(); ++i)
    if (const ir::Stmt& s = f.columns().stmt(i); !flows(s.op)) read_operands(s);
  while (!work.empty()) {
    const ir::Stmt& s = f.columns().stmt(work.back());
    work.pop_back();
    if (flows(s.op)) read_operands(s);
  }
  for (uint32_t i = 0; i < f.size(); ++i) {
    if (!ir::is_phi_like(f.columns().stmt(i).op)) continue;
    ++result.phis;
    result.dead_phis += !live[i];
  }
}

ComparedConstruction measure(const ir::Function& f, const ssa::ConstructOptions& options,
                             MemoryMeter* meter) {
  ComparedConstruction result{options};
  double total = 0;
  for (int run = 0; run < least_runs || total < least_milliseconds; ++run) {
    ir::Function copy = f;
    Clock::time_point start = Clock::now();
    ssa::construct(copy, options);
    double taken = milliseconds_since(start);
    if (run == 0) count_phis(copy, result);
    result.milliseconds = run == 0 ? taken : std::min(result.milliseconds, taken);
    total += std::max(taken, 0.001);
  }
  if (meter == nullptr) return result;
  ir::Function copy = f;
  meter->start();
  ssa::construct(copy, options);
  result.peak_bytes = meter->stop();
  return result;
}

}  // namespace

std::vector<ComparedConstruction> compare_constructions(const ir::Function& f, MemoryMeter* meter) {
  ir::Function input = f;
  if (!input.is_at_rest()) ir::compact(input);
  std::vector<ComparedConstruction> results;
  for (ssa::Prune prune : ssa::all_prunings)
    results.push_back(measure(input, {ssa::Algorithm::cytron, prune, nullptr}, meter));
  for (ssa::Algorithm algorithm : {ssa::Algorithm::braun, ssa::Algorithm::regmap})
    results.push_back(measure(input, {algorithm, ssa::Prune::pruned, nullptr}, meter));
  return results;
}

std::string comparison_table(const ir::Function& f, MemoryMeter* meter) {
  std::vector<std::vector<std::string>> rows = {
      {"algorithm", "prune", "phis", "dead phis", "time", "peak memory"}};
  for (const ComparedConstruction& one : compare_constructions(f, meter)) {
    char time[32];
    std::snprintf(time, sizeof time, "%9.3f ms", one.milliseconds);
    rows.push_back({std::string(ssa::name(one.options.algorithm)), std::string(ssa::name(one.options.prune)),
                    std::to_string(one.phis), std::to_string(one.dead_phis), time,
                    meter ? std::to_string(one.peak_bytes) + " bytes" : "unknown"});
  }
  return "@" + shown_name(f.name_text()) + "\n" + table_text(rows);
}

}  // namespace braid::driver
