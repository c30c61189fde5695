// The dominator tree of a graph whose edges come and go, brought up to date after each change.
//
// Insertion follows the depth-based search of L. Georgiadis, G. F. Italiano, L. Laura and F. Santaroni (An
// Experimental Study of Dynamic Dominators, 2012): after x -> y, with z the nearest common dominator of both,
// the nodes that move hang on the path of the tree between z and y, and z becomes their immediate dominator;
// they are y, and those among them that the subtrees of moving nodes lead to. Removal of x -> y moves only
// nodes that hang on d, the immediate dominator of y. If two ways from d to y remain that share no node, none
// moves. Else those that can be reached from y are placed again, by the dominators of a small graph: their
// edges, and below those one edge from the immediate dominator to each node on the tree paths from the
// sources up to d.
//
// Cost. There are no levels to keep, so a node moves in O(1), whatever hangs on it. A change costs the tree
// paths from both its ends to their common dominator, and:
// - insertion: the smaller of (edges out of the subtrees of moving nodes) and (edges into all that hangs on
// the path, with
//   the tree paths above them), times a constant: both searches run, with growing budgets, until one is done;
// - removal: a search for two ways backward from y, which ends as soon as they are found; where y moves, the
// smaller of
//   (edges out of the subtrees of what is reached from y) and (edges into all that hangs on d), and then the
//   edges into what may move, with the tree paths above them up to d;
// - parts that become reachable or unreachable: their edges, and a change as above for each node they lead
// to. Nothing depends on the size of the graph. Queries are O(1) once the tree is numbered; after a change
// they climb, O(depth), until that has cost as much as numbering again. Iterative; flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id_map.h"
#include "flow/dynamic_graph.h"
#include "flow/graph.h"
#include "flow/node_notes.h"

namespace braid::flow {

class DynamicDominators {
 public:
  /// Of two searches for the same, one looks at `first_budget` edges before the other gets its turn.
  explicit DynamicDominators(const Graph& graph, uint32_t first_budget = 64);

  const DynamicGraph& graph() const { return graph_; }
  /// Unreachable, until an edge leads to it.
  Node add_node();
  EdgeId insert_edge(Node from, Node to);
  void remove_edge(EdgeId e);
  /// One of the edges between the two; there must be one.
  void remove_edge(Node from, Node to) { remove_edge(graph_.find_edge(from, to)); }

  /// None for the entry and for unreachable nodes.
  Node idom(Node n) const { return tree_[n].idom; }
  bool is_reachable(Node n) const { return n == graph_.entry() || !is_none(tree_[n].idom); }
  /// False if either is unreachable.
  bool dominates(Node a, Node b) const;
  bool strictly_dominates(Node a, Node b) const { return a != b && dominates(a, b); }
  /// The nearest, of two reachable nodes. O(the longer way to it).
  Node common_dominator(Node a, Node b) { return meet(a, b); }

  /// The nodes whose immediate dominator is `n`; none behind the last.
  Node first_child(Node n) const { return tree_[n].first_child; }
  Node next_sibling(Node n) const { return tree_[n].next_sibling; }

 private:
  struct Place {
    Node idom = none_id<Node>;
    Node first_child = none_id<Node>;
    Node next_sibling = none_id<Node>;
    Node previous_sibling = none_id<Node>;
  };
  struct Interval {
    uint32_t first = 0xffffffffu;
    uint32_t size = 0;
  };
  struct Frame {
    Node node;
    EdgeId next;
  };
  enum class Fate { stays, moves, is_lost };
  enum class Look { enter, pass, stop };

  // The tree. The next node in preorder of the subtree of `root`, with and without what is below `n`; none at
  // the end.
  void attach(Node n, Node idom);
  void detach(Node n);
  void move(Node n, Node idom);
  Node next_in_subtree(Node n, Node root) const;
  Node next_behind_subtree(Node n, Node root) const;
  /// Calls `visit(to)` for each edge out of the subtree of `root`, without the subtrees of nodes that are
  /// left out. Each node and each edge takes one from the budget: false if it is too small.
  template <class IsLeftOut, class Visit>
  bool for_each_way_out(Node root, uint64_t& budget, IsLeftOut&& is_left_out, Visit&& visit) const {
    for (Node n = root; !is_none(n);) {
      if (is_left_out(n)) {
        n = next_behind_subtree(n, root);
        continue;
      }
      if (budget-- == 0) return false;
      for (EdgeId e = graph_.first_out(n); !is_none(e); e = graph_.next_out(e)) {
        if (budget-- == 0) return false;
        visit(graph_.to(e));
      }
      n = next_in_subtree(n, root);
    }
    return true;
  }
  void renumber() const;

  // Insertion.
  Node meet(Node x, Node y);
  void insert_reachable(Node x, Node y);
  bool push_from_moving(uint64_t budget);
  enum class Pulled { y_alone, others, too_much };
  Pulled pull_into_path(uint64_t budget);
  void reach(Node x, Node y);

  // Removal.
  Fate fate_of(Node y, Node d);
  template <class Looker>
  bool search_backward(Node start, Node d, Looker&& look);
  Node top_below(Node n, Node d);
  void resettle(Node d);
  bool push_among_children(Node d, uint64_t budget);
  bool pull_among_children(Node d, uint64_t budget);
  void place_one(Node y, Node d);
  void place_again(Node d);
  void include(Node n);
  void lose(Node y);
  bool takes_part(Node n) const { return is_reachable(n) && !doomed_.has(n); }

  DynamicGraph graph_;
  uint32_t first_budget_;
  IdMap<Node, Place> tree_;

  // Memory of the searches.
  NodeNotes note_;    // insertion: place on the path. Removal: what was seen, or number in the small graph
  NodeNotes top_;     // removal: the child of d above a node. Insertion: not below y
  NodeNotes moving_;  // in `movers_`
  NodeNotes doomed_;  // about to become unreachable
  std::vector<Node> path_;
  std::vector<Node> movers_;
  std::vector<uint32_t> next_mover_;   // by number in `movers_`: the next that hangs on the same node
  std::vector<uint32_t> first_mover_;  // by place on the path
  std::vector<Frame> frames_;
  std::vector<Node> region_;     // what becomes reachable, or is in the small graph
  std::vector<EdgeId> leaving_;  // edges out of what becomes reachable
  std::vector<Node> lost_;       // what becomes unreachable
  std::vector<Node> targets_;    // what the lost nodes lead to
  std::vector<Edge> small_edges_;
  uint64_t climbed_ = 0;  // steps of `top_below`

  // Preorder, where it is up to date.
  mutable bool is_numbered_ = false;
  mutable uint64_t query_steps_ = 0;  // since it was
  mutable IdMap<Node, Interval> interval_;
};

}  // namespace braid::flow
