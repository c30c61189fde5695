// Phis by hand: blocks in order and in any other, values that jumps bring, and mistakes with them.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "builder_testing.h"

namespace braid {
namespace {

TEST(BuilderPhis, LoopInOrder) {
  Module m;
  Builder b(m, "sum", {{"n", i64}}, i64);
  Val n = b.param("n");
  Label head = b.label("head"), body = b.label(), done = b.label("done");
  b.jump(head, {n, 0});
  b.at(head);
  Val i = b.phi(i64), s = b.phi(i64);
  b.branch(i > 0, body, done);
  b.at(body);
  b.jump(head, {i - 1, s + i});
  b.at(done);
  b.ret(s);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(100)}), "5050");
  EXPECT_EQ(to_text(f), R"(func @sum(n: i64) -> i64 {
entry:
  jump head
head:
  %1 = phi i64 [entry: %n, b2: %5]
  %2 = phi i64 [entry: 0, b2: %6]
  %3 = sgt i64 %1, 0
  branch %3, b2, done
b2:
  %5 = sub i64 %1, 1
  %6 = add i64 %2, %1
  jump head
done:
  ret %2
}
)");
}

/// Numbers take the types of their phis, also when they are brought before these are known.
TEST(BuilderPhis, NumbersTakeTheTypesOfPhis) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, f64);
  Label meet = b.label();
  b.branch(b.param("c"), meet, {1, 2.5}, meet, {2, 3});
  b.at(meet);
  Val small = b.phi(i8), real = b.phi(f64);
  b.ret(b.convert("sitofp", small, f64) + real);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(true)}), "3.5");
  EXPECT_EQ(outcome(f, {Value(false)}), "5.0");
}

/// A join of many ways, forwards, and a loop head of many ways back: more operands than stand in a statement.
TEST(BuilderPhis, ManyWays) {
  for (int ways : {1, 2, 3, 4, 5, 17}) {
    Module m;
    Builder b(m, "f", {{"x", i64}}, i64);
    Val x = b.param("x");
    Label join = b.label("join"), head = b.label("head"), out = b.label("out");
    for (int i = 0; i < ways; ++i) {
      Label next = b.label();
      b.branch(x == i, join, {i * 10, x}, next, {});
      b.at(next);
    }
    b.jump(join, {-1, x});
    b.at(join);
    Val found = b.phi(i64), same = b.phi(i64);
    b.jump(head, {found, 0});
    b.at(head);
    Val left = b.phi(i64), rounds = b.phi(i64);
    Val less = left - 1, more = rounds + same;
    for (int i = 0; i < ways; ++i) {
      Label next = b.label();
      b.branch(left == i + 1, head, {less, more}, next, {});
      b.at(next);
    }
    b.jump(out);
    b.at(out);
    b.ret(rounds * 1000 + left);
    Func& f = b.done();
    for (int i = 0; i <= ways; ++i) {
      int64_t at = i < ways ? i * 10 : -1, sum = 0;
      while (at >= 1 && at <= ways) {
        --at;
        sum += i;
      }
      EXPECT_EQ(outcome(f, {v(i)}), std::to_string(sum * 1000 + at)) << ways << " ways, " << i;
    }
  }
}

/// What is not in order gives the same function as what is: blocks filled before a jump to them, left and
/// taken up again, a variable, a switch, code that cannot be reached, a region.
std::string sum_with(const std::function<void(Builder&)>& first, const std::function<void(Builder&)>& between,
                     bool backwards) {
  Module m;
  Builder b(m, "sum", {{"n", i64}}, i64);
  Val n = b.param("n");
  first(b);
  Label head = b.label(), body = b.label(), done = b.label();
  Val i = n, s = n;
  auto fill_head = [&] {
    b.at(head);
    i = b.phi(i64);
    s = b.phi(i64);
    b.branch(i > 0, body, done);
  };
  auto fill_body = [&] {
    b.at(body);
    b.jump(head, {i - 1, s + i});
  };
  if (backwards) {
    Label entry = b.label();
    b.jump(entry);
    fill_head();
    fill_body();
    b.at(entry);
    b.jump(head, {n, 0});
  } else {
    b.jump(head, {n, 0});
    fill_head();
    between(b);
    fill_body();
  }
  b.at(done);
  b.ret(s);
  Expected<Func*> f = b.try_done();
  return f ? outcome(**f, {v(10)}) : render(f.error());
}

TEST(BuilderPhis, OutOfOrder) {
  auto nothing = [](Builder&) {};
  EXPECT_EQ(sum_with(nothing, nothing, false), "55");
  EXPECT_EQ(sum_with(nothing, nothing, true), "55");
  EXPECT_EQ(sum_with([](Builder& b) { b.var("x", i64, 1); }, nothing, false), "55");
  EXPECT_EQ(sum_with(nothing, [](Builder& b) { b.unreachable(); }, false), "55");
  EXPECT_EQ(sum_with([](Builder& b) { b.simplify(); }, nothing, false), "55");
  EXPECT_EQ(sum_with([](Builder& b) { b.if_(b.param("n") < 0, [&] { b.ret(-1); }); }, nothing, false), "55");
  EXPECT_EQ(sum_with(
                [](Builder& b) {
                  Label one = b.label(), other = b.label();
                  b.switch_(b.param("n"), one, {{7, other}});
                  b.at(other);
                  b.ret(7);
                  b.at(one);
                },
                nothing, false),
            "55");
  EXPECT_EQ(sum_with([](Builder& b) { b.label("unused"); }, nothing, false), "55");
}

TEST(BuilderPhis, VariablesBesidePhis) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Label head = b.label(), body = b.label(), done = b.label();
  b.jump(head, {0});
  b.at(head);
  Val i = b.phi(i64);
  b.branch(i < n, body, done);
  b.at(body);
  b.if_(i == 3, [&] { n = n - 1; });  // the first assignment comes late
  b.jump(head, {i + 1});
  b.at(done);
  b.ret(n * 100 + i);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(10)}), "909");
  EXPECT_EQ(outcome(f, {v(2)}), "202");
}

/// The jump needs no call, and the assignment comes behind the read that it changes.
TEST(BuilderPhis, VariablesReadBehindAJump) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  Val start = n;
  Label head = b.label(), body = b.label(), done = b.label();
  b.jump(head, {start});
  b.at(head);
  Val first = b.phi(i64);
  b.branch(n > start - start, body, done);
  b.at(body);
  n = n - 2;
  b.jump(head, {first});
  b.at(done);
  b.ret(first * 100 + n);
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(7)}), "699");
  EXPECT_EQ(outcome(f, {v(0)}), "0");
}

/// Blocks are in order also if one is filled before somebody jumps to it, and one that nobody jumps to is none.
TEST(BuilderPhis, BlocksThatNothingHasJumpedTo) {
  auto text = [](bool in_order, bool with_unused) {
    Module m;
    Builder b(m, "f", {{"x", i64}}, i64);
    Val x = b.param("x");
    Label one = b.label(), two = b.label(), unused = b.label();
    auto fill_one = [&] {
      b.at(one);
      b.jump(two);
    };
    auto fill_two = [&] {
      b.at(two);
      b.ret(x * x);
    };
    b.jump(one);
    if (with_unused) {
      b.at(unused);
      b.ret(x - x);
    }
    if (in_order) fill_one();
    fill_two();
    if (!in_order) fill_one();
    return to_text(b.done());
  };
  const std::string expected = text(true, false);
  EXPECT_EQ(text(false, false), expected);
  EXPECT_EQ(text(true, true), expected);
  EXPECT_EQ(text(false, true), expected);
}

TEST(BuilderPhis, RegionsBesidePhis) {
  Module m;
  Builder b(m, "f", {{"e", ref}, {"c", i1}}, i64);
  Label handler = b.handler_label("handler"), body = b.label(), raise = b.label(), fine = b.label(),
        end = b.label();
  Val token = b.enter(handler, body);
  b.at(body);
  b.branch(b.param("c"), raise, fine);
  b.at(raise);
  b.throw_(b.param("e"));
  b.at(fine);
  b.leave(token);
  b.jump(end, {1});
  b.at(handler);
  b.pop_exception(token);
  b.jump(end, {2});
  b.at(end);
  b.ret(b.phi(i64));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(ref, 0), Value(false)}), "1");
  EXPECT_EQ(outcome(f, {Value(ref, 0), Value(true)}), "2");
}

std::string mistakes(const std::function<void(Builder&, Label, Label)>& build) {
  std::string text;
  for (bool in_order : {true, false}) {
    Module m;
    Builder b(m, "f", {{"x", i64}, {"y", f64}, {"c", i1}}, i64);
    if (!in_order) b.var("v", i64, 1);
    build(b, b.label("one"), b.label("two"));
    Expected<Func*> f = b.try_done();
    EXPECT_FALSE(f);
    EXPECT_EQ(block_count(*m.find("f")), 0u);
    std::string found;
    for (const Diagnostic& d : f.error()) found += d.message + "\n";
    if (!in_order) {
      EXPECT_EQ(found, text);
    }
    text = found;
  }
  return text;
}

TEST(BuilderPhis, Mistakes) {
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) {
              b.jump(one, {1});
              b.at(one);
              b.ret(b.phi(i64) + b.phi(i64));
            }),
            "in '@f': block 'one' has 2 phis, and a jump to it brings 1 values\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) {
              b.jump(one, {1, 2});
              b.at(one);
              b.ret(b.phi(i64));
            }),
            "in '@f': block 'one' has 1 phis, and a jump to it brings 2 values\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label two) {
              b.jump(one, {1});
              b.at(one);
              Val p = b.phi(i64);
              b.branch(b.param("c"), one, two);
              b.at(two);
              b.ret(p);
            }),
            "in '@f': block 'one' has 1 phis, and a jump to it brings 0 values\n");
  // Back to a block that has its phis, with none and with too many; the condition is read in the entry, which
  // keeps the order.
  for (bool too_many : {false, true})
    EXPECT_EQ(mistakes([&](Builder& b, Label one, Label two) {
                Val c = b.param("c");
                b.jump(one, {1});
                b.at(one);
                Val p = b.phi(i64);
                if (too_many)
                  b.branch(c, one, {p, p}, two, {});
                else
                  b.branch(c, one, two);
                b.at(two);
                b.ret(p);
              }),
              std::string("in '@f': block 'one' has 1 phis, and a jump to it brings ") +
                  (too_many ? "2" : "0") + " values\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label two) {
              b.jump(one, {b.param("y")});
              b.at(one);
              Val p = b.phi(i64);
              b.branch(b.param("c"), one, {p}, two, {});
              b.at(two);
              b.ret(p);
            }),
            "in '@f': block 'one' has a phi of type i64, and a jump to it brings a value of type f64\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label two) {
              b.jump(one, {1});
              b.at(one);
              Val p = b.phi(i64);
              b.branch(b.param("c"), one, {b.param("y")}, two, {});
              b.at(two);
              b.ret(p);
            }),
            "in '@f': block 'one' has a phi of type i64, and a jump to it brings a value of type f64\n");
  std::string first = "in '@f': a phi must be first in a block with a label, but for other phis\n";
  EXPECT_EQ(mistakes([](Builder& b, Label, Label) { b.ret(b.phi(i64)); }), first);
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) {
              b.jump(one, {});
              b.at(one);
              Val sum = b.param("x") + 1;
              b.ret(sum + b.phi(i64));
            }),
            first);
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) {
              b.jump(one);
              b.at(one);
              b.phi(void_type);
              b.ret(1);
            }),
            "in '@f': a phi cannot have the type void\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) { b.jump(one); }),
            "in '@f': block 'one' has no terminator\n");
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label) {
              b.jump(one);
              b.at(one);
            }),
            "in '@f': control reaches the end of the function, which returns i64\n");
}

/// A mistake is where the jump is, whatever comes later, and is reported once for each block; locations may change between
/// the end of a block and the next one.
TEST(BuilderPhis, PlacesOfMistakes) {
  Module m;
  Builder b(m, "f", {{"c", i1}, {"y", f64}}, i64);
  Val c = b.param("c"), y = b.param("y");
  Label one = b.label("one"), two = b.label("two");
  b.location("a.txt", 1, 1);
  b.branch(c, one, {1}, two, {});
  b.location("a.txt", 2, 1);
  b.at(two);
  b.location("a.txt", 3, 1);
  b.branch(c, one, {y}, one, {1, 2});
  b.location("a.txt", 4, 1);
  b.at(one);
  b.ret(b.phi(i64));
  b.location("a.txt", 5, 1);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(render(f.error()),
            "a.txt:3:1: error: in '@f': block 'one' has a phi of type i64, and a jump to it brings a value of type f64\n"
            "a.txt:3:1: error: in '@f': block 'one' has 1 phis, and a jump to it brings 2 values\n");
}

/// As many values as there are at run time, and names of blocks, statements and locations in their places.
TEST(BuilderPhis, ManyValues) {
  for (bool in_order : {true, false})
    for (uint32_t count : {1u, 2u, 40u}) {
      Module m;
      Builder b(m, "f", {{"c", i1}, {"x", i64}}, i64);
      Val c = b.param("c"), x = b.param("x");
      if (!in_order) b.var("v", i64, 1);
      std::vector<Arg> first, second;
      for (uint32_t i = 0; i < count; ++i) {
        first.push_back(i);
        second.push_back(x);
      }
      Label left = b.label(), right = b.label(), meet = b.label("meet");
      b.location("a.txt", 7, 1);
      b.branch(c, left, right);
      b.at(left);
      b.jump(meet, first);
      b.at(right);
      b.jump(meet, second);
      b.at(meet);
      std::vector<Val> phis;
      for (uint32_t i = 0; i < count; ++i) phis.push_back(b.phi(i64));
      Val sum = phis[0];
      for (uint32_t i = 1; i < count; ++i) sum = sum + phis[i];
      b.ret(sum);
      Func& f = b.done();
      EXPECT_EQ(outcome(f, {Value(true), v(3)}), std::to_string(count * (count - 1) / 2));
      EXPECT_EQ(outcome(f, {Value(false), v(3)}), std::to_string(3 * count));
      EXPECT_NE(to_text(f).find("\nmeet:\n"), std::string::npos);
      EXPECT_EQ(phi_count(f), count);
    }
}

/// Jumps that bring different numbers of values to a block that waits: none is read beyond its end.
TEST(BuilderPhis, DifferentNumbersOfValues) {
  std::string text = mistakes([](Builder& b, Label one, Label) {
    b.branch(b.param("c"), one, {1, 2}, one, {3});
    b.at(one);
    b.ret(b.phi(i64) + b.phi(i64));
  });
  EXPECT_EQ(text, "in '@f': block 'one' has 2 phis, and a jump to it brings 1 values\n");
}

/// A switch brings nothing.
TEST(BuilderPhis, SwitchToABlockWithPhis) {
  EXPECT_EQ(mistakes([](Builder& b, Label one, Label two) {
              b.switch_(b.param("x"), two, {{1, one}});
              b.at(two);
              b.jump(one, {1});
              b.at(one);
              b.ret(b.phi(i64));
            }),
            "in '@f': block 'one' has 1 phis, and a jump to it brings 0 values\n");
}

/// What comes behind the end of a block ends the order while other blocks still wait for their values.
TEST(BuilderPhis, CodeBehindTheEnd) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64);
  Val c = b.param("c");
  Label one = b.label(), two = b.label(), three = b.label();
  b.branch(c, one, {1}, one, {2});
  b.at(one);
  Val p = b.phi(i64);
  b.branch(c, two, two);
  b.jump(three, {p});  // nothing leads here
  b.at(two);
  b.jump(three, {p + 10});
  b.at(three);
  b.ret(b.phi(i64));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {Value(true)}), "11");
  EXPECT_EQ(outcome(f, {Value(false)}), "12");
}

TEST(BuilderPhis, AfterTheEnd) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Label one = b.label(), two = b.label();
  b.jump(one, {1});
  b.at(one);
  b.ret(b.phi(i64));
  Func& f = b.done();
  EXPECT_EQ(outcome(f, {v(0)}), "1");
  b.at(two);
  b.phi(i64);
  b.jump(one, {1});
  b.at(b.label());
  b.branch(b.param("x") > 1, one, {2}, two, {3});
  EXPECT_FALSE(b.try_done());
  EXPECT_EQ(outcome(f, {v(0)}), "1");
}

// ---- nonsense ----

/// Blocks that fit together, between them calls in any order, with values and labels of other blocks and
/// builders: errors or a function that verifies, never a crash.
class Nonsense {
 public:
  explicit Nonsense(uint32_t seed) : random_(seed), wild_(seed % 8) {}

  /// Whether it became a function.
  bool run() {
    for (uint32_t i = 1 + random_() % 6; i > 0; --i) labels_.push_back(b_.label());
    if (wild_ == 7) {
      labels_.push_back(stranger_.label());
      values_.push_back(stranger_.param("x"));
    }
    std::vector<uint32_t> order(labels_.size());
    std::iota(order.begin(), order.end(), 0u);
    if (random_() % 2 == 0) std::shuffle(order.begin(), order.end(), random_);
    end();
    for (uint32_t number : order) {
      if (wild_ != 0 && random_() % 4 == 0) disturb();
      b_.at(labels_[number]);
      own_ = start_;
      for (uint32_t k = 0; k < phi_count(number); ++k) own_ = b_.phi(i64);
      values_.push_back(own_);
      if (wild_ != 0 && random_() % 8 == 0) disturb();
      end();
    }
    Expected<Func*> f = b_.try_done();
    stranger_.ret(1);
    stranger_.done();
    EXPECT_TRUE(verify(m_)) << render(verify(m_).error());
    return f.has_value();
  }

 private:
  static uint32_t phi_count(uint32_t label) { return label % 3; }
  /// An end that fits.
  void end() {
    uint32_t one = random_() % labels_.size(), two = random_() % labels_.size();
    switch (random_() % 4) {
      case 0: return b_.ret(own_);
      case 1:
        if (phi_count(one) == 0) return b_.jump(labels_[one]);
        if (phi_count(one) == 1) return b_.jump(labels_[one], {own_ + 1});
        return b_.jump(labels_[one], {3, own_});
      default:
        if (phi_count(one) == 1 && phi_count(two) == 2)
          return b_.branch(c_, labels_[one], {own_}, labels_[two], {own_, 2});
        if (phi_count(one) == 1 && phi_count(two) == 1)
          return b_.branch(c_, labels_[one], {1}, labels_[two], {own_});
        if (phi_count(one) == 0 && phi_count(two) == 0) return b_.branch(c_, labels_[one], labels_[two]);
        return b_.ret(own_ + 4);
    }
  }
  void disturb() {
    switch (random_() % 11) {
      case 0: labels_.push_back(random_() % 4 == 0 ? b_.label("name") : b_.label()); break;
      case 1: b_.at(label()); break;
      case 2: b_.jump(label()); break;
      case 3: b_.jump(label(), {value()}); break;
      case 4: b_.jump(label(), {value(), 7}); break;
      case 5: b_.branch(c_, label(), label()); break;
      case 6: b_.branch(c_, label(), {value()}, label(), {1, value()}); break;
      case 7: values_.push_back(b_.phi(random_() % 8 == 0 ? f64 : i64)); break;
      case 8: x_ = x_ + 1; break;
      case 9: values_.push_back(b_.constant(i64, int64_t{1}) + 2); break;
      default: b_.ret(value());
    }
  }
  const Val& value() { return values_[random_() % values_.size()]; }
  Label label() { return labels_[random_() % labels_.size()]; }

  std::mt19937 random_;
  uint32_t wild_;  ///< 0: everything fits
  Module m_;
  Builder stranger_{m_, "g", {{"x", i64}}, i64}, b_{m_, "f", {{"x", i64}, {"c", i1}, {"y", f64}}, i64};
  Var x_ = b_.param("x");
  Val start_ = x_, c_ = b_.param("c");
  Val own_ = start_;  ///< of the current block
  std::vector<Val> values_{start_, b_.param("y"), c_};
  std::vector<Label> labels_;
};

TEST(BuilderPhis, NonsenseIsAnErrorOrAFunction) {
  uint32_t functions = 0;
  for (uint32_t seed = 0; seed < 20'000; ++seed) functions += Nonsense(seed).run();
  std::printf("%u of 20000 became functions\n", functions);
  EXPECT_GT(functions, 4'000u);
  EXPECT_LT(functions, 16'000u);
}

// ---- random graphs ----

/// A graph of blocks with phis, each a step of a small machine: written by hand in order (breadth first from
/// the entry), in any other order, and with variables instead of phis. All three compute the same.
struct Machine {
  struct Block {
    uint32_t phis;
    uint32_t targets[2];
    int kinds[3];
  };
  std::vector<Block> blocks;
  explicit Machine(std::mt19937& random) {
    uint32_t count = 2 + random() % 12;
    for (uint32_t i = 0; i < count; ++i) {
      Block block{};
      block.phis = 1 + random() % 3;
      for (uint32_t& target : block.targets)
        target = 1 + static_cast<uint32_t>(random() % count);  // `count` returns
      for (int& kind : block.kinds) kind = static_cast<int>(random() % 4);
      blocks.push_back(block);
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  static Val step(int kind, const Val& a, const Val& b) {
    return kind == 0 ? a + b : kind == 1 ? a - b : kind == 2 ? a ^ b : a * 3;
  }
};

struct ByHand {
  const Machine& machine;
  Builder& b;
  std::vector<Label> labels;
  Val fuel;

  /// Every block has three values and the fuel; those beyond its phis are its first.
  void fill(uint32_t i) {
    const Machine::Block& block = machine.blocks[i];
    std::vector<Val> values;
    if (i == 0) {
      values = {b.param(0u), b.param(1u), b.param(0u)};
    } else {
      b.at(labels[i]);
      fuel = b.phi(i64);
      for (uint32_t k = 0; k < block.phis; ++k) values.push_back(b.phi(i64));
      while (values.size() < 3) values.push_back(values[0]);
    }
    Val left = fuel - 1;
    Val next[3] = {Machine::step(block.kinds[0], values[0], values[1]),
                   Machine::step(block.kinds[1], values[1], values[2]),
                   Machine::step(block.kinds[2], values[2], values[0])};
    Label go = b.label(), stop = b.label();
    b.branch(left > 0, go, stop);
    b.at(stop);
    b.ret(next[0] ^ next[1] ^ next[2]);
    b.at(go);
    Label sides[2] = {b.label(), b.label()};
    b.branch((next[0] & 4) == 0, sides[0], sides[1]);
    for (int side : {0, 1}) {
      b.at(sides[side]);
      uint32_t target = block.targets[side];
      if (target == machine.size()) {
        b.ret(next[1]);
        continue;
      }
      switch (machine.blocks[target].phis) {
        case 1: b.jump(labels[target], {left, next[0]}); break;
        case 2: b.jump(labels[target], {left, next[0], next[1]}); break;
        default: b.jump(labels[target], {left, next[0], next[1], next[2]});
      }
    }
  }
};

std::vector<uint32_t> breadth_first(const Machine& machine) {
  std::vector<uint32_t> order = {0};
  std::vector<bool> seen(machine.size() + 1, false);
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t target : machine.blocks[order[i]].targets)
      if (target != machine.size() && !seen[target]) {
        seen[target] = true;
        order.push_back(target);
      }
  return order;
}

std::string run_machine(const Machine& machine, std::vector<uint32_t> order, int64_t x, int64_t y) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}, {"fuel", i64}}, i64);
  ByHand hand{machine, b, {}, b.param(2u)};
  for (uint32_t i = 0; i < machine.size(); ++i) hand.labels.push_back(b.label());
  for (uint32_t i : order) hand.fill(i);
  Expected<Func*> f = b.try_done();
  if (!f) return render(f.error());
  EXPECT_TRUE(verify(m)) << render(verify(m).error());
  return outcome(**f, {v(x), v(y), v(40)});
}

std::string run_variables(const Machine& machine, const std::vector<uint32_t>& order, int64_t x, int64_t y) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"y", i64}, {"fuel", i64}}, i64);
  Var fuel = b.param(2u), p = b.var("p", i64, b.param(0u)), q = b.var("q", i64, b.param(1u)),
      r = b.var("r", i64, b.param(0u));
  std::vector<Label> labels;
  for (uint32_t i = 0; i < machine.size(); ++i) labels.push_back(b.label());
  b.jump(labels[0]);
  for (uint32_t i : order) {
    const Machine::Block& block = machine.blocks[i];
    b.at(labels[i]);
    if (i != 0 && block.phis < 2) q = p;
    if (i != 0 && block.phis < 3) r = p;
    fuel = fuel - 1;
    Val next[3] = {Machine::step(block.kinds[0], p, q), Machine::step(block.kinds[1], q, r),
                   Machine::step(block.kinds[2], r, p)};
    p = next[0];
    q = next[1];
    r = next[2];
    Label go = b.label(), stop = b.label(), sides[2] = {b.label(), b.label()};
    b.branch(fuel > 0, go, stop);
    b.at(stop);
    b.ret(p ^ q ^ r);
    b.at(go);
    b.branch((p & 4) == 0, sides[0], sides[1]);
    for (int side : {0, 1}) {
      b.at(sides[side]);
      if (block.targets[side] == machine.size())
        b.ret(q);
      else
        b.jump(labels[block.targets[side]]);
    }
  }
  return outcome(b.done(), {v(x), v(y), v(40)});
}

/// A program of many thousand blocks: conditions, loops, and joins of six ways, perhaps all in one loop of two rounds.
struct Long {
  static constexpr int pieces = 6000;
  bool is_loop = false;
  int variable_at = -1;  ///< from this piece on it is no longer in order
  int mistake_at = -1;   ///< the piece whose join gets too few values

  static bool has_join(int piece) { return piece % 50 == 3; }
  static bool has_loop(int piece) { return piece % 30 == 7; }

  Expected<Func*> build(Builder& b) const {
    Val x = b.param("x"), y = b.param("y");
    Var z = b.param("z");
    Label head = b.label("head"), again = b.label(), out = b.label("out");
    Val round = b.constant(i64, int64_t{0});
    if (is_loop) {
      b.jump(head, {0, x, y});
      b.at(head);
      round = b.phi(i64), x = b.phi(i64), y = b.phi(i64);
      b.branch(round < 2, again, out);
      b.at(again);
    }
    Val first_x = x, first_y = y;
    for (int piece = 0; piece < pieces; ++piece) {
      if (piece == variable_at) y = y + z;
      Label then = b.label(), otherwise = b.label(), after = b.label();
      b.branch(x < y, then, otherwise);
      b.at(then);
      b.jump(after, {x + piece, y});
      b.at(otherwise);
      b.jump(after, {x, y - x});
      b.at(after);
      x = b.phi(i64), y = b.phi(i64);
      if (has_join(piece)) {
        Label join = b.label("join" + std::to_string(piece));
        for (int way = 0; way < 5; ++way) {
          Label next = b.label();
          b.branch((x & 7) == way, join, {x + way, y}, next, {});
          b.at(next);
        }
        if (piece == mistake_at)
          b.jump(join, {x});
        else
          b.jump(join, {x, y + 1});
        b.at(join);
        x = b.phi(i64), y = b.phi(i64);
      }
      if (has_loop(piece)) {
        Label inner = b.label(), body = b.label(), behind = b.label();
        b.jump(inner, {0, x});
        b.at(inner);
        Val k = b.phi(i64), sum = b.phi(i64);
        b.branch(k < 3, body, behind);
        b.at(body);
        b.jump(inner, {k + 1, sum ^ k});
        b.at(behind);
        x = sum;
      }
    }
    if (is_loop) {
      b.jump(head, {round + 1, x, y});
      b.at(out);
      x = first_x, y = first_y;
    }
    b.ret(x ^ y);
    return b.try_done();
  }

  int64_t result(int64_t x, int64_t y, int64_t z) const {
    auto wrapped = [](uint64_t value) { return static_cast<int64_t>(value); };
    for (int round = 0; round < (is_loop ? 2 : 1); ++round)
      for (int piece = 0; piece < pieces; ++piece) {
        if (piece == variable_at) y = wrapped(uint64_t(y) + uint64_t(z));
        if (x < y)
          x = wrapped(uint64_t(x) + uint64_t(piece));
        else
          y = wrapped(uint64_t(y) - uint64_t(x));
        if (has_join(piece)) (x & 7) < 5 ? x += x & 7 : ++y;
        if (has_loop(piece)) x ^= 0 ^ 1 ^ 2;
      }
    return x ^ y;
  }
};

TEST(BuilderPhis, LongFunctions) {
  for (bool is_loop : {false, true})
    for (int variable_at : {-1, 0, 1, 2800, 4500, Long::pieces - 1}) {
      Long program{is_loop, variable_at};
      Module m;
      Builder b(m, "f", {{"x", i64}, {"y", i64}, {"z", i64}}, i64);
      Expected<Func*> f = program.build(b);
      ASSERT_TRUE(f) << render(f.error());
      for (int64_t x : {0, 5, 1000})
        EXPECT_EQ(outcome(**f, {v(x), v(77), v(-9)}), std::to_string(program.result(x, 77, -9)));
    }
}

TEST(BuilderPhis, MistakesInLongFunctions) {
  for (bool is_loop : {false, true})
    for (int variable_at : {-1, 4500})
      for (int mistake_at : {53, 3003, 5953}) {
        Module m;
        Builder b(m, "f", {{"x", i64}, {"y", i64}, {"z", i64}}, i64);
        Expected<Func*> f = Long{is_loop, variable_at, mistake_at}.build(b);
        ASSERT_FALSE(f);
        EXPECT_EQ(render(f.error()), "error: in '@f': block 'join" + std::to_string(mistake_at) +
                                         "' has 2 phis, and a jump to it brings 1 values\n");
      }
}

TEST(BuilderPhis, RandomGraphs) {
  std::mt19937 random(20261116);
  uint32_t out_of_order = 0, distinct = 0, results = 0;
  std::string last;
  for (int i = 0; i < 400; ++i) {
    Machine machine(random);
    std::vector<uint32_t> order = breadth_first(machine), shuffled = order;
    std::shuffle(shuffled.begin() + 1, shuffled.end(), random);
    out_of_order += shuffled != order;
    for (int k = 0; k < 3; ++k) {
      int64_t x = static_cast<int64_t>(random() % 1000), y = static_cast<int64_t>(random() % 1000);
      std::string in_order = run_machine(machine, order, x, y);
      EXPECT_EQ(in_order, run_machine(machine, shuffled, x, y));
      EXPECT_EQ(in_order, run_variables(machine, order, x, y));
      ++results;
      distinct += in_order != last;
      last = in_order;
    }
    if (HasFailure()) break;
  }
  std::printf("out of order %u of 400, results that differ from the one before %u of %u\n", out_of_order,
              distinct, results);
  EXPECT_GT(out_of_order, 200u);
  EXPECT_GT(distinct, results * 3 / 4);
}

}  // namespace
}  // namespace braid
