#include "sea/linear_sums.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/bits.h"
#include "sea/columns.h"
#include "sea/sum_candidates.h"
#include "sea/sum_parts.h"
#include "sea/sum_plan.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr size_t most_parts = 16;     ///< operations that are looked into
constexpr uint32_t most_levels = 2;   ///< of parts that stay, one inside of the other
constexpr size_t most_terms = 8;
constexpr uint32_t most_columns = 5;  ///< inputs of a phi that is taken apart
constexpr size_t most_choices = 4;    ///< parts that may be taken apart or not
constexpr size_t most_tops = 6;       ///< done at once
constexpr uint32_t most_uses = 32;
constexpr size_t most_dying = 64;
constexpr uint32_t most_near = 4;     ///< users of a phi that are looked at

class LinearSums {
 public:
  LinearSums(Graph& graph, const Rewriter& rewriter, bool counts_constants, const std::function<bool(Rewrite, NodeId)>& done)
      : graph_(graph), rewriter_(rewriter), done_(done), counts_constants_(counts_constants), plan_(graph, counts_constants) {}

  /// False if that was the last.
  bool look_at(NodeId candidate) {
    while (graph_.is_dead(candidate)) {
      candidate = graph_.replacement(candidate);
      if (is_none(candidate)) return true;
    }
    if (graph_.is(candidate, Op::phi)) return look_at_users(candidate);
    if (!graph_.has_uses(candidate) || !is_linear_sum(graph_, candidate) || !is_promising_sum(graph_, rewriter_, candidate)) return true;
    waiting_.assign(1, candidate);
    return work();
  }

 private:
  bool look_at_users(NodeId phi) {
    waiting_.clear();
    graph_.for_each_use(phi, [&](NodeId user, uint32_t) {
      if (is_linear_sum(graph_, user)) waiting_.push_back(user);
      return waiting_.size() < most_near;
    });
    return work();
  }
  bool work() {
    while (!waiting_.empty()) {
      const NodeId n = waiting_.back();
      waiting_.pop_back();
      if (graph_.is_dead(n) || !graph_.has_uses(n) || !is_linear_sum(graph_, n)) continue;
      tops_.assign(1, with_equation(top_of_sum(graph_, n)));
      if (improves() || improves_with_others()) {
        if (!rewrite()) return false;
      }
    }
    return true;
  }
  /// Together with the other sums that have a part of this one.
  bool improves_with_others() {
    shared_.clear();
    std::array<SumOperand, 2> all;
    for (NodeId part : choices_)
      if (!is_dying(part) || has_user_outside(part)) shared_.push_back(part);
    for (NodeId part : parts_)
      for (uint32_t i = sum_operands(graph_, part, all); i-- > 0;)
        if (!is_dying(all[i].value) && rewriter_.is_phi_of_constants(all[i].value)) shared_.push_back(all[i].value);
    if (is_only_in_sums(tops_[0])) shared_.push_back(tops_[0]);
    tried_ = tops_;
    for (NodeId part : shared_)
      for (const bool farther : {false, true}) {
        if (!find_tops(part, farther) || tops_ == tried_) continue;
        tried_ = tops_;
        if (improves()) return true;
      }
    return false;
  }

  // ---- tops ----

  bool may_be_top(NodeId user) const {
    return (is_linear_sum(graph_, user) || is_sum_equation(graph_, user)) && graph_.has_uses(user);
  }
  /// The sum, or what asks whether it is a number.
  NodeId with_equation(NodeId top) const {
    const bool is_asked = graph_.has_one_use(top) && !graph_.is_kept(top) && is_sum_equation(graph_, graph_.first_use(top).user) &&
                          graph_.has_uses(graph_.first_use(top).user);
    return is_asked ? graph_.first_use(top).user : top;
  }
  /// By several of them, which could all do with another one.
  bool is_only_in_sums(NodeId n) const {
    uint32_t seen = 0;
    bool all = !graph_.is_kept(n);
    graph_.for_each_use(n, [&](NodeId user, uint32_t) { return all = all && ++seen <= most_tops && may_be_top(user); });
    return all && seen > 1;
  }
  /// Of all sums in which the part stands, if it stands nowhere else. `farther`: where such a sum is only part of sums, those.
  bool find_tops(NodeId part, bool farther) {
    tops_.clear();
    climbing_.assign(1, part);
    bool all = true;
    for (size_t k = 0; k < climbing_.size() && all; ++k) {
      all = !graph_.is_kept(climbing_[k]) && k < most_tops;
      graph_.for_each_use(climbing_[k], [&](NodeId user, uint32_t) {
        all = all && may_be_top(user);
        if (!all) return false;
        const NodeId top = is_comparison(graph_.op(user)) ? user : with_equation(top_of_sum(graph_, user));
        std::vector<NodeId>& found = farther && is_only_in_sums(top) ? climbing_ : tops_;
        if (std::ranges::find(found, top) == found.end()) found.push_back(top);
        return all = tops_.size() <= most_tops && climbing_.size() <= most_tops;
      });
    }
    return all && !tops_.empty();
  }

  // ---- what there is ----

  /// The parts of the sums, each behind those that it stands in, and which of them may be taken apart or not.
  void find_parts() {
    parts_.clear();
    counts_.clear();
    std::array<SumOperand, 2> all;
    levels_.clear();
    for (NodeId top : tops_) see(top, 0);
    for (size_t k = 0; k < parts_.size(); ++k) {
      const uint32_t level = levels_[k] + !is_dying(parts_[k]);
      if (level > most_levels) continue;
      for (uint32_t i = sum_operands(graph_, parts_[k], all); i-- > 0;)
        if (is_linear_sum(graph_, all[i].value)) see(all[i].value, level);
    }
    // Counts of edges from inside: who has none left comes next.
    order_.clear();
    for (NodeId part : parts_)
      for (uint32_t i = sum_operands(graph_, part, all); i-- > 0;)
        if (const size_t at = part_number(all[i].value); at < parts_.size()) ++counts_[at];
    edges_ = counts_;
    for (size_t k = 0; k < parts_.size(); ++k)
      if (counts_[k] == 0) order_.push_back(k);
    for (size_t k = 0; k < order_.size(); ++k)
      for (uint32_t i = sum_operands(graph_, parts_[order_[k]], all); i-- > 0;)
        if (const size_t at = part_number(all[i].value); at < parts_.size() && --counts_[at] == 0) order_.push_back(at);
  }
  void see(NodeId n, uint32_t level) {
    if (parts_.size() == most_parts || std::ranges::find(parts_, n) != parts_.end()) return;
    parts_.push_back(n);
    levels_.push_back(level);
    counts_.push_back(0);
  }
  size_t part_number(NodeId n) const { return static_cast<size_t>(std::ranges::find(parts_, n) - parts_.begin()); }

  /// What goes with the tops, if it is not needed for what takes their place.
  void find_dying() {
    dying_.assign(tops_.begin(), tops_.end());
    std::erase_if(dying_, [&](NodeId n) { return graph_.is_kept(n); });
    uses_left_.clear();
    for (size_t k = 0; k < dying_.size() && dying_.size() < most_dying; ++k)
      for (uint32_t i = 0; i < graph_.input_count(dying_[k]) && dying_.size() < most_dying; ++i) {
        const NodeId input = graph_.input(dying_[k], i);
        if (!is_none(input) && loses_last_use(input)) dying_.push_back(input);
      }
    price_of_dying_ = 0;
    for (NodeId n : dying_) price_of_dying_ += counts_constants_ || !graph_.is_constant(n);
    std::ranges::sort(dying_);
  }
  bool is_dying(NodeId n) const { return std::ranges::binary_search(dying_, n); }
  bool loses_last_use(NodeId n) {
    auto known = std::ranges::find(uses_left_, n, &std::pair<NodeId, uint32_t>::first);
    if (known == uses_left_.end()) {
      uint32_t uses = 0;
      graph_.for_each_use(n, [&](NodeId, uint32_t) { return ++uses < most_uses; });
      uses_left_.push_back({n, uses == most_uses ? ~uint32_t{0} : uses});
      known = uses_left_.end() - 1;
    }
    return --known->second == 0 && !graph_.is_kept(n) && !graph_.acts(n) && std::ranges::find(dying_, n) == dying_.end();
  }

  /// What comes in there may be taken apart.
  bool is_open_phi(NodeId n) const {
    if (!graph_.is(n, Op::phi)) return false;
    const NodeId region = graph_.input(n, 0);
    if (graph_.op(region) != NodeOp::region || is_dead_control(graph_, region)) return false;
    const std::optional<Kind> kind = graph_.module().types.single_kind(graph_.type(n));
    if (!kind || !is_integer(*kind) || *kind == Kind::i1 || graph_.input_count(n) > most_columns) return false;
    bool any = false;
    for (uint32_t i = 1; i < graph_.input_count(n); ++i) {
      const NodeId value = graph_.input(n, i);
      if (is_none(value) || value == n) return false;
      any = any || graph_.is_constant(value) || is_linear_sum(graph_, value);
    }
    return any;
  }

  void find_choices() {
    choices_.clear();
    std::array<SumOperand, 2> all;
    auto offer = [&](NodeId n) {
      const bool is_top = std::ranges::find(tops_, n) != tops_.end();
      if (!is_top && choices_.size() < most_choices && std::ranges::find(choices_, n) == choices_.end()) choices_.push_back(n);
    };
    for (NodeId part : parts_)
      if (!is_dying(part)) offer(part);
    for (size_t k = 0; k < parts_.size(); ++k)
      if (edges_[k] > 1) offer(parts_[k]);
    for (NodeId part : parts_)
      for (uint32_t i = sum_operands(graph_, part, all); i-- > 0;)
        if (is_open_phi(all[i].value) && !rewriter_.is_phi_of_constants(all[i].value)) offer(all[i].value);
    for (NodeId part : parts_)
      if (is_dying(part) && has_user_outside(part)) offer(part);
    for (NodeId part : parts_)
      if (const NodeId value = only_value(part); part_number(value) < parts_.size()) offer(value);
    for (size_t k = choices_.size(); k-- > 0;)
      if (const NodeId phi = choices_[k]; graph_.is(phi, Op::phi))
        for (uint32_t i = 1; i < graph_.input_count(phi); ++i)
          if (const NodeId value = graph_.input(phi, i); is_linear_sum(graph_, value) && !is_dying(value)) offer(value);
  }
  bool has_user_outside(NodeId part) const {
    bool outside = false;
    uint32_t seen = 0;
    graph_.for_each_use(part, [&](NodeId user, uint32_t) {
      outside = part_number(user) == parts_.size();
      return !outside && ++seen < most_uses;
    });
    return outside;
  }
  /// Of a multiple, or of a value and a number.
  NodeId only_value(NodeId part) const {
    std::array<SumOperand, 2> all;
    if (sum_operands(graph_, part, all) == 1 || graph_.is_constant(all[1].value)) return all[0].value;
    return graph_.is_constant(all[0].value) ? all[1].value : no_node;
  }

  // ---- what there could be ----

  /// Whether some way to put the sums together leaves fewer nodes; the plan is the best of them.
  bool improves() {
    if (plans_left_ == 0) return false;
    const uint32_t before = plans_left_--;
    find_dying();
    find_parts();
    find_choices();
    if (price_of_dying_ < 2) return false;  // one operation at least is needed
    kind_ = kind_of_sum(graph_, tops_[0]);
    plan_.begin(kind_, tops_, dying_);
    uint32_t best = price_of_dying_, best_choice = 0;
    // The last choice is whether phis of constants become one with each other and with the number.
    const uint32_t ways = (has_columns() ? 2u : 1u) << choices_.size();
    for (uint32_t choice = 0; choice < ways; ++choice)
      if (find_forms(choice) && is_news(choice) && may_cost_less_than(best) && plan() < best) {
        best = plan_.price();
        best_choice = choice;
      }
    if (best == price_of_dying_) return false;
    plans_left_ = before;
    return find_forms(best_choice) && plan() == best;
  }
  bool has_columns() const {
    std::array<SumOperand, 2> all;
    for (NodeId part : parts_)
      for (uint32_t i = sum_operands(graph_, part, all); i-- > 0;)
        if (!is_none(region_of_columns(graph_, rewriter_, all[i].value))) return true;
    return false;
  }
  /// A part that was not met, inside of one that is left, makes no difference.
  bool is_news(uint32_t choice) const { return (choice & ~met_ & ((1u << choices_.size()) - 1)) == 0; }
  /// With those parts left as they are that have a bit in `choice`, as others have that are not offered and would not die.
  bool find_forms(uint32_t choice) {
    forms_.clear();
    met_ = 0;
    for (NodeId top : tops_)
      if (!add_form(top, choice)) return false;
    for (LinearForm& form : forms_)
      if (!open_phis(form, choice)) return false;
    return true;
  }
  /// Not if there are so many terms that sums which are there could not make up for them.
  bool may_cost_less_than(uint32_t best) const {
    constexpr size_t slack = 2;
    size_t additions = 0;
    for (const LinearForm& form : forms_)
      additions += form.terms.size() + form.columns.size() + (form.constant != 0) - !form.terms.empty();
    return additions < best + slack;
  }
  uint32_t plan() {
    if (plans_left_ == 0) return price_of_dying_;
    --plans_left_;
    plan_.clear();
    plan_.add(forms_);
    return plan_.price();
  }
  bool is_left(NodeId part, uint32_t choice) {
    const auto at = std::ranges::find(choices_, part);
    if (at != choices_.end()) {
      const uint32_t bit = 1u << (at - choices_.begin());
      met_ |= bit;
      return (choice & bit) != 0;
    }
    return !is_dying(part) || graph_.is(part, Op::phi);
  }
  bool add_form(NodeId top, uint32_t choice) {
    LinearForm& form = forms_.emplace_back();
    factors_.assign(parts_.size(), 0);
    factors_[part_number(top)] = 1;
    std::array<SumOperand, 2> all;
    for (size_t k : order_) {
      const uint64_t factor = ir::canonical(kind_, factors_[k]);
      if (factor == 0) continue;
      const bool is_truth = is_comparison(graph_.op(parts_[k]));
      if (parts_[k] != top && (is_truth || is_left(parts_[k], choice))) {
        if (!add_term(form, parts_[k], factor)) return false;
        continue;
      }
      if (graph_.is(parts_[k], Op::not_)) form.constant -= factor;  // it is -x - 1
      for (uint32_t i = sum_operands(graph_, parts_[k], all); i-- > 0;) {
        const uint64_t product = factor * all[i].factor;
        if (graph_.is_constant(all[i].value))
          form.constant += product * graph_.constant_value(all[i].value).bits;
        else if (const size_t at = part_number(all[i].value); at < parts_.size())
          factors_[at] += product;
        else if (!add_term(form, all[i].value, product))
          return false;
      }
    }
    if (is_comparison(graph_.op(top))) form.relation = table_op(graph_.op(top));
    form.constant = ir::canonical(kind_, form.constant);
    settle_terms(form.terms);
    return true;
  }
  /// Phis of one region, taken by their factors, are one, from which goes what all ways have; so is the number, with one of them.
  /// False if that is too much.
  bool open_phis(LinearForm& form, uint32_t choice) {
    const bool with_constants = (choice >> choices_.size()) != 0;
    for (size_t i = 0; i < form.terms.size();) {
      const Term term = form.terms[i];
      NodeId region = region_of_columns(graph_, rewriter_, term.value);
      const bool is_constant = !is_none(region);
      if (is_constant ? !with_constants : !is_open_phi(term.value) || is_left(term.value, choice)) {
        ++i;
        continue;
      }
      if (!is_constant) region = graph_.input(term.value, 0);
      auto column = std::ranges::find(form.columns, region, &LinearForm::Column::region);
      if (column == form.columns.end()) {
        form.columns.push_back({region, named_phi(term.value), std::vector<LinearForm::Way>(graph_.input_count(region))});
        column = form.columns.end() - 1;
      }
      form.terms.erase(form.terms.begin() + static_cast<std::ptrdiff_t>(i));
      if (is_constant) {
        if (!add_columns(*column, term)) return false;
        continue;
      }
      for (size_t way = 0; way < column->ways.size(); ++way)
        if (const NodeId value = graph_.input(term.value, static_cast<uint32_t>(way) + 1);
            !add_way(column->ways[way], value, term.factor, choice))
          return false;
    }
    if (form.columns.empty()) return true;
    for (LinearForm::Way& way : form.columns[0].ways) way.constant += form.constant;
    form.constant = 0;
    const size_t known = form.terms.size();
    for (LinearForm::Column& column : form.columns) take_common(form, column);
    for (const LinearForm::Column& column : form.columns)
      for (const LinearForm::Way& way : column.ways)
        if (way.terms.size() > most_terms) return false;
    return form.terms.size() <= most_terms + known;
  }
  /// After which a phi in its place is called.
  NodeId named_phi(NodeId value) const {
    if (graph_.is(value, Op::phi)) return value;
    return graph_.input(value, graph_.is(graph_.input(value, 0), Op::phi) ? 0 : 1);
  }
  bool add_columns(LinearForm::Column& column, const Term& term) const {
    for (uint32_t way = 0; way < column.ways.size(); ++way) {
      const std::optional<uint64_t> value = value_on_way(graph_, term.value, way);
      if (!value) return false;
      column.ways[way].constant += term.factor * *value;
    }
    return true;
  }
  /// What comes in there, taken apart.
  bool add_way(LinearForm::Way& way, NodeId value, uint64_t factor, uint32_t choice) {
    std::array<SumOperand, 2> all;
    operands_.assign(1, {value, factor});
    for (size_t k = 0; k < operands_.size(); ++k) {
      if (k == most_parts) return false;
      const SumOperand at = operands_[k];
      if (graph_.is_constant(at.value)) {
        way.constant += at.factor * graph_.constant_value(at.value).bits;
      } else if (!is_linear_sum(graph_, at.value) || is_left(at.value, choice)) {
        add_to(way.terms, at.value, at.factor);
      } else {
        if (graph_.is(at.value, Op::not_)) way.constant -= at.factor;
        for (uint32_t i = sum_operands(graph_, at.value, all); i-- > 0;) operands_.push_back({all[i].value, at.factor * all[i].factor});
      }
    }
    return true;
  }
  void take_common(LinearForm& form, LinearForm::Column& column) {
    for (LinearForm::Way& way : column.ways) {
      way.constant = ir::canonical(kind_, way.constant);
      settle_terms(way.terms);
    }
    const std::vector<Term> first = column.ways[0].terms;
    for (const Term& term : first) {
      const bool common = std::ranges::all_of(
          column.ways, [&](const LinearForm::Way& way) { return std::ranges::find(way.terms, term) != way.terms.end(); });
      if (!common) continue;
      for (LinearForm::Way& way : column.ways) std::erase(way.terms, term);
      add_to(form.terms, term.value, term.factor);
    }
    settle_terms(form.terms);
  }
  void settle_terms(std::vector<Term>& terms) {
    for (Term& term : terms) term.factor = ir::canonical(kind_, term.factor);
    std::erase_if(terms, [](const Term& term) { return term.factor == 0; });
    std::ranges::sort(terms, {}, &Term::value);
  }
  static void add_to(std::vector<Term>& terms, NodeId value, uint64_t factor) {
    const auto known = std::ranges::find(terms, value, &Term::value);
    if (known != terms.end())
      known->factor += factor;
    else
      terms.push_back({value, factor});
  }
  static bool add_term(LinearForm& form, NodeId value, uint64_t factor) {
    add_to(form.terms, value, factor);
    return form.terms.size() <= most_terms;
  }

  // ---- putting it there ----

  bool rewrite() {
    const Type type = of(kind_), truth = type_of_truth();
    const ir::Loc loc = graph_.loc(tops_[0]);
    const uint32_t known = graph_.size();  // names of steps begin here
    std::vector<NodeId> made, results;
    auto node = [&](NodeId n) { return is_none(n) || index(n) < known ? n : made[index(n) - known]; };
    for (const SumPlan::Step& step : plan_.steps()) {
      const NodeId both[] = {node(step.left), node(step.right)};
      if (step.op == NodeOp::constant)
        made.push_back(graph_.shared_constant(type, step.bits, loc));
      else if (step.op == Op::phi)
        made.push_back(make_phi(plan_.column(step), type, node, loc));
      else
        made.push_back(graph_.unify_new(graph_.make(step.op, is_comparison(step.op) ? truth : type,
                                                    std::span(both, is_none(step.right) ? 1 : 2), 0, loc)));
    }
    for (NodeId result : plan_.results()) results.push_back(node(result));
    for (NodeId result : results) graph_.keep(result);
    for (size_t i = 0; i < tops_.size(); ++i)
      if (results[i] != tops_[i]) graph_.replace(tops_[i], results[i]);
    for (NodeId result : results) graph_.unkeep(result);
    // The top of one sum may have stood in another, and only there.
    for (NodeId result : results) graph_.kill_unused(result);
    waiting_.insert(waiting_.end(), results.begin(), results.end());
    return done_(Rewrite::linear_sum, tops_[0]);
  }
  Type type_of_truth() const {
    for (NodeId top : tops_)
      if (is_comparison(graph_.op(top))) return graph_.type(top);
    return i1;
  }
  template <typename Node>
  NodeId make_phi(const SumPlan::PlannedPhi& planned, Type type, Node&& node, ir::Loc loc) {
    std::vector<NodeId> inputs{planned.region};
    for (NodeId value : planned.values) inputs.push_back(node(value));
    const NodeId phi = graph_.make(node_op(Op::phi), type, inputs, 0, loc);
    graph_.set_note(phi, graph_.note(planned.like));
    return graph_.unify_new(phi);
  }

  Graph& graph_;
  const Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  const bool counts_constants_;
  SumPlan plan_;
  std::vector<NodeId> waiting_, tops_, tried_, shared_, climbing_;
  std::vector<NodeId> parts_;
  std::vector<uint32_t> levels_, counts_, edges_;
  std::vector<size_t> order_;  ///< of parts
  std::vector<NodeId> dying_, choices_;
  uint32_t price_of_dying_ = 0;
  std::vector<std::pair<NodeId, uint32_t>> uses_left_;
  std::vector<LinearForm> forms_;
  uint32_t met_ = 0;  ///< choices that these depend on
  std::vector<uint64_t> factors_;
  std::vector<SumOperand> operands_;
  Kind kind_{};
  uint32_t plans_left_ = 4'000 + graph_.live_count() / 64;  ///< that lead to nothing: each takes some microseconds
};

}  // namespace

void make_linear_sums(Graph& graph, const Rewriter& rewriter, std::span<const NodeId> candidates, bool counts_constants,
                      const std::function<bool(Rewrite, NodeId)>& done) {
  LinearSums sums(graph, rewriter, counts_constants, done);
  constexpr size_t soon = 6;
  for (size_t i = 0; i < candidates.size(); ++i) {
    // Most looks find nothing, and cost what it takes to read what stands far apart.
    if (i + 3 * soon < candidates.size()) graph.expect_read(candidates[i + 3 * soon]);
    if (i + 2 * soon < candidates.size()) {
      const NodeId n = candidates[i + 2 * soon];
      graph.expect_read_of_uses(n);
      const uint32_t count = std::min(graph.input_count(n), 2u);
      for (uint32_t k = 0; k < count; ++k)
        if (NodeId input = graph.input(n, k); !is_none(input)) graph.expect_read(input);
    }
    if (i + soon < candidates.size()) {
      const NodeId n = candidates[i + soon];
      const uint32_t count = std::min(graph.input_count(n), 2u);
      for (uint32_t k = 0; k < count; ++k)
        if (NodeId input = graph.input(n, k); !is_none(input)) graph.expect_read_of_uses(input);
    }
    if (!sums.look_at(candidates[i])) return;
  }
}

}  // namespace braid::sea
