// What passes want to know of a function, built when a pass needs it and dropped when a pass does not keep it.
#pragma once

#include <cstdint>
#include <optional>

#include "flow/graph.h"
#include "ir/graph_view.h"
#include "ir/uses.h"

namespace braid::passes {

/// A set of analyses.
enum class Analysis : uint8_t {
  none = 0,
  cfg = 1,         ///< the blocks as a graph
  dominators = 2,  ///< dominance among blocks
  uses = 4,        ///< users of each value
  all = 7,
};
constexpr Analysis operator|(Analysis a, Analysis b) {
  return static_cast<Analysis>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool contains(Analysis set, Analysis part) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(part)) == static_cast<uint8_t>(part);
}

/// How a pass says what it needs and keeps.
constexpr Analysis needs(Analysis set) { return set; }
constexpr Analysis keeps(Analysis set) { return set; }

class Analyses {
 public:
  /// Builds what is missing of `set`.
  void require(const ir::Function& f, Analysis set) {
    if (contains(set, Analysis::cfg) && !cfg_) cfg_.emplace(ir::block_graph(f));
    if (contains(set, Analysis::dominators) && !dominators_) dominators_.emplace(f);
    if (contains(set, Analysis::uses) && !uses_) uses_.emplace(f);
  }
  void drop_all_but(Analysis kept) {
    if (!contains(kept, Analysis::cfg)) cfg_.reset();
    if (!contains(kept, Analysis::dominators)) dominators_.reset();
    if (!contains(kept, Analysis::uses)) uses_.reset();
  }
  Analysis available() const {
    return (cfg_ ? Analysis::cfg : Analysis::none) | (dominators_ ? Analysis::dominators : Analysis::none) |
           (uses_ ? Analysis::uses : Analysis::none);
  }

  /// Only for a pass that needs them.
  const flow::Graph& cfg() const { return *cfg_; }
  const ir::BlockDominance& dominators() const { return *dominators_; }
  const ir::Uses& uses() const { return *uses_; }

 private:
  std::optional<flow::Graph> cfg_;
  std::optional<ir::BlockDominance> dominators_;
  std::optional<ir::Uses> uses_;
};

}  // namespace braid::passes
