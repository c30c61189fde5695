// Long sums: left loose and sorted at the end, or sorted term by term as the original does it, they are the same.
#include "sea/chapter8.h"

#include <gtest/gtest.h>

#include <random>

#include "sea/build.h"
#include "sea/print_text.h"

namespace braid::sea {
namespace {

using ir::Op;

struct Sums {
  std::string text;
  uint64_t next_number;
  uint32_t made;
  uint64_t sorted;  ///< sums that were left loose
};

/// Adds terms to a few sums in some order, sometimes a constant, a sum, or a look inside.
Sums add_up(uint32_t seed, bool at_once) {
  std::mt19937 random(seed);
  ir::Module module;
  Graph g(module);
  Chapter8 rules(g, at_once);
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
    Sums loose = add_up(seed, false), sorted = add_up(seed, true);
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

}  // namespace
}  // namespace braid::sea
