// Diagnostics and their exact rendering, Expected, source positions.
#include <braid/diagnostic.h>
#include <braid/expected.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/colour.h"
#include "base/source_file.h"
#include "base/utf8.h"

namespace braid {
namespace {

Diagnostic at(uint32_t line, uint32_t column, std::string source_line, std::string message = "oh no") {
  return {Severity::error, "a.braid", line, column, std::move(message), std::move(source_line), ""};
}

TEST(Render, PositionSourceAndCaret) {
  EXPECT_EQ(render(at(7, 3, "  phi x")), "a.braid:7:3: error: oh no\n  phi x\n  ^\n");
}

TEST(Render, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(render(at(7, 0, "  phi x")), "a.braid:7: error: oh no\n  phi x\n");
  EXPECT_EQ(render(at(7, 3, "")), "a.braid:7:3: error: oh no\n");
  EXPECT_EQ(render(at(0, 0, "")), "a.braid: error: oh no\n");
  Diagnostic nowhere;
  nowhere.message = "no input";
  EXPECT_EQ(render(nowhere), "error: no input\n");
  nowhere.line = 2;
  EXPECT_EQ(render(nowhere), "<input>:2: error: no input\n");
}

TEST(Render, SeverityAndRule) {
  Diagnostic d = at(1, 1, "x");
  d.rule = "phi-arity";
  EXPECT_EQ(render(d), "a.braid:1:1: error: oh no [phi-arity]\nx\n^\n");
  d.severity = Severity::warning;
  d.rule = "";
  EXPECT_EQ(render(d), "a.braid:1:1: warning: oh no\nx\n^\n");
  d.severity = Severity::note;
  EXPECT_EQ(render(d), "a.braid:1:1: note: oh no\nx\n^\n");
}

TEST(Render, TabsAreKeptInFrontOfTheCaret) {
  EXPECT_EQ(render(at(1, 4, "\ta\tb")), "a.braid:1:4: error: oh no\n\ta\tb\n\t \t^\n");
}

TEST(Render, CharactersCountOnceHoweverManyBytes) {
  EXPECT_EQ(render(at(1, 6, "φ = ü x")), "a.braid:1:6: error: oh no\nφ = ü x\n    ^\n");
  // In the middle of a character, the caret stands under that character.
  EXPECT_EQ(render(at(1, 7, "φ = ü x")), "a.braid:1:7: error: oh no\nφ = ü x\n    ^\n");
}

TEST(Render, ColumnBehindTheLineStandsAtItsEnd) {
  EXPECT_EQ(render(at(1, 3, "ab")), "a.braid:1:3: error: oh no\nab\n  ^\n");
  EXPECT_EQ(render(at(1, 99, "ab")), "a.braid:1:99: error: oh no\nab\n  ^\n");
}

TEST(Render, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(render(at(1, 3, "a\x1b[31mb", "bad '\x1b'\nmore")),
            "a.braid:1:3: error: bad '?'\nmore\na?[31mb\n  ^\n");
  EXPECT_EQ(render(at(1, 2, std::string("\0x", 2))), "a.braid:1:2: error: oh no\n?x\n ^\n");
  // U+009B and its neighbours, but not what shares their first byte.
  EXPECT_EQ(render(at(1, 5, "\xc2\x9b\xc2\x80x", "bad '\xc2\x9f\xc2\xa0'")),
            "a.braid:1:5: error: bad '?\xc2\xa0'\n??x\n  ^\n");
}

TEST(Render, LongLinesAreCutAroundTheColumn) {
  std::string line(100000, 'a');
  line[50000] = 'X';
  std::string text = render(at(1, 50001, line));
  std::string shown = text.substr(text.find('\n') + 1);
  std::string source = shown.substr(0, shown.find('\n'));
  std::string caret = shown.substr(shown.find('\n') + 1);
  EXPECT_LE(source.size(), 166u);
  EXPECT_EQ(source.substr(0, 4), "...a");
  EXPECT_EQ(source.substr(source.size() - 4), "a...");
  EXPECT_EQ(source.find('X'), caret.find('^'));
  EXPECT_NE(source.find('X'), std::string::npos);

  std::string front = render(at(1, 1, line)), back = render(at(1, 100001, line));
  EXPECT_EQ(front, "a.braid:1:1: error: oh no\n" + std::string(160, 'a') + "...\n^\n");
  EXPECT_EQ(back, "a.braid:1:100001: error: oh no\n..." + std::string(160, 'a') + "\n   " +
                      std::string(160, ' ') + "^\n");
}

TEST(Render, CutsBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 500; ++i) line += "φ";
  for (uint32_t column : {1u, 2u, 400u, 401u, 900u, 999u, 1000u, 1001u}) {
    std::string text = render(at(1, column, line));
    std::string source = text.substr(text.find('\n') + 1);
    source = source.substr(0, source.find('\n'));
    std::string inner;
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] != '.') inner += source[i];
    }
    EXPECT_EQ(inner.size() % 2, 0u);
    EXPECT_EQ(utf8_length(inner) * 2, inner.size());
    EXPECT_FALSE(is_utf8_continuation(inner[0]));
  }
}

TEST(Render, LineOfStrayContinuationBytes) {
  std::string text = render(at(1, 300, std::string(1000, '\x80')));
  EXPECT_NE(text.find('^'), std::string::npos);
}

TEST(Render, Colour) {
  EXPECT_EQ(render(at(1, 2, "ab"), true),
            "\x1b[1ma.braid:1:2: \x1b[1;31merror: \x1b[0m\x1b[1moh no\x1b[0m\nab\n \x1b[1;32m^\x1b[0m\n");
}

TEST(Diagnostics, CollectsInOrder) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_TRUE(diagnostics.empty());
  diagnostics.warning("w", "f", 1, 2);
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.error("e", "f", 3, 4, "xxxx", "rule");
  diagnostics.note("n");
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.count(), 3u);
  EXPECT_EQ(diagnostics.count(Severity::note), 1u);
  EXPECT_EQ(render(diagnostics), "f:1:2: warning: w\nf:3:4: error: e [rule]\nxxxx\n   ^\nnote: n\n");
  std::string messages;
  for (const Diagnostic& d : diagnostics) messages += d.message;
  EXPECT_EQ(messages, "wen");
  diagnostics.clear();
  EXPECT_EQ(diagnostics.count(), 0u);
}

TEST(Diagnostics, KeepsTheFirstAndCountsTheRest) {
  Diagnostics diagnostics(2);
  for (int i = 0; i < 5; ++i) diagnostics.warning("w" + std::to_string(i));
  EXPECT_FALSE(diagnostics.full());
  diagnostics.error("e0");
  diagnostics.note("belongs to e0");
  diagnostics.error("e1");
  EXPECT_TRUE(diagnostics.full());
  diagnostics.error("e2");
  diagnostics.note("belongs to e2");
  EXPECT_EQ(render(diagnostics),
            "warning: w0\nwarning: w1\nerror: e0\nnote: belongs to e0\nerror: e1\n... and 5 more\n");
  EXPECT_EQ(diagnostics.error_count(), 3u);
  EXPECT_EQ(diagnostics.size(), 5u);
  EXPECT_EQ(diagnostics.dropped(), 5u);
}

TEST(Diagnostics, Merge) {
  Diagnostics a(3), b(2);
  a.error("a0");
  for (int i = 0; i < 4; ++i) b.error("b" + std::to_string(i));
  a.merge(std::move(b));
  EXPECT_EQ(a.error_count(), 5u);
  EXPECT_EQ(render(a), "error: a0\nerror: b0\nerror: b1\n... and 2 more\n");
}

TEST(Expected, ValueOrDiagnostics) {
  auto half = [](int n) -> Expected<int> {
    if (n % 2 != 0) return at(1, 1, "", "odd");
    return n / 2;
  };
  Expected<int> good = half(8), bad = half(7);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 4);
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(good.value_or(1), 4);
  EXPECT_TRUE(good.error().empty());
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.value_or(1), 1);
  EXPECT_EQ(bad.error().size(), 1u);
  EXPECT_EQ(bad.error()[0].message, "odd");
}

TEST(Expected, MoveOnlyAndConverting) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  auto make = [](bool ok) -> Expected<std::unique_ptr<Base>> {
    if (!ok) return Diagnostics(at(1, 1, ""));
    return std::make_unique<Derived>();
  };
  Expected<std::unique_ptr<Base>> made = make(true);
  ASSERT_TRUE(made);
  std::unique_ptr<Base> taken = *std::move(made);
  EXPECT_NE(taken, nullptr);
  EXPECT_NE(make(true).value(), nullptr);
  EXPECT_EQ(make(false).value_or(nullptr), nullptr);
  Expected<std::string> text = "literal";
  EXPECT_EQ(text->size(), 7u);
  Expected<bool> no = false;
  EXPECT_TRUE(no.has_value());
  EXPECT_FALSE(*no);
}

TEST(Expected, Void) {
  Expected<void> good;
  EXPECT_TRUE(good);
  good.value();
  Expected<void> bad = at(2, 0, "");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error()[0].line, 2u);
  // Diagnostics without an error are still a failure: the caller said so.
  EXPECT_FALSE(Expected<void>(Diagnostics()));
}

TEST(ExpectedDeathTest, ValueOfNothingEndsTheProcess) {
  Expected<int> bad = at(4, 2, "abc", "not a number");
  EXPECT_EXIT(bad.value(), testing::ExitedWithCode(70), "a.braid:4:2: error: not a number\nabc\n \\^");
  Expected<void> bad_void = at(4, 2, "", "no luck");
  EXPECT_EXIT(bad_void.value(), testing::ExitedWithCode(70), "a.braid:4:2: error: no luck");
}

TEST(Colour, NoColorAndNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(colour_wanted(file));
  std::fclose(file);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(colour_wanted(stderr));
  unsetenv("NO_COLOR");
}

TEST(SourceFile, LinesAndColumns) {
  SourceFile file("f", "ab\n\ncde\r\nx");
  EXPECT_EQ(file.line_count(), 4u);
  EXPECT_EQ(file.line_column(0), (LineColumn{1, 1}));
  EXPECT_EQ(file.line_column(2), (LineColumn{1, 3}));  // the line end belongs to its line
  EXPECT_EQ(file.line_column(3), (LineColumn{2, 1}));
  EXPECT_EQ(file.line_column(4), (LineColumn{3, 1}));
  EXPECT_EQ(file.line_column(9), (LineColumn{4, 1}));
  EXPECT_EQ(file.line_column(10), (LineColumn{4, 2}));
  EXPECT_EQ(file.line_column(999), (LineColumn{4, 2}));
  EXPECT_EQ(file.line_text(1), "ab");
  EXPECT_EQ(file.line_text(2), "");
  EXPECT_EQ(file.line_text(3), "cde");
  EXPECT_EQ(file.line_text(4), "x");
  EXPECT_EQ(file.line_text(0), "");
  EXPECT_EQ(file.line_text(5), "");
}

TEST(SourceFile, EmptyAndEndingInNewline) {
  SourceFile empty("f", "");
  EXPECT_EQ(empty.line_count(), 1u);
  EXPECT_EQ(empty.line_column(0), (LineColumn{1, 1}));
  SourceFile one("f", "a\n");
  EXPECT_EQ(one.line_column(2), (LineColumn{2, 1}));
  EXPECT_EQ(one.line_text(2), "");
}

TEST(SourceFile, MakesDiagnostics) {
  SourceFile file("loop.braid", "one\n  two three\n");
  EXPECT_EQ(render(file.error(10, "what is 'three'")),
            "loop.braid:2:7: error: what is 'three'\n  two three\n      ^\n");
  Diagnostic warning = file.diagnostic(Severity::warning, 0, "m", "r");
  EXPECT_EQ(warning.severity, Severity::warning);
  EXPECT_EQ(warning.rule, "r");
  SourceFile moved = std::move(file);
  EXPECT_EQ(moved.line_text(1), "one");
}

TEST(SourceFile, EndlessLineGivesShortDiagnostics) {
  SourceFile file("f", std::string(1 << 20, 'x'));
  EXPECT_LT(file.error(100, "m").source_line.size(), 1000u);
}

TEST(Utf8, LengthAndStart) {
  EXPECT_EQ(utf8_length("φᶜ ϒ"), 4u);
  EXPECT_EQ(utf8_start("aφ", 2), 1u);
  EXPECT_EQ(utf8_start("aφ", 3), 3u);
  EXPECT_EQ(utf8_start("\x80\x80", 1), 0u);
}

}  // namespace
}  // namespace braid
