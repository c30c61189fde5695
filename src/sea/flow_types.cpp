#include "sea/flow_types.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sea/layout.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint8_t few_steps = 3;

/// Types that grow.
class Flow {
 public:
  Flow(Graph& graph, NodeTypes& types)
      : graph_(graph), types_(types), table_(graph.module().types), waiting_(graph.size()), grown_(graph.size()) {}

  void run() {
    types_.start_from_none();
    for (uint32_t k = 0; k < graph_.size(); ++k) {
      NodeId n = static_cast<NodeId>(k);
      if (!graph_.is_dead(n) && starts(n)) push(n);
    }
    grow();
  }

 protected:
  void grow() {
    for (;;) {
      if (!columns_.empty()) {
        Graph::Use column = columns_.back();
        columns_.pop_back();
        flow_in(column.user, column.number);
      } else if (!heap_.empty()) {
        const auto [node, way] = heap_.front();
        std::ranges::pop_heap(heap_, std::greater());
        heap_.pop_back();
        if (way != whole) {
          flow_in(node, way);
          continue;
        }
        waiting_[index(node)] = 0;
        raise(node, types_.compute(node));
      } else if (next_ < list_.size()) {
        NodeId n = list_[next_++];
        waiting_[index(n)] = 0;
        raise(n, types_.compute(n));
      } else {
        return;
      }
    }
  }
  void flow_in_later(NodeId phi, uint32_t way) {
    if (!takes_part(phi)) return;
    if (limits_ == nullptr)
      columns_.push_back({phi, way});
    else
      push_in_order(phi, way);
  }
  /// In the order of ids, so that a loop has come to rest before those behind it look.
  void push_in_order(NodeId n, uint32_t way) {
    heap_.push_back({n, way});
    std::ranges::push_heap(heap_, std::greater());
  }

 private:
  /// Nothing has to flow there first.
  bool starts(NodeId n) const {
    const NodeOp op = graph_.op(n);
    return !is_region(op) && (graph_.input_count(n) == 0 || op == Op::save_state);
  }
  bool takes_part(NodeId n) const { return limits_ == nullptr || (*limits_)[index(n)] != unlimited; }
  void push(NodeId n) {
    if (waiting_[index(n)] != 0 || !takes_part(n)) return;
    waiting_[index(n)] = 1;
    if (limits_ == nullptr)
      list_.push_back(n);
    else
      push_in_order(n, whole);
  }

  void raise(NodeId n, Type type) {
    const Type old = types_.of(n);
    if (limits_ != nullptr) type = table_.meet(type, (*limits_)[index(n)]);
    type = table_.join(old, type);
    if (type == old) return;
    if (graph_.is(n, Op::phi) && ++grown_[index(n)] > few_steps) {
      grown_[index(n)] = few_steps;
      type = table_.meet(table_.widen(old, type), limits_ == nullptr ? graph_.type(n) : (*limits_)[index(n)]);
    }
    types_.set(n, type);
    graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
      if (graph_.is(user, Op::phi)) {
        if (number > 0) flow_in_later(user, number - 1);
        return;
      }
      push(user);
      // The condition says which ways out are open; the branch itself stays what it is.
      if (number == 1 && splits_control(graph_.op(user))) graph_.for_each_use(user, [&](NodeId way, uint32_t) { push(way); });
      if (old == none && is_region(graph_.op(user))) open_way(user, number);
    });
  }

  /// Phis take what flows in way by way: wide ones would cost their width for each.
  void open_way(NodeId region, uint32_t way) {
    graph_.for_each_use(region, [&](NodeId phi, uint32_t number) {
      if (number == 0 && graph_.is(phi, Op::phi)) flow_in_later(phi, way);
    });
  }
  void flow_in(NodeId phi, uint32_t way) {
    NodeId region = graph_.input(phi, 0);
    if (!is_region(graph_.op(region)) || !types_.is_way_open(region, way)) return;
    const Type declared = graph_.type(phi);
    // An effect has a value's type where it is one, too.
    const Type value = types_.of(graph_.input(phi, way + 1));
    raise(phi, declared == void_type ? void_type : types_.as_declared(value, declared));
  }

 protected:
  static constexpr uint32_t whole = 0xffffffffu;
  static constexpr Type unlimited = any | void_type;  ///< no value is of such a type

  Graph& graph_;
  NodeTypes& types_;
  TypeTable& table_;
  std::vector<uint8_t> waiting_, grown_;
  std::vector<NodeId> list_;
  size_t next_ = 0;
  std::vector<std::pair<NodeId, uint32_t>> heap_;  ///< a node as a whole, or one way into a phi; the least first
  /// By node, if only some nodes take part: what is known of each whatever flows.
  std::vector<Type>* limits_ = nullptr;

 private:
  std::vector<Graph::Use> columns_;
};

/// First down, as if no loop came back, then up. What is known is changed on the way, and put back: a copy would cost the graph.
class FlowOfLoops : private Flow {
 public:
  FlowOfLoops(Graph& graph, NodeTypes& types) : Flow(graph, types), known_(graph.size(), unlimited) { limits_ = &known_; }

  std::vector<NarrowedType> run(std::span<const NodeId> phis) {
    for (NodeId phi : phis) lower(phi, entry(phi));
    while (!heap_.empty()) {
      NodeId n = heap_.front().first;
      std::ranges::pop_heap(heap_, std::greater());
      heap_.pop_back();
      waiting_[index(n)] = 0;
      lower(n, is_loop_phi(n) ? entry(n) : types_.compute(n));
    }
    for (size_t k = 0; k < narrowed_.size(); ++k) {
      NodeId phi = narrowed_[k];
      if (!is_loop_phi(phi)) continue;
      for (uint32_t i = 2; i < graph_.input_count(phi); ++i) flow_in_later(phi, i - 1);
    }
    grow();
    std::sort(narrowed_.begin(), narrowed_.end());
    std::vector<NarrowedType> answer;
    for (NodeId n : narrowed_) {
      if (types_.of(n) != known_[index(n)]) answer.push_back({n, types_.of(n)});
      types_.set(n, known_[index(n)]);
    }
    return answer;
  }

  static bool is_candidate(Graph& graph, const NodeTypes& types, NodeId phi) {
    NodeId value = graph.input(phi, 1);
    if (graph.type(phi) == void_type || is_none(value)) return false;
    TypeTable& table = graph.module().types;
    return table.meet(types.as_declared(types.of(value), graph.type(phi)), types.of(phi)) != types.of(phi);
  }

 private:
  bool is_loop_phi(NodeId n) const { return graph_.is(n, Op::phi) && graph_.op(graph_.input(n, 0)) == NodeOp::loop; }
  Type entry(NodeId phi) const {
    if (!types_.is_way_open(graph_.input(phi, 0), 0)) return none;
    return graph_.type(phi) == void_type ? void_type : types_.as_declared(types_.of(graph_.input(phi, 1)), graph_.type(phi));
  }

  void push(NodeId n) {
    if (waiting_[index(n)] != 0) return;
    waiting_[index(n)] = 1;
    push_in_order(n, whole);
  }
  void lower(NodeId n, Type type) {
    const Type old = types_.of(n);
    type = table_.meet(type, old);
    if (type == old) return;
    if (known_[index(n)] == unlimited) {
      known_[index(n)] = old;
      narrowed_.push_back(n);
    }
    types_.set(n, type);
    graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
      // What comes back is of no account yet.
      if (number > 1 && is_loop_phi(user)) return;
      if (number > 0 && graph_.op(user) == NodeOp::loop) return;
      push(user);
      const bool is_condition = number == 1 && splits_control(graph_.op(user));
      if (is_condition) graph_.for_each_use(user, [&](NodeId way, uint32_t) { push(way); });
      if (type == none && is_region(graph_.op(user)))
        graph_.for_each_use(user, [&](NodeId phi, uint32_t of) {
          if (of == 0 && graph_.is(phi, Op::phi)) push(phi);
        });
    });
  }

  std::vector<Type> known_;  ///< of those that got narrower, what they were
  std::vector<NodeId> narrowed_;
};

}  // namespace

void flow_types(Graph& graph, NodeTypes& types) { Flow(graph, types).run(); }

std::vector<NarrowedType> flow_types_of_loops(Graph& graph, NodeTypes& known, std::span<const NodeId> loops) {
  std::vector<NodeId> phis;
  for (NodeId loop : loops) {
    if (graph.is_dead(loop) || !known.is_way_open(loop, 0)) continue;
    graph.for_each_use(loop, [&](NodeId phi, uint32_t number) {
      if (number == 0 && graph.is(phi, Op::phi) && FlowOfLoops::is_candidate(graph, known, phi)) phis.push_back(phi);
    });
  }
  if (phis.empty()) return {};
  return FlowOfLoops(graph, known).run(phis);
}

}  // namespace braid::sea
