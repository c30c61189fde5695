#include "ssa/shortcuts.h"

#include <algorithm>

#include "ir/graph_view.h"

namespace braid::ssa {

using ir::BlockId;

namespace {
/// In smaller functions, for variables that are mentioned more often than in one of so many blocks, and where few others are left,
/// nothing is gained: dominators and loops cost as much as going through all blocks for so many variables.
constexpr size_t few_blocks = 64, rare = 4, few_tracks = 16;
}  // namespace

Shortcuts::Shortcuts(const flow::Graph& graph, const Tracks& tracks, const Regions& regions) {
  uint32_t block_count = static_cast<uint32_t>(graph.node_count());
  if (block_count < few_blocks) return;
  auto is_rare = [&](uint32_t t) {
    return rare * (tracks.definitions(t).size() + tracks.exposed_uses(t).size()) < block_count &&
           !tracks.exposed_uses(t).empty();
  };
  uint32_t track = tracks.count(), rare_count = 0;
  for (uint32_t t = tracks.count(); t-- > 0;) {
    if (!is_rare(t)) continue;
    track = t;
    ++rare_count;
  }
  if (rare_count < few_tracks) return;

  flow::Dominators dominators(graph);
  bypass_ = flow::Bypass(graph, dominators);
  bypass_.set_barriers(dominators, regions.barriers(bypass_));
  first_.assign(track, 0);
  first_.reserve(tracks.count() + 1);
  for (; track < tracks.count(); ++track) {
    first_.push_back(static_cast<uint32_t>(numbers_.size()));
    if (!is_rare(track)) continue;
    for (BlockId b : tracks.definitions(track))
      if (dominators.is_reachable(ir::node(b))) numbers_.push_back(bypass_.number(ir::node(b)));
    std::sort(numbers_.begin() + first_.back(), numbers_.end());
    numbers_.push_back(block_count);
  }
  first_.push_back(static_cast<uint32_t>(numbers_.size()));
}

BlockId Shortcuts::find(BlockId b, uint32_t track) const {
  std::span<const uint32_t> numbers(numbers_.data() + first_[track], first_[track + 1] - first_[track]);
  flow::Node found = bypass_.above(ir::node(b), numbers);
  return is_none(found) ? none_id<BlockId> : ir::block(found);
}

}  // namespace braid::ssa
