#include "sea/optimise.h"

#include "sea/dominating_facts.h"
#include "sea/flow_types.h"
#include "sea/rings.h"
#include "sea/share_constants.h"
#include "sea/work_list.h"

namespace braid::sea {
namespace {

using ir::Op;

class Optimiser {
 public:
  Optimiser(Graph& graph, const OptimiseOptions& options)
      : graph_(graph), options_(options), types_(graph), rewriter_(graph, types_, Moment::whole), list_(graph) {
    rewriter_.set_watchers(&list_);
  }

  OptimiseResult run() {
    graph_.spare_values(false);
    rewriter_.find_knots();
    for (uint32_t k = 0; k < graph_.size(); ++k) list_.push(static_cast<NodeId>(k));
    work();
    while (!result_.stopped && result_.rounds < options_.most_rounds) {
      ++result_.rounds;
      const uint64_t before = result_.rewrites;
      remove_rings();
      work();
      if (options_.by_flow) by_flow();
      work();
      if (options_.by_dominance) by_dominance();
      work();
      if (result_.rewrites == before) break;
    }
    if (options_.constants_are_nodes && !result_.stopped)
      share_constants(graph_, rewriter_, [&](Rewrite rewrite, NodeId at) { return done(rewrite, at); });
    return result_;
  }

 private:
  /// The graph is whole again.
  bool done(Rewrite rewrite, NodeId at) {
    ++result_.rewrites;
    list_.take_changes();
    if (options_.observer != nullptr && !options_.observer->rewritten(rewrite, at)) result_.stopped = true;
    return !result_.stopped;
  }

  void work() {
    while (!result_.stopped) {
      list_.take_changes();
      NodeId n = list_.pop();
      if (is_none(n)) return;
      visit(n);
    }
  }

  void visit(NodeId n) {
    const Type before = types_.of(n);
    const uint32_t known = graph_.size();
    graph_.keep(n);
    Rewriter::Outcome outcome = rewriter_.step(n);
    graph_.unkeep(n);
    if (types_.of(n) != before) {
      list_.push_users(n);
      list_.wake(n);
    }
    if (!outcome) {
      list_.forget_changes();
      return;
    }
    if (outcome.by != n)
      graph_.replace(n, outcome.by);
    else if (is_table_op(graph_.op(n)))
      graph_.kill_unused(n);
    list_.push_first(n);
    list_.push_first(outcome.by);
    // Those made first are operands of those made later.
    for (uint32_t k = graph_.size(); k-- > known;) list_.push_first(static_cast<NodeId>(k));
    done(outcome.rewrite, n);
  }

  void by_flow() {
    if (result_.stopped) return;
    NodeTypes flow(graph_);
    flow_types(graph_, flow);
    const uint32_t count = graph_.size();
    for (uint32_t k = 0; k < count && !result_.stopped; ++k) {
      NodeId n = static_cast<NodeId>(k);
      if (graph_.is_dead(n)) continue;
      const NodeOp op = graph_.op(n);
      const Type type = flow.of(n);
      if (type == none) {
        if ((op != NodeOp::projection && !is_region(op)) || is_dead_control(graph_, n)) continue;
        types_.set(n, none);
        rewriter_.make_unreachable(n);
        done(Rewrite::flow_unreachable, n);
        continue;
      }
      if (types_.narrow(n, type)) {
        list_.push(n);
        list_.push_users(n);
        list_.wake(n);
      }
      if (graph_.is_constant(n) || (op != Op::phi && op != Op::pi && !floats(graph_, n))) continue;
      std::optional<TypeConstant> value = flow.constant(n, type);
      if (!value) continue;
      graph_.replace(n, rewriter_.constant(value->kind, value->bits, graph_.loc(n)));
      done(Rewrite::flow_constant, n);
    }
    for (uint32_t k = 0; k < count && !result_.stopped; ++k) {
      NodeId n = static_cast<NodeId>(k);
      while (!graph_.is_dead(n) && rewriter_.is_knot(n) && !is_dead_control(graph_, n)) {
        graph_.keep(n);
        Rewriter::Outcome outcome = rewriter_.step_reached_knot(n);
        graph_.unkeep(n);
        if (!outcome) break;
        if (outcome.by != n) graph_.replace(n, outcome.by);
        list_.push(outcome.by);
        done(outcome.rewrite, n);
      }
    }
  }

  void by_dominance() {
    if (result_.stopped) return;
    decide_by_dominance(graph_, rewriter_, [&](Rewrite rewrite, NodeId at) { return done(rewrite, at); });
  }

  void remove_rings() {
    std::vector<NodeId> by(graph_.size(), no_node);
    for (const RingOfPhis& ring : rings_of_phis(graph_)) {
      if (result_.stopped) return;
      NodeId value = ring.value;
      while (!is_none(by[index(value)])) value = by[index(value)];
      graph_.keep(value);
      for (NodeId phi : ring.phis) {
        by[index(phi)] = value;
        if (!graph_.is_dead(phi)) graph_.replace(phi, value);
      }
      graph_.unkeep(value);
      done(Rewrite::phi_ring, ring.phis[0]);
    }
    std::vector<NodeId> unused = unused_nodes(graph_);
    if (unused.empty() || result_.stopped) return;
    for (NodeId n : unused)
      for (uint32_t i = 0; !graph_.is_dead(n) && i < graph_.input_count(n); ++i) graph_.set_input(n, i, no_node);
    for (NodeId n : unused) graph_.kill_unused(n);
    done(Rewrite::ring_unused, unused[0]);
  }

  Graph& graph_;
  const OptimiseOptions& options_;
  NodeTypes types_;
  Rewriter rewriter_;
  WorkList list_;
  OptimiseResult result_;
};

}  // namespace

OptimiseResult optimise(Graph& graph, const OptimiseOptions& options) { return Optimiser(graph, options).run(); }

}  // namespace braid::sea
