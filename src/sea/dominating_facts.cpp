#include "sea/dominating_facts.h"

#include <cassert>
#include <memory>
#include <optional>

#include "base/stack.h"
#include "flow/dominance.h"
#include "sea/known_facts.h"
#include "sea/tested_values.h"

namespace braid::sea {
namespace {

using ir::Op;

/// Places where there is nothing to ask are asked, too.
#ifdef NDEBUG
constexpr bool checks_promises = false;
#else
constexpr bool checks_promises = true;
#endif

class Walk {
 public:
  Walk(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done, const std::function<void()>& settle)
      : graph_(graph), rewriter_(rewriter), done_(done), settle_(settle) {}

  void run() {
    if (!find_places()) return;
    facts_.emplace(graph_, rewriter_);
    const flow::Dominance tree = dominance();
    // Nothing is to be learned on a way behind which nobody asks.
    BitSet passed = asking_;
    if (stand_forwards_) tree.add_dominators(passed);
    for (flow::Node n : tree.preorder()) {
      // Where a branch was decided, the answer to others may hang on what that has left.
      const bool asks_all = decided_ || !stand_forwards_;
      const bool asks = asks_all || asking_.test(index(n));
      if (!asks_all && !checks_promises && !passed.test(index(n))) continue;
      while (!levels_.empty() && !tree.dominates(levels_.back().at, n)) leave();
      NodeId place = places_[index(n)];
      levels_.push({n, graph_.op(place) == NodeOp::projection ? place : no_node, 0});
      assert((asks || finds_nothing(place)) && "a question with an answer is not asked");
      if (asks && !visit(place)) return;
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

  struct Question {
    NodeId user;
    uint32_t input;
    NodeId place;
  };

  /// A level of the dominator tree, on the way from the start to where the walk is.
  struct Level {
    flow::Node at;
    NodeId way;   ///< what it can tell of, or none
    size_t mark;  ///< of the facts, when it was learned
  };
  void leave() {
    if (learned_ == levels_.size()) {
      facts_->forget(levels_.back().mark);
      --learned_;
    }
    levels_.pop();
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

  /// Finds control nodes that blocks begin with, the ways between them, and where there may be an answer; false if there is none. Nodes
  /// stand in memory as they were made: to read them in that order is much faster than to follow uses.
  bool find_places() {
    const uint32_t count = graph_.size();
    numbers_ = std::make_unique_for_overwrite<uint32_t[]>(count);
    TestedValues tested(graph_, rewriter_);
    Stack<NodeId> asking;
    Stack<Question> questions;
    bool any_test = false;
    for (uint32_t k = 0; k < count; ++k) {
      const NodeId n = static_cast<NodeId>(k);
      const NodeOp op = graph_.op(n);
      if (has(op, computes) || op == NodeOp::constant || op == NodeOp::dead) continue;
      if (is_place(op)) {
        numbers_[k] = places_.size();
        places_.push(n);
        add_ways(n);
      } else if (op == Op::branch || op == Op::switch_) {
        any_test = true;
        stand_forwards_ = stand_forwards_ && index(graph_.input(n, 0)) < k;
        if (tested.add(n) && op == Op::branch) asking.push(graph_.input(n, 0));
      } else if (op == Op::phi) {
        if (std::optional<uint32_t> way = only_open_column(n)) questions.push({n, *way + 1, graph_.input(graph_.input(n, 0), *way)});
      } else if (asks_numbers(n)) {
        for (uint32_t i = first_value(graph_, n); i < graph_.input_count(n); ++i) questions.push({n, i, graph_.input(n, 0)});
      }
    }
    if (!any_test) return false;
    starts_.push(ways_.size());
    for (flow::Node& way : ways_) way = flow::Node{numbers_[index(way)]};
    stand_forwards_ = stand_forwards_ && numbers_[index(graph_.start)] == 0;
    if (!stand_forwards_) return true;
    asking_.resize(places_.size());
    for (const Question& question : questions) {
      const NodeId value = graph_.input(question.user, question.input);
      if (!is_none(value) && tested.is_told_of(value)) asking.push(question.place);
    }
    for (NodeId place : asking)
      if (!is_none(place) && is_place(graph_.op(place))) asking_.set(numbers_[index(place)]);
    return !asking.empty();
  }
  /// Of a place, the places that lead there, as nodes.
  void add_ways(NodeId place) {
    starts_.push(ways_.size());
    for (uint32_t i = 0; i < graph_.input_count(place); ++i) {
      NodeId from = graph_.input(place, i);
      if (is_none(from)) continue;
      if (splits_control(graph_.op(from))) {
        stand_forwards_ = stand_forwards_ && index(from) < index(place);
        from = graph_.input(from, 0);
      }
      if (!is_none(from) && is_place(graph_.op(from))) ways_.push(flow::Node{index(from)});
    }
  }
  /// Who dominates whom among the places. They stand in the order in which they were made, which is forwards unless rewrites have
  /// put control in between; if it is not, all are asked.
  flow::Dominance dominance() {
    flow::Dominance dominance;
    if (stand_forwards_ && dominance.build(starts_, ways_)) return dominance;
    stand_forwards_ = false;
    const flow::Graph control = flow::Graph::build(places_.size(), flow::Node{numbers_[index(graph_.start)]}, [&](auto&& emit) {
      for (uint32_t k = 0; k < places_.size(); ++k)
        for (uint32_t i = starts_[k]; i < starts_[k + 1]; ++i) emit(ways_[i], flow::Node{k});
    });
    dominance.take(flow::Dominators(control));
    return dominance;
  }
  static bool is_place(NodeOp op) { return op == NodeOp::projection || is_region(op) || op == NodeOp::start; }

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
      } else if (use.number == 0 && asks_numbers(use.user)) {
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

  /// What takes effect there may be told a number, but for what only names values.
  bool asks_numbers(NodeId n) const {
    const NodeOp op = graph_.op(n);
    return is_table_op(op) && op != Op::save_state && op != Op::branch && takes_effect(graph_, n);
  }
  /// The way of a column of a phi, if all others are constants: otherwise two columns that are equal might be told apart.
  std::optional<uint32_t> only_open_column(NodeId phi) const {
    std::optional<uint32_t> open;
    const uint32_t count = graph_.input_count(phi);
    if (count > most_columns + 1) return std::nullopt;
    for (uint32_t i = 1; i < count; ++i) {
      const NodeId value = graph_.input(phi, i);
      if (!is_none(value) && graph_.is_constant(value)) continue;
      if (open) return std::nullopt;
      open = i - 1;
    }
    return open;
  }
  void visit_columns(NodeId region, uint32_t way) {
    graph_.for_each_use(region, [&](NodeId user, uint32_t number) {
      if (number == 0 && graph_.is(user, Op::phi) && only_open_column(user) == way) note_number(user, way + 1);
    });
  }

  /// What `tested_values` promises of a place.
  [[maybe_unused]] bool finds_nothing(NodeId place) {
    bool nothing = true;
    auto ask = [&](NodeId value) { nothing = nothing && (is_none(value) || graph_.is_constant(value) || !facts().known_number(value)); };
    graph_.for_each_use(place, [&](NodeId user, uint32_t number) {
      if (is_region(graph_.op(user)))
        graph_.for_each_use(user, [&](NodeId phi, uint32_t of) {
          if (of == 0 && graph_.is(phi, Op::phi) && only_open_column(phi) == number) ask(graph_.input(phi, number + 1));
        });
      else if (number == 0 && graph_.is(user, Op::branch))
        nothing = nothing && (graph_.is_constant(graph_.input(user, 1)) || !facts().decide(graph_.input(user, 1)));
      else if (number == 0 && asks_numbers(user))
        for (uint32_t i = first_value(graph_, user); i < graph_.input_count(user); ++i) ask(graph_.input(user, i));
    });
    return nothing;
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

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  const std::function<void()>& settle_;
  std::optional<KnownFacts> facts_;  ///< if there is something to learn from
  Stack<Level> levels_;
  uint32_t learned_ = 0;  ///< levels that facts are learned from
  Stack<NodeId> places_;
  std::unique_ptr<uint32_t[]> numbers_;  ///< of places, by node; nothing for others
  Stack<uint32_t> starts_;         ///< for each place, its first way; one more at the end
  Stack<flow::Node> ways_;
  bool stand_forwards_ = true;
  BitSet asking_;                        ///< places where there may be an answer, if they stand forwards
  std::vector<Graph::Use> uses_;
  std::vector<Named> named_;
  bool decided_ = false;
};

}  // namespace

void decide_by_dominance(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done,
                         const std::function<void()>& settle) {
  Walk(graph, rewriter, done, settle).run();
}

}  // namespace braid::sea
