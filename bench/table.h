// The table that a run prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid::bench {

enum class Goal : uint8_t {
  none,
  at_least,  ///< yardstick / ours must be this or more
  at_most,   ///< ours (or ours / yardstick, if there is one) must be this or less
};

/// One line: `ours` and `yardstick` in `unit`; a yardstick of 0 is "there is none".
struct Row {
  std::string what;
  uint64_t size = 0;  ///< statements; 0 is not shown
  double ours = 0;
  double yardstick = 0;
  std::string_view unit = "ns";
  Goal goal = Goal::none;
  double bound = 0;
};

class Table {
 public:
  void section(std::string_view title, std::string_view yardstick);
  void add(const Row& row);
  void note(std::string_view text);
  /// Rows that do not reach their goal.
  uint32_t missed() const { return missed_; }

 private:
  uint32_t missed_ = 0;
};

}  // namespace braid::bench
