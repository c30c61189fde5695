// Control: regions, branches and their projections, and the dominating tests.
#include "sea/chapter8.h"

namespace braid::sea {

using ir::Op;

// ---- dominators ----
//
// The original walks up both ways into a region by depth, but loops have depth 0, so that the walk gives up behind some of
// them. What is found decides which tests fold, so the same is found here; but up to the next node of depth 0, which a walk
// leaves only together, it meets where the tree of dominators says, and that is asked at once.

void Chapter8::add_control(NodeId n, NodeId dominator, uint32_t depth) {
  tree_.add(n, dominator);
  controls_.push_back({dominator, depth, depth == 0 ? n : is_none(dominator) ? no_node : control(dominator).zero});
}

NodeId Chapter8::dominator_of_two(NodeId a, NodeId b) {
  while (a != b) {
    if (is_none(a) || is_none(b)) return no_node;
    const Control &from_a = control(a), &from_b = control(b);
    if (from_a.depth == 0 && from_b.depth == 0) {
      a = from_a.dominator;
      b = from_b.dominator;
    } else if (from_a.depth > 0 && from_b.depth > 0 && from_a.zero == from_b.zero) {
      return tree_.common(a, b);
    } else {
      a = from_a.zero;
      b = from_b.zero;
    }
  }
  return a;
}

void Chapter8::know_region(NodeId n) {
  NodeId dominator = no_node;
  if (graph_.input_count(n) == 2)
    dominator = dominator_of_two(control(graph_.input(n, 0)).dominator, control(graph_.input(n, 1)).dominator);
  add_control(n, dominator, is_none(dominator) ? 0 : control(dominator).depth + 1);
}

void Chapter8::know(NodeId n) {
  if (graph_.note(n) != index(no_node)) return;
  NodeId start = graph_.start;
  if (graph_.note(start) == index(no_node)) add_control(start, no_node, 0);
  if (graph_.op(n) == NodeOp::region) return add_control(n, start, 1);
  NodeId before = graph_.input(n, 0);
  add_control(n, before, graph_.op(n) == NodeOp::loop ? 0 : control(before).depth + 1);
  if (graph_.is(n, Op::branch)) control(n).decision = decide(n);
}

Chapter8::Decision Chapter8::decide(NodeId branch) {
  constexpr uint32_t most_tests = 256, most_uses = 1 << 16;
  if (is_dead_control(graph_.input(branch, 0))) return Decision::neither;
  NodeId condition = graph_.input(branch, 1);
  if (has_value(condition)) return bits(condition) == 0 ? Decision::no : Decision::yes;
  NodeId nearest = no_node;
  uint32_t tests = 0, uses = 0;
  graph_.for_each_use_backwards(condition, [&](NodeId user, uint32_t) {
    if (graph_.is(user, Op::branch) && user != branch && graph_.note(user) != index(no_node)) {
      if (tree_.dominates(user, branch)) nearest = user;
      ++tests;
    }
    return is_none(nearest) && tests < most_tests && ++uses < most_uses;
  });
  if (is_none(nearest)) return Decision::both;
  NodeId below = tree_.ancestor(branch, tree_.depth(nearest) + 1);
  if (graph_.op(below) != NodeOp::projection) return control(nearest).decision;
  return graph_.payload(below) == 0 ? Decision::yes : Decision::no;
}

// ---- rules ----

NodeId Chapter8::step_projection(NodeId n) {
  NodeId from = graph_.input(n, 0);
  if (!graph_.is(from, Op::branch)) {
    know(n);
    return no_node;
  }
  if (graph_.note(n) != index(no_node)) return no_node;
  const Decision decision = control(from).decision;
  if (decision == Decision::both) {
    know(n);
    return no_node;
  }
  const bool taken = decision == (graph_.payload(n) == 0 ? Decision::yes : Decision::no);
  const Rewrite rewrite = decision == Decision::neither            ? Rewrite::chapter8_branch_unreachable
                          : has_value(graph_.input(from, 1)) ? Rewrite::chapter8_branch_known
                                                                      : Rewrite::chapter8_branch_same_test;
  if (graph_.payload(n) == 0) {
    tell(rewrite, n);
    decided_ = from;
  }
  frames_.push_back({Frame::Kind::replaced, n});
  return taken ? graph_.input(from, 0) : graph_.make(NodeOp::region, none, {});
}

NodeId Chapter8::step_region(NodeId n) {
  if (graph_.note(n) != index(no_node)) return no_node;
  uint32_t count = graph_.input_count(n);
  if (count == 0) {
    know(n);
    return no_node;
  }
  uint32_t dead = count, live = 0;
  for (uint32_t i = count; i-- > 0;) {
    if (is_dead_control(graph_.input(n, i)))
      dead = i;
    else
      ++live;
  }
  if (live == 0) {
    graph_.set_type(n, none);
    return becomes(n, graph_.make(NodeOp::region, none, {}), Rewrite::chapter8_region_unreachable);
  }
  if (dead == count) {
    know_region(n);
    return no_node;
  }
  std::vector<NodeId> phis;
  graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
    if (graph_.is(user, Op::phi) && number == 0) phis.push_back(user);
  });
  for (NodeId phi : phis)
    if (!graph_.is_dead(phi)) graph_.swap_remove_input(phi, dead + 1);
  graph_.swap_remove_input(n, dead);
  tell(Rewrite::chapter8_region_dead_way, n);
  if (count > 2) return n;
  if (is_over_) return no_node;
  // One way in, and so one value for each phi: they are gone already, unless all ways but a dead one came later.
  if (graph_.has_uses(n) && !phis.empty()) {
    know_region(n);
    return no_node;
  }
  return becomes(n, graph_.input(n, 0), Rewrite::chapter8_region_one_way);
}

/// One that is closed is looked at again only where something becomes it: a branch behind it that was decided, or a join.
NodeId Chapter8::step_loop(NodeId n) {
  know(n);
  if (in_progress(n)) return no_node;
  if (is_dead_control(graph_.input(n, 0))) {
    graph_.set_type(n, none);
    return becomes(n, graph_.make(NodeOp::region, none, {}), Rewrite::chapter8_region_unreachable);
  }
  bool has_phis = false;
  graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
    has_phis = number == 0 && graph_.is(user, Op::phi);
    return !has_phis;
  });
  // The original gives up where phis are left.
  if (has_phis || !is_dead_control(graph_.input(n, 1))) return no_node;
  return becomes(n, graph_.input(n, 0), Rewrite::chapter8_region_one_way);
}

NodeId Chapter8::step_stop(NodeId n) {
  settle_since(graph_.start);
  for (uint32_t i = 0; i < graph_.input_count(n) && !is_over_;) {
    if (graph_.type(graph_.input(n, i)).is_none()) {
      tell(Rewrite::chapter8_end_unreachable, graph_.input(n, i));
      graph_.swap_remove_input(n, i);
    } else {
      ++i;
    }
  }
  return no_node;
}

}  // namespace braid::sea
