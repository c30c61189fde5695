// What is not finished is a declaration to everyone: each public entry that takes a function or a module is asked while a
// Builder, a Sea or a translation of bytecode is at work, and after they have failed.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

/// Every entry finds a declaration, and what calls it ends in a message.
void expect_declaration(Module& m, const std::string& name) {
  Func* f = m.find(name);
  ASSERT_NE(f, nullptr);
  EXPECT_TRUE(to_text(*f).starts_with("extern @" + name + "(")) << to_text(*f);
  EXPECT_NE(to_text(m).find(to_text(*f)), std::string::npos);
  EXPECT_EQ(to_julia(*f), "");
  EXPECT_EQ(block_count(*f), 0u);
  EXPECT_EQ(statement_count(*f), 0u);
  EXPECT_EQ(phi_count(*f), 0u);
  EXPECT_TRUE(verify(*f));
  EXPECT_TRUE(verify(m)) << render(verify(m).error());
  EXPECT_TRUE(construct(*f));
  EXPECT_TRUE(construct(m));
  EXPECT_TRUE(optimize(*f, "sea,dce,inline"));
  EXPECT_EQ(warnings(*f).count(), 0u);
  RunResult result = run(*f, std::vector<Value>{Value(int64_t{1})});
  EXPECT_FALSE(result);
  EXPECT_NE(result.message, "");
  EXPECT_FALSE(Runner(m).run(*f, std::vector<Value>{Value(int64_t{1})}));

  Builder b(m, "calls_" + name, {{"n", i64}}, i64);
  b.ret(b.call(name, {b.param("n")}));
  Expected<Func*> caller = b.try_done();
  ASSERT_TRUE(caller) << render(caller.error());
  EXPECT_TRUE(optimize(**caller, "inline,sea,dce"));
  EXPECT_FALSE(run(**caller, std::vector<Value>{Value(int64_t{1})}));

  Sea sea(m, "sea_calls_" + name, {"n"});
  Sea::Node argument = *sea.lookup("n");
  sea.ret(sea.call(*f, {&argument, 1}));
  EXPECT_EQ(sea.evaluate({1}).kind, SeaResult::Kind::other);
  EXPECT_TRUE(verify(sea.land()));
}

TEST(Unfinished, Builder) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  Var n = b.param("n");
  b.if_(n > 0, [&] { expect_declaration(m, "f"); });
  b.ret(n);
  Func& f = b.done();
  EXPECT_TRUE(to_julia(f).starts_with("1 ─ %1 = intrinsic sgt(_1, 0)::i1\n")) << to_julia(f);
  EXPECT_EQ(interpret(f, 4).as_i64(), 4);
  EXPECT_EQ(interpret(*m.find("calls_f"), 5).as_i64(), 5);
  EXPECT_EQ(interpret(*m.find("sea_calls_f"), 6).as_i64(), 6);
}

TEST(Unfinished, BuilderThatFailed) {
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  EXPECT_FALSE(b.try_done());
  expect_declaration(m, "f");
}

TEST(Unfinished, Sea) {
  Module m;
  Sea sea(m, "f", {"n"});
  sea.loop();
  sea.loop_while(*sea.lookup("n"));
  expect_declaration(m, "f");
  sea.assign("n", sea.constant(0));
  sea.end_loop();
  sea.ret(*sea.lookup("n"));
  sea.finish();
  EXPECT_EQ(block_count(*m.find("f")), 0u);
  Func& f = sea.land();
  EXPECT_EQ(&f, m.find("f"));
  EXPECT_EQ(&f, &sea.land());
  EXPECT_EQ(interpret(f, 4).as_i64(), 0);
  EXPECT_EQ(interpret(*m.find("calls_f"), 5).as_i64(), 0);
}

/// Somebody else has the name, from the start or in the meantime: nothing of it changes.
TEST(Unfinished, SeaOfATakenName) {
  Module m;
  auto build = [&](std::string_view name, int64_t result) {
    Builder b(m, name, {{"n", i64}}, i64);
    b.param("n") * 3;  // nobody reads it: passes would take it out
    b.ret(result);
    b.done();
  };
  build("f", 1);
  Sea late(m, "g", {"n"});
  build("g", 2);
  Sea sea(m, "f", {"n"});
  for (Sea* one : {&sea, &late}) {
    one->ret(one->constant(9));
    EXPECT_EQ(one->evaluate({0}).value, 9);
    Func& outside = one->land();
    EXPECT_EQ(block_count(outside), 0u);
    const std::string before = to_text(m);
    EXPECT_TRUE(optimize(outside, "sea,dce"));
    EXPECT_TRUE(construct(outside));
    EXPECT_FALSE(run(outside, std::vector<Value>{Value(int64_t{1})}));
    EXPECT_EQ(to_text(m), before);
  }
  EXPECT_EQ(interpret(*m.find("f"), 0).as_i64(), 1);
  EXPECT_EQ(interpret(*m.find("g"), 0).as_i64(), 2);
  ASSERT_FALSE(verify(m));
  EXPECT_NE(render(verify(m).error()).find("in '@f': the function is defined twice"), std::string::npos);
  EXPECT_NE(render(verify(m).error()).find("in '@g': the function is defined twice"), std::string::npos);
}

/// What stands outside of the module, or in another one, cannot be called.
TEST(Unfinished, CallsOfWhatIsNotInTheModule) {
  Module m, other;
  Builder first(m, "f", {{"n", i64}}, i64);
  first.ret(first.param("n"));
  Func& f = first.done();
  Builder second(m, "f", {{"n", i64}}, i64);
  second.ret(1);
  EXPECT_FALSE(second.try_done());
  Sea twice(m, "f", {"n"});
  twice.ret(twice.constant(1));
  Func& outside = twice.land();
  Func& stranger = other.declare_external("g", std::vector<Type>{i64}, i64);
  Func& wide = m.declare_external("h", std::vector<Type>{i64, f64}, i64);
  for (const Func* callee : {&outside, &stranger}) {
    Builder b(m, "b", {{"n", i64}}, i64);
    std::vector<Arg> arguments{b.param("n")};
    b.ret(b.call(*callee, arguments));
    EXPECT_FALSE(b.try_done());
  }
  Module clean;
  clean.declare_external("h", std::vector<Type>{i64, f64}, i64);
  Sea sea(clean, "s", {"n"});
  Sea::Node n = *sea.lookup("n");
  sea.ret(sea.op("add", sea.call(f, {&n, 1}), sea.call(*clean.find("h"), {&n, 1})));
  EXPECT_EQ(sea.evaluate({7}).value, 0);
  sea.land();
  ASSERT_FALSE(verify(clean));
  const std::string said = render(verify(clean).error());
  EXPECT_NE(said.find("in '@s': '@f' is not in the module"), std::string::npos) << said;
  EXPECT_NE(said.find("in '@s': '@h' does not take these arguments and return i64"), std::string::npos) << said;
  EXPECT_EQ(block_count(wide), 0u);
}

/// `return r0`, and on the way whatever a translator may do with the module.
class OneReturn : public bytecode::Meaning {
 public:
  explicit OneReturn(Module& m, bool fails = false) : m_(m), fails_(fails) {}
  uint32_t size() const override { return 1; }
  uint32_t register_count() const override { return 1; }
  void decode(bytecode::Pc, bytecode::Decoded& decoded) const override {
    decoded.reads.push_back(0);
    decoded.falls_through = false;
  }
  std::vector<Param> parameters() const override { return {{"n", i64}}; }
  Type result() const override { return i64; }
  void translate(bytecode::Pc, bytecode::Writer& writer) override {
    if (m_.find("calls_f") == nullptr) expect_declaration(m_, "f");
    writer.ret(fails_ ? writer.op("no_such_operation", {writer.read(0)}) : writer.read(0));
  }

 private:
  Module& m_;
  bool fails_;
};

TEST(Unfinished, Bytecode) {
  Module m;
  OneReturn bad(m, true), good(m);
  EXPECT_FALSE(bytecode::to_ssa(m, "f", bad));
  EXPECT_EQ(block_count(*m.find("f")), 0u);
  EXPECT_TRUE(verify(m)) << render(verify(m).error());
  Expected<Func*> f = bytecode::to_ssa(m, "f", good);
  ASSERT_TRUE(f) << render(f.error());
  EXPECT_EQ(*f, m.find("f"));
  EXPECT_EQ(interpret(**f, 4).as_i64(), 4);
  EXPECT_EQ(interpret(*m.find("calls_f"), 5).as_i64(), 5);
  Expected<Func*> again = bytecode::to_ssa(m, "f", good);
  ASSERT_FALSE(again);
  EXPECT_NE(render(again.error()).find("there is a function 'f' already"), std::string::npos);
  m.declare_external("g", std::vector<Type>{f64}, i64);
  again = bytecode::to_ssa(m, "g", good);
  ASSERT_FALSE(again);
  EXPECT_NE(render(again.error()).find("declared with other types"), std::string::npos);
}

TEST(Unfinished, TextThatIsWrong) {
  for (const char* text : {"func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, %zz\n  ret %0\n}\n",          // no such value
                           "func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 1\n}\n",                      // no terminator
                           "func @f(n: i64) -> i64 {\nentry:\n  ret 0x1p+0\n}\n",                              // no integer
                           "func @f(n: i64) -> i64 {\nentry:\n  branch %n, entry, entry\n}\n"}) {              // does not verify
    Module m;
    EXPECT_FALSE(parse_into(m, text)) << text;
    expect_declaration(m, "f");
  }
}

}  // namespace
}  // namespace braid
