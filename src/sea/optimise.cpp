#include "sea/optimise.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <utility>

#include "base/stack.h"
#include "sea/columns.h"
#include "sea/dominating_facts.h"
#include "sea/flow_types.h"
#include "sea/linear_sums.h"
#include "sea/phi_tables.h"
#include "sea/rings.h"
#include "sea/share_constants.h"
#include "sea/sum_candidates.h"
#include "sea/survey.h"
#include "sea/work_list.h"

namespace braid::sea {
namespace {

using ir::Op;

class Optimiser {
 public:
  Optimiser(Graph& graph, const OptimiseOptions& options)
      : graph_(graph),
        options_(options),
        types_(options.begun != nullptr ? std::move(options.begun->types) : NodeTypes(graph)),
        rewriter_(graph, types_, Moment::whole), list_(graph) {
    rewriter_.set_watchers(&list_);
    // An observer sees a graph that is whole.
    if (options.observer == nullptr) rewriter_.leave_gaps();
    if (!options.may_grow_on_its_way) rewriter_.forbid_growth();
  }

  OptimiseResult run() {
    graph_.spare_values(false);
    list_.listen(false);  // all that needs a look gets one
    if (options_.begun != nullptr)
      sweep(0);
    else
      look_around();
    const uint32_t known = graph_.size();
    list_.listen(true);
    if (options_.begun != nullptr)
      push_unfinished();
    else
      for (uint32_t k = 0; k < graph_.size(); ++k) list_.push(static_cast<NodeId>(k));
    rewriter_.allow_truths(!options_.by_dominance);
    work();
    // A step over the whole graph is done again only if something has changed since it began.
    constexpr uint64_t never = ~uint64_t{0};
    uint64_t rings_at = never, unused_at = never, flow_at = never, dominance_at = never;
    auto is_due = [&](uint64_t& seen) {
      const bool due = seen != changes_ && !result_.stopped;
      seen = changes_;
      return due;
    };
    while (!result_.stopped && may_go_on()) {
      ++result_.rounds;
      const uint64_t before = changes_;
      if (is_due(rings_at)) remove_rings();
      work();
      if (is_due(unused_at) && (changes_ > 0 || options_.begun != nullptr) && may_be_unused()) remove(survey(graph_).unused);
      work();
      if (options_.by_flow && is_due(flow_at)) by_flow();
      work();
      if (options_.by_dominance && is_due(dominance_at)) by_dominance();
      work();
      make_tables();
      work();
      if (changes_ == before) break;
    }
    if (options_.begun != nullptr) {
      // What was known and lost its uses has died; what was made may never have had any.
      list_.listen(false);
      sweep(known);
      assert((result_.stopped || !has_useless(known)) && "a node that nothing uses is left");
    } else {
      find_constants(known);
    }
    save_constants();
    add_up();
    return result_;
  }

 private:
  void look_around() {
    const Survey found = survey(graph_);
    loops_ = found.loops;
    find_constants(0);
    in_order_ = found.in_order;
    if (!in_order_) rewriter_.find_knots();
    remove(found.unused);
  }
  /// From there on. Behind a parser, where all but back edges is in order, what is unused has no uses, but for what goes round in a
  /// loop.
  void sweep(uint32_t from) {
    const auto first_loop = static_cast<std::ptrdiff_t>(loops_.size());
    const uint32_t first_constant = constants_.size();
    for (uint32_t k = graph_.size(); k-- > from;) {
      NodeId n = static_cast<NodeId>(k);
      const NodeOp op = graph_.op(n);
      const bool was_held = graph_.let_go(n);
      if (op == NodeOp::loop) loops_.push_back(n);
      if (graph_.has_uses(n) && op == NodeOp::constant) constants_.push(n);
      if (graph_.has_uses(n) || op == NodeOp::dead) continue;
      if ((was_held && !graph_.acts(n)) || is_useless(n)) graph_.kill_unused(n);
    }
    std::reverse(loops_.begin() + first_loop, loops_.end());
    std::reverse(constants_.begin() + first_constant, constants_.end());
  }
  void find_constants(uint32_t from) {
    for (uint32_t k = from; k < graph_.size(); ++k)
      if (graph_.is_constant(static_cast<NodeId>(k))) constants_.push(static_cast<NodeId>(k));
  }
  [[maybe_unused]] bool has_useless(uint32_t before) const {
    for (uint32_t k = 0; k < before; ++k) {
      NodeId n = static_cast<NodeId>(k);
      if (!graph_.is_dead(n) && !graph_.has_uses(n) && !graph_.is_kept(n) && is_useless(n)) return true;
    }
    return false;
  }
  /// What has no uses.
  bool is_useless(NodeId n) const {
    const NodeOp op = graph_.op(n);
    if (has(op, leads_on) || op == NodeOp::start || op == NodeOp::stop) return is_dead_control(graph_, n);
    return (!has(op, may_act) && graph_.type(n) != void_type) || types_.of(n) == none;
  }

  /// Behind a parser, which has asked every value for all rewrites: those for which something has changed since, in them
  /// or as far away as rules look, and all that is no plain value. Ways out of branches wait for their branch.
  void push_unfinished() {
    std::vector<bool> wanted(graph_.size());
    const auto& unfinished = options_.begun->unfinished;
    constexpr size_t soon = 8;
    for (size_t i = 0; i < unfinished.size(); ++i) {
      if (i + 2 * soon < unfinished.size() && !is_none(unfinished[i + 2 * soon].shared)) {
        graph_.expect_read(unfinished[i + 2 * soon].node);
        graph_.expect_read(unfinished[i + 2 * soon].shared);
      }
      if (i + soon < unfinished.size() && !is_none(unfinished[i + soon].shared))
        graph_.expect_read_of_uses(unfinished[i + soon].shared);
      const auto& [n, shared] = unfinished[i];
      if (is_none(shared) || has_one_user(shared))
        wanted[index(n)] = true;
      else if (is_worth_a_look(graph_, n, shared))
        rewriter_.note_sum(n);
    }
    for (uint32_t k = 0; k < graph_.size(); ++k) {
      NodeId n = static_cast<NodeId>(k);
      const NodeOp op = graph_.op(n);
      if (op == NodeOp::dead || op == NodeOp::constant || op == NodeOp::parameter || op == NodeOp::projection) continue;
      if (op == Op::phi || floats(graph_, n)) {
        const bool is_news = !graph_.is_unified(n) || is_phi_to_see(n);
        if (is_news)
          for_each_looker(graph_, n, [&](NodeId user) {
            wanted[index(user)] = true;
            if (index(user) < k) list_.push(user);
          });
        if (!is_news && !wanted[k] && (op != Op::phi || !rewriter_.is_phi_of_constants(n))) continue;
      } else if (has_come_to_rest(n)) {
        continue;
      }
      list_.push(n);
    }
    list_.expect_lookers(true);
  }
  bool has_one_user(NodeId n) const {
    return graph_.has_uses(n) && graph_.first_use(n).user == graph_.last_use(n).user;
  }
  /// Of control: what parsing left undone finds nothing here, and does not until something near has changed.
  bool has_come_to_rest(NodeId n) const {
    if (graph_.is(n, Op::branch))
      return types_.is_reachable(graph_.input(n, 0)) && !types_.known_way(n) && is_none(rewriter_.negation_of(graph_.input(n, 1)));
    if (graph_.op(n) != NodeOp::region || graph_.input_count(n) < 2 || !graph_.has_uses(n)) return false;
    for (uint32_t i = 0; i < graph_.input_count(n); ++i)
      if (!types_.is_way_open(n, i) || graph_.input(n, i) == n) return false;
    const Graph::Use first = graph_.first_use(n);
    return first.number == 0 && graph_.is(first.user, Op::phi);
  }
  /// Whether those that use a phi may see more of it than when they were made: its loop was open then.
  bool is_phi_to_see(NodeId n) const {
    if (!graph_.is(n, Op::phi) || graph_.op(graph_.input(n, 0)) != NodeOp::loop) return false;
    return types_.of(n) != graph_.type(n) || rewriter_.is_phi_of_constants(n);
  }

  /// Rounds end when nothing changes, in small graphs in any case.
  bool may_go_on() const {
    constexpr uint64_t little = 1 << 24;  // nodes looked at
    return result_.rounds < options_.most_rounds || uint64_t{result_.rounds} * graph_.live_count() < little;
  }

  /// Nodes without a bearing on anything die at once, unless they use each other, which takes a loop.
  bool may_be_unused() const {
    if (!in_order_) return true;
    bool all_used = true;
    for (NodeId loop : loops_) {
      if (graph_.is_dead(loop)) continue;
      graph_.for_each_use(loop, [&](NodeId phi, uint32_t number) {
        if (number == 0 && graph_.is(phi, Op::phi)) all_used = is_surely_used(phi);
        return all_used;
      });
      if (!all_used) return true;
    }
    return false;
  }
  /// Something that is no plain value depends on it, and a short walk finds that.
  bool is_surely_used(NodeId phi) const {
    constexpr size_t most_values = 16, most_uses = 64;
    std::array<NodeId, most_values> values{phi};
    size_t count = 1, uses = 0;
    bool used = false;
    for (size_t k = 0; k < count && !used && uses < most_uses; ++k)
      graph_.for_each_use(values[k], [&](NodeId user, uint32_t) {
        used = !graph_.is(user, Op::phi) && !floats(graph_, user);
        auto end = values.begin() + count;
        if (!used && count < most_values && std::find(values.begin(), end, user) == end) values[count++] = user;
        return !used && ++uses < most_uses;
      });
    return used;
  }

  /// The graph is whole again.
  bool done(Rewrite rewrite, NodeId at) {
    ++result_.rewrites;
    changes_ += rewrite != Rewrite::ring_unused;
    list_.take_changes();
    if (options_.observer != nullptr && !options_.observer->rewritten(rewrite, at)) result_.stopped = true;
    return !result_.stopped;
  }

  void work() {
    do work_on_list();
    while (rewriter_.close_gaps());
  }
  void work_on_list() {
    while (!result_.stopped) {
      list_.take_changes();
      NodeId n = list_.pop();
      if (is_none(n)) return;
      // An operation that is not what it will be is not brought out of a phi.
      if (graph_.is(n, Op::phi) && (list_.waits_for_input(n) || (!list_.came_late() && is_of_operations(n))))
        list_.push_late(n);
      else
        visit(n);
    }
  }

  bool is_of_operations(NodeId phi) const {
    if (graph_.input_count(phi) < 3 || graph_.op(graph_.input(phi, 0)) != NodeOp::region) return false;
    auto is_operation = [&](NodeId n) { return !is_none(n) && floats(graph_, n) && graph_.input_count(n) != 0; };
    return is_operation(graph_.input(phi, 1)) && is_operation(graph_.input(phi, 2));
  }

  /// Control does not come there any more, and nothing uses its effect.
  bool has_lost_its_place(NodeId n) const {
    return !graph_.has_uses(n) && !graph_.is_kept(n) && has(graph_.op(n), may_act) && takes_effect(graph_, n) &&
           !types_.is_reachable(graph_.input(n, 0));
  }

  void visit(NodeId n) {
    if (has_lost_its_place(n)) return graph_.kill(n);
    const Type before = types_.of(n);
    const uint32_t known = graph_.size();
    graph_.keep(n);
    Rewriter::Outcome outcome = rewriter_.step(n);
    graph_.unkeep(n);
    if (types_.of(n) != before) {
      list_.push_users(n);
      list_.wake(n);
    }
    if (!outcome) {
      list_.forget_changes();
      return;
    }
    const bool is_new = outcome.by != n && index(outcome.by) >= known;
    const bool number_came_out = is_new && is_with_number(graph_, outcome.by) && !is_with_number(graph_, n);
    if (is_new) keep_declared(n, outcome.by);
    if (outcome.by != n)
      graph_.replace(n, outcome.by);
    else if (is_table_op(graph_.op(n)))
      graph_.kill_unused(n);
    if (number_came_out && graph_.has_one_use(outcome.by)) list_.push_climb(graph_.first_use(outcome.by).user);
    list_.push_first(n);
    list_.push_first(outcome.by);
    // Those made first are operands of those made later.
    for (uint32_t k = graph_.size(); k-- > known;) list_.push_first(static_cast<NodeId>(k));
    done(outcome.rewrite, n);
  }

  /// A new node for the same value: what was declared of the old one is true of it.
  void keep_declared(NodeId n, NodeId by) {
    const Type type = graph_.type(n);
    if (type.is_plain() || !floats(graph_, n) || !floats(graph_, by) || graph_.module().types.kinds(type) != graph_.type(by).bits) return;
    graph_.set_type(by, type);
    types_.narrow(by, type);
  }

  void by_flow() {
    if (in_order_) {
      for (const NarrowedType& narrowed : flow_types_of_loops(graph_, types_, loops_))
        take_flow(narrowed.node, narrowed.type);
      return;
    }
    NodeTypes flow(graph_);
    flow_types(graph_, flow);
    const uint32_t count = graph_.size();
    for (uint32_t k = 0; k < count; ++k) take_flow(static_cast<NodeId>(k), flow.of(static_cast<NodeId>(k)));
    for (uint32_t k = 0; k < count && !result_.stopped; ++k) {
      NodeId n = static_cast<NodeId>(k);
      while (!graph_.is_dead(n) && rewriter_.is_knot(n) && !is_dead_control(graph_, n)) {
        graph_.keep(n);
        Rewriter::Outcome outcome = rewriter_.step_reached_knot(n);
        graph_.unkeep(n);
        if (!outcome) break;
        if (outcome.by != n) graph_.replace(n, outcome.by);
        list_.push(outcome.by);
        done(outcome.rewrite, n);
      }
    }
  }

  /// What flow says of a node.
  void take_flow(NodeId n, Type type) {
    if (result_.stopped || graph_.is_dead(n)) return;
    const NodeOp op = graph_.op(n);
    if (type == none) {
      if ((op != NodeOp::projection && !is_region(op)) || is_dead_control(graph_, n)) return;
      types_.set(n, none);
      rewriter_.make_unreachable(n);
      done(Rewrite::flow_unreachable, n);
      return;
    }
    if (types_.narrow(n, type)) {
      list_.push(n);
      list_.push_users(n);
      list_.wake(n);
    }
    if (graph_.is_constant(n) || (op != Op::phi && op != Op::pi && !floats(graph_, n))) return;
    std::optional<TypeConstant> value = types_.constant(n, type);
    if (!value) return;
    graph_.replace(n, rewriter_.constant(value->kind, value->bits, graph_.loc(n)));
    done(Rewrite::flow_constant, n);
  }

  void by_dominance() {
    decide_by_dominance(graph_, rewriter_, told_, [this] { work_on_list(); });
    rewriter_.allow_truths(true);
    for (NodeId phi : rewriter_.take_truths()) list_.push(phi);
  }

  void make_tables() {
    const uint32_t known = graph_.size();
    const std::vector<NodeId> phis = rewriter_.take_constant_phis();
    make_phi_tables(graph_, rewriter_, phis, told_);
    for (uint32_t k = known; k < graph_.size(); ++k) list_.push(static_cast<NodeId>(k));
    for (NodeId phi : phis) note_sums_of(phi);
  }

  void note_sums_of(NodeId phi) {
    constexpr uint32_t most_uses = 8;
    uint32_t seen = 0;
    if (graph_.is_dead(phi)) return;
    graph_.for_each_use(phi, [&](NodeId user, uint32_t) {
      if (is_sum_op(graph_.op(user))) rewriter_.note_sum(user);
      const bool is_table = !is_none(region_of_columns(graph_, rewriter_, user)) && graph_.has_uses(user);
      if (is_table && is_sum_op(graph_.op(graph_.first_use(user).user))) rewriter_.note_sum(graph_.first_use(user).user);
      return ++seen < most_uses;
    });
  }

  void save_constants() {
    if (options_.constants_are_nodes && !result_.stopped) share_constants(graph_, rewriter_, constants_, told_);
  }

  /// When nothing else is left to do. From here on there are never more nodes than before.
  void add_up() {
    std::vector<NodeId> sums = rewriter_.take_sums();
    if (options_.begun != nullptr) sums.insert(sums.begin(), options_.begun->sums.begin(), options_.begun->sums.end());
    rewriter_.forbid_growth();
    while (!sums.empty() && !result_.stopped) {
      const uint64_t before = changes_;
      const uint32_t size_before = graph_.size();
      list_.listen(true);
      make_linear_sums(graph_, rewriter_, sums, options_.constants_are_nodes, told_);
      if (changes_ == before) break;
      work();
      list_.listen(false);
      find_constants(size_before);
      save_constants();
      sums = rewriter_.take_sums();
    }
  }

  void remove_rings() {
    const std::vector<RingOfPhis> rings = rings_of_phis(graph_, loops_, in_order_);
    std::vector<NodeId> by(rings.empty() ? 0 : graph_.size(), no_node);
    for (const RingOfPhis& ring : rings) {
      if (result_.stopped) return;
      NodeId value = ring.value;
      while (!is_none(by[index(value)])) value = by[index(value)];
      graph_.keep(value);
      for (NodeId phi : ring.phis) {
        by[index(phi)] = value;
        if (!graph_.is_dead(phi)) graph_.replace(phi, value);
      }
      graph_.unkeep(value);
      if (is_useless(value)) graph_.kill_unused(value);  // nothing but the ring may have used it
      done(Rewrite::phi_ring, ring.phis[0]);
    }
  }

  void remove(const std::vector<NodeId>& unused) {
    if (unused.empty() || result_.stopped) return;
    for (NodeId n : unused)
      for (uint32_t i = 0; !graph_.is_dead(n) && i < graph_.input_count(n); ++i) graph_.set_input(n, i, no_node);
    for (NodeId n : unused) graph_.kill_unused(n);
    done(Rewrite::ring_unused, unused[0]);
  }

  Graph& graph_;
  const OptimiseOptions& options_;
  NodeTypes types_;
  Rewriter rewriter_;
  WorkList list_;
  const std::function<bool(Rewrite, NodeId)> told_ = [this](Rewrite rewrite, NodeId at) { return done(rewrite, at); };
  std::vector<NodeId> loops_;
  Stack<NodeId> constants_;  ///< that were used when they were seen last
  bool in_order_ = true;
  uint64_t changes_ = 0;  ///< rewrites but those that only remove what is unused
  OptimiseResult result_;
};

}  // namespace

OptimiseResult optimise(Graph& graph, const OptimiseOptions& options) {
  // A rule that makes one node more counts on others to take away two, and once in some million graphs they do not. No single
  // rewrite can know that, so it is the result that is looked at.
  const bool is_bounded = options.constants_are_nodes && options.begun == nullptr && options.observer == nullptr;
  if (!is_bounded) return Optimiser(graph, options).run();
  const Graph given = graph;
  OptimiseOptions strict = options;
  for (const bool may_grow : {true, false}) {
    strict.may_grow_on_its_way = may_grow;
    const OptimiseResult result = Optimiser(graph, strict).run();
    if (graph.live_count() <= given.live_count()) return result;
    graph = given;
  }
  return {};  // as it was given
}

}  // namespace braid::sea
