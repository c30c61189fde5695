// The reducer of programs in Simple.
#include "driver/reduce_simple.h"

#include <gtest/gtest.h>

#include <set>

#include "driver/simple_program.h"
#include "engines_agree.h"
#include "generator.h"

namespace braid::driver {
namespace {

using namespace simple_testing;

/// A fault that the program shows: somewhere a product is computed and the program is valid.
bool computes_product(const std::string& text) {
  TreeProgram tree;
  parse_simple8(text, tree);
  if (!tree.is_valid()) return false;
  TreeInterpreter interpreter;
  interpreter.run(tree, 3);
  return interpreter.executed[static_cast<size_t>(simple_testing::Kind::mul)] > 0;
}

TEST(SimpleReducer, FindsSmallPrograms) {
  int reduced = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Choices choices(seed);
    Generator generator(choices, {.dialect = Dialect::simple8});
    std::string program = generator.program();
    if (!computes_product(program)) continue;
    ++reduced;
    std::string small = reduce_simple_text(program, computes_product).text;
    EXPECT_TRUE(computes_product(small)) << small;
    EXPECT_LE(small.size(), 13u) << small;
  }
  EXPECT_GE(reduced, 10);
  EXPECT_EQ(reduce_simple_text("int a=arg*2;\nif(a<3) { a=a+1; } return a;", computes_product).text, "int a=0*0;");
}

TEST(SimpleReducer, StopsAskingAtItsLimit) {
  size_t asked = 0;
  std::string program = "return 1+2+3+4+5+6+7+8;";
  auto refuse = [&](const std::string&) {
    ++asked;
    return false;
  };
  ReduceResult result = reduce_simple_text(program, refuse, {.max_checks = 10});
  EXPECT_EQ(result.text, program);
  EXPECT_TRUE(result.ended_early);
  EXPECT_EQ(asked, 10u);
}

bool parses(const std::string& text, simple::Language language) {
  simple::ParseOptions options;
  options.language = language;
  return SimpleProgram::open(SourceFile("t.smp", text), options).has_value();
}

TEST(ReduceSimple, CandidatesParseAndAreNeverRepeated) {
  std::set<std::string> seen;
  uint64_t calls = 0;
  auto check = [&](const std::string& text) {
    ++calls;
    EXPECT_TRUE(seen.insert(text).second) << "offered twice:\n" << text;
    EXPECT_TRUE(parses(text, simple::Language::simple)) << text;
    return text.find("&&") != std::string::npos;
  };
  SourceFile source("t.smp", "int a = 1; // one\nwhile(arg && a) { a += arg; arg--; }\nreturn a ? arg : (a = 3);\n");
  Expected<ReduceResult> result = reduce(source, check, {.language = simple::Language::simple});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "0&&0;\n");
  EXPECT_EQ(result->checks, calls);
  EXPECT_EQ(result->size_after, 5u);  // a sign of two characters is two of them
  EXPECT_EQ(result->unit, "tokens");
}

TEST(ReduceSimple, TheLanguageSaysWhatParses) {
  auto check = [](const std::string& text) { return text.find("++") != std::string::npos; };
  SourceFile source("t.smp", "int a = 1; a++; return a;");
  Expected<ReduceResult> today = reduce(source, check, {.language = simple::Language::simple});
  ASSERT_TRUE(today);
  EXPECT_TRUE(parses(today->text, simple::Language::simple)) << today->text;
  // In the other language it is no program, and so just text.
  Expected<ReduceResult> chapter8 = reduce(source, check, {.language = simple::Language::simple8});
  ASSERT_TRUE(chapter8);
  EXPECT_EQ(chapter8->text, "++\n");
}

TEST(ReduceSimple, ACheckThatDoesNotHoldIsAnError) {
  Expected<ReduceResult> result = reduce(SourceFile("t.smp", "return 1;"), [](const std::string&) { return false; }, {.language = simple::Language::simple});
  ASSERT_FALSE(result);
  EXPECT_EQ(render(result.error()), "t.smp: error: the check does not hold for this program\n");
}

}  // namespace
}  // namespace braid::driver
