#include "dessa/leave_ssa.h"

#include <algorithm>

#include "dessa/coalescing.h"
#include "dessa/live_ranges.h"
#include "dessa/variables.h"
#include "dessa/webs.h"
#include "dessa/write.h"
#include "ir/compact.h"
#include "ir/graph_view.h"
#include "ssa/regions.h"

namespace braid::dessa {

using ir::BlockId;
using ir::Operand;

namespace {

/// At rest, every block reachable, no edge dead, nothing replaced.
bool is_settled(const ir::Function& f) {
  if (!f.is_at_rest()) return false;
  for (uint32_t e = 0; e < f.edge_count(); ++e)
    if (f.edge(static_cast<ir::EdgeId>(e)).dead) return false;
  for (uint32_t b = 1; b < f.block_count(); ++b)
    if (f.block(static_cast<BlockId>(b)).pred_count == 0) return false;
  for (uint32_t i = 0; i < f.size(); ++i)
    if (f.columns().stmt(i).op == ir::Op::same) return false;
  return true;
}

/// Marks edges on which something is to be copied.
void count(const ir::Function& f, const Webs& webs, const Variables& variables, Report& report,
           std::vector<uint8_t>& edges, std::vector<ResolvedPhi>* each) {
  for (const Web& web : webs.webs) {
    ResolvedPhi phi{web.phi, static_cast<BlockId>(web.block), false, variables.of_node(web.node)};
    f.for_each_pred(phi.block, [&](ir::EdgeId e) {
      Operand operand = webs.operand(web, f.edge(e).pred_index);
      if (operand.is_undef()) return;
      ++(operand.is_constant() ? phi.constants : phi.operands);
      if (!variables.needs_copy(web, operand)) return;
      edges[index(e)] = 1;
      phi.copies += !operand.is_constant();
    });
    phi.copied_at_start = variables.needs_start_copy(web.node, web.value);
    ++report.phis;
    report.operands += phi.operands;
    report.constants += phi.constants;
    report.edge_copies += phi.copies;
    if (each != nullptr) each->push_back(phi);
  }
  for (const Slot& slot : webs.slots) {
    ResolvedPhi phi{slot.phi_c, static_cast<BlockId>(slot.block), true, variables.of_node(slot.node)};
    for (const Upsilon& u : webs.upsilons_of(slot)) {
      ++phi.operands;
      phi.copies += variables.needs_store(slot, webs.operand(u));
    }
    phi.copied_at_start = variables.needs_start_copy(slot.node, slot.value);
    ++report.phi_cs;
    report.upsilons += phi.operands;
    if (each != nullptr) each->push_back(phi);
  }
}

}  // namespace

Report leave_ssa(ir::Function& f, std::vector<ResolvedPhi>* each) {
  Report report;
  if (f.block_count() == 0) return report;
  if (!is_settled(f)) ir::compact(f);
  Webs webs(f);
  if (webs.empty()) return report;
  ir::BlockDominance dominance(f);
  Throws throws(f, ssa::Regions(f));
  LiveRanges live(webs, dominance, throws);
  Coalescing classes(webs, live, dominance);
  uint32_t declared = static_cast<uint32_t>(f.variables.size());
  Variables variables(f, webs, live, classes);
  report.variables = static_cast<uint32_t>(f.variables.size()) - declared;
  std::vector<uint8_t> edges(f.edge_count(), 0);
  count(f, webs, variables, report, edges, each);
  split_edges(f, edges, report);
  Writer(f, webs, variables, edges, report).run();
  return report;
}

}  // namespace braid::dessa
