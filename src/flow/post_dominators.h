// Post-dominators: dominators (flow/dominators.h) of the reversed graph, from a virtual exit that stands
// behind all nodes without successors. O((nodes + edges) * log nodes) at worst, close to linear in practice.
//
// Endless loops. A node from which no end can be reached would have no post-dominator. Such nodes run into
// components that are never left (strongly connected, no edge leads out); one node of each is connected to
// the virtual exit as well: the one by which depth-first search from the entry comes into it, for a loop its
// header. So an endless loop looks as if it could be left at its header, and every node has a post-dominator.
// Nodes that the entry does not reach take part; they change nothing for the others. Where depth-first search
// from the entry does not come, it starts again from the unreached node with the least number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bit_set.h"
#include "flow/dominators.h"
#include "flow/graph.h"

namespace braid::flow {

class PostDominators {
 public:
  PostDominators() = default;
  explicit PostDominators(const Graph& graph);

  /// Its number is the number of nodes: it is the root of the tree and not a node of the graph.
  Node virtual_exit() const { return virtual_exit_; }
  /// The nodes before the virtual exit: first those without successors, by number, then one for each endless
  /// component.
  std::span<const Node> exits() const { return exits_; }
  std::span<const Node> endless_exits() const { return std::span(exits_).subspan(end_count_); }

  /// The virtual exit where nothing else post-dominates; none for the virtual exit itself.
  Node immediate(Node n) const { return tree_.idom(n); }
  bool post_dominates(Node a, Node b) const { return tree_.dominates(a, b); }
  bool strictly_post_dominates(Node a, Node b) const { return tree_.strictly_dominates(a, b); }
  /// The tree from the virtual exit, over the nodes of the graph and one more.
  const Dominators& tree() const { return tree_; }

 private:
  void add_endless_exits(const Graph& graph, const IdSet<Node>& ends);

  Node virtual_exit_ = Node{0};
  size_t end_count_ = 0;
  std::vector<Node> exits_;
  Dominators tree_;
};

}  // namespace braid::flow
