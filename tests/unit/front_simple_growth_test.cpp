// Shapes on which one-pass parsing into a graph goes wrong if it is done naively: linear here, in both
// languages, and without a deep stack.
#include <gtest/gtest.h>

#include "front/simple/simple.h"
#include "growth.h"
#include "sea/evaluate.h"
#include "sea/optimise.h"
#include "sea/print_text.h"
#include "small_stack.h"

namespace braid::simple {
namespace {

std::string number(size_t value) { return std::to_string(value); }

/// Each test is decided only when what the one before has left is known.
std::string tests_in_a_chain(size_t n) {
  std::string text = "int z=arg*arg; if(arg<9) { int y0=arg;\n";
  for (size_t i = 0; i < n; ++i)
    text += "int y" + number(i + 1) + "=0; if(y" + number(i) + "<10) y" + number(i + 1) + "=y" + number(i) + "; else y" +
            number(i + 1) + "=z;\n";
  return text + "return y" + number(n) + "; }\nreturn 0;";
}

struct Family {
  const char* name;
  size_t size;
  std::string (*make)(size_t);
};
const Family families[] = {
    {"loops in arms", 600,
     [](size_t n) {
       std::string text = "int v=1;\n";
       for (size_t i = 0; i < n; ++i) text += "if(arg<" + number(i) + ") while(v<" + number(i) + ") v=v*3;\n";
       return text + "return v;";
     }},
    {"ifs one after another", 3000,
     [](size_t n) {
       std::string text = "int v=1;\n";
       for (size_t i = 0; i < n; ++i) text += "if(arg==" + number(i) + ") v=v+1;\n";
       return text + "return v;";
     }},
    {"ways out of a loop", 3000,
     [](size_t n) {
       std::string text = "while(arg<1000) {\narg=arg+1;\n";
       for (size_t i = 0; i < n; ++i) text += "if(arg==" + number(i) + ") " + (i % 2 == 0 ? "break;\n" : "continue;\n");
       return text + "}\nreturn arg;";
     }},
    {"tests that lead to the next one", 3000,
     tests_in_a_chain},
    {"long sums", 3000,
     [](size_t n) {
       std::string text = "int a=arg;\n";
       for (size_t i = 0; i < n; ++i) text += "int v" + number(i) + "=arg/" + number(i + 2) + ";\n";
       for (size_t i = n; i-- > 0;) text += "a=a+v" + number(i) + ";\n";
       return text + "return a;";
     }},
    {"blocks in blocks", 20'000,
     [](size_t n) { return std::string(n, '{') + "arg=arg+1;" + std::string(n, '}') + "return arg;"; }},
    {"ifs in ifs", 3000,
     [](size_t n) {
       std::string text;
       for (size_t i = 0; i < n; ++i) text += "if(arg<" + number(2 * n - i) + ") { arg=arg+1;\n";
       return text + std::string(n, '}') + "return arg;";
     }},
    {"parentheses", 20'000,
     [](size_t n) { return "return " + std::string(n, '(') + "arg" + std::string(n, ')') + ";"; }},
};

/// Names keep their numbers where they are, until all names go at once: then they must not all climb through the whole sum.
std::string named_numbers(size_t n, const std::string& value) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += "int v" + number(i) + "=" + value + number(i) + ";\n";
  return text;
}
std::string sum_of_names(size_t n, std::string_view sign, size_t others) {
  std::string text;
  for (size_t i = 0; i < n; ++i) {
    const std::string name = "v" + number(i);
    text += (i == 0 ? "" : std::string(sign)) + (i % others == 1 ? "(" + name + std::string(sign) + "b)" : name);
  }
  return text;
}
const Family sums_with_numbers[] = {
    {"a sum with other terms in between", 3000,
     [](size_t n) {
       std::string text = named_numbers(n, "arg+") + "int a=arg;\n";
       for (size_t i = 0; i < n; ++i) text += "a=(a+v" + number(i) + ")+(arg<<" + number(i % 9) + ");\n";
       return text + "return a;";
     }},
    {"a sum of sums", 3000,
     [](size_t n) { return named_numbers(n, "arg+") + "int b=arg*arg; return " + sum_of_names(n, "+", 3) + ";"; }},
    {"a sum with numbers that hang on conditions", 3000,
     [](size_t n) {
       std::string text;
       for (size_t i = 0; i < n; ++i) {
         const std::string name = "v" + number(i);
         text += "int " + name + "=arg+" + number(i) + ";\n" + (i % 3 == 0 ? "if(arg) " + name + "=" + name + "+1;\n" : "");
       }
       return text + "int b=arg*arg; return " + sum_of_names(n, "+", 3) + ";";
     }},
    {"a product", 3000,
     [](size_t n) { return named_numbers(n, "arg*1") + "int b=arg*arg; return " + sum_of_names(n, "*", 3) + ";"; }},
    {"exclusive ors", 3000,
     [](size_t n) { return named_numbers(n, "arg^") + "int b=arg*arg; return " + sum_of_names(n, "^", 3) + ";"; }},
    // What the outer terms lose goes first.
    {"a sum whose names go from the outer end", 3000,
     [](size_t n) {
       return named_numbers(n, "arg*arg+") + "int b=arg/3; int s=" + sum_of_names(n, "+", 3) +
              "; if(arg<5) { if(arg>7) s=" + sum_of_names(n, "^", 3) + "; } return s;";
     }},
};

TEST(SimpleGrowth, NumbersInLongSumsMakeFewNodes) {
  for (const Family& family : sums_with_numbers)
    for (bool peepholes : {true, false}) {
      SourceFile source("test.smp", family.make(family.size));
      ParseOptions options;
      options.peepholes = peepholes;
      ir::Module module;
      Expected<Program> program = parse(module, source, options);
      ASSERT_TRUE(program.has_value()) << program.error()[0].message;
      if (!peepholes) sea::optimise(program->main());
      EXPECT_LT(program->main().size(), 60 * family.size) << family.name;
    }
}

/// Nor do statements without braces, however the compiler makes calls at the end of a function.
TEST(SimpleGrowth, StatementsInStatementsNeedNoStack) {
  for (const Language language : all_languages)
    for (const char* opening : {"if(arg)", "if(arg==1) arg=2; else ", "while(arg)"}) {
      std::string text;
      for (int i = 0; i < 100'000; ++i) text += opening;
      SourceFile source("test.smp", text + "arg=1; return arg;");
      ParseOptions options;
      options.language = language;
      ir::Module module;
      EXPECT_TRUE(parse(module, source, options).has_value()) << opening;
    }
}

/// What is done behind inner loops that never end stays with the outermost name, which every loop hands on.
TEST(SimpleGrowth, NamesThatLoopsInLoopsOnlyHandOn) {
  const Family families[] = {
      {"endless loops", 4000,
       [](size_t n) {
         std::string text;
         for (size_t i = 0; i < n; ++i) text += "for(;;arg++)";
         return text + ";";
       }},
      {"loops with conditions", 4000,
       [](size_t n) {
         std::string text;
         for (size_t i = 0; i < n; ++i) text += "while(arg<" + number(i) + ")";
         return text + ";return arg;";
       }},
  };
  for (const Family& family : families) {
    double ratio = growth_ratio(
        family.size, [&](size_t size) { return std::make_unique<SourceFile>("test.smp", family.make(size)); },
        [&](std::unique_ptr<SourceFile>& source) {
          ir::Module module;
          ASSERT_TRUE(parse(module, *source, {}).has_value());
        });
    EXPECT_LT(ratio, 3.0) << family.name;
  }
}

/// Phis that wait for the end of a loop around mean the same as those that go at once.
TEST(SimpleGrowth, NamesThatLoopsHandOnMeanTheSame) {
  std::string body, end;
  for (size_t i = 0; i < 40; ++i) {
    const std::string name = "i" + number(i);
    body += "for(int " + name + "=0;" + name + "<1;" + name + "++) { s=s*3+(a^" + number(i) + "); ";
    end += "s=s*5+a/" + number(i + 1) + "; }";
  }
  SourceFile source("test.smp", "int a=arg*7; int s=0; for(int k=0;k<4;k++) { " + body + end + " s+=a; a+=k; } return s+a;");
  std::string results[2];
  for (bool peepholes : {true, false}) {
    ParseOptions options;
    options.peepholes = peepholes;
    ir::Module module;
    Expected<Program> program = parse(module, source, options);
    ASSERT_TRUE(program.has_value()) << program.error()[0].message;
    EXPECT_EQ(program->main().check(), "");
    sea::Evaluator evaluator;
    evaluator.limits.back_edges = 100'000;
    evaluator.reset(program->main());
    for (int64_t argument : {0, 1, 2, -3}) results[peepholes] += to_string(evaluator.run(argument)) + " ";
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0].find("timeout"), std::string::npos) << results[0];
}

TEST(SimpleGrowth, AChainOfTestsTakesFewRounds) {
  SourceFile source("test.smp", tests_in_a_chain(100));
  ParseOptions options;
  options.peepholes = false;
  ir::Module module;
  Expected<Program> program = parse(module, source, options);
  ASSERT_TRUE(program.has_value());
  EXPECT_LE(sea::optimise(program->main()).rounds, 5u);
  EXPECT_EQ(sea::print_text(program->main()), "Stop[ return arg; return 0; ]");
}

TEST(SimpleGrowth, ParsingAndEvaluatingIsLinear) {
  for (Language language : all_languages)
    for (const Family& family : families) {
      double ratio = growth_ratio(
          family.size,
          [&](size_t size) { return std::make_unique<SourceFile>("test.smp", family.make(size)); },
          [&](std::unique_ptr<SourceFile>& source) {
            run_on_small_stack([&] {
              ParseOptions options;
              options.language = language;
              ir::Module module;
              Expected<Program> program = parse(module, *source, options);
              ASSERT_TRUE(program.has_value()) << program.error()[0].message;
              sea::Evaluator evaluator;
              evaluator.limits.back_edges = 1'000'000;
              evaluator.reset(program->main());
              EXPECT_TRUE(evaluator.run(5).is_value());
              EXPECT_FALSE(sea::print_text(program->main()).empty());
            });
          });
      EXPECT_LT(ratio, 3.0) << family.name << " in " << name(language);
    }
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// A function's graph keeps no room for growing. Its declaration and its graph are some 1200 bytes; it was 7000.
TEST(SimpleGrowth, SmallFunctionsHoldLittleMemory) {
  constexpr size_t count = 4000;
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "val f" + number(i) + "={int x->return x+" + number(i) + ";};\n";
  SourceFile source("test.smp", text + "return f5(arg);");
  for (bool peepholes : {true, false}) {
    ir::Module module;
    ParseOptions options;
    options.peepholes = peepholes;
    auto allocated = [] {
      const struct mallinfo2 info = mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    const size_t before = allocated();
    Expected<Program> program = parse(module, source, options);
    ASSERT_TRUE(program.has_value());
    EXPECT_LT(allocated() - before, count * 3000) << peepholes;
  }
}
#endif

}  // namespace
}  // namespace braid::simple
