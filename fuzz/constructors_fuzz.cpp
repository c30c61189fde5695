// Fuzzes the constructors: the bytes decide what a random program over variables looks like, and all constructors must agree
// on it. The unit tests do the same for a fixed list of seeds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "constructors_agree.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  braid::AgreementCoverage coverage;
  braid::RandomVariableProgram program(std::span<const uint8_t>(data, size));
  std::string wrong = braid::ConstructorsAgree(coverage).check(program);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "broken promise: all constructors agree\n%s\n", wrong.c_str());
  std::abort();
}
