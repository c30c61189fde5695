// Everything the room `flow` knows of a function, in one place: for drawings, reports and JSON.
#pragma once

#include <braid/expected.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csr.h"
#include "driver/live_mentions.h"
#include "flow/control_dependence.h"
#include "flow/dominators.h"
#include "flow/frontiers.h"
#include "flow/liveness.h"
#include "flow/loops.h"
#include "flow/post_dominators.h"
#include "ir/function.h"
#include "ir/order.h"
#include "text/print.h"

namespace braid::driver {

/// Which parts of it are shown.
struct ShownFacts {
  bool dominators = false, frontiers = false, loops = false, liveness = false;

  bool any() const { return dominators || frontiers || loops || liveness; }
};
inline constexpr ShownFacts all_facts = {true, true, true, true};
inline constexpr std::string_view shown_fact_names[] = {"dom", "frontier", "loops", "live"};
/// `dom,loops`; nothing if there is another name in it.
std::optional<ShownFacts> parse_shown_facts(std::string_view list);

/// Answers that may be quadratic, like the frontiers of a deep nest of loops, are listed up to this number of
/// entries.
inline constexpr uint64_t most_entries = 10'000'000;
/// An error that names the answer, if it is longer.
Expected<void> check_entries(const ir::Function& f, std::string_view answer, uint64_t count);
/// The same for the blocks of all loops, each loop for itself.
Expected<void> check_loop_members(const ir::Function& f, const flow::Loops& loops);

struct FlowFacts {
  /// What is not wanted stays empty, but graph, dominators and post-dominators are always there. An error if
  /// the frontiers or the liveness have too many entries. O(function + size of the answers).
  static Expected<FlowFacts> find(const ir::Function& f, const ShownFacts& wanted);

  std::span<const flow::Variable> live_in(flow::Node n) const { return liveness.live_in(n); }
  /// What is live into a successor, and what the phis there read on the way.
  std::vector<flow::Variable> live_out(flow::Node n) const;

  flow::Graph graph;
  flow::Dominators dominators;
  flow::PostDominators post_dominators;
  flow::Frontiers frontiers;
  flow::Loops loops;
  flow::Liveness liveness;  ///< by `live_things`
  std::vector<LiveThing> live_things;
  Csr<flow::Variable> phi_operands;  ///< by block: what the phis behind its edges read at its end
  std::vector<std::string> blocks;   ///< names

 private:
  explicit FlowFacts(const ir::Function& f);
};

enum class TargetKind : uint8_t { plain, if_true, if_false, case_, otherwise, body, handler };
struct Target {
  ir::BlockId to;
  TargetKind kind;
  std::string label;  ///< of a case: its value
};
std::string_view name(TargetKind kind);

/// Blocks as text. Making one costs O(function), a block what it is long.
class BlockText {
 public:
  explicit BlockText(const ir::Function& f) : f_(f), printer_(f), pending_(f) {}

  /// The live edges out of a block with what they mean, in the order of the listing.
  std::vector<Target> targets(ir::BlockId b) const;
  /// The statements of a block, one line each.
  std::vector<std::string> source(ir::BlockId b) const;

 private:
  const ir::Function& f_;
  text::StatementPrinter printer_;
  ir::PendingLists pending_;
};

}  // namespace braid::driver
