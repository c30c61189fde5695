#include "ssa/regions.h"

#include <algorithm>

#include "ir/graph_view.h"
#include "ir/order.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

Regions::Regions(const ir::Function& f) {
  bool any_enter = false;
  for (uint32_t b = 0; b < f.block_count() && !any_enter; ++b) {
    Operand t = f.terminator(static_cast<BlockId>(b));
    any_enter = !t.is_undef() && f.op(t) == Op::enter;
  }
  if (!any_enter) return;

  start_.assign(f.block_count(), outside);
  handlers_.assign(f.block_count(), false);
  std::vector<bool> seen(f.block_count(), false);
  std::vector<BlockId> work = {ir::Function::entry()};
  seen[0] = true;
  ir::PendingLists lists(f);
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    uint32_t region = start_[index(b)];
    // Outside of all regions there is nothing to leave.
    if (region != outside)
      ir::for_each_statement(f, lists, b, [&](Operand id) {
        if (const ir::Stmt& s = f.stmt(id); s.op == Op::leave) region = left(region, f.operand_count(s));
      });
    bool enters = f.op(f.terminator(b)) == Op::enter;
    f.for_each_succ(b, [&](EdgeId e) {
      const ir::Edge& edge = f.edge(e);
      if (edge.kind == ir::EdgeKind::exceptional) handlers_[index(edge.to)] = true;
      if (seen[index(edge.to)]) return;
      seen[index(edge.to)] = true;
      uint32_t target = region;
      if (enters && edge.kind == ir::EdgeKind::normal) {
        EdgeId to_handler = static_cast<EdgeId>(f.stmt(f.terminator(b)).arg[0]);
        bool reachable = !is_none(to_handler) && !f.edge(to_handler).dead;
        regions_.push_back({reachable ? f.edge(to_handler).to : none_id<BlockId>, region});
        target = static_cast<uint32_t>(regions_.size() - 1);
      }
      start_[index(edge.to)] = target;
      work.push_back(edge.to);
    });
  }
}

std::vector<flow::Bypass::Barrier> Regions::barriers(const flow::Bypass& bypass) const {
  std::vector<uint32_t> last(regions_.size(), 0);
  for (uint32_t b = 0; b < start_.size(); ++b)
    if (start_[b] != outside) last[start_[b]] = std::max(last[start_[b]], bypass.number(static_cast<flow::Node>(b)));
  std::vector<flow::Bypass::Barrier> found;
  // Inner regions come behind outer ones in the list.
  for (size_t r = regions_.size(); r-- > 0;) {
    if (!is_none(regions_[r].handler)) found.push_back({ir::node(regions_[r].handler), last[r]});
    if (uint32_t outer = regions_[r].outer; outer != outside) last[outer] = std::max(last[outer], last[r]);
  }
  return found;
}

}  // namespace braid::ssa
