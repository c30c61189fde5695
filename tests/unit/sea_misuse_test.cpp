// Mistakes in the use of a Sea: each is reported by `verify`, none a crash, and only a declaration stays.
#include <braid/braid.h>
#include <braid/sea.h>

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace braid {
namespace {

using Node = Sea::Node;

/// What `verify` says of the module when `build` has filled `f(a)`.
std::string mistakes(const std::function<void(Sea&)>& build) {
  Module m;
  Sea s(m, "f", {"a"});
  build(s);
  const std::string text = s.to_text();
  const SeaResult result = s.evaluate({1});
  Func& f = s.land();
  EXPECT_EQ(&f, &s.land());
  Expected<void> checked = verify(m);
  if (checked) return "";
  EXPECT_EQ(text, "");
  EXPECT_EQ(result.kind, SeaResult::Kind::other);
  EXPECT_EQ(block_count(f), 0u);
  EXPECT_EQ(checked.error().count(), 1u);
  return checked.error()[0].message;
}

TEST(SeaMisuse, NoneInAFunctionWithoutOne) {
  EXPECT_EQ(mistakes([](Sea& s) {
    s.loop();
    s.loop_while(*s.lookup("a"));
    s.if_(*s.lookup("a"));
    s.break_();
    s.else_();
    s.assign("a", s.constant(0));
    s.end_if();
    s.end_loop();
    s.ret(*s.lookup("a"));
  }), "");
}

TEST(SeaMisuse, EachIsReported) {
  struct Case {
    const char* message;
    std::function<void(Sea&)> build;
  };
  const std::vector<Case> cases = {
      {"the end of a loop that is not open", [](Sea& s) { s.end_loop(); }},
      {"an else without its if", [](Sea& s) { s.else_(); }},
      {"the end of a condition that is not open", [](Sea& s) { s.end_if(); }},
      {"'call' is not an operation of two integers", [](Sea& s) { s.op("call", s.constant(1), s.constant(2)); }},
      {"'frobnicate' is not an operation of two integers", [](Sea& s) { s.op("frobnicate", s.constant(1), s.constant(2)); }},
      {"'fadd' is not an operation of two integers", [](Sea& s) { s.ret(s.op("fadd", s.constant(1), s.constant(2))); }},
      {"the condition of a loop outside of it", [](Sea& s) { s.loop_while(s.constant(1)); }},
      {"a loop without a condition", [](Sea& s) { s.loop(); s.end_loop(); }},
      {"a loop is left in front of its condition", [](Sea& s) { s.loop(); s.break_(); }},
      {"a loop is left in front of its condition", [](Sea& s) { s.loop(); s.if_(s.constant(1)); s.continue_(); }},
      {"a loop has two conditions", [](Sea& s) { s.loop(); s.loop_while(s.constant(1)); s.loop_while(s.constant(1)); }},
      {"a condition has two elses", [](Sea& s) { s.if_(*s.lookup("a")); s.else_(); s.else_(); }},
      {"the end of a condition that is not open", [](Sea& s) { s.if_(*s.lookup("a")); s.loop(); s.end_if(); }},
      {"the end of a loop that is not open", [](Sea& s) { s.loop(); s.loop_while(s.constant(1)); s.if_(*s.lookup("a")); s.end_loop(); }},
      {"a condition or loop is still open", [](Sea& s) { s.if_(*s.lookup("a")); }},
      {"a condition or loop is still open", [](Sea& s) { s.loop(); }},
      {"a scope is closed that is not open here", [](Sea& s) { s.close_scope(); }},
      {"a scope is closed that is not open here", [](Sea& s) { s.open_scope(); s.if_(*s.lookup("a")); s.close_scope(); }},
      {"a scope is still open", [](Sea& s) { s.if_(*s.lookup("a")); s.open_scope(); s.end_if(); }},
      {"a side of a condition has defined a name", [](Sea& s) {
         s.if_(*s.lookup("a"));
         s.define("b", s.constant(1));
         s.end_if();
       }},
      {"a name is defined in front of the condition of its loop", [](Sea& s) {
         s.loop();
         s.define("b", s.constant(1));
         s.loop_while(s.constant(1));
       }},
      {"a node of another Sea", [](Sea& s) { s.ret(Node{}); }},
      {"a node of another Sea", [](Sea& s) { s.negate(Node{1u << 30, nullptr}); }},
      {"something is built behind the end", [](Sea& s) { s.ret(s.constant(1)); s.finish(); s.constant(2); }},
      {"something is built behind the end", [](Sea& s) { s.finish(); s.open_scope(); }},
      {"something is built behind the end", [](Sea& s) { s.finish(); s.lookup("a"); }},
  };
  for (const Case& one : cases) EXPECT_EQ(mistakes(one.build), std::string("in '@f': ") + one.message);
}

TEST(SeaMisuse, NodesOfAnotherSea) {
  Module other;
  Sea from(other, "g", {"x"});
  const Node foreign = *from.lookup("x");
  const std::string message = "in '@f': a node of another Sea";
  EXPECT_EQ(mistakes([&](Sea& s) { s.op("add", foreign, s.constant(1)); }), message);
  EXPECT_EQ(mistakes([&](Sea& s) { s.is_zero(foreign); }), message);
  EXPECT_EQ(mistakes([&](Sea& s) { s.define("b", foreign); }), message);
  EXPECT_EQ(mistakes([&](Sea& s) { s.assign("a", foreign); }), message);
  EXPECT_EQ(mistakes([&](Sea& s) { s.if_(foreign); }), message);
  EXPECT_EQ(mistakes([&](Sea& s) { s.loop(); s.loop_while(foreign); }), message);
  EXPECT_TRUE(verify(other));
}

TEST(SeaMisuse, NamesAndParameters) {
  Module m;
  Sea twice(m, "twice", {"a", "a"});
  EXPECT_FALSE(verify(m));
  EXPECT_EQ(mistakes([](Sea& s) {
    EXPECT_FALSE(s.lookup("$effect"));
    EXPECT_FALSE(s.lookup("b"));
    EXPECT_FALSE(s.assign("b", s.constant(1)));
    EXPECT_FALSE(s.break_());
    EXPECT_FALSE(s.continue_());
    EXPECT_EQ(s.evaluate({}).kind, SeaResult::Kind::other);
  }), "");
}

/// Any calls in any order, with any nodes that there ever were.
TEST(SeaMisuse, RandomCalls) {
  std::mt19937 random(1);
  size_t good = 0;
  for (int round = 0; round < 20000; ++round) {
    Module m;
    Sea s(m, "f", {"a"}, {.peepholes = round % 2 == 0, .single_region = round % 3 == 0});
    std::vector<Node> nodes{s.constant(3)};
    auto any = [&] { return nodes[random() % nodes.size()]; };
    for (unsigned calls = random() % 30; calls != 0; --calls) {
      const std::string name(1, static_cast<char>('a' + random() % 3));
      switch (random() % 20) {
        case 0: s.if_(any()); break;
        case 1: s.else_(); break;
        case 2: s.end_if(); break;
        case 3:
          s.loop();
          if (random() % 8 != 0) s.loop_while(any());
          break;
        case 4: s.end_loop(); break;
        case 5: s.break_(); break;
        case 6: s.continue_(); break;
        case 7: s.open_scope(); break;
        case 8: s.close_scope(); break;
        case 9:
        case 10: s.define(name, any()); break;
        case 11:
        case 12: s.assign(name, any()); break;
        case 13: s.ret(any()); break;
        case 14: nodes.push_back(s.negate(any())); break;
        case 15: nodes.push_back(s.op("add", any(), any())); break;
        default:
          if (std::optional<Node> found = s.lookup(name)) nodes.push_back(*found);
      }
    }
    s.to_text();
    s.evaluate({2}, 20);
    s.land();
    good += verify(m).has_value();
  }
  EXPECT_GT(good, 1000u);
}

}  // namespace
}  // namespace braid
