// The full optimiser: all rewrites to a fixpoint, over a whole graph.
//
// A work list does the local rewrites (sea/rewriter.h) until none applies; then three walks over the whole graph find what
// no neighbourhood shows: values and control by flow from `none` (sea/flow_types.h), tests that dominating branches
// decide (sea/dominating_facts.h), rings of phis and of unused nodes (sea/rings.h). What they change goes back to the
// work list, until nothing changes. Only where a graph is so large, or takes so many rounds, that they would cost more than
// looking at some sixteen million nodes, it ends after `most_rounds`.
//
// Effects are neither removed (unless nothing reaches them) nor put in another order. Deterministic. Each walk is linear,
// apart from the dominator tree; rounds are few.
#pragma once

#include <cstdint>
#include <span>

#include "sea/graph.h"
#include "sea/rewrite.h"
#include "sea/types.h"

namespace braid::sea {

/// A node that was not asked for all rewrites; or, if there is a shared value, one for which a rewrite may apply as soon as that has
/// no other user.
struct Unfinished {
  NodeId node;
  NodeId shared;
};
/// What was done while the graph was parsed, if every node came through FullPeepholes: values that nothing has happened to since
/// need no first look. What scopes hold is let go.
struct BegunWork {
  NodeTypes& types;  ///< are moved from here
  std::span<const Unfinished> unfinished;
  std::span<const NodeId> sums;  ///< see Rewriter::sums
};

struct OptimiseOptions {
  RewriteObserver* observer = nullptr;  ///< hears of every rewrite
  bool by_flow = true;                  ///< SCCP
  bool by_dominance = true;             ///< dominating tests
  bool constants_are_nodes = true;      ///< they count, so at the end as few as possible are left (sea/share_constants.h)
  bool may_grow_on_its_way = true;      ///< a rule may leave a node more if others are likely to take it away
  uint32_t most_rounds = 12;
  const BegunWork* begun = nullptr;
};

struct OptimiseResult {
  uint64_t rewrites = 0;
  uint32_t rounds = 0;
  bool stopped = false;  ///< the observer wanted no more
};

/// The graph must be whole: no back edge to come, nothing held by scopes. Where constants are nodes, nothing was begun, and nobody
/// observes it, there are never more nodes in the end than in the graph that was given.
OptimiseResult optimise(Graph& graph, const OptimiseOptions& options = {});

}  // namespace braid::sea
