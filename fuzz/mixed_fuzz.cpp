// Fuzzes types and mixed phis: the bytes decide what a random dynamic program looks like, and it must do the same
// with variables, in SSA, typed, versioned, with variants, and after leaving SSA. The unit tests do the same for a
// fixed list of seeds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mixed_agree.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using braid::testing_dynamic::RandomProgram;
  braid::MixedCoverage coverage;
  const uint64_t seed = size == 0 ? 0 : data[size - 1];
  RandomProgram program(std::span<const uint8_t>(data, size), RandomProgram::style_of(seed));
  const std::string wrong = braid::MixedAgree(coverage).check(program.text(), seed);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "broken promise: a program does the same however its mixed phis are resolved\n%s\n", wrong.c_str());
  std::abort();
}
