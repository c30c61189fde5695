// Random Simple programs through all engines: see tests/simple/engines_agree.h.
#include <gtest/gtest.h>

#include <cstdio>

#include "engines_agree.h"
#include "generator.h"
#include "sea/optimise.h"

namespace braid::simple_testing {
namespace {

/// Prints what was reached, and checks that everything the language has was.
void expect_coverage(const EnginesAgree& engines, std::span<const Kind> kinds, uint64_t programs) {
  std::printf("%s\nexecuted:", engines.coverage.to_string().c_str());
  for (size_t i = 0; i < static_cast<size_t>(Kind::count); ++i)
    if (uint64_t count = engines.tree_interpreter.executed[i])
      std::printf(" '%s' %llu", name_of(static_cast<Kind>(i)).data(), static_cast<unsigned long long>(count));
  std::printf("\n");
  for (Kind kind : kinds)
    EXPECT_GE(engines.tree_interpreter.executed[static_cast<size_t>(kind)], programs / 10) << name_of(kind);
  EXPECT_GE(engines.coverage.valid, programs / 2);
  EXPECT_GE(engines.coverage.programs - engines.coverage.valid, programs / 10);
  EXPECT_GE(engines.coverage.values, programs);
  EXPECT_GE(engines.coverage.fallthroughs, programs / 20);
  EXPECT_GE(engines.coverage.timeouts, programs / 20);
  EXPECT_GE(engines.coverage.single_regions, programs / 50);
}

constexpr Kind kinds_of_chapter8[] = {Kind::negate,     Kind::add,     Kind::sub,           Kind::mul,
                                      Kind::div,        Kind::equal,   Kind::not_equal,     Kind::less,
                                      Kind::less_equal, Kind::greater, Kind::greater_equal, Kind::empty,
                                      Kind::declare,    Kind::assign,  Kind::block,         Kind::if_,
                                      Kind::while_,     Kind::break_,  Kind::continue_,     Kind::return_};
constexpr Kind kinds_of_today[] = {
    Kind::not_,    Kind::mod,        Kind::bit_and,     Kind::bit_or,
    Kind::bit_xor, Kind::shift_left, Kind::shift_right, Kind::shift_right_logical,
    Kind::choice,  Kind::and_then,   Kind::or_else,     Kind::call,
    Kind::evaluate, Kind::increment, Kind::decrement,   Kind::update,
    Kind::for_,     Kind::declare_empty};

void run_programs(EnginesAgree& engines, uint64_t programs) {
  int faults = 0;
  for (uint64_t seed = 0; seed < programs && faults < 3; seed += EnginesAgree::best_batch) {
    std::string wrong = engines.check_random(seed, EnginesAgree::best_batch);
    if (wrong.empty()) continue;
    ++faults;
    ADD_FAILURE() << wrong;
  }
}

TEST(SimpleRandom, ProgramsOfChapter8) {
  constexpr uint64_t programs = 50'000;
  sea::RewriteCounts counts;
  EnginesAgree engines({.dialect = Dialect::simple8, .back_edges = 100, .observer = &counts});
  run_programs(engines, programs);
  expect_coverage(engines, kinds_of_chapter8, programs);
  for (size_t i = 0; i < std::size(engines.coverage.errors); ++i)
    EXPECT_GE(engines.coverage.errors[i], 5u) << AgreementCoverage::error_names[i];
  EXPECT_GE(engines.coverage.other_errors, 5u) << "numbers that are too large";
  std::printf("rewrites:");
  for (uint32_t k = sea::listed_rewrite_count; k < sea::first_rule_rewrite; ++k) {
    const sea::Rewrite rewrite = static_cast<sea::Rewrite>(k);
    std::printf(" %s %llu", std::string(name_of(rewrite)).c_str(), static_cast<unsigned long long>(counts.count(rewrite)));
    // Only very long sums are sorted at once: in sea_chapter8_test.cpp it must fire.
    const uint64_t least = rewrite == sea::Rewrite::chapter8_sum_sorted ? 0 : 1;
    EXPECT_GE(counts.count(rewrite), least) << name_of(rewrite) << " never fires";
  }
  std::printf("\n");
}

/// Every rewrite that is no pattern fires, and as many rules as this language has operations for. That all rules do, with the
/// operations and types that it has not, is seen by tests/rules/rules_fuzz_test.cpp.
void expect_rewrites(const sea::RewriteCounts& counts) {
  std::printf("rewrites:");
  uint32_t rules = 0;
  for (uint32_t k = 0; k < sea::rewrite_count(); ++k) {
    const sea::Rewrite rewrite = static_cast<sea::Rewrite>(k);
    const uint64_t count = counts.count(rewrite);
    if (k >= sea::listed_rewrite_count) {
      rules += k >= sea::first_rule_rewrite && count > 0;
      continue;
    }
    std::printf(" %s %llu", std::string(name_of(rewrite)).c_str(), static_cast<unsigned long long>(count));
    // Nothing here is undefined, or has handlers.
    if (rewrite == sea::Rewrite::undef_use || rewrite == sea::Rewrite::upsilon_unreachable) continue;
    EXPECT_GE(count, 1u) << name_of(rewrite) << " never fires";
  }
  std::printf("; %u of %u rules\n", rules, sea::rewrite_count() - sea::first_rule_rewrite);
  EXPECT_GE(rules, 200u);
}

TEST(SimpleRandom, ProgramsOfToday) {
  constexpr uint64_t programs = 50'000;
  sea::RewriteCounts counts;
  EnginesAgree engines({.dialect = Dialect::simple, .back_edges = 100, .observer = &counts});
  run_programs(engines, programs);
  std::vector<Kind> kinds(std::begin(kinds_of_chapter8), std::end(kinds_of_chapter8));
  kinds.insert(kinds.end(), std::begin(kinds_of_today), std::end(kinds_of_today));
  expect_coverage(engines, kinds, programs);
  EXPECT_GE(engines.tree_interpreter.executed[static_cast<size_t>(Kind::show_graph)], programs / 100);
  expect_rewrites(counts);
}

/// Behind the parser only what has changed is looked at; a second time, all of it is, and finds next to nothing.
TEST(SimpleRandom, TheOptimiserLeavesNothingToDo) {
  constexpr uint64_t programs = 3'000;
  uint64_t live = 0, again = 0, parsed = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Choices choices(seed);
    Generator generator(choices, {.dialect = Dialect::simple, .valid = true, .statements = 3 + static_cast<uint32_t>(seed % 10)});
    ir::Module module;
    SourceFile source("program.smp", std::string(generator.program()));
    Expected<simple::Program> program = simple::parse(module, source, {});
    if (!program) continue;
    ++parsed;
    live += program->main().live_count();
    sea::optimise(program->main());
    ASSERT_EQ(program->main().check(), "");
    again += program->main().live_count();
  }
  std::printf("%llu programs, %llu nodes, %llu after another look\n", static_cast<unsigned long long>(parsed),
              static_cast<unsigned long long>(live), static_cast<unsigned long long>(again));
  EXPECT_GT(parsed, programs / 2);
  EXPECT_LT((live - again) * 2000, live);
}

}  // namespace
}  // namespace braid::simple_testing
