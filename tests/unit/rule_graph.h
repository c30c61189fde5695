// Expressions as a graph of values that share parts: the view through which tests try the rewrite rules.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ir/eval_op.h"
#include "rules/simplify.h"

namespace braid::rules {

class RuleGraph {
 public:
  using Value = uint32_t;

  struct Node {
    ir::Op op = ir::Op::nothing;  ///< `nothing` for constants and parameters
    Kind kind = Kind::i64;
    bool is_constant = false;
    uint64_t bits = 0;  ///< of a constant; the number of a parameter; the immediate of an operation
    std::vector<Value> inputs;
    uint32_t uses = 0;
  };

  /// Whether values of one use may be given up; otherwise all may.
  bool counts_uses = true;
  /// Told of each rule that fires.
  std::vector<uint64_t> fired = std::vector<uint64_t>(all_rules().size());
  uint64_t steps = 0;

  // ---- the view ----
  ir::Op op(Value v) const { return nodes_[v].op; }
  Kind kind(Value v) const { return nodes_[v].kind; }
  Value input(Value v, uint32_t i) const { return nodes_[v].inputs[i]; }
  uint64_t immediate(Value v) const { return nodes_[v].bits; }
  Maybe<uint64_t> constant_of(Value v) const {
    if (!nodes_[v].is_constant) return std::nullopt;
    return nodes_[v].bits;
  }
  bool same(Value a, Value b) const { return a == b; }
  bool once(Value v) const { return !counts_uses || nodes_[v].uses <= 1; }
  Value make(ir::Op op, Kind kind, std::span<const Value> inputs) { return operation(op, kind, inputs, 0); }
  Value constant(Kind kind, uint64_t bits) { return intern({ir::Op::nothing, kind, true, bits, {}, 0}); }

  // ---- building ----
  Value parameter(Kind kind, uint64_t number) {
    return intern({ir::Op::nothing, kind, false, number, {}, 0});
  }
  Value plain(ir::Op op, Kind kind, std::span<const Value> inputs, uint64_t immediate = 0) {
    Value made = intern({op, kind, false, immediate, {inputs.begin(), inputs.end()}, 0});
    return made;
  }
  /// Simplified to a fixpoint: what a rule makes is simplified, too.
  Value operation(ir::Op op, Kind kind, std::span<const Value> inputs, uint64_t immediate) {
    RuleId rule = RuleId::none;
    const std::vector<Value> copy(inputs.begin(), inputs.end());
    Maybe<Value> made;
    if (++depth_ > deepest)
      is_endless = true;
    else
      made = simplify(*this, op, kind, std::span<const Value>(copy), immediate, &rule);
    --depth_;
    if (!made) return plain(op, kind, copy, immediate);
    ++fired[static_cast<size_t>(rule)];
    ++steps;
    last = rule;
    return *made;
  }
  /// Rules made operations within operations without an end.
  bool is_endless = false;
  RuleId last = RuleId::none;

  const Node& operator[](Value v) const { return nodes_[v]; }
  Value size() const { return static_cast<Value>(nodes_.size()); }

  /// The bits of a value, given those of the parameters. Not for tuples.
  uint64_t evaluate(Value v, std::span<const uint64_t> parameters) const {
    std::vector<std::optional<uint64_t>> known(nodes_.size());
    std::vector<Value> work{v};
    while (!work.empty()) {
      Value at = work.back();
      if (known[at]) {
        work.pop_back();
        continue;
      }
      const Node& node = nodes_[at];
      if (node.op == ir::Op::nothing) {
        known[at] = node.is_constant ? node.bits : parameters[node.bits];
        continue;
      }
      const Node& source = node.op == ir::Op::extract ? nodes_[node.inputs[0]] : node;
      bool is_ready = true;
      for (Value input : source.inputs)
        if (!known[input]) {
          work.push_back(input);
          is_ready = false;
        }
      if (is_ready) known[at] = apply(node, source, known);
    }
    return *known[v];
  }

 private:
  uint64_t apply(const Node& node, const Node& source,
                 const std::vector<std::optional<uint64_t>>& known) const {
    if (node.kind == Kind::tuple) return 0;  // read through `extract`
    std::vector<uint64_t> words;
    for (Value input : source.inputs) words.push_back(*known[input]);
    if (node.op == ir::Op::extract) {
      if (source.op == ir::Op::tuple) return words[node.bits];
      std::optional<ir::OverflowResult> answer =
          ir::fold_overflow(source.op, nodes_[source.inputs[0]].kind, words);
      return node.bits == 0 ? answer->value : uint64_t{answer->overflow};
    }
    if (node.op == ir::Op::ptr_index) words.push_back(node.bits);
    return *ir::fold(node.op, nodes_[node.inputs.back()].kind, node.kind, words);
  }

  using Key = std::tuple<ir::Op, Kind, bool, uint64_t, std::vector<Value>>;
  Value intern(Node node) {
    Key key{node.op, node.kind, node.is_constant, node.bits, node.inputs};
    auto [found, is_new] = known_.emplace(std::move(key), size());
    if (is_new) {
      for (Value input : node.inputs) ++nodes_[input].uses;
      nodes_.push_back(std::move(node));
    }
    return found->second;
  }

  static constexpr int deepest = 100;
  int depth_ = 0;
  std::vector<Node> nodes_;
  std::map<Key, Value> known_;
};

static_assert(View<RuleGraph>);

}  // namespace braid::rules
