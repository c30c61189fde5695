// What is printed reads back as the same program.
#include <set>

#include "ir/order.h"
#include "text_testing.h"

namespace braid::text {
namespace {

using namespace ir;

TEST(RoundTrip, Samples) {
  for (const auto& path : sample_files()) {
    SCOPED_TRACE(path.string());
    std::unique_ptr<Module> module = parsed(read_all(path));
    ASSERT_NE(module, nullptr);
    expect_round_trip(*module);
    // Statements of a file stand in the order of their numbers, so one printing is enough.
    std::string text = to_text(*module);
    EXPECT_EQ(to_text(*parsed(text)), text);
  }
}

TEST(RoundTrip, SamplesUseEveryOperation) {
  std::set<Op> used;
  for (const auto& path : sample_files()) {
    std::unique_ptr<Module> module = parsed(read_all(path));
    ASSERT_NE(module, nullptr);
    for (uint32_t i = 0; i < module->function_count(); ++i) {
      const Function& f = module->function(static_cast<FuncId>(i));
      for (uint32_t k = 0; k < f.dense_count(); ++k) used.insert(f.op(f.from_dense(k)));
    }
  }
  for (unsigned i = 0; i < op_count; ++i)
    EXPECT_TRUE(used.contains(static_cast<Op>(i))) << op_table[i].text;
}

/// One function to build on.
class Built : public ::testing::Test {
 protected:
  Module m;
  Function& f = m.add_function(m.symbol("f"), {{i64, i1}, i64});
  BlockId block(std::string_view name = {}) {
    return f.new_block(name.empty() ? none_id<Symbol> : m.symbol(name));
  }
  Operand append(BlockId b, Op op, Type type, std::initializer_list<Operand> operands) {
    return f.append(b, f.make(op, type, operands));
  }
  Operand number(int64_t value) { return m.constant(i64, value); }
  const Operand n = Operand::param(0), c = Operand::param(1);
  std::string text() { return to_text(f); }
};

TEST_F(Built, UnnamedBlocksAndParametersAreCounted) {
  BlockId first = block(), second = block();
  Operand sum = append(first, Op::add, i64, {n, number(1)});
  f.jump(first, second);
  f.ret(second, sum);
  EXPECT_EQ(text(),
            "func @f(arg0: i64, arg1: i1) -> i64 {\n"
            "b0:\n"
            "  %0 = add i64 %arg0, 1\n"
            "  jump b1\n"
            "b1:\n"
            "  ret %0\n"
            "}\n");
  expect_round_trip(m);
}

TEST_F(Built, StatementsOutOfOrderAreNamedByPosition) {
  BlockId first = block("first"), second = block("second");
  Operand late = append(second, Op::mul, i64, {n, n});
  Operand early = append(first, Op::tuple, m.types.tuple(std::vector<Type>{i64}), {late});
  append(first, Op::extract, i64, {early, Operand::from_word(0)});
  append(second, Op::add, i64, {late, late});
  f.jump(first, second);
  f.ret(second, late);
  EXPECT_EQ(text(),
            "func @f(arg0: i64, arg1: i1) -> i64 {\n"
            "first:\n"
            "  %1 = tuple (%0) : (i64,)\n"
            "  %2 = extract %1, 0\n"
            "  jump second\n"
            "second:\n"
            "  %0 = mul i64 %arg0, %arg0\n"
            "  %3 = add i64 %0, %0\n"
            "  ret %0\n"
            "}\n");
  expect_round_trip(m);
}

TEST_F(Built, DeadEdgesAreNotListed) {
  BlockId entry = block("entry"), a = block("a"), b = block("b"), join = block("join");
  f.branch(entry, c, a, b);
  f.jump(a, join);
  f.jump(b, join);
  Operand phi = append(join, Op::phi, i64, {number(1), number(2)});
  f.ret(join, phi);
  EdgeId dead{};
  f.for_each_succ(entry, [&](EdgeId e) { dead = e; });
  f.remove_edge(dead);
  f.for_each_succ(b, [&](EdgeId e) { dead = e; });
  f.remove_edge(dead);
  EXPECT_NE(text().find("entry:\n  jump a\n"), std::string::npos) << text();
  EXPECT_NE(text().find("b:\n  unreachable\n"), std::string::npos) << text();
  EXPECT_NE(text().find("phi i64 [a: 1]\n"), std::string::npos) << text();
  expect_round_trip(m);
}

/// Which edges of a switch die, and what is left of it.
TEST_F(Built, SwitchWithDeadEdges) {
  BlockId entry = block("entry"), a = block("a"), join = block("join");
  std::vector<Function::Case> cases = {{number(1), join}, {number(2), a}, {number(3), join}};
  f.switch_on(entry, n, join, cases);
  Operand phi = append(join, Op::phi, i64, {number(10), number(11), number(13)});
  f.ret(join, phi);
  f.ret(a, n);
  auto kill = [&](uint32_t operand) { f.remove_edge(static_cast<EdgeId>(f.arg(f.stmt(f.terminator(entry)), operand))); };
  EXPECT_NE(text().find("switch i64 %arg0, join, [1: join, 2: a, 3: join]\n"), std::string::npos) << text();
  EXPECT_NE(text().find("phi i64 [entry: 10, entry: 11, entry: 13]\n"), std::string::npos) << text();
  expect_round_trip(m);
  kill(1);
  EXPECT_NE(text().find("switch i64 %arg0, join, [1: join, 2: a]\n"), std::string::npos) << text();
  // The edge of the last case is the default now, and defaults come first.
  EXPECT_NE(text().find("phi i64 [entry: 13, entry: 11]\n"), std::string::npos) << text();
  expect_round_trip(m);
  kill(7);
  EXPECT_NE(text().find("switch i64 %arg0, a, [1: join]\n"), std::string::npos) << text();
  expect_round_trip(m);
  kill(3);
  EXPECT_NE(text().find("switch i64 %arg0, a, []\n"), std::string::npos) << text();
  kill(5);
  EXPECT_NE(text().find("entry:\n  unreachable\n"), std::string::npos) << text();
  expect_round_trip(m);
}

TEST_F(Built, HandlerThatIsGone) {
  BlockId entry = block("entry"), handler = block("handler"), body = block("body");
  Operand token = f.enter(entry, handler, body);
  f.unreachable(handler);
  append(body, Op::leave, void_type, {token});
  f.ret(body, n);
  EXPECT_NE(text().find("%0 = enter handler, body\n"), std::string::npos) << text();
  f.remove_edge(static_cast<EdgeId>(f.arg(f.stmt(token), 0)));
  EXPECT_NE(text().find("%0 = enter none, body\n"), std::string::npos) << text();
  expect_round_trip(m);
}

TEST_F(Built, ReplacedAndErased) {
  BlockId entry = block("entry");
  Operand a = append(entry, Op::add, i64, {n, number(1)});
  Operand b = append(entry, Op::add, i64, {a, number(2)});
  Operand d = append(entry, Op::add, i64, {b, number(3)});
  f.ret(entry, d);
  f.replace(a, n);
  f.erase(b);
  // A use of the erased statement remains: it has a name, though it has no value.
  EXPECT_NE(text().find("%0 = same i64 %arg0\n  %1 = nothing\n  %2 = add i64 %1, 3\n"), std::string::npos) << text();
  expect_round_trip(m);
  f.set_operand(d, 0, Operand::erased());
  EXPECT_NE(text().find("%2 = add i64 %erased, 3\n"), std::string::npos) << text();
  EXPECT_EQ(errors_of(text()), "5:16: an operand that was erased cannot be read\n");
}

TEST_F(Built, InsertionBuffer) {
  BlockId entry = block("entry"), open = block("open");
  Operand a = append(entry, Op::add, i64, {n, number(1)});
  f.jump(entry, open);
  NewRef first = f.insert(f.after(a), f.make(Op::mul, i64, {a, a}));
  NewRef second = f.insert(f.before(first), f.make(Op::neg, i64, {a}));
  f.insert(f.after(a), f.make(Op::not_, i64, {second}));
  f.insert(f.after(second), f.make(Op::store, void_type, {second, m.constant(ptr, 16)}));
  f.insert(f.phis_of(open), f.make(Op::phi, i64, {first}));
  f.insert(f.at_end(open), f.make(Op::sub, i64, {first, second}));
  EXPECT_EQ(text(),
            "func @f(arg0: i64, arg1: i1) -> i64 {\n"
            "entry:\n"
            "  %0 = add i64 %arg0, 1\n"
            "  +<(%+0) %+1 = neg i64 %0\n"
            "  +>(%+1) %+3 = store i64 %+1, 0x10\n"
            "  +> %+0 = mul i64 %0, %0\n"
            "  +> %+2 = not i64 %+1\n"
            "  jump open\n"
            "open:\n"
            "  +phi %+4 = phi i64 [entry: %+0]\n"
            "  +end %+5 = sub i64 %+0, %+1\n"
            "}\n");
  expect_round_trip(m);
  // Numbers stay as the text has them.
  std::unique_ptr<Module> again = parsed(text());
  EXPECT_EQ(to_text(*again), text());
}

TEST(Buffered, NumbersFollowTheTextWhereTheyCannotStay) {
  std::string text = R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  +> %+7 = mul i64 %0, 2
  +>(%+9) store i64 %+3, 0x10
  +> %+3 = mul i64 %+7, 3
  +> %+9 = mul i64 %+3, 4
  ret %0
}
)";
  std::unique_ptr<Module> module = parsed(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(to_text(*module), R"(func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  +> %+0 = mul i64 %0, 2
  +> %+1 = mul i64 %+0, 3
  +> %+2 = mul i64 %+1, 4
  +>(%+2) %+3 = store i64 %+1, 0x10
  ret %0
}
)");
  expect_round_trip(*module);
}

TEST_F(Built, NamesThatCannotStand) {
  BlockId a = block("same"), b = block("same"), d = block("b7"), e = block("a b"), g = block("none");
  f.param_names = {m.symbol("x"), m.symbol("x")};
  f.variables.push({m.symbol("v"), i64, UndefMeaning::zero});
  f.variables.push({m.symbol("v"), f64, UndefMeaning::throws});
  f.variables.push({m.symbol("var.0"), i64, UndefMeaning::reject});
  f.jump(a, b);
  f.jump(b, d);
  f.jump(d, e);
  f.enter(e, g, g);
  f.ret(g, n);
  EXPECT_EQ(text(),
            "func @f(x: i64, arg1 \"x\": i1) -> i64 {\n"
            "  var v: i64 zero\n"
            "  var var.1 \"v\": f64\n"
            "  var var.2 \"var.0\": i64 reject\n"
            "same:\n"
            "  jump b1\n"
            "b1 \"same\":\n"
            "  jump b2\n"
            "b2 \"b7\":\n"
            "  jump b3\n"
            "b3 \"a b\":\n"
            "  enter b4, b4\n"
            "b4 \"none\":\n"
            "  ret %x\n"
            "}\n");
  expect_round_trip(m);
}

TEST_F(Built, IllTypedLiteralsBringTheirType) {
  BlockId entry = block("entry");
  append(entry, Op::add, i64, {n, m.constant(i32, 5)});
  append(entry, Op::slt, i1, {m.constant(i32, 5), number(7)});
  append(entry, Op::add, none, {n, number(1)});
  append(entry, Op::store, void_type, {Operand::undef(), m.constant(i64, 7)});
  append(entry, Op::check_true, i64, {number(1)});
  f.ret(entry, m.constant(f64, 0));
  EXPECT_EQ(text(),
            "func @f(arg0: i64, arg1: i1) -> i64 {\n"
            "entry:\n"
            "  %0 = add i64 %arg0, i32 5\n"
            "  %1 = slt i32 5, i64 7\n"
            "  %2 = add none %arg0, i64 1\n"
            "  store none undef, i64 7\n"
            "  %4 = check_true i64 1 : i64\n"
            "  ret f64 0x0p+0\n"
            "}\n");
  expect_round_trip(m);
}

/// Functions that no verifier accepts can still be shown.
TEST_F(Built, NonsenseIsPrinted) {
  BlockId entry = block("entry");
  auto word = [](uint32_t w) { return Operand::from_word(w); };
  append(entry, Op::call, i64, {word(99), n});
  append(entry, Op::call, i64, {});
  append(entry, Op::intrinsic, i64, {word(99)});
  append(entry, Op::get, i64, {word(99)});
  append(entry, Op::global_addr, ptr, {word(99)});
  append(entry, Op::throw_undef, void_type, {word(99), c});
  append(entry, Op::call_indirect, i64, {word(99), n});
  append(entry, Op::add, i64, {n});
  append(entry, Op::add, i64, {n, n, n});
  append(entry, Op::extract, i64, {static_cast<Ref>(99), word(0)});
  append(entry, Op::slt, i1, {Operand::param(99), static_cast<NewRef>(99)});
  append(entry, Op::add, Type{Type::table_bit | 99}, {n, Operand::make(Operand::Tag::constant, 99)});
  append(entry, Op::add, Type{1u << 30}, {n, static_cast<OldRef>(7)});
  append(entry, Op::phi, i64, {n, n});
  std::string out = text();
  EXPECT_NE(out.find("%1 = call\n"), std::string::npos) << out;
  EXPECT_NE(out.find("%10 = slt none %arg99, %+99\n"), std::string::npos) << out;
  for (uint32_t i = 0; i < f.size(); ++i) {
    std::string one;
    append_statement(one, f, static_cast<Ref>(i));
    EXPECT_NE(out.find("  " + one + "\n"), std::string::npos) << one;
  }
}

TEST(Equal, SeesDifferences) {
  const std::string base = R"(class @A
global @g: 8
func @f(n: i64, c: i1) -> i64 {
  var v: i64
entry:
  %0 = add i64 %n, 1 !1:2
  +> %+0 = add i64 %0, 2
  branch %c, a, b !impossible b
a:
  %2 = check_zero i64 %0 !nothrow
  jump b
b:
  %4 = phi i64 [entry: 1, a: %2]
  %5 = eq i64 %4, 0
  ret %4
}
)";
  const std::pair<std::string, std::string> changes[] = {
      {"class @A", "class @B"},
      {"global @g: 8", "global @g: 8 const"},
      {"@f(n", "@g(n"},
      {"n: i64, c", "m: i64, c"},
      {"var v: i64", "var v: i64 zero"},
      {"var v: i64", "var w: i64"},
      {"add i64 %n", "sub i64 %n"},
      {", 1 !1:2", ", 2 !1:2"},
      {"!1:2", "!1:3"},
      {"!1:2", "!\"f\":1:2"},
      {"+> %+0", "+< %+0"},
      {"branch %c, a, b", "branch %c, b, a"},
      {" !impossible b", ""},
      {" !nothrow", ""},
      {"[entry: 1, a: %2]", "[entry: 1, a: %0]"},
      {"[entry: 1, a: %2]", "[a: %2]"},
      {"eq i64 %4, 0", "eq i64 %4, 0 : i1=1"},
      {"\na:\n", "\nb1:\n"},
      {"ret %4", "ret %0"},
  };
  std::unique_ptr<Module> first = parsed(base);
  EXPECT_TRUE(ir_equal(*first, *parsed(base)));
  for (auto [from, to] : changes) {
    std::string text = base;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    if (from == "\na:\n") {
      text.replace(text.find("c, a, b"), 7, "c, b1, b");
      text.replace(text.find("1, a: %2"), 8, "1, b1: %2");
    }
    if (from == "n: i64, c") text.replace(text.find("%n,"), 3, "%m,");
    std::unique_ptr<Module> second = parsed(text);
    ASSERT_NE(second, nullptr) << text;
    std::string difference;
    EXPECT_FALSE(ir_equal(*first, *second, &difference)) << from << " -> " << to;
    EXPECT_FALSE(difference.empty());
  }
}

TEST(Positions, OfEverything) {
  const std::string text = R"(extern @e(i64) -> void
func @f(n: i64) -> i64 {
entry:
  %0 = add i64 %n, 1
  +> %+1 = add i64 %0, 1
  +> %+0 = add i64 %0, 1
  jump next
next:
  ret %0
}
)";
  SourceFile source("test", text);
  Expected<ParsedModule> result = parse_module(source);
  ASSERT_TRUE(result);
  const SourceMap& map = result->positions;
  auto at = [&](uint32_t offset) {
    LineColumn place = source.line_column(offset);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  FuncId f{1};
  EXPECT_EQ(at(map.function(FuncId{0})), "1:8");
  EXPECT_EQ(at(map.function(f)), "2:6");
  EXPECT_EQ(at(map.block(f, BlockId{1})), "8:1");
  EXPECT_EQ(at(map.statement(f, Ref{0})), "4:3");
  EXPECT_EQ(at(map.statement(f, Ref{2})), "9:3");
  EXPECT_EQ(at(map.statement(f, NewRef{0})), "5:3");
  EXPECT_EQ(map.statement(f, Ref{3}), SourceMap::unknown);
  EXPECT_EQ(map.statement(f, NewRef{2}), SourceMap::unknown);
  EXPECT_EQ(map.block(f, BlockId{2}), SourceMap::unknown);
  EXPECT_EQ(map.function(FuncId{2}), SourceMap::unknown);
}

TEST(Intrinsics, OfTheOwnerOfTheModule) {
  Module m;
  Intrinsic known;
  known.name = m.symbol("sat.add");
  known.signature = m.signature({{i64, i64}, i64});
  m.add_intrinsic(known);
  const std::string use = "func @f(n: i64) -> i64 {\nentry:\n  %0 = sat.add(%n, 1)\n  ret %0\n}\n";
  ASSERT_TRUE(parse_into(m, SourceFile("test", use)));
  EXPECT_EQ(m.function(FuncId{0}).type(Ref{0}), i64);
  EXPECT_TRUE(parse_into(m, SourceFile("test", "intrinsic sat.add(i64, i64) -> i64 pure\n")));
  EXPECT_FALSE(parse_into(m, SourceFile("test", "intrinsic sat.add(i64, i64) -> i64 throws\n")));
  EXPECT_FALSE(parse_into(m, SourceFile("test", "intrinsic sat.add(i64) -> i64 pure\n")));
}

}  // namespace
}  // namespace braid::text
