// The Julia style: gutter, value column, symbols.
#include "text/print_julia.h"

#include "ir/compact.h"
#include "text_testing.h"
#include "verify_testing.h"

namespace braid::text {
namespace {

using namespace ir;

std::string julia(const std::string& text, bool colour = false) {
  std::unique_ptr<Module> module = parsed(text);
  if (!module) return {};
  std::string out;
  for (uint32_t i = 0; i < module->function_count(); ++i)
    append_julia(out, module->function(static_cast<FuncId>(i)), colour);
  return out;
}

TEST(Julia, FloatsAsInJulia) {
  const std::string text = julia(R"(func @f(x: f64, y: f32) -> void {
entry:
  %0 = tuple (%x, f64 0.0, f64 -0.0, f64 1.5, f64 100000, f64 123456.5, f64 1000000, f64 -1234567)
  %1 = tuple (%x, f64 0.0001, f64 0.00001, f64 0.000123, f64 1e100, f64 5e-324, f64 inf, f64 -inf, f64 nan)
  %2 = tuple (%y, f32 0.5, f32 100000, f32 3e10, f32 -1e-5, f32 inf, f32 -inf, f32 nan)
  ret
}
)");
  EXPECT_NE(text.find("tuple(_1, 0.0, -0.0, 1.5, 100000.0, 123456.5, 1.0e6, -1.234567e6)"), std::string::npos) << text;
  EXPECT_NE(text.find("tuple(_1, 0.0001, 1.0e-5, 0.000123, 1.0e100, 5.0e-324, Inf, -Inf, NaN)"), std::string::npos) << text;
  EXPECT_NE(text.find("tuple(_2, 0.5f0, 100000.0f0, 3.0f10, -1.0f-5, Inf32, -Inf32, NaN32)"), std::string::npos) << text;
}

TEST(Julia, StringsStandInQuotes) {
  EXPECT_EQ(julia("language php\nfunc @f(x: string) -> string {\nentry:\n  %0 = dyn.concat %x, string \"a\\\"b\"\n  ret %0\n}\n"),
            "1 ─ %1 = dynamic builtin dyn.concat(_1, \"a\\\"b\")::string\n"
            "└──      return %1\n");
}

/// Only surgery makes such a function.
TEST(Julia, AStatementInNoBlock) {
  std::unique_ptr<Module> module = parsed("func @f(x: i64) -> i64 {\nentry:\n  %0 = neg i64 %x\n  ret %0\n}\n");
  Function& f = *module->find_function("f");
  f.append(Function::entry(), f.make(Op::add, i64, {Operand::param(0), static_cast<Ref>(0)}));
  --FunctionSurgery::block(f, Function::entry()).end;
  EXPECT_EQ(to_julia(f),
            "1 ─ %1 = intrinsic neg(_1)::i64\n"
            "└──      return %1\n"
            "!!! ─      intrinsic add(_1, %1)::i64\n");
}

TEST(Julia, BranchAndPhi) {
  EXPECT_EQ(julia(R"(extern @sin(f64) -> f64
extern @cos(f64) -> f64
func @f(x: f64) -> f64 {
entry:
  %0 = call @sin(%x)
  %1 = flt f64 5, %x
  branch %1, then, join
then:
  %3 = call @cos(%x)
  %4 = fadd f64 %0, %3
  jump join
join:
  %6 = phi f64 [then: %4, entry: %0]
  %7 = fadd f64 7.5, %6
  ret %7
}
)"),
            "1 ─ %1 =    invoke sin(_1::f64)::f64\n"
            "│   %2 = intrinsic flt(5.0, _1)::i1\n"
            "└──      goto #3 if not %2\n"
            "2 ─ %4 =    invoke cos(_1::f64)::f64\n"
            "│   %5 = intrinsic fadd(%1, %4)::f64\n"
            "└──      goto #3\n"
            "3 ┄ %7 = φ (#1 => %1, #2 => %5)::f64\n"
            "│   %8 = intrinsic fadd(7.5, %7)::f64\n"
            "└──      return %8\n");
}

/// The first target does not come next: a line of its own says where to go.
TEST(Julia, ExplicitTargets) {
  EXPECT_EQ(julia(R"(func @f(c: i1) {
entry:
  branch %c, two, one
one:
  jump two
two:
  ret
}
)"),
            "1 ─     goto #2 if not _1\n"
            "└──     goto #3\n"
            "2 ─     goto #3\n"
            "3 ┄     return nothing\n");
}

TEST(Julia, Exceptions) {
  EXPECT_EQ(julia(R"(extern @opaque() -> void
func @foo() -> (i64, i64) {
entry:
  nothing
  %1 = upsilon i64 undef
  %2 = upsilon i1 false
  %3 = upsilon i64 1
  %4 = enter handler, body
body:
  %5 = upsilon i64 2
  %6 = upsilon i1 true
  call @opaque()
  leave %4
  jump out
handler:
  %10 = phi_c i64 [%1, %5]
  %11 = phi_c i1 [%2, %6]
  %12 = phi_c i64=1 [%3]
  %13 = the_exception
  pop_exception %4
  throw_undef "y", %11
  %16 = pi i64[0..9] %10
  %17 = tuple (%12, %16)
  ret %17
out:
  unreachable
}
)"),
            "1 ─       nothing::Nothing\n"
            "│   %2  = ϒ (#undef)::i64\n"
            "│   %3  = ϒ (false)::i1\n"
            "│   %4  = ϒ (1)::i64\n"
            "└── %5  = enter #3\n"
            "2 ─ %6  = ϒ (2)::i64\n"
            "│   %7  = ϒ (true)::i1\n"
            "│            invoke opaque()::Nothing\n"
            "│         $(Expr(:leave, :(%5)))\n"
            "└──       goto #4\n"
            "3 ┄ %11 = φᶜ (%2, %6)::i64\n"
            "│   %12 = φᶜ (%3, %7)::i1\n"
            "│   %13 = φᶜ (%4)::i64=1\n"
            "│         $(Expr(:the_exception))::ref\n"
            "│         $(Expr(:pop_exception, :(%5)))::Nothing\n"
            "│         $(Expr(:throw_undef_if_not, :y, :(%12)))::Nothing\n"
            "│   %17 = π (%11, i64[0..9])\n"
            "│   %18 =   builtin tuple(%13, %17)::(i64, i64)\n"
            "└──       return %18\n"
            "4 ─       unreachable\n");
}

TEST(Julia, TwoDigitsOfBlocks) {
  std::string text = "func @f() {\nb0:\n  nothing\n  nothing\n";
  for (int i = 1; i < 10; ++i) text += "  jump b" + std::to_string(i) + "\nb" + std::to_string(i) + ":\n";
  text += "  ret\n}\n";
  std::string out = julia(text);
  EXPECT_TRUE(out.starts_with("1 ──     nothing::Nothing\n"
                              "│        nothing::Nothing\n"
                              "└───     goto #2\n"
                              "2 ──     goto #3\n"))
      << out;
  EXPECT_TRUE(out.ends_with("10 ─     return nothing\n")) << out;
}

TEST(Julia, BufferedStatementsStandInPlace) {
  const std::string text = R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  +> %+0 = mul i64 %0, 2
  +< %+1 = neg i64 %+0
  %1 = sub i64 %0, %+1
  ret %1
}
)";
  EXPECT_EQ(julia(text),
            "1 ─ %1 = intrinsic add(_1, 1)::i64\n"
            "│   %4 = intrinsic mul(%1, 2)::i64\n"
            "│   %5 = intrinsic neg(%4)::i64\n"
            "│   %2 = intrinsic sub(%1, %5)::i64\n"
            "└──      return %2\n");
  EXPECT_NE(julia(text, true).find("│   \x1b[32m%4 = intrinsic mul(%1, 2)::i64\x1b[39m\n"), std::string::npos);
}

TEST(Julia, OtherOperations) {
  EXPECT_EQ(julia(R"(global @g: 8
intrinsic sat.add(i64) -> i64 pure
func @f(p: ptr, r: ref) -> i64 {
  var v: i64
entry:
  set v, 5
  %1 = get v
  %2 = is_defined v
  %3 = load i64 %p
  store i64 %3, %p
  %5 = sitofp i64 %3 to f32
  %6 = fadd f32 %5, 0.5
  %7 = sat.add(%3)
  %8 = call_indirect (i64) -> i64 %p(%7)
  %9 = global_addr @g
  %10 = same i64 %8
  %11 = save_state 3 reexecute [0: %10]
  switch i64 %10, other, [1: one, -2: one]
one:
  throw %r
other:
  deopt %11
}
)"),
            "1 ─       (v = 5)::i64\n"
            "│         v::i64\n"
            "│         $(Expr(:isdefined, :v))::i1\n"
            "│   %4  =   builtin load(_1)::i64\n"
            "│           builtin store(%4, _1)::Nothing\n"
            "│   %6  = intrinsic sitofp(f32, %4)::f32\n"
            "│         intrinsic fadd(%6, 0.5f0)::f32\n"
            "│   %8  = intrinsic sat.add(%4)::i64\n"
            "│   %9  =   dynamic _1(%8)::i64\n"
            "│           builtin global_addr(g)::ptr\n"
            "│   %11 = %9::i64\n"
            "│   %12 =   builtin save_state(3, 0, #undef, 0, %11)::state\n"
            "└──       switch %11 (1 => #2, -2 => #2, else => #3)\n"
            "2 ┄         builtin throw(_2)::Union{}\n"
            "3 ─         builtin deopt(%12)::Union{}\n");
}

/// What is called is known, or there is no such thing: only a corrupt function has one.
TEST(Julia, CallsOfWhatIsKnownAndUnknown) {
  std::unique_ptr<Module> module = parsed("func @f(p: ptr) -> i64 {\nentry:\n  %0 = func_addr @f\n"
                                          "  %1 = call_indirect (ptr) -> i64 %0(%p)\n"
                                          "  %2 = call_indirect (ptr) -> i64 %p(%p)\n  %3 = call @f(%p)\n  ret %3\n}\n");
  Function& f = *module->find_function("f");
  EXPECT_EQ(to_julia(f),
            "1 ─ %1 =   builtin func_addr(f)::ptr\n"
            "│        dynamic invoke %1(_1)::i64\n"
            "│          dynamic _1(_1)::i64\n"
            "│   %4 =    invoke f(_1::ptr)::i64\n"
            "└──      return %4\n");
  uint32_t nobody[] = {99, Operand::param(0).word()};
  f.overwrite(static_cast<Ref>(3), f.make(Op::call, i64, nobody));
  uint32_t nothing[] = {f.arg(f.stmt(static_cast<Ref>(2)), 0), Operand(static_cast<Ref>(77)).word()};
  f.overwrite(static_cast<Ref>(2), f.make(Op::call_indirect, i64, nothing));
  std::string out = to_julia(f);
  EXPECT_NE(out.find("  unknown (_1::ptr)::i64\n"), std::string::npos) << out;
  EXPECT_NE(out.find("  unknown %78()::i64\n"), std::string::npos) << out;
}

/// By itself: nobody sees blocks there, so that statements name what they lead to and come from.
TEST(Julia, OneStatement) {
  std::unique_ptr<Module> module = parsed(R"(func @f(a: i64, b: i64, x: i64) -> i64 {
one:
  branch true, two, three
two:
  jump three
three:
  %2 = phi i64 [one: %x, two: 1]
  %3 = add i64 %2, 1
  switch i64 %3, two2, [1: three2]
two2:
  ret %3
three2:
  ret %2
}
)");
  const Function& f = *module->find_function("f");
  auto one = [&](uint32_t i) { return to_julia(f, static_cast<Ref>(i)); };
  EXPECT_EQ(one(0), "goto %3 if not true");
  EXPECT_EQ(one(1), "goto %3");
  EXPECT_EQ(one(2), "φ (%1 => _3, %2 => 1)");
  EXPECT_EQ(one(3), "intrinsic add(%3, 1)");
  EXPECT_EQ(one(4), "switch %4 (1 => %7, else => %6)");
  EXPECT_EQ(one(5), "return %4");
}

const std::string loop_text = R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  jump head
head:
  %2 = phi i64 [entry: %0, body: %5]
  %3 = slt i64 %2, 100
  branch %3, body, done
body:
  %5 = add i64 %2, %0
  jump head
done:
  ret %2
}
)";
std::string rule(int old_digits) {
  std::string line;
  for (int i = 0; i < 79 - old_digits; ++i) line += "─";
  return line + "\n";
}

/// The block under way goes on below the rule, and what only the other side uses shows its number.
TEST(Julia, CompactionUnderWay) {
  std::unique_ptr<Module> module = parsed(loop_text);
  Function& f = *module->find_function("f");
  const std::string whole = to_julia(f);
  Compact walk(f);
  EXPECT_EQ(to_julia(walk), rule(1) + whole);
  walk.next();
  EXPECT_EQ(to_julia(walk),
            "1 ─ %1 = intrinsic add(_1, 1)::i64\n" + rule(1) +
                "└──      goto #2\n"
                "2 ┄ %3 = φ (#1 => %1, #3 => %6)::i64\n"
                "│   %4 = intrinsic slt(%3, 100)::i1\n"
                "└──      goto #4 if not %4\n"
                "3 ─ %6 = intrinsic add(%3, %1)::i64\n"
                "└──      goto #2\n"
                "4 ─      return %3\n");
  for (int i = 0; i < 3; ++i) walk.next();
  EXPECT_EQ(to_julia(walk),
            "1 ─ %1 = intrinsic add(_1, 1)::i64\n"
            "└──      goto #2\n"
            "2 ┄ %3 = φ (#1 => %1, #3 => OldSSAValue(6))::i64\n"
            "│   %4 = intrinsic slt(%3, 100)::i1\n" +
                rule(1) +
                "└──      goto #4 if not %4\n"
                "3 ─ %6 = intrinsic add(%3, %1)::i64\n"
                "└──      goto #2\n"
                "4 ─      return %3\n");
  while (walk.next()) {}
  EXPECT_EQ(to_julia(walk), whole + rule(1));
  walk.finish();
  EXPECT_EQ(to_julia(f), whole);
}

/// Numbers above the rule are those of the result, below it the old ones; names from the other side say so.
TEST(Julia, CompactionWithEdits) {
  std::unique_ptr<Module> module = parsed("func @f(n: i64) -> i64 {\nentry:\n  nothing\n  %1 = add i64 %n, 1\n"
                                          "  %2 = mul i64 %1, 2\n  %3 = sub i64 %2, %1\n  ret %3\n}\n");
  Function& f = *module->find_function("f");
  Compact walk(f);
  ASSERT_TRUE(walk.next());
  auto words_of = [](std::initializer_list<Operand> operands) {
    std::vector<uint32_t> words;
    for (Operand operand : operands) words.push_back(operand.word());
    return words;
  };
  std::vector<uint32_t> words = words_of({Operand::param(0)});
  NewRef behind = walk.insert_before(walk.here(), {Op::neg, i64, words});
  words = words_of({walk.here(), behind});
  walk.insert_after(static_cast<OldRef>(2), {Op::xor_, i64, words});
  words = words_of({walk.here()});
  walk.insert_here({Op::not_, i64, words});
  const std::string text =
      "1 ─ %3 = intrinsic neg(_1)::i64\n"
      "│   %1 = intrinsic add(_1, 1)::i64\n"
      "│        intrinsic not(%1)::i64\n" +
      rule(1) +
      "│   %3 = intrinsic mul(%2, 2)::i64\n"
      "│        intrinsic xor(NewSSAValue(1), NewSSAValue(-1))::i64\n"
      "│   %4 = intrinsic sub(%3, %2)::i64\n"
      "└──      return %4\n";
  EXPECT_EQ(to_julia(walk), text);
  const std::string coloured = to_julia(walk, true);
  EXPECT_NE(coloured.find("\x1b[32m%3 = intrinsic neg(_1)::i64\x1b[39m\n"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\x1b[32m     intrinsic xor"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\x1b[31m" + rule(1).substr(0, rule(1).size() - 1) + "\x1b[39m\n"), std::string::npos) << coloured;
  walk.finish();
  EXPECT_TRUE(verify(f).empty());
}

/// Blocks that cannot be reached are on neither side.
TEST(Julia, CompactionWithoutUnreachableBlocks) {
  std::unique_ptr<Module> module = parsed("func @f(n: i64) -> i64 {\nentry:\n  jump last\nlost:\n  jump last\n"
                                          "last:\n  %2 = phi i64 [entry: 1, lost: 2]\n  %3 = add i64 %2, %n\n  ret %3\n}\n");
  Compact walk(*module->find_function("f"));
  walk.next();
  EXPECT_EQ(to_julia(walk),
            "1 ─     goto #3\n" + rule(1) +
                "3 ─ %3 = φ (#1 => 1)::i64\n"
                "│   %4 = intrinsic add(%3, _1)::i64\n"
                "└──      return %4\n");
  walk.finish();
}

}  // namespace
}  // namespace braid::text
