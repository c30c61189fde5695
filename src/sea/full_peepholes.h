// All rewrites of one node while a program is parsed: what the default language does with a node as soon as it is made.
//
// Nodes that are already there are not looked at again, so some work is left to `optimise` (sea/optimise.h), which has the
// whole graph before it. O(1) per node, expected.
#pragma once

#include "sea/control_tree.h"
#include "sea/peepholes.h"
#include "sea/rewriter.h"

namespace braid::sea {

class FullPeepholes final : public Peepholes {
 public:
  /// `tree` knows the control nodes as they are made; without it, dominating tests are not found.
  explicit FullPeepholes(Graph& graph, const ControlTree* tree = nullptr)
      : graph_(graph), types_(graph), rewriter_(graph, types_, Moment::parsing) {
    rewriter_.set_tree(tree);
  }
  NodeId apply(NodeId n) override;

 private:
  Graph& graph_;
  NodeTypes types_;
  Rewriter rewriter_;
};

}  // namespace braid::sea
