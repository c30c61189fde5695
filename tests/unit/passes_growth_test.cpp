// Passes over modules of very many functions that call each other: summaries of callees are made once for all.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "growth.h"
#include "passes/runner.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::passes {
namespace {

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("test", text));
  EXPECT_TRUE(parsed) << render(parsed.error());
  return std::move(parsed->module);
}

std::string function(size_t i, const std::string& body) {
  return "func @f" + std::to_string(i) + "(a: i64) -> i64 {\nentry:\n" + body + "}\n";
}
std::string call(size_t i) { return "  %x = call @f" + std::to_string(i) + "(%a)\n  ret %x\n"; }
const std::string leaf = "  %x = and i64 %a, 7\n  ret %x\n";

/// Callers first, and callees first.
std::string chain_down(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += function(i, i + 1 < count ? call(i + 1) : leaf);
  return text;
}
std::string chain_up(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += function(i, i > 0 ? call(i - 1) : leaf);
  return text;
}
/// Each calls the next one, the last one the first; only that one may return.
std::string ring(size_t count) {
  std::string text;
  for (size_t i = 0; i + 1 < count; ++i) text += function(i, call(i + 1));
  return text + function(count - 1, "  %c = sgt i64 %a, 0\n  branch %c, more, stop\nmore:\n" + call(0) + "stop:\n  ret 7\n");
}

void expect_linear(const char* pass, std::string (*text)(size_t)) {
  const Pipeline pipeline = {find_pass(pass)};
  double ratio = growth_ratio(
      500, [&](size_t count) { return parsed(text(count)); },
      [&](const std::unique_ptr<ir::Module>& module) { EXPECT_TRUE(run_passes(*module, pipeline).ok()); });
  ASSERT_LT(ratio, 3.0) << pass;
}

TEST(PassesGrowth, FunctionsThatCallEachOther) {
  for (const char* pass : {"infer", "version", "variants"})
    for (auto text : {chain_down, chain_up, ring}) ASSERT_NO_FATAL_FAILURE(expect_linear(pass, text));
}

/// Over the whole module, and one function after the other.
TEST(PassesGrowth, AnswersDoNotDependOnWhoAsks) {
  const Pipeline pipeline = {find_pass("infer")};
  for (auto text : {chain_down, chain_up, ring}) {
    auto whole = parsed(text(300)), single = parsed(text(300));
    EXPECT_TRUE(run_passes(*whole, pipeline).ok());
    for (uint32_t i = 0; i < single->function_count(); ++i) {
      RunOptions options;
      options.only = static_cast<ir::FuncId>(i);
      EXPECT_TRUE(run_passes(*single, pipeline, options).ok());
    }
    EXPECT_EQ(text::to_text(*whole), text::to_text(*single));
    // A result that is one number is no use of the call any more.
    const std::string result = text == ring ? "call @f1(%a) : i64=7" : text == chain_up ? "call @f1(%a) : i64[0..7]" : "call @f2(%a) : i64[0..7]";
    EXPECT_NE(text::to_text(*whole).find(result), std::string::npos) << text::to_text(*whole).substr(0, 400);
  }
}

}  // namespace
}  // namespace braid::passes
