#include "dessa/interference.h"

#include <algorithm>

namespace braid::dessa {

using Kind = Node::Kind;

namespace {

/// The first of a slot's upsilons, which are in order, that is not written before this point.
auto first_at(std::span<const Upsilon> upsilons, uint32_t point) {
  return std::ranges::lower_bound(upsilons, point, {}, [](const Upsilon& u) { return write_point(u.position); });
}

}  // namespace

bool Interference::operator()(uint32_t a, uint32_t b) const {
  if (a == b) return false;
  Kind of_a = webs_.nodes[a].kind, of_b = webs_.nodes[b].kind;
  if (of_a == Kind::slot) return of_slot(webs_.slots[webs_.nodes[a].value], b);
  if (of_b == Kind::slot) return of_slot(webs_.slots[webs_.nodes[b].value], a);
  if (of_a == Kind::phi) return of_phi(a, b);
  if (of_b == Kind::phi) return of_phi(b, a);
  if (of_a == Kind::web) return of_web(webs_.webs[webs_.nodes[a].value], b);
  if (of_b == Kind::web) return of_web(webs_.webs[webs_.nodes[b].value], a);
  return of_values(a, b);
}

bool Interference::is_written_above(uint32_t a, uint32_t b) const {
  const Node &above = webs_.nodes[a], &below = webs_.nodes[b];
  if (above.block == below.block) return above.point <= below.point;
  return order_.dominates(above.block, below.block);
}

/// A phi is its value and its web.
bool Interference::of_phi(uint32_t phi, uint32_t other) const {
  const Web& web = webs_.webs[phi];
  const Node& node = webs_.nodes[other];
  if (node.kind == Kind::web) return of_web(webs_.webs[node.value], phi) || of_webs(web, webs_.webs[node.value]);
  if (of_values(phi, other) || of_web(web, other)) return true;
  return node.kind == Kind::phi && (of_web(webs_.webs[other], phi) || of_webs(web, webs_.webs[other]));
}

bool Interference::of_values(uint32_t a, uint32_t b) const {
  const Node &x = webs_.nodes[a], &y = webs_.nodes[b];
  if (x.value == y.value) return false;
  // Written at once: one of them would be lost.
  if (x.block == y.block && x.point == y.point) return live_.is_used(a) && live_.is_used(b);
  if (is_written_above(a, b)) return live_.is_live_after(a, y.block, y.point);
  if (is_written_above(b, a)) return live_.is_live_after(b, x.block, x.point);
  return false;
}

bool Interference::brings_other(const Web& web, uint32_t value) const {
  for (uint32_t word : webs_.operands(web))
    if (ir::Operand operand = ir::Operand::from_word(word);
        !operand.is_undef() && webs_.value_of(operand) != value)
      return true;
  return false;
}

bool Interference::of_web(const Web& web, uint32_t other) const {
  const Node& node = webs_.nodes[other];
  if (node.kind == Kind::web) return of_webs(web, webs_.webs[node.value]);
  return live_.is_live_in(other, web.block) && brings_other(web, node.value);
}

bool Interference::of_webs(const Web& a, const Web& b) const {
  if (a.block != b.block) return false;
  for (uint32_t i = 0; i < webs_.operands(a).size(); ++i) {
    ir::Operand x = webs_.operand(a, i), y = webs_.operand(b, i);
    if (!x.is_undef() && !y.is_undef() && webs_.value_of(x) != webs_.value_of(y)) return true;
  }
  return false;
}

bool Interference::of_slot(const Slot& slot, uint32_t other) const {
  const Node& node = webs_.nodes[other];
  if (node.kind == Kind::slot) {
    const Slot& second = webs_.slots[node.value];
    return writes_over(slot, second) || writes_over(second, slot);
  }
  if (node.kind == Kind::web) return live_.is_slot_live_in(slot, node.block);
  if (node.kind == Kind::phi && live_.is_slot_live_in(slot, node.block)) return true;
  if (live_.is_slot_live_after(slot, node.block, node.point)) return true;
  auto writes_other = [&](const Upsilon& u) {
    ir::Operand written = webs_.operand(u);
    return !written.is_undef() && webs_.value_of(written) != node.value;
  };
  const std::span<const Upsilon> upsilons = webs_.upsilons_of(slot);
  const std::span<const LiveRanges::Entry> range = live_.range(other);
  if (live_.is_everywhere(other) || range.size() > upsilons.size()) {
    for (const Upsilon& u : upsilons)
      if (writes_other(u) && live_.is_live_after(other, u.block, write_point(u.position))) return true;
    return false;
  }
  // A slot may have very many upsilons, and few of them stand where the value is alive.
  for (const LiveRanges::Entry& entry : range) {
    const uint32_t start = start_point(webs_.function().block(static_cast<ir::BlockId>(entry.block)).first);
    const uint32_t from = entry.block == node.block ? node.point : start;
    for (auto u = first_at(upsilons, from); u != upsilons.end() && u->block == entry.block && entry.is_live_after(write_point(u->position)); ++u)
      if (writes_other(*u)) return true;
  }
  return false;
}

/// Slots of handlers inside each other are often written one behind the other, with the same value.
bool Interference::writes_over(const Slot& writer, const Slot& other) const {
  std::span<const Upsilon> written = webs_.upsilons_of(other);
  for (const Upsilon& u : webs_.upsilons_of(writer)) {
    if (webs_.operand(u).is_undef()) continue;
    if (!live_.is_slot_live_after(other, u.block, write_point(u.position))) continue;
    const auto behind = first_at(written, write_point(u.position));
    const bool is_written_before = behind != written.begin() && std::prev(behind)->block == u.block;
    if (!is_written_before || webs_.value_of(webs_.operand(*std::prev(behind))) != webs_.value_of(webs_.operand(u))) return true;
  }
  return false;
}

}  // namespace braid::dessa
