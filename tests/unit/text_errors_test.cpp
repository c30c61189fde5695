// Errors: what is wrong, and where. After one error reading goes on.
#include "text_testing.h"

namespace braid::text {
namespace {

struct Fault {
  std::string text;    ///< the line that is wrong
  std::string errors;  ///< `column: message`
};

/// A function with the line in the middle of it, as line 8.
std::string in_function(const std::string& line) {
  return "global @g: 8\n"
         "extern @ext(i64) -> i64\n"
         "intrinsic my.op(i64) -> i64\n"
         "func @f(n: i64, c: i1, p: ptr) -> i64 {\n"
         "  var v: i64\n"
         "entry:\n"
         "  %0 = add i64 %n, 1\n" +
         line +
         "\n"
         "  jump done\n"
         "done:\n"
         "  ret %0\n"
         "}\n";
}

void expect_error(const std::string& line, const std::string& error) {
  EXPECT_EQ(errors_of(in_function(line)), "8:" + error + "\n") << line;
}

TEST(Errors, Statements) {
  const Fault faults[] = {
      {"  %1 = ad i64 %n, 1", "8: unknown operation 'ad', did you mean 'add'?"},
      {"  %1 = frobnicate.all(%n)", "8: unknown operation 'frobnicate.all'"},
      {"  %1 = 5", "8: expected an operation, found '5'"},
      {"  %1 add i64 %n, 1", "6: expected '=' behind the name of the result"},
      {"  %0 = add i64 %n, 1", "3: '%0' is defined twice"},
      {"  %n = add i64 %n, 1", "3: '%n' is defined twice"},
      {"  % = add i64 %n, 1", "3: expected a name behind '%'"},
      {"  %1x = add i64 %n, 1", "3: a name does not begin with a digit"},
      {"  %+0 = add i64 %n, 1", "3: a name like '%+0' belongs to a buffered statement"},
      {"  ?", "3: expected an operation, found '?'"},
      {"  %1 = add i64 %n, 1 2", "22: expected the end of the line, found '2'"},
      {"  %1 = add i64 %n, 1 %0", "22: expected the end of the line, found '%'"},
  };
  for (const Fault& fault : faults) expect_error(fault.text, fault.errors);
  EXPECT_EQ(errors_of(in_function("  jump done")), "9:3: block 'entry' has ended with its terminator\n");
}

TEST(Errors, OperandCounts) {
  expect_error("  %1 = add i64 %n", "18: add takes 2 operands, here is 1");
  expect_error("  %1 = add i64", "15: add takes 2 operands, here are none");
  expect_error("  %1 = add i64 %n, 1, 2", "21: add takes 2 operands");
  expect_error("  %1 = neg i64 %n, 1", "18: neg takes 1 operand");
  expect_error("  %1 = select i64 %c, 1", "24: select takes 3 operands, here are 2");
  expect_error("  %1 = add i64 %n,", "19: expected a value, found the end of the line");
  expect_error("  set v", "8: set takes 2 operands, here is 1");
  expect_error("  set", "6: set takes 2 operands, here are none");
}

TEST(Errors, Types) {
  expect_error("  %1 = add %n, 1", "12: expected a type");
  expect_error("  %1 = add i65 %n, 1", "12: unknown type 'i65'");
  expect_error("  %1 = add i64[5..1] %n, 1", "19: this range is empty");
  expect_error("  %1 = add i64[ 0..1] %n, 1", "16: expected an integer");
  expect_error("  %1 = add i64 i64 %n, 1", "20: expected a literal, found '%'");
  expect_error("  %1 = slt i32 %n, 1", "16: this operand has type i64, not i32");
  expect_error("  %1 = sext i32 %n to i64", "17: this operand has type i64, not i32");
  expect_error("  %1 = sext i64 %n", "19: expected 'to' and the type of the result");
  expect_error("  %1 = sext i64 %n to", "22: expected a type");
  expect_error("  %1 = add i64 %n, 1 : i64", "22: the type of this statement stands before its operands");
  expect_error("  %1 = sext i32 1 to i64 : i64", "26: the type of this statement stands before its operands");
  expect_error("  %1 = slt i64 %n, 1 : i2", "24: unknown type 'i2'");
  expect_error("  %1 = add (i64,\n) %n, 1", "12: a type stands in one line");
  expect_error("  %1 = tuple (%later)\n  %later = add i64 %n, 1",
               "3: the type of this statement is not known here: write it behind the operands, as in ': i64'");
  EXPECT_EQ(errors_of(in_function("  %1 = slt i32 %later, 1\n  %later = add i64 %n, 1")),
            "8:16: this operand has type i64, not i32\n");
}

TEST(Errors, Values) {
  expect_error("  %1 = add i64 %m, 1", "16: unknown value '%m'");
  expect_error("  %1 = add i64 %77, %4000000000", "16: unknown value '%77'\n8:21: unknown value '%4000000000'");
  expect_error("  %1 = add i64 %+0, 1", "16: unknown value '%+0'");
  expect_error("  %1 = add i64 n, 1", "16: expected a value, found 'n'");
  expect_error("  %1 = add i64 %erased, 1", "16: an operand that was erased cannot be read");
  expect_error("  %1 = add i64 @f, 1", "16: expected a value, found '@'");
  expect_error("  %1 = tuple (5)", "15: a literal needs its type here, as in 'i64 5'");
  expect_error("  %1 = tuple (i64|f64 5)", "23: a literal has one kind of type, as in 'i64 5'");
  expect_error("  %1 = tuple (i64=5 5)", "15: the type of a literal has no constant, range or class");
  expect_error("  %1 = tuple (i64 5", "20: expected ',' or ')', found the end of the line");
  expect_error("  %1 = tuple i64 5", "14: expected '(' before the elements");
}

TEST(Errors, Literals) {
  expect_error("  %1 = add i8 128, 1", "15: 128 does not fit i8");
  expect_error("  %1 = add i8 -129, 1", "15: -129 does not fit i8");
  expect_error("  %1 = add i8 0x100, 1", "15: 0x100 does not fit i8");
  expect_error("  %1 = add i16 -0x8001, 1", "16: -0x8001 does not fit i16");
  expect_error("  %1 = add i64 9223372036854775808, 1", "16: 9223372036854775808 does not fit i64");
  expect_error("  %1 = add i64 99999999999999999999, 1", "16: 99999999999999999999 does not fit i64");
  expect_error("  %1 = add i64 18446744073709551617, 1", "16: 18446744073709551617 does not fit i64");
  expect_error("  %1 = add i64 0x10000000000000001, 1", "16: 0x10000000000000001 does not fit i64");
  expect_error("  %1 = xor i1 2, true", "15: 2 does not fit i1");
  expect_error("  %1 = xor i1 -1, true", "15: -1 does not fit i1");
  expect_error("  %1 = add i64 true, 1", "16: expected a literal of type i64, found 'true'");
  expect_error("  %1 = add i64 1.5, 1", "16: expected a literal of type i64, found '1.5'");
  expect_error("  %1 = add i64 0x, 1", "16: expected a literal of type i64, found '0x'");
  expect_error("  %1 = add i64 12ab, 1", "16: expected a literal of type i64, found '12ab'");
  expect_error("  %1 = fadd f64 0x1.8q, 1", "17: expected a literal of type f64, found '0x1.8q'");
  expect_error("  %1 = fadd f32 1e39, 1", "17: 1e39 does not fit f32");
  expect_error("  %1 = fadd f64 null, 1", "17: expected a literal of type f64, found 'null'");
  expect_error("  %1 = eq ptr %p, 1.5", "19: expected an address");
  expect_error("  %1 = eq ptr %p, true", "19: expected a literal of type ptr, found 'true'");
  expect_error("  %1 = eq ptr %p, 0x1ffffffffffffffff", "19: too large for an address");
  expect_error("  %1 = stack_slot 4294967296, 8", "19: too large for a number of 32 bits");
  expect_error("  %1 = stack_slot -1, 8", "19: expected a number of 32 bits");
}

TEST(Errors, Names) {
  expect_error("  %1 = call @g(1)", "13: unknown function '@g'");
  expect_error("  %1 = call f(1)", "13: expected a name with '@'");
  expect_error("  %1 = call @f", "15: expected '(' before the arguments");
  expect_error("  %1 = global_addr @f", "20: unknown global '@f'");
  expect_error("  %1 = get w", "12: unknown variable 'w'");
  expect_error("  %1 = get %n", "12: expected the name of a variable, found '%'");
  expect_error("  branch %c, done, nowhere", "20: unknown block 'nowhere'");
  expect_error("  branch %c, i64 done, done", "14: unknown block 'i64'");
  expect_error("  jump b7", "8: unknown block 'b7'");
  expect_error("  jump b4000000000", "8: unknown block 'b4000000000'");
  expect_error("  jump %0", "8: expected the label of a block, found '%'");
  expect_error("  throw_undef v, %c", "15: expected text in quotes");
  expect_error("  throw_undef \"v, %c", "15: this text has no closing quote");
  expect_error("  throw_undef \"\\z\", %c", "16: expected \\\", \\\\, \\n, \\t, \\r or \\ and two hexadecimal digits");
}

TEST(Errors, SpecialForms) {
  expect_error("  %1 = call_indirect (i64) i64 %p(1)", "28: expected '->' and the type of the result");
  expect_error("  %1 = call_indirect (i64 -> i64 %p(1)", "27: expected ')' behind the types of the parameters");
  expect_error("  %1 = save_state", "18: expected a number of 32 bits");
  expect_error("  %1 = save_state 5 later []", "21: expected 'reexecute', 'aftercall' or 'handler', found 'later'");
  expect_error("  %1 = save_state 5 handler [0 %n]", "32: expected ':' behind the number of a register");
  expect_error("  %1 = save_state 5 handler [0: 5]", "33: a literal needs its type here, as in 'i64 5'");
  expect_error("  switch i64 %n, done", "22: expected ',' behind the default block");
  expect_error("  switch i64 %n, done, [1: done, 2]", "35: expected ':' behind the value of a case");
  expect_error("  switch i64 %n, done, [1: done", "32: expected ',' or ']', found the end of the line");
  expect_error("  switch i64 %c, done, []", "14: this operand has type i1, not i64");
  expect_error("  %1 = phi i64 [entry 5]", "23: expected ':' behind the block of a phi's operand");
  expect_error("  %1 = phi i64 entry: 5", "16: expected '[' before the operands of a phi");
  expect_error("  %1 = phi_c i64 [%0", "21: expected ',' or ']', found the end of the line");
  expect_error("  ret %0, %n", "9: ret takes 1 operand");
  expect_error("  enter done, none", "15: unknown block 'none'");
  expect_error("  %1 = intrinsic \"none\"(1)", "18: unknown operation 'none'");
}

TEST(Errors, Attributes) {
  expect_error("  %1 = add i64 %n, 1 !", "22: unknown attribute");
  expect_error("  %1 = add i64 %n, 1 !fast", "22: unknown attribute");
  expect_error("  %1 = add i64 %n, 1 !12", "25: expected ':' behind the line");
  expect_error("  %1 = add i64 %n, 1 !12:x", "26: expected a column");
  expect_error("  %1 = add i64 %n, 1 !\"f\"", "26: expected ':' behind the file");
  expect_error("  %1 = add i64 %n, 1 !var w", "27: unknown variable 'w'");
  expect_error("  %1 = add i64 %n, 1 !impossible done", "22: only a terminator has an impossible successor");
  expect_error("  jump done !end", "13: only 'unreachable' can be the end of a function");
  expect_error("  jump done !impossible nobody", "25: unknown block 'nobody'");
}

TEST(Errors, Phis) {
  auto with_phi = [](const std::string& list) {
    return "func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, b\na:\n  branch %c, b, b\nb:\n  %0 = phi i64 [" + list +
           "]\n  ret %0\n}\n";
  };
  EXPECT_EQ(errors_of(with_phi("entry: 1, a: 2, a: 3")), "");
  EXPECT_EQ(errors_of(with_phi("a: 2, a: 3, entry: 1")), "");
  EXPECT_EQ(errors_of(with_phi("a: 1, a: 2, a: 3")), "7:29: block 'a' has only 2 edges to 'b'\n");
  EXPECT_EQ(errors_of(with_phi("entry: 1, a: 2, entry: 3")), "7:33: block 'entry' has only 1 edge to 'b'\n");
  EXPECT_EQ(errors_of(with_phi("entry: 1, b: 2")), "7:27: block 'b' is not a predecessor of 'b'\n");
  EXPECT_EQ(errors_of(with_phi("entry: %x")), "7:24: unknown value '%x'\n");
  EXPECT_EQ(errors_of(with_phi("nowhere: 1")), "7:17: unknown block 'nowhere'\n");
  EXPECT_EQ(errors_of(with_phi("entry: f64 0.5")), "");  // for the verifier
}

TEST(Errors, Blocks) {
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  nothing\nnext:\n  ret\n}\n"), "2:1: block 'entry' has no terminator\n");
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  ret\nentry:\n  ret\n}\n"), "4:1: block 'entry' is defined twice\n");
  EXPECT_EQ(errors_of("func @f() {\nb1:\n  ret\nb1 \"x\":\n  ret\n}\n"), "4:1: block 'b1' is defined twice\n");
  EXPECT_EQ(errors_of("func @f() {\n  ret\nentry:\n  ret\n}\n"), "2:3: expected a label or 'var', found 'ret'\n");
  EXPECT_EQ(errors_of("func @f() {\nentry: ret\n  ret\n}\n"), "2:8: expected the end of the line, found 'ret'\n");
  EXPECT_EQ(errors_of("func @f() {\nb400000000:\n  ret\n}\n"), "2:1: this number is too large\n");
  EXPECT_EQ(errors_of("func @f() {\nb4000000000:\n  ret\n}\n"), "");  // too long for a number: a name
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  ret\n"), "4:1: expected '}' at the end of the function\n");
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  ret\nfunc @g() {\nentry:\n  ret\n}\n"),
            "4:1: expected '}' at the end of the function\n");
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  ret\n}\n}\n"),
            "5:1: expected 'func', 'extern', 'global', 'intrinsic', 'class' or 'language', found '}'\n");
}

TEST(Errors, Buffered) {
  expect_error("  +> %1 = add i64 %n, 1", "6: a buffered statement is named like '%+0'");
  expect_error("  +> %+0 = ret %n", "6: a terminator cannot be buffered");
  expect_error("  +> %+0 = add i64 %n, 1 !var v", "6: a buffered statement has no source variable");
  EXPECT_EQ(errors_of(in_function("  +> %+0 = add i64 %n, 1\n  +> %+0 = add i64 %n, 1")),
            "9:6: '%+0' is defined twice\n");
}

TEST(Errors, BufferedPlaces) {
  auto errors = [](const std::string& lines) { return errors_of(in_function(lines)); };
  EXPECT_EQ(errors("  +? %+0 = neg i64 %n"), "8:3: expected '+>', '+<', '+phi' or '+end'\n");
  EXPECT_EQ(errors("  +start %+0 = neg i64 %n"), "8:3: expected '+>', '+<', '+phi' or '+end'\n");
  EXPECT_EQ(errors("  +>(%+1) %+0 = neg i64 %n"), "8:6: '%+1' does not name a statement\n");
  EXPECT_EQ(errors("  +>(%n) %+0 = neg i64 %n"), "8:6: '%n' does not name a statement\n");
  EXPECT_EQ(errors("  +>(x) %+0 = neg i64 %n"), "8:6: expected the name of a statement, found 'x'\n");
  EXPECT_EQ(errors("  +>(%0 %+0 = neg i64 %n"), "8:9: expected ')' behind the name of a statement\n");
  EXPECT_EQ(errors("  +>(%+1) %+0 = neg i64 %n\n  +<(%+0) %+1 = neg i64 %n"),
            "8:3: buffered statements stand before or behind each other in a ring\n");
  EXPECT_EQ(errors("  +>(%+0) %+0 = neg i64 %n"),
            "8:3: buffered statements stand before or behind each other in a ring\n");
  EXPECT_EQ(errors("  jump done\n  +< %+0 = neg i64 %n\nnext:"), "9:3: there is no statement below in this block\n");
  EXPECT_EQ(errors("  jump done\nnext:\n  +> %+0 = neg i64 %n"), "10:3: there is no statement above in this block\n");
  EXPECT_EQ(errors_of("func @f() {\nentry:\n  +end %+0 = neg i64 1\n  +< %+1 = neg i64 1\n}\n"),
            "4:3: there is no statement below in this block\n");
  EXPECT_EQ(errors_of("func @f() {\n  +> %+1 = neg i64 1\n}\n"), "2:3: expected a label or 'var', found '+'\n");
}

TEST(Errors, Declarations) {
  const Fault faults[] = {
      {"hello", "1: expected 'func', 'extern', 'global', 'intrinsic', 'class' or 'language', found 'hello'"},
      {"class Dog", "7: expected a name with '@'"},
      {"class @", "8: expected a name behind '@'"},
      {"class @Dog : @Animal", "14: unknown class '@Animal'; a class stands behind its parent"},
      {"class @Dog\nclass @Dog", "2:7: class '@Dog' is defined twice"},
      {"class @\"\"", "8: a name is not empty"},
      {"class @Dog : @\"\"", "15: a name is not empty"},
      {"global @\"\": 4", "9: a name is not empty"},
      {"extern @\"\"() -> i64", "9: a name is not empty"},
      {"global @g", "10: expected ':' and the size of the global"},
      {"global @g: x", "12: expected a size in bytes"},
      {"global @g: 99999999999999999999", "12: too large for a size in bytes"},
      {"global @g: 8 align 3", "20: an alignment is a power of two"},
      {"global @g: 8 align 0", "20: an alignment is a power of two"},
      {"global @g: 2 = \"abc\"", "16: 3 bytes do not fit a global of 2"},
      {"global @g: 2 volatile", "14: expected the end of the line, found 'volatile'"},
      {"global @g: 2\nglobal @g: 2", "2:8: global '@g' is defined twice"},
      {"intrinsic (i64) -> i64", "11: expected the name of an intrinsic"},
      {"intrinsic a.b(i64)", "19: expected '->' and the type of the result"},
      {"intrinsic a.b() -> i64 sometimes", "24: expected the end of the line, found 'sometimes'"},
      {"intrinsic a.b() -> i64\nintrinsic a.b() -> i64", "2:11: intrinsic 'a.b' is defined twice"},
      {"extern @e(i64", "14: expected ',' or ')', found the end of the line"},
      {"extern @e(i64 i64)", "15: expected ',' or ')', found 'i64'"},
      {"extern @e(x: i64, x: i64)", "19: parameter 'x' is defined twice"},
      {"extern @e(arg1: i64)", "11: 'arg1' stands for parameter 1 without a name"},
      {"extern @e(x \"y\": i64)", "13: a parameter with a name in quotes is called 'arg0'"},
      {"extern @e(x: dog)", "14: unknown type 'dog'"},
      {"extern @e(ref:Cat)", "15: unknown class 'Cat'"},
      {"extern @e() -> i64\nextern @e() -> i64", "2:8: function '@e' is defined twice"},
      {"func @f()\nentry:\n  ret\n}", "10: expected '{' at the end of the function's header"},
      {"func @f() -> i64 { entry:", "20: expected the end of the line, found 'entry'"},
  };
  for (const Fault& fault : faults) {
    std::string wanted = fault.errors.starts_with("2:") ? fault.errors : "1:" + fault.errors;
    std::string found = errors_of(fault.text + "\n");
    EXPECT_EQ(found.substr(0, found.find('\n')), wanted) << fault.text;
  }
}

TEST(Errors, Variables) {
  auto errors = [](const std::string& line) { return errors_of("func @f() {\n" + line + "\nentry:\n  ret\n}\n"); };
  EXPECT_EQ(errors("  var"), "2:6: expected the name of a variable, found the end of the line\n");
  EXPECT_EQ(errors("  var x"), "2:8: expected ':' behind the name of a variable\n");
  EXPECT_EQ(errors("  var x: i64 never"), "2:14: expected 'throws', 'zero' or 'reject', found 'never'\n");
  EXPECT_EQ(errors("  var x: i64 zero zero"), "2:19: expected the end of the line, found 'zero'\n");
  EXPECT_EQ(errors("  var x: i64\n  var x: i64"), "3:3: variable 'x' is defined twice\n");
  EXPECT_EQ(errors("entry2:\n  ret\n  var x: i64"), "4:3: variables stand before the first label\n");
}

/// One error does not bring others with it, and the next one is found.
TEST(Errors, Recovery) {
  EXPECT_EQ(errors_of(R"(global @g: x
func @f(n: i64) -> i64 {
  var v: i63
entry:
  %0 = ad i64 %n, 1
  %1 = add i64 %0, %missing
  branch %0, a
a:
  %2 = phi i64 [entry: %1]
  %3 = call @nobody(%2)
  jump b
b:
  %4 = add i64 %2, %3
}

func @f(n: i64) -> i64 {
}

func @h() -> i64 {
entry:
  ret 99999999999999999999
}
)"),
            "1:12: expected a size in bytes\n"
            "3:10: unknown type 'i63'\n"
            "5:8: unknown operation 'ad', did you mean 'add'?\n"
            "6:20: unknown value '%missing'\n"
            "7:15: branch takes 3 operands, here are 2\n"
            "10:13: unknown function '@nobody'\n"
            "16:6: function '@f' is defined twice\n"
            "21:7: 99999999999999999999 does not fit i64\n");
}

TEST(Errors, AreLimited) {
  std::string text = "func @f() {\nentry:\n";
  for (int i = 0; i < 100; ++i) text += "  frob\n";
  text += "  ret\n}\n";
  Expected<ParsedModule> result = parse_module(SourceFile("test", text));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().size(), 21u);
  EXPECT_EQ(result.error()[20].message, "too many errors: 80 more");
  ParseOptions two;
  two.max_errors = 2;
  EXPECT_EQ(errors_of(text, two),
            "3:3: unknown operation 'frob'\n4:3: unknown operation 'frob'\ntoo many errors: 98 more\n");
}

TEST(Errors, Limits) {
  const std::string text =
      "func @f(c: i1) {\nentry:\n  branch %c, next, next\nnext:\n  %1 = phi i64 []\n  %2 = phi i64 []\n  ret\n}\n";
  ParseOptions few;
  few.max_statements = 3;
  EXPECT_EQ(errors_of(text, few), "7:3: a function has at most 3 statements\n");
  ParseOptions narrow;
  narrow.max_operands = 3;
  EXPECT_EQ(errors_of(text, narrow), "6:3: the phis of this function have more than 3 operands\n");
  narrow.max_operands = 4;
  EXPECT_EQ(errors_of(text, narrow), "");
  std::string nested(100, '(');
  EXPECT_EQ(errors_of("extern @e(" + nested + ") -> i64\n"), "1:75: tuples are nested more than 64 deep\n");
}

TEST(Errors, AreRenderedWithTheLine) {
  Expected<ParsedModule> result = parse_module(SourceFile("a.braid", "func @f() {\nentry:\n  jump nowhere\n}\n"));
  ASSERT_FALSE(result);
  EXPECT_EQ(render(result.error()),
            "a.braid:3:8: error: unknown block 'nowhere'\n"
            "  jump nowhere\n"
            "       ^\n");
}

TEST(Errors, EmptyAndOddInput) {
  EXPECT_EQ(errors_of(""), "");
  EXPECT_EQ(errors_of("; only a comment"), "");
  EXPECT_EQ(errors_of("\n\n \t \r\n"), "");
  EXPECT_EQ(errors_of(std::string("\0", 1)),
            "1:1: expected 'func', 'extern', 'global', 'intrinsic', 'class' or 'language', found a control character\n");
  EXPECT_EQ(errors_of("func @f() {\r\nentry:\r\n  ret\r\n}\r\n"), "");
  EXPECT_EQ(errors_of("func @f() {\n}\n"), "");
}

}  // namespace
}  // namespace braid::text
