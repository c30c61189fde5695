// The peepholes of chapter 8 of "Simple" (Click, 2024), rule for rule, as a graph is being parsed.
//
// A node is folded, or rewritten, until nothing applies; every new node goes through the same. There is no value
// numbering and no work list: a node is not looked at again when its inputs get better. Numbers of nodes (Graph::number)
// come out as in the original, those of nodes that are made and thrown away at once included.
//
// O(1) for each node that the original makes, and without recursion, apart from two searches:
// - the test that dominates an equal one is looked for among the latest uses of the condition, O(log depth) for each;
// - sums are kept in order, with one place for each term; see chapter8_sum.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sea/chapter8_sum.h"
#include "sea/control_tree.h"
#include "sea/peepholes.h"
#include "sea/rewrite.h"

namespace braid::sea {

class Chapter8 final : public Peepholes {
 public:
  /// A term that has to pass no more than `near` others goes to its place in a sum at once, as all do in the original.
  explicit Chapter8(Graph& graph, uint32_t near = 64) : graph_(graph), tree_(graph), near_(near) {}

  /// Room for so many nodes of control.
  void reserve(uint32_t nodes) {
    tree_.reserve(nodes);
    controls_.reserve(nodes);
  }
  NodeId apply(NodeId n) override;
  /// Hears of every rewrite. If it ends the rewriting, what was begun is still built, and every node from there on is left as it is.
  void set_observer(RewriteObserver* observer) { observer_ = observer; }

 private:
  /// What is to be done with the answer for a node.
  struct Frame {
    enum class Kind : uint8_t {
      replaced,    ///< `node` may die, since the answer stands for it
      add_right,   ///< the answer + `node` comes next
      phi_left,    ///< the answer is the left side of an operation pulled down through the phi `node`; the right one comes next
      phi_right,   ///< it is the right one; `left` is the left one
    };
    Kind kind;
    NodeId node;
    NodeId left = no_node;
  };
  enum class Decision : uint8_t { both, yes, no, neither };
  struct Control {
    NodeId dominator;      ///< none where the original gives up
    uint32_t depth;        ///< as the original counts: loops are 0
    NodeId zero;           ///< the nearest dominator, or the node itself, of depth 0
    Decision decision = Decision::both;
  };

  struct Loose {
    NodeId last;       ///< the last term, were they in order
    bool is_of_sums;   ///< the right side is a sum, too, and its terms are to come between those on the left
  };

  // One step: what `n` becomes, which may be `n` itself, changed; none if it is as good as it gets.
  NodeId step(NodeId n);
  NodeId step_arithmetic(NodeId n);
  NodeId step_add(NodeId n);
  NodeId step_mul(NodeId n);
  NodeId step_compare(NodeId n);
  NodeId step_phi(NodeId n);
  NodeId step_region(NodeId n);
  NodeId step_loop(NodeId n);
  NodeId step_projection(NodeId n);
  NodeId step_stop(NodeId n);

  NodeId phi_of_sides(NodeId phi, uint32_t side);
  NodeId push_up(NodeId n, bool rotate);
  bool goes_left(NodeId right_of_sum, NodeId term) const;
  bool is_phi_of_constants(NodeId n) const;
  bool in_progress(NodeId region) const { return is_none(graph_.input(region, graph_.input_count(region) - 1)); }
  bool is_dead_control(NodeId n) const { return graph_.type(n).is_none(); }
  bool may_step(NodeId n) const {
    return !is_over_ || (graph_.op(n) == NodeOp::projection && graph_.payload(n) == 1 && graph_.input(n, 0) == decided_);
  }
  NodeId swap_sides(NodeId n, Rewrite rewrite);
  /// A rewrite is done at `at`.
  void tell(Rewrite rewrite, NodeId at) {
    if (observer_ != nullptr) is_over_ = !observer_->rewritten(rewrite, at);
  }
  /// The same, where the node becomes another one.
  NodeId becomes(NodeId n, NodeId next, Rewrite rewrite) {
    tell(rewrite, n);
    frames_.push_back({Frame::Kind::replaced, n});
    return next;
  }
  void put_in_place(NodeId old, NodeId by);

  /// A constant, or what became one when it was looked at again, but is still used: the original asks types.
  bool has_value(NodeId n) const { return !graph_.type(n).is_plain(); }
  uint64_t bits(NodeId n) const {
    return graph_.is_constant(n) ? graph_.constant_value(n).bits : graph_.module().types.as_constant(graph_.type(n))->bits;
  }
  bool is_value(NodeId n, int64_t value) const { return has_value(n) && bits(n) == static_cast<uint64_t>(value); }
  NodeId becomes_number(NodeId n, uint64_t number, Rewrite rewrite) {
    if (graph_.has_uses(n)) graph_.set_type(n, graph_.module().types.int_constant(Kind::i64, static_cast<int64_t>(number)));
    return becomes(n, make_number(number), rewrite);
  }
  NodeId make_number(uint64_t bits) { return graph_.make_constant(i64, bits); }
  NodeId make(NodeOp op, NodeId a, NodeId b) { return graph_.make(op, i64, {a, b}); }
  Symbol joined_label(NodeId a, NodeId b);

  // chapter8_sum.cpp
  bool is_loose(NodeId sum) const { return !loose_.empty() && loose_.contains(index(sum)); }
  NodeId last_term(NodeId sum) const;
  bool belongs_near(NodeId sum, NodeId term) const;
  bool is_long(NodeId sum) const;
  bool is_in_order(NodeId sum) const;
  /// The last term is a constant or a phi of constants: such a one is never in a loose sum.
  bool ends_in_constants(NodeId sum) const;
  std::vector<SumOrder::Key> keys_of(NodeId sum, size_t most) const;
  SumOrder take_order(NodeId sum);
  void keep_loose(NodeId n, Loose loose, SumOrder order);
  void keep_order(NodeId n, SumOrder order);
  bool leave_loose(NodeId n);
  NodeId merge_loose(NodeId n);
  void note_right_end(NodeId n);
  void settle(NodeId n);
  void settle_alone(NodeId n);
  void settle_if_loose(NodeId n) {
    if (is_loose(n) && !is_over_) settle(n);
  }
  NodeId only_user(NodeId n) const;
  void settle_since(NodeId oldest);

  // chapter8_control.cpp
  void add_control(NodeId n, NodeId dominator, uint32_t depth);
  void know(NodeId n);
  void know_region(NodeId n);
  Control& control(NodeId n) { return controls_[graph_.note(n)]; }
  NodeId dominator_of_two(NodeId a, NodeId b);
  Decision decide(NodeId branch);

  Graph& graph_;
  ControlTree tree_;
  std::vector<Control> controls_;  ///< by place in the tree
  std::vector<Frame> frames_;
  std::unordered_map<uint32_t, Loose> loose_;      ///< sums that are not in order
  std::unordered_map<uint32_t, SumOrder> orders_;  ///< of long sums
  std::vector<uint32_t> young_;                    ///< those that came into either, in that order
  std::vector<uint32_t> parts_;                    ///< loose ones of loops that are closed, inside of others
  uint32_t near_;
  bool patient_ = true;      ///< a term that has far to go may wait
  bool may_merge_ = true;    ///< so may all terms of a sum
  RewriteObserver* observer_ = nullptr;
  bool is_over_ = false;  ///< nothing more is rewritten
  NodeId decided_ = no_node;  ///< the last branch whose first way out was rewritten: so must the other one be
};

}  // namespace braid::sea
