// The rewrites of one node: constants, rules, value numbering, phis, regions, branches.
//
// `step` does the first rewrite that applies at a node, and no other; the graph is whole before and after. Whoever wants a
// fixpoint asks again. O(inputs of the node, of its inputs and of its phis), apart from what dies.
//
// While a program is still being parsed, values may be held by scopes, branches have no projections yet, and a loop's back
// edges are to come: `Moment::parsing` leaves alone whatever that would disturb.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sea/control_tree.h"
#include "sea/graph.h"
#include "sea/layout.h"
#include "sea/rewrite.h"
#include "sea/types.h"

namespace braid::sea {

enum class Moment : uint8_t { parsing, whole };

/// Who is to be looked at again when a node changes: those that looked into it.
class Watchers {
 public:
  virtual ~Watchers() = default;
  /// The answer for `looker` hangs on the inputs of `looked_at`.
  virtual void watch(NodeId looked_at, NodeId looker) = 0;
};

class Rewriter {
 public:
  struct Outcome {
    NodeId by = no_node;  ///< what to use in place of the node; itself if it changed; none if no rewrite applies
    Rewrite rewrite{};

    explicit operator bool() const { return !is_none(by); }
  };

  Rewriter(Graph& graph, NodeTypes& types, Moment moment) : graph_(graph), types_(types), moment_(moment), constants_(8) {}

  void set_watchers(Watchers* watchers) { watchers_ = watchers; }
  /// Asked while parsing about what rules make.
  void set_observer(RewriteObserver* observer) { observer_ = observer; }
  /// Where dominating tests are found while parsing.
  void set_tree(const ControlTree* tree) { tree_ = tree; }

  /// Brings the type of the node up to date and does one rewrite. `n` must be alive; if the outcome is another node, the
  /// caller replaces it. A node that changed may be dead.
  Outcome step(NodeId n) { return has(graph_.op(n), of_two) ? step_of_two(n) : step_of_any(n); }

  // ---- for whole-graph steps ----
  /// Finds the plain regions that control comes back to: cycles with several ways in. If all ways from outside are dead,
  /// no node there sees it, and a phi must not become what it depends on itself. They wait until flow says who is reached.
  void find_knots();
  bool is_knot(NodeId region) const { return index(region) < knots_.size() && knots_[index(region)]; }
  /// For a knot that is reached, when the types of all control are those of flow: ways in that are dead go.
  Outcome step_reached_knot(NodeId n);
  /// A constant node, one for all uses.
  NodeId constant(Kind kind, uint64_t bits, ir::Loc loc);
  NodeId dead_control();
  /// The node becomes a region without ways in; its phis become undef. What it leads to goes by rewrites of its own.
  void make_unreachable(NodeId control);
  /// The condition of which this one is the negation, or none.
  NodeId negation_of(NodeId condition) const;
  NodeTypes& types() { return types_; }
  /// A phi whose columns are all constants, and not too many.
  bool is_phi_of_constants(NodeId n) const;
  /// Phis of constants that were looked at since the last call and had more than one use, or stood in an operation.
  std::vector<NodeId> take_constant_phis() { return std::exchange(constant_phis_, {}); }
  /// Sums of which a part was left alone since others use it, or with a part that others use: sum_candidates.h looks at them.
  void note_sum(NodeId n) {
    if (sums_.empty() || sums_.back() != n) sums_.push_back(n);
  }
  std::vector<NodeId> take_sums() { return std::exchange(sums_, {}); }
  std::span<const NodeId> sums() const { return sums_; }
  /// From now on no rule leaves more nodes than there were, whatever later steps might make of them.
  void forbid_growth() { may_grow_ = false; }
  /// Until then, phis of truths are left alone: the branch behind them may be decided.
  void allow_truths(bool on) { allows_truths_ = on; }
  std::vector<NodeId> take_truths() { return std::exchange(truths_, {}); }
  /// While parsing, the values that had other uses, without which one of the rewrites since the last `forget_shared` might
  /// have applied: later it may.
  std::span<const NodeId> shared() const { return shared_; }
  void forget_shared() { shared_.clear(); }
  /// From now on ends that die may leave gaps among the inputs of stop, until `close_gaps`: whether there were any.
  void leave_gaps() { leaves_gaps_ = true; }
  bool close_gaps();

 private:
  Outcome changed(NodeId n, Rewrite rewrite) const { return {n, rewrite}; }
  bool is_parsing() const { return moment_ == Moment::parsing; }
  void look_into(NodeId n, NodeId looker) {
    if (watchers_ != nullptr) watchers_->watch(n, looker);
  }
  /// Nobody else uses it, now or later.
  bool is_only_use(NodeId n) {
    const bool only = graph_.has_one_use(n) && !graph_.is_kept(n);
    if (!only && is_parsing()) shared_.push_back(n);
    return only;
  }

  /// The same for what is both inputs of a node.
  bool is_only_user(NodeId n) {
    uint32_t uses = 0;
    graph_.for_each_use(n, [&](NodeId, uint32_t) { return ++uses <= 2; });
    const bool only = uses == 2 && !graph_.is_kept(n);
    if (!only && is_parsing()) shared_.push_back(n);
    return only;
  }

  // values
  Outcome step_of_any(NodeId n);
  Outcome step_value(NodeId n);
  Outcome step_of_two(NodeId n);
  Outcome step_is_zero(NodeId n);
  Outcome test_of_zero(NodeId n);
  bool is_beyond_rules(NodeId n) { return n == std::exchange(beyond_rules_, no_node); }
  Outcome by_rules(NodeId n);
  Outcome by_rules(NodeId n, std::span<const NodeId> inputs, uint64_t immediate);
  bool leaves_more(NodeId n, NodeId answer, uint32_t known);
  bool is_of_constants(NodeId n) const;
  bool can_be_saved(NodeId constant);
  void note_multiple(NodeId n, NodeId answer);
  Outcome order_operands(NodeId n);
  Outcome unify(NodeId n);
  Outcome unify_floating(NodeId n);
  Outcome fold(NodeId n);
  NodeId settle(NodeId n);

  // phis
  Outcome step_phi(NodeId n);
  Outcome same_input(NodeId phi);
  Outcome common_operation(NodeId phi);
  Outcome common_factor(NodeId phi);
  Outcome factor_out(NodeId phi, NodeId factor, std::array<NodeId, 2> others, std::span<const bool, 2> negative);
  Outcome operation_of_rounds(NodeId phi);
  struct SignedProduct;
  std::optional<SignedProduct> signed_product(NodeId n, NodeId phi);
  bool fits_better_turned(NodeId first, NodeId second) const;
  bool has_number_on_a_way(NodeId phi) const;
  Outcome truth(NodeId phi);
  Outcome phi_constants(NodeId n);
  Outcome phi_constants_outwards(NodeId n);
  NodeId phi_of_results(NodeId n, NodeId region, NodeId left, NodeId right);

  // control
  Outcome step_region(NodeId n);
  Outcome drop_dead_ways(NodeId n);
  Outcome one_way(NodeId n);
  Outcome meets_at_once(NodeId n);
  Outcome step_projection(NodeId n);
  Outcome step_splitter(NodeId n);
  Outcome same_test(NodeId branch);
  Outcome negated(NodeId branch);
  Outcome step_stop(NodeId n);
  Outcome step_upsilon(NodeId n);
  bool has_lost_control(NodeId end) const;
  bool has_phis(NodeId region) const;
  void forget_phis(NodeId region);

  class RuleView;

  static constexpr size_t most_constants = 256;
  struct NamedConstant {
    uint64_t bits = 0;
    NodeId node = no_node;
    Kind kind{};
  };

  Graph& graph_;
  NodeTypes& types_;
  Moment moment_;
  Watchers* watchers_ = nullptr;
  RewriteObserver* observer_ = nullptr;
  const ControlTree* tree_ = nullptr;
  NodeId dead_control_ = no_node;
  std::vector<NamedConstant> constants_;  ///< those that were asked for lately, by a hash
  uint32_t constants_missed_ = 0;
  std::vector<bool> knots_;  ///< by node
  std::vector<NodeId> constant_phis_;
  std::vector<NodeId> truths_;  ///< phis that were left alone
  bool allows_truths_ = true;
  std::vector<NodeId> shared_;
  bool knows_ends_ = false;         ///< of a whole graph: stop was looked at
  std::vector<NodeId> lost_ends_;   ///< that control does not come to any more, found since then
  bool leaves_gaps_ = false;
  uint32_t gaps_ = 0;  ///< inputs of stop that are none
  std::vector<NodeId> sums_;
  bool may_grow_ = true;
  NodeId beyond_rules_ = no_node;  ///< made last by a rule, and no rule applied to it
  std::vector<NodeId> list_;
  std::vector<NodeId> made_;
  std::vector<Type> column_types_;
};

}  // namespace braid::sea
