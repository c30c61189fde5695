// Scopes with lazy phis: what every name stands for at a point of a program that is being parsed straight into a graph.
//
// After chapter 8 of "Simple" (Click, 2024): the body of a loop begins with a scope that knows nothing. A name that is
// looked up there, or assigned, gets its phi in the head of the innermost loop; the phi's value from outside is looked up
// in the scope around, which may make phis in the loops around. Where scopes are merged, names are looked up in both. At
// the end of a loop its phis get their second value, and those that turn out to be useless go: at once, or where such a phi has many
// uses and becomes one of a loop around it, which may go just so, when the outermost loop ends, so that no use moves at the end of
// every loop.
//
// A copy of a scope is O(1); merging costs O(log names) for each name that was touched on one of the sides. Names of a
// finished block are forgotten at once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sea/graph.h"
#include "sea/peepholes.h"
#include "sea/slot_map.h"

namespace braid::sea {

inline constexpr uint32_t no_loop = 0xffffffffu;

/// The values of all names, and control, at one point. It goes back to its Scopes by a merge, `use` or `drop`.
struct Scope {
  NodeId control = no_node;
  SlotMaps::Version values;
  uint32_t loop = no_loop;  ///< where names without a value are looked up: a loop, or none
  uint32_t count = 0;       ///< names it knows
};

class Scopes {
 public:
  static constexpr uint32_t no_slot = 0xffffffffu;

  /// If `numbered`, it does exactly what the original does: every copy of a scope uses up a number of the graph, and at the end
  /// of a loop all phis that names stand for are looked at again, if something has changed for them.
  Scopes(Graph& graph, Peepholes& peepholes, bool numbered) : graph_(&graph), peepholes_(&peepholes), numbered_(numbered) {
    // Enough for small programs, of which there may be many.
    names_.reserve(16);
    levels_.reserve(16);
  }

  // ---- names ----
  void open_level() { levels_.push_back(now_.count); }
  void close_level() {
    forget_names(levels_.back());
    levels_.pop_back();
  }
  /// False, without any effect, if the innermost level has the name.
  bool define(Symbol name, Type type, NodeId value);
  /// The innermost one of this name, or `no_slot`.
  uint32_t find(Symbol name) const { return index(name) < slot_of_.size() ? slot_of_[index(name)] : no_slot; }
  uint32_t name_count() const { return now_.count; }
  uint32_t level_count() const { return static_cast<uint32_t>(levels_.size()); }
  /// The first name of a level.
  uint32_t level_begin(uint32_t level) const { return levels_[level]; }
  Symbol name(uint32_t slot) const { return names_[slot].symbol; }

  // ---- values, now ----
  NodeId control() const { return now_.control; }
  void set_control(NodeId control) {
    hold(control);
    now_.control = control;
  }
  NodeId lookup(uint32_t slot) { return lookup(now_, slot); }
  /// The name must have a value or a phi before: a new value in a loop makes the phi, as a look does.
  void assign(uint32_t slot, NodeId value) {
    hold(value);
    if (now_.loop != no_loop) lookup(now_, slot);
    maps_.set(now_.values, slot, value);
  }
  /// What the scope holds without making a phi; none if that would be needed.
  NodeId peek(const Scope& scope, uint32_t slot) const { return value(scope, slot); }
  const Scope& now() const { return now_; }

  // ---- ways that part and meet ----
  /// A copy of the scope as it is now.
  Scope fork();
  /// Goes on with `scope`, which may know fewer names; returns the one before.
  Scope use(Scope scope);
  void drop(Scope& scope) { maps_.release(scope.values); }
  /// Both ways meet. `into` is that of the two that goes on, with the names it knows. If `values` are given, the first is
  /// what an expression is worth on the way of `into`, the second on that of `other`; their phi is returned.
  NodeId merge(Scope& into, Scope& other, std::span<const NodeId> values = {});
  NodeId merge_into_now(Scope& other, std::span<const NodeId> values = {}) { return merge(now_, other, values); }
  /// Many ways meet in one region; the result is the first of them.
  Scope merge_all(std::span<Scope> scopes);

  // ---- loops ----
  /// Makes the loop, whose head is the scope as it is now.
  void begin_loop();
  uint32_t names_at_loop_head() const { return loops_.back().head.count; }
  /// Of the loops that are not closed, the outermost first.
  const Scope& loop_head(uint32_t loop) const { return loops_[loop].head; }
  uint32_t loop_count() const { return static_cast<uint32_t>(loops_.size()); }
  /// The scope as it is now goes back to the head; `exit` goes on behind the loop.
  void end_loop(Scope exit);

  /// Protects a node until `finish`, because a scope may name it.
  void hold(NodeId n) { graph_->hold(n); }
  /// No scope is needed any more: what only scopes held dies. O(graph).
  void finish();

 private:
  struct Name {
    Symbol symbol;
    Type type;
    uint32_t shadowed;  ///< the slot that has this name outside
  };
  struct Loop {
    Scope head;
    NodeId region;
    std::vector<uint32_t> touched;  ///< slots that have a phi of this loop
  };

  NodeId value(const Scope& scope, uint32_t slot) const { return current(maps_.get(scope.values, slot)); }
  /// What stands for a value now.
  NodeId current(NodeId n) const {
    for (; !is_none(n); n = graph_->is_dead(n) ? graph_->replacement(n) : stands_for(n))
      if (!graph_->is_dead(n) && is_none(stands_for(n))) break;
    return n;
  }
  /// Of a phi that waits for a loop around it: what will take its place.
  NodeId stands_for(NodeId phi) const {
    if (waiting_.empty()) return no_node;
    const auto found = waiting_by_phi_.find(index(phi));
    return found == waiting_by_phi_.end() ? no_node : waiting_[found->second].by;
  }
  NodeId lookup(Scope& scope, uint32_t slot) {
    NodeId n = value(scope, slot);
    return is_none(n) ? lookup_in_loops(scope, slot) : n;
  }
  NodeId lookup_in_loops(Scope& scope, uint32_t slot);
  bool is_phi_of(NodeId n, NodeId region) const { return graph_->is(n, ir::Op::phi) && graph_->input(n, 0) == region; }
  NodeId make_phi(uint32_t slot, std::span<const NodeId> inputs);
  void forget_names(uint32_t count);
  void close_phis(Loop& loop);
  void close_phi(Loop& loop, uint32_t slot);
  bool may_go_further(NodeId phi, NodeId by) const;
  void replace_waiting();
  void note_stale(NodeId replaced);
  bool is_stale(NodeId phi) const;

  Graph* graph_;
  Peepholes* peepholes_;
  bool numbered_;
  SlotMaps maps_;
  Scope now_;
  std::vector<Name> names_;
  std::vector<uint32_t> slot_of_;  ///< by symbol
  std::vector<uint32_t> levels_;   ///< names before each
  std::vector<Loop> loops_;
  std::vector<uint32_t> needing_;    ///< loops that need a phi
  std::vector<uint32_t> differing_;  ///< slots that differ
  std::vector<NodeId> inputs_;
  struct Stale {
    NodeId phi;
    uint32_t loops;  ///< ends of loops that it waits for
  };
  std::vector<Stale> stale_;  ///< phis that got a better input
  struct Waiting {
    NodeId phi, by;
  };
  std::vector<Waiting> waiting_;  ///< phis with many uses that merge nothing, until the outermost loop is closed
  std::unordered_map<uint32_t, uint32_t> waiting_by_phi_;
};

}  // namespace braid::sea
