#include "sea/rings.h"

#include "base/bit_set.h"
#include "flow/strong_components.h"
#include "sea/layout.h"

namespace braid::sea {

using ir::Op;

namespace {

class Rings {
 public:
  explicit Rings(const Graph& graph) : graph_(graph), place_(graph.size(), outside), ring_(graph.size(), no_ring) {}

  std::vector<RingOfPhis> run() {
    std::vector<NodeId> all;
    for (uint32_t k = 0; k < graph_.size(); ++k)
      if (is_ready_phi(static_cast<NodeId>(k))) all.push_back(static_cast<NodeId>(k));
    sets_.push_back(std::move(all));
    // A set inside of a component is smaller than it; a few levels find all that programs have.
    for (uint32_t level = 0; level < most_levels && !sets_.empty(); ++level) {
      std::vector<std::vector<NodeId>> now = std::move(sets_);
      sets_.clear();
      for (const std::vector<NodeId>& set : now) search(set);
    }
    return std::move(rings_);
  }

 private:
  static constexpr uint32_t outside = 0xffffffffu, no_ring = 0xffffffffu, most_levels = 16;

  bool is_ready_phi(NodeId n) const {
    if (!graph_.is(n, Op::phi)) return false;
    for (uint32_t i = 0; i < graph_.input_count(n); ++i)
      if (is_none(graph_.input(n, i))) return false;
    return true;
  }

  void search(const std::vector<NodeId>& phis) {
    for (uint32_t k = 0; k < phis.size(); ++k) place_[index(phis[k])] = k;
    flow::Graph uses = flow::Graph::build(phis.size(), flow::Node{0}, [&](auto&& emit) {
      for (uint32_t k = 0; k < phis.size(); ++k)
        for (uint32_t i = 1; i < graph_.input_count(phis[k]); ++i) {
          uint32_t to = place_[index(graph_.input(phis[k], i))];
          if (to != outside) emit(flow::Node{k}, flow::Node{to});
        }
    });
    flow::StrongComponents components(uses);
    std::vector<std::vector<NodeId>> found;
    for (uint32_t k = 0; k < phis.size(); ++k)
      components.search(flow::Node{k}, [](uint32_t) { return true; }, [&](std::span<const flow::Node> component) {
        if (component.size() < 2) return;
        std::vector<NodeId>& ring = found.emplace_back();
        for (flow::Node n : component) ring.push_back(phis[index(n)]);
      });
    for (NodeId n : phis) place_[index(n)] = outside;
    for (std::vector<NodeId>& ring : found) judge(std::move(ring));
  }

  /// Values that flow into a component: one, and it is that value; more, and there may be rings inside.
  void judge(std::vector<NodeId> ring) {
    for (NodeId n : ring) ring_[index(n)] = mark_;
    NodeId value = no_node;
    bool several = false;
    std::vector<NodeId> inner;
    for (NodeId n : ring) {
      bool inside = true;
      for (uint32_t i = 1; i < graph_.input_count(n); ++i) {
        NodeId operand = graph_.input(n, i);
        if (ring_[index(operand)] == mark_) continue;
        inside = false;
        several = several || (!is_none(value) && operand != value);
        value = operand;
      }
      if (inside) inner.push_back(n);
    }
    ++mark_;
    if (is_none(value)) return;
    if (several)
      sets_.push_back(std::move(inner));
    else
      rings_.push_back({std::move(ring), value});
  }

  const Graph& graph_;
  std::vector<uint32_t> place_;
  std::vector<uint32_t> ring_;
  uint32_t mark_ = 0;
  std::vector<std::vector<NodeId>> sets_;
  std::vector<RingOfPhis> rings_;
};

}  // namespace

std::vector<RingOfPhis> rings_of_phis(const Graph& graph) { return Rings(graph).run(); }

std::vector<NodeId> unused_nodes(const Graph& graph) {
  BitSet used(graph.size());
  std::vector<NodeId> list;
  auto use = [&](NodeId n) {
    if (is_none(n) || used.test(index(n))) return;
    used.set(index(n));
    list.push_back(n);
  };
  // What control can reach, and what has effects there, is of use without being used.
  std::vector<NodeId> reached{graph.start};
  use(graph.start);
  while (!reached.empty()) {
    NodeId n = reached.back();
    reached.pop_back();
    graph.for_each_use(n, [&](NodeId user, uint32_t number) {
      const NodeOp op = graph.op(user);
      bool leads_on = op == NodeOp::projection || is_region(op) || (number == 0 && splits_control(op));
      bool acts = number == 0 && is_table_op(op) && stands_under_control(graph, user) && op != Op::pi &&
                  (ir::info(table_op(op)).traits & ir::keeps_alive) != 0;
      if ((!leads_on && !acts) || used.test(index(user))) return;
      use(user);
      if (leads_on) reached.push_back(user);
    });
  }
  if (!is_none(graph.stop)) use(graph.stop);
  for (uint32_t k = 0; k < graph.size(); ++k)
    if (graph.is_kept(static_cast<NodeId>(k))) use(static_cast<NodeId>(k));
  while (!list.empty()) {
    NodeId n = list.back();
    list.pop_back();
    for (uint32_t i = 0; i < graph.input_count(n); ++i) use(graph.input(n, i));
  }
  std::vector<NodeId> unused;
  for (uint32_t k = 0; k < graph.size(); ++k)
    if (!used.test(k) && !graph.is_dead(static_cast<NodeId>(k))) unused.push_back(static_cast<NodeId>(k));
  return unused;
}

}  // namespace braid::sea
