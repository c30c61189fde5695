// Ends the rewrites of a parse after a number of them, and remembers the last one.
//
// A program that is parsed again with one rewrite more each time is a complete graph each time, while in the middle of
// parsing there is none. Parsing is deterministic, so the first k rewrites are the same as in a parse without a limit.
#pragma once

#include <cassert>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "front/simple/simple.h"
#include "sea/peepholes.h"

namespace braid::simple {

class LimitedRewrites final : public sea::RewriteObserver {
 public:
  /// Where the parser is: the function, its graph, the offset in the text.
  struct Place {
    Symbol function;
    const sea::Graph* graph;
    std::optional<size_t> offset;
  };
  LimitedRewrites(const ParseOptions& options, std::function<Place()> place)
      : limit_(*options.limit), observer_(options.observer), place_(std::move(place)) {
    assert(limit_.rewrites > 0);
  }

  bool is_over() const { return trail_.rewrites >= limit_.rewrites; }
  RewriteTrail take_trail() { return std::move(trail_); }

  bool rewritten(sea::Rewrite rewrite, sea::NodeId at) override {
    if (is_over()) return false;
    if (observer_ != nullptr) observer_->rewritten(rewrite, at);
    const Place place = place_();
    trail_.last = rewrite;
    trail_.node = place.graph->number(at);
    trail_.function = place.function;
    trail_.offset = place.offset;
    trail_.within = std::exchange(within_, {});
    ++trail_.rewrites;
    return !is_over();
  }
  bool may_simplify_within() override {
    if (++steps_ > limit_.within || (observer_ != nullptr && !observer_->may_simplify_within())) return false;
    open_.push_back(steps_);
    return true;
  }
  void simplified_within(sea::Rewrite rule) override {
    if (observer_ != nullptr) observer_->simplified_within(rule);
    if (rule != sea::Rewrite::first_rule) within_.push_back({open_.back(), rule});
    open_.pop_back();
  }

 private:
  const RewriteLimit limit_;
  sea::RewriteObserver* observer_;
  std::function<Place()> place_;
  RewriteTrail trail_;
  uint64_t steps_ = 0;           ///< within rewrites
  std::vector<uint64_t> open_;   ///< steps that are being done
  std::vector<RewriteTrail::Within> within_;  ///< of the next rewrite
};

/// For the graphs of one program: the limit is on the rewrites of all of them.
class LimitedPeepholes final : public sea::Peepholes {
 public:
  LimitedPeepholes(const sea::Graph& graph, std::unique_ptr<sea::Peepholes> peepholes, const LimitedRewrites& limit)
      : graph_(graph), peepholes_(std::move(peepholes)), limit_(limit) {}

  sea::NodeId apply(sea::NodeId n) override {
    const bool is_way = graph_.op(n) == sea::NodeOp::projection;
    const sea::NodeId from = is_way ? graph_.input(n, 0) : sea::no_node;
    // The ways out of a branch are rewritten one after the other, and only both make a whole graph.
    if (limit_.is_over() && !(is_way && from == decided_)) return n;
    const sea::NodeId better = peepholes_->apply(n);
    if (is_way && better != n) decided_ = from;
    return better;
  }
  sea::NodeId constant(sea::Graph& graph, int64_t value) override { return peepholes_->constant(graph, value); }

 private:
  const sea::Graph& graph_;
  std::unique_ptr<sea::Peepholes> peepholes_;
  const LimitedRewrites& limit_;
  sea::NodeId decided_ = sea::no_node;  ///< the last branch of which a way out was rewritten
};

}  // namespace braid::simple
