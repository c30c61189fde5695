// Time measurement for machines that are busy with other things: many short repetitions, both sides in turn, the least
// time of each counts. Time in which another process had the processor does not count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>

namespace braid::bench {

/// How long a row may take; `--quick` makes it shorter.
struct Effort {
  double seconds = 0.5;         ///< per row, untimed parts included
  uint32_t repetitions = 5;     ///< at least so many
  uint32_t largest = 1'000'000; ///< statements
};

/// Processor time of this process. Reading it takes a system call.
inline double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What a repetition is given: it times the part between `start` and `stop`, the rest (setting up, destroying) is free.
/// Wall clock and processor time both err upwards, one by what else runs, the other by the system call: the less counts.
class Stopwatch {
 public:
  void start() {
    processor_ = processor_seconds();
    wall_ = Clock::now();
  }
  void stop() {
    double wall = std::chrono::duration<double>(Clock::now() - wall_).count();
    seconds_ += std::min(wall, processor_seconds() - processor_);
  }
  double seconds() const { return seconds_; }

  using Clock = std::chrono::steady_clock;

 private:
  Clock::time_point wall_;
  double processor_ = 0;
  double seconds_ = 0;
};

struct Times {
  double ours = std::numeric_limits<double>::infinity();
  double theirs = std::numeric_limits<double>::infinity();
};

/// Keeps a result alive, so that computing it is not optimised away.
template <typename T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Puts freed memory in order. The first large request does that otherwise, for all that was freed before: who destroys many
/// small objects, untimed, would leave it to who asks for a few large ones next.
inline void settle_heap() {
  void* memory = std::malloc(1 << 20);
  keep(memory);
  std::free(memory);
}

/// Runs `ours` and `theirs`, which take a Stopwatch, in turn until the effort is spent.
template <typename Ours, typename Theirs>
Times interleave(const Effort& effort, Ours&& ours, Theirs&& theirs) {
  Times least;
  Stopwatch::Clock::time_point begin = Stopwatch::Clock::now();
  for (uint32_t i = 0;; ++i) {
    double spent = std::chrono::duration<double>(Stopwatch::Clock::now() - begin).count();
    if (i >= effort.repetitions && spent >= effort.seconds) return least;
    Stopwatch first, second;
    settle_heap();
    ours(first);
    settle_heap();
    theirs(second);
    least.ours = std::min(least.ours, first.seconds());
    least.theirs = std::min(least.theirs, second.seconds());
  }
}

/// One side alone: the least time in seconds.
template <typename Ours>
double least_time(const Effort& effort, Ours&& ours) {
  return interleave(effort, ours, [](Stopwatch&) {}).ours;
}

}  // namespace braid::bench
