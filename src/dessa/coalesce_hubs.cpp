// Values that come to webs of different classes: which class each of them joins, and where it is copied to
// beforehand.
#include <algorithm>

#include "base/csr.h"
#include "dessa/coalescing.h"

namespace braid::dessa {

using ir::Operand;

/// By hub; of each, every class that it can share a variable with once. O(nodes + phi operands).
std::vector<Coalescing::HubUses> Coalescing::find_hub_uses() {
  std::vector<HubUses> classes;
  std::vector<uint32_t> last(webs_.nodes.size(), nothing);  // by hub: its entry of the class that was looked at last
  std::vector<uint32_t> entry_of(hub_operands_.size());
  for (uint32_t i = 0; i < hub_operands_.size(); ++i) {
    const HubOperands& operands = hub_operands_[i];
    const Web& web = webs_.webs[operands.web];
    if (!may_share(web.node, operands.hub)) {
      entry_of[i] = nothing;
      continue;
    }
    uint32_t& entry = last[operands.hub];
    if (uint32_t root = class_[web.node]; entry == nothing || classes[entry].root != root) {
      entry = static_cast<uint32_t>(classes.size());
      classes.push_back({operands.hub, root, entry, 0});
    }
    entry_of[i] = entry;
    classes[entry].count += operands.count;
  }
  const auto by_hub = Csr<HubUses>::build(webs_.nodes.size(), [&](auto&& emit) {
    for (const HubUses& uses : classes) emit(uses.hub, uses);
  });
  std::vector<uint32_t> kept_as(classes.size());  // by entry: the one that has become of it
  std::vector<uint32_t>& of_root = last;          // by class: its entry of the present hub, or one of an earlier hub
  uint32_t kept = 0;
  for (const HubUses& uses : by_hub.items()) {
    uint32_t& at = of_root[uses.root];
    if (at < kept && classes[at].hub == uses.hub && classes[at].root == uses.root) {
      classes[at].count += uses.count;
    } else {
      at = kept++;
      classes[at] = uses;
    }
    kept_as[uses.first] = at;
  }
  classes.resize(kept);
  uint32_t place = 0;
  for (HubUses& uses : classes) {
    uses.first = place;
    place += uses.count;
  }
  hub_blocks_.resize(place);
  for (uint32_t i = 0; i < hub_operands_.size(); ++i) {
    const HubOperands& operands = hub_operands_[i];
    if (entry_of[i] == nothing) continue;
    const uint32_t* from = order_.preds(webs_.webs[operands.web].block).data() + operands.first;
    uint32_t& to = classes[kept_as[entry_of[i]]].first;
    for (uint32_t k = 0; k < operands.count; ++k) hub_blocks_[to++] = from[k];
  }
  for (HubUses& uses : classes) uses.first -= uses.count;
  return classes;
}

void Coalescing::join_hubs() {
  if (!webs_.has_hubs) return;
  std::vector<HubUses> classes = find_hub_uses();
  hub_budget_ = 8 * size_t{webs_.function().size()} + 4096;
  for (size_t i = 0; i < classes.size();) {
    size_t end = i;
    while (end < classes.size() && classes[end].hub == classes[i].hub) ++end;
    join_hub(std::span(classes).subspan(i, end - i));
    i = end;
  }
}

/// How large a range is looked at to save so many copies.
static size_t worth(size_t copies) { return 64 + 16 * copies; }

/// The class that it comes to along most edges first.
void Coalescing::join_hub(std::span<HubUses> classes) {
  std::sort(classes.begin(), classes.end(), [](const HubUses& a, const HubUses& b) {
    return a.count != b.count ? a.count > b.count : a.root < b.root;
  });
  const uint32_t hub = classes[0].hub;
  const Node node = webs_.nodes[hub];
  if (node.kind == Node::Kind::phi) return;
  bool is_phi = node.id.is_stmt() && ir::is_phi_like(webs_.function().op(node.id));
  // Only the most promising classes are asked.
  constexpr uint32_t most_tries = 4;
  uint32_t tries = size_[class_[hub]] == 1 ? 0 : most_tries;
  for (const HubUses& uses : classes) {
    uint32_t root = class_[uses.root];
    if (root == class_[hub] || is_in_use_where_made(hub, root)) continue;
    // Where it could be copied once, being the same saves that one copy.
    if (tries++ < most_tries && live_.look_at_range(hub, worth(1)) && is_free(hub, root)) {
      join(root, class_[hub]);
      tries = most_tries;
      continue;
    }
    if (uses.count < 2 || is_phi) continue;
    std::span<const uint32_t> ends = std::span(hub_blocks_).subspan(uses.first, uses.count);
    size_t most = std::min(hub_budget_, worth(uses.count));
    hub_budget_ -= std::min(hub_budget_, size_t{uses.count});
    if (!live_.look_at_range_to_ends(node.block, ends, most) || !is_free(hub, root)) continue;
    live_.add_copy(ends);
    uint32_t copy = webs_.add_copy_of(hub);
    class_.push_back(copy);
    next_.push_back(copy);
    size_.push_back(1);
    copied_.push_back({hub, copy});
    join(root, copy);
  }
}

/// Whether a member of a class is alive where the hub is made: of parameters, only other parameters are.
bool Coalescing::is_in_use_where_made(uint32_t hub, uint32_t root) {
  const Node& node = webs_.nodes[hub];
  if (node.id.is_param()) {
    for (uint32_t i = 0; i < webs_.function().param_count(); ++i)
      if (uint32_t other = webs_.node_of(Operand::param(i));
          other != nothing && other != hub && class_[other] == root)
        return true;
    return false;
  }
  if (size_[root] > hub_budget_) return true;
  hub_budget_ -= size_[root];
  uint32_t at = root;
  do {
    const Node& other = webs_.nodes[at];
    if (other.kind <= Node::Kind::phi && at != hub && other.value != node.value &&
        live_.is_live_after(at, node.block, node.point))
      return true;
    at = next_[at];
  } while (at != root);
  return false;
}

/// Whether no other member of a class is written where the hub is alive, in the range that is looked at.
bool Coalescing::is_free(uint32_t hub, uint32_t root) {
  if (size_[root] > hub_budget_) return false;
  hub_budget_ -= size_[root];
  const Node& node = webs_.nodes[hub];
  uint32_t at = root;
  do {
    const Node& member = webs_.nodes[at];
    const LiveRanges::Entry* entry = live_.entry(member.block);
    bool is_value = member.kind <= Node::Kind::phi;
    if (entry != nullptr && is_value && member.value != node.value) {
      bool is_behind = entry->comes_in || member.point >= node.point;
      if (is_behind && entry->is_live_after(member.point)) return false;
    }
    if (entry != nullptr && entry->comes_in && member.kind != Node::Kind::value) {
      const Web& web = webs_.webs[is_value ? at : member.value];
      if (interfere_.brings_other(web, node.value)) return false;
    }
    at = next_[at];
  } while (at != root);
  return true;
}

void Coalescing::sort_copied() {
  if (copied_.empty()) return;
  class_without_slots_ = class_;
  for (Copied& copied : copied_) copied.to = class_[copied.to];
  std::sort(copied_.begin(), copied_.end());
  first_copied_.resize(webs_.nodes.size() + 1);
  uint32_t next = 0;
  for (uint32_t n = 0; n < first_copied_.size(); ++n) {
    while (next < copied_.size() && copied_[next].node < n) ++next;
    first_copied_[n] = next;
  }
}

}  // namespace braid::dessa
