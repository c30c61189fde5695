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
  size_t passed = order.insert(key_of(graph_, term));
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

/// Puts the terms of a sum in order.
void Chapter8::settle(NodeId n) {
  loose_.erase(index(n));
  orders_.erase(index(n));
  std::vector<SumOrder::Key> terms;
  NodeId at = n;
  for (; graph_.is(at, Op::add); at = graph_.input(at, 0)) terms.push_back(key_of(graph_, graph_.input(at, 1)));
  terms.push_back(key_of(graph_, at));
  std::stable_sort(terms.begin(), terms.end());
  NodeId sum = term_of(terms[0]);
  for (size_t i = 1; i + 1 < terms.size(); ++i) sum = make(NodeOp::add, sum, term_of(terms[i]));
  // These nodes were counted when the terms came.
  graph_.skip_numbers(2 - static_cast<int64_t>(terms.size()));
  NodeId last = term_of(terms.back());
  graph_.keep(last);
  graph_.set_input(n, 0, sum);
  graph_.set_input(n, 1, last);
  graph_.unkeep(last);
}

/// At the end, from the youngest to the oldest: most of the older ones were parts of younger ones and are gone then.
void Chapter8::settle_all() {
  std::vector<uint32_t> sums;
  for (const auto& [sum, last] : loose_) sums.push_back(sum);
  std::sort(sums.begin(), sums.end(), std::greater<>());
  for (uint32_t sum : sums)
    if (!graph_.is_dead(static_cast<NodeId>(sum))) settle(static_cast<NodeId>(sum));
  loose_.clear();
  orders_.clear();
}

}  // namespace braid::sea
