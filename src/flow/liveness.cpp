#include "flow/liveness.h"

#include <cassert>

namespace braid::flow {

void LiveWalk::begin(std::span<const Node> definitions) {
  round_ += 2;
  if (round_ == 0) {
    mark_.assign(mark_.size(), 0);
    round_ = 2;
  }
  live_.clear();
  for (Node n : definitions) mark_[n] = round_;
}

uint64_t count_live_nodes(const Graph& graph, const Mentions& mentions, uint64_t limit) {
  LiveWalk walk(graph);
  uint64_t count = 0;
  for (uint32_t v = 0; v < mentions.variable_count() && count <= limit; ++v)
    count += walk.live_in(mentions.exposed_uses.row(v), mentions.definitions.row(v)).size();
  return count;
}

Liveness::Liveness(const Graph& graph, const Mentions& mentions) {
  assert(mentions.exposed_uses.row_count() == mentions.variable_count());
  uint32_t variable_count = static_cast<uint32_t>(mentions.variable_count());
  uint32_t node_count = static_cast<uint32_t>(graph.node_count());
  LiveWalk walk(graph);
  start_.reserve(variable_count + 1);
  start_.push(0);
  for (uint32_t v = 0; v < variable_count; ++v) {
    std::span<const Node> live = walk.live_in(mentions.exposed_uses.row(v), mentions.definitions.row(v));
    nodes_.insert(nodes_.end(), live.begin(), live.end());
    start_.push(static_cast<uint32_t>(nodes_.size()));
  }
  live_in_.build_again(node_count, [&](auto&& emit) {
    for (uint32_t v = 0; v < variable_count; ++v) {
      for (Node n : nodes_of(Variable{v})) emit(index(n), Variable{v});
    }
  });
  only_successor_.assign(node_count, none_id<Node>);
  bool any_others = false;
  for (uint32_t n = 0; n < node_count; ++n) {
    std::span<const Node> successors = graph.successors.row(n);
    if (successors.size() == 1) only_successor_[Node{n}] = successors[0];
    any_others |= successors.size() > 1;
  }
  IdMap<Node, Variable> last(any_others ? node_count : 0, none_id<Variable>);
  live_out_.build_again(node_count, [&](auto&& emit) {
    if (!any_others) return;
    last.assign(node_count, none_id<Variable>);
    for (uint32_t v = 0; v < variable_count; ++v) {
      for (Node n : nodes_of(Variable{v})) {
        for (Node from : graph.predecessors.row(n)) {
          if (!is_none(only_successor_[from]) || last[from] == Variable{v}) continue;
          last[from] = Variable{v};
          emit(index(from), Variable{v});
        }
      }
    }
  });
}

}  // namespace braid::flow
