// Sums that are to be put together anew, planned before a node is made.
//
// A plan shares what is there already (equal nodes, constants) and what it has planned before, and knows its price: the nodes it
// needs, one each for what is new and for what would die without it. So two plans for the same values are compared to the node.
// O(nodes of the plan times uses of its values), of at most `most_uses` of one value.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

/// A value times a number.
struct Term {
  NodeId value;
  uint64_t factor;  ///< not 0, canonical bits

  bool operator==(const Term&) const = default;
};
/// A sum of different values, each with its factor, of a number, and of phis of such sums.
struct LinearForm {
  struct Way {
    std::vector<Term> terms;
    uint64_t constant = 0;
  };
  struct Column {
    NodeId region;
    NodeId like;  ///< a phi there, after which the new one is called
    std::vector<Way> ways;
  };
  std::vector<Term> terms;
  std::vector<Column> columns;
  uint64_t constant = 0;
  ir::Op relation = ir::Op::nothing;  ///< of all that to 0, if that is what is wanted: eq or ne
};

class SumPlan {
 public:
  /// `counts_constants`: they are nodes like others.
  SumPlan(const Graph& graph, bool counts_constants) : graph_(graph), counts_constants_(counts_constants) {}

  /// From now on, plans for values of this kind that take the place of the `tops`: what uses them is no part of it. The nodes of
  /// `dying`, sorted and no more than 64, will be gone unless the plan needs them.
  void begin(Kind kind, std::span<const NodeId> tops, std::span<const NodeId> dying);
  /// Anew.
  void clear();
  /// Plans all of these sums, which share what they can.
  void add(std::span<const LinearForm> forms);
  /// So many nodes there will be on account of the plan.
  uint32_t price() const { return price_of_steps_ + price_of_spared_; }

  /// What stands for the values that `add` was asked for, in its order: nodes, or steps of the plan.
  std::span<const NodeId> results() const { return results_; }
  /// A node to be made: an operation on nodes and steps, a constant, or a phi.
  struct Step {
    NodeOp op;
    NodeId left = no_node, right = no_node;
    uint64_t bits = 0;  ///< of a constant; of a phi, which one it is

    bool operator==(const Step&) const = default;
  };
  struct PlannedPhi {
    NodeId region, like;
    std::vector<NodeId> values;
  };
  const PlannedPhi& column(const Step& step) const { return phis_[step.bits]; }
  std::span<const Step> steps() const { return steps_; }
  /// Steps are named like nodes that are still to be made.
  bool is_step(NodeId n) const { return index(n) >= graph_.size(); }
  uint32_t number_of_step(NodeId n) const { return index(n) - graph_.size(); }

 private:
  struct Signed {
    NodeId value;
    bool negative;

    bool operator==(const Signed&) const = default;
  };
  using Values = std::vector<Signed>;
  /// A place in the plan to which it can go back.
  struct Mark {
    size_t steps;
    uint64_t spared;
    uint32_t price_of_steps, price_of_spared;
  };
  Mark mark() const { return {steps_.size(), spared_, price_of_steps_, price_of_spared_}; }
  void go_back(const Mark& mark);
  /// Plans the cheapest of `count` ways to do something, the first of them if several are. Each tells what it leaves to be done.
  /// `least`: less than that it cannot cost.
  template <typename Way>
  void cheapest(uint32_t count, Way&& way, uint32_t least = 0);

  uint64_t canonical(uint64_t bits) const;
  bool is_constant(NodeId n) const;
  static constexpr size_t most_dying = 64;
  size_t place_of_dying(NodeId n) const;
  bool is_dying(NodeId n) const { return place_of_dying(n) < most_dying; }
  bool is_top(NodeId n) const;
  void spare(NodeId n);
  NodeId used(NodeId n);
  NodeId step(const Step& step);
  NodeId constant(uint64_t bits);
  NodeId find(NodeOp op, NodeId left, NodeId right) const;
  NodeId make(ir::Op op, NodeId left, NodeId right = no_node);

  void find_multiples(NodeId value);
  NodeId multiple(NodeId value, uint64_t factor);
  uint32_t ways_to_multiply(NodeId value, uint64_t factor);
  NodeId multiply(NodeId value, uint64_t factor, uint32_t way);
  Signed scaled(NodeId value, uint64_t factor);
  void add_group(std::span<const Term> group, Values& to);
  NodeId with_known_pair(const Values& values, uint64_t number);
  static void sort(Values& values);
  NodeId sum(Values values, uint64_t number);
  NodeId with_number(NodeId value, uint64_t number);
  void add_result(const std::vector<Values>& sums, size_t number);
  NodeId equation(ir::Op relation, Values values, uint64_t number);
  bool find_pair(std::vector<Values>& sums);
  Values values_of(std::vector<Term> terms);
  Values values_of(const std::vector<Term>& terms, uint64_t& number);
  NodeId phi(const LinearForm::Column& column, std::span<const NodeId> values);
  void add_column(const LinearForm::Column& column, Values& to, uint64_t& number);
  void join(std::vector<Values>& sums, Signed a, Signed b);

  const Graph& graph_;
  const bool counts_constants_;
  Kind kind_{};
  int width_ = 0;
  std::span<const NodeId> tops_, dying_;
  std::array<uint64_t, most_dying> spared_with_{};  ///< by the place of a dying node, all that it needs, and itself
  uint64_t counted_ = 0;                            ///< dying nodes that have a price
  std::vector<Step> steps_;
  std::vector<PlannedPhi> phis_;
  uint64_t spared_ = 0;         ///< dying nodes that the plan needs, by their place
  uint32_t price_of_steps_ = 0, price_of_spared_ = 0;
  std::vector<NodeId> results_;
  std::vector<uint64_t> numbers_;  ///< of the sums
  std::vector<Term> multiples_;  ///< of the value that was asked for last, which are there
};

}  // namespace braid::sea
