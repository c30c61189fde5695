// Regions, branches, projections and ends: what is never reached goes, what has one way only is that way.
#include <algorithm>

#include "sea/rewriter.h"

namespace braid::sea {

using ir::Op;

namespace {

/// So many of the latest uses of a condition are looked at for a branch that dominates. While a program is parsed, the
/// nearest of them is the last that is left: those below it were decided by it.
constexpr uint32_t most_tests = 8;

bool is_phi_user(const Graph& g, NodeId user, uint32_t number) {
  return number == 0 && (g.is(user, Op::phi) || g.is(user, Op::phi_c) || g.op(user) == NodeOp::effect_entry);
}

}  // namespace

NodeId Rewriter::dead_control() {
  if (is_none(dead_control_) || graph_.is_dead(dead_control_)) dead_control_ = graph_.make(NodeOp::region, none, {});
  types_.set(dead_control_, none);
  return dead_control_;
}

bool Rewriter::has_phis(NodeId region) const {
  bool found = false;
  graph_.for_each_use(region, [&](NodeId user, uint32_t number) {
    found = is_phi_user(graph_, user, number);
    return !found;
  });
  return found;
}

// ---- regions ----

Rewriter::Outcome Rewriter::step_region(NodeId n) {
  const uint32_t count = graph_.input_count(n);
  if (count == 0) return {};
  uint32_t open = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (is_none(graph_.input(n, i))) return {};
    open += types_.is_way_open(n, i) && graph_.input(n, i) != n;
  }
  bool entered = graph_.op(n) == NodeOp::region || types_.is_way_open(n, 0);
  if (open == 0 || !entered) {
    if (is_parsing() && has_phis(n)) return {};
    forget_phis(n);
    return {dead_control(), Rewrite::region_unreachable};
  }
  if (is_knot(n)) return {};
  if (open < count)
    if (Outcome o = drop_dead_ways(n)) return o;
  if (count == 1) return one_way(n);
  return meets_at_once(n);
}

Rewriter::Outcome Rewriter::step_reached_knot(NodeId n) {
  if (Outcome o = drop_dead_ways(n)) return o;
  return graph_.input_count(n) == 1 ? one_way(n) : Outcome{};
}

void Rewriter::find_knots() {
  enum : uint8_t { unseen, open, closed };
  std::vector<uint8_t> state(graph_.size(), unseen);
  struct Frame {
    NodeId node;
    uint32_t next;  ///< in `list_`
  };
  std::vector<Frame> frames;
  knots_.assign(graph_.size(), false);
  list_.clear();
  auto enter = [&](NodeId n) {
    state[index(n)] = open;
    frames.push_back({n, static_cast<uint32_t>(list_.size())});
    graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
      const NodeOp op = graph_.op(user);
      if (op == NodeOp::projection || is_region(op) || (number == 0 && splits_control(op))) list_.push_back(user);
    });
  };
  enter(graph_.start);
  while (!frames.empty()) {
    Frame& top = frames.back();
    if (list_.size() == top.next) {
      state[index(top.node)] = closed;
      frames.pop_back();
      continue;
    }
    NodeId to = list_.back();
    list_.pop_back();
    if (state[index(to)] == unseen)
      enter(to);
    else if (state[index(to)] == open && graph_.op(to) == NodeOp::region)
      knots_[index(to)] = true;
  }
}

/// Of the region and of its phis.
Rewriter::Outcome Rewriter::drop_dead_ways(NodeId n) {
  list_.clear();
  graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
    if (number == 0 && graph_.is(user, Op::phi)) list_.push_back(user);
  });
  bool dropped = false;
  for (uint32_t i = graph_.input_count(n); i-- > 0;) {
    if (types_.is_way_open(n, i)) continue;
    // The order of the ways matters only to those who read it; of a loop, the first stays the first.
    for (NodeId phi : list_)
      if (!graph_.is_dead(phi)) graph_.swap_remove_input(phi, i + 1);
    graph_.swap_remove_input(n, i);
    dropped = true;
  }
  if (!dropped) return {};
  return changed(n, Rewrite::region_dead_way);
}

Rewriter::Outcome Rewriter::one_way(NodeId n) {
  NodeId from = graph_.input(n, 0);
  bool collapses = true;
  list_.clear();
  graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
    if (!is_phi_user(graph_, user, number)) return;
    // The start of a handler stays one; while parsing, a scope may hold the phi.
    if (!graph_.is(user, Op::phi) || is_parsing()) collapses = false;
    list_.push_back(user);
  });
  if (!collapses) return {};
  for (NodeId phi : list_) {
    if (graph_.is_dead(phi)) continue;
    NodeId value = graph_.input(phi, 1);
    if (value == phi) value = graph_.make(NodeOp::undef, none, {});
    graph_.replace(phi, value);
  }
  return {from, Rewrite::region_one_way};
}

/// All ways in come straight from one branch, and no phi tells them apart: the branch decides nothing.
Rewriter::Outcome Rewriter::meets_at_once(NodeId n) {
  if (graph_.op(n) != NodeOp::region || has_phis(n)) return {};
  NodeId splitter = no_node;
  for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
    NodeId way = graph_.input(n, i);
    if (graph_.op(way) != NodeOp::projection || !graph_.has_one_use(way)) return {};
    NodeId from = graph_.input(way, 0);
    if (!is_none(splitter) && from != splitter) return {};
    splitter = from;
  }
  if (!graph_.is(splitter, Op::branch) && !graph_.is(splitter, Op::switch_)) return {};
  uint32_t ways = 0;
  graph_.for_each_use(splitter, [&](NodeId, uint32_t) { ++ways; });
  if (ways != graph_.input_count(n)) return {};
  return {graph_.input(splitter, 0), Rewrite::region_of_one_branch};
}

/// Nobody reads them at run time.
void Rewriter::forget_phis(NodeId region) {
  for (Graph::Use use : graph_.uses(region)) {
    if (graph_.is_dead(use.user) || !graph_.is(use.user, Op::phi) || use.number != 0) continue;
    graph_.replace(use.user, graph_.make(NodeOp::undef, none, {}));
  }
}

void Rewriter::make_unreachable(NodeId control) {
  graph_.keep(control);
  forget_phis(control);
  graph_.unkeep(control);
  graph_.replace(control, dead_control());
}

// ---- branches ----

/// Later, the branch decides for all its ways at once.
Rewriter::Outcome Rewriter::step_projection(NodeId n) {
  if (!is_parsing()) return {};
  if (types_.of(n) == none) return {dead_control(), Rewrite::branch_known};
  NodeId from = graph_.input(n, 0);
  if (!splits_control(graph_.op(from)) || !types_.known_way(from)) return {};
  return {graph_.input(from, 0), Rewrite::branch_known};
}

Rewriter::Outcome Rewriter::step_splitter(NodeId n) {
  if (is_parsing()) return graph_.is(n, Op::branch) ? same_test(n) : Outcome{};
  NodeId control = graph_.input(n, 0);
  const bool reached = types_.is_reachable(control);
  Maybe<uint32_t> way;
  if (reached) {
    way = types_.known_way(n);
    if (!way) return graph_.is(n, Op::branch) ? negated(n) : Outcome{};
  }
  bool replaced = false;
  for (Graph::Use use : graph_.uses(n)) {
    if (graph_.is_dead(use.user) || graph_.op(use.user) != NodeOp::projection) continue;
    graph_.replace(use.user, way && graph_.payload(use.user) == *way ? control : dead_control());
    replaced = true;
  }
  // Without ways out, an `enter` lives on by the uses of its token, which go with what they stand under.
  if (!replaced) return {};
  return changed(n, reached ? Rewrite::branch_known : Rewrite::branch_unreachable);
}

/// A branch above on the same condition, or on what it negates or is negated by. Only while parsing; later the walk over
/// the dominator tree finds more (sea/dominating_facts.h).
Rewriter::Outcome Rewriter::same_test(NodeId branch) {
  if (tree_ == nullptr) return {};
  NodeId control = graph_.input(branch, 0), condition = graph_.input(branch, 1);
  if (graph_.is_constant(condition) || is_dead_control(graph_, control)) return {};
  std::optional<bool> answer;
  auto ask = [&](NodeId asked, bool negated) {
    uint32_t left = most_tests;
    graph_.for_each_use_backwards(asked, [&](NodeId user, uint32_t number) {
      if (number == 1 && user != branch && graph_.is(user, Op::branch)) {
        graph_.for_each_use(user, [&](NodeId way, uint32_t) {
          if (graph_.op(way) == NodeOp::projection && tree_->dominates(way, control))
            answer = (graph_.payload(way) == 0) != negated;
        });
      }
      return !answer && --left > 0;
    });
  };
  ask(condition, false);
  if (!answer)
    if (NodeId inner = negation_of(condition); !is_none(inner)) ask(inner, true);
  if (!answer) {
    uint32_t left = most_tests;
    NodeId outer = no_node;
    graph_.for_each_use_backwards(condition, [&](NodeId user, uint32_t) {
      if (negation_of(user) == condition) outer = user;
      return is_none(outer) && --left > 0;
    });
    if (!is_none(outer)) ask(outer, true);
  }
  if (!answer) return {};
  const Kind kind = graph_.module().types.single_kind(graph_.type(condition)).value_or(Kind::i1);
  graph_.set_input(branch, 1, constant(kind, *answer, graph_.loc(branch)));
  return changed(branch, Rewrite::branch_same_test);
}

Rewriter::Outcome Rewriter::negated(NodeId branch) {
  NodeId condition = graph_.input(branch, 1);
  look_into(condition, branch);
  NodeId asked = negation_of(condition);
  if (is_none(asked)) return {};
  NodeId swapped = graph_.make(Op::branch, graph_.type(branch), {graph_.input(branch, 0), asked}, 0, graph_.loc(branch));
  types_.set(swapped, types_.compute(swapped));
  for (Graph::Use use : graph_.uses(branch)) {
    if (graph_.op(use.user) != NodeOp::projection) continue;
    NodeId way = graph_.make(NodeOp::projection, control_type, {swapped}, 1 - graph_.payload(use.user), graph_.loc(use.user));
    graph_.replace(use.user, way);
  }
  return changed(branch, Rewrite::branch_negated);
}

// ---- ends ----

/// Of very many ends, one after the other may die: all of them are looked at the first time, later those that have lost control.
Rewriter::Outcome Rewriter::step_stop(NodeId n) {
  std::vector<uint32_t> dead;
  if (!knows_ends_) {
    for (uint32_t i = 0; i < graph_.input_count(n); ++i)
      if (NodeId end = graph_.input(n, i); is_none(end) || has_lost_control(end)) dead.push_back(i);
    knows_ends_ = !is_parsing();
  }
  for (NodeId end : lost_ends_) {
    if (graph_.is_dead(end) || !has_lost_control(end)) continue;
    graph_.for_each_use(end, [&](NodeId user, uint32_t number) {
      if (user == n) dead.push_back(number);
    });
  }
  lost_ends_.clear();
  if (dead.empty()) return {};
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  for (uint32_t i : dead) graph_.set_input(n, i, no_node);
  gaps_ += static_cast<uint32_t>(dead.size());
  if (!leaves_gaps_ || 2 * gaps_ > graph_.input_count(n)) close_gaps();
  return changed(n, Rewrite::end_unreachable);
}

bool Rewriter::close_gaps() {
  if (gaps_ == 0) return false;
  const NodeId n = graph_.stop;
  const uint32_t count = graph_.input_count(n);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (NodeId end = graph_.input(n, i); !is_none(end)) graph_.set_input(n, kept++, end);
  for (uint32_t i = count; i-- > kept;) graph_.remove_input(n, i);
  gaps_ = 0;
  return true;
}

bool Rewriter::has_lost_control(NodeId end) const {
  const NodeId control = graph_.input(end, 0);
  return !is_none(control) && !types_.is_reachable(control);
}

Rewriter::Outcome Rewriter::step_upsilon(NodeId n) {
  if (is_parsing() || types_.of(n) != none) return {};
  NodeId phi = no_node;
  uint32_t number = 0;
  graph_.for_each_use(n, [&](NodeId user, uint32_t i) {
    if (!graph_.is(user, Op::phi_c) || i < 2) return;
    phi = user;
    number = i;
  });
  if (is_none(phi)) return {};
  graph_.remove_input(phi, number);
  return changed(n, Rewrite::upsilon_unreachable);
}

}  // namespace braid::sea
