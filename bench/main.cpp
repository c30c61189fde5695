// braid_bench: measures Braid against its yardsticks and prints one table.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "subjects.h"

namespace braid::bench {

void fail(const std::string& why) {
  std::fprintf(stderr, "braid_bench: %s\n", why.c_str());
  std::exit(1);
}

namespace {

struct Subject {
  std::string_view name;
  void (*measure)(Table&, const Effort&);
};
constexpr Subject subjects[] = {
    {"build", measure_build},         {"parse", measure_parse},     {"verify", measure_verify},
    {"copy", measure_copy},           {"compact", measure_compact}, {"print", measure_print},
    {"interpret", measure_interpret}, {"growth", measure_growth},   {"construct", measure_construct},
    {"construct-growth", measure_construct_growth},
    {"dessa", measure_dessa},
    {"sea", measure_sea},
    {"infer", measure_infer},
    {"types", measure_types},
    {"pandasm", measure_pandasm},
};

/// A fixed chain of dependent integer operations, to compare machines by: multiplications per microsecond.
double calibrate(const Effort& effort) {
  constexpr uint32_t rounds = 1'000'000;
  double seconds = least_time(effort, [](Stopwatch& watch) {
    watch.start();
    uint64_t x = 1;
    for (uint32_t i = 0; i < rounds; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      x ^= x >> 29;
    }
    keep(x);
    watch.stop();
  });
  return rounds / seconds / 1e6;
}

constexpr std::string_view usage =
    "usage: braid_bench [--quick] [SUBJECT...]\n"
    "  --quick   less time per row, up to 100000 statements\n"
    "  SUBJECT   only these: ";

/// Freed memory stays with the process, as in a compiler that has worked for a while: for both sides alike, pages come from
/// the kernel in the first repetition only.
void keep_heap() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
}

int run(int count, char** arguments) {
  if (count > 2 && std::string_view(arguments[1]) == "--measure-child") return measure_child(arguments + 2);
  keep_heap();
  Effort effort;
  bool chosen[std::size(subjects)] = {}, some = false;
  for (int i = 1; i < count; ++i) {
    std::string_view argument = arguments[i];
    bool known = argument == "--quick";
    if (known) effort = {0.1, 3, 100'000};
    for (size_t s = 0; s < std::size(subjects); ++s)
      if (subjects[s].name == argument) known = some = chosen[s] = true;
    if (known) continue;
    std::fputs(usage.data(), stderr);
    for (const Subject& subject : subjects) std::fprintf(stderr, "%s ", subject.name.data());
    std::fputs("\n", stderr);
    return argument == "--help" ? 0 : 2;
  }
  std::printf("calibration: %.0f million rounds of multiply, add, shift, xor per second\n", calibrate(effort));
  std::printf("all times: the least of several repetitions, Braid and its yardstick in turn\n");
  Table table;
  for (size_t s = 0; s < std::size(subjects); ++s)
    if (!some || chosen[s]) subjects[s].measure(table, effort);
  std::printf("\n%s\n", table.missed() == 0 ? "all goals reached" : "some goals MISSED");
  return 0;
}

}  // namespace
}  // namespace braid::bench

int main(int count, char** arguments) { return braid::bench::run(count, arguments); }
