// The loop forest, irreducible loops included: Havlak's loops (P. Havlak, Nesting of Reducible and
// Irreducible Loops, 1997), found as G. Ramalingam corrects it (Identifying Loops in Almost Linear Time,
// 1999): nodes are taken in reverse preorder of depth-first search, inner loops are folded into their headers
// by union-find, and an edge that is neither in the tree nor a back edge counts only from the nearest common
// ancestor of its ends on. O((nodes + edges) * inverse Ackermann), where common ancestors come out of the
// search itself. Iterative; flat arrays.
//
// The loop of a header h: of the nodes below h in the depth-first tree, those that are strongly connected
// with h inside of it. A loop with a self edge only is one node. Where an irreducible loop has several
// entries, the one that the search comes to first is its header; the inner structure then depends on it, so
// on the order of the successors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

enum class Loop : uint32_t {};

/// Loops are numbered by the preorder of their headers: each after those around it. Unreachable nodes are in
/// no loop.
class Loops {
 public:
  Loops() = default;
  explicit Loops(const Graph& graph);

  size_t size() const { return loops_.size(); }

  /// The innermost loop around a node; for a header it is its own. None outside of all loops.
  Loop innermost(Node n) const { return innermost_[n]; }
  bool is_header(Node n) const { return !is_none(innermost_[n]) && header(innermost_[n]) == n; }
  /// How many loops are around a node, or around a loop with itself.
  uint32_t depth(Node n) const { return is_none(innermost_[n]) ? 0 : depth(innermost_[n]); }
  uint32_t depth(Loop l) const { return loops_[l].depth; }

  Node header(Loop l) const { return members_[loops_[l].first_member]; }
  Loop parent(Loop l) const { return loops_[l].parent; }
  /// All nodes of the loop, those of inner loops included; the header is the first.
  std::span<const Node> members(Loop l) const {
    return std::span(members_).subspan(loops_[l].first_member, loops_[l].member_count);
  }
  bool contains(Loop l, Node n) const {
    return position_[n] - loops_[l].first_member < loops_[l].member_count;
  }
  bool contains(Loop outer, Loop inner) const { return contains(outer, header(inner)); }

  /// No edge from outside leads to another node than the header.
  bool is_reducible(Loop l) const { return loops_[l].is_reducible; }
  /// The nodes of the loop, other than the header, that an edge from outside leads to. Counted over all loops
  /// these may be quadratic, so they are found when asked for: O(members + edges into them).
  std::vector<Node> other_entries(const Graph& graph, Loop l) const;

 private:
  struct Shape {
    uint32_t first_member;
    uint32_t member_count;
    Loop parent;
    uint32_t depth;
    bool is_reducible;
  };
  // Positions that are in no loop.
  static constexpr uint32_t outside = 0xfffffffeu;
  static constexpr uint32_t unreached = 0xffffffffu;

  void mark_irreducible(const Graph& graph);

  IdMap<Loop, Shape> loops_;
  IdMap<Node, Loop> innermost_;
  std::vector<Node> members_;       // loops are intervals; nodes outside of all loops are not here
  IdMap<Node, uint32_t> position_;  // in `members_`, or one of the two above
};

}  // namespace braid::flow
