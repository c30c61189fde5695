// Ways round the part of a graph that does not concern a variable: from the start of a node up to a dominator at whose end
// the variable has the same value, because no node on the ways between assigns it.
//
// Nodes are numbered in a reverse post-order in which every loop of the forest is contiguous (a weak topological order,
// F. Bourdoncle, Efficient Chaotic Iteration Strategies with Widenings, 1993): dominators come first, and the only edges that
// lead back go to the header of a loop around them. So the nodes between a node and its immediate dominator have numbers in one
// interval: behind the dominator, up to the node, or to the end of the outermost loop around it that the dominator is not in. A
// variable that is assigned nowhere in the interval comes through. The tree carries jump pointers (E. W. Myers, An Applicative
// Random-Access Stack, 1983) with the intervals of the way to them, so that a climb takes O(log depth) looks at a list
// of numbers. An interval may hold nodes that lie on no such way: then the climb ends early, which is safe.
//
// Where exceptions lead to a node, its interval also holds the nodes that they come from.
//
// O(nodes + edges) to build, with the loop forest; a climb is O(log depth * log assignments). Iterative.
#pragma once

#include <cstdint>
#include <span>

#include "base/id_map.h"
#include "flow/dominators.h"
#include "flow/graph.h"

namespace braid::flow {

class Bypass {
 public:
  /// A node at whose start variables may have values that no edge brings: those assigned in nodes that its dominators
  /// dominate, up to a number.
  struct Barrier {
    Node node;
    uint32_t last;
  };

  Bypass() = default;
  /// Keeps no reference.
  Bypass(const Graph& graph, const Dominators& tree);
  /// O(nodes * log barriers).
  void set_barriers(const Dominators& tree, std::span<const Barrier> barriers);

  /// The place of a reachable node in the order described above.
  uint32_t number(Node n) const { return places_[n].number; }
  /// The highest dominator found whose end has the value that the start of `n` has; none if it is not `n`'s immediate dominator
  /// or above. `assignments`: the numbers of the nodes that assign the variable, sorted.
  Node above(Node n, std::span<const uint32_t> assignments) const;

 private:
  struct Place {
    uint32_t number = 0;
    Node idom = none_id<Node>;
    uint32_t last = 0;       ///< of the interval between the node and its immediate dominator
    Node jump = none_id<Node>;
    uint32_t jump_last = 0;  ///< of all intervals on the way there
  };

  void number_nodes(const Graph& graph, const Dominators& tree);
  void add_jumps(const Dominators& tree);

  IdMap<Node, Place> places_;
};

}  // namespace braid::flow
