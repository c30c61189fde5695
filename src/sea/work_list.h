// The work list: which nodes are to be looked at again.
//
// After a change it wakes the node itself and whoever looked into it. A node that lost or got a use is looked at, but those that
// looked into it only if its inputs changed (then it has left the table of equal nodes) or if one use is left: so that a
// node with many uses does not wake all of them each time. First come, first served, but new nodes at once; what costs its width (stop,
// wide regions and phis) waits until all else is done. O(1) per entry.
//
// Numbers that rules bring out of a chain of operations, as all of those in a long sum, wait until nothing else is to be done, and
// then go up from the inner end, each as far as the next one that waits, which it joins. If all went up a step at a time, each would
// go through the whole chain. O(log n) per number.
#pragma once

#include <vector>

#include "base/stack.h"
#include "sea/graph.h"
#include "sea/rewriter.h"

namespace braid::sea {

/// An operation on a value and a number, or one that only changes the sign: what rules bring out of a chain of operations.
inline bool is_with_number(const Graph& graph, NodeId n) {
  const NodeOp op = graph.op(n);
  if (!has(op, of_two)) return op == ir::Op::neg || op == ir::Op::not_;
  const NodeId left = graph.input(n, 0), right = graph.input(n, 1);
  return (!is_none(right) && graph.is_constant(right)) || (!is_none(left) && graph.is_constant(left));
}

class WorkList final : public Watchers {
 public:
  explicit WorkList(Graph& graph) : graph_(graph) { graph_.record_changes(&changes_); }
  ~WorkList() override { graph_.record_changes(nullptr); }
  WorkList(const WorkList&) = delete;
  WorkList& operator=(const WorkList&) = delete;

  /// Whether changes of the graph are heard of.
  void listen(bool on) { graph_.record_changes(on ? &changes_ : nullptr); }
  void watch(NodeId looked_at, NodeId looker) override;

  void push(NodeId n);
  /// Before all others: what a rewrite has made is finished before its users look at it.
  void push_first(NodeId n);
  /// One that a number has come to from below.
  void push_climb(NodeId n);
  void push_users(NodeId n) {
    graph_.for_each_use(n, [&](NodeId user, uint32_t) { push(user); });
  }
  /// Those that looked into it.
  void wake(NodeId n);
  /// From now on there may be nodes that have looked into others before this list was there: who may have is woken, too.
  void expect_lookers(bool on) { expects_lookers_ = on; }
  /// What the graph has recorded since the last call.
  void take_changes();
  /// What was tried and given up leaves nothing to look at.
  void forget_changes() { changes_.clear(); }
  /// The next node that is alive, or none.
  NodeId pop();
  /// Whether a number is still to come out of an input.
  bool waits_for_input(NodeId n) const;
  /// Behind all others.
  void push_late(NodeId n);
  /// Of the last one: all others have been looked at.
  bool came_late() const { return came_late_; }

 private:
  struct Entry {
    NodeId looker;
    uint32_t next;
  };
  static constexpr uint32_t end = 0xffffffffu;
  static constexpr uint32_t wide = 16;

  void grow();
  /// A number that nobody else needs stands in one of its operands.
  bool may_bring_out_a_number(NodeId n) const {
    if (!has(graph_.op(n), of_two) || is_with_number(graph_, n)) return false;
    const NodeId left = graph_.input(n, 0), right = graph_.input(n, 1);
    return !is_none(left) && !is_none(right) && ((is_with_number(graph_, left) && graph_.has_one_use(left)) ||
                                                 (is_with_number(graph_, right) && graph_.has_one_use(right)));
  }
  void push_climbing(NodeId n);

  Graph& graph_;
  std::vector<NodeId> changes_;
  Stack<NodeId> first_, list_, late_;
  std::vector<NodeId> climbs_;  ///< a heap, the lowest id in front: of what a parser makes that is the inner end
  bool came_late_ = false;
  bool is_climbing_ = false;    ///< what was given last came from there
  uint32_t next_ = 0;
  enum Waiting : uint8_t { nowhere, in_list, in_climbs };
  std::vector<Waiting> waiting_;   ///< by node
  std::vector<uint32_t> watchers_; ///< by node: its first entry
  Stack<Entry> entries_;
  uint32_t free_ = end;
  bool expects_lookers_ = false;
};

/// Those that may have looked at a node in search of a pattern: its users, and theirs. Of very many, only some.
template <typename F>
void for_each_looker(const Graph& graph, NodeId n, F&& f) {
  constexpr uint32_t most_users = 64;
  uint32_t left = most_users;
  graph.for_each_use(n, [&](NodeId user, uint32_t) {
    f(user);
    if (has(graph.op(user), computes | may_compute))
      graph.for_each_use(user, [&](NodeId next, uint32_t) {
        f(next);
        return left > 0 && --left > 0;
      });
    return left > 0 && --left > 0;
  });
}

}  // namespace braid::sea
