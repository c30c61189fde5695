// The blocks of a function as a graph of the room `flow`, and dominance over it. Node n is block n; edges are the live
// ones, exceptional edges included, in the order of the terminators. O(blocks + edges) for the graph.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "flow/dominators.h"
#include "flow/graph.h"
#include "ir/function.h"

namespace braid::ir {

constexpr flow::Node node(BlockId b) { return static_cast<flow::Node>(index(b)); }
constexpr BlockId block(flow::Node n) { return static_cast<BlockId>(index(n)); }

inline flow::Graph block_graph(const Function& f) {
  flow::Node entry = f.block_count() == 0 ? none_id<flow::Node> : node(Function::entry());
  return flow::Graph::build(f.block_count(), entry, [&](auto&& emit) {
    for (uint32_t b = 0; b < f.block_count(); ++b)
      f.for_each_succ(static_cast<BlockId>(b), [&](EdgeId e) { emit(static_cast<flow::Node>(b), node(f.edge(e).to)); });
  });
}

/// Dominance among blocks. The block of an `enter` dominates its handler: values made before the region can be read there.
class BlockDominance {
 public:
  explicit BlockDominance(const Function& f) : BlockDominance(std::make_shared<const flow::Graph>(block_graph(f))) {}
  /// With the blocks as a graph that is there already.
  explicit BlockDominance(std::shared_ptr<const flow::Graph> graph) : graph_(std::move(graph)), tree_(*graph_) {}
  /// With the steps that it took.
  BlockDominance(const Function& f, std::vector<flow::DominatorStep>& steps)
      : graph_(std::make_shared<const flow::Graph>(block_graph(f))), tree_(*graph_, steps) {}

  bool is_reachable(BlockId b) const { return tree_.is_reachable(node(b)); }
  bool dominates(BlockId a, BlockId b) const { return tree_.dominates(node(a), node(b)); }
  /// None for the entry and for unreachable blocks.
  BlockId idom(BlockId b) const {
    flow::Node n = tree_.idom(node(b));
    return is_none(n) ? none_id<BlockId> : block(n);
  }
  const flow::Graph& graph() const { return *graph_; }
  const flow::Dominators& tree() const { return tree_; }

  bool operator==(const BlockDominance& other) const { return *graph_ == *other.graph_ && tree_ == other.tree_; }

 private:
  std::shared_ptr<const flow::Graph> graph_;
  flow::Dominators tree_;
};

}  // namespace braid::ir
