// Measures how time grows with the size of the input: the rule is that doubling the input never triples the
// time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace braid {

/// Freed memory stays with the process: the time for pages from the kernel, which comes in steps, is not what is measured.
inline void keep_heap() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

/// `prepare(size)` makes the input and `run(input)` is timed; the result is by how much the time grows per
/// doubling, taken over four doublings around `size`: what outgrows a cache costs up to five times as much per item, and
/// must not look like a square. Processor time counts, of the best of several runs, and a ratio that other load on the
/// machine has spoilt is measured again, up to thirty times until it is below `enough`.
template <class Prepare, class Run>
double growth_ratio(size_t size, Prepare&& prepare, Run&& run, double enough = 3.0) {
  keep_heap();
  auto small = prepare(size / 4);
  auto large = prepare(4 * size);
  auto seconds = [&](auto& input) {
    std::clock_t start = std::clock();
    run(input);
    return static_cast<double>(std::clock() - start + 1) / CLOCKS_PER_SEC;
  };
  double ratio = 1e9;
  double small_time = 1e9, large_time = 1e9;
  for (int round = 0; round < 30 && (round < 3 || ratio >= enough); ++round) {
    small_time = std::min(small_time, seconds(small));
    large_time = std::min(large_time, seconds(large));
    ratio = std::pow(large_time / small_time, 0.25);
  }
  return ratio;
}

}  // namespace braid
