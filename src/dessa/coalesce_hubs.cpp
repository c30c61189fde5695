// Values that come to webs of different classes: which class each of them joins, and where it is copied to
// beforehand.
#include <algorithm>

#include "dessa/coalescing.h"

namespace braid::dessa {

using ir::BlockId;
using ir::EdgeId;
using ir::Operand;

/// By hub and class. O(phi operands), and sorting what remains.
std::vector<Coalescing::HubUses> Coalescing::find_hub_uses() {
  const ir::Function& f = webs_.function();
  std::vector<HubUses> classes;
  std::vector<uint32_t> last(webs_.nodes.size(), nothing);  // by hub: its entry of the web that is looked at
  struct Use {
    uint32_t entry, block;
  };
  std::vector<Use> uses;
  for (const Web& web : webs_.webs) {
    if (!live_.is_used(web.value)) continue;
    uint32_t root = class_[web.node];
    for (EdgeId e = f.block(static_cast<BlockId>(web.block)).first_pred; !is_none(e); e = f.edge(e).next_pred) {
      uint32_t node = webs_.node_of(Webs::operand(web, f.edge(e).pred_index));
      if (node == nothing || !webs_.nodes[node].is_hub || !may_share(web.node, node)) continue;
      uint32_t& entry = last[node];
      if (entry == nothing || classes[entry].root != root) {
        entry = static_cast<uint32_t>(classes.size());
        classes.push_back({node, root, entry, 0});
      }
      ++classes[entry].count;
      uses.push_back({entry, index(f.edge(e).from)});
    }
  }
  auto key = [](const HubUses& c) { return uint64_t{c.hub} << 32 | c.root; };
  std::sort(classes.begin(), classes.end(),
            [&](const HubUses& a, const HubUses& b) { return key(a) != key(b) ? key(a) < key(b) : a.first < b.first; });
  // `last` is from now on, by entry, where its next block goes.
  last.resize(std::max(last.size(), classes.size()));
  uint32_t place = 0;
  size_t kept = 0;
  for (HubUses c : classes) {
    last[c.first] = place;
    bool is_more = kept != 0 && key(classes[kept - 1]) == key(c);
    if (is_more)
      classes[kept - 1].count += c.count;
    else
      classes[kept++] = {c.hub, c.root, place, c.count};
    place += c.count;
  }
  classes.resize(kept);
  hub_blocks_.resize(place);
  for (const Use& use : uses) hub_blocks_[last[use.entry]++] = use.block;
  return classes;
}

void Coalescing::join_hubs() {
  if (webs_.hubs.empty()) return;
  std::vector<HubUses> classes = find_hub_uses();
  hub_budget_ = 8 * size_t{webs_.function().size()} + 4096;
  for (size_t i = 0; i < classes.size();) {
    size_t end = i;
    while (end < classes.size() && classes[end].hub == classes[i].hub) ++end;
    join_hub(std::span(classes).subspan(i, end - i));
    i = end;
  }
}

/// The class that it comes to along most edges first.
void Coalescing::join_hub(std::span<HubUses> classes) {
  std::sort(classes.begin(), classes.end(), [](const HubUses& a, const HubUses& b) {
    return a.count != b.count ? a.count > b.count : a.root < b.root;
  });
  const uint32_t hub = classes[0].hub;
  const Node node = webs_.nodes[hub];
  if (node.kind == Node::Kind::phi) return;
  // Each try costs the whole range, so only the most promising classes are asked.
  constexpr uint32_t most_tries = 4;
  uint32_t tries = size_[class_[hub]] == 1 ? 0 : most_tries;
  std::vector<LiveRanges::Entry> whole;
  bool is_phi = node.id.is_stmt() && ir::is_phi_like(webs_.function().op(node.id));
  for (const HubUses& uses : classes) {
    uint32_t root = class_[uses.root];
    if (root == class_[hub]) continue;
    if (tries < most_tries) {
      if (tries++ == 0) {
        LiveRanges::Range range = live_.range(hub);
        whole.assign(range.begin(), range.end());
      }
      if (!whole.empty() && is_free(hub, root, whole)) {
        join(root, class_[hub]);
        tries = most_tries;
        continue;
      }
    }
    if (uses.count < 2 || is_phi) continue;
    std::vector<LiveRanges::Entry> range = live_.range_to_ends(
        node.block, std::span(hub_blocks_).subspan(uses.first, uses.count), hub_budget_);
    hub_budget_ -= range.empty() ? hub_budget_ / 2 : range.size();
    if (range.empty() || !is_free(hub, root, range)) continue;
    live_.add_node(range);
    uint32_t copy = webs_.add_copy_of(hub);
    class_.push_back(copy);
    next_.push_back(copy);
    size_.push_back(1);
    copied_.push_back({hub, copy});
    join(root, copy);
  }
}

/// Whether a value made where the hub is, and alive in this range, interferes with no member of a class.
bool Coalescing::is_free(uint32_t hub, uint32_t root, LiveRanges::Range range) {
  const ir::Function& f = webs_.function();
  const Node& node = webs_.nodes[hub];
  auto differs = [&](uint32_t other) {
    return other != hub && class_[other] == root && webs_.nodes[other].value != node.value;
  };
  // Members that are alive where the hub is made: of parameters, only other parameters.
  if (node.id.is_param()) {
    for (uint32_t i = 0; i < f.param_count(); ++i)
      if (uint32_t other = webs_.node_of(Operand::param(i)); other != nothing && differs(other)) return false;
  } else {
    if (size_[root] > hub_budget_) return false;
    hub_budget_ -= size_[root];
    uint32_t at = root;
    do {
      if (webs_.nodes[at].kind <= Node::Kind::phi && differs(at) &&
          live_.is_live_after(at, node.block, node.point))
        return false;
      at = next_[at];
    } while (at != root);
  }
  // Members that are written where it is alive: copies of other hubs, values, webs.
  auto find = [&](uint32_t block) {
    return std::find_if(range.begin(), range.end(),
                        [&](const LiveRanges::Entry& entry) { return entry.block == block; });
  };
  if (copied_.size() > hub_budget_) return false;
  hub_budget_ -= copied_.size();
  for (const Copied& copied : copied_) {
    if (!differs(copied.to)) continue;
    const Node& other = webs_.nodes[copied.to];
    auto at = find(other.block);
    if (at == range.end()) continue;
    bool is_behind = at->comes_in || other.point >= node.point;
    if (is_behind && at->is_live_after(other.point)) return false;
  }
  for (const LiveRanges::Entry& entry : range) {
    const ir::Block& block = f.block(static_cast<BlockId>(entry.block));
    size_t cost = block.end - block.first;
    if (cost > hub_budget_) return false;
    hub_budget_ -= cost;
    for (uint32_t i = block.first; i < block.end; ++i) {
      uint32_t other = webs_.node_at(i);
      if (other == nothing || !differs(other)) continue;
      const Node& member = webs_.nodes[other];
      bool is_behind = entry.comes_in || member.point > node.point;
      if (is_behind && entry.is_live_after(member.point)) return false;
    }
    if (!entry.comes_in) continue;
    for (const Web& web : webs_.webs_of(entry.block))
      if (class_[web.node] == root && interfere_.brings_other(web, node.value)) return false;
  }
  return true;
}

}  // namespace braid::dessa
