#include "dessa/small_class.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace braid::dessa {

void SmallClass::prepare(std::span<const uint32_t> members, std::span<const Affinity> affinities) {
  count_ = static_cast<uint32_t>(members.size());
  std::fill(conflicts_, conflicts_ + count_, 0);
  for (uint32_t i = 0; i < count_; ++i)
    for (uint32_t j = 0; j < i; ++j)
      if (interfere_(members[i], members[j])) {
        conflicts_[i] |= uint64_t{1} << j;
        conflicts_[j] |= uint64_t{1} << i;
      }
  affinities_.clear();
  auto place = [&](uint32_t node) {
    return static_cast<uint8_t>(std::lower_bound(members.begin(), members.end(), node) - members.begin());
  };
  for (const Affinity& affinity : affinities) {
    Weighted found{place(affinity.a), place(affinity.b), 1};
    if (conflicts_[found.a] >> found.b & 1) continue;
    uint32_t& number = number_[found.a * most_members + found.b];
    if (number != nothing) {
      ++affinities_[number].weight;
      continue;
    }
    number = static_cast<uint32_t>(affinities_.size());
    affinities_.push_back(found);
  }
  for (const Weighted& affinity : affinities_) number_[affinity.a * most_members + affinity.b] = nothing;
}

void SmallClass::search() {
  std::vector<uint32_t> order(affinities_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    uint32_t x = affinities_[a].weight, y = affinities_[b].weight;
    return x != y ? x > y : a < b;
  });
  best_ = attempt(order);
  uint32_t tries = 0;
  for (bool better = true; better && tries < most_tries;) {
    better = false;
    std::vector<uint32_t> kept = best_.kept;
    for (uint32_t first : kept) {
      if (++tries > most_tries) break;
      std::vector<uint32_t> other = {first};
      std::copy_if(order.begin(), order.end(), std::back_inserter(other),
                   [&](uint32_t k) { return k != first; });
      Result result = attempt(other);
      if (result.left >= best_.left) continue;
      best_ = std::move(result);
      order = std::move(other);
      better = true;
      break;
    }
  }
}

SmallClass::Result SmallClass::attempt(std::span<const uint32_t> order) const {
  Result result;
  uint64_t members[most_members], conflicts[most_members];
  for (uint32_t i = 0; i < count_; ++i) {
    result.root[i] = static_cast<uint8_t>(i);
    members[i] = uint64_t{1} << i;
    conflicts[i] = conflicts_[i];
  }
  for (uint32_t k : order) {
    uint8_t a = result.root[affinities_[k].a], b = result.root[affinities_[k].b];
    if (a == b) continue;
    if ((conflicts[a] & members[b]) != 0) {
      result.left += affinities_[k].weight;
      result.kept.push_back(k);
      continue;
    }
    if (a > b) std::swap(a, b);
    members[a] |= members[b];
    conflicts[a] |= conflicts[b];
    for (uint32_t i = 0; i < count_; ++i)
      if (result.root[i] == b) result.root[i] = a;
  }
  return result;
}

}  // namespace braid::dessa
