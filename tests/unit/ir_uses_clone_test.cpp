// Uses against a count by hand on random functions with pending edits, and copies of blocks: a loop and a diamond, with
// edges to inside and outside of what is copied, and an edge redirected to the copy.
#include "ir/uses.h"

#include <map>

#include "function_fixture.h"
#include "ir/compact.h"
#include "ir_edit_walk.h"

namespace braid::ir {
namespace {

TEST(Uses, AgreeWithACountByHand) {
  model::Coverage coverage;
  uint32_t used = 0, unused = 0, pending = 0, twice = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    model::Walker w(seed, coverage);
    w.build();
    for (int i = 0; i < 10; ++i) w.edit();
    ASSERT_EQ(w.failure, "") << seed;
    const Function& f = w.function;
    // From each statement, word by word: who uses it, once per operand.
    std::map<uint32_t, std::vector<Operand>> users;
    for (uint32_t user = 0; user < f.dense_count(); ++user) {
      const Stmt& s = f.stmt(f.from_dense(user));
      for (uint32_t i = 0; i < f.operand_count(s); ++i)
        if (Operand operand = f.operand(s, i); info(s.op).is_value(i) && (operand.is_stmt() || operand.is_pending()))
          users[operand.word()].push_back(f.from_dense(user));
    }
    Uses uses(f);
    for (uint32_t dense = 0; dense < f.dense_count(); ++dense) {
      Operand id = f.from_dense(dense);
      const std::vector<Operand>& expected = users[id.word()];
      std::span<const Operand> found = uses.of(id);
      ASSERT_TRUE(std::ranges::equal(found, expected)) << "seed " << seed << " statement " << dense;
      ASSERT_EQ(uses.count(id), expected.size());
      ++(expected.empty() ? unused : used);
      pending += id.is_pending() && !expected.empty();
      twice += std::ranges::adjacent_find(expected) != expected.end();
    }
  }
  EXPECT_GE(used, 1000u);
  EXPECT_GE(unused, 1000u);
  EXPECT_GE(pending, 20u);
  EXPECT_GE(twice, 20u);
}

TEST(Uses, OfAnEmptyFunction) {
  Module m;
  Function& f = m.add_function(m.symbol("f"), {{}, void_type});
  f.ret(f.new_block());
  Uses uses(f);
  EXPECT_EQ(uses.count(Ref{0}), 0u);
}

class CloneBlocks : public FunctionFixture {
 protected:
  EdgeId edge(BlockId from, BlockId to) {
    EdgeId found = none_id<EdgeId>;
    f->for_each_succ(from, [&](EdgeId e) {
      if (f->edge(e).to == to) found = e;
    });
    EXPECT_FALSE(is_none(found));
    return found;
  }
  std::vector<BlockId> clone(std::initializer_list<std::string_view> names) {
    std::vector<BlockId> originals;
    for (std::string_view name : names) originals.push_back(block(name));
    std::vector<BlockId> copies = f->clone_blocks(originals);
    for (size_t i = 0; i < copies.size(); ++i)
      f->set_block_name(copies[i], m->symbol(std::string(names.begin()[i]) + ".copy"));
    return copies;
  }
  /// Sets the columns of an edge, one value per phi of its target.
  void set_columns(EdgeId e, std::initializer_list<Operand> values) {
    auto value = values.begin();
    f->for_each_range(f->edge(e).to, [&](uint32_t first, uint32_t end) {
      for (uint32_t i = first; i < end; ++i)
        if (f->op(static_cast<Ref>(i)) == Op::phi) f->set_operand(static_cast<Ref>(i), f->edge(e).pred_index, *value++);
    });
    EXPECT_EQ(value, values.end());
  }
  std::string compacted() {
    EXPECT_EQ(rules_and_messages(verify(*f)), "");
    compact(*f);
    EXPECT_EQ(rules_and_messages(verify(*f)), "");
    return text::to_text(*f);
  }
};

const char* const loop = R"(func @f(n: i64) -> i64 {
entry:
  jump head
head:
  %1 = phi i64 [entry: 0, body: %5]
  %2 = phi i64 [entry: %n, body: %6]
  %3 = sgt i64 %2, 0
  branch %3, body, done
body:
  %5 = add i64 %1, %2
  %6 = sub i64 %2, 1
  jump head
done:
  %8 = phi i64 [head: %1]
  ret %8
}
)";

/// Nobody enters the copy: it is as if it were not there.
TEST_F(CloneBlocks, ACopyThatNobodyEntersGoes) {
  read(loop);
  compact(*f);
  std::string before = text::to_text(*f);
  clone({"head", "body"});
  EXPECT_EQ(f->block_count(), 6u);
  EXPECT_EQ(compacted(), before);
}

/// The whole loop: its back edge leads to the copied head, its exit to the block behind the original.
TEST_F(CloneBlocks, ALoopAsItsOwnPrologue) {
  read(loop);
  std::vector<BlockId> copies = clone({"head", "body"});
  BlockId head = copies[0], body = copies[1];
  EXPECT_EQ(live_pred_count(head), 1u);  // the copied body
  EXPECT_EQ(live_pred_count(block("done")), 2u);
  EXPECT_EQ(f->edge(edge(body, head)).to, head);
  EXPECT_EQ(f->edge(edge(head, block("done"))).from, head);
  EdgeId in = f->redirect_edge(edge(Function::entry(), block("head")), head);
  set_columns(in, {m->constant(i64, 0), Operand::param(0)});
  // The original is not entered any more; the copy has taken its place.
  EXPECT_EQ(compacted(), R"(func @f(n: i64) -> i64 {
entry:
  jump head.copy
head.copy:
  %1 = phi i64 [entry: 0, body.copy: %5]
  %2 = phi i64 [entry: %n, body.copy: %6]
  %3 = sgt i64 %2, 0
  branch %3, body.copy, done
body.copy:
  %5 = add i64 %1, %2
  %6 = sub i64 %2, 1
  jump head.copy
done:
  ret %1
}
)");
}

/// A loop of one block, peeled: the copy is entered first and goes on in the original.
TEST_F(CloneBlocks, APeeledLoop) {
  read(R"(func @f(n: i64) -> i64 {
entry:
  jump test
test:
  %c = sgt i64 %n, 0
  branch %c, body, done
body:
  %i = phi i64 [test: 0, body: %j]
  %j = add i64 %i, 1
  %d = slt i64 %j, %n
  branch %d, body, done
done:
  %r = phi i64 [test: 7, body: %j]
  ret %r
}
)");
  std::vector<BlockId> copies = clone({"body"});
  // From the copy back to itself (inside), and to `done` (outside) with its own value.
  EXPECT_EQ(live_pred_count(copies[0]), 1u);
  EdgeId in = f->redirect_edge(edge(block("test"), block("body")), copies[0]);
  set_columns(in, {m->constant(i64, 0)});
  // The copy goes on in the original from its second round on.
  EdgeId back = f->redirect_edge(edge(copies[0], copies[0]), block("body"));
  Operand next;
  f->for_each_range(copies[0], [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i)
      if (f->op(static_cast<Ref>(i)) == Op::add) next = static_cast<Ref>(i);
  });
  set_columns(back, {next});
  EXPECT_EQ(compacted(), R"(func @f(n: i64) -> i64 {
entry:
  jump test
test:
  %1 = sgt i64 %n, 0
  branch %1, body.copy, done
body.copy:
  %3 = add i64 0, 1
  %4 = slt i64 %3, %n
  branch %4, body, done
body:
  %6 = phi i64 [body.copy: %3, body: %7]
  %7 = add i64 %6, 1
  %8 = slt i64 %7, %n
  branch %8, body, done
done:
  %10 = phi i64 [test: 7, body.copy: %3, body: %7]
  ret %10
}
)");
}

/// A diamond: edges inside go to the copies, the one to the outside keeps the column of the original in terms of the copy.
TEST_F(CloneBlocks, ADiamondForOneOfTwoWays) {
  read(R"(func @f(c: i1, x: i64) -> i64 {
entry:
  branch %c, left, right
left:
  jump top
right:
  jump top
top:
  %a = phi i64 [left: 1, right: 2]
  %t = sgt i64 %x, %a
  branch %t, yes, no
yes:
  %y = add i64 %x, %a
  jump bottom
no:
  jump bottom
bottom:
  %b = phi i64 [yes: %y, no: %a]
  %d = mul i64 %b, %a
  jump exit
exit:
  %r = phi i64 [bottom: %d]
  ret %r
}
)");
  std::vector<BlockId> copies = clone({"top", "yes", "no", "bottom"});
  EXPECT_EQ(live_pred_count(block("exit")), 2u);
  EdgeId in = f->redirect_edge(edge(block("right"), block("top")), copies[0]);
  set_columns(in, {m->constant(i64, 2)});
  EXPECT_EQ(compacted(), R"(func @f(c: i1, x: i64) -> i64 {
entry:
  branch %c, left, right
left:
  jump top
top:
  %2 = sgt i64 %x, 1
  branch %2, yes, no
yes:
  %4 = add i64 %x, 1
  jump bottom
no:
  jump bottom
bottom:
  %7 = phi i64 [yes: %4, no: 1]
  %8 = mul i64 %7, 1
  jump exit
right:
  jump top.copy
top.copy:
  %11 = sgt i64 %x, 2
  branch %11, yes.copy, no.copy
yes.copy:
  %13 = add i64 %x, 2
  jump bottom.copy
no.copy:
  jump bottom.copy
bottom.copy:
  %16 = phi i64 [yes.copy: %13, no.copy: 2]
  %17 = mul i64 %16, 2
  jump exit
exit:
  %19 = phi i64 [bottom: %8, bottom.copy: %17]
  ret %19
}
)");
}

/// The same in a walk: block numbers are the old ones, what is copied may be emitted or ahead.
TEST_F(CloneBlocks, InAWalk) {
  std::string results[2];
  for (bool late : {false, true}) {
    // The exit has a second way in: a phi of one column would not outlive its emission.
    read(R"(func @f(n: i64, c: i1) -> i64 {
entry:
  branch %c, head, done
head:
  %i = phi i64 [entry: 0, body: %i2]
  %k = phi i64 [entry: %n, body: %k2]
  %more = sgt i64 %k, 0
  branch %more, body, done
body:
  %i2 = add i64 %i, %k
  %k2 = sub i64 %k, 1
  jump head
done:
  %r = phi i64 [entry: 5, head: %i]
  ret %r
}
)");
    Compact walk(*f);
    BlockId head = block("head"), body = block("body");
    // Either before anything is emitted, or when the whole loop is.
    while (late && !walk.is_finished(body) && walk.next()) {
    }
    const BlockId originals[] = {head, body};
    std::vector<BlockId> copies = walk.clone_blocks(originals);
    walk.set_block_name(copies[0], m->symbol("head.copy"));
    walk.set_block_name(copies[1], m->symbol("body.copy"));
    walk.redirect_edge(edge(Function::entry(), head), copies[0]);
    walk.finish();
    // The new column of both phis says what the old one said.
    set_columns(edge(Function::entry(), block("head.copy")), {m->constant(i64, 0), Operand::param(0)});
    results[late] = compacted();
    EXPECT_EQ(f->block_count(), 4u);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], R"(func @f(n: i64, c: i1) -> i64 {
entry:
  branch %c, head.copy, done
head.copy:
  %1 = phi i64 [entry: 0, body.copy: %5]
  %2 = phi i64 [entry: %n, body.copy: %6]
  %3 = sgt i64 %2, 0
  branch %3, body.copy, done
body.copy:
  %5 = add i64 %1, %2
  %6 = sub i64 %2, 1
  jump head.copy
done:
  %8 = phi i64 [entry: 5, head.copy: %1]
  ret %8
}
)");
}

}  // namespace
}  // namespace braid::ir
