#include "sea/hang_reads.h"

#include <vector>

#include "base/bit_set.h"
#include "flow/dominators.h"
#include "flow/iterated_frontier.h"
#include "sea/alias_classes.h"
#include "sea/control_blocks.h"
#include "sea/effects.h"

namespace braid::sea {

using ir::Op;

namespace {

class HangReads {
 public:
  HangReads(Graph& graph, const AliasClasses& classes)
      : graph_(graph), classes_(classes), control_(graph), flow_(control_.flow_graph()), tree_(flow_),
        reads_(classes.count()), changing_(classes.count()) {}

  void run() {
    sort_nodes();
    find_ends();
    for (uint32_t c = 0; c < classes_.count(); ++c)
      if (!reads_[c].empty()) hang(static_cast<uint8_t>(c));
  }

 private:
  static constexpr uint32_t nowhere = ControlBlocks::nowhere;

  bool is_state(NodeId n) const {
    return graph_.op(n) == NodeOp::effect_entry || (graph_.is(n, Op::phi) && graph_.type(n) == void_type);
  }
  bool leads_on(NodeId n) const {
    if (!takes_effect(graph_, n) || !is_link(graph_, n)) return false;
    return graph_.is(n, Op::enter) || !ir::is_terminator(table_op(graph_.op(n)));
  }

  void sort_nodes() {
    for (BitSet& blocks : changing_) blocks.resize(control_.size());
    for (uint32_t k = 0; k < graph_.size(); ++k) {
      NodeId n = static_cast<NodeId>(k);
      if (graph_.is_dead(n)) continue;
      if (graph_.op(n) == NodeOp::effect_entry) {
        if (uint32_t b = control_.of(graph_.input(n, 0)); b != nowhere)
          for (BitSet& blocks : changing_) blocks.set(b);
        states_.push_back(n);
      } else if (is_state(n)) {
        states_.push_back(n);
      } else if (leads_on(n)) {
        links_.push_back(n);
        if (uint32_t b = control_.of(graph_.input(n, 0)); b != nowhere) changing_[classes_.of_link(n)].set(b);
      } else if (graph_.is(n, Op::load) && is_none(graph_.input(n, 0)) && !is_none(graph_.input(n, 1))) {
        reads_[classes_.of_read(n)].push_back(n);
      }
    }
  }

  /// The last effect of each block: its last link, what it begins with, or that of its dominator.
  void find_ends() {
    end_.assign(control_.size(), no_node);
    auto block = [&](NodeId n) { return control_.of(graph_.input(n, 0)); };
    for (NodeId n : states_)
      if (block(n) != nowhere) end_[block(n)] = n;
    // A link that another one of its block follows is not the last.
    BitSet is_followed(graph_.size());
    for (NodeId n : links_)
      if (NodeId before = graph_.input(n, 1); before != graph_.start && block(before) == block(n)) is_followed.set(index(before));
    for (NodeId n : links_)
      if (block(n) != nowhere && !is_followed.test(index(n))) end_[block(n)] = n;
    for (flow::Node n : tree_.preorder()) {
      if (!is_none(end_[index(n)])) continue;
      end_[index(n)] = is_none(tree_.idom(n)) ? graph_.start : end_[index(tree_.idom(n))];
    }
  }

  void hang(uint8_t number) {
    std::vector<flow::Node> set;
    for (uint32_t b = 0; b < control_.size(); ++b)
      if (changing_[number].test(b)) set.push_back(static_cast<flow::Node>(b));
    BitSet meets(control_.size());
    flow::IteratedFrontier frontier(flow_, tree_);
    for (flow::Node n : frontier.of(set)) meets.set(index(n));
    seen_.assign(graph_.size(), no_node);
    for (NodeId read : reads_[number]) {
      NodeId state = state_of(graph_.input(read, 1), number, meets);
      if (state != graph_.input(read, 1)) graph_.set_input(read, 1, state);
    }
  }

  /// The nearest effect at or above `effect` that the class may have been changed by. What was found for one effect is known
  /// for all on the way.
  NodeId state_of(NodeId effect, uint8_t number, const BitSet& meets) {
    way_.clear();
    NodeId at = effect;
    for (; is_none(seen_[index(at)]); at = next(at)) {
      way_.push_back(at);
      if (at == graph_.start || is_end(at, number, meets)) {
        seen_[index(at)] = at;
        break;
      }
    }
    NodeId state = seen_[index(at)];
    for (NodeId n : way_) seen_[index(n)] = state;
    return state;
  }
  bool is_end(NodeId effect, uint8_t number, const BitSet& meets) const {
    const uint32_t b = control_.of(graph_.input(effect, 0));
    if (graph_.op(effect) == NodeOp::effect_entry || b == nowhere) return true;
    if (is_state(effect)) return meets.test(b);
    return classes_.ends(effect, number);
  }
  /// Above an effect that does not matter. Where ways meet that all lead down from one block without a change, its end.
  NodeId next(NodeId effect) const {
    if (!is_state(effect)) return graph_.input(effect, 1);
    flow::Node above = tree_.idom(static_cast<flow::Node>(control_.of(graph_.input(effect, 0))));
    return end_[index(above)];
  }

  Graph& graph_;
  const AliasClasses& classes_;
  ControlBlocks control_;
  flow::Graph flow_;
  flow::Dominators tree_;
  std::vector<NodeId> states_, links_;
  std::vector<std::vector<NodeId>> reads_;  ///< by class
  std::vector<BitSet> changing_;            ///< by class: blocks with links of it, or of which nothing is known
  std::vector<NodeId> end_;                 ///< by block
  std::vector<NodeId> seen_, way_;
};

}  // namespace

void hang_reads(Graph& graph) {
  AliasClasses classes(graph);
  if (classes.count() > 1) HangReads(graph, classes).run();
}

}  // namespace braid::sea
