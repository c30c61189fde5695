// The rewrite rules (src/rules) over the nodes of a graph.
//
// Comparisons whose truth is an integer wider than i1 are shown to the rules only where they stand at the top: what a rule
// answers as i1 is then made of that type. Inside of patterns they are opaque, since rules take a truth for one bit.
#include <array>

#include "ir/bits.h"
#include "rules/simplify.h"
#include "sea/rewriter.h"
#include "sea/sum_candidates.h"

namespace braid::sea {

using ir::Op;

namespace {

/// So deep are results of rules simplified at once while parsing, when nobody else would come back to them.
constexpr uint32_t most_depth = 4;

Kind kind_of(const TypeTable& types, Type type) {
  if (std::optional<Kind> kind = types.single_kind(type)) return *kind;
  return types.storage(type) == Storage::ref ? Kind::ref : Kind::void_;
}

}  // namespace

class Rewriter::RuleView {
 public:
  using Value = NodeId;

  RuleView(Rewriter& rewriter, NodeId root, Type truth) : rewriter_(rewriter), g(rewriter.graph_), root_(root), truth_(truth) {}

  Op op(NodeId n) const {
    const NodeOp op = g.op(n);
    const OpClass all = class_of(op);
    if (flat || (all & (computes | may_compute)) == 0) return Op::nothing;
    if ((all & (of_two | compares)) == of_two) return table_op(op);
    return op_of_other(n);
  }
  Kind kind(NodeId n) const { return kind_of(g.module().types, g.type(n)); }
  NodeId input(NodeId n, uint32_t i) const {
    rewriter_.look_into(n, root_);
    return g.input(n, i);
  }
  template <size_t count>
  std::array<NodeId, count> inputs(NodeId n) const {
    rewriter_.look_into(n, root_);
    std::array<NodeId, count> all;
    for (size_t i = 0; i < count; ++i) all[i] = g.input(n, static_cast<uint32_t>(i));
    return all;
  }
  uint64_t immediate(NodeId n) const { return g.words(n)[0]; }
  Maybe<uint64_t> constant_of(NodeId n) const {
    if (!g.is_constant(n)) return std::nullopt;
    return g.constant_value(n).bits;
  }
  bool same(NodeId a, NodeId b) const { return a == b; }
  bool once(NodeId n) const {
    rewriter_.look_into(n, root_);
    if (rewriter_.is_only_use(n)) return true;
    // While parsing, it is remembered with what is shared.
    if (!rewriter_.is_parsing() && is_worth_a_look(g, root_, n)) rewriter_.note_sum(root_);
    return false;
  }
  NodeId make(Op op, Kind kind, std::span<const NodeId> inputs) {
    const bool asked = rewriter_.is_parsing() && depth_ < most_depth && !(is_comparison(node_op(op)) && truth_ != i1) &&
                       (rewriter_.observer_ == nullptr || rewriter_.observer_->may_simplify_within());
    if (asked) {
      rules::RuleId fired = rules::RuleId::none;
      ++depth_;
      Maybe<NodeId> simpler = rules::simplify(*this, op, kind, inputs, 0, &fired);
      --depth_;
      if (rewriter_.observer_ != nullptr) rewriter_.observer_->simplified_within(rewrite_by(fired));
      if (simpler) return *simpler;
    }
    if (!asked && op == Op::add && g.is_constant(inputs[1]) && g.constant_value(inputs[1]).bits == 0) {
      // What the next rule would say, so that the number is not counted.
      const NodeId sum = inputs[0];
      g.kill_unused(inputs[1]);
      return sum;
    }
    NodeId n = g.make(node_op(op), type_of(op, kind, inputs), inputs, 0, g.loc(root_));
    if (asked && !flat) rewriter_.beyond_rules_ = n;
    return rewriter_.settle(n);
  }
  NodeId constant(Kind kind, uint64_t bits) {
    if (kind == Kind::i1 && truth_ != i1) kind = *g.module().types.single_kind(truth_);
    return rewriter_.constant(kind, bits, g.loc(root_));
  }

  bool flat = false;  ///< operands are only compared with each other and with constants

 private:
  /// Apart, so that the common way is short.
  [[gnu::noinline]] Op op_of_other(NodeId n) const {
    const NodeOp op = g.op(n);
    const bool is_shown = is_table_op(op) && floats(g, n) && (!is_comparison(op) || g.type(n) == i1);
    return is_shown ? table_op(op) : Op::nothing;
  }
  Type type_of(Op op, Kind kind, std::span<const NodeId> inputs) const {
    if (is_comparison(node_op(op))) return truth_;
    if (kind != Kind::tuple) return of(kind);
    const Type elements[] = {of(this->kind(inputs[0])), i1};
    return g.module().types.tuple(elements);
  }

  Rewriter& rewriter_;
  Graph& g;
  NodeId root_;
  Type truth_;  ///< the type of comparisons that a rule makes
  uint32_t depth_ = 0;
};

Rewriter::Outcome Rewriter::by_rules(NodeId n) {
  const uint32_t count = graph_.input_count(n);
  if (count == 0 || count > 3) return {};
  std::array<NodeId, 3> inputs;
  for (uint32_t i = 0; i < count; ++i) {
    inputs[i] = graph_.input(n, i);
    if (is_none(inputs[i])) return {};
  }
  const bool has_immediate = graph_.is(n, Op::extract) || graph_.is(n, Op::ptr_index);
  return by_rules(n, std::span<const NodeId>(inputs.data(), count), has_immediate ? graph_.words(n)[0] : 0);
}

Rewriter::Outcome Rewriter::by_rules(NodeId n, std::span<const NodeId> inputs, uint64_t immediate) {
  const Op op = table_op(graph_.op(n));
  const Type type = graph_.type(n);
  const bool wide_truth = is_comparison(node_op(op)) && type != i1;
  RuleView view(*this, n, wide_truth ? type : i1);
  rules::RuleId fired = rules::RuleId::none;
  const uint32_t known = graph_.size();
  const Kind kind = wide_truth ? Kind::i1 : kind_of(graph_.module().types, type);
  for (;;) {
    Maybe<NodeId> answer = rules::simplify(view, op, kind, inputs, immediate, &fired);
    if (!answer || *answer == n) return {};
    bool misfit = wide_truth && graph_.module().types.kinds(graph_.type(*answer)) != type.bits;
    if (!misfit && !leaves_more(n, *answer, known)) {
      const NodeOp made = graph_.op(*answer);
      if ((made == Op::mul || made == Op::shl || made == Op::neg) && index(*answer) >= known) note_multiple(n, *answer);
      return {*answer, rewrite_by(fired)};
    }
    if (is_sum_op(node_op(op))) note_sum(n);
    graph_.kill_unused(*answer);
    if (view.flat) return {};
    view.flat = true;  // the first rule that matched is not taken; one that looks less deep may be
  }
}

/// What others use is still there when a multiple is made anew, and might be of use to it.
void Rewriter::note_multiple(NodeId n, NodeId answer) {
  bool over_shared = false;
  for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
    const NodeId input = graph_.input(n, i);
    over_shared = over_shared || (!is_none(input) && !graph_.has_one_use(input) && is_linear_sum(graph_, input));
  }
  if (over_shared) note_sum(answer);
}

/// Whether there would be more nodes with the answer, constants included, than without it; `known` nodes were there before.
/// A form that only puts another constant in the place of one that is still needed does not count: see share_constants.h.
bool Rewriter::leaves_more(NodeId n, NodeId answer, uint32_t known) {
  constexpr size_t most_dying = 8;
  if (index(answer) < known || is_of_constants(answer)) return false;
  const NodeOp op = graph_.op(n);
  const bool doubles = op == Op::add && graph_.input(n, 0) == graph_.input(n, 1);
  const bool turns = op == Op::sub || op == Op::sle || op == Op::sge || op == Op::ule || op == Op::uge;
  auto keeps_its_value = [&] { return graph_.input_count(answer) != 0 && graph_.input(answer, 0) == graph_.input(n, 0); };
  if (may_grow_ && (doubles || (turns && graph_.is_constant(graph_.input(n, 1)) && keeps_its_value()))) return false;
  size_t made = 0;
  for (uint32_t k = known; k < graph_.size(); ++k) {
    NodeId fresh = static_cast<NodeId>(k);
    made += !graph_.is_dead(fresh) && (fresh == answer || graph_.has_uses(fresh));
  }
  list_.assign(1, n);
  for (size_t k = 0; k < list_.size() && list_.size() < most_dying; ++k)
    for (uint32_t i = 0; i < graph_.input_count(list_[k]); ++i) {
      NodeId input = graph_.input(list_[k], i);
      if (is_none(input)) continue;
      if (graph_.is_constant(input) && can_be_saved(input)) continue;
      const bool is_both = i == 1 && input == graph_.input(list_[k], 0);
      if (is_both ? is_only_user(input) : is_only_use(input)) list_.push_back(input);
    }
  return made > list_.size();
}

/// It will be a constant itself.
bool Rewriter::is_of_constants(NodeId n) const {
  const uint32_t count = graph_.input_count(n);
  for (uint32_t i = 0; i < count; ++i)
    if (const NodeId input = graph_.input(n, i); is_none(input) || !graph_.is_constant(input)) return false;
  return count != 0;
}

/// Whether there is another constant that would do in its place, or in whose place it would do: one of the two goes anyway.
bool Rewriter::can_be_saved(NodeId constant) {
  const ir::Constant value = graph_.constant_value(constant);
  std::optional<Kind> kind = graph_.module().types.single_kind(value.type);
  if (!kind || !is_integer(*kind) || *kind == Kind::i1) return false;
  for (uint64_t bits : {0 - value.bits, value.bits - 1, value.bits + 1, 0 - value.bits - 1, 0 - value.bits + 1}) {
    NodeId other = graph_.find_constant(of(*kind), ir::canonical(*kind, bits));
    if (!is_none(other) && other != constant && graph_.has_uses(other)) return true;
  }
  return false;
}

uint32_t rewrite_count() { return first_rule_rewrite + static_cast<uint32_t>(rules::all_rules().size()); }

namespace {

struct Listed {
  std::string_view name, doc;
};
constexpr Listed listed[] = {
#define REWRITE(name, doc) {#name, doc},
#include "sea/rewrites.def"
#include "sea/chapter8_rewrites.def"
#undef REWRITE
};

}  // namespace

std::string_view name_of(Rewrite rewrite) {
  uint32_t number = static_cast<uint32_t>(rewrite);
  return number < first_rule_rewrite ? listed[number].name : rules::all_rules()[number - first_rule_rewrite].name;
}

std::string_view doc_of(Rewrite rewrite) {
  uint32_t number = static_cast<uint32_t>(rewrite);
  return number < first_rule_rewrite ? listed[number].doc : rules::all_rules()[number - first_rule_rewrite].text;
}

}  // namespace braid::sea
