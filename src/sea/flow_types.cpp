#include "sea/flow_types.h"

#include <vector>

#include "sea/layout.h"

namespace braid::sea {
namespace {

using ir::Op;

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
    for (;;) {
      if (!columns_.empty()) {
        Graph::Use column = columns_.back();
        columns_.pop_back();
        flow_in(column.user, column.number);
      } else if (next_ < list_.size()) {
        NodeId n = list_[next_++];
        waiting_[index(n)] = 0;
        raise(n, types_.compute(n));
      } else {
        return;
      }
    }
  }

 private:
  static constexpr uint8_t few_steps = 3;

  /// Nothing has to flow there first.
  bool starts(NodeId n) const {
    const NodeOp op = graph_.op(n);
    return !is_region(op) && (graph_.input_count(n) == 0 || op == Op::save_state);
  }
  void push(NodeId n) {
    if (waiting_[index(n)] != 0) return;
    waiting_[index(n)] = 1;
    list_.push_back(n);
  }

  void raise(NodeId n, Type type) {
    const Type old = types_.of(n);
    type = table_.join(old, type);
    if (type == old) return;
    if (graph_.is(n, Op::phi) && ++grown_[index(n)] > few_steps) {
      grown_[index(n)] = few_steps;
      type = table_.meet(table_.widen(old, type), graph_.type(n));
    }
    types_.set(n, type);
    graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
      if (graph_.is(user, Op::phi)) {
        if (number > 0) columns_.push_back({user, number - 1});
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
      if (number == 0 && graph_.is(phi, Op::phi)) columns_.push_back({phi, way});
    });
  }
  void flow_in(NodeId phi, uint32_t way) {
    NodeId region = graph_.input(phi, 0);
    if (!is_region(graph_.op(region)) || !types_.is_way_open(region, way)) return;
    const Type declared = graph_.type(phi);
    // An effect has a value's type where it is one, too.
    raise(phi, declared == void_type ? void_type : table_.meet(types_.of(graph_.input(phi, way + 1)), declared));
  }

  Graph& graph_;
  NodeTypes& types_;
  TypeTable& table_;
  std::vector<uint8_t> waiting_, grown_;
  std::vector<NodeId> list_;
  size_t next_ = 0;
  std::vector<Graph::Use> columns_;
};

}  // namespace

void flow_types(Graph& graph, NodeTypes& types) { Flow(graph, types).run(); }

}  // namespace braid::sea
