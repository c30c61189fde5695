// Time grows with the size of the text, whatever is large in it.
#include "growth.h"
#include "small_stack.h"
#include "text_testing.h"

namespace braid::text {
namespace {

using namespace ir;

using Generator = std::string (*)(size_t);

std::string number(size_t n) { return std::to_string(n); }

std::string statements(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 1\n";
  for (size_t i = 1; i < n; ++i) text += "  %" + number(i) + " = add i64 %" + number(i - 1) + ", " + number(i) + "\n";
  return text + "  ret %" + number(n - 1) + "\n}\n";
}

std::string blocks(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nb0:\n  jump b1\n";
  for (size_t i = 1; i < n; ++i)
    text += "b" + number(i) + ":\n  %x" + number(i) + " = phi i64 [b" + number(i - 1) + ": %n]\n  jump b" +
            number(i + 1) + "\n";
  return text + "b" + number(n) + ":\n  ret %n\n}\n";
}

std::string named_blocks(size_t n) {
  std::string text = "func @f(c: i1) {\nentry:\n  branch %c, block.0, block.0\n";
  for (size_t i = 0; i < n; ++i)
    text += "block." + number(i) + ":\n  branch %c, block." + number((i * 7919) % n) + ", entry" + number(i) +
            "\nentry" + number(i) + ":\n  ret\n";
  return text + "}\n";
}

/// One join with many predecessors and two phis.
std::string predecessors(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, b0, [";
  for (size_t i = 1; i < n; ++i) text += (i > 1 ? ", " : "") + number(i) + ": b" + number(i);
  text += "]\njoin:\n  nothing\n  %x = phi i64 [";
  for (size_t i = n; i-- > 0;) text += "b" + number(i) + ": " + number(i) + (i > 0 ? ", " : "");
  text += "]\n  %y = phi i64 [b0: %x]\n  ret %x\n";
  for (size_t i = 0; i < n; ++i) text += "b" + number(i) + ":\n  jump join\n";
  return text + "}\n";
}

/// All cases to one block: as many edges from one source.
std::string cases(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  switch i64 %n, join, [";
  for (size_t i = 1; i < n; ++i) text += (i > 1 ? ", " : "") + number(i) + ": join";
  text += "]\njoin:\n  %x = phi i64 [";
  for (size_t i = 0; i < n; ++i) text += (i > 0 ? ", entry: " : "entry: ") + number(i);
  return text + "]\n  ret %x\n}\n";
}

/// Every value stands further up than its definition.
std::string forward(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nb0:\n  jump b" + number(n - 1) + "\n";
  for (size_t i = 1; i < n; ++i)
    text += "b" + number(i) + ":\n  %x" + number(i) + " = add i64 %x" + number(i + 1) + ", 1\n  jump b0x\n";
  return text + "b0x:\n  ret %n\nb" + number(n) + ":\n  %x" + number(n) + " = add i64 %n, 1\n  ret %n\n}\n";
}

std::string functions(size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i)
    text += "func @f" + number(i) + "(x" + number(i) + ": i64) -> i64 {\nentry:\n  %v = call @f" + number(n - 1 - i) +
            "(%x" + number(i) + ")\n  ret %v\n}\n";
  return text;
}

std::string buffered(size_t n) {
  std::string text = "func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 1\n";
  for (size_t i = 0; i < n; ++i) text += "  +> %+" + number(i) + " = add i64 %0, " + number(i) + "\n";
  for (size_t i = 1; i < n; ++i)
    text += "  +>(%+" + number(n + i - 2) + ") %+" + number(n + i - 1) + " = add i64 %n, " + number(i) + "\n";
  return text + "  ret %0\n}\n";
}

std::string variables(size_t n) {
  std::string text = "func @f(n: i64) {\n";
  for (size_t i = 0; i < n; ++i) text += "  var v" + number(i) + ": i64\n";
  text += "entry:\n";
  for (size_t i = 0; i < n; ++i) text += "  set v" + number(i) + ", " + number(i) + " !1:2 !var v0\n";
  return text + "  ret\n}\n";
}

std::string operands(size_t n) {
  std::string text = "func @f(n: i64) {\nentry:\n  %0 = save_state 1 reexecute [";
  for (size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + number(i) + ": %n";
  return text + "]\n  ret\n}\n";
}

/// Erased statements before the phi of a loop with many back edges.
std::string erased(size_t n) {
  std::string text = "func @f(c: i1) {\nentry:\n  jump head\nhead:\n";
  for (size_t i = 0; i < n; ++i) text += "  nothing\n";
  text += "  %x = phi i64 []\n  jump b0\n";
  for (size_t i = 0; i < n; ++i) text += "b" + number(i) + ":\n  branch %c, head, b" + number(i + 1) + "\n";
  return text + "b" + number(n) + ":\n  ret\n}\n";
}

class Growth : public ::testing::TestWithParam<std::pair<const char*, Generator>> {};

TEST_P(Growth, ReadingAndPrinting) {
  Generator make = GetParam().second;
  double reading = growth_ratio(
      25000, [&](size_t n) { return SourceFile("large", make(n)); },
      [](const SourceFile& source) {
        Expected<ParsedModule> result = parse_module(source);
        ASSERT_TRUE(result) << render(result.error());
      });
  EXPECT_LT(reading, 3.0);
  double printing = growth_ratio(
      25000, [&](size_t n) { return parse_module(SourceFile("large", make(n))); },
      [](Expected<ParsedModule>& module) { ASSERT_FALSE(to_text(*module->module).empty()); });
  EXPECT_LT(printing, 3.0);
}

TEST_P(Growth, RoundTripOnASmallStack) {
  run_on_small_stack([] {
    std::unique_ptr<Module> module = parsed(GetParam().second(20000));
    ASSERT_NE(module, nullptr);
    std::string text = to_text(*module);
    std::unique_ptr<Module> again = parsed(text);
    ASSERT_NE(again, nullptr);
    std::string difference;
    EXPECT_TRUE(ir_equal(*module, *again, &difference)) << difference;
    EXPECT_EQ(to_text(*again), text);
  });
}

INSTANTIATE_TEST_SUITE_P(Text, Growth,
                         ::testing::Values(std::pair{"statements", &statements}, std::pair{"blocks", &blocks},
                                           std::pair{"named_blocks", &named_blocks},
                                           std::pair{"predecessors", &predecessors}, std::pair{"cases", &cases},
                                           std::pair{"forward", &forward}, std::pair{"functions", &functions},
                                           std::pair{"buffered", &buffered}, std::pair{"variables", &variables},
                                           std::pair{"operands", &operands}, std::pair{"erased", &erased}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace braid::text
