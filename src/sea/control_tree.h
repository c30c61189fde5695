// The dominator tree of a graph that is being built: every control node is added below its immediate dominator.
//
// Ancestors are found by jump pointers of skew-binary lengths (Myers 1983, "An applicative random-access stack"): O(1) to
// add a node, O(log depth) to ask. A node keeps its place when ways into it turn out to be dead: what dominated it before
// still does.
#pragma once

#include <cstdint>
#include <utility>

#include "base/stack.h"
#include "sea/graph.h"

namespace braid::sea {

class ControlTree {
 public:
  explicit ControlTree(Graph& graph) : graph_(&graph) {}

  void reserve(uint32_t nodes) { entries_.reserve(nodes); }
  /// `parent` is none for the first node. The node's note is its place here.
  void add(NodeId control, NodeId parent) {
    uint32_t place = entries_.size();
    graph_->set_note(control, place);
    if (is_none(parent)) {
      entries_.push({control, place, place, 0});
      return;
    }
    uint32_t up = place_of(parent);
    const Entry& above = entries_[up];
    const Entry& jumped = entries_[above.jump];
    bool joins = above.depth - jumped.depth == jumped.depth - entries_[jumped.jump].depth;
    entries_.push({control, up, joins ? jumped.jump : up, above.depth + 1});
  }
  uint32_t depth(NodeId control) const { return entries_[place_of(control)].depth; }
  /// The immediate dominator; the first node's is itself. It may be dead by now.
  NodeId parent(NodeId control) const { return entries_[entries_[place_of(control)].parent].control; }
  /// Whether every way from the start to `below` leads through `above`, as far as the tree knows. Reflexive.
  bool dominates(NodeId above, NodeId below) const {
    uint32_t place = place_of(above);
    return raise(place_of(below), entries_[place].depth) == place;
  }
  /// The node of this depth on the way up; `control` itself if it is not that deep.
  NodeId ancestor(NodeId control, uint32_t depth) const { return entries_[raise(place_of(control), depth)].control; }
  /// The nearest node that dominates both.
  NodeId common(NodeId a, NodeId b) const {
    uint32_t x = place_of(a), y = place_of(b);
    if (entries_[x].depth < entries_[y].depth) std::swap(x, y);
    x = raise(x, entries_[y].depth);
    while (x != y) {
      bool far = entries_[x].jump != entries_[y].jump;
      x = far ? entries_[x].jump : entries_[x].parent;
      y = far ? entries_[y].jump : entries_[y].parent;
    }
    return entries_[x].control;
  }

 private:
  struct Entry {
    NodeId control;
    uint32_t parent, jump, depth;
  };
  uint32_t place_of(NodeId control) const { return graph_->note(control); }
  /// The ancestor of at most this depth.
  uint32_t raise(uint32_t place, uint32_t depth) const {
    while (entries_[place].depth > depth)
      place = entries_[entries_[place].jump].depth >= depth ? entries_[place].jump : entries_[place].parent;
    return place;
  }

  Graph* graph_;
  Stack<Entry> entries_;
};

}  // namespace braid::sea
