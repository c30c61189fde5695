// Values that branches tell something of, and the branches that could hear of it.
//
// Most tests of most programs share no value with another. To learn on every way and to ask at every branch would cost a walk
// through memory far apart, for nothing: this is a quick look at conditions first, as they come. What dominates a branch comes
// before it. It says yes too often, never too rarely, until the graph is changed. O(1) for a branch, and a bit for every node.
#pragma once

#include "base/bit_set.h"
#include "sea/rewriter.h"

namespace braid::sea {

class TestedValues {
 public:
  TestedValues(const Graph& graph, const Rewriter& rewriter) : graph_(graph), rewriter_(rewriter), told_(graph.size()) {}

  /// The next branch or switch. True if its condition hangs on something that one before it tells of.
  bool add(NodeId test) {
    const bool hears = !is_empty_ && hears_something(test);
    tell(test);
    return hears;
  }
  /// Whether there was any that tells of this value.
  bool is_told_of(NodeId value) const { return told_.test(index(value)); }

 private:
  bool hears_something(NodeId test) const;
  void tell(NodeId test);
  void note(NodeId value);

  const Graph& graph_;
  const Rewriter& rewriter_;
  BitSet told_;
  bool is_empty_ = true;
};

}  // namespace braid::sea
