// The runner of golden files must be able to fail.
#include "driver/golden.h"
#include "passes/pass.h"

#include <gtest/gtest.h>

namespace braid::driver {
namespace {

constexpr const char* increment = "func @f(x: i64) -> i64 {\nentry:\n  %y = add i64 %x, 1\n  ret %y\n}\n";

GoldenResult run(const std::string& text, bool bless = false) {
  return run_golden(SourceFile("t.braid", text), {bless});
}
std::string failure(const std::string& text) {
  GoldenResult result = run(text);
  EXPECT_FALSE(result.passed) << text;
  return result.report;
}
bool says(const std::string& report, std::string_view what) { return report.find(what) != std::string::npos; }

TEST(Golden, WhatIsRightPasses) {
  GoldenResult result = run(std::string("; test print\n; run @f(1) == 2\n; run @f(-1) == 0x0\n") + increment +
                            "; expect\n; | func @f(x: i64) -> i64 {\n; | entry:\n; |   %0 = add i64 %x, 1\n; |   ret %0\n; | }\n");
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_EQ(result.report, "");
  EXPECT_FALSE(result.blessed);
}

TEST(Golden, AWrongValueFailsInEveryFormAndIsReportedOnce) {
  std::string report = failure(std::string("; run @f(1) == 3\n") + increment);
  // Each pass, all of them, and mixed phis in three ways: one report.
  std::string others = std::to_string(passes::all_passes().size() + 1 + 3);
  EXPECT_EQ(report, "t.braid:1: run @f, as written and in " + others + " other forms\n    expected == 3\n    got      == 2\n");
}

TEST(Golden, AWrongOutcomeFails) {
  EXPECT_TRUE(says(failure(std::string("; run @f(1) throws zero\n") + increment), "expected throws zero"));
  EXPECT_TRUE(says(failure(std::string("; run @f(1) traps\n") + increment), "got      == 2"));
  std::string check = "func @f(x: i64) -> i64 {\nentry:\n  %y = check_zero i64 %x\n  ret %y\n}\n";
  EXPECT_TRUE(run("; run @f(0) throws zero\n" + check).passed);
  EXPECT_TRUE(says(failure("; run @f(0) throws null\n" + check), "got      throws zero"));
  EXPECT_TRUE(says(failure("; run @f(0) == 0\n" + check), "got      throws zero"));
}

TEST(Golden, AWrongRunLineFails) {
  EXPECT_TRUE(says(failure(std::string("; run @g(1) == 2\n") + increment), "no function '@g'"));
  EXPECT_TRUE(says(failure(std::string("; run @f() == 2\n") + increment), "takes 1 argument, not 0"));
  EXPECT_TRUE(says(failure(std::string("; run @f(x) == 2\n") + increment), "'x' is not of the type i64"));
}

TEST(Golden, WrongOutputFails) {
  std::string prints =
      "extern @print(i64) -> void host\nfunc @f() -> void {\nentry:\n  call @print(1)\n  call @print(2)\n  ret\n}\n";
  EXPECT_TRUE(run("; run @f() == void\n; output 1\n; output 2\n" + prints).passed);
  EXPECT_TRUE(says(failure("; run @f() == void\n; output 1\n" + prints), "+2"));
  EXPECT_TRUE(says(failure("; run @f() == void\n" + prints), "+1"));
}

TEST(Golden, AWrongTextFailsWithADiff) {
  std::string report = failure(std::string("; test print\n") + increment +
                               "; expect\n; | func @f(x: i64) -> i64 {\n; | entry:\n; |   %0 = add i64 %x, 2\n; |   ret %0\n; | }\n");
  EXPECT_TRUE(says(report, "t.braid:7: the text printed is not the one expected")) << report;
  EXPECT_TRUE(says(report, "    -  %0 = add i64 %x, 2\n    +  %0 = add i64 %x, 1\n")) << report;
}

TEST(Golden, AMissingOrAnExtraBlockFails) {
  EXPECT_TRUE(says(failure(std::string("; test print\n") + increment), "no expect block"));
  EXPECT_TRUE(says(failure(std::string("; test\n") + increment + "; expect\n; | x\n"), "no test owns"));
}

TEST(Golden, BlessingWritesWhatIsPrinted) {
  GoldenResult result = run(std::string("; test print\n; test opt passes=dce\n") + increment, true);
  EXPECT_TRUE(result.passed);
  ASSERT_TRUE(result.blessed);
  EXPECT_TRUE(run(*result.blessed).passed) << *result.blessed;
  EXPECT_FALSE(run(*result.blessed, true).blessed);
}

TEST(Golden, BlessingDoesNotHideAWrongRun) {
  GoldenResult result = run(std::string("; test print\n; run @f(1) == 3\n") + increment, true);
  EXPECT_FALSE(result.passed);
}

TEST(Golden, ErrorsMustBeExpectedAndExpectationsMet) {
  std::string bad = "func @f(x: i64, d: f64) -> i64 {\nentry:\n  %y = add i64 %x, %d";
  std::string rest = "\n  ret %y\n}\n";
  EXPECT_TRUE(run("; test verify\n" + bad + " ; error: has the type f64 ; error-rule: operand-type" + rest).passed);
  EXPECT_TRUE(says(failure("; test verify\n" + bad + rest), "an error that is not expected"));
  EXPECT_TRUE(says(failure("; test verify\n" + bad + " ; error: something else" + rest), "an error that is not expected"));
  EXPECT_TRUE(says(failure("; test verify\n" + bad + " ; error: something else" + rest), "there is no error 'something else'"));
  EXPECT_TRUE(says(failure("; test verify\n" + bad + " ; error: f64 ; error-rule: dominance" + rest), "of rule 'dominance'"));
  EXPECT_TRUE(says(failure("; test verify\n" + bad + " ; error: f64 ; error: f64" + rest), "there is no error 'f64'"));
  EXPECT_TRUE(says(failure("; test verify\n" + bad + rest.substr(0, 9) + " ; error: f64\n}\n"), "not expected"));
  EXPECT_TRUE(says(failure(std::string("; test\n") + increment + "; error: nothing\n"), "on line 8"));
}

TEST(Golden, ParseErrorsToo) {
  EXPECT_TRUE(run("; test verify\nfunc @f() -> i64 {\nentry:\n  frob ; error: unknown operation\n  ret 0\n}\n").passed);
  EXPECT_TRUE(says(failure("; test verify\nfunc @f() -> i64 {\nentry:\n  frob\n  ret 0\n}\n"), "unknown operation 'frob'"));
}

TEST(Golden, AnInvalidProgramDoesNotRun) {
  std::string report = failure(
      "; run @f(1) == 1\nfunc @f(x: i64) -> i64 {\nentry:\n  %y = add f64 %x, 1.0 ; error: type\n  ret %x\n}\n");
  EXPECT_TRUE(says(report, "a program that is not valid cannot run")) << report;
}

TEST(Golden, MistakesInDirectivesFail) {
  EXPECT_TRUE(says(failure(std::string("; test opt passes=dec\n") + increment), "unknown pass 'dec', did you mean 'dce'?"));
  EXPECT_TRUE(says(failure(std::string("; tets print\n") + increment), "unknown directive 'tets'"));
  EXPECT_TRUE(says(failure(std::string("; test print function=@g\n") + increment), "there is no function '@g'"));
}

}  // namespace
}  // namespace braid::driver
