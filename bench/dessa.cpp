// Leaving SSA: time against that of the constructor that made the SSA (cytron, pruned) on the same function,
// growth from half the size, and copies left for each operand of a phi. Growth is that of the time for a unit of work, as for
// construction: a statement with variables, a statement in SSA, or an operand of a phi.
#include <limits>
#include <vector>

#include "dessa/leave_ssa.h"
#include "ssa/construct.h"
#include "subjects.h"
#include "variable_shapes.h"

namespace braid::bench {
namespace {

struct Case {
  std::string what;
  uint32_t size = 0;
  double units = 0;
  double into = std::numeric_limits<double>::infinity(), out_of = into;
  dessa::Report report;
};

Case measure(const Effort& effort, Flow flow, bool many, uint32_t statements) {
  ir::Module module;
  const ir::Function& f = build(module, flow, statements, variables_of(statements, many));
  Case result;
  result.what = std::string(name(flow)) + (many ? ", many variables" : "");
  result.size = f.size();
  Stopwatch::Clock::time_point begin = Stopwatch::Clock::now();
  auto spent = [&] { return std::chrono::duration<double>(Stopwatch::Clock::now() - begin).count(); };
  // The first repetition gets its memory from the kernel.
  for (uint32_t i = 0;
       i < 2 || (i < effort.repetitions && spent() < 4 * effort.seconds) || spent() < effort.seconds; ++i) {
    ir::Function copy = f;
    Stopwatch into, out_of;
    into.start();
    ssa::construct(copy, {ssa::Algorithm::cytron, ssa::Prune::pruned});
    into.stop();
    result.units = units(f, copy);
    out_of.start();
    result.report = dessa::leave_ssa(copy);
    out_of.stop();
    result.into = std::min(result.into, into.seconds());
    result.out_of = std::min(result.out_of, out_of.seconds());
  }
  return result;
}

}  // namespace

void measure_dessa(Table& table, const Effort& effort) {
  std::vector<Case> cases;
  std::vector<std::pair<Case, Case>> doublings;
  for (Flow flow : growing_flows)
    for (bool many : {false, true}) {
      uint32_t largest = std::min(effort.largest, largest_size(flow, many));
      for (uint32_t size = 1000; size <= largest; size *= 10)
        cases.push_back(measure(effort, flow, many, size));
      doublings.push_back({measure(effort, flow, many, largest / 2), cases.back()});
    }
  cases.push_back(measure(effort, Flow::wide_join, false, 500'000));
  cases.push_back(measure(effort, Flow::thousand_loops, false, 14'000));

  table.section("out of SSA, per statement with variables", "cytron into it");
  for (const Case& c : cases)
    table.add({c.what, c.size, c.out_of * 1e9 / c.size, c.into * 1e9 / c.size, "ns", Goal::at_most, 1});
  table.section("out of SSA, copies left per operand of a phi, in percent", "");
  for (const Case& c : cases)
    if (c.report.operands != 0)
      table.add({c.what, c.size, 100.0 * c.report.copies() / c.report.operands, 0, "%", Goal::at_most, 40});
  table.section("out of SSA, the last doubling, per unit", "at half");
  for (const auto& [half, whole] : doublings)
    table.add({whole.what, whole.size, whole.out_of * 1e9 / whole.units, half.out_of * 1e9 / half.units, "ns",
               Goal::at_most, 1.5});
}

}  // namespace braid::bench
