#include "dessa/leave_ssa.h"

#include <optional>

#include "dessa/block_order.h"
#include "dessa/coalescing.h"
#include "dessa/live_ranges.h"
#include "dessa/survey.h"
#include "dessa/variables.h"
#include "dessa/webs.h"
#include "dessa/write.h"
#include "ir/compact.h"
#include "ssa/regions.h"

namespace braid::dessa {

using ir::BlockId;
using ir::Operand;

namespace {

/// No edge dead, every block reachable.
bool is_tidy(const ir::Function& f) {
  for (uint32_t e = 0; e < f.edge_count(); ++e)
    if (f.edge(static_cast<ir::EdgeId>(e)).dead) return false;
  for (uint32_t b = 1; b < f.block_count(); ++b)
    if (f.block(static_cast<BlockId>(b)).pred_count == 0) return false;
  return true;
}

std::vector<ResolvedPhi> resolutions(const Webs& webs, const Variables& variables) {
  std::vector<ResolvedPhi> found;
  for (const Web& web : webs.webs) {
    ResolvedPhi phi{webs.phi_of(web), static_cast<BlockId>(web.block), false, variables.of_node(web.node)};
    for (uint32_t word : webs.operands(web)) {
      Operand operand = Operand::from_word(word);
      if (operand.is_undef()) continue;
      ++(operand.is_constant() ? phi.constants : phi.operands);
      phi.copies += !operand.is_constant() && variables.needs_copy(web, operand);
    }
    phi.copied_at_start = variables.needs_start_copy(web.node, web.value);
    found.push_back(phi);
  }
  for (const Slot& slot : webs.slots) {
    ResolvedPhi phi{slot.phi_c, static_cast<BlockId>(slot.block), true, variables.of_node(slot.node)};
    for (const Upsilon& u : webs.upsilons_of(slot)) {
      ++phi.operands;
      phi.copies += variables.needs_store(slot, webs.operand(u));
    }
    phi.copied_at_start = variables.needs_start_copy(slot.node, slot.value);
    found.push_back(phi);
  }
  return found;
}

}  // namespace

Report leave_ssa(ir::Function& f, std::vector<ResolvedPhi>* each) {
  Report report;
  if (f.block_count() == 0) return report;
  std::optional<Survey> survey(f);
  auto settle = [&] {
    ir::compact(f);
    survey.emplace(f);
  };
  if (!f.is_at_rest() || survey->has(ir::Op::same)) settle();
  if (!survey->has(ir::Op::phi) && !survey->has(ir::Op::phi_c)) {
    if (!is_tidy(f)) ir::compact(f);
    return report;
  }
  std::optional<BlockOrder> order(f);
  if (order->is_out_of_order()) {
    settle();
    order.emplace(f);
  }
  Webs webs(f, *survey);
  if (webs.empty()) return report;
  const Throws throws = survey->has(ir::Op::enter) ? Throws(f, ssa::Regions(f)) : Throws();
  LiveRanges live(webs, *order, throws);
  Coalescing classes(webs, live, *order);
  // The memory is used again by what follows.
  order.reset();
  live.forget_reads();
  uint32_t declared = static_cast<uint32_t>(f.variables.size());
  Variables variables(f, *survey, webs, live, classes);
  report.variables = static_cast<uint32_t>(f.variables.size()) - declared;
  report.phis = static_cast<uint32_t>(webs.webs.size());
  report.phi_cs = static_cast<uint32_t>(webs.slots.size());
  report.upsilons = static_cast<uint32_t>(webs.upsilons.size());
  report.operands = webs.value_operands;
  report.constants = webs.constant_operands;
  if (each != nullptr) *each = resolutions(webs, variables);
  Writer(f, webs, variables, report).run();
  return report;
}

}  // namespace braid::dessa
