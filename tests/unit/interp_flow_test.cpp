// Control flow: phis as parallel copies, loops, switches, dead edges, functions that are being edited.
#include "interp_testing.h"

namespace braid::interp {
namespace {

TEST(InterpFlow, SumOfALoop) {
  Program p(R"(
func @sum(n: i64) -> i64 {
entry:
  jump head
head:
  %s = phi i64 [entry: 0, body: %s2]
  %i = phi i64 [entry: 1, body: %i2]
  %c = sle i64 %i, %n
  branch %c, body, done
body:
  %s2 = add i64 %s, %i
  %i2 = add i64 %i, 1
  jump head
done:
  ret %s
}
)");
  EXPECT_EQ(p.run("sum", int64_t{100}), "5050");
  EXPECT_EQ(p.run("sum", int64_t{0}), "0");
  EXPECT_EQ(p.run("sum", int64_t{-5}), "0");
  // 1 jump, 4 + 3 per round and 4 for the last test, 1 return.
  p.run("sum", int64_t{10});
  EXPECT_EQ(p.last.steps, 1u + 10 * 7 + 4 + 1);
}

// Fact 18 of the notes: the block of the second phi has two ways in.
TEST(InterpFlow, PhiOfAPhi) {
  Program p(R"(
func @f(c: i1) -> i64 {
b1:
  branch %c, b2, b3
b2:
  %5 = phi i64 [b1: 1]
  jump b3
b3:
  %6 = phi i64 [b1: 2, b2: %5]
  ret %6
}
)");
  EXPECT_EQ(p.run("f", true), "1");
  EXPECT_EQ(p.run("f", false), "2");
}

// Fact 19: swaps, values of the last round, and undef that flows but is never used. a, b, c are 1, 2, 3.
TEST(InterpFlow, PhisReadBeforeTheyWrite) {
  Program p(R"(
func @f(t: i1) -> (i64, i64, i64, i64) {
b1:
  jump b2
b2:
  %5 = phi i1 [b1: false, b3: true]
  %6 = phi i64 [b1: 1, b3: 2]
  %7 = phi i64 [b1: 3, b3: %6]
  %8 = phi i64 [b3: %7]
  jump b3
b3:
  %10 = phi i1 [b4: true, b2: %t]
  %11 = phi i64 [b4: undef]
  %12 = phi i64 []
  %14 = phi i64 [b4: 2, b2: %8]
  branch %5, b4, b2
b4:
  branch %10, b5, b3
b5:
  %r = tuple (%6, %7, %8, %14)
  ret %r
}
)");
  EXPECT_EQ(p.run("f", true), "(2, 1, 3, 3)");
  EXPECT_EQ(p.run("f", false), "(2, 1, 3, 2)");
}

TEST(InterpFlow, SwapOfTwoAndOfThree) {
  Program p(R"(
func @two(n: i64) -> (i64, i64) {
entry:
  jump head
head:
  %a = phi i64 [entry: 1, body: %b]
  %b = phi i64 [entry: 2, body: %a]
  %i = phi i64 [entry: 0, body: %i2]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %i2 = add i64 %i, 1
  jump head
done:
  %r = tuple (%a, %b)
  ret %r
}
func @three(n: i64) -> (i64, i64, i64, i64) {
entry:
  jump head
head:
  %a = phi i64 [entry: 1, body: %b]
  %b = phi i64 [entry: 2, body: %c]
  %c = phi i64 [entry: 3, body: %a]
  %d = phi i64 [entry: 4, body: %a]
  %i = phi i64 [entry: 0, body: %i2]
  %t = slt i64 %i, %n
  branch %t, body, done
body:
  %i2 = add i64 %i, 1
  jump head
done:
  %r = tuple (%a, %b, %c, %d)
  ret %r
}
)");
  EXPECT_EQ(p.run("two", int64_t{0}), "(1, 2)");
  EXPECT_EQ(p.run("two", int64_t{1}), "(2, 1)");
  EXPECT_EQ(p.run("two", int64_t{2}), "(1, 2)");
  EXPECT_EQ(p.run("three", int64_t{1}), "(2, 3, 1, 1)");
  EXPECT_EQ(p.run("three", int64_t{2}), "(3, 1, 2, 2)");
  EXPECT_EQ(p.run("three", int64_t{4}), "(2, 3, 1, 1)");
}

// The old value of a phi is still wanted behind its new one.
TEST(InterpFlow, LostCopy) {
  Program p(R"(
func @f(n: i64) -> (i64, i64) {
entry:
  jump loop
loop:
  %i = phi i64 [entry: 0, loop: %i2]
  %i2 = add i64 %i, 1
  %c = slt i64 %i2, %n
  branch %c, loop, done
done:
  %r = tuple (%i, %i2)
  ret %r
}
func @g(n: i64) -> i64 {
entry:
  jump loop
loop:
  %i = phi i64 [entry: 0, loop: %i2]
  %last = phi i64 [entry: 100, loop: %i]
  %i2 = add i64 %i, 1
  %c = slt i64 %i2, %n
  branch %c, loop, done
done:
  ret %last
}
)");
  EXPECT_EQ(p.run("f", int64_t{5}), "(4, 5)");
  EXPECT_EQ(p.run("g", int64_t{1}), "100");
  EXPECT_EQ(p.run("g", int64_t{5}), "3");
}

// A phi whose register its next value would like to have, but which is still read behind that value's definition: by the
// next statement, by the comparison of the branch, which is computed at the end.
TEST(InterpFlow, AlmostDeadPhis) {
  Program p(R"(
func @next(n: i64) -> i64 {
entry:
  jump head
head:
  %s = phi i64 [entry: 0, body: %s2]
  %i = phi i64 [entry: 1, body: %i2]
  %c = sle i64 %i, %n
  branch %c, body, done
body:
  %i2 = add i64 %i, 1
  %s2 = add i64 %s, %i
  jump head
done:
  ret %s
}
func @compared(n: i64) -> i64 {
entry:
  jump loop
loop:
  %i = phi i64 [entry: 0, loop: %i2]
  %c = slt i64 %i, %n
  %i2 = add i64 %i, 10
  branch %c, loop, done
done:
  ret %i2
}
func @used_twice(n: i64) -> i1 {
entry:
  %c = slt i64 %n, 10
  branch %c, a, b
a:
  ret %c
b:
  %d = xor i1 %c, false
  ret %d
}
)");
  EXPECT_EQ(p.run("next", int64_t{100}), "5050");
  EXPECT_EQ(p.run("compared", int64_t{15}), "30");
  EXPECT_EQ(p.run("used_twice", int64_t{5}), "true");
  EXPECT_EQ(p.run("used_twice", int64_t{50}), "false");
}

TEST(InterpFlow, StepsAreTheStatementsOfTheBlocks) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %a = add i64 %x, 1
  jump second
second:
  %b = add i64 %a, 1
  %c = slt i64 %b, 0
  branch %c, third, fourth
third:
  jump fourth
fourth:
  ret %b
}
)");
  p.run("f", int64_t{1});
  EXPECT_EQ(p.last.steps, 2u + 3 + 1);
  p.run("f", int64_t{-9});
  EXPECT_EQ(p.last.steps, 2u + 3 + 1 + 1);
}

TEST(InterpFlow, NestedLoopsShareRegistersOnlyWhereTheyMay) {
  Program p(R"(
func @f(n: i64, m: i64) -> i64 {
entry:
  jump outer
outer:
  %s = phi i64 [entry: 0, outer_end: %s4]
  %i = phi i64 [entry: 0, outer_end: %i2]
  %c = slt i64 %i, %n
  branch %c, inner_start, done
inner_start:
  jump inner
inner:
  %s2 = phi i64 [inner_start: %s, inner_body: %s3]
  %j = phi i64 [inner_start: 0, inner_body: %j2]
  %d = slt i64 %j, %m
  branch %d, inner_body, outer_end
inner_body:
  %p = mul i64 %i, %j
  %s3 = add i64 %s2, %p
  %j2 = add i64 %j, 1
  jump inner
outer_end:
  %s4 = sub i64 %s2, %s
  %i2 = add i64 %i, 1
  jump outer
done:
  ret %s
}
)");
  auto expected = [](int64_t n, int64_t m) {
    int64_t s = 0;
    for (int64_t i = 0; i < n; ++i) {
      int64_t t = s;
      for (int64_t j = 0; j < m; ++j) t += i * j;
      s = t - s;
    }
    return std::to_string(s);
  };
  for (int64_t n : {0, 1, 2, 5, 9})
    for (int64_t m : {0, 1, 3, 7}) EXPECT_EQ(p.run("f", n, m), expected(n, m));
}

TEST(InterpFlow, MultiEdgesAndBranchesToOneBlock) {
  Program p(R"(
func @f(c: i1) -> i64 {
entry:
  branch %c, join, join
join:
  %x = phi i64 [entry: 1, entry: 2]
  ret %x
}
func @g(x: i64) -> i64 {
entry:
  switch i64 %x, join, [1: join, 2: join]
join:
  %r = phi i64 [entry: 10, entry: 11, entry: 12]
  ret %r
}
)");
  EXPECT_EQ(p.run("f", true), "1");
  EXPECT_EQ(p.run("f", false), "2");
  EXPECT_EQ(p.run("g", int64_t{7}), "10");
  EXPECT_EQ(p.run("g", int64_t{1}), "11");
  EXPECT_EQ(p.run("g", int64_t{2}), "12");
}

TEST(InterpFlow, SwitchesDenseSparseAndOfOtherWidths) {
  Program p(R"(
func @dense(x: i64) -> i64 {
entry:
  switch i64 %x, other, [-1: a, 0: b, 1: a, 3: b]
a:
  ret 1
b:
  ret 2
other:
  ret 0
}
func @sparse(x: i64) -> i64 {
entry:
  switch i64 %x, other, [9223372036854775807: b, -9223372036854775808: a, 0: a, 1000000: b]
a:
  ret 1
b:
  ret 2
other:
  ret 0
}
func @narrow(x: i8) -> i64 {
entry:
  switch i8 %x, other, [-128: a, 127: b]
a:
  ret 1
b:
  ret 2
other:
  ret 0
}
func @bit(x: i1) -> i64 {
entry:
  switch i1 %x, other, [true: a]
a:
  ret 1
other:
  ret 0
}
)");
  int64_t minimum = INT64_MIN, maximum = INT64_MAX;
  EXPECT_EQ(p.run("dense", int64_t{-1}) + p.run("dense", int64_t{0}) + p.run("dense", int64_t{1}), "121");
  EXPECT_EQ(p.run("dense", int64_t{2}) + p.run("dense", int64_t{3}) + p.run("dense", int64_t{4}), "020");
  EXPECT_EQ(p.run("dense", minimum) + p.run("dense", maximum) + p.run("dense", int64_t{-2}), "000");
  EXPECT_EQ(p.run("sparse", minimum) + p.run("sparse", maximum) + p.run("sparse", int64_t{0}), "121");
  EXPECT_EQ(p.run("sparse", int64_t{1000000}) + p.run("sparse", int64_t{5}), "20");
  EXPECT_EQ(p.run("narrow", int8_t{-128}) + p.run("narrow", int8_t{127}) + p.run("narrow", int8_t{0}), "120");
  EXPECT_EQ(p.run("bit", true) + p.run("bit", false), "10");
}

ir::EdgeId edge_at(const ir::Function& f, ir::BlockId b, uint32_t slot) {
  return static_cast<ir::EdgeId>(f.arg(f.stmt(f.terminator(b)), slot));
}

TEST(InterpFlow, DeadEdgesOfASwitch) {
  const char* text = R"(
func @f(x: i64) -> i64 {
entry:
  switch i64 %x, other, [1: a, 2: b]
a:
  ret 1
b:
  ret 2
other:
  ret 0
}
)";
  {
    Program p(text);
    p.function("f").remove_edge(edge_at(p.function("f"), ir::BlockId{0}, 3));
    EXPECT_EQ(p.run("f", int64_t{1}), "0") << "a dead case goes to the default";
    EXPECT_EQ(p.run("f", int64_t{2}), "2");
  }
  {
    Program p(text);
    p.function("f").remove_edge(edge_at(p.function("f"), ir::BlockId{0}, 1));
    EXPECT_EQ(p.run("f", int64_t{1}), "1");
    EXPECT_EQ(p.run("f", int64_t{7}), "2") << "the last live case takes over a dead default";
    p.function("f").remove_edge(edge_at(p.function("f"), ir::BlockId{0}, 5));
    EXPECT_EQ(p.run("f", int64_t{7}), "1");
    p.function("f").remove_edge(edge_at(p.function("f"), ir::BlockId{0}, 3));
    EXPECT_EQ(p.run("f", int64_t{1}), "traps: reached unreachable code in @f");
  }
}

TEST(InterpFlow, RemovedEdgesAreSkippedWithTheirPhiColumns) {
  Program p(R"(
func @f(c: i1, x: i64) -> i64 {
entry:
  branch %c, a, b
a:
  jump join
b:
  jump join
join:
  %r = phi i64 [a: 1, b: %x]
  ret %r
}
)");
  EXPECT_EQ(p.run("f", true, int64_t{5}), "1");
  ir::Function& f = p.function("f");
  f.remove_edge(edge_at(f, ir::BlockId{0}, 1));
  EXPECT_EQ(p.run("f", true, int64_t{5}), "5") << "the branch has become a jump";
}

TEST(InterpFlow, PendingEditsRunWhereTheyStand) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %a = add i64 %x, 1
  %b = mul i64 %a, 2
  ret %b
}
)");
  ir::Module& m = *p.module;
  ir::Function& f = p.function("f");
  ir::Operand a = ir::Ref{0}, b = ir::Ref{1};
  EXPECT_EQ(p.run("f", int64_t{3}), "8");
  // Between the two: c = a - 10, and b uses it.
  ir::Operand c = f.insert(f.before(b), f.make(ir::Op::sub, i64, {a, m.constant(i64, 10)}));
  f.set_operand(b, 0, c);
  EXPECT_EQ(p.run("f", int64_t{3}), "-12");
  // Behind c, before b, a second one.
  ir::Operand d = f.insert(f.after(c), f.make(ir::Op::neg, i64, {c}));
  f.set_operand(b, 0, d);
  EXPECT_EQ(p.run("f", int64_t{3}), "12");
  // a is replaced by the parameter, d by c.
  f.replace(a, ir::Operand::param(0));
  EXPECT_EQ(p.run("f", int64_t{3}), "14");
  f.replace(d, c);
  EXPECT_EQ(p.run("f", int64_t{3}), "-14");
  // Something unused is erased; a block in several ranges.
  ir::Operand e = f.append(ir::BlockId{0}, f.make(ir::Op::neg, i64, {b}));
  f.erase(e);
  ir::BlockId other = f.new_block();
  f.ret(other, b);
  f.jump(ir::BlockId{0}, other);
  EXPECT_EQ(p.run("f", int64_t{3}), "-14");
  ir::Operand late = f.insert(f.at_start(other), f.make(ir::Op::add, i64, {b, m.constant(i64, 1)}));
  f.set_operand(f.terminator(other), 0, late);
  EXPECT_EQ(p.run("f", int64_t{3}), "-13");
}

TEST(InterpFlow, PendingPhis) {
  Program p(R"(
func @f(c: i1) -> i64 {
entry:
  branch %c, a, b
a:
  jump join
b:
  jump join
join:
  ret 0
}
)");
  ir::Function& f = p.function("f");
  ir::Module& m = *p.module;
  ir::BlockId join{3};
  ir::Operand phi = f.insert(f.phis_of(join), f.make(ir::Op::phi, i64, {m.constant(i64, 5), m.constant(i64, 6)}));
  f.set_operand(f.terminator(join), 0, phi);
  EXPECT_EQ(p.run("f", true), "5");
  EXPECT_EQ(p.run("f", false), "6");
}

TEST(InterpFlow, ACopyOfAFunctionRunsWithoutBeingTheModules) {
  Program p(R"(
func @f(x: i64) -> i64 {
entry:
  %a = add i64 %x, 1
  ret %a
}
func @g(x: i64) -> i64 {
entry:
  %a = call @f(%x)
  ret %a
}
)");
  Interpreter interpreter(*p.module);
  Value argument[] = {Value(int64_t{1})};
  EXPECT_EQ(to_string(interpreter.run(p.function("f"), argument)), "2");
  ir::Function copy = p.function("f");
  copy.set_operand(ir::Ref{0}, 1, p.module->constant(i64, 50));
  EXPECT_EQ(to_string(interpreter.run(copy, argument)), "51");
  EXPECT_EQ(to_string(interpreter.run(p.function("g"), argument)), "2") << "calls go to the module's own";
  p.module->replace_function(copy.id(), copy);
  EXPECT_EQ(to_string(interpreter.run(p.function("g"), argument)), "2") << "the old code is kept";
  interpreter.invalidate(copy.id());
  EXPECT_EQ(to_string(interpreter.run(p.function("g"), argument)), "51");
}

TEST(InterpFlow, EndlessLoopsEndAtTheLimit) {
  Program p(R"(
func @empty() -> void {
entry:
  jump loop
loop:
  jump loop
}
func @pair() -> void {
entry:
  jump a
a:
  jump b
b:
  jump a
}
func @branches(c: i1) -> void {
entry:
  jump a
a:
  branch %c, b, a
b:
  branch %c, a, b
}
)");
  p.options.max_steps = 1000;
  EXPECT_EQ(p.run("empty"), "stops: more than 1000 steps");
  EXPECT_EQ(p.run("pair"), "stops: more than 1000 steps");
  EXPECT_EQ(p.run("branches", true), "stops: more than 1000 steps");
  EXPECT_EQ(p.run("branches", false), "stops: more than 1000 steps");
  EXPECT_LE(p.last.steps, 1001u);
}

}  // namespace
}  // namespace braid::interp
