// Insertion of an edge: see flow/dynamic_dominators.h.
#include "flow/dominators.h"
#include "flow/dynamic_dominators.h"

namespace braid::flow {
namespace {

constexpr uint32_t none = 0xffffffffu;
constexpr uint32_t on_the_way_from_x = none;

}  // namespace

EdgeId DynamicDominators::insert_edge(Node from, Node to) {
  EdgeId e = graph_.insert_edge(from, to);
  if (!is_reachable(from)) return e;
  if (is_reachable(to)) {
    insert_reachable(from, to);
  } else {
    reach(from, to);
  }
  return e;
}

/// The nearest common dominator, by climbing from both sides in turn. `path_` holds the nodes from `y` up to
/// it, without it; `note_` the place on the path.
Node DynamicDominators::meet(Node x, Node y) {
  note_.clear();
  path_.clear();
  for (;;) {
    if (!is_none(y)) {
      if (note_.has(y)) return y;
      note_.set(y, static_cast<uint32_t>(path_.size()));
      path_.push_back(y);
      y = idom(y);
    }
    if (!is_none(x)) {
      if (note_.has(x)) {
        path_.resize(note_[x]);
        return x;
      }
      note_.set(x, on_the_way_from_x);
      x = idom(x);
    }
  }
}

void DynamicDominators::insert_reachable(Node x, Node y) {
  Node common = meet(x, y);
  if (path_.size() < 2) return;  // y or its immediate dominator, which stays
  bool may_pull = true;
  for (uint64_t budget = first_budget_; !push_from_moving(budget); budget *= 4) {
    Pulled pulled = may_pull ? pull_into_path(budget) : Pulled::others;
    if (pulled == Pulled::y_alone) {
      movers_.assign(1, y);
      break;
    }
    may_pull = pulled == Pulled::too_much;
  }
  for (Node n : movers_) move(n, common);
}

/// Gathers what moves in `movers_`, from the edges out of the subtrees of moving nodes. False if the budget
/// is too small. A root that hangs on the path at some place lets only nodes move that hang there or further
/// up: from it, those further down are only reached through their dominators.
bool DynamicDominators::push_from_moving(uint64_t budget) {
  uint32_t length = static_cast<uint32_t>(path_.size());
  movers_.clear();
  next_mover_.clear();
  moving_.clear();
  first_mover_.assign(length, none);
  auto add = [&](Node n, uint32_t place) {
    moving_.set(n);
    next_mover_.push_back(first_mover_[place]);
    first_mover_[place] = static_cast<uint32_t>(movers_.size());
    movers_.push_back(n);
  };
  add(path_[0], 1);
  for (uint32_t place = 1; place < length; ++place) {
    while (first_mover_[place] != none) {
      uint32_t mover = first_mover_[place];
      first_mover_[place] = next_mover_[mover];
      const Node root = movers_[mover];
      const bool is_done = for_each_way_out(
          root, budget, [&](Node n) { return n != root && moving_.has(n); },
          [&](Node to) {
            Node above = idom(to);
            if (is_none(above) || !note_.has(above) || moving_.has(to)) return;
            uint32_t its_place = note_[above];
            if (its_place >= place && its_place < length) add(to, its_place);
          });
      if (!is_done) return false;
    }
  }
  return true;
}

/// Whether any other node that hangs on the path has an edge from below y.
DynamicDominators::Pulled DynamicDominators::pull_into_path(uint64_t budget) {
  Node y = path_[0];
  NodeNotes& is_elsewhere = top_;
  is_elsewhere.clear();
  for (size_t place = 1; place < path_.size(); ++place) {
    for (Node child = first_child(path_[place]); !is_none(child); child = next_sibling(child)) {
      if (child == y) continue;
      if (budget-- == 0) return Pulled::too_much;
      for (EdgeId e = graph_.first_in(child); !is_none(e); e = graph_.next_in(e)) {
        if (budget-- == 0) return Pulled::too_much;
        Node n = graph_.from(e);
        if (!is_reachable(n)) continue;
        for (; n != y && !is_none(n) && !note_.has(n) && !is_elsewhere.has(n); n = idom(n)) {
          if (budget-- == 0) return Pulled::too_much;
          is_elsewhere.set(n);
        }
        if (n == y) return Pulled::others;
      }
    }
  }
  return Pulled::y_alone;
}

/// The first edge to an unreachable node: what it leads to gets a tree of its own, below x. Edges that lead
/// from there into what was reachable are then insertions like others; that searches see them before their
/// turn does no harm, because the searches ask them only about nodes whose place they do not change.
void DynamicDominators::reach(Node x, Node y) {
  note_.clear();
  region_.assign(1, y);
  leaving_.clear();
  note_.set(y, 0);
  for (size_t i = 0; i < region_.size(); ++i) {
    for (EdgeId e = graph_.first_out(region_[i]); !is_none(e); e = graph_.next_out(e)) {
      Node to = graph_.to(e);
      if (is_reachable(to)) {
        leaving_.push_back(e);
      } else if (!note_.has(to)) {
        note_.set(to, static_cast<uint32_t>(region_.size()));
        region_.push_back(to);
      }
    }
  }
  attach(y, x);
  if (region_.size() > 1) {
    Graph small = Graph::build(region_.size(), Node{0}, [&](auto&& emit) {
      for (uint32_t i = 0; i < region_.size(); ++i) {
        for (EdgeId e = graph_.first_out(region_[i]); !is_none(e); e = graph_.next_out(e)) {
          if (note_.has(graph_.to(e))) emit(Node{i}, Node{note_[graph_.to(e)]});
        }
      }
    });
    Dominators dominators(small);
    for (uint32_t i = 1; i < region_.size(); ++i)
      attach(region_[i], region_[index(dominators.idom(Node{i}))]);
  }
  for (EdgeId e : leaving_) insert_reachable(graph_.from(e), graph_.to(e));
}

}  // namespace braid::flow
