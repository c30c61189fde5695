#include "passes/pass.h"

#include <gtest/gtest.h>

#include <set>

namespace braid::passes {
namespace {

std::string errors_of(std::string_view text) {
  Expected<Pipeline> pipeline = parse_pipeline(text);
  return pipeline ? "none" : render(pipeline.error());
}

TEST(Pipeline, NamesAreLookedUpInOrder) {
  Expected<Pipeline> pipeline = parse_pipeline(" dce, compact ,dce");
  ASSERT_TRUE(pipeline);
  ASSERT_EQ(pipeline->size(), 3u);
  EXPECT_EQ((*pipeline)[0]->name, "dce");
  EXPECT_EQ((*pipeline)[1]->name, "compact");
  EXPECT_EQ((*pipeline)[2], (*pipeline)[0]);
  EXPECT_TRUE(parse_pipeline("")->empty());
}

TEST(Pipeline, AllMistakesAreReported) {
  EXPECT_EQ(errors_of("dec,compact,zzz"), "error: unknown pass 'dec', did you mean 'dce'?\nerror: unknown pass 'zzz'\n");
  EXPECT_EQ(errors_of("dce,,dce"), "error: empty name in the list of passes\n");
  EXPECT_EQ(errors_of("dce,"), "error: empty name in the list of passes\n");
}

TEST(Pipeline, TheTableIsSound) {
  std::set<std::string_view> names;
  for (const Pass& pass : all_passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(pass.reason.empty()) << pass.name;
    EXPECT_EQ(find_pass(pass.name), &pass);
  }
  EXPECT_EQ(find_pass("none"), nullptr);
}

void do_nothing(ir::Function&, ir::Analyses&) {}

TEST(Pipeline, TheListShowsTheContract) {
  constexpr Pass table[] = {
      {"one", do_nothing, needs(Analysis::cfg | Analysis::uses), keeps(Analysis::none), "first"},
      {"another", do_nothing, needs(Analysis::none), keeps(Analysis::all), "second"},
  };
  EXPECT_EQ(pass_list(table),
            "pass     needs     keeps                place\n"
            "one      cfg uses  -                    first\n"
            "another  -         cfg dominators uses  second\n");
}

}  // namespace
}  // namespace braid::passes
