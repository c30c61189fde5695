#include "driver/diff.h"

#include <algorithm>
#include <cstdint>

namespace braid::driver {
namespace {

constexpr size_t most_changes = 2000;
constexpr size_t context = 3;

using Lines = std::vector<std::string_view>;

struct Edit {
  char kind;  ///< ' ' both, '-' expected only, '+' actual only
  std::string_view line;
};

/// The middle part of two texts whose first and last lines differ. `paths[d]` is how far diagonal k goes with d changes.
std::vector<Edit> shortest_script(const Lines& a, const Lines& b) {
  int64_t n = static_cast<int64_t>(a.size()), m = static_cast<int64_t>(b.size());
  int64_t limit = std::min<int64_t>(n + m, most_changes);
  std::vector<std::vector<int64_t>> paths;
  std::vector<int64_t> reach(static_cast<size_t>(2 * limit + 3), 0);
  auto at = [&](std::vector<int64_t>& v, int64_t k) -> int64_t& { return v[static_cast<size_t>(k + limit + 1)]; };
  int64_t found = -1;
  for (int64_t d = 0; d <= limit && found < 0; ++d) {
    for (int64_t k = -d; k <= d; k += 2) {
      bool down = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
      int64_t x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(x - k)]) ++x;
      at(reach, k) = x;
      if (x >= n && x - k >= m) {
        found = d;
        break;
      }
    }
    paths.push_back(reach);
  }
  std::vector<Edit> script;
  if (found < 0) {
    for (std::string_view line : a) script.push_back({'-', line});
    for (std::string_view line : b) script.push_back({'+', line});
    return script;
  }
  int64_t x = n, y = m;
  for (int64_t d = found; d > 0; --d) {
    std::vector<int64_t>& before = paths[static_cast<size_t>(d - 1)];
    int64_t k = x - y;
    bool down = k == -d || (k != d && at(before, k - 1) < at(before, k + 1));
    int64_t from_k = down ? k + 1 : k - 1, from_x = at(before, from_k), from_y = from_x - from_k;
    int64_t snake_x = down ? from_x : from_x + 1;
    for (; x > snake_x; --x, --y) script.push_back({' ', a[static_cast<size_t>(x - 1)]});
    script.push_back(down ? Edit{'+', b[static_cast<size_t>(from_y)]} : Edit{'-', a[static_cast<size_t>(from_x)]});
    x = from_x;
    y = from_y;
  }
  for (; x > 0; --x) script.push_back({' ', a[static_cast<size_t>(x - 1)]});
  std::reverse(script.begin(), script.end());
  return script;
}

std::vector<Edit> edits_between(const Lines& a, const Lines& b) {
  size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<Edit> edits;
  for (size_t i = 0; i < head; ++i) edits.push_back({' ', a[i]});
  auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  std::vector<Edit> script = shortest_script(middle(a), middle(b));
  edits.insert(edits.end(), script.begin(), script.end());
  for (size_t i = a.size() - tail; i < a.size(); ++i) edits.push_back({' ', a[i]});
  return edits;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string unified_diff(std::string_view expected, std::string_view actual, std::string_view expected_name,
                         std::string_view actual_name) {
  if (expected == actual) return {};
  std::vector<Edit> edits = edits_between(split_lines(expected), split_lines(actual));
  std::string out = "--- " + std::string(expected_name) + "\n+++ " + std::string(actual_name) + "\n";
  size_t line_a = 1, line_b = 1;
  for (size_t i = 0; i < edits.size();) {
    size_t change = i;
    while (change < edits.size() && edits[change].kind == ' ') ++change;
    if (change == edits.size()) break;
    size_t start = change > i + context ? change - context : i;
    line_a += start - i;
    line_b += start - i;
    // A hunk goes on as long as the next change is within reach of both contexts.
    size_t end = change, same = 0;
    for (size_t j = change; j < edits.size() && same <= 2 * context; ++j) {
      same = edits[j].kind == ' ' ? same + 1 : 0;
      if (same == 0) end = j + 1;
    }
    end = std::min(end + context, edits.size());
    size_t count_a = 0, count_b = 0;
    std::string body;
    for (size_t j = start; j < end; ++j) {
      count_a += edits[j].kind != '+';
      count_b += edits[j].kind != '-';
      body += edits[j].kind;
      body += edits[j].line;
      body += '\n';
    }
    out += "@@ -" + std::to_string(line_a) + "," + std::to_string(count_a) + " +" + std::to_string(line_b) + "," +
           std::to_string(count_b) + " @@\n" + body;
    line_a += count_a;
    line_b += count_b;
    i = end;
  }
  if (edits.empty() || std::all_of(edits.begin(), edits.end(), [](const Edit& e) { return e.kind == ' '; }))
    out += "(the texts differ only in the end of the last line)\n";
  return out;
}

}  // namespace braid::driver
