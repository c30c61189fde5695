// The order of blocks that leaving SSA works with, against the dominators of flow and loops found naively.
#include "dessa/block_order.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>
#include <vector>

#include "ir/compact.h"
#include "ir/graph_view.h"
#include "ir/module.h"

namespace braid::dessa {
namespace {

using ir::BlockId;
using ir::Function;
using ir::Operand;

/// A graph of one to twenty blocks whose edges lead mostly forwards; one in `wild` leads anywhere.
Function& random_graph(ir::Module& module, std::mt19937& random, uint32_t wild) {
  Function& f = module.add_function(module.symbol("f"), {{i1}, void_type});
  uint32_t count = 1 + random() % 20;
  std::vector<BlockId> blocks;
  for (uint32_t i = 0; i < count; ++i) blocks.push_back(f.new_block());
  for (uint32_t i = 0; i < count; ++i) {
    auto target = [&] {
      if (random() % wild == 0) return blocks[1 + random() % (count - 1)];
      return blocks[i + 1 + random() % std::min(3u, count - 1 - i)];
    };
    if (i + 1 == count || random() % 8 == 0) {
      f.ret(blocks[i]);
    } else if (random() % 3 == 0) {
      f.jump(blocks[i], target());
    } else {
      BlockId first = target(), second = target();
      f.branch(blocks[i], Operand::param(0), first, second);
    }
  }
  return f;
}

/// The blocks of the natural loop of a head.
std::set<uint32_t> loop_of(const Function& f, const ir::BlockDominance& dominance, uint32_t head) {
  std::set<uint32_t> members;
  std::vector<uint32_t> work;
  auto add = [&](ir::EdgeId e) {
    uint32_t from = index(f.edge(e).from);
    if (from != head && members.insert(from).second) work.push_back(from);
  };
  f.for_each_pred(static_cast<BlockId>(head), [&](ir::EdgeId e) {
    if (!dominance.dominates(static_cast<BlockId>(head), f.edge(e).from)) return;
    members.insert(head);
    add(e);
  });
  while (!work.empty()) {
    BlockId b = static_cast<BlockId>(work.back());
    work.pop_back();
    f.for_each_pred(b, add);
  }
  return members;
}

TEST(DessaBlockOrder, LikeDominatorsAndNaiveLoops) {
  std::mt19937 random(7);
  uint32_t forward = 0, with_loops = 0, nested = 0, irreducible = 0, joins = 0;
  for (int round = 0; round < 4000; ++round) {
    ir::Module module;
    Function& f = random_graph(module, random, 3 + round % 12);
    ir::compact(f);
    BlockOrder order(f);
    ir::BlockDominance dominance(f);
    uint32_t count = f.block_count();
    for (uint32_t a = 0; a < count; ++a) {
      BlockId idom = dominance.idom(static_cast<BlockId>(a));
      ASSERT_EQ(order.idom(a), is_none(idom) ? BlockOrder::no_block : index(idom)) << "round " << round;
      ASSERT_EQ(order.level(a), a == 0 ? 0 : order.level(order.idom(a)) + 1);
      joins += f.block(static_cast<BlockId>(a)).pred_count > 1;
      for (uint32_t b = 0; b < count; ++b)
        ASSERT_EQ(order.dominates(a, b), dominance.dominates(static_cast<BlockId>(a), static_cast<BlockId>(b)));
    }
    ASSERT_EQ(order.preorder().size(), count);
    if (!order.is_forward()) {
      irreducible += !order.is_out_of_order();
      continue;
    }
    ++forward;
    std::vector<std::set<uint32_t>> loops(count);
    for (uint32_t head = 0; head < count; ++head) loops[head] = loop_of(f, dominance, head);
    with_loops += order.has_loops();
    for (uint32_t b = 0; b < count; ++b)
      for (uint32_t home = 0; home < count; ++home) {
        if (!order.dominates(home, b)) continue;
        uint32_t outermost = BlockOrder::no_block, around = 0;
        for (uint32_t head = count; head-- > 0;)
          if (loops[head].count(b) != 0 && loops[head].count(home) == 0) {
            outermost = head;
            ++around;
          }
        nested += around > 1;
        ASSERT_EQ(order.loop_head(b, home), outermost) << "round " << round << ", block " << b << ", home " << home;
      }
    // Along edges that lead forward.
    for (uint32_t b = count; b-- > 0;) {
      uint32_t last = b;
      f.for_each_succ(static_cast<BlockId>(b), [&](ir::EdgeId e) {
        if (uint32_t to = index(f.edge(e).to); to > b) last = std::max(last, order.last_reached(to));
      });
      ASSERT_EQ(order.last_reached(b), last);
    }
  }
  std::printf("4000 graphs: %u forward, %u with loops, %u pairs in nests, %u irreducible, %u joins\n", forward, with_loops, nested,
              irreducible, joins);
  EXPECT_GT(forward, 2000u);
  EXPECT_GT(with_loops, 500u);
  EXPECT_GT(nested, 100u);
  EXPECT_GT(irreducible, 20u);
}

}  // namespace
}  // namespace braid::dessa
