// Text that is read into a module which has something already: what both declare, what the text defines, and what stays after
// a mistake.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/parse.h"

namespace braid {
namespace {

const std::string defines_g = "func @g(n: i64) -> i64 {\nentry:\n  ret %n\n}\n";

/// Nothing if it is read.
std::string mistake_in(Module& m, std::string_view text) {
  Expected<void> read = parse_into(m, text);
  if (read) return {};
  std::string out;
  for (const Diagnostic& d : read.error())
    out += std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message + "\n";
  return out;
}

TEST(TextInto, TheSameDeclarationsAgain) {
  Module m;
  const std::string text =
      "class @Animal\nclass @Dog : @Animal\nglobal @table: 16 align 16 const = \"ab\"\nintrinsic sat.add(i64, i64) -> i64 pure\n"
      "extern @print(i64) -> void host\nextern @g(n: i64) -> i64\n";
  ASSERT_EQ(mistake_in(m, text), "");
  const std::string printed = to_text(m);
  EXPECT_EQ(mistake_in(m, text), "");
  EXPECT_EQ(mistake_in(m, printed), "");
  EXPECT_EQ(to_text(m), printed);
  EXPECT_EQ(m.functions().size(), 2u);
  EXPECT_TRUE(verify(m));
  // Names of parameters are no part of what is declared.
  EXPECT_EQ(mistake_in(m, "extern @g(i64) -> i64\nextern @print(x: i64) -> void host\n"), "");

  EXPECT_EQ(mistake_in(m, "extern @g(i64) -> i32\n"), "1:8: function '@g' is known with another signature\n");
  EXPECT_EQ(mistake_in(m, "\n extern @g(i64, i64) -> i64\n"), "2:9: function '@g' is known with another signature\n");
  EXPECT_EQ(mistake_in(m, "extern @print(i64) -> void\n"), "1:8: function '@print' is known with other effects\n");
  EXPECT_EQ(mistake_in(m, "class @Dog\n"), "1:7: class '@Dog' is known with another parent\n");
  const std::string_view other_globals[] = {
      "global @table: 8 align 16 const = \"ab\"\n", "global @table: 16 const = \"ab\"\n",
      "global @table: 16 align 16 = \"ab\"\n", "global @table: 16 align 16 const = \"ac\"\n"};
  for (std::string_view other : other_globals)
    EXPECT_EQ(mistake_in(m, other), "1:8: global '@table' is known with another size or other bytes\n") << other;
  // In one text nothing stands twice, whatever the module had before.
  EXPECT_EQ(mistake_in(m, "extern @g(i64) -> i64\nextern @g(i64) -> i64\n"), "2:8: function '@g' is defined twice\n");
  EXPECT_EQ(mistake_in(m, "extern @new() -> i64\nextern @new() -> i64\n"), "2:8: function '@new' is defined twice\n");
  EXPECT_EQ(mistake_in(m, "class @Cat\nclass @Cat\n"), "2:7: class '@Cat' is defined twice\n");
  EXPECT_EQ(mistake_in(m, "global @u: 2\nglobal @u: 2\n"), "2:8: global '@u' is defined twice\n");
}

TEST(TextInto, ABodyForADeclaration) {
  Module m;
  Type one[] = {i64};
  Func& g = m.declare_external("g", one, i64, Effects::pure);
  Builder b(m, "f", {}, i64);
  b.ret(b.call("g", {5}));
  Func& f = b.done();
  RunOptions options;
  options.host["g"] = [](std::span<const Value>) -> IntrinsicResult { return Value(int64_t{70}); };
  Runner runner(m, options);
  EXPECT_EQ(runner.run(f, {}).message, "70");

  EXPECT_EQ(mistake_in(m, "func @g(n: i32) -> i64 {\nentry:\n  ret 1\n}\n"), "1:6: function '@g' is known with another signature\n");
  EXPECT_EQ(mistake_in(m, defines_g + defines_g), "5:6: function '@g' is defined twice\n");
  EXPECT_EQ(to_text(g), "extern @g(i64) -> i64 pure\n");
  EXPECT_EQ(mistake_in(m, "extern @g(i64) -> i64 pure\n" + defines_g), "2:6: function '@g' is defined twice\n");
  EXPECT_EQ(runner.run(f, {}).message, "70");

  EXPECT_EQ(mistake_in(m, "func @h() -> i64 {\nentry:\n  %0 = call @g(6)\n  ret %0\n}\n" + defines_g), "");
  EXPECT_EQ(m.find("g"), &g);
  EXPECT_EQ(to_text(g), defines_g);
  EXPECT_TRUE(verify(m));
  EXPECT_EQ(runner.run(f, {}).message, "5");
  EXPECT_EQ(interpret(*m.find("h")).as_i64(), 6);
  // It has a body now.
  EXPECT_EQ(mistake_in(m, defines_g), "1:6: function '@g' is defined twice\n");
  EXPECT_EQ(mistake_in(m, "extern @g(i64) -> i64 pure\n"), "1:8: function '@g' is defined twice\n");
  EXPECT_EQ(to_text(g), defines_g);
}

TEST(TextInto, AfterAMistake) {
  const std::string_view bad[] = {"func @f() -> i64 {\nentry:\n  ret %z\n}\n",       // no such value
                                  "func @f() -> i64 {\nentry:\n  ret 0x1p+0\n}\n"};  // does not verify
  for (std::string_view wrong : bad) {
    Module m;
    Type one[] = {i64};
    m.declare_external("known", one, i64, Effects::host);
    const std::string rest = "class @Dog\nglobal @table: 8\nintrinsic sat.add(i64, i64) -> i64 pure\n"
                             "func @known(n: i64) -> i64 {\nentry:\n  ret %n\n}\n" + defines_g;
    EXPECT_NE(mistake_in(m, rest + std::string(wrong)), "");
    EXPECT_EQ(to_text(*m.find("known")), "extern @known(i64) -> i64 host safepoint\n");
    EXPECT_EQ(to_text(*m.find("g")), "extern @g(i64) -> i64\n");
    EXPECT_TRUE(verify(m));
    EXPECT_EQ(mistake_in(m, rest + "func @f() -> i64 {\nentry:\n  %0 = call @known(3)\n  ret %0\n}\n"), "");
    EXPECT_EQ(interpret(*m.find("f")).as_i64(), 3);
    EXPECT_TRUE(verify(m));
  }
}

/// What stands for a function that is being built is a declaration like others.
TEST(TextInto, ABodyForWhatIsBeingBuilt) {
  Module m;
  Builder b(m, "g", {{"n", i64}}, i64);
  ASSERT_EQ(mistake_in(m, defines_g), "");
  b.ret(1);
  Expected<Func*> late = b.try_done();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error()[0].message, "in '@g': the function is defined twice");
  EXPECT_EQ(to_text(*m.find("g")), defines_g);
}

/// Positions of what was known before are those of the text that names it now.
TEST(TextInto, PositionsOfWhatWasKnown) {
  Module m;
  m.declare_external("a", {}, i64);
  m.declare_external("b", {}, i64);
  m.declare_external("c", {}, i64);
  const SourceFile source("test", "extern @c() -> i64\nfunc @a() -> i64 {\nentry:\n  ret 1\n}\nextern @d() -> i64\n");
  Expected<text::SourceMap> map = text::parse_into(m.ir(), source);
  ASSERT_TRUE(map);
  auto line_of = [&](std::string_view name) {
    const uint32_t at = map->function(m.find(name)->id());
    return at == text::SourceMap::unknown ? 0 : source.line_column(at).line;
  };
  EXPECT_EQ(line_of("a"), 2u);
  EXPECT_EQ(line_of("b"), 0u);
  EXPECT_EQ(line_of("c"), 1u);
  EXPECT_EQ(line_of("d"), 6u);
}

}  // namespace
}  // namespace braid
