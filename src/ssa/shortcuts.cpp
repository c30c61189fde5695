#include "ssa/shortcuts.h"

#include <algorithm>

#include "ir/graph_view.h"

namespace braid::ssa {

using ir::BlockId;

namespace {
/// In smaller functions, for variables that are mentioned more often than in one of so many blocks, and where few others are left,
/// nothing is gained: dominators and loops cost as much as going through all blocks for so many variables.
constexpr size_t few_places = 64, rare = 4, few_tracks = 16;

/// What a variable that is live everywhere costs, in blocks: a block has one or two edges, but for wide switches.
size_t places_of(const flow::Graph& graph) { return std::max(graph.node_count(), graph.edge_count() / 2); }
}  // namespace

Shortcuts::Shortcuts(const flow::Graph& graph, const Tracks& tracks, const Regions& regions) {
  const size_t places = places_of(graph);
  if (places < few_places) return;
  auto is_rare = [&](uint32_t t) {
    return rare * (tracks.definitions(t).size() + tracks.exposed_uses(t).size()) < places &&
           !tracks.exposed_uses(t).empty();
  };
  uint32_t track = tracks.count(), rare_count = 0;
  for (uint32_t t = tracks.count(); t-- > 0;) {
    if (!is_rare(t)) continue;
    track = t;
    ++rare_count;
  }
  if (rare_count < few_tracks) return;
  build(graph, track, tracks.count(), regions, is_rare, [&](uint32_t t) { return tracks.definitions(t); });
}

Shortcuts::Shortcuts(const flow::Graph& graph, const Csr<BlockId>& assignments, const Regions& regions) {
  const size_t places = places_of(graph);
  auto is_rare = [&](uint32_t variable) { return rare * assignments.row(variable).size() < places; };
  build(graph, 0, static_cast<uint32_t>(assignments.row_count()), regions, is_rare,
        [&](uint32_t variable) { return assignments.row(variable); });
}

/// For the tracks from `first` on.
template <typename IsRare, typename Definitions>
void Shortcuts::build(const flow::Graph& graph, uint32_t first, uint32_t end, const Regions& regions, IsRare&& is_rare,
                      Definitions&& definitions) {
  flow::Dominators dominators(graph);
  bypass_ = flow::Bypass(graph, dominators);
  bypass_.set_barriers(dominators, regions.barriers(bypass_));
  first_.assign(first, 0);
  first_.reserve(end + 1);
  for (uint32_t track = first; track < end; ++track) {
    first_.push_back(static_cast<uint32_t>(numbers_.size()));
    if (!is_rare(track)) continue;
    for (BlockId b : definitions(track))
      if (dominators.is_reachable(ir::node(b))) numbers_.push_back(bypass_.number(ir::node(b)));
    std::sort(numbers_.begin() + first_.back(), numbers_.end());
    numbers_.push_back(static_cast<uint32_t>(graph.node_count()));
  }
  first_.push_back(static_cast<uint32_t>(numbers_.size()));
}

BlockId Shortcuts::find(BlockId b, uint32_t track) const {
  std::span<const uint32_t> numbers(numbers_.data() + first_[track], first_[track + 1] - first_[track]);
  flow::Node found = bypass_.above(ir::node(b), numbers);
  return is_none(found) ? none_id<BlockId> : ir::block(found);
}

}  // namespace braid::ssa
