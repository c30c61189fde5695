// The names of rewrites, and who is told of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "sea/graph.h"

namespace braid::sea {

/// A rewrite of the lists in `sea/rewrites.def` and `sea/chapter8_rewrites.def`, or behind them a rule of the rule files.
enum class Rewrite : uint32_t {
#define REWRITE(name, doc) name,
#include "sea/rewrites.def"
#include "sea/chapter8_rewrites.def"
#undef REWRITE
  first_rule
};
/// Of the optimiser: those of chapter 8 come behind them.
inline constexpr uint32_t listed_rewrite_count = static_cast<uint32_t>(Rewrite::chapter8_fold);
inline constexpr uint32_t first_rule_rewrite = static_cast<uint32_t>(Rewrite::first_rule);
constexpr Rewrite rewrite_by(rules::RuleId rule) { return static_cast<Rewrite>(first_rule_rewrite + static_cast<uint32_t>(rule)); }

/// How many there are, rules included.
uint32_t rewrite_count();
std::string_view name_of(Rewrite rewrite);
std::string_view doc_of(Rewrite rewrite);

/// Called after every single rewrite, when the graph is whole again; while a program is parsed, as soon as it is known that
/// the rewrite is done.
class RewriteObserver {
 public:
  virtual ~RewriteObserver() = default;
  /// `at` is the node that the rewrite looked at; it may be dead by now. False ends the rewriting here.
  virtual bool rewritten(Rewrite rewrite, NodeId at) = 0;
  /// While parsing, what a rule makes is simplified at once, as part of the same rewrite. Asked before each such step; if it may
  /// be, then told which rule it was: `first_rule`, which names none, if no rule applied. Steps may stand inside of others.
  virtual bool may_simplify_within() { return true; }
  virtual void simplified_within(Rewrite) {}
};

/// Counts how often each rewrite was done.
class RewriteCounts final : public RewriteObserver {
 public:
  RewriteCounts() : counts_(rewrite_count()) {}
  bool rewritten(Rewrite rewrite, NodeId) override {
    ++counts_[static_cast<uint32_t>(rewrite)];
    return true;
  }
  uint64_t count(Rewrite rewrite) const { return counts_[static_cast<uint32_t>(rewrite)]; }

 private:
  std::vector<uint64_t> counts_;
};

}  // namespace braid::sea
