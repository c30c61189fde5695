#include "sea/dominating_facts.h"

#include <optional>

#include "flow/dominators.h"
#include "sea/known_facts.h"

namespace braid::sea {
namespace {

using ir::Op;

class Walk {
 public:
  Walk(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done, const std::function<void()>& settle)
      : graph_(graph), rewriter_(rewriter), done_(done), settle_(settle) {}

  void run() {
    find_places();
    if (!learns_) return;
    facts_.emplace(graph_, rewriter_);
    flow::Graph control = flow::Graph::from_edges(places_.size(), flow::Node{0}, edges_);
    flow::Dominators tree(control);
    for (flow::Node n : tree.preorder()) {
      leave(tree.level(n));
      NodeId place = places_[index(n)];
      levels_.push_back({graph_.op(place) == NodeOp::projection ? place : no_node, 0});
      if (!visit(place)) return;
    }
    // Where branches were decided, two columns may yet turn out to be equal that a number in one of them would tell apart.
    if (decided_) return;
    for (const Named& named : named_)
      if (!name_number(named)) return;
  }

 private:
  static constexpr uint32_t most_columns = 32;
  /// An input that is a number where it is used.
  struct Named {
    NodeId user;
    uint32_t input;
    NodeId value;
    TypeConstant number;
  };

  /// A level of the dominator tree, on the way from the start to where the walk is.
  struct Level {
    NodeId way;   ///< what it can tell of, or none
    size_t mark;  ///< of the facts, when it was learned
  };
  void leave(uint32_t level) {
    if (learned_ > level) {
      facts_->forget(levels_[level].mark);
      learned_ = level;
    }
    levels_.resize(level);
  }
  /// Most places ask for nothing: what is known is learned when somebody asks.
  KnownFacts& facts() {
    for (; learned_ < levels_.size(); ++learned_) {
      levels_[learned_].mark = facts_->mark();
      const NodeId way = levels_[learned_].way;
      if (!is_none(way) && !graph_.is_dead(way)) learn(way);
    }
    return *facts_;
  }

  /// Control nodes that blocks begin with, start first, and the ways between them.
  void find_places() {
    std::vector<uint32_t> number(graph_.size(), not_found);
    auto find = [&](NodeId n) {
      if (number[index(n)] == not_found) {
        number[index(n)] = static_cast<uint32_t>(places_.size());
        places_.push_back(n);
      }
      return flow::Node{number[index(n)]};
    };
    places_.reserve(16);
    find(graph_.start);
    edges_.reserve(graph_.live_count() / 2);
    for (uint32_t k = 0; k < places_.size(); ++k) {
      graph_.for_each_use(places_[k], [&](NodeId user, uint32_t i) {
        const NodeOp op = graph_.op(user);
        if (op == NodeOp::projection || is_region(op)) edges_.push_back({flow::Node{k}, find(user)});
        if (i != 0 || !splits_control(op)) return;
        graph_.for_each_use(user, [&](NodeId way, uint32_t) {
          if (graph_.op(way) == NodeOp::projection) edges_.push_back({flow::Node{k}, find(way)});
          learns_ = learns_ || op == Op::branch || op == Op::switch_;
        });
      });
    }
  }

  void learn(NodeId way) {
    NodeId from = graph_.input(way, 0);
    const uint32_t number = graph_.payload(way);
    if (graph_.is(from, Op::branch)) {
      facts_->learn_truth(graph_.input(from, 1), number == 0);
    } else if (graph_.is(from, Op::switch_) && number > 0) {
      ir::Operand value = ir::Operand::from_word(graph_.words(from)[number - 1]);
      facts_->learn_equal(graph_.input(from, 1), graph_.module().constants.value(value).bits);
    }
  }

  bool visit(NodeId place) {
    uses_.clear();
    graph_.for_each_use(place, [&](NodeId user, uint32_t number) { uses_.push_back({user, number}); });
    for (size_t k = 0; k < uses_.size(); ++k) {
      const Graph::Use use = uses_[k];
      // What was decided before has changed the graph.
      if (graph_.is_dead(use.user) || use.number >= graph_.input_count(use.user) || graph_.input(use.user, use.number) != place) continue;
      const NodeOp op = graph_.op(use.user);
      if (is_region(op)) {
        visit_columns(use.user, use.number);
      } else if (use.number == 0 && op == Op::branch) {
        const NodeId last = graph_.last_use(place).user;
        if (!visit_branch(use.user)) return false;
        // Where it led may be this place now, with the next branch.
        if (graph_.has_uses(place) && graph_.last_use(place).user != last) {
          const Graph::Use next = graph_.last_use(place);
          if (next.number == 0 && graph_.is(next.user, Op::branch)) uses_.push_back(next);
        }
      } else if (use.number == 0 && is_table_op(op) && takes_effect(graph_, use.user) && op != Op::save_state) {
        for (uint32_t i = first_value(graph_, use.user); i < graph_.input_count(use.user); ++i) note_number(use.user, i);
      }
    }
    return true;
  }

  bool visit_branch(NodeId branch) {
    NodeId condition = graph_.input(branch, 1);
    if (graph_.is_constant(condition)) return true;
    const std::optional<bool> answer = facts().decide(condition);
    if (!answer) return true;
    std::optional<Kind> kind = graph_.module().types.single_kind(graph_.type(condition));
    if (!kind) return true;
    Rewrite name = facts().was_asked(condition) ? Rewrite::branch_same_test : Rewrite::branch_implied;
    graph_.set_input(branch, 1, rewriter_.constant(*kind, *answer, graph_.loc(branch)));
    decided_ = true;
    if (!done_(name, branch)) return false;
    settle_();
    return true;
  }

  /// A column of a phi, if all others are constants: otherwise two columns that are equal might be told apart.
  void visit_columns(NodeId region, uint32_t way) {
    if (graph_.input_count(region) > most_columns) return;
    graph_.for_each_use(region, [&](NodeId user, uint32_t number) {
      if (number != 0 || !graph_.is(user, Op::phi)) return;
      for (uint32_t i = 1; i < graph_.input_count(user); ++i)
        if (i != way + 1 && !graph_.is_constant(graph_.input(user, i))) return;
      note_number(user, way + 1);
    });
  }

  void note_number(NodeId user, uint32_t i) {
    NodeId value = graph_.input(user, i);
    if (is_none(value) || graph_.is_constant(value)) return;
    if (std::optional<TypeConstant> number = facts().known_number(value)) named_.push_back({user, i, value, *number});
  }
  bool name_number(const Named& named) {
    const auto& [user, i, value, number] = named;
    if (graph_.is_dead(user) || graph_.input_count(user) <= i || graph_.input(user, i) != value) return true;
    // Not if that makes a node more: the value stays for others, and the constant is new.
    const uint32_t known = graph_.size();
    NodeId constant = rewriter_.constant(number.kind, number.bits, graph_.loc(user));
    if (index(constant) >= known && !graph_.has_one_use(value)) {
      graph_.kill(constant);
      return true;
    }
    graph_.set_input(user, i, constant);
    return done_(Rewrite::use_known, user);
  }

  static constexpr uint32_t not_found = 0xffffffffu;

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  const std::function<void()>& settle_;
  std::optional<KnownFacts> facts_;  ///< if there is something to learn from
  std::vector<Level> levels_;
  size_t learned_ = 0;  ///< levels that facts are learned from
  std::vector<NodeId> places_;
  std::vector<flow::Edge> edges_;
  std::vector<Graph::Use> uses_;
  std::vector<Named> named_;
  bool learns_ = false;   ///< there is something to learn from
  bool decided_ = false;
};

}  // namespace

void decide_by_dominance(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done,
                         const std::function<void()>& settle) {
  Walk(graph, rewriter, done, settle).run();
}

}  // namespace braid::sea
