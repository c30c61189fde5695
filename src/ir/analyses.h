// What is known of a function beside its statements: analyses, built when somebody first asks, and kept as long as whoever
// edits the function says that they still hold.
//
// A pass asks, edits, and says by `keep` what its edits have left as it was:
//
//     const Uses& uses = analyses.uses();       // built, or still there from the pass before
//     …                                         // statements are edited, blocks are not
//     analyses.keep(Analysis::graph);           // `uses` is gone
//     analyses.keep(compact(f));                // what compaction has left as it was
//
// Nothing is built that nobody asks for. Cost: that of what is built, once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "flow/graph.h"
#include "ir/analysis.h"
#include "ir/function.h"
#include "ir/graph_view.h"
#include "ir/uses.h"

namespace braid::ir {

/// What building one analysis has cost, wherever and how often that was.
struct AnalysisCost {
  uint64_t built = 0;
  double milliseconds = 0;
};
/// In the order of `each_analysis`.
using AnalysisCosts = std::array<AnalysisCost, std::size(each_analysis)>;

class Analyses {
 public:
  /// `costs` may be null. Function and costs must stay where they are.
  explicit Analyses(const Function& f, AnalysisCosts* costs = nullptr) : f_(&f), costs_(costs) {}

  /// Each stays where it is until `keep` drops it, whatever else is asked for.
  const flow::Graph& cfg();
  const BlockDominance& dominators();
  const Uses& uses();

  /// The function was changed, and only these are still what they would be if they were built now.
  void keep(Analysis kept) {
    is_changed_ = is_changed_ || kept != Analysis::all;
    forget(Analysis::all - kept);
  }
  /// To save memory: says nothing of the function.
  void forget(Analysis set);

  Analysis held() const;
  /// Of those that are held: which are not what they would be if they were built now. Builds them.
  Analysis outdated() const;

  /// What was asked for, and whether `keep` reported a change, since `start`.
  void start() {
    asked_ = Analysis::none;
    is_changed_ = false;
  }
  Analysis asked() const { return asked_; }
  bool is_changed() const { return is_changed_; }

 private:
  void build_graph();

  const Function* f_;
  AnalysisCosts* costs_;
  Analysis asked_ = Analysis::none;
  bool is_changed_ = false;
  std::shared_ptr<const flow::Graph> cfg_;  ///< dominance has it, too
  std::optional<BlockDominance> dominators_;
  std::optional<Uses> uses_;
};

}  // namespace braid::ir
