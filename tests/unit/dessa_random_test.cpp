// Random programs out of SSA and back, and what they covered.
#include <gtest/gtest.h>

#include "leaves_ssa.h"

namespace braid {
namespace {

TEST(LeaveSsa, RandomProgramsRunAsBefore) {
  LeavingCoverage coverage;
  LeavesSsa leaves(coverage);
  for (uint32_t seed = 0; seed < 1'500; ++seed) {
    RandomVariableProgram program(seed);
    std::string wrong = leaves.check(program, seed);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong;
  }
  coverage.print();
}

}  // namespace
}  // namespace braid
