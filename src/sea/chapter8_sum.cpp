// Long sums: see chapter8_sum.h. A sum is loose if its terms are not in order; then `loose_` knows which one is the last.
#include "sea/chapter8_sum.h"

#include <limits>

#include "sea/chapter8.h"

namespace braid::sea {

using ir::Op;

namespace {

/// Phis stand left, younger nodes left of older ones. Constants and phis of them are never in a loose sum.
SumOrder::Key key_of(const Graph& graph, NodeId n) {
  return (SumOrder::Key{!graph.is(n, Op::phi)} << 32) | (0xffffffffu - index(n));
}
constexpr size_t everything = std::numeric_limits<size_t>::max();
NodeId term_of(SumOrder::Key key) { return static_cast<NodeId>(0xffffffffu - static_cast<uint32_t>(key)); }

}  // namespace

NodeId Chapter8::last_term(NodeId sum) const {
  if (!loose_.empty())
    if (auto found = loose_.find(index(sum)); found != loose_.end()) return found->second.last;
  return graph_.input(sum, 1);
}

/// Whether `term` stands among the last terms of a sum that is in order so far.
bool Chapter8::belongs_near(NodeId sum, NodeId term) const {
  for (uint32_t steps = 0; steps < near_; ++steps) {
    if (is_loose(sum)) return false;
    if (!goes_left(graph_.input(sum, 1), term)) return true;
    sum = graph_.input(sum, 0);
    if (!graph_.is(sum, Op::add)) return true;
  }
  return false;
}

bool Chapter8::is_long(NodeId sum) const {
  uint32_t terms = 1;
  for (; terms <= near_ && graph_.is(sum, Op::add) && !is_loose(sum); sum = graph_.input(sum, 0)) ++terms;
  return terms > near_ || is_loose(sum);
}

bool Chapter8::ends_in_constants(NodeId sum) const {
  if (is_loose(sum)) return false;
  NodeId right = graph_.input(sum, 1);
  return has_value(right) || is_phi_of_constants(right);
}

/// Of all terms, in no order, or of so many of them.
std::vector<SumOrder::Key> Chapter8::keys_of(NodeId sum, size_t most) const {
  std::vector<SumOrder::Key> keys;
  std::vector<NodeId> sums{sum};
  while (!sums.empty() && keys.size() < most) {
    NodeId at = sums.back();
    sums.pop_back();
    for (; graph_.is(at, Op::add) && keys.size() < most; at = graph_.input(at, 0)) {
      auto loose = loose_.find(index(at));
      if (loose != loose_.end() && loose->second.is_of_sums)
        sums.push_back(graph_.input(at, 1));
      else
        keys.push_back(key_of(graph_, graph_.input(at, 1)));
    }
    keys.push_back(key_of(graph_, at));
  }
  return keys;
}

/// Whether the terms are where the original would bring them. They may not be behind a loop, when its phis have become something else.
bool Chapter8::is_in_order(NodeId sum) const {
  SumOrder::Key right = ~SumOrder::Key{0};
  for (;; sum = graph_.input(sum, 0)) {
    if (is_loose(sum)) return key_of(graph_, last_term(sum)) <= right;
    const bool is_left_end = !graph_.is(sum, Op::add);
    const NodeId term = is_left_end ? sum : graph_.input(sum, 1);
    const SumOrder::Key key = key_of(graph_, term);
    if (key > right || graph_.is(term, Op::add) || has_value(term) || is_phi_of_constants(term)) return false;
    if (is_left_end) return true;
    right = key;
  }
}

SumOrder Chapter8::take_order(NodeId sum) {
  if (auto found = orders_.find(index(sum)); found != orders_.end()) {
    SumOrder order = std::move(found->second);
    orders_.erase(found);
    return order;
  }
  SumOrder order;
  for (SumOrder::Key key : keys_of(sum, everything)) order.insert(key);
  return order;
}

void Chapter8::keep_loose(NodeId n, Loose loose, SumOrder order) {
  loose_.emplace(index(n), loose);
  keep_order(n, std::move(order));
}

void Chapter8::keep_order(NodeId n, SumOrder order) {
  orders_.emplace(index(n), std::move(order));
  young_.push_back(index(n));
}

/// `n` is a sum and a term that belongs far to the left of it, but not to its left end twice. False if it does.
bool Chapter8::leave_loose(NodeId n) {
  NodeId sum = graph_.input(n, 0), term = graph_.input(n, 1);
  if (!orders_.contains(index(sum)) && !is_in_order(sum)) return false;
  SumOrder order = take_order(sum);
  if (term_of(order.first()) == term) return false;
  NodeId last = term_of(order.last());
  // It passes each term by two nodes, but the one at the left end by changing sides.
  bool to_the_end = key_of(graph_, term) < order.first();
  size_t passed = order.insert(key_of(graph_, term)) - to_the_end;
  graph_.skip_numbers(static_cast<int64_t>(2 * passed));
  keep_loose(n, {last, false}, std::move(order));
  return true;
}

/// `n` adds two sums, of which the right one is long and does not end in constants. The original takes that one apart and
/// brings its terms to their places in the left one. If the left one is shorter, both stay as they are, in a loose sum: `n`, or
/// what is under the constants at the end of `n`, which then is the answer's left side. None if the terms have to go.
NodeId Chapter8::merge_loose(NodeId n) {
  NodeId left = graph_.input(n, 0), right = graph_.input(n, 1);
  const bool has_end = ends_in_constants(left);
  const NodeId body = has_end ? graph_.input(left, 0) : left;
  may_merge_ = false;  // if not these, then no parts of them
  if (!is_long(right) || (graph_.is(body, Op::add) && ends_in_constants(body))) return no_node;
  const bool is_known = orders_.contains(index(right));
  if (!is_known && !is_in_order(right)) return no_node;
  SumOrder order = take_order(right);
  const size_t count = order.size();
  std::vector<SumOrder::Key> keys = keys_of(body, count);
  std::sort(keys.begin(), keys.end());
  // Like meets like at the left end: the two become a product.
  const bool meets = order.first() == keys.front() || (order.first() < keys.front() && order.second() == order.first());
  if (keys.size() >= count || meets || !is_in_order(body)) {
    if (is_known) orders_.emplace(index(right), std::move(order));
    return no_node;
  }
  may_merge_ = true;
  const bool to_the_end = order.first() < keys.front();
  size_t passed = (has_end ? count : 0) - to_the_end;
  for (SumOrder::Key key : keys) passed += order.count_below(key);
  const NodeId last = term_of(std::max(order.last(), keys.back()));
  for (SumOrder::Key key : keys) order.insert(key);
  // Each term of the right sum passes others by two nodes, and all but one are taken from it and put to the left one by two more.
  graph_.skip_numbers(static_cast<int64_t>(2 * (passed + count - 1)) - (has_end ? 2 : 0));
  NodeId merged = n;
  if (has_end) {
    tell(Rewrite::chapter8_sum_order, n);
    frames_.push_back({Frame::Kind::replaced, n});
    frames_.push_back({Frame::Kind::add_right, graph_.input(left, 1)});
    merged = make(node_op(Op::add), body, right);
  }
  keep_loose(merged, {last, true}, std::move(order));
  return merged;
}

/// `n` is a sum and a term that belongs to its right end.
void Chapter8::note_right_end(NodeId n) {
  if (orders_.empty()) return;
  NodeId sum = graph_.input(n, 0), term = graph_.input(n, 1);
  if (!orders_.contains(index(sum)) || has_value(term) || is_phi_of_constants(term)) return;
  SumOrder order = take_order(sum);
  order.insert(key_of(graph_, term));
  keep_order(n, std::move(order));
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
  NodeId left = n;    // what is under them
  for (NodeId at = n; graph_.is(at, Op::add); at = graph_.input(at, 0)) {
    auto loose = loose_.find(index(at));
    size_t before = terms.size();
    if (loose != loose_.end() && loose->second.is_of_sums) {
      std::vector<SumOrder::Key> keys = keys_of(graph_.input(at, 1), everything);
      terms.insert(terms.end(), keys.begin(), keys.end());
    } else {
      terms.push_back(key_of(graph_, graph_.input(at, 1)));
    }
    if (loose == loose_.end()) continue;
    leftmost = std::min(leftmost, *std::min_element(terms.begin() + static_cast<std::ptrdiff_t>(before), terms.end()));
    moving = terms.size();
    left = graph_.input(at, 0);
  }
  terms.resize(moving);
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

/// None if there are several. What nobody uses is only held, as all that a name has stood for is.
NodeId Chapter8::only_user(NodeId n) const {
  NodeId only = no_node;
  bool several = false;
  graph_.for_each_use(n, [&](NodeId user, uint32_t) {
    if (!graph_.has_uses(user)) return true;
    several = !is_none(only);
    only = user;
    return !several;
  });
  return several ? no_node : only;
}

/// Those that are younger than `oldest`: all of them at the end, and at the end of a loop those in it, before its phis become
/// something else. Those that are only part of another sum are put in order with it, and gone then.
void Chapter8::settle_since(NodeId oldest) {
  std::vector<uint32_t> sums;
  if (oldest == graph_.start) sums.swap(parts_);
  for (; !young_.empty() && young_.back() > index(oldest); young_.pop_back()) sums.push_back(young_.back());
  std::sort(sums.begin(), sums.end());
  std::vector<NodeId> held;  // parts, but for what names stand for or have stood for
  for (uint32_t sum : sums) {
    NodeId n = static_cast<NodeId>(sum);
    orders_.erase(sum);
    if (graph_.is_dead(n) || !is_loose(n) || is_over_) continue;
    bool is_part = false, is_held = false;
    for (NodeId at = n; !is_part;) {
      is_held = is_held || !graph_.has_one_use(at);
      at = only_user(at);
      if (is_none(at) || !graph_.is(at, Op::add)) break;
      is_part = is_loose(at);
    }
    if (!is_part)
      settle_alone(n);
    else if (is_held)
      held.push_back(n);
  }
  // All that a name has stood for would be n*n: the last ones, then, within what the loop has made itself.
  const uint64_t most = uint64_t{graph_.size()} + 16 * uint64_t{graph_.size() - index(oldest)};
  for (size_t i = held.size(); i-- > 0 && graph_.size() < most && !is_over_;)
    if (!graph_.is_dead(held[i]) && is_loose(held[i])) settle_alone(held[i]);
  // A name may still hold a part; at the end it is no part any more, or gone.
  for (uint32_t sum : sums)
    if (is_loose(static_cast<NodeId>(sum)) && !graph_.is_dead(static_cast<NodeId>(sum))) parts_.push_back(sum);
}

}  // namespace braid::sea
