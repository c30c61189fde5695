// The order of a list by a key, equal keys in the order in which they stand. (std::stable_sort warns under clang with
// libstdc++ 12, whose temporary buffer uses a deprecated function.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace braid {

/// Positions of the list, sorted by `key(position)`. O(n log n).
template <typename Key>
std::vector<uint32_t> stable_order(size_t count, Key&& key) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    auto first = key(a), second = key(b);
    return first < second || (first == second && a < b);
  });
  return order;
}

}  // namespace braid
