// Golden files: programs that say in comments what to print, what to run and which errors to expect.
//
//   ; test                                    parse, verify, print and parse again
//   ; test print [style=julia] [function=@f]  … and the printed text is the next expect block
//   ; test opt passes=dce,compact [style=…]   … after these passes
//   ; test compact [steps=3]                  … after compaction, or in the middle of it, when so many statements are emitted
//   ; test ssa [algorithm=braun] [prune=semi] [trace=x] [trace-style=seed] [log=json]      … in SSA, or how it got there
//   ; test ssa=cytron,braun [print=braun] …   … which each of these constructors can make; print says whose is shown, or the first
//   ; test cfg [form=dot] [show=dom,loops]    … its control-flow graph
//   ; test analyze                            … every analysis
//   ; test warnings                           … and the warnings about it are the next expect block
//   ; test verify                             the program is valid (or its errors are those expected)
//   ; run @sum(100) == 5050                   also: throws zero, traps TEXT, deopts TEXT
//   ; output 5                                a line that the run above prints, in order
//   ; expect                                  the lines below, up to the first that does not begin with `; |`
//   ; | line
//   %3 = add i64 %a, %x   ; error: TEXT       an error on this line, whose message holds TEXT; in a line of its own:
//                         ; error-rule: NAME    an error on the next line. error-rule names the broken rule.
//
// Runs are repeated after each pass and after all of them, and in SSA by every constructor if there are variables, and with mixed phis resolved in
// every way. Every file is also printed and parsed again; for one without
// any directive, which need not be valid, that is all.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "driver/flow_facts.h"
#include "ssa/construct.h"

namespace braid::driver {

enum class Style : uint8_t { braid, julia };

/// What is shown of the way to SSA: the result, the trace of a variable, or the whole log.
struct SsaView {
  ssa::ConstructOptions construct;
  std::string trace;
  bool seed_style = false;
  bool log_as_json = false;
  Style style = Style::braid;
};

struct CfgView {
  enum class Form : uint8_t { text, dot, json };

  Form form = Form::text;
  ShownFacts shown;
};

struct GoldenTest {
  enum class Subject : uint8_t { program, ssa, cfg, analyses, warnings };

  Subject subject = Subject::program;
  SsaView ssa;
  std::vector<ssa::Algorithm> also;  ///< constructors that must take the program, too
  CfgView cfg;
  bool shows = false;               ///< its output is an expect block
  std::string passes;               ///< run before printing
  std::optional<uint64_t> steps;    ///< … or in the middle of compaction
  Style style = Style::braid;
  std::string function;             ///< only this one; empty: the module
  uint32_t line = 0;
};

struct GoldenRun {
  enum class Outcome : uint8_t { returns, throws, traps, deopts };

  std::string function;
  std::vector<std::string> arguments;
  Outcome outcome = Outcome::returns;
  std::string expected;
  std::vector<std::string> output;
  uint32_t line = 0;
};

struct ExpectBlock {
  uint32_t line = 0;                ///< of `; expect`; its text begins on the next
  std::vector<std::string> lines;

  std::string text() const;
};

struct ExpectedError {
  uint32_t line = 0;                ///< where the error is
  std::string text, rule;           ///< either may be empty
  uint32_t written_at = 0;          ///< the line of the comment
};

struct GoldenFile {
  std::vector<GoldenTest> tests;
  std::vector<GoldenRun> runs;
  std::vector<ExpectBlock> expects;
  std::vector<ExpectedError> errors;

  bool empty() const { return tests.empty() && runs.empty() && expects.empty() && errors.empty(); }
};

/// Reads the comments. A directive that is not known, or not complete, is an error.
Expected<GoldenFile> parse_golden(const SourceFile& source);

/// The text of the file with these outputs in the expect blocks, one for each test that shows something. Blocks that are
/// missing are added at the end, those that no test owns are left alone.
std::string blessed(const SourceFile& source, const GoldenFile& file, const std::vector<std::string>& outputs);

/// Splits `1, (2, 3), x` at commas outside of parentheses and trims the pieces; nothing gives no pieces.
std::vector<std::string> split_arguments(std::string_view text);

}  // namespace braid::driver
