#include "sea/survey.h"

#include "base/bit_set.h"
#include "sea/layout.h"

namespace braid::sea {
namespace {

class Surveyor {
 public:
  explicit Surveyor(const Graph& graph) : graph_(graph), used_(graph.size()) {}

  Survey run() {
    for (uint32_t k = 0; k < graph_.size(); ++k) look_at_control(static_cast<NodeId>(k));
    for (NodeId n : early_)
      if (!used_.test(index(n)) && is_reached(n)) follow(n);
    if (!is_none(graph_.stop)) used_.set(index(graph_.stop));
    for (uint32_t k = graph_.size(); k-- > 0;) look_at_uses(static_cast<NodeId>(k));
    for (uint32_t k = 0; count_ < graph_.live_count() && k < graph_.size(); ++k) {
      if (used_.test(k) || graph_.is_dead(static_cast<NodeId>(k))) continue;
      found_.unused.push_back(static_cast<NodeId>(k));
      ++count_;
    }
    return std::move(found_);
  }

 private:
  /// What control can reach, and what has effects there, is of use without being used.
  bool acts(NodeId n) const {
    return has(graph_.op(n), may_act) && stands_under_control(graph_, n);
  }

  void look_at_control(NodeId n) {
    const NodeOp op = graph_.op(n);
    if (op == NodeOp::start) used_.set(index(n));
    if (!has(op, leads_on | may_act)) return;
    const bool leads = has(op, leads_on);
    if (!leads && !acts(n)) return;
    if (op == NodeOp::loop) found_.loops.push_back(n);
    bool early = false;
    for (uint32_t i = 0; i < ways_in(n); ++i) {
      NodeId from = graph_.input(n, i);
      early = early || (!is_none(from) && index(from) >= index(n));
    }
    if (early) {
      early_.push_back(n);
      found_.in_order = found_.in_order && !leads;
    } else if (is_reached(n)) {
      used_.set(index(n));
    }
  }
  /// How many of its inputs are control from which it may be reached; back edges come from what was reached before.
  uint32_t ways_in(NodeId n) const { return graph_.op(n) == NodeOp::region ? graph_.input_count(n) : 1; }
  bool is_reached(NodeId n) const {
    for (uint32_t i = 0; i < ways_in(n); ++i)
      if (NodeId from = graph_.input(n, i); !is_none(from) && used_.test(index(from))) return true;
    return false;
  }
  /// From a node that stands before its control on to all that it leads to.
  void follow(NodeId first) {
    list_.assign(1, first);
    used_.set(index(first));
    while (!list_.empty()) {
      NodeId n = list_.back();
      list_.pop_back();
      if (!has(graph_.op(n), leads_on)) continue;
      graph_.for_each_use(n, [&](NodeId user, uint32_t number) {
        if (is_region(graph_.op(user)) || (number == 0 && (has(graph_.op(user), leads_on) || acts(user))))
          if (used_.insert(index(user))) list_.push_back(user);
      });
    }
  }

  void look_at_uses(NodeId n) {
    if (!used_.test(index(n))) {
      if (!graph_.is_kept(n)) return;
      used_.set(index(n));
    }
    use_inputs(n, n);
    while (!list_.empty()) {
      NodeId behind = list_.back();
      list_.pop_back();
      use_inputs(behind, n);
    }
  }
  /// Those at or behind `now` are no more come to by the sweep.
  void use_inputs(NodeId n, NodeId now) {
    ++count_;
    for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
      NodeId input = graph_.input(n, i);
      if (!is_none(input) && used_.insert(index(input)) && index(input) >= index(now)) list_.push_back(input);
    }
  }

  const Graph& graph_;
  BitSet used_;
  uint32_t count_ = 0;  ///< of nodes whose place is known: used, with all inputs, or unused
  std::vector<NodeId> early_;  ///< nodes that stand before what leads to them
  std::vector<NodeId> list_;
  Survey found_;
};

}  // namespace

Survey survey(const Graph& graph) { return Surveyor(graph).run(); }

}  // namespace braid::sea
