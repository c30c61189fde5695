// Long sums: left loose and sorted at the end, or sorted term by term as the original does it, they are the same.
#include "sea/chapter8.h"

#include <gtest/gtest.h>

#include <random>

#include "sea/build.h"
#include "sea/print_text.h"

namespace braid::sea {
namespace {

using ir::Op;

struct Added {
  std::string text;
  uint64_t next_number;
  uint32_t made;
  uint64_t sorted;  ///< sums that were left loose
};

constexpr uint32_t always_near = 0xffffffffu;

/// Adds terms to a few sums in some order, sometimes a constant, a sum, or a look inside.
Added add_up(uint32_t seed, uint32_t near) {
  std::mt19937 random(seed);
  ir::Module module;
  Graph g(module);
  Chapter8 rules(g, near);
  RewriteCounts counts;
  rules.set_observer(&counts);
  Builder b(g, rules, {.numbered = true});
  NodeId arg = b.parameter(module.symbol("arg"));
  b.scopes().define(module.symbol("arg"), i64, arg);
  std::vector<uint32_t> terms, sums;
  auto define = [&](const std::string& name, NodeId value) {
    b.scopes().define(module.symbol(name), i64, value);
    return b.scopes().find(module.symbol(name));
  };
  for (int i = 0; i < 250; ++i) terms.push_back(define("v" + std::to_string(i), b.binary(Op::mul, arg, b.constant(i + 3))));
  for (int i = 0; i < 3; ++i) sums.push_back(define("s" + std::to_string(i), b.constant(0)));
  auto value = [&](uint32_t slot) { return b.scopes().lookup(slot); };
  int joined = 0;
  for (int step = 0; step < 600; ++step) {
    uint32_t sum = sums[random() % sums.size()];
    switch (random() % 40) {
      case 0: b.scopes().assign(sum, b.binary(Op::add, value(sum), b.constant(static_cast<int64_t>(random() % 5)))); break;
      case 1:
        if (joined++ >= 4) break;  // they double
        b.scopes().assign(sum, b.binary(Op::add, value(sums[random() % 3]), value(sums[random() % 3]))); break;
      case 2: {  // a phi of two sums: the sums are pulled down
        b.if_(b.binary(Op::slt, arg, b.constant(step)));
        b.scopes().assign(sum, b.binary(Op::add, value(sum), value(terms[random() % terms.size()])));
        b.end_if();
        break;
      }
      case 3: b.scopes().assign(sum, value(sums[random() % 3])); break;
      default: {
        size_t which = seed % 2 == 0 ? static_cast<size_t>(step) % terms.size() : random() % terms.size();
        b.scopes().assign(sum, b.binary(Op::add, value(sum), value(terms[which])));
      }
    }
  }
  NodeId all = value(sums[0]);
  for (int i = 1; i < 3; ++i) all = b.binary(Op::mul, all, value(sums[static_cast<size_t>(i)]));
  b.ret(all);
  NodeId mark = b.constant(0);
  uint64_t next = g.number(mark);
  uint32_t made = g.size();
  b.finish();
  EXPECT_EQ(g.check(), "");
  return {print_text(g), next, made, counts.count(Rewrite::chapter8_sum_sorted)};
}

TEST(SeaChapter8, LongSumsLikeSortingEachTerm) {
  uint64_t made_at_once = 0, made = 0;
  for (uint32_t seed = 0; seed < 24; ++seed) {
    Added loose = add_up(seed, 64), sorted = add_up(seed, always_near);
    ASSERT_TRUE(loose.text == sorted.text) << "seed " << seed;  // too long to be printed
    ASSERT_EQ(loose.next_number, sorted.next_number) << "seed " << seed;
    EXPECT_GE(loose.sorted, 1u) << "seed " << seed;
    EXPECT_EQ(sorted.sorted, 0u) << "seed " << seed;
    made += loose.made;
    made_at_once += sorted.made;
  }
  std::printf("%llu nodes made, %llu by sorting each term\n", static_cast<unsigned long long>(made),
              static_cast<unsigned long long>(made_at_once));
  EXPECT_LT(made * 2, made_at_once);
}

/// Adds names, sums and constants to each other in any way, in conditions and loops, too.
class Sums {
 public:
  Sums(uint32_t seed, uint32_t near) : random_(seed), graph_(module_), rules_(graph_, near), builder_(graph_, rules_, {.numbered = true}) {
    rules_.set_observer(&counts_);
  }

  Added run() {
    const NodeId arg = builder_.parameter(module_.symbol("arg"));
    define("arg", arg, 1);
    for (int i = 0; i < 4; ++i) define("v" + std::to_string(i), binary(Op::mul, arg, builder_.constant(i + 3)), 1);
    for (int i = 0; i < 5; ++i) define("s" + std::to_string(i), builder_.constant(any(3)), 1);
    steps(45, 2);
    for (uint32_t slot = 5; slot < names_.size(); ++slot) {
      builder_.if_(binary(Op::slt, arg, builder_.constant(slot)));
      builder_.ret(value(slot));
      builder_.end_if();
    }
    builder_.ret(arg);
    const NodeId mark = builder_.constant(0);
    const uint64_t next = graph_.number(mark);
    const uint32_t made = graph_.size();
    builder_.finish();
    EXPECT_EQ(graph_.check(), "");
    return {print_text(graph_), next, made, counts_.count(Rewrite::chapter8_sum_sorted)};
  }

 private:
  struct Name {
    uint32_t slot;
    uint64_t size;  ///< of the sum, at most
  };
  uint32_t any(size_t count) { return static_cast<uint32_t>(random_() % count); }
  NodeId binary(Op op, NodeId a, NodeId b) { return builder_.binary(op, a, b); }
  NodeId value(uint32_t name) { return builder_.scopes().lookup(names_[name].slot); }
  void define(const std::string& name, NodeId value, uint64_t size) {
    const Symbol symbol = module_.symbol(name);
    builder_.scopes().define(symbol, i64, value);
    names_.push_back({builder_.scopes().find(symbol), size});
  }
  void assign(uint32_t name, NodeId value, uint64_t size) {
    builder_.scopes().assign(names_[name].slot, value);
    names_[name].size = size;
  }

  /// A term, one with a constant, or a sum; `size` grows by it.
  NodeId part(uint64_t& size) {
    constexpr uint64_t most = 60;
    uint32_t name = any(names_.size());
    if (names_[name].size + size > most) name = any(5);
    size += names_[name].size;
    const NodeId node = any(6) == 0 ? binary(Op::mul, value(any(5)), builder_.constant(any(5))) : value(name);
    return any(4) == 0 ? binary(Op::add, node, builder_.constant(any(4))) : node;
  }

  void steps(uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t to = 5 + any(names_.size() - 5), from = any(2) == 0 ? to : any(names_.size());
      if (depth > 0 && any(10) == 0) {
        builder_.if_(binary(Op::slt, value(any(names_.size())), builder_.constant(i)));
        any(2) == 0 ? steps(1 + any(4), depth - 1) : assign(to, builder_.constant(any(9)), 1);
        builder_.else_();
        any(2) == 0 ? steps(1 + any(4), depth - 1) : assign(to, builder_.constant(any(9)), 1);
        builder_.end_if();
      } else if (depth > 0 && any(16) == 0) {
        builder_.loop();
        builder_.loop_while(binary(Op::slt, value(any(names_.size())), builder_.constant(i)));
        steps(1 + any(6), depth - 1);
        builder_.end_loop();
      } else {
        uint64_t size = names_[from].size;
        const NodeId left = value(from), right = part(size);
        assign(to, any(2) == 0 ? binary(Op::add, left, right) : binary(Op::add, right, left), size);
      }
    }
  }

  std::mt19937 random_;
  ir::Module module_;
  Graph graph_;
  Chapter8 rules_;
  RewriteCounts counts_;
  Builder builder_;
  std::vector<Name> names_;
};

/// The numbers are exact. A text may show a sum again that a name alone held while a longer one around it was sorted.
TEST(SeaChapter8, SumsOfSumsLikeSortingEachTerm) {
  uint64_t sorted = 0;
  uint32_t count = 0, differ = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed)
    for (uint32_t near : {0u, 3u}) {
      const Added loose = Sums(seed, near).run(), at_once = Sums(seed, always_near).run();
      ASSERT_EQ(loose.next_number, at_once.next_number) << "seed " << seed << ", near " << near;
      differ += loose.text != at_once.text;
      sorted += loose.sorted;
      ++count;
    }
  std::printf("%u of %u texts differ\n", differ, count);
  EXPECT_LE(differ * 100, count);
  EXPECT_GE(sorted, 1000u);
}

/// `(term + constant) + sum`, again and again: with older terms each time, with younger ones, with equal ones.
NodeId sum_of_family(Builder& b, int family, int count) {
  ir::Module& module = b.graph().module();
  NodeId arg = b.parameter(module.symbol("arg"));
  b.scopes().define(module.symbol("arg"), i64, arg);
  auto term = [&](int i) {
    return b.binary(Op::add, family == 2 ? arg : b.binary(Op::mul, arg, b.constant(i + 2)), b.constant(i + 1));
  };
  std::vector<NodeId> terms;
  for (int i = 0; i < count; ++i) {
    terms.push_back(term(i));
    b.scopes().hold(terms.back());
  }
  NodeId sum = terms.back();
  for (int i = count - 1; i-- > 0;) {
    sum = b.binary(Op::add, terms[static_cast<size_t>(family == 1 ? count - 2 - i : i)], sum);
    b.scopes().hold(sum);
  }
  return sum;
}

TEST(SeaChapter8, ShortSumsBeforeLongOnesGrowLinearly) {
  for (int family = 0; family < 6; ++family) {  // the last three in a loop
    uint32_t made[2];
    for (int turn = 0; turn < 2; ++turn) {
      ir::Module module;
      Graph g(module);
      Chapter8 rules(g);
      Builder b(g, rules, {.numbered = true});
      if (family >= 3) {
        b.loop();
        b.loop_while(b.constant(1));
      }
      const NodeId sum = sum_of_family(b, family % 3, 2000 << turn);
      if (family >= 3) b.end_loop();
      b.ret(sum);
      b.finish();
      made[turn] = g.size();
    }
    EXPECT_LT(made[1], 3 * made[0]) << "family " << family;
  }
}

TEST(SeaChapter8, ShortSumsBeforeLongOnesLikeSortingEachTerm) {
  for (int family = 0; family < 3; ++family)
    for (int count : {2, 3, 10, 64, 65, 66, 67, 90, 200}) {
      std::string text[2];
      uint64_t next[2];
      for (int turn = 0; turn < 2; ++turn) {
        ir::Module module;
        Graph g(module);
        Chapter8 rules(g, turn == 0 ? 64 : always_near);
        Builder b(g, rules, {.numbered = true});
        b.ret(sum_of_family(b, family, count));
        next[turn] = g.number(b.constant(0));
        b.finish();
        EXPECT_EQ(g.check(), "");
        text[turn] = print_text(g);
      }
      EXPECT_EQ(text[0], text[1]) << "family " << family << ", " << count;
      EXPECT_EQ(next[0], next[1]) << "family " << family << ", " << count;
    }
}

}  // namespace
}  // namespace braid::sea
