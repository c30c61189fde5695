// Values: every pure op in every form against eval_op, tuples, mixed values, undef, variables, boxes.
#include <random>

#include "interp_testing.h"
#include "ir/eval_op.h"

namespace braid::interp {
namespace {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::TypeRule;

constexpr Kind int_kinds[] = {Kind::i1, Kind::i8, Kind::i16, Kind::i32, Kind::i64};

std::vector<uint64_t> words_of(Kind kind) {
  if (kind == Kind::f64) {
    std::vector<uint64_t> words;
    for (double d : {0.0, -0.0, 1.5, -2.5, 1e300, 127.5, 1e19, -1e19}) words.push_back(ir::bits_of(d));
    words.push_back(0x7ff0000000000000u);
    words.push_back(0xfff8000000000001u);
    return words;
  }
  if (kind == Kind::f32) {
    std::vector<uint64_t> words;
    for (float f : {0.0f, -0.0f, 1.5f, -2.5f, 3e38f, 127.5f, 1e19f}) words.push_back(ir::bits_of(f));
    words.push_back(0x7f800000u);
    words.push_back(0xffc00001u);
    return words;
  }
  std::vector<uint64_t> words;
  std::mt19937_64 random(static_cast<unsigned>(kind));
  for (uint64_t word : {0ull, 1ull, 2ull, 7ull, 31ull, 63ull, 64ull, ~0ull, ~1ull, 1ull << 31, (1ull << 31) - 1, 1ull << 63,
                        ~(1ull << 63), 128ull, 255ull, 0x8000ull, 0xffffull})
    words.push_back(ir::canonical(kind, word));
  for (int i = 0; i < 6; ++i) words.push_back(ir::canonical(kind, random() >> (random() % 60)));
  return words;
}

/// A function with one statement: operand registers, or constants in place of some of them; as a value or as a branch.
struct OneOp {
  ir::Module m;
  ir::Function* f = nullptr;

  OneOp(Op op, Kind from, Kind to, uint32_t count, std::vector<Operand> (*operands)(OneOp&, uint64_t, uint64_t),
        uint64_t a, uint64_t b, bool branches) {
    std::vector<Type> params(2, of(from));
    f = &m.add_function(m.symbol("f"), {params, of(to)});
    BlockId entry = f->new_block();
    std::vector<uint32_t> words;
    kind = from;
    for (Operand operand : operands(*this, a, b)) words.push_back(operand.word());
    words.resize(count);
    Operand result = f->append(entry, f->make(op, of(to), words));
    if (!branches) {
      f->ret(entry, result);
    } else {
      BlockId yes = f->new_block(), no = f->new_block();
      f->branch(entry, result, yes, no);
      f->ret(yes, m.constant(i1, 1));
      f->ret(no, m.constant(i1, 0));
    }
    EXPECT_TRUE(ir::verify(m).empty()) << ir::info(op).text;
  }
  Operand constant(uint64_t bits) { return m.constants.get(of(kind), bits); }
  uint64_t run(uint64_t a, uint64_t b) {
    Interpreter interpreter(m);
    Value values[] = {Value(of(kind), a), Value(of(kind), b)};
    Outcome outcome = interpreter.run(*f, values);
    EXPECT_EQ(outcome.kind, OutcomeKind::value) << to_string(outcome);
    return outcome.value.bits;
  }
  Kind kind{};
};

std::vector<Operand> registers(OneOp&, uint64_t, uint64_t) { return {Operand::param(0), Operand::param(1)}; }
std::vector<Operand> right_constant(OneOp& o, uint64_t, uint64_t b) { return {Operand::param(0), o.constant(b)}; }
std::vector<Operand> left_constant(OneOp& o, uint64_t a, uint64_t) { return {o.constant(a), Operand::param(1)}; }

TEST(InterpValues, EveryPureOpInEveryForm) {
  int tested = 0;
  for (unsigned number = 0; number < ir::op_count; ++number) {
    Op op = static_cast<Op>(number);
    if (op == Op::select || op == Op::ptr_add || op == Op::ptr_index || op == Op::ptr_diff) continue;
    uint32_t count = ir::info(op).fixed_count;
    for (int from_number = 0; from_number < kind_count; ++from_number)
      for (int to_number = 0; to_number < kind_count; ++to_number) {
        Kind from = static_cast<Kind>(from_number), to = static_cast<Kind>(to_number);
        TypeRule rule = ir::info(op).rule;
        bool compares = rule == TypeRule::equality || rule == TypeRule::signed_compare ||
                        rule == TypeRule::unsigned_compare || rule == TypeRule::float_compare;
        if (count == 2 && to != (compares ? Kind::i1 : from)) continue;
        if (bit_width(from) == 0 && !(from == Kind::ptr && rule != TypeRule::equality)) continue;
        if ((rule == TypeRule::int_unary || rule == TypeRule::float_unary) && from != to) continue;
        if (rule == TypeRule::bitcast && (bit_width(from) < 32 || is_float(from) == is_float(to))) continue;
        uint64_t probe[] = {0, 0};
        if (!ir::fold(op, from, to, std::span(probe, count))) continue;
        ++tested;
        std::vector<uint64_t> words = words_of(from == Kind::ptr ? Kind::i64 : from);
        OneOp plain(op, from, to, count, registers, 0, 0, false);
        for (uint64_t a : words) {
          for (uint64_t b : words) {
            uint64_t both[] = {a, b};
            uint64_t want = *ir::fold(op, from, to, std::span(both, count));
            ASSERT_EQ(plain.run(a, b), want) << ir::info(op).text << " " << kind_name(from) << " " << a << " " << b;
            if (count == 1) break;
          }
        }
        if (count == 1) continue;
        OneOp branch(op, from, to, count, registers, 0, 0, compares);
        for (size_t i = 0; i < words.size(); ++i) {
          uint64_t both[] = {words[i], words[(i * 5 + 2) % words.size()]};
          uint64_t want = *ir::fold(op, from, to, both);
          for (bool branches : {false, true}) {
            if (branches && !compares) continue;
            ASSERT_EQ(branch.run(both[0], both[1]), want) << ir::info(op).text << " " << kind_name(from);
            OneOp right(op, from, to, count, right_constant, both[0], both[1], branches);
            OneOp left(op, from, to, count, left_constant, both[0], both[1], branches);
            ASSERT_EQ(right.run(both[0], 0), want) << ir::info(op).text << " " << kind_name(from) << ", " << both[1];
            ASSERT_EQ(left.run(0, both[1]), want) << ir::info(op).text << " " << kind_name(from) << ", " << both[0];
          }
        }
      }
  }
  // 21 and 6 ops by 5 widths, 8 and 7 by 2 floats, comparisons 2 + 4 by 5, 4 by 6, 6 by 2, conversions.
  EXPECT_EQ(tested, 21 * 5 + 6 * 5 + 8 * 2 + 7 * 2 + 6 * 5 + 4 * 6 + 6 * 2 + (10 + 20 + 20 + 20 + 2 + 4 + 2));
}

TEST(InterpValues, OverflowReports) {
  for (Kind kind : int_kinds)
    for (unsigned number = 0; number < ir::op_count; ++number) {
      Op op = static_cast<Op>(number);
      if (ir::info(op).rule != TypeRule::overflow) continue;
      for (uint64_t b : words_of(kind)) {
        ir::Module m;
        Type elements[] = {of(kind), i1};
        Type tuple = m.types.tuple(elements);
        for (bool immediate : {false, true}) {
          ir::Function& f = m.add_function(m.symbol(immediate ? "i" : "r"), {{of(kind), of(kind)}, tuple});
          BlockId entry = f.new_block();
          Operand right = immediate ? m.constants.get(of(kind), b) : Operand::param(1);
          f.ret(entry, f.append(entry, f.make(op, tuple, {Operand::param(0), right})));
          Interpreter interpreter(m);
          for (uint64_t a : words_of(kind)) {
            Value values[] = {Value(of(kind), a), Value(of(kind), b)};
            uint64_t both[] = {a, b};
            ir::OverflowResult want = *ir::fold_overflow(op, kind, both);
            Outcome outcome = interpreter.run(f, values);
            ASSERT_EQ(outcome.value.elements.size(), 2u);
            ASSERT_EQ(outcome.value.elements[0].bits, want.value) << ir::info(op).text << " " << kind_name(kind);
            ASSERT_EQ(outcome.value.elements[1].as_bool(), want.overflow);
          }
        }
      }
    }
}

TEST(InterpValues, TuplesThroughPhisAndCalls) {
  Program p(R"(
func @pair(a: i64, b: f64) -> (i64, (f64, i1)) {
entry:
  %t = tuple (%b, i1 true)
  %r = tuple (%a, %t)
  ret %r
}
func @loop(n: i64) -> (i64, i64) {
entry:
  %t0 = tuple (i64 0, i64 1)
  jump head
head:
  %t = phi (i64, i64) [entry: %t0, body: %t2]
  %i = phi i64 [entry: 0, body: %i2]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %a = extract %t, 0
  %b = extract %t, 1
  %s = add i64 %a, %b
  %t2 = tuple (%b, %s)
  %i2 = add i64 %i, 1
  jump head
done:
  ret %t
}
func @deep(a: i64) -> f64 {
entry:
  %t = call @pair(%a, 0x1.8p+1)
  %u = extract %t, 1
  %v = extract %u, 0
  ret %v
}
func @pick(c: i1) -> (i64, i64) {
entry:
  %x = tuple (i64 1, i64 2)
  %y = tuple (i64 3, i64 4)
  %r = select (i64, i64) %c, %x, %y
  ret %r
}
func @take(t: (i64, f64)) -> i64 {
entry:
  %a = extract %t, 0
  ret %a
}
func @none() -> () {
entry:
  %t = tuple ()
  ret %t
}
)");
  EXPECT_EQ(p.run("pair", int64_t{7}, 2.5), "(7, (2.5, true))");
  EXPECT_EQ(p.run("loop", int64_t{10}), "(55, 89)") << "tuples that swap parts";
  EXPECT_EQ(p.run("deep", int64_t{1}), "3.0");
  EXPECT_EQ(p.run("pick", true), "(1, 2)");
  EXPECT_EQ(p.run("pick", false), "(3, 4)");
  EXPECT_EQ(p.run("none"), "()");
  Value tuple;
  tuple.type = tuple_type;
  tuple.elements = {Value(int64_t{5}), Value(1.0)};
  EXPECT_EQ(p.run_values("take", {tuple}), "5");
}

TEST(InterpValues, TuplesOfUnknownElements) {
  Program p(R"(
func @any(c: i1) -> tuple {
entry:
  branch %c, a, b
a:
  %x = tuple (i64 1, f64 0x1p-1)
  jump join
b:
  %y = tuple (i64 7)
  jump join
join:
  %t = phi tuple [a: %x, b: %y]
  ret %t
}
func @first(c: i1) -> i64 {
entry:
  %t = call @any(%c)
  %r = extract %t, 0 : i64
  ret %r
}
func @second(c: i1) -> f64 {
entry:
  %t = call @any(%c)
  %r = extract %t, 1 : f64
  ret %r
}
func @known(c: i1) -> i64 {
entry:
  %t = call @any(%c)
  %u = pi (i64,) %t
  %r = extract %u, 0
  ret %r
}
)");
  EXPECT_EQ(p.run("any", true), "(1, 0.5)");
  EXPECT_EQ(p.run("any", false), "(7)");
  EXPECT_EQ(p.run("first", true), "1");
  EXPECT_EQ(p.run("first", false), "7");
  EXPECT_EQ(p.run("second", true), "0.5");
  EXPECT_EQ(p.run("second", false), "traps: a tuple is not of the type that it is known to be of");
  EXPECT_EQ(p.run("known", false), "7");
  EXPECT_EQ(p.run("known", true), "traps: a value is not of the type that it is known to be of");
}

const char* mixed_program = R"(
func @join(c: i1) -> i64|f64 {
entry:
  branch %c, a, b
a:
  %x = add i64 1, 2
  jump join
b:
  %y = fadd f64 0x1p+0, 0x1p-1
  jump join
join:
  %r = phi i64|f64 [a: %x, b: %y]
  ret %r
}
func @constants(c: i1) -> i64|f64|null {
entry:
  branch %c, join, b
b:
  jump join
join:
  %r = phi i64|f64|null [entry: i64 7, b: f64 0x1p+0]
  ret %r
}
func @as_int(c: i1) -> i64 {
entry:
  %m = call @join(%c)
  %i = pi i64 %m
  %r = add i64 %i, 1
  ret %r
}
func @loop(n: i64) -> i64|f64 {
entry:
  jump head
head:
  %v = phi i64|f64 [entry: i64 1, body: %w]
  %w = phi i64|f64 [entry: f64 0x1p+1, body: %v]
  %i = phi i64 [entry: 0, body: %i2]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %i2 = add i64 %i, 1
  jump head
done:
  ret %v
}
func @variable(c: i1) -> i64|f64 {
  var x: i64|f64
entry:
  set x, i64 5
  branch %c, a, b
a:
  set x, f64 0x1p-1
  jump b
b:
  %r = get x
  ret %r
}
func @narrowed_call() -> i64 {
entry:
  %r = call @join(true) : i64
  ret %r
}
func @wrongly_narrowed() -> i64 {
entry:
  %r = call @join(false) : i64
  ret %r
}
func @in_tuple(c: i1) -> (i64|f64, i64) {
entry:
  %m = call @join(%c)
  %t = tuple (%m, i64 9)
  ret %t
}
func @tuple_or_int(c: i1) -> i64 {
entry:
  branch %c, a, b
a:
  %t = tuple (i64 4, i64 5)
  jump join
b:
  jump join
join:
  %m = phi i64|(i64, i64) [a: %t, b: i64 6]
  branch %c, as_tuple, as_int
as_tuple:
  %p = pi (i64, i64) %m
  %e = extract %p, 1
  ret %e
as_int:
  %q = pi i64 %m
  ret %q
}
func @selected(c: i1) -> i64|f64 {
entry:
  %r = select i64|f64 %c, i64 1, f64 0x1p-1
  ret %r
}
func @boxed(c: i1) -> i64|f64 {
entry:
  %m = call @join(%c)
  %b = box i64|f64 %m
  %u = unbox i64|f64 %b
  ret %u
}
)";

TEST(InterpValues, MixedValues) {
  Program p(mixed_program);
  EXPECT_EQ(p.run("join", true), "3");
  EXPECT_EQ(p.last.value, Value(int64_t{3}));
  EXPECT_EQ(p.run("join", false), "1.5");
  EXPECT_EQ(p.last.value, Value(1.5));
  EXPECT_EQ(p.run("constants", true), "7");
  EXPECT_EQ(p.run("constants", false), "1.0");
  EXPECT_EQ(p.run("as_int", true), "4");
  EXPECT_EQ(p.run("as_int", false), "traps: a mixed value is not of the type that it is known to be of");
  EXPECT_EQ(p.run("loop", int64_t{4}), "1");
  EXPECT_EQ(p.run("loop", int64_t{5}), "2.0") << "both registers of a mixed value move";
  EXPECT_EQ(p.run("variable", true), "0.5");
  EXPECT_EQ(p.run("variable", false), "5");
  EXPECT_EQ(p.run("narrowed_call"), "3");
  EXPECT_EQ(p.run("wrongly_narrowed"), "traps: a mixed value is not of the type that it is known to be of");
  EXPECT_EQ(p.run("in_tuple", true), "(3, 9)");
  EXPECT_EQ(p.run("in_tuple", false), "(1.5, 9)");
  EXPECT_EQ(p.run("tuple_or_int", true), "5");
  EXPECT_EQ(p.run("tuple_or_int", false), "6");
  EXPECT_EQ(p.run("selected", true), "1");
  EXPECT_EQ(p.run("selected", false), "0.5");
  EXPECT_EQ(p.run("boxed", true), "3");
  EXPECT_EQ(p.run("boxed", false), "1.5");
}

TEST(InterpValues, UndefFlowsButIsNotUsed) {
  Program p(R"(
func @f(c: i1, use: i1) -> i64 {
entry:
  branch %c, a, b
a:
  jump join
b:
  jump join
join:
  %x = phi i64 [a: 5]
  %p = pi i64 %x
  branch %use, yes, no
yes:
  %r = add i64 %p, 1
  ret %r
no:
  ret 0
}
func @mixed(c: i1) -> i64|f64 {
entry:
  branch %c, a, join
a:
  jump join
join:
  %x = phi i64 [a: 5]
  branch %c, go, stop
go:
  jump last
stop:
  jump last
last:
  %y = phi i64|f64 [go: %x, stop: %x]
  branch %c, out, other
out:
  ret %y
other:
  ret f64 0x1p+0
}
func @ret(c: i1) -> i64 {
entry:
  branch %c, a, join
a:
  jump join
join:
  %x = phi i64 [a: 5]
  ret %x
}
func @condition(c: i1) -> i64 {
entry:
  branch %c, a, join
a:
  jump join
join:
  %x = phi i1 [a: true]
  branch %x, yes, no
yes:
  ret 1
no:
  ret 0
}
)");
  EXPECT_EQ(p.run("f", true, true), "6");
  EXPECT_EQ(p.run("f", false, false), "0") << "undef flows through phi and pi";
  EXPECT_EQ(p.run("f", false, true), "traps: use of undef in @f");
  EXPECT_EQ(p.run("mixed", true), "5");
  EXPECT_EQ(p.run("mixed", false), "1.0");
  EXPECT_EQ(p.run("ret", true), "5");
  EXPECT_EQ(p.run("ret", false), "traps: use of undef in @ret");
  EXPECT_EQ(p.run("condition", true), "1");
  EXPECT_EQ(p.run("condition", false), "traps: use of undef in @condition");
}

TEST(InterpValues, UndefGoesRoundALoop) {
  Program p(R"(
func @ring(n: i64) -> i64 {
entry:
  jump head
head:
  %x = phi i64 [latch: %y]
  %i = phi i64 [entry: 0, latch: %i2]
  %c = slt i64 %i, %n
  branch %c, body, done
body:
  %first = eq i64 %i, 1
  branch %first, define, keep
define:
  jump latch
keep:
  jump latch
latch:
  %y = phi i64 [define: 40, keep: %x]
  %i2 = add i64 %i, 1
  jump head
done:
  %r = add i64 %x, 2
  ret %r
}
)");
  EXPECT_EQ(p.run("ring", int64_t{1}), "traps: use of undef in @ring");
  EXPECT_EQ(p.run("ring", int64_t{2}), "42");
  EXPECT_EQ(p.run("ring", int64_t{9}), "42");
}

TEST(InterpValues, VariablesAndWhatUndefinedMeans) {
  Program p(R"(
func @sum(n: i64) -> i64 {
  var s: i64
  var i: i64
entry:
  set s, 0
  set i, 1
  jump head
head:
  %i = get i
  %c = sle i64 %i, %n
  branch %c, body, done
body:
  %s = get s
  %s2 = add i64 %s, %i
  set s, %s2
  %i2 = add i64 %i, 1
  set i, %i2
  jump head
done:
  %r = get s
  ret %r
}
func @throws(c: i1) -> i64 {
  var x: i64
entry:
  branch %c, a, b
a:
  set x, 5
  jump b
b:
  %r = get x
  ret %r
}
func @zero(c: i1) -> (i64, i64|null, (f64, i1)) {
  var x: i64 zero
  var y: i64|null zero
  var z: (f64, i1) zero
entry:
  branch %c, a, b
a:
  %t = tuple (f64 0x1p+0, i1 true)
  set x, 5
  set y, i64 6
  set z, %t
  jump b
b:
  %x = get x
  %y = get y
  %z = get z
  %r = tuple (%x, %y, %z)
  ret %r
}
func @rejects(c: i1) -> i64 {
  var x: i64 reject
entry:
  branch %c, a, b
a:
  set x, 5
  jump b
b:
  %r = get x
  ret %r
}
func @made_undefined(c: i1) -> (i1, i1) {
  var x: i64
entry:
  %a = is_defined x
  set x, 1
  branch %c, undo, done
undo:
  set x, undef
  jump done
done:
  %b = is_defined x
  %r = tuple (%a, %b)
  ret %r
}
func @maybe(c: i1) -> (i1, i64) {
  var x: i64 zero
entry:
  set x, 9
  branch %c, a, join
a:
  jump join
join:
  %v = phi i64 [a: 5]
  set x, %v
  %d = is_defined x
  %g = get x
  %r = tuple (%d, %g)
  ret %r
}
func @maybe_throws(c: i1) -> i64 {
  var x: i64
entry:
  branch %c, a, join
a:
  jump join
join:
  %v = phi i64 [a: 5]
  set x, %v
  %g = get x
  ret %g
}
)");
  EXPECT_EQ(p.run("sum", int64_t{100}), "5050");
  EXPECT_EQ(p.run("throws", true), "5");
  EXPECT_EQ(p.run("throws", false), "throws undefined 'x'");
  EXPECT_EQ(p.run("zero", true), "(5, 6, (1.0, true))");
  EXPECT_EQ(p.run("zero", false), "(0, null, (0.0, false))");
  EXPECT_EQ(p.run("rejects", true), "5");
  EXPECT_EQ(p.run("rejects", false), "traps: undefined variable 'x'");
  EXPECT_EQ(p.run("made_undefined", true), "(false, false)");
  EXPECT_EQ(p.run("made_undefined", false), "(false, true)");
  EXPECT_EQ(p.run("maybe", true), "(true, 5)");
  EXPECT_EQ(p.run("maybe", false), "(false, 0)");
  EXPECT_EQ(p.run("maybe_throws", true), "5");
  EXPECT_EQ(p.run("maybe_throws", false), "throws undefined 'x'");
}

TEST(InterpValues, Checks) {
  Program p(R"(
func @null(p: ptr) -> i64 {
entry:
  %q = check_null ptr %p
  %r = ptrtoint ptr %q to i64
  ret %r
}
func @zero(x: i64) -> i64 {
entry:
  %q = check_zero i64 %x
  %r = sdiv i64 100, %q
  ret %r
}
func @negative(x: i8) -> i8 {
entry:
  %q = check_negative i8 %x
  ret %q
}
func @negative_bit(x: i1) -> i1 {
entry:
  %q = check_negative i1 %x
  ret %q
}
func @bounds(i: i64, n: i64) -> i64 {
entry:
  %q = check_bounds i64 %i, %n
  ret %q
}
func @overflow(a: i32, b: i32) -> i32 {
entry:
  %t = sadd_overflow i32 %a, %b
  %q = check_overflow i32 %t
  ret %q
}
func @assertion(c: i1) -> void {
entry:
  check_true %c
  ret
}
func @undefined(c: i1) -> void {
entry:
  throw_undef "some name", %c
  ret
}
func @promise(x: i64) -> i64 {
entry:
  %q = check_zero i64 %x !nothrow
  ret %q
}
)");
  EXPECT_EQ(p.run_values("null", {Value(ptr, 64)}), "64");
  EXPECT_EQ(p.run_values("null", {Value(ptr, 0)}), "throws null");
  EXPECT_EQ(p.run("zero", int64_t{7}), "14");
  EXPECT_EQ(p.run("zero", int64_t{0}), "throws zero");
  EXPECT_EQ(p.run("negative", int8_t{0}), "0");
  EXPECT_EQ(p.run("negative", int8_t{-1}), "throws negative");
  EXPECT_EQ(p.run("negative_bit", false), "false");
  EXPECT_EQ(p.run("negative_bit", true), "throws negative") << "a true i1 is -1";
  EXPECT_EQ(p.run("bounds", int64_t{4}, int64_t{5}), "4");
  EXPECT_EQ(p.run("bounds", int64_t{5}, int64_t{5}), "throws bounds");
  EXPECT_EQ(p.run("bounds", int64_t{-1}, int64_t{5}), "throws bounds");
  EXPECT_EQ(p.run("bounds", int64_t{0}, int64_t{-5}), "throws bounds");
  EXPECT_EQ(p.run("overflow", int32_t{2000000000}, int32_t{5}), "2000000005");
  EXPECT_EQ(p.run("overflow", int32_t{2000000000}, int32_t{2000000000}), "throws overflow");
  EXPECT_EQ(p.run("assertion", true), "void");
  EXPECT_EQ(p.run("assertion", false), "throws assertion");
  EXPECT_EQ(p.run("undefined", true), "void");
  EXPECT_EQ(p.run("undefined", false), "throws undefined 'some name'");
  EXPECT_EQ(p.run("promise", int64_t{1}), "1");
  EXPECT_EQ(p.run("promise", int64_t{0}), "traps: a statement throws 'zero' where it is said not to");
}

TEST(InterpValues, BoxesAndReferences) {
  Program p(R"(
func @box(x: i64) -> ref {
entry:
  %b = box i64 %x
  ret %b
}
func @tuple(x: i64) -> (i64, f64) {
entry:
  %t = tuple (%x, f64 0x1p+0)
  %b = box (i64, f64) %t
  %u = unbox (i64, f64) %b
  ret %u
}
func @identity(x: i64) -> (i1, i1) {
entry:
  %a = box i64 %x
  %b = box i64 %x
  %e = eq ref %a, %b
  %f = eq ref %a, %a
  %r = tuple (%e, %f)
  ret %r
}
func @cast(x: i64) -> i32 {
entry:
  %a = box i64 %x
  %u = unbox i32 %a
  ret %u
}
func @null() -> ref {
entry:
  ret null
}
)");
  EXPECT_EQ(p.run("box", int64_t{5}), "box 5");
  EXPECT_EQ(p.run("tuple", int64_t{5}), "(5, 1.0)");
  EXPECT_EQ(p.run("identity", int64_t{5}), "(false, true)");
  EXPECT_EQ(p.run("cast", int64_t{5}), "throws cast");
  EXPECT_EQ(p.run("null"), "null");
}

}  // namespace
}  // namespace braid::interp
