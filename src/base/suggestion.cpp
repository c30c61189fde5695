#include "base/suggestion.h"

#include <algorithm>
#include <vector>

namespace braid {

// The optimal string alignment distance: the table of Wagner and Fischer (1974) with swaps, three rows of it at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known, std::string_view prefix) {
  std::string_view best;
  size_t best_distance = 0;
  for (std::string_view candidate : known) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    const size_t most = std::max<size_t>(1, longer / 3);
    if (longer - shorter > most) continue;  // it takes as many edits
    const size_t distance = edit_distance(word, candidate);
    if (distance > most || distance >= longer) continue;
    if (!best.empty() && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  if (best.empty()) return {};
  return ", did you mean '" + std::string(prefix) + std::string(best) + "'?";
}

}  // namespace braid
