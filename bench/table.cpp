// Prints each row as soon as it is measured.
#include "table.h"

#include <cstdio>
#include <string>

namespace braid::bench {

void Table::section(std::string_view title, std::string_view yardstick) {
  std::printf("\n%-38.*s %9s %11s %13.*s %8s  %s\n", static_cast<int>(title.size()), title.data(), "size", "Braid",
              static_cast<int>(yardstick.size()), yardstick.data(), "ratio", "goal");
}

void Table::add(const Row& row) {
  std::string size = row.size == 0 ? "" : std::to_string(row.size);
  char ours[32], theirs[32] = "", ratio[32] = "", goal[48] = "";
  int unit = static_cast<int>(row.unit.size());
  std::snprintf(ours, sizeof ours, "%.2f %.*s", row.ours, unit, row.unit.data());
  bool compared = row.yardstick != 0;
  double value = row.ours;
  if (compared) {
    std::snprintf(theirs, sizeof theirs, "%.2f %.*s", row.yardstick, unit, row.unit.data());
    value = row.goal == Goal::at_most ? row.ours / row.yardstick : row.yardstick / row.ours;
    std::snprintf(ratio, sizeof ratio, "%.2f x", value);
  }
  if (row.goal != Goal::none) {
    bool reached = row.goal == Goal::at_least ? value >= row.bound : value <= row.bound;
    missed_ += !reached;
    std::snprintf(goal, sizeof goal, "%s %g%s  %s", row.goal == Goal::at_least ? ">=" : "<=", row.bound,
                  compared ? " x" : "", reached ? "ok" : "MISSED");
  }
  std::printf("  %-36.*s %9s %11s %13s %8s  %s\n", static_cast<int>(row.what.size()), row.what.data(), size.c_str(), ours,
              theirs, ratio, goal);
  std::fflush(stdout);
}

void Table::note(std::string_view text) { std::printf("  %.*s\n", static_cast<int>(text.size()), text.data()); }

}  // namespace braid::bench
