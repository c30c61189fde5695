// Random Simple programs through all engines.
#include <gtest/gtest.h>

#include <cstdio>

#include "engines_agree.h"
#include "generator.h"

namespace braid::simple_testing {
namespace {

TEST(SimpleRandom, ProgramsOfChapter8) {
  EnginesAgree engines({.dialect = Dialect::simple8});
  int faults = 0;
  for (uint64_t seed = 0; seed < 50'000 && faults < 3; ++seed) {
    Choices choices(seed);
    Generator generator(choices, {.dialect = Dialect::simple8, .valid = seed % 4 != 0});
    std::string wrong = engines.check(generator.program());
    if (wrong.empty()) continue;
    ++faults;
    ADD_FAILURE() << "seed " << seed << ": " << wrong;
  }
  std::printf("%s\n", engines.coverage.to_string().c_str());
  for (size_t i = 0; i < static_cast<size_t>(Kind::count); ++i)
    std::printf("%s %llu, ", name_of(static_cast<Kind>(i)).data(), (unsigned long long)engines.tree_interpreter.executed[i]);
  std::printf("\n");
}

}  // namespace
}  // namespace braid::simple_testing
