#include "driver/golden_file.h"

#include <gtest/gtest.h>

namespace braid::driver {
namespace {

GoldenFile parsed(const std::string& text) {
  Expected<GoldenFile> file = parse_golden(SourceFile("t.braid", text));
  EXPECT_TRUE(file) << render(file.error());
  return file ? *file : GoldenFile{};
}

std::string errors_of(const std::string& text) {
  Expected<GoldenFile> file = parse_golden(SourceFile("t.braid", text));
  return file ? "none" : file.error()[0].message;
}

TEST(GoldenFile, Tests) {
  GoldenFile file = parsed(
      "; test\n; test print\n; test print style=julia function=@f\n; test opt passes=dce,compact\n; test compact\n"
      "; test verify\n");
  ASSERT_EQ(file.tests.size(), 6u);
  EXPECT_FALSE(file.tests[0].shows);
  EXPECT_TRUE(file.tests[1].shows);
  EXPECT_EQ(file.tests[2].style, Style::julia);
  EXPECT_EQ(file.tests[2].function, "f");
  EXPECT_EQ(file.tests[3].passes, "dce,compact");
  EXPECT_EQ(file.tests[4].passes, "compact");
  EXPECT_FALSE(file.tests[5].shows);
  EXPECT_EQ(file.tests[5].line, 6u);
}

TEST(GoldenFile, Runs) {
  GoldenFile file = parsed(
      "; run @f(1, (2, 3), -4) == (5, true)\n; output one  two\n; output\n; run @g() throws undefined 'x'\n"
      "; run @g() traps bad address\n; run @g() deopts 12\n");
  ASSERT_EQ(file.runs.size(), 4u);
  EXPECT_EQ(file.runs[0].function, "f");
  EXPECT_EQ(file.runs[0].arguments, (std::vector<std::string>{"1", "(2, 3)", "-4"}));
  EXPECT_EQ(file.runs[0].expected, "(5, true)");
  EXPECT_EQ(file.runs[0].output, (std::vector<std::string>{"one  two", ""}));
  EXPECT_TRUE(file.runs[1].arguments.empty());
  EXPECT_EQ(file.runs[1].outcome, GoldenRun::Outcome::throws);
  EXPECT_EQ(file.runs[1].expected, "undefined 'x'");
  EXPECT_EQ(file.runs[2].outcome, GoldenRun::Outcome::traps);
  EXPECT_EQ(file.runs[3].outcome, GoldenRun::Outcome::deopts);
}

TEST(GoldenFile, ExpectBlocksKeepBlanks) {
  GoldenFile file = parsed("; expect\n; | one\n; |\n; |   three  \n; a comment\n; expect\n; | four\n");
  ASSERT_EQ(file.expects.size(), 2u);
  EXPECT_EQ(file.expects[0].text(), "one\n\n  three  \n");
  EXPECT_EQ(file.expects[1].text(), "four\n");
  EXPECT_EQ(file.expects[1].line, 6u);
}

TEST(GoldenFile, ErrorsStandOnTheirLineOrAboveIt) {
  GoldenFile file = parsed(
      "x  ; error: first\ny ; error: second ; error-rule: rule\nz ; error-rule: only\n; error: next line\n"
      "a ; error: one ; error: two\n");
  ASSERT_EQ(file.errors.size(), 6u);
  EXPECT_EQ(file.errors[0].line, 1u);
  EXPECT_EQ(file.errors[0].text, "first");
  EXPECT_EQ(file.errors[1].text, "second");
  EXPECT_EQ(file.errors[1].rule, "rule");
  EXPECT_EQ(file.errors[2].text, "");
  EXPECT_EQ(file.errors[2].rule, "only");
  EXPECT_EQ(file.errors[3].line, 5u);
  EXPECT_EQ(file.errors[3].written_at, 4u);
  EXPECT_EQ(file.errors[4].text, "one");
  EXPECT_EQ(file.errors[5].text, "two");
}

TEST(GoldenFile, CommentsMaySayAnything) {
  GoldenFile file = parsed("; The tests run here.\n;\n; print nothing, expecting nothing\n; a test of errors\n");
  EXPECT_TRUE(file.empty());
}

TEST(GoldenFile, MistakesAreErrors) {
  EXPECT_EQ(errors_of("; test prnt\n"), "unknown test 'prnt', did you mean 'print'?");
  EXPECT_EQ(errors_of("; tset print\n"), "unknown directive 'tset', did you mean 'test'?");
  EXPECT_EQ(errors_of("; error text\n"), "unknown directive 'error', did you mean 'error:'?");
  EXPECT_EQ(errors_of("; expct\n"), "unknown directive 'expct', did you mean 'expect'?");
  EXPECT_EQ(errors_of("; expect text\n"), "'expect' stands alone; the text stands in lines that begin with '; |'");
  EXPECT_EQ(errors_of("; | text\n"), "a line of expected text without 'expect' before it");
  EXPECT_EQ(errors_of("; output 1\n"), "'output' without a 'run' before it");
  EXPECT_EQ(errors_of("; run f(1) == 2\n"),
            "expected 'run @function(arguments) == value', or 'throws', 'traps', 'deopts'");
  EXPECT_EQ(errors_of("; run @f(1) = 2\n"), "expected 'run @function(arguments) == value', or 'throws', 'traps', 'deopts'");
  EXPECT_EQ(errors_of("; run @f(1 == 2\n"), "no ')' behind the arguments");
  EXPECT_EQ(errors_of("; run @f() ==\n"), "no value behind '=='; a function without one is '== void'");
  EXPECT_EQ(errors_of("; test opt\n"), "'test opt' needs passes=");
  EXPECT_EQ(errors_of("; test print passes=dce\n"), "'passes=dce' is no setting of 'test print'");
  EXPECT_EQ(errors_of("; test warnings style=julia\n"), "'style=julia' is no setting of 'test warnings'");
  EXPECT_EQ(errors_of("; test warnings function=@f\n"), "'function=@f' is no setting of 'test warnings'");
  EXPECT_EQ(errors_of("; test print style=c\n"), "'style=c' is no setting of 'test print'");
  EXPECT_EQ(errors_of("; test ssa=cytron,brawn\n"), "no constructor is called 'brawn'");
  EXPECT_EQ(errors_of("; test ssa=\n"), "no constructor is called ''");
  EXPECT_EQ(errors_of("; test ssa print=braun\n"), "'print=braun' is no setting of 'test ssa'");
  EXPECT_EQ(errors_of("; test ssa=cytron print=all\n"), "'print=all' is no setting of 'test ssa'");
  EXPECT_EQ(errors_of("; test style=julia\n"), "unknown test 'style=julia'");
}

TEST(GoldenFile, BlessingChangesExpectBlocksOnly) {
  SourceFile source("t.braid", "; test print\n; expect\n; | old\n; | lines\ncode ; comment\n; expect\nend");
  GoldenFile file = parsed(std::string(source.text()));
  EXPECT_EQ(blessed(source, file, {"new\n\nx\n", "y\n"}),
            "; test print\n; expect\n; | new\n; |\n; | x\ncode ; comment\n; expect\n; | y\nend\n");
}

TEST(GoldenFile, BlessingAddsMissingBlocks) {
  SourceFile source("t.braid", "; test print\ncode\n");
  EXPECT_EQ(blessed(source, parsed(std::string(source.text())), {"x\n"}), "; test print\ncode\n; expect\n; | x\n");
}

TEST(GoldenFile, Arguments) {
  EXPECT_EQ(split_arguments(" 1 , (2, (3, 4)), x "), (std::vector<std::string>{"1", "(2, (3, 4))", "x"}));
  EXPECT_TRUE(split_arguments("  ").empty());
  EXPECT_EQ(split_arguments("1,"), (std::vector<std::string>{"1", ""}));
}

}  // namespace
}  // namespace braid::driver
