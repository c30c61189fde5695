// The dominator tree, by Semi-NCA (L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems,
// 2005): semidominators as Lengauer and Tarjan (1979) find them, with path compression; then each immediate
// dominator is the nearest ancestor that is not below the semidominator. The plain climb to it is quadratic
// when many nodes hang below a long chain of dominators, so the tree carries jump pointers (E. W. Myers, An
// Applicative Random-Access Stack, 1983). O((nodes + edges) * log nodes) at worst, close to linear in
// practice. Iterative; a fixed number of flat arrays. Queries are O(1): a node dominates what lies in its
// interval of the tree's preorder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

/// What the algorithm finds on its way, for those who want to watch it. `value` is what is found, `other` where it comes
/// from.
struct DominatorStep {
  enum class Kind : uint8_t {
    reached,        ///< depth-first search finds the node; `value` is its parent there, none for the entry
    candidate,      ///< by the edge from `other`, `value` may be the semidominator
    semidominator,  ///< `value` is it
    climb,          ///< from `other` up to `value`: still below the semidominator
    idom,           ///< `value` is the immediate dominator
  };
  Kind kind;
  Node node;
  Node other;
  Node value;

  bool operator==(const DominatorStep&) const = default;
};

/// A node that cannot be reached from the entry stands outside the tree: it has no immediate dominator and no
/// children, level 0, dominates nothing and is dominated by nothing, not even by itself.
class Dominators {
 public:
  Dominators() = default;
  explicit Dominators(const Graph& graph);
  /// The same, with the steps it took.
  Dominators(const Graph& graph, std::vector<DominatorStep>& steps);

  /// None for the entry and for unreachable nodes.
  Node idom(Node n) const { return idom_[n]; }
  /// The distance to the entry in the tree; 0 for the entry.
  uint32_t level(Node n) const { return level_[n]; }
  bool is_reachable(Node n) const { return interval_[n].size != 0; }

  bool dominates(Node a, Node b) const { return interval_[b].first - interval_[a].first < interval_[a].size; }
  bool strictly_dominates(Node a, Node b) const { return a != b && dominates(a, b); }

  /// The nodes whose immediate dominator is `n`, in the order in which depth-first search finds them.
  std::span<const Node> children(Node n) const { return children_.row(n); }
  /// The reachable nodes, each before its children; the nodes that `n` dominates are contiguous, starting
  /// with `n`.
  std::span<const Node> preorder() const { return preorder_; }
  std::span<const Node> dominated_by(Node n) const {
    Interval interval = interval_[n];
    if (interval.size == 0) return {};
    return std::span(preorder_).subspan(interval.first, interval.size);
  }
  /// The position of a reachable node in `preorder()`.
  uint32_t preorder_number(Node n) const { return interval_[n].first; }
  size_t node_count() const { return idom_.size(); }
  bool operator==(const Dominators&) const = default;

 private:
  template <class Steps>
  void build(const Graph& graph, Steps& steps);

  // The positions in preorder of a node and all it dominates. Unreachable nodes have size 0, and a `first` so
  // large that it lies in no other interval.
  struct Interval {
    uint32_t first = 0xffffffffu;
    uint32_t size = 0;

    bool operator==(const Interval&) const = default;
  };

  IdMap<Node, Node> idom_;
  IdMap<Node, uint32_t> level_;
  IdMap<Node, Interval> interval_;
  std::vector<Node> preorder_;
  Csr<Node> children_;
};

}  // namespace braid::flow
