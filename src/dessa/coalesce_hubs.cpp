// Values that come to webs of different classes: which class each of them joins, and where it is copied to
// beforehand.
#include <algorithm>

#include "dessa/coalescing.h"

namespace braid::dessa {

using ir::BlockId;
using ir::EdgeId;
using ir::Operand;

/// Parameters are often what several variables begin with. Of a value that comes to several phis of one
/// block, at most one can have it.
void Coalescing::find_hubs() {
  const ir::Function& f = webs_.function();
  is_hub_.assign(webs_.nodes.size(), 0);
  std::vector<uint32_t> last(webs_.nodes.size(), nothing);
  auto mark = [&](uint32_t node) {
    if (is_hub_[node]) return;
    is_hub_[node] = 1;
    hubs_.push_back(node);
  };
  for (uint32_t i = 0; i < f.param_count(); ++i)
    if (uint32_t node = webs_.node_of(Operand::param(i)); node != nothing) mark(node);
  for (uint32_t w = 0; w < webs_.webs.size(); ++w) {
    const Web& web = webs_.webs[w];
    for (uint32_t word : f.args(f.columns().stmt(web.phi))) {
      uint32_t node = webs_.node_of(Operand::from_word(word));
      if (node == nothing) continue;
      if (last[node] != nothing && last[node] != w && webs_.webs[last[node]].block == web.block) mark(node);
      last[node] = w;
    }
  }
}

void Coalescing::join_hubs() {
  if (hubs_.empty()) return;
  const ir::Function& f = webs_.function();
  std::vector<HubUse> uses;
  for (const Web& web : webs_.webs) {
    if (!live_.is_used(web.value)) continue;
    f.for_each_pred(static_cast<BlockId>(web.block), [&](EdgeId e) {
      uint32_t node = webs_.node_of(webs_.operand(web, f.edge(e).pred_index));
      if (node == nothing || !is_hub_[node] || !may_share(web.node, node)) return;
      uses.push_back({node, class_[web.node], index(f.edge(e).from)});
    });
  }
  std::sort(uses.begin(), uses.end());
  hub_budget_ = 8 * size_t{f.size()} + 4096;
  for (size_t i = 0; i < uses.size();) {
    size_t end = i;
    while (end < uses.size() && uses[end].hub == uses[i].hub) ++end;
    join_hub(uses[i].hub, std::span(uses).subspan(i, end - i));
    i = end;
  }
}

/// The class that it comes to along most edges first.
void Coalescing::join_hub(uint32_t hub, std::span<const HubUse> uses) {
  std::vector<std::span<const HubUse>> groups;
  for (size_t i = 0; i < uses.size();) {
    size_t end = i;
    while (end < uses.size() && uses[end].root == uses[i].root) ++end;
    groups.push_back(uses.subspan(i, end - i));
    i = end;
  }
  std::sort(groups.begin(), groups.end(), [](auto a, auto b) {
    return a.size() != b.size() ? a.size() > b.size() : a[0].root < b[0].root;
  });
  const Node node = webs_.nodes[hub];
  // Each try costs the whole range, so only the most promising classes are asked.
  constexpr uint32_t most_tries = 4;
  uint32_t tries = size_[class_[hub]] == 1 ? 0 : most_tries;
  LiveRanges::Range whole;
  bool is_phi = node.id.is_stmt() && ir::is_phi_like(webs_.function().op(node.id));
  for (std::span<const HubUse> group : groups) {
    uint32_t root = class_[group[0].root];
    if (root == class_[hub]) continue;
    if (tries < most_tries) {
      if (tries++ == 0) whole = live_.range(hub);
      if (!whole.empty() && is_free(hub, root, whole)) {
        join(root, class_[hub]);
        tries = most_tries;
        continue;
      }
    }
    if (group.size() < 2 || is_phi) continue;
    std::vector<uint32_t> blocks;
    for (const HubUse& use : group) blocks.push_back(use.block);
    LiveRanges::Range range = live_.range_to_ends(node.block, blocks, hub_budget_);
    hub_budget_ -= range.empty() ? hub_budget_ / 2 : range.size();
    if (range.empty() || !is_free(hub, root, range)) continue;
    live_.add_node(range);
    uint32_t copy = webs_.add_copy_of(hub);
    class_.push_back(copy);
    next_.push_back(copy);
    size_.push_back(1);
    is_hub_.push_back(0);
    copied_.push_back({hub, copy});
    join(root, copy);
  }
}

/// Whether a value made where the hub is, and alive in this range, interferes with no member of a class.
bool Coalescing::is_free(uint32_t hub, uint32_t root, const LiveRanges::Range& range) {
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
      if (webs_.nodes[at].kind == Node::Kind::value && differs(at) &&
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
