#include "sea/sum_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "ir/bits.h"
#include "sea/layout.h"

namespace braid::sea {

using ir::Op;

namespace {

constexpr uint32_t most_uses = 24;
constexpr size_t most_multiples = 4;
constexpr uint32_t too_dear = 0xffffffffu;

/// An operation on a value and another, or a number.
struct Recipe {
  Op op;
  NodeId left, right = no_node;
  uint64_t number = 0;
  bool by_number = false;
};
/// To put them together.
template <typename Values>
uint32_t additions(const Values& values) {
  return values.empty() ? 0 : static_cast<uint32_t>(values.size()) - 1;
}
Recipe by_number(Op op, NodeId value, uint64_t number) { return {op, value, no_node, number, true}; }

}  // namespace

void SumPlan::begin(Kind kind, std::span<const NodeId> tops, std::span<const NodeId> dying) {
  kind_ = kind;
  width_ = bit_width(kind);
  tops_ = tops;
  dying_ = dying;
  counted_ = 0;
  for (size_t k = 0; k < dying.size(); ++k) {
    spared_with_[k] = 0;
    if (is_top(dying[k])) continue;
    spared_with_[k] = uint64_t{1} << k;
    if (counts_constants_ || !graph_.is_constant(dying[k])) counted_ |= uint64_t{1} << k;
    for (uint32_t i = 0; i < graph_.input_count(dying[k]); ++i)
      if (const NodeId input = graph_.input(dying[k], i); !is_none(input) && !is_top(input))
        if (const size_t place = place_of_dying(input); place < most_dying) spared_with_[k] |= uint64_t{1} << place;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = 0; k < dying.size(); ++k) {
      const uint64_t before = spared_with_[k];
      for (uint64_t left = before; left != 0; left &= left - 1)
        spared_with_[k] |= spared_with_[static_cast<size_t>(std::countr_zero(left))];
      changed = changed || spared_with_[k] != before;
    }
  }
}

void SumPlan::clear() {
  go_back({});
  results_.clear();
  phis_.clear();
}

// ---- prices ----

void SumPlan::go_back(const Mark& mark) {
  steps_.resize(mark.steps);
  spared_ = mark.spared;
  price_of_steps_ = mark.price_of_steps;
  price_of_spared_ = mark.price_of_spared;
}

template <typename Way>
void SumPlan::cheapest(uint32_t count, Way&& way, uint32_t least) {
  uint32_t best = 0, best_price = too_dear;
  least += price();
  for (uint32_t i = 0; i < count && count > 1; ++i) {
    const Mark before = mark();
    const uint32_t still_to_come = way(i);
    if (const uint32_t all = price() + still_to_come; all < best_price) {
      best = i;
      best_price = all;
      if (all == least && still_to_come == 0) return;
    }
    go_back(before);
  }
  way(best);
}

size_t SumPlan::place_of_dying(NodeId n) const {
  const auto at = std::ranges::lower_bound(dying_, n);
  return at != dying_.end() && *at == n ? static_cast<size_t>(at - dying_.begin()) : most_dying;
}
bool SumPlan::is_top(NodeId n) const { return std::ranges::find(tops_, n) != tops_.end(); }

void SumPlan::spare(NodeId n) {
  const size_t place = place_of_dying(n);
  if (place == most_dying) return;
  const uint64_t fresh = spared_with_[place] & ~spared_;
  spared_ |= fresh;
  price_of_spared_ += static_cast<uint32_t>(std::popcount(fresh & counted_));
}

NodeId SumPlan::used(NodeId n) {
  if (!is_step(n)) spare(n);
  return n;
}

// ---- nodes ----

uint64_t SumPlan::canonical(uint64_t bits) const { return ir::canonical(kind_, bits); }
bool SumPlan::is_constant(NodeId n) const {
  return is_step(n) ? steps_[number_of_step(n)].op == NodeOp::constant : graph_.is_constant(n);
}

NodeId SumPlan::step(const Step& step) {
  const auto known = std::ranges::find(steps_, step);
  const auto number = static_cast<uint32_t>(known - steps_.begin());
  if (known == steps_.end()) {
    steps_.push_back(step);
    price_of_steps_ += counts_constants_ || step.op != NodeOp::constant;
  }
  return static_cast<NodeId>(graph_.size() + number);
}

NodeId SumPlan::constant(uint64_t bits) {
  const NodeId known = graph_.find_constant(of(kind_), canonical(bits));
  return is_none(known) ? step({NodeOp::constant, no_node, no_node, canonical(bits)}) : used(known);
}

/// The node that is there, or none.
NodeId SumPlan::find(NodeOp op, NodeId left, NodeId right) const {
  if (is_step(left) || (!is_none(right) && is_step(right))) return no_node;
  NodeId found = no_node;
  uint32_t seen = 0;
  const NodeId by = is_none(right) || graph_.is_constant(right) ? left : right;
  const bool turns = has(op, commuting);
  graph_.for_each_use(by, [&](NodeId user, uint32_t) {
    const bool is_alike = graph_.op(user) == op && !is_top(user) &&
                          (is_comparison(op) || graph_.module().types.single_kind(graph_.type(user)) == kind_);
    if (!is_alike) return ++seen < most_uses;
    const NodeId a = graph_.input(user, 0), b = graph_.input_count(user) == 2 ? graph_.input(user, 1) : no_node;
    if ((a == left && b == right) || (turns && a == right && b == left)) found = user;
    return is_none(found) && ++seen < most_uses;
  });
  return found;
}

NodeId SumPlan::make(Op op, NodeId left, NodeId right) {
  const NodeOp node = node_op(op);
  if (has(node, commuting) && (is_constant(left) || (index(left) > index(right) && !is_constant(right)))) std::swap(left, right);
  const NodeId known = find(node, left, right);
  if (!is_none(known)) return used(known);
  used(left);
  if (!is_none(right)) used(right);
  return step({node, left, right});
}

/// Or the value, if it is the same on all ways.
NodeId SumPlan::phi(const LinearForm::Column& column, std::span<const NodeId> values) {
  if (std::ranges::all_of(values, [&](NodeId value) { return value == values[0]; })) return values[0];
  PlannedPhi planned{column.region, column.like, {values.begin(), values.end()}};
  NodeId found = no_node;
  uint32_t seen = 0;
  graph_.for_each_use(column.region, [&](NodeId user, uint32_t number) {
    bool same = number == 0 && graph_.is(user, Op::phi);
    for (uint32_t i = 0; same && i < planned.values.size(); ++i) same = graph_.input(user, i + 1) == planned.values[i];
    if (same) found = user;
    return !same && ++seen < most_uses;
  });
  if (!is_none(found)) return used(found);
  uint64_t number = 0;
  while (number < phis_.size() && (phis_[number].region != planned.region || phis_[number].values != planned.values)) ++number;
  if (number == phis_.size()) phis_.push_back(std::move(planned));
  return step({node_op(Op::phi), no_node, no_node, number});
}

// ---- multiples ----

void SumPlan::find_multiples(NodeId value) {
  multiples_.clear();
  auto add = [&](NodeId n, NodeOp op, uint64_t number) {
    uint64_t factor = 0;
    if (op == Op::mul) factor = number;
    if (op == Op::shl && number < static_cast<uint64_t>(width_)) factor = uint64_t{1} << number;
    if (op == Op::add) factor = 2;
    if (op == Op::neg) factor = ~uint64_t{0};
    factor = canonical(factor);
    if (factor > 1 && multiples_.size() < most_multiples) multiples_.push_back({n, factor});
  };
  for (size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    if (step.left != value) continue;
    const NodeId n = static_cast<NodeId>(graph_.size() + k);
    if (step.op == Op::neg || step.right == value) add(n, step.op, 0);
    if (is_none(step.right) || !is_constant(step.right) || step.op == Op::add || step.op == Op::sub) continue;
    add(n, step.op, is_step(step.right) ? steps_[number_of_step(step.right)].bits : graph_.constant_value(step.right).bits);
  }
  if (is_step(value)) return;
  uint32_t seen = 0;
  graph_.for_each_use(value, [&](NodeId user, uint32_t number) {
    if (number == 0 && !is_top(user) && graph_.module().types.single_kind(graph_.type(user)) == kind_) {
      const NodeOp op = graph_.op(user);
      if (op == Op::neg || (op == Op::add && graph_.input(user, 1) == value))
        add(user, op, 0);
      else if ((op == Op::mul || op == Op::shl) && graph_.is_constant(graph_.input(user, 1)))
        add(user, op, graph_.constant_value(graph_.input(user, 1)).bits);
    }
    return ++seen < most_uses;
  });
}

/// The value times a number, which is not 0.
NodeId SumPlan::multiple(NodeId value, uint64_t factor) {
  if (factor == 1) return used(value);
  const uint64_t sign = canonical(~uint64_t{0});
  std::vector<Recipe> recipes;
  auto scale = [&](NodeId n, uint64_t by) {
    if (by == sign) return recipes.push_back({Op::neg, n});
    const uint64_t unsigned_bits = by & (~uint64_t{0} >> (64 - width_));
    if (std::has_single_bit(unsigned_bits))
      recipes.push_back(by_number(Op::shl, n, static_cast<uint64_t>(std::countr_zero(unsigned_bits))));
    recipes.push_back(by_number(Op::mul, n, by));
  };
  if (factor == 2) recipes.push_back({Op::add, value, value});
  scale(value, factor);
  uint32_t least = 1;
  for (const Term& known : multiples_) {
    const NodeId n = known.value;
    const auto by = static_cast<int64_t>(known.factor), wanted = static_cast<int64_t>(factor);
    if (by == wanted) {
      // If it is dying, it has been weighed: to make it costs as much as to keep it.
      if (!is_dying(n)) return used(n);
      least = 0;
      continue;
    }
    if (canonical(known.factor + 1) == factor) recipes.push_back({Op::add, n, value});
    if (canonical(known.factor - 1) == factor) recipes.push_back({Op::sub, n, value});
    if (canonical(1 - known.factor) == factor) recipes.push_back({Op::sub, value, n});
    if (canonical(2 * known.factor) == factor) recipes.push_back({Op::add, n, n});
    if (canonical(0 - known.factor) == factor) recipes.push_back({Op::neg, n});
    else if (by != -1 && wanted % by == 0) scale(n, static_cast<uint64_t>(wanted / by));
    for (const Term& other : multiples_) {
      if (canonical(known.factor + other.factor) == factor) recipes.push_back({Op::add, n, other.value});
      if (canonical(known.factor - other.factor) == factor) recipes.push_back({Op::sub, n, other.value});
    }
  }
  NodeId result = no_node;
  cheapest(static_cast<uint32_t>(recipes.size()), [&](uint32_t i) {
    const Recipe& recipe = recipes[i];
    result = make(recipe.op, recipe.left, recipe.by_number ? constant(recipe.number) : recipe.right);
    return 0;
  }, least);
  return result;
}

/// The same, or the negative of the opposite.
SumPlan::Signed SumPlan::scaled(NodeId value, uint64_t factor) {
  const uint64_t opposite = canonical(0 - factor);
  if (opposite == 1) return {used(value), true};
  if (factor == 1) return {used(value), false};
  find_multiples(value);
  const auto is_there = [&](const Term& known) { return known.factor == opposite && !is_dying(known.value); };
  const uint32_t least = std::ranges::any_of(multiples_, is_there) ? 0 : 1;
  Signed result{};
  cheapest(opposite == factor ? 1 : 2, [&](uint32_t way) {
    result = {multiple(value, way == 0 ? factor : opposite), way == 1};
    return 0;
  }, least);
  return result;
}

/// Terms with the same factor, or its opposite.
void SumPlan::add_group(std::span<const Term> group, Values& to) {
  const uint64_t factor = group[0].factor;
  const bool is_plain = factor == 1 || canonical(0 - factor) == 1;
  const size_t known = to.size();
  cheapest(is_plain || group.size() == 1 ? 1 : 2, [&](uint32_t way) {
    to.resize(known);
    if (way == 0) {
      for (const Term& term : group) to.push_back(scaled(term.value, term.factor));
      return additions(to);
    }
    Values values;
    for (const Term& term : group) values.push_back({term.value, term.factor != factor});
    to.push_back(scaled(sum(std::move(values), 0), factor));
    return additions(to);
  });
}

// ---- sums ----

/// Two values of one sum that stand in another, too, or whose sum is there: they are joined. False if there are none.
bool SumPlan::find_pair(std::vector<Values>& sums) {
  uint32_t best = 0;
  Signed a{}, b{};
  for (const Values& sum : sums)
    for (size_t i = 0; i < sum.size(); ++i)
      for (size_t j = i + 1; j < sum.size(); ++j) {
        const bool same_sign = sum[i].negative == sum[j].negative;
        auto is_there = [&](Op op, NodeId left, NodeId right) {
          const NodeId n = find(node_op(op), left, right);
          return (!is_none(n) && !is_dying(n)) || std::ranges::find(steps_, Step{node_op(op), left, right}) != steps_.end();
        };
        const NodeId left = sum[i].value, right = sum[j].value;
        uint32_t uses = same_sign ? is_there(Op::add, left, right)
                                  : is_there(Op::sub, left, right) || is_there(Op::sub, right, left);
        for (const Values& other : sums) {
          const auto x = std::ranges::find(other, left, &Signed::value), y = std::ranges::find(other, right, &Signed::value);
          uses += x != other.end() && y != other.end() && x != y && (x->negative == y->negative) == same_sign;
        }
        if (uses <= std::max(best, 1u)) continue;
        best = uses;
        a = sum[i];
        b = sum[j];
      }
  if (best == 0) return false;
  join(sums, a, b);
  return true;
}

void SumPlan::join(std::vector<Values>& sums, Signed a, Signed b) {
  const bool same_sign = a.negative == b.negative;
  if (!same_sign && is_none(find(NodeOp::sub, a.value, b.value)) && !is_none(find(NodeOp::sub, b.value, a.value)))
    std::swap(a, b);
  const NodeId both = make(same_sign ? Op::add : Op::sub, a.value, b.value);
  for (Values& sum : sums) {
    const auto x = std::ranges::find(sum, a.value, &Signed::value), y = std::ranges::find(sum, b.value, &Signed::value);
    if (x == sum.end() || y == sum.end() || x == y || (x->negative == y->negative) != same_sign) continue;
    const Signed joined{both, x->negative};
    sum.erase(std::max(x, y));
    sum.erase(std::min(x, y));
    sum.push_back(joined);
  }
}

/// Where one of the values and the number are there together, they are used. None if they are not.
NodeId SumPlan::with_known_pair(const Values& values, uint64_t number) {
  const NodeId right = graph_.find_constant(of(kind_), number);
  if (is_none(right)) return no_node;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto [value, negative] = values[i];
    const NodeOp op = node_op(negative ? Op::sub : Op::add);
    const NodeId left = negative ? right : value, last = negative ? value : right;
    NodeId known = find(op, left, last);
    if (!is_none(known) && is_dying(known) && (spared_ >> place_of_dying(known) & 1) == 0) continue;
    const auto planned = std::ranges::find(steps_, Step{op, left, last});
    if (is_none(known) && planned == steps_.end()) continue;
    if (is_none(known)) known = static_cast<NodeId>(graph_.size() + static_cast<uint32_t>(planned - steps_.begin()));
    Values others = values;
    others[i] = {used(known), false};
    return sum(std::move(others), 0);
  }
  return no_node;
}

void SumPlan::sort(Values& values) {
  std::ranges::sort(values, [](const Signed& a, const Signed& b) {
    return std::pair(a.negative, index(a.value)) < std::pair(b.negative, index(b.value));
  });
}

NodeId SumPlan::sum(Values values, uint64_t number) {
  sort(values);
  if (values.empty()) return constant(number);
  if (number != 0 && values.size() > 1)
    if (const NodeId result = with_known_pair(values, number); !is_none(result)) return result;
  NodeId result = values[0].value;
  if (values[0].negative && number != 0 && canonical(number + 1) != 0) {
    result = make(Op::sub, constant(std::exchange(number, 0)), result);
  } else if (values[0].negative) {
    for (Signed& value : values) value.negative = false;
    return make(number == 0 ? Op::neg : Op::not_, sum(std::move(values), 0));
  }
  for (size_t i = 1; i < values.size(); ++i) result = make(values[i].negative ? Op::sub : Op::add, result, values[i].value);
  return with_number(result, number);
}

NodeId SumPlan::with_number(NodeId value, uint64_t number) {
  if (number == 0) return used(value);
  NodeId result = no_node;
  cheapest(2, [&](uint32_t way) {
    result = way == 0 ? make(Op::add, value, constant(number)) : make(Op::sub, value, constant(0 - number));
    return 0;
  });
  return result;
}

SumPlan::Values SumPlan::values_of(std::vector<Term> terms) {
  Values values;
  std::vector<Term> group;
  while (!terms.empty()) {
    const uint64_t factor = terms[0].factor, opposite = canonical(0 - factor);
    const auto belongs = [&](const Term& term) { return term.factor == factor || term.factor == opposite; };
    group.clear();
    std::ranges::copy_if(terms, std::back_inserter(group), belongs);
    std::erase_if(terms, belongs);
    add_group(group, values);
  }
  return values;
}

/// The same, or all of them without a factor that they have in common, with the number if it has it, too.
SumPlan::Values SumPlan::values_of(const std::vector<Term>& terms, uint64_t& number) {
  auto wide = [](uint64_t bits) { return static_cast<int64_t>(bits); };
  auto size = [&](int64_t factor) { return factor < 0 ? 0 - static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor); };
  int64_t common = 0;
  for (const Term& term : terms)
    if (common == 0 || size(wide(term.factor)) < size(common)) common = wide(term.factor);
  auto has_factor = [&](const Term& term) { return common != 0 && wide(term.factor) % common == 0; };
  const bool can_factor = common > 1 || common < -1;
  const bool is_common = can_factor && std::ranges::all_of(terms, has_factor);
  const bool with_number = is_common && number != 0 && wide(number) % common == 0;
  if (!is_common || (terms.size() < 2 && !with_number)) return values_of(terms);
  Values values;
  const uint64_t asked = number;
  cheapest(with_number ? 3 : 2, [&](uint32_t way) {
    number = asked;
    if (way == 0) {
      values = values_of(terms);
    } else {
      std::vector<Term> less = terms;
      for (Term& term : less) term.factor = canonical(static_cast<uint64_t>(wide(term.factor) / common));
      const uint64_t inside = way == 1 ? 0 : canonical(static_cast<uint64_t>(wide(number) / common));
      if (way == 2) number = 0;
      values = {scaled(sum(values_of(std::move(less)), inside), static_cast<uint64_t>(common))};
    }
    const bool needs_constant = number != 0 && counts_constants_ && is_none(graph_.find_constant(of(kind_), number));
    return additions(values) + (number != 0) + needs_constant;
  });
  return values;
}

/// Its numbers stand in it, or in a phi of their own.
void SumPlan::add_column(const LinearForm::Column& column, Values& to, uint64_t& number) {
  using Way = LinearForm::Way;
  const bool has_terms = std::ranges::any_of(column.ways, [](const Way& way) { return !way.terms.empty(); });
  const bool is_number =
      std::ranges::all_of(column.ways, [&](const Way& way) { return way.constant == column.ways[0].constant; });
  if (!has_terms && is_number) {
    number = canonical(number + column.ways[0].constant);
    return;
  }
  const size_t known = to.size();
  std::vector<NodeId> values;
  uint64_t left = 0;
  cheapest(has_terms ? 2 : 1, [&](uint32_t way_to_do) {
    to.resize(known);
    const bool apart = has_terms && way_to_do == 0;
    values.clear();
    for (const Way& way : column.ways) values.push_back(sum(values_of(way.terms), apart ? 0 : way.constant));
    to.push_back({phi(column, values), false});
    left = apart && is_number ? column.ways[0].constant : 0;
    if (!apart || is_number) return additions(to);
    values.clear();
    for (const Way& way : column.ways) values.push_back(constant(way.constant));
    to.push_back({phi(column, values), false});
    return additions(to);
  });
  number = canonical(number + left);
}

/// With the number on the right, or with that of another sum on the left.
NodeId SumPlan::equation(Op relation, Values values, uint64_t number) {
  if (std::ranges::all_of(values, &Signed::negative)) {
    for (Signed& value : values) value.negative = false;
    number = canonical(0 - number);
  }
  NodeId result = no_node;
  cheapest(1 + static_cast<uint32_t>(numbers_.size()), [&](uint32_t way) {
    const uint64_t on_left = way == 0 ? 0 : numbers_[way - 1];
    result = make(relation, sum(values, on_left), constant(canonical(on_left - number)));
    return 0;
  });
  return result;
}

/// Or the negative of one that is planned.
void SumPlan::add_result(const std::vector<Values>& sums, size_t number) {
  std::vector<NodeId> opposites;
  Values sorted = sums[number];
  sort(sorted);
  for (size_t i = 0; i < number; ++i) {
    if (is_none(results_[i]) || canonical(0 - numbers_[i]) != numbers_[number]) continue;
    Values negated = sums[i];
    for (Signed& value : negated) value.negative = !value.negative;
    sort(negated);
    if (negated == sorted) opposites.push_back(results_[i]);
  }
  NodeId result = no_node;
  cheapest(1 + static_cast<uint32_t>(opposites.size()), [&](uint32_t way) {
    result = way == 0 ? sum(sums[number], numbers_[number]) : make(Op::neg, opposites[way - 1]);
    return 0;
  });
  results_[number] = result;
}

void SumPlan::add(std::span<const LinearForm> forms) {
  std::vector<Values> sums;
  numbers_.clear();
  for (const LinearForm& form : forms) {
    uint64_t number = form.constant;
    Values values = values_of(form.terms, number);
    for (const LinearForm::Column& column : form.columns) add_column(column, values, number);
    sums.push_back(std::move(values));
    numbers_.push_back(number);
  }
  while (find_pair(sums)) {
  }
  results_.assign(forms.size(), no_node);
  for (size_t i = 0; i < sums.size(); ++i)
    if (forms[i].relation == Op::nothing) add_result(sums, i);
  for (size_t i = 0; i < sums.size(); ++i)
    if (forms[i].relation != Op::nothing) results_[i] = equation(forms[i].relation, std::move(sums[i]), numbers_[i]);
}

}  // namespace braid::sea
