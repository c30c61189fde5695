// The names of rewrites, and who is told of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

/// A rewrite of the list in `sea/rewrites.def`, or behind them a rule of the rule files.
enum class Rewrite : uint32_t {
#define REWRITE(name, doc) name,
#include "sea/rewrites.def"
#undef REWRITE
  first_rule
};
inline constexpr uint32_t listed_rewrite_count = static_cast<uint32_t>(Rewrite::first_rule);

/// How many there are, rules included.
uint32_t rewrite_count();
std::string_view name_of(Rewrite rewrite);
std::string_view doc_of(Rewrite rewrite);

/// Called after every single rewrite, when the graph is whole again.
class RewriteObserver {
 public:
  virtual ~RewriteObserver() = default;
  /// `at` is the node that the rewrite looked at; it may be dead by now. False ends the optimisation here.
  virtual bool rewritten(Rewrite rewrite, NodeId at) = 0;
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
