#include "driver/session.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "driver/execute.h"
#include "driver/load.h"
#include "driver/value_text.h"
#include "ir/runtime.h"

namespace braid::driver {
namespace {

Session open(const std::string& text) {
  Expected<Session> session = Session::open(SourceFile("t.braid", text));
  EXPECT_TRUE(session) << render(session.error());
  return std::move(*session);
}

constexpr const char* two = "func @one() -> i64 {\nentry:\n  ret 1\n}\nfunc @two() -> i64 {\nentry:\n  ret 2\n}\n";

TEST(Session, FunctionsByName) {
  Session session = open(two);
  EXPECT_EQ((*session.function("@two"))->name_text(), "two");
  EXPECT_EQ((*session.function("one"))->name_text(), "one");
  EXPECT_EQ(session.function("@tow").error()[0].message, "there is no function '@tow', did you mean 'two'?");
  EXPECT_EQ(session.function("").error()[0].message, "there is no function '@main'; name one of the 2");
  EXPECT_EQ((*open("func @only() -> void {\nentry:\n  ret\n}\n").function(""))->name_text(), "only");
  EXPECT_EQ((*open(std::string(two) + "func @main() -> void {\nentry:\n  ret\n}\n").function(""))->name_text(), "main");
  EXPECT_EQ(open("extern @x() -> void\n").function("").error()[0].message, "there is no function with a body");
}

TEST(Session, FindingsHaveAPositionAndAListing) {
  Session session = open("func @f(x: i64, d: f64) -> i64 {\nentry:\n  %a = add i64 %x, 1\n  %b = add i64 %a, %d\n  ret %b\n}\n");
  EXPECT_EQ(render(session.verify()),
            "t.braid:4:3: error: operand 1 of this add has the type f64, needs i64 [operand-type]\n"
            "  %b = add i64 %a, %d\n"
            "  ^\n"
            "t.braid:4:3: note: in the listing of @f:\n"
            "    entry:\n"
            "      %0 = add i64 %x, 1\n"
            "  --> %1 = add i64 %0, %d\n"
            "      ret %1\n");
  EXPECT_FALSE(Session::open_valid(SourceFile("t.braid", std::string(session.source().text()))));
}

TEST(Session, MessagesHaveTheNamesOfTheSource) {
  Session session = open("func @f(x: i64) -> i64 {\nentry:\n  %3 = add i64 %4, 1\n  %4 = add i64 %x, 1\n  ret %3\n}\n");
  EXPECT_EQ(session.verify()[0].message, "%4 is not defined on every path to its use here");
  session.note_change();
  EXPECT_EQ(session.verify()[0].message, "%1 is not defined on every path to its use here");
}

TEST(Session, FaultsBeyondTheLimitAreCounted) {
  std::string text = "func @f(d: f64) -> i64 {\nentry:\n";
  for (int i = 0; i < 150; ++i) text += "  %a" + std::to_string(i) + " = add i64 %d, 1\n";
  Diagnostics found = open(text + "  ret 1\n}\n").verify();
  EXPECT_EQ(found.error_count(), 150u);
  EXPECT_TRUE(render(found).ends_with("... and 50 more\n")) << render(found);
}

TEST(Session, PrintsInBothStyles) {
  Session session = open(two);
  EXPECT_EQ(session.print(Style::braid, *session.function("one")), "func @one() -> i64 {\nentry:\n  ret 1\n}\n");
  EXPECT_EQ(session.print(Style::julia, *session.function("one")), "1 ─     return 1\n");
  EXPECT_EQ(session.print(Style::julia), "1 ─     return 1\n\n1 ─     return 2\n");
}

void forget_the_type(ir::Function& f, ir::Analyses&) { f.set_type(static_cast<ir::Ref>(0), f64); }
void look_on(ir::Function&, ir::Analyses&) {}
void keep_too_much(ir::Function& f, ir::Analyses& analyses) {
  analyses.uses();
  f.set_operand(static_cast<ir::Ref>(1), 0, ir::Operand::param(0));
}

TEST(Session, WhatPassesLeaveIsVerified) {
  constexpr passes::Analysis nothing = passes::Analysis::none;
  constexpr passes::Pass bad = {"bad", forget_the_type, nothing, nothing, ""}, good = {"good", look_on, nothing, nothing, ""};
  const char* text = "func @f(x: i64) -> i64 {\nentry:\n  %a = add i64 %x, 1\n  ret %a\n}\n";
  auto message = [&](const passes::Pipeline& pipeline) {
    Expected<passes::RunReport> report = open(text).run(pipeline);
    return report ? "" : report.error()[0].message;
  };
  EXPECT_EQ(message({&good}), "");
  EXPECT_EQ(message({&bad}), "the program is not valid after pass 'bad'");
  EXPECT_EQ(message({&bad, &good}), "the program is not valid after the passes; with --verify-each the first is named that breaks it");
  constexpr passes::Pass liar = {"liar", keep_too_much, passes::Analysis::uses, passes::Analysis::all, ""};
  passes::RunOptions options;
  options.verify_each = true;
  Expected<passes::RunReport> report = open(text).run({&liar}, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error()[0].message, "pass 'liar' keeps what is not right any more: uses, in '@f'");
}

TEST(Load, ReadsAndWritesFiles) {
  std::string path = ::testing::TempDir() + "/load_test.braid";
  ASSERT_TRUE(save(path, "some\0text"));
  std::string all("a\0b\n", 4);
  ASSERT_TRUE(save(path, all));
  Expected<SourceFile> file = load(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text(), all);
  EXPECT_EQ(file->name(), path);
  std::remove(path.c_str());
  EXPECT_EQ(load(path).error()[0].message, "cannot read '" + path + "': No such file or directory");
  EXPECT_EQ(load(::testing::TempDir()).error()[0].message, "cannot read '" + ::testing::TempDir() + "': Is a directory");
  EXPECT_FALSE(save("/nowhere/at/all", "x"));
}

class ValueText : public ::testing::Test {
 protected:
  std::string read(Type type, std::string_view text) {
    Expected<Value> value = parse_value(module_, type, text);
    return value ? ir::to_string(*value) : value.error()[0].message;
  }
  ir::Module module_;
};

TEST_F(ValueText, IntegersOfTheirWidth) {
  EXPECT_EQ(read(i8, "127"), "127");
  EXPECT_EQ(read(i8, "-128"), "-128");
  EXPECT_EQ(read(i8, "255"), "'255' is out of range for i8");
  EXPECT_EQ(read(i8, "0xff"), "-1");
  EXPECT_EQ(read(i8, "256"), "'256' is out of range for i8");
  EXPECT_EQ(read(i8, "-129"), "'-129' is out of range for i8");
  EXPECT_EQ(read(i64, "0xffffffffffffffff"), "-1");
  EXPECT_EQ(read(i64, "18446744073709551616"), "'18446744073709551616' is out of range for i64");
  EXPECT_EQ(read(i64, "1.5"), "'1.5' is not of the type i64");
  EXPECT_EQ(read(i64, ""), "'' is not of the type i64");
  EXPECT_EQ(read(i1, "true"), "true");
  EXPECT_EQ(read(i1, "0"), "false");
  EXPECT_EQ(read(i1, "2"), "'2' is out of range for i1");
}

TEST_F(ValueText, EverythingElse) {
  EXPECT_EQ(read(f64, "1.5"), "1.5");
  EXPECT_EQ(read(f64, "0x1.8p+1"), "3.0");
  EXPECT_EQ(read(f32, "-inf"), "-inf");
  EXPECT_EQ(read(ptr, "null"), "0x0");
  EXPECT_EQ(read(ptr, "0x10"), "0x10");
  EXPECT_EQ(read(ref, "null"), "null");
  EXPECT_EQ(read(ref, "5"), "'5' is not of the type ref");
  EXPECT_EQ(read(i64 | f64, "5"), "5");
  EXPECT_EQ(read(i64 | f64, "5.5"), "5.5");
  EXPECT_EQ(read(module_.types.int_range(Kind::i64, 0, 9), "10"), "'10' is out of range for i64[0..9]");
  Type inner[] = {i64, i1};
  Type pair = module_.types.tuple(inner);
  Type outer[] = {pair, f64};
  EXPECT_EQ(read(module_.types.tuple(outer), "((1, true), 2.5)"), "((1, true), 2.5)");
  EXPECT_EQ(read(pair, "(1)"), "'(1)' is not of the type (i64, i1)");
  EXPECT_EQ(read(pair, "(1, 5)"), "'5' is out of range for i1");
}

TEST(Execute, EveryEndHasItsKind) {
  Session session = open(
      "extern @print(i64, i1) -> void host\n"
      "extern @missing() -> void\n"
      "func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, value, [1: zero, 2: address, 3: never, 4: deopt, 5: host, 6: print]\n"
      "value:\n  ret 7\nzero:\n  %z = check_zero i64 0\n  ret %z\naddress:\n  %a = load i64 null\n  ret %a\n"
      "never:\n  unreachable\ndeopt:\n  %s = save_state 5 reexecute [0: %n]\n  deopt %s\nhost:\n  call @missing()\n  ret 0\n"
      "print:\n  call @print(%n, true)\n  ret 0\n}\n");
  std::string output;
  ExecuteOptions options;
  options.output = [&](std::string_view text) { output += text; };
  auto run = [&](int64_t n) {
    std::vector<Value> arguments = {Value(n)};
    return execute(**session.function("f"), arguments, options);
  };
  EXPECT_EQ(run(0).kind, Execution::Kind::returned);
  EXPECT_EQ(run(0).text, "7");
  EXPECT_EQ(run(1).kind, Execution::Kind::threw);
  EXPECT_EQ(run(1).text, "zero");
  EXPECT_EQ(run(2).kind, Execution::Kind::trapped);
  EXPECT_EQ(run(3).kind, Execution::Kind::internal_error);
  EXPECT_EQ(run(4).kind, Execution::Kind::deoptimised);
  EXPECT_EQ(run(4).text, "5 [0: 4]");
  EXPECT_EQ(run(5).kind, Execution::Kind::trapped);
  EXPECT_EQ(run(6).kind, Execution::Kind::returned);
  EXPECT_EQ(output, "6 true\n");
  options.max_steps = 1;
  EXPECT_EQ(run(0).kind, Execution::Kind::trapped);
}

}  // namespace
}  // namespace braid::driver
