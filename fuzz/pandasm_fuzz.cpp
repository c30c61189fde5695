// Fuzzes pandasm. A zero first byte says that the others are the seed of a random program; otherwise the input is the source
// itself. What the verifier accepts must do the same in every way of tests/pandasm/ways.h: three of them at a time,
// drawn by the input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "../tests/pandasm/random_program.h"
#include "../tests/pandasm/ways.h"

using namespace braid;
using namespace braid::pandasm;
using namespace braid::pandasm::testing;

namespace {

[[noreturn]] void give_up(const std::string& text, const std::string& why) {
  std::fprintf(stderr, "broken promise: every way is the same\n%s\n%s\n", text.c_str(), why.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const uint64_t seed = hash_bytes(text);
  const bool is_random = size != 0 && data[0] == 0;
  if (is_random) text = RandomProgram(seed, RandomProgramOptions::of(seed)).text();
  Diagnostics errors;
  bool is_linked = false;
  const std::unique_ptr<Verified> program = open(text, errors, is_linked);
  if (is_random && !is_linked) give_up(text, render(errors));
  // The time is never the same.
  if (program == nullptr || text.find("nanoTime") != std::string::npos) return 0;
  Counts counts;
  Tried tried(*program, seed, counts);
  tried.max_steps = is_random ? 100'000 : 2'000;
  tried.max_heap = 4 << 20;
  if (const std::string fault = tried.check_ir(); !fault.empty()) give_up(text, fault);
  const Ran plain = tried.run({.is_direct = true});
  if (!plain.is_whole) return 0;
  const uint64_t throwing = tried.throwing();
  Compared compared(tried, plain, seed);
  for (uint64_t k = 0; k < 3; ++k) {
    const uint64_t random = mix64(seed + k);
    const Way& way = ways[random % way_count];
    const std::string differs = compared.difference(way, drawn_point(way, throwing, random >> 32));
    if (!differs.empty()) give_up(text, differs);
  }
  return 0;
}
