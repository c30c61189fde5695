// Removal of an edge: see flow/dynamic_dominators.h. Throughout, d is the immediate dominator of the node
// that lost the edge, and the nodes that hang on d are looked at with everything below each of them as one:
// an edge from below one of them to another is an edge between the two.
#include <algorithm>
#include <cassert>

#include "flow/dominators.h"
#include "flow/dynamic_dominators.h"

namespace braid::flow {

void DynamicDominators::remove_edge(EdgeId e) {
  Node x = graph_.from(e), y = graph_.to(e);
  graph_.remove_edge(e);
  if (!is_reachable(x) || y == graph_.entry()) return;
  Node d = idom(y);
  for (Node n = x; n != d; n = idom(n)) {
    if (n == y) return;  // nobody needs a way back to y in order to reach it
  }
  doomed_.clear();
  top_.clear();
  Fate fate = fate_of(y, d);
  if (fate == Fate::is_lost) lose(y);
  if (fate != Fate::moves) return;
  movers_.assign(1, y);
  resettle(d);
}

/// The node that hangs on d and is `n` or above it; d itself for d.
Node DynamicDominators::top_below(Node n, Node d) {
  if (n == d) return d;
  Node at = n;
  for (; !top_.has(at) && idom(at) != d; at = idom(at)) ++climbed_;
  Node top = top_.has(at) ? Node{top_[at]} : at;
  for (; n != at; n = idom(n)) top_.set(n, index(top));
  top_.set(at, index(top));
  return top;
}

/// Depth-first search against the edges between nodes that hang on d, until `look(node)` says stop; d is
/// looked at but never entered.
template <class Looker>
bool DynamicDominators::search_backward(Node start, Node d, Looker&& look) {
  frames_.assign(1, {start, graph_.first_in(start)});
  while (!frames_.empty()) {
    Frame& top = frames_.back();
    if (is_none(top.next)) {
      frames_.pop_back();
      continue;
    }
    Node from = graph_.from(top.next);
    top.next = graph_.next_in(top.next);
    if (!takes_part(from)) continue;
    Node next = top_below(from, d);
    if (next == top.node) continue;
    Look answer = look(next);
    if (answer == Look::stop) return true;
    if (answer == Look::enter) frames_.push_back({next, graph_.first_in(next)});
  }
  return false;
}

/// Looks for a way from d to y, then for nodes on it that every other way goes through as well.
DynamicDominators::Fate DynamicDominators::fate_of(Node y, Node d) {
  note_.clear();
  note_.set(y);
  bool is_reached = search_backward(y, d, [&](Node n) {
    if (n == d) return Look::stop;
    if (note_.has(n)) return Look::pass;
    note_.set(n);
    return Look::enter;
  });
  if (!is_reached) return Fate::is_lost;
  // The way is on the stack, y first. Places on it count from d; 0 is off the way.
  path_.clear();
  for (size_t i = frames_.size(); i-- > 0;) path_.push_back(frames_[i].node);
  uint32_t length = static_cast<uint32_t>(path_.size());
  if (length == 1) return Fate::stays;
  note_.clear();
  for (uint32_t i = 0; i < length; ++i) note_.set(path_[i], i + 1);
  uint32_t lowest = length - 1;
  for (uint32_t place = length; place > lowest; --place) {
    // Nodes above the lowest are passed by: what leads to them leads past the lowest.
    bool passes_all = search_backward(path_[place - 1], d, [&](Node n) {
      if (n == d) return Look::stop;
      if (!note_.has(n)) {
        note_.set(n, 0);
        return Look::enter;
      }
      if (note_[n] != 0) lowest = std::min(lowest, note_[n]);
      return Look::pass;
    });
    if (passes_all) return Fate::stays;
  }
  return Fate::moves;
}

/// Gives new places to what moves when those in `movers_` do.
void DynamicDominators::resettle(Node d) {
  size_t first_count = movers_.size();
  for (uint64_t budget = first_budget_;; budget *= 4) {
    moving_.clear();
    for (Node n : movers_) moving_.set(n);
    if (push_among_children(d, budget)) break;
    movers_.resize(first_count);
    moving_.clear();
    for (Node n : movers_) moving_.set(n);
    if (pull_among_children(d, budget)) break;
    movers_.resize(first_count);
  }
  if (movers_.size() == 1) {
    place_one(movers_[0], d);
  } else {
    place_again(d);
  }
}

/// Adds all that hangs on d and can be reached from `movers_`. False if the budget is too small.
bool DynamicDominators::push_among_children(Node d, uint64_t budget) {
  for (size_t i = 0; i < movers_.size(); ++i) {
    const bool is_done = for_each_way_out(
        movers_[i], budget, [&](Node n) { return doomed_.has(n); },
        [&](Node to) {
          if (idom(to) != d || moving_.has(to) || doomed_.has(to)) return;
          moving_.set(to);
          movers_.push_back(to);
        });
    if (!is_done) return false;
  }
  return true;
}

/// Looks whether `movers_` lead to any other node that hangs on d; if so, adds them all. False if the budget
/// is too small.
bool DynamicDominators::pull_among_children(Node d, uint64_t budget) {
  bool lead_on = false;
  uint64_t last_climbed = climbed_;
  for (Node child = first_child(d); !is_none(child); child = next_sibling(child)) {
    if (moving_.has(child) || doomed_.has(child)) continue;
    if (budget-- == 0) return false;
    for (EdgeId e = graph_.first_in(child); !is_none(e); e = graph_.next_in(e)) {
      if (budget-- == 0 || climbed_ - last_climbed > budget) return false;
      Node from = graph_.from(e);
      if (!takes_part(from)) continue;
      Node top = top_below(from, d);
      lead_on |= top != d && moving_.has(top);
    }
  }
  if (!lead_on) return true;
  for (Node child = first_child(d); !is_none(child); child = next_sibling(child)) {
    if (moving_.has(child) || doomed_.has(child)) continue;
    moving_.set(child);
    movers_.push_back(child);
  }
  return true;
}

/// y moves alone: to the nearest common dominator of the sources of its edges. The way from the first of them
/// up to d has places; the others climb until they come to it.
void DynamicDominators::place_one(Node y, Node d) {
  constexpr uint32_t below_y = 0;
  note_.clear();
  note_.set(y, below_y);
  path_.clear();
  uint32_t highest = 0;
  for (EdgeId e = graph_.first_in(y); !is_none(e); e = graph_.next_in(e)) {
    Node from = graph_.from(e);
    if (!takes_part(from)) continue;
    Node n = from;
    uint32_t place = below_y;
    if (path_.empty()) {
      for (; n != d && !note_.has(n); n = idom(n)) path_.push_back(n);
      if (n == d) {
        path_.push_back(d);
        for (uint32_t i = 0; i < path_.size(); ++i) note_.set(path_[i], i + 1);
        highest = 1;
        continue;
      }
      path_.clear();
    } else {
      while (!note_.has(n)) n = idom(n);
      place = note_[n];
    }
    for (; from != n; from = idom(from)) note_.set(from, place);
    highest = std::max(highest, place);
  }
  assert(highest != 0 && "a node without a way to it was to be placed");
  move(y, path_[highest - 1]);
}

/// Takes `n` into the small graph, with the nodes above it up to what is in it already.
void DynamicDominators::include(Node n) {
  while (!note_.has(n)) {
    note_.set(n, static_cast<uint32_t>(region_.size()));
    region_.push_back(n);
    if (moving_.has(n)) return;
    small_edges_.push_back({idom(n), n});
    n = idom(n);
  }
}

void DynamicDominators::place_again(Node d) {
  note_.clear();
  note_.set(d, 0);
  region_.assign(1, d);
  small_edges_.clear();
  for (Node n : movers_) {
    include(n);
    for (EdgeId e = graph_.first_in(n); !is_none(e); e = graph_.next_in(e)) {
      Node from = graph_.from(e);
      if (!takes_part(from)) continue;
      include(from);
      small_edges_.push_back({from, n});
    }
  }
  Graph small = Graph::build(region_.size(), Node{0}, [&](auto&& emit) {
    for (const Edge& edge : small_edges_) emit(Node{note_[edge.from]}, Node{note_[edge.to]});
  });
  Dominators dominators(small);
  for (Node n : movers_) {
    Node idom = region_[index(dominators.idom(Node{note_[n]}))];
    if (idom != d) move(n, idom);
  }
}

/// y and what it dominates become unreachable. What they lead to loses those edges.
void DynamicDominators::lose(Node y) {
  doomed_.clear();
  lost_.clear();
  for (Node n = y; !is_none(n); n = next_in_subtree(n, y)) {
    doomed_.set(n);
    lost_.push_back(n);
  }
  note_.clear();
  targets_.clear();
  for (Node n : lost_) {
    for (EdgeId e = graph_.first_out(n); !is_none(e); e = graph_.next_out(e)) {
      Node to = graph_.to(e);
      if (doomed_.has(to) || to == graph_.entry() || note_.has(to)) continue;
      note_.set(to);
      targets_.push_back(to);
    }
  }
  std::sort(targets_.begin(), targets_.end(),
            [&](Node a, Node b) { return std::pair(idom(a), a) < std::pair(idom(b), b); });
  for (size_t first = 0; first < targets_.size();) {
    Node d = idom(targets_[first]);
    size_t last = first;
    while (last < targets_.size() && idom(targets_[last]) == d) ++last;
    top_.clear();
    movers_.clear();
    // With many, looking at each of them may cost more than placing them all again.
    constexpr size_t many = 8;
    for (size_t i = first; i < last; ++i) {
      if (last - first > many || fate_of(targets_[i], d) == Fate::moves) movers_.push_back(targets_[i]);
    }
    if (!movers_.empty()) resettle(d);
    first = last;
  }
  detach(y);
  for (Node n : lost_) tree_[n] = {};
}

}  // namespace braid::flow
