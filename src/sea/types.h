// Types of nodes: what is known of each value, and which control can be reached.
//
// A column beside the graph, whose own types are what nodes declare. Control that cannot be reached is of type `none`,
// other control and effects are `void`; values have types of the one lattice, by `ir/transfer`. Monotone: wider types
// of inputs never give a narrower answer, so that the same function serves those who come from above (peepholes) and
// those who come from `none` (SCCP). O(inputs) each.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/maybe.h"
#include "base/stack.h"
#include "sea/graph.h"
#include "sea/layout.h"

namespace braid::sea {

class NodeTypes {
 public:
  explicit NodeTypes(Graph& graph) : graph_(graph), asked_(size_t{1} << (32 - most_asked_shift)) {}

  /// Room for so many nodes.
  void reserve(uint32_t nodes) {
    types_.reserve(nodes);
    prefer_large_pages(types_.data(), size_t{types_.capacity()} * sizeof(Type));
    reserve_large(steps_, nodes);
  }
  /// Every node that exists now has the type `none`.
  void start_from_none() {
    types_.clear();
    std::fill_n(types_.add(graph_.size()), graph_.size(), none);
  }

  /// What is known; of a node that was not looked at yet, what it declares.
  Type of(NodeId n) const { return index(n) < types_.size() ? types_[index(n)] : declared(n); }
  void set(NodeId n, Type type) {
    if (types_.size() <= index(n)) know_declared(index(n) + 1);
    types_[index(n)] = type;
  }

  /// Takes note that a type is narrower than was known; false if it is not. What would get narrower step by step for
  /// ever, as ranges around a loop may, stops somewhere: every one of these types is true.
  bool narrow(NodeId n, Type type) { return type != of(n) && narrow_further(n, type); }

  /// The type that follows from the types of the inputs. An input that is still to come can be anything.
  Type compute(NodeId n);
  /// The same for a node that floats, with these types of its inputs.
  Type of_operation(NodeId n, std::span<const Type> inputs) {
    // Others have words that the answer hangs on.
    if (inputs.empty() || inputs.size() > 2 || graph_.payload(n) != 0) return compute_operation(n, inputs);
    return ask(n, inputs[0], inputs.back(), inputs.size());
  }
  /// The same for an op of class `of_two` whose inputs are there.
  Type of_two_values(NodeId n, NodeId left, NodeId right) {
    const Type a = of(left), b = of(right), declared = graph_.type(n);
    if (a == declared || b == declared)
      if (is_any_number(graph_.op(n), declared, a == declared ? b : a)) return declared;
    return ask(n, a, b, 2);
  }
  /// The number that a value always is, if it is an integer or a float that its declared type holds alone.
  std::optional<TypeConstant> constant(NodeId n, Type type) const;

  bool is_reachable(NodeId control) const { return of(control) != none; }
  /// Way `i` into a region leads there: it exists and can be reached.
  bool is_way_open(NodeId region, uint32_t i) const {
    NodeId from = graph_.input(region, i);
    return !is_none(from) && is_reachable(from);
  }
  /// The type with ranges that make it a truth: it is 0 or 1.
  bool is_truth(Type type) const;
  bool excludes_zero(Type type) const;
  /// Whether a branch or switch surely leaves by one way: its number.
  Maybe<uint32_t> known_way(NodeId splitter) const;

  /// What flows in where a type is declared. A declared reference may be null, which is a kind of its own: it must not
  /// look like a value that cannot be.
  Type as_declared(Type type, Type declared) const;

 private:
  /// Nothing is known of what is not defined.
  Type declared(NodeId n) const { return graph_.op(n) == NodeOp::undef ? any : graph_.type(n); }
  /// So many nodes have what they declare, but for those that are known.
  void know_declared(uint32_t count) {
    uint32_t k = types_.size();
    for (Type* type = types_.add(count - k); k < count; ++k) *type++ = declared(static_cast<NodeId>(k));
  }
  bool narrow_further(NodeId n, Type type);
  /// The type of an operation of one or two values; `right` is `left` if there is one.
  Type ask(NodeId n, Type left, Type right, size_t count);
  /// Whether the op of any number of a plain type and of this one is any number again, as a sum is.
  bool is_any_number(NodeOp op, Type plain, Type other) const {
    if ((op != ir::Op::add && op != ir::Op::sub && op != ir::Op::mul) || !plain.is_plain()) return false;
    if (other == plain) return true;
    if (table().kinds(other) != plain.bits) return false;
    return op != ir::Op::mul || excludes_zero(other);
  }
  Type of_table_op(NodeId n);
  Type of_values(NodeId n, uint32_t first);
  Type of_phi(NodeId n);
  Type of_projection(NodeId n) const;
  Type of_zero_test(NodeId n, Type type);
  Type of_truth(NodeId n, int64_t low, int64_t high);
  Type compute_operation(NodeId n, std::span<const Type> inputs);
  Maybe<Type> of_two_integers(NodeId n, Type left, Type right);
  TypeTable& table() const { return graph_.module().types; }

  /// An operation whose type was asked for, and the answer: few types make up most of a program.
  struct Asked {
    NodeOp op{};  ///< at first one that computes nothing
    Type declared, left, right, answer;
  };
  static constexpr uint32_t most_asked_shift = 28, least_asked_shift = 25;

  Graph& graph_;
  Stack<Type> types_;
  std::vector<uint8_t> steps_;  ///< how often a type got narrower
  std::vector<Type> inputs_;
  std::vector<Asked> asked_;  ///< by the first bits of a hash
  uint32_t asked_shift_ = most_asked_shift, asked_missed_ = 0;
};

}  // namespace braid::sea
