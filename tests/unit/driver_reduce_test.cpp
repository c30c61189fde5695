// Reducing: results are minimal, the same every time, and never offer a program that cannot be read.
#include "driver/reduce.h"

#include <gtest/gtest.h>

#include <set>

#include "driver/session.h"
#include "text/print.h"

namespace braid::driver {
namespace {

std::string program(uint32_t blocks) {
  std::string text =
      "extern @use(i64) -> void host\nglobal @unused: 8\nfunc @other() -> void {\nentry:\n  ret\n}\n"
      "func @f(n: i64) -> i64 {\n  var a: i64 zero\n  var b: i64 zero\nentry:\n  jump k0\n";
  for (uint32_t i = 0; i < blocks; ++i) {
    std::string s = std::to_string(i), next = i + 1 == blocks ? "end" : "k" + std::to_string(i + 1);
    text += "k" + s + ":\n  %x" + s + " = get a\n  %y" + s + " = mul i64 %x" + s + ", " +
            std::to_string(3 + i) + "\n  set b, %y" + s + "\n";
    if (i == blocks / 2) text += "  %q = sdiv i64 %y" + s + ", %n\n  call @use(%q)\n";
    text += "  %c" + s + " = slt i64 %y" + s + ", 7\n  branch %c" + s + ", k" + std::to_string(i / 2) + ", " +
            next + "\n";
  }
  return text + "end:\n  %r = get b\n  ret %r\n}\n";
}

ReduceResult reduced(const std::string& text, const ReduceCheck& check, const ReduceOptions& options = {}) {
  Expected<ReduceResult> result = reduce(SourceFile("t.braid", text), check, options);
  EXPECT_TRUE(result) << (result ? "" : render(result.error()));
  return result ? *result : ReduceResult();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Reduce, OneStatement) {
  ReduceResult result = reduced(program(30), [](const std::string& text) { return contains(text, "sdiv"); });
  EXPECT_EQ(result.text, "func @f(n: i64) -> i64 {\nentry:\n  %0 = sdiv i64 0, 0\n  ret 0\n}\n");
  EXPECT_EQ(result.size_after, 2u);
  EXPECT_GT(result.size_before, 100u);
  EXPECT_FALSE(result.ended_early);
}

TEST(Reduce, ValuesThatMatterStay) {
  // A read of `a` whose value flows into a division by the parameter.
  auto check = [](const std::string& text) {
    return contains(text, "= get a") && contains(text, ", %n") && contains(text, "sdiv i64 %");
  };
  ReduceResult result = reduced(program(20), check);
  EXPECT_EQ(result.text,
            "func @f(n: i64) -> i64 {\n  var a: i64 zero\nentry:\n  %0 = get a\n  %1 = sdiv i64 %0, %n\n  "
            "ret 0\n}\n");
}

TEST(Reduce, BlocksThatMatterStay) {
  ReduceResult result =
      reduced(program(20), [](const std::string& text) { return contains(text, "branch %"); });
  Expected<Session> session = Session::open_valid(SourceFile("t", result.text));
  ASSERT_TRUE(session) << result.text;
  ir::Function& f = **session->function("f");
  EXPECT_LE(f.size(), 6u) << result.text;
  EXPECT_LE(f.block_count(), 3u) << result.text;
}

TEST(Reduce, CandidatesAreValidAndNeverRepeated) {
  std::set<std::string> seen;
  uint64_t calls = 0;
  auto check = [&](const std::string& text) {
    ++calls;
    EXPECT_TRUE(seen.insert(text).second) << "offered twice:\n" << text;
    Expected<Session> session = Session::open_valid(SourceFile("t", text));
    EXPECT_TRUE(session) << text;
    return contains(text, "sdiv") && contains(text, "@use(");
  };
  ReduceResult first = reduced(program(12), check);
  EXPECT_EQ(first.checks, calls);
  seen.clear();
  ReduceResult second = reduced(program(12), check);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.checks, second.checks);
}

TEST(Reduce, AnInvalidProgramStaysReadable) {
  std::string text = program(10);
  text.replace(text.find("%q = sdiv i64"), 13, "%q = fdiv f64");
  uint64_t unreadable = 0;
  auto check = [&](const std::string& candidate) {
    Expected<Session> session = Session::open(SourceFile("t", candidate));
    unreadable += !session;
    return session && session->verify().has_errors() && contains(candidate, "fdiv");
  };
  ReduceResult result = reduced(text, check);
  EXPECT_EQ(unreadable, 0u);
  EXPECT_LT(result.size_after, 6u) << result.text;
}

TEST(Reduce, EndsWhenThereAreNoChecksLeft) {
  ReduceResult result =
      reduced(program(30), [](const std::string& text) { return contains(text, "sdiv"); }, {5});
  EXPECT_TRUE(result.ended_early);
  EXPECT_EQ(result.checks, 5u);
  EXPECT_TRUE(contains(result.text, "sdiv"));
}

TEST(Reduce, NothingIsLeftWhereNothingMatters) {
  ReduceResult result = reduced(program(3), [](const std::string&) { return true; });
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(result.size_after, 0u);
}

TEST(Reduce, ACheckThatDoesNotHoldIsAnError) {
  Expected<ReduceResult> result =
      reduce(SourceFile("t.braid", program(3)), [](const std::string&) { return false; });
  ASSERT_FALSE(result);
  EXPECT_TRUE(contains(render(result.error()), "t.braid: error: the check does not hold"))
      << render(result.error());
  result = reduce(SourceFile("t.braid", "func @f( {\n"), [](const std::string&) { return true; });
  ASSERT_FALSE(result);
  EXPECT_TRUE(contains(render(result.error()), "t.braid:1:"));
}

TEST(Reduce, HandlersAndPhis) {
  std::string text = R"(extern @risky() -> i64
func @f(n: i64) -> i64 {
entry:
  %u = upsilon i64 %n
  %t = enter handler, body
body:
  %a = call @risky()
  %v = upsilon i64 %a
  %b = call @risky()
  leave %t
  jump done
handler:
  %x = phi_c i64 [%u, %v]
  pop_exception %t
  jump done
done:
  %r = phi i64 [body: %b, handler: %x]
  ret %r
}
)";
  ReduceResult result =
      reduced(text, [](const std::string& candidate) { return contains(candidate, "phi_c"); });
  EXPECT_TRUE(contains(result.text, "enter handler")) << result.text;
  EXPECT_FALSE(contains(result.text, "@risky")) << result.text;
  EXPECT_TRUE(Session::open_valid(SourceFile("t", result.text)));
}

}  // namespace
}  // namespace braid::driver
