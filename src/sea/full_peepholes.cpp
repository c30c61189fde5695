#include "sea/full_peepholes.h"

namespace braid::sea {

NodeId FullPeepholes::apply(NodeId n) {
  for (;;) {
    const uint32_t known = graph_.size();
    rewriter_.forget_shared();
    Rewriter::Outcome outcome = rewriter_.step(n);
    if (!outcome) {
      for (NodeId shared : rewriter_.shared()) unfinished_.push_back({n, shared});
      break;
    }
    const bool is_over = observer_ != nullptr && !observer_->rewritten(outcome.rewrite, n);
    if (outcome.by == n) {
      if (graph_.is_dead(n)) return graph_.replacement(n);
      if (is_over) return n;
      continue;
    }
    // It may be an input of `n` that nobody else uses. The phi of a loop that is closed has uses; its caller replaces it.
    graph_.keep(outcome.by);
    graph_.kill_unused(n);
    graph_.unkeep(outcome.by);
    n = outcome.by;
    for (uint32_t k = known; k < graph_.size(); ++k)
      if (NodeId made = static_cast<NodeId>(k); made != n && !graph_.is_dead(made)) unfinished_.push_back({made, no_node});
    if (is_over) return n;
    if (index(n) < known) break;
  }
  const NodeOp op = graph_.op(n);
  if (op == NodeOp::projection || is_region(op)) know(n);
  return n;
}

void FullPeepholes::know(NodeId n) {
  constexpr uint32_t nowhere = 0xffffffffu;
  if (graph_.note(n) != nowhere) return;
  if (graph_.note(graph_.start) == nowhere) tree_.add(graph_.start, no_node);
  if (graph_.op(n) != NodeOp::region) {
    NodeId from = graph_.input(n, 0);
    if (splits_control(graph_.op(from))) from = graph_.input(from, 0);
    return tree_.add(n, from);
  }
  NodeId above = graph_.start;
  for (uint32_t i = 0; i < graph_.input_count(n); ++i)
    above = i == 0 ? graph_.input(n, i) : tree_.common(above, graph_.input(n, i));
  tree_.add(n, above);
}

}  // namespace braid::sea
