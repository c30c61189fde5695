// The interpreter of the source, by what the page says.
#include <gtest/gtest.h>

#include "engines_agree.h"

namespace braid::simple_testing {
namespace {

/// What the tree says is right by chapter 8's rules, whatever the front end does.
TEST(SimpleTree, Chapter8) {
  auto value = [](const char* text, int64_t argument = 0) {
    TreeProgram tree;
    parse_simple8(text, tree);
    if (!tree.is_valid()) return tree.error;
    TreeInterpreter interpreter;
    return to_string(interpreter.run(tree, argument));
  };
  EXPECT_EQ(value("return 1-2-3;"), "2");
  EXPECT_EQ(value("return 100/10/5;"), "50");
  EXPECT_EQ(value("return 10-2+3;"), "5");
  EXPECT_EQ(value("return 2*3/4*5;"), "0");
  EXPECT_EQ(value("return 1<2<3;"), "0");
  EXPECT_EQ(value("return 3>2>1;"), "1");
  EXPECT_EQ(value("return 9223372036854775807+1;"), "-9223372036854775808");
  EXPECT_EQ(value("return (-9223372036854775807-1)/-1;"), "-9223372036854775808");
  EXPECT_EQ(value("return 5/0;"), "0");
  EXPECT_EQ(value("while(arg<1000) arg=arg+1; return arg;"), "1000");
  EXPECT_EQ(value("while(arg<1001) arg=arg+1; return arg;"), "timeout");
  EXPECT_EQ(value("int a=1;"), "fallthrough");
  EXPECT_EQ(value(";return 1;"), "Expected an identifier, found 'null'");
  EXPECT_EQ(value("; ; return 1;"), "1");
  EXPECT_EQ(value("return while;"), "Undefined name 'while'");
  EXPECT_EQ(value("if(arg) int a=1; else int a=2;"), "Cannot define a new name on one arm of an if");
  EXPECT_EQ(value("while(arg) int b=1; return 2;"), "2");
  EXPECT_EQ(value("return 9223372036854775808;"), "For input string: \"9223372036854775808\"");
  EXPECT_EQ(value("}"), "Syntax error, unexpected }");
  EXPECT_EQ(value("break ;"), "No active loop for a break or continue");
  EXPECT_EQ(value("return !arg;"), "Syntax error, expected an identifier or expression: !");
}

TEST(SimpleTree, Today) {
  auto value = [](const char* text, int64_t argument = 0) {
    TreeProgram tree;
    parse_simple(text, tree);
    if (!tree.is_valid()) return std::string("error");
    TreeInterpreter interpreter;
    return to_string(interpreter.run(tree, argument));
  };
  EXPECT_EQ(value("return 1-2-3;"), "-4");
  EXPECT_EQ(value("return 1<<2+1;"), "8");
  EXPECT_EQ(value("return 3&1==1;"), "1");
  EXPECT_EQ(value("return arg ? 1 : arg==0 ? 2 : 3;"), "2");
  EXPECT_EQ(value("int a=5; return a++ + a;"), "11");
  EXPECT_EQ(value("int a=5; return a + (a=2);"), "7");
  EXPECT_EQ(value("int a; a+=7; return a%4;"), "3");
  EXPECT_EQ(value("return -1>>>60;"), "15");
  EXPECT_EQ(value("return -16>>2;"), "-4");
  EXPECT_EQ(value("return 7 && 5;"), "5");
  EXPECT_EQ(value("return 7 || 5;"), "7");
  EXPECT_EQ(value("int s; for(int i=0; i<5; i++) { if(i==3) continue; s+=i; } return s;"), "7");
  EXPECT_EQ(value("val f = { int x -> return x<2 ? x : f(x-1)+f(x-2); }; return f(10);"), "55");
  EXPECT_EQ(value("val a=1; a=2; return a;"), "error");
  EXPECT_EQ(value("return f(1);"), "error");
}

}  // namespace
}  // namespace braid::simple_testing
