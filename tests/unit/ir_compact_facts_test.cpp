// Facts about compaction that Julia's tests hold fast, restated for explicit terminators and a real entry block: where a
// Julia block falls through there is a jump, `goto X if not c` is a branch with both targets, and the virtual predecessor
// 0 is the entry.
#include "ir/compact.h"

#include "function_fixture.h"

namespace braid::ir {
namespace {

/// Julia's programs as functions.
class CompactFacts : public FunctionFixture {
 protected:
  /// A call as a statement of the function.
  Inst call(std::string_view name, std::vector<Operand> operands = {}) {
    std::vector<uint32_t> words = call_words(name, operands);
    return f->make(Op::call, m->function(static_cast<FuncId>(words[0])).result_type(), words);
  }
  std::vector<uint32_t> call_words(std::string_view name, const std::vector<Operand>& operands = {}) {
    std::vector<uint32_t> words{index(m->find_function(name)->id())};
    for (Operand operand : operands) words.push_back(operand.word());
    return words;
  }
  uint32_t count(Op op) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < f->size(); ++i) found += f->op(at(i)) == op;
    return found;
  }
  /// The text of `@f` alone; the function must verify and be at rest.
  std::string result() {
    EXPECT_EQ(rules_and_messages(verify(*f)), "");
    EXPECT_TRUE(f->is_at_rest());
    EXPECT_EQ(f->pending_count(), 0u);
    return text::to_text(*f);
  }
};

/// Block 3 of the graph is unreachable, block 4 is entered from the virtual block 0: here from the entry, a block
/// of its own. The result has one block less, and block 4 keeps its column of the entry.
TEST_F(CompactFacts, TheEntryStaysAPredecessor) {
  read(R"(func @f(c: i1) -> i64 {
entry:
  branch %c, one, four
one:
  branch %c, two, four
two:
  branch %c, four, five
three:
  jump four
four:
  %x = phi i64 [entry: 10, one: 11, two: 12, three: 13]
  jump five
five:
  %y = phi i64 [two: 20, four: %x]
  ret %y
}
)");
  compact(*f);
  EXPECT_EQ(result(), R"(func @f(c: i1) -> i64 {
entry:
  branch %c, one, four
one:
  branch %c, two, four
two:
  branch %c, four, five
four:
  %3 = phi i64 [entry: 10, one: 11, two: 12]
  jump five
five:
  %5 = phi i64 [two: 20, four: %3]
  ret %5
}
)");
  EXPECT_EQ(live_pred_count(block("four")), 3u);
  EXPECT_EQ(f->edge(f->block(block("four")).first_pred).from, Function::entry());
}

/// `goto b2 if not true` of b2 is a branch whose second target is its own block: folded, the self edge is gone and
/// the phi with the one edge that is left stands for its operand.
TEST_F(CompactFacts, AFoldedBranchLosesTheSelfEdge) {
  read(R"(func @f() -> i64 {
entry:
  jump loop
loop:
  %x = phi i64 [entry: 1, loop: 2]
  branch true, done, loop
done:
  ret %x
}
)");
  compact(*f, {.fold_branches = true});
  EXPECT_EQ(live_pred_count(block("loop")), 1u);
  EXPECT_EQ(count(Op::branch), 0u);
  result();
  compact(*f);
  EXPECT_EQ(result(), R"(func @f() -> i64 {
entry:
  jump loop
loop:
  jump done
done:
  ret 1
}
)");
}

/// As in Julia, but the column of the unreachable block goes with the block, and then one column is left: the phi
/// stands for it.
TEST_F(CompactFacts, APhiHasNoColumnOfAnUnreachableBlock) {
  read(R"(func @f() -> i64 {
entry:
  jump join
gone:
  jump join
join:
  %x = phi i64 [entry: 100, gone: 200]
  ret %x
}
)");
  compact(*f);
  EXPECT_EQ(result(), R"(func @f() -> i64 {
entry:
  jump join
join:
  ret 100
}
)");
}

/// Julia keeps the unreachable loop and must not forward the phi to the value that comes later; here the loop goes.
TEST_F(CompactFacts, AnUnreachableLoopLeavesNoForwardReference) {
  read(R"(extern @use(i64) -> void
extern @make() -> i64
func @f() -> void {
entry:
  jump done
loop:
  %x = phi i64 [loop: %y]
  call @use(%x)
  %y = call @make()
  jump loop
done:
  ret
}
)");
  compact(*f);
  EXPECT_EQ(result(), R"(func @f() -> void {
entry:
  jump done
done:
  ret
}
)");
}

/// The same, where the loop becomes unreachable only after it was emitted: at no moment a call uses a later value as
/// if it were at hand, and the loop still goes.
TEST_F(CompactFacts, ALoopCutOffBehindTheWalkGoes) {
  read(R"(extern @use(i64) -> void
extern @make() -> i64
func @f(c: i1) -> void {
entry:
  branch %c, loop, done
loop:
  %x = phi i64 [entry: 7, loop: %y]
  call @use(%x)
  %y = call @make()
  branch %c, loop, done
done:
  ret
}
)");
  Compact walk(*f);
  BlockId loop = block("loop");
  while (walk.next()) {
    if (!walk.is_finished(loop)) continue;
    f->for_each_pred(loop, [&](EdgeId e) {
      if (f->edge(e).from == Function::entry()) walk.remove_edge(e);
    });
    break;
  }
  EXPECT_TRUE(verify(walk.finished_part()).empty());
  walk.finish();
  EXPECT_EQ(result(), R"(func @f(c: i1) -> void {
entry:
  jump done
done:
  ret
}
)");
}

/// Block 3 holds nothing but `nothing` and, here, the jump that it falls through with. What is inserted after the
/// `nothing` stays in that block; of the two branches the constant one goes, with its column.
TEST_F(CompactFacts, WhatIsInsertedAfterNothingStaysInItsBlock) {
  read(R"(extern @one(i64) -> void
extern @two() -> i1
extern @three() -> void
func @f() -> i64 {
entry:
  branch true, second, join
second:
  call @one(1)
  %c = call @two()
  branch %c, third, join
third:
  nothing
  jump join
join:
  %x = phi i64 [entry: 1, second: 2, third: 3]
  ret %x
}
)");
  ASSERT_EQ(f->op(at(4)), Op::nothing);
  f->insert(Function::after(at(4)), call("three"));
  compact(*f, {.fold_branches = true});
  EXPECT_EQ(count(Op::branch), 1u);
  EXPECT_EQ(result(), R"(func @f() -> i64 {
entry:
  jump second
second:
  call @one(1)
  %2 = call @two()
  branch %2, third, join
third:
  call @three()
  jump join
join:
  %6 = phi i64 [second: 2, third: 3]
  ret %6
}
)");
}

/// As in Julia: a statement inserted after a buffered one comes behind it, and names it by its new number.
TEST_F(CompactFacts, ABufferedStatementIsAnAnchor) {
  read(R"(extern @show(i64) -> i64
func @f(n: i64) -> i64 {
entry:
  %a = add i64 %n, 1
  %b = add i64 %a, 2
  ret %b
}
)");
  NewRef first = f->insert(Function::after(at(0)), call("show", {at(0)}));
  f->insert(Function::after(first), call("show", {first}));
  compact(*f);
  EXPECT_EQ(result(), R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  %1 = call @show(%0)
  %2 = call @show(%1)
  %3 = add i64 %0, 2
  ret %3
}
)");
}

/// To overwrite a statement with the value of another is `replace` here. The new one takes its position, so the
/// vector is as long as before, with nothing behind its end.
TEST_F(CompactFacts, AStatementReplacedByOneInsertedBeforeIt) {
  read(R"(func @f(n: i64) -> i64 {
entry:
  %a = add i64 %n, 1
  %b = mul i64 %a, %a
  ret %b
}
)");
  uint32_t size = f->size();
  NewRef fresh = f->insert(Function::before(at(0)), f->make(Op::sub, i64, {Operand::param(0), m->constant(i64, 5)}));
  f->replace(at(0), fresh);
  compact(*f);
  EXPECT_EQ(f->size(), size);
  EXPECT_EQ(f->dense_count(), size);
  EXPECT_EQ(f->columns().capacity(), size);
  EXPECT_EQ(result(), R"(func @f(n: i64) -> i64 {
entry:
  %0 = sub i64 %n, 5
  %1 = mul i64 %0, %0
  ret %1
}
)");
}

/// As in Julia: a pi of a constant that says only what the constant says itself is the constant.
TEST_F(CompactFacts, APiOfAConstantIsTheConstant) {
  read("func @f() -> f64 {\nentry:\n  %a = pi f64=0x0p+0 0.0\n  ret %a\n}\n");
  compact(*f);
  EXPECT_EQ(result(), "func @f() -> f64 {\nentry:\n  ret 0x0p+0\n}\n");
}

/// What a walk inserts behind an anchor: with an effect it stays right after it, pure and unused it is gone after
/// `finish` with `remove_dead`. Both ways to insert after the anchor: as the next statement, and behind the walk.
TEST_F(CompactFacts, AnUnusedInsertionStaysForItsEffect) {
  for (bool here : {true, false}) {
    read(R"(extern @log(i64) -> void
func @f(n: i64) -> i64 {
entry:
  %a = add i64 %n, 1
  %b = add i64 %a, 2
  ret %b
}
)");
    Compact walk(*f, {.count_uses = true, .remove_dead = true});
    for (Ref r : walk) {
      if (r != Ref{0}) continue;
      std::vector<uint32_t> effect = call_words("log", {r}), pure{Operand(r).word(), Operand(r).word()};
      Draft log{Op::call, void_type, effect}, unused{Op::mul, i64, pure};
      if (here) {
        walk.insert_here(log);
        walk.insert_here(unused);
        continue;
      }
      walk.insert_after(r, log);
      walk.insert_after(r, unused);
    }
    walk.finish();
    compact(*f);
    EXPECT_EQ(result(), R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  call @log(%0)
  %2 = add i64 %0, 2
  ret %2
}
)") << here;
  }
}

/// Block 2 falls through behind its only statement: here it has a jump, and what is inserted after the last
/// statement before it, or before the jump, comes in between. The phi without operands has an `undef` column per edge.
TEST_F(CompactFacts, InsertedAfterTheLastStatementOfABlock) {
  for (int way = 0; way < 3; ++way) {
    read(R"(extern @make() -> i1
func @f() -> void {
entry:
  %c = call @make()
  branch %c, then, join
then:
  %d = call @make()
  jump join
join:
  %x = phi i64 []
  ret
}
)");
    Compact walk(*f);
    for (Ref r : walk) {
      if (walk.block_here() != block("then")) continue;
      std::vector<uint32_t> words = call_words("make");
      bool at_jump = walk.op(r) == Op::jump;
      if (way == 0 && !at_jump) walk.insert_after(r, {Op::call, i1, words});
      if (way == 1 && at_jump) walk.insert_before(r, {Op::call, i1, words});
      if (way == 2 && walk.old_here() == OldRef{2}) walk.insert_after(walk.old_here(), {Op::call, i1, words});
    }
    walk.finish();
    compact(*f);
    EXPECT_EQ(result(), R"(func @f() -> void {
entry:
  %0 = call @make()
  branch %0, then, join
then:
  %2 = call @make()
  %3 = call @make()
  jump join
join:
  %5 = phi i64 [entry: undef, then: undef]
  ret
}
)") << way;
    EXPECT_EQ(f->block(block("then")).end - f->block(block("then")).first, 3u);
  }
}

/// Iterators share the progress of the walk: two of them, taken by turns, visit each statement once.
TEST_F(CompactFacts, TwoIteratorsByTurns) {
  const char* source = R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  %1 = mul i64 %0, %0
  branch true, then, join
then:
  %3 = sub i64 %1, %0
  jump join
join:
  %5 = phi i64 [entry: %0, then: %3]
  ret %5
}
)";
  read(source);
  Compact walk(*f);
  std::vector<Ref> seen, expected;
  for (uint32_t i = 0; i < f->size(); ++i) expected.push_back(Ref{i});
  for (Ref r : walk) {
    seen.push_back(r);
    for (Ref inner : walk) {
      seen.push_back(inner);
      if (seen.size() % 3 == 2) break;
    }
  }
  EXPECT_EQ(seen, expected);
  walk.finish();
  EXPECT_EQ(result(), source);
}

/// Affinity has no meaning here, and a `ret` is a terminator: before the first step it ends the entry,
/// and everything else goes.
TEST_F(CompactFacts, ARetBeforeTheFirstStep) {
  read(R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  jump next
next:
  ret %0
}
)");
  Compact walk(*f);
  std::vector<uint32_t> one{m->constant(i64, 1).word()};
  walk.end_block_here({Op::ret, void_type, one});
  EXPECT_FALSE(walk.next());
  walk.finish();
  EXPECT_EQ(f->block_count(), 1u);
  EXPECT_EQ(result(), "func @f(n: i64) -> i64 {\nentry:\n  ret 1\n}\n");
}

}  // namespace
}  // namespace braid::ir
