// Long sums: see chapter8_sum.h. A sum is loose if its terms are not in order; then `loose_` knows which one is the last.
#include "sea/chapter8_sum.h"

#include "sea/chapter8.h"

namespace braid::sea {

using ir::Op;

namespace {

/// Phis stand left, younger nodes left of older ones. Constants and phis of them are never in a loose sum.
SumOrder::Key key_of(const Graph& graph, NodeId n) {
  return (SumOrder::Key{!graph.is(n, Op::phi)} << 32) | (0xffffffffu - index(n));
}
NodeId term_of(SumOrder::Key key) { return static_cast<NodeId>(0xffffffffu - static_cast<uint32_t>(key)); }

}  // namespace

NodeId Chapter8::last_term(NodeId sum) const {
  if (!loose_.empty())
    if (auto found = loose_.find(index(sum)); found != loose_.end()) return found->second;
  return graph_.input(sum, 1);
}

/// Whether `term` stands among the last terms of a sum that is in order so far.
bool Chapter8::belongs_near(NodeId sum, NodeId term) const {
  constexpr int near = 64;
  for (int steps = 0; steps < near; ++steps) {
    if (is_loose(sum)) return false;
    if (!goes_left(graph_.input(sum, 1), term)) return true;
    sum = graph_.input(sum, 0);
    if (!graph_.is(sum, Op::add)) return true;
  }
  return false;
}

SumOrder Chapter8::take_order(NodeId sum) {
  if (auto found = orders_.find(index(sum)); found != orders_.end()) {
    SumOrder order = std::move(found->second);
    orders_.erase(found);
    return order;
  }
  SumOrder order;
  for (; graph_.is(sum, Op::add); sum = graph_.input(sum, 0)) order.insert(key_of(graph_, graph_.input(sum, 1)));
  order.insert(key_of(graph_, sum));
  return order;
}

/// `n` is a sum and a term that belongs far to the left of it, but not to its left end twice. False if it does.
bool Chapter8::leave_loose(NodeId n) {
  NodeId sum = graph_.input(n, 0), term = graph_.input(n, 1);
  SumOrder order = take_order(sum);
  if (term_of(order.first()) == term) return false;
  NodeId last = term_of(order.last());
  // It passes each term by two nodes, but the one at the left end by changing sides.
  bool to_the_end = key_of(graph_, term) < order.first();
  size_t passed = order.insert(key_of(graph_, term)) - to_the_end;
  graph_.skip_numbers(static_cast<int64_t>(2 * passed));
  loose_.emplace(index(n), last);
  orders_.emplace(index(n), std::move(order));
  return true;
}

/// `n` is a sum and a term that belongs to its right end.
void Chapter8::note_right_end(NodeId n) {
  if (orders_.empty()) return;
  NodeId sum = graph_.input(n, 0), term = graph_.input(n, 1);
  if (!orders_.contains(index(sum)) || graph_.is_constant(term) || is_phi_of_constants(term)) return;
  SumOrder order = take_order(sum);
  order.insert(key_of(graph_, term));
  orders_.emplace(index(n), std::move(order));
}

/// Puts the terms of a sum in order, after those of the sums inside of it that others use, too: so that they go on sharing.
void Chapter8::settle(NodeId n) {
  std::vector<NodeId> shared;
  bool others_use = false;
  for (NodeId at = graph_.input(n, 0); graph_.is(at, Op::add); at = graph_.input(at, 0)) {
    others_use = others_use || !graph_.has_one_use(at);
    if (!others_use || !is_loose(at)) continue;
    shared.push_back(at);
    others_use = false;
  }
  for (size_t i = shared.size(); i-- > 0 && !is_over_;) settle_alone(shared[i]);
  if (!is_over_) settle_alone(n);
}

/// What stands left of all terms that move stays as it is, shared with older sums.
void Chapter8::settle_alone(NodeId n) {
  std::vector<SumOrder::Key> terms;
  SumOrder::Key leftmost = ~SumOrder::Key{0};
  size_t moving = 0;  // terms up to the lowest one that moves
  for (NodeId at = n; graph_.is(at, Op::add); at = graph_.input(at, 0)) {
    terms.push_back(key_of(graph_, graph_.input(at, 1)));
    if (!is_loose(at)) continue;
    leftmost = std::min(leftmost, terms.back());
    moving = terms.size();
  }
  terms.resize(moving);
  NodeId left = n;
  for (size_t i = 0; i < moving; ++i) left = graph_.input(left, 0);
  for (; graph_.is(left, Op::add) && key_of(graph_, graph_.input(left, 1)) > leftmost; left = graph_.input(left, 0))
    terms.push_back(key_of(graph_, graph_.input(left, 1)));
  if (!graph_.is(left, Op::add) && key_of(graph_, left) > leftmost) {
    terms.push_back(key_of(graph_, left));
    left = no_node;
  }
  loose_.erase(index(n));
  orders_.erase(index(n));
  std::sort(terms.begin(), terms.end());
  size_t next = 0;
  if (is_none(left)) left = term_of(terms[next++]);
  uint32_t before = graph_.size();
  for (; next + 1 < terms.size(); ++next) left = make(NodeOp::add, left, term_of(terms[next]));
  // These nodes were counted when the terms came.
  graph_.skip_numbers(int64_t{before} - int64_t{graph_.size()});
  NodeId last = term_of(terms.back());
  graph_.keep(last);
  graph_.set_input(n, 0, left);
  graph_.set_input(n, 1, last);
  graph_.unkeep(last);
  tell(Rewrite::chapter8_sum_sorted, n);
}

/// At the end. Those that are only part of another sum are put in order with it, and gone then.
void Chapter8::settle_all() {
  std::vector<uint32_t> sums;
  for (const auto& [sum, last] : loose_) sums.push_back(sum);
  std::sort(sums.begin(), sums.end());
  for (uint32_t sum : sums) {
    NodeId n = static_cast<NodeId>(sum);
    if (graph_.is_dead(n) || is_over_) continue;
    bool is_part = false;
    for (NodeId at = n; !is_part && graph_.has_one_use(at) && graph_.is(graph_.first_use(at).user, Op::add);) {
      at = graph_.first_use(at).user;
      is_part = is_loose(at);
    }
    if (!is_part) settle_alone(n);
  }
  loose_.clear();
  orders_.clear();
}

}  // namespace braid::sea
