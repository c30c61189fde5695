// Blocks whose statements stand in several ranges of the vector: filled in turn, split, merged and filled again, beside a naive
// model that has a list for each block.
#include <cstdio>
#include <random>

#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class BlockRanges : public Fixture {
 protected:
  /// A chain of blocks from the entry on, and the statements of each, without terminators.
  struct Link {
    BlockId block;
    std::vector<Operand> statements;
  };
  std::vector<Link> chain;
  uint32_t splits_in_later_ranges = 0, merges_of_several_ranges = 0;
  std::mt19937 random;

  uint32_t pick(size_t count) { return static_cast<uint32_t>(random() % count); }

  uint32_t ranges_of(BlockId b) const {
    uint32_t count = 0;
    f->for_each_range(b, [&](uint32_t, uint32_t) { ++count; });
    return count;
  }

  /// Statements in turn, then the terminators: most blocks have several ranges.
  void fill(uint32_t blocks, uint32_t statements) {
    make({i64}, i64);
    chain.clear();
    for (uint32_t i = 0; i < blocks; ++i) chain.push_back({f->new_block(), {}});
    for (uint32_t i = 0; i < statements; ++i) append(pick(blocks));
    for (uint32_t i = 0; i + 1 < blocks; ++i) f->jump(chain[i].block, chain[i + 1].block);
    f->ret(chain.back().block, Operand::param(0));
  }
  void append(uint32_t link) {
    Link& to = chain[link];
    to.statements.push_back(add(to.block, Op::add, i64, {Operand::param(0), c(i64, pick(100))}));
  }

  void split(uint32_t link) {
    std::vector<Operand>& statements = chain[link].statements;
    if (statements.empty()) return;
    uint32_t at = pick(statements.size());
    BlockId head = chain[link].block;
    const Block& block = f->block(head);
    uint32_t position = statements[at].number();
    splits_in_later_ranges += position < block.first || position >= block.end;
    Link tail{f->split_block(head, static_cast<Ref>(position)), {statements.begin() + at, statements.end()}};
    statements.resize(at);
    // More may come before the terminator.
    for (uint32_t more = pick(3); more > 0; --more) append(link);
    f->jump(head, tail.block);
    chain.insert(chain.begin() + link + 1, tail);
  }

  void merge(uint32_t link) {
    if (link + 1 == chain.size()) return;
    merges_of_several_ranges += ranges_of(chain[link + 1].block) > 1;
    f->merge_successor(chain[link].block);
    std::vector<Operand>& statements = chain[link].statements;
    statements.insert(statements.end(), chain[link + 1].statements.begin(), chain[link + 1].statements.end());
    chain.erase(chain.begin() + link + 1);
  }

  void expect_as_in_the_model() {
    for (const Link& link : chain) {
      std::vector<Operand> found;
      f->for_each_range(link.block, [&](uint32_t first, uint32_t end) {
        for (uint32_t i = first; i < end; ++i)
          if (Ref r = static_cast<Ref>(i); f->op(r) == Op::add) found.push_back(r);
      });
      ASSERT_EQ(found, link.statements);
      ASSERT_EQ(f->last_of(link.block), f->terminator(link.block));
    }
  }
};

TEST_F(BlockRanges, AreSplitAndMergedAsLists) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    random.seed(seed);
    fill(2 + pick(5), pick(40));
    expect_as_in_the_model();
    for (uint32_t step = 0; step < 20; ++step) {
      uint32_t link = pick(chain.size());
      if (pick(2) == 0)
        split(link);
      else
        merge(link);
      expect_as_in_the_model();
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%u splits behind the first range, %u merges of blocks with several ranges\n", splits_in_later_ranges,
              merges_of_several_ranges);
  EXPECT_GT(splits_in_later_ranges, 300u);
  EXPECT_GT(merges_of_several_ranges, 300u);
}

}  // namespace
}  // namespace braid::ir::testing_verify
