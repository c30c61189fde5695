#include "sea/rings.h"

#include "flow/strong_components.h"
#include "sea/layout.h"

namespace braid::sea {

using ir::Op;

namespace {

class Rings {
 public:
  explicit Rings(const Graph& graph) : graph_(graph), place_(graph.size(), outside), ring_(graph.size(), no_ring) {}

  /// Among these phis and those that they lead to, or among all.
  std::vector<RingOfPhis> run(std::vector<NodeId> first, bool is_enough) {
    std::vector<NodeId> all;
    for (uint32_t k = 0; !is_enough && k < graph_.size(); ++k) first.push_back(static_cast<NodeId>(k));
    auto add = [&](NodeId n) {
      if (place_[index(n)] != outside || !is_ready_phi(n)) return;
      place_[index(n)] = 0;
      all.push_back(n);
    };
    for (NodeId n : first) add(n);
    for (size_t k = 0; k < all.size(); ++k)
      for (uint32_t i = 1; i < graph_.input_count(all[k]); ++i) add(graph_.input(all[k], i));
    for (NodeId n : all) place_[index(n)] = outside;
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

std::vector<RingOfPhis> rings_of_phis(const Graph& graph, std::span<const NodeId> loops, bool in_order) {
  std::vector<NodeId> phis;
  if (in_order) {
    // Round a ring, a phi of a loop gets another phi back.
    for (NodeId loop : loops) {
      if (graph.is_dead(loop)) continue;
      graph.for_each_use(loop, [&](NodeId phi, uint32_t number) {
        if (number != 0 || !graph.is(phi, Op::phi)) return;
        bool back = false;
        for (uint32_t i = 2; i < graph.input_count(phi); ++i) {
          NodeId value = graph.input(phi, i);
          back = back || (!is_none(value) && value != phi && graph.is(value, Op::phi));
        }
        if (back) phis.push_back(phi);
      });
    }
    if (phis.empty()) return {};
  }
  return Rings(graph).run(std::move(phis), in_order);
}

}  // namespace braid::sea
