// Fuzzes the constructors: the bytes decide what a random program over variables looks like, and all constructors must agree
// on it; then it leaves SSA and goes back. The unit tests do the same for a fixed list of seeds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "constructors_agree.h"
#include "leaves_ssa.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  braid::AgreementCoverage coverage;
  braid::RandomVariableProgram program(std::span<const uint8_t>(data, size));
  std::string wrong = braid::ConstructorsAgree(coverage).check(program);
  if (!wrong.empty()) {
    std::fprintf(stderr, "broken promise: all constructors agree\n%s\n", wrong.c_str());
    std::abort();
  }
  braid::LeavingCoverage leaving;
  braid::RandomVariableProgram again(std::span<const uint8_t>(data, size));
  wrong = braid::LeavesSsa(leaving).check(again, size == 0 ? 0 : data[size - 1]);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "broken promise: a program runs as before when it leaves SSA\n%s\n", wrong.c_str());
  std::abort();
}
