// All rewrites of one node while a program is parsed: what the default language does with a node as soon as it is made.
//
// Nodes that are already there are not looked at again, so some work is left to `optimise` (sea/optimise.h), which has the
// whole graph before it and removes what is unused. O(1) per node, expected.
#pragma once

#include <algorithm>

#include "sea/control_tree.h"
#include "sea/optimise.h"
#include "sea/peepholes.h"
#include "sea/rewriter.h"

namespace braid::sea {

class FullPeepholes final : public Peepholes {
 public:
  explicit FullPeepholes(Graph& graph) : graph_(graph), types_(graph), tree_(graph), rewriter_(graph, types_, Moment::parsing) {
    tree_.reserve(32);
    types_.reserve(std::max<uint32_t>(128, graph.capacity()));
    rewriter_.set_tree(&tree_);
    graph.spare_values(true);
  }
  NodeId apply(NodeId n) override;
  NodeId constant(Graph&, int64_t value) override {
    return rewriter_.constant(Kind::i64, static_cast<uint64_t>(value), {});
  }

  /// Hears of every rewrite. If it ends the rewriting, that is where the node of this call is left; whoever calls must see to
  /// it that there are no more calls.
  void set_observer(RewriteObserver* observer) {
    observer_ = observer;
    rewriter_.set_observer(observer);
  }
  /// For `optimise`, when the program is parsed.
  BegunWork begun() { return {types_, unfinished_, rewriter_.sums()}; }

 private:
  /// Control gets its place among the dominators.
  void know(NodeId n);

  Graph& graph_;
  NodeTypes types_;
  ControlTree tree_;
  Rewriter rewriter_;
  RewriteObserver* observer_ = nullptr;
  /// Made by rewrites, and only compared with other nodes; or with values that had other uses.
  std::vector<Unfinished> unfinished_;
};

}  // namespace braid::sea
