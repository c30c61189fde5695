// Building a graph in the order of structured source: values, conditions, loops with break and continue, returns.
//
// One statement at a time, without looking ahead and without a tree. Names stand in `scopes()`. All steps are O(1) apart
// from peepholes and what `sea/scope.h` says of merging.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sea/scope.h"

namespace braid::sea {

struct BuildOptions {
  bool numbered = false;       ///< count scopes, as chapter 8 of Simple does
  bool single_region = false;  ///< all breaks of a loop meet in one region, and so do its continues
  bool effects = false;        ///< calls are chained in the order in which they happen
};

class Builder {
 public:
  Builder(Graph& graph, Peepholes& peepholes, BuildOptions options);

  Graph& graph() { return *graph_; }
  Scopes& scopes() { return scopes_; }
  const Scopes& scopes() const { return scopes_; }
  NodeId apply(NodeId n) { return peepholes_->apply(n); }

  // ---- values ----
  NodeId constant(int64_t value) { return peepholes_->constant(*graph_, value); }
  NodeId binary(ir::Op op, NodeId a, NodeId b) { return apply(graph_->make_of_two(node_op(op), i64, a, b)); }
  NodeId unary(ir::Op op, NodeId a) { return apply(graph_->make(op, i64, {a})); }
  NodeId is_zero(NodeId a) { return apply(graph_->make(NodeOp::is_zero, i64, {a})); }
  /// The next parameter of the function.
  NodeId parameter(Symbol name);
  /// Needs `effects`.
  NodeId call(ir::FuncId callee, std::span<const NodeId> arguments);

  // ---- conditions ----
  /// Begins what happens if `condition` is not zero.
  void if_(NodeId condition);
  /// Begins what happens otherwise.
  void else_();
  /// False if one of the sides has defined a name that is still there; then nothing is merged.
  bool end_if() { return end_if({}, nullptr); }
  /// The condition was an expression, worth one value or the other, which must be held.
  NodeId end_if_with(NodeId value, NodeId otherwise);

  // ---- loops ----
  void loop();
  /// Goes on if `condition` is not zero, otherwise behind the loop. Once in each loop, before break and continue.
  void loop_while(NodeId condition);
  bool in_loop() const { return !loops_.empty(); }
  void break_();
  void continue_();
  /// Where continue leads to. `end_loop` does it, unless there is something to do before the next round.
  void continue_here();
  void end_loop();

  // ---- ends ----
  void ret(NodeId value);
  /// A scope that goes on somewhere: now, or when what was begun is complete.
  struct LiveScope {
    enum class Kind : uint8_t { now, head, exit, next_round, then, otherwise };
    Kind kind;
    uint32_t number;  ///< of the loop or condition, the outermost is 0
    uint32_t names, levels;  ///< so many it knows
    const Scope* scope;
  };
  /// The one that is being built, those of open loops, those of open conditions.
  std::vector<LiveScope> live_scopes() const;
  bool reachable() const { return !graph_->type(scopes_.control()).is_none(); }
  /// The graph is complete. What scopes held may stay held, for an optimiser that goes through the whole graph anyway.
  void finish(bool lets_go = true);

 private:
  struct If {
    Scope other;           ///< the side that is not being built
    uint32_t names;        ///< before it
    uint32_t levels;
    bool in_else = false;
  };
  struct Loop {
    uint32_t levels = 0;
    Scope exit;
    std::vector<Scope> breaks;  ///< with a single region
    std::vector<Scope> continues;
    bool continued = false;
  };

  bool end_if(std::span<const NodeId> values, NodeId* joined);
  struct Ways {
    NodeId yes, no;
  };
  Ways branch(NodeId condition);
  NodeId unreachable() { return apply(graph_->make(NodeOp::region, none, {})); }
  /// The scope as it is now, without names that the loop's head does not know; nothing goes on here.
  Scope jump();
  NodeId effect() { return options_.effects ? scopes_.lookup(0) : no_node; }

  Graph* graph_;
  Peepholes* peepholes_;
  BuildOptions options_;
  Scopes scopes_;
  std::vector<If> ifs_;
  std::vector<Loop> loops_;
  std::vector<NodeId> inputs_;  ///< of a call
  uint32_t parameters_ = 0;
};

}  // namespace braid::sea
