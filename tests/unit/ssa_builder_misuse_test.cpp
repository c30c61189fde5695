// Mistakes in the use of a Builder: each is an error of `try_done`, none a crash, and only a declaration stays.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

namespace braid {
namespace {

/// What `try_done` says of a function `i64 @f(i64 x, f64 y, i1 c)` that `build` fills: messages, one per line, with rules.
std::string mistakes(const std::function<void(Builder&)>& build, Type result = i64) {
  Module m;
  uint8_t byte[] = {1};
  m.add_global("g", 8, byte);
  m.declare({"sat.add", {i8, i8}, i8, Effects::pure});
  m.declare_external("host", std::vector<Type>{i64}, void_type);
  std::string text;
  {
    Builder b(m, "f", {{"x", i64}, {"y", f64}, {"c", i1}}, result);
    build(b);
    Expected<Func*> f = b.try_done();
    if (!f)
      for (const Diagnostic& d : f.error())
        if (d.severity == Severity::error) text += d.message + (d.rule.empty() ? "" : " [" + d.rule + "]") + "\n";
    // The answer stays the same, and nothing of the attempt can be run or printed.
    Expected<Func*> second = b.try_done();
    EXPECT_EQ(f.has_value(), second.has_value());
    EXPECT_EQ(f.error().count(), second.error().count());
    EXPECT_EQ(block_count(*m.find("f")) == 0, !f);
  }
  EXPECT_TRUE(verify(m)) << render(verify(m).error());
  return text;
}

void expect_mistake(std::string_view message, const std::function<void(Builder&)>& build, Type result = i64) {
  std::string text = mistakes(build, result);
  EXPECT_NE(text, "") << "expected: " << message;
  EXPECT_NE(text.find(message), std::string::npos) << "expected: " << message << "\nfound: " << text;
}

TEST(BuilderMisuse, NoneInAFunctionWithoutOne) {
  EXPECT_EQ(mistakes([](Builder& b) { b.ret(b.param("x")); }), "");
}

TEST(BuilderMisuse, TypesOfOperators) {
  expect_mistake("in '@f': 'add' of i64 and f64", [](Builder& b) { b.ret(b.param("x") + b.param("y")); });
  expect_mistake("in '@f': the operator does not exist for f64", [](Builder& b) {
    b.param("y") & b.param("y");
    b.ret(1);
  });
  expect_mistake("the number 5 cannot be of type ptr", [](Builder& b) {
    b.stack_slot(8) + 5;
    b.ret(1);
  });
  expect_mistake("[result-type]", [](Builder& b) {
    ~b.param("y").get();
    b.ret(1);
  });
  expect_mistake("[operand-type]", [](Builder& b) {
    Val p = b.stack_slot(8);
    b.ret(b.convert("zext", p < p, i64));
  });
}

TEST(BuilderMisuse, TypesOfAssignments) {
  expect_mistake("a variable of type i64 gets a value of type f64", [](Builder& b) {
    Var x = b.param("x");
    x = b.param("y");
    b.ret(x);
  });
  expect_mistake("a variable of type i32 gets a value of type i64", [](Builder& b) {
    b.var("z", i32, b.param("x"));
    b.ret(1);
  });
  expect_mistake("a variable cannot have the type void", [](Builder& b) {
    b.var("z", void_type);
    b.ret(1);
  });
  expect_mistake("there is no zero of type string", [](Builder& b) {
    b.var("z", string_type, Undefined::zero);
    b.ret(1);
  });
}

TEST(BuilderMisuse, TypesOfConditionsAndReturns) {
  expect_mistake("[operand-type]", [](Builder& b) {
    b.if_(b.param("x"), [] {});
    b.ret(1);
  });
  expect_mistake("[operand-type]", [](Builder& b) {
    b.while_([&] { return b.param("y").get(); }, [] {});
    b.ret(1);
  });
  expect_mistake("[ret-type]", [](Builder& b) { b.ret(b.param("c")); });
  expect_mistake("[ret-type]", [](Builder& b) { b.ret(); });
  expect_mistake("the number 1 cannot be of type void", [](Builder& b) { b.ret(1); }, void_type);
  expect_mistake("[ret-type]", [](Builder& b) { b.ret(b.param("x")); }, void_type);
  expect_mistake("[operand-type]", [](Builder& b) { b.throw_(b.param("x")); });
  expect_mistake("[operand-type]", [](Builder& b) {
    Label out = b.label();
    b.switch_(b.param("y"), out, {{1, out}});
    b.at(out).ret(1);
  });
}

TEST(BuilderMisuse, TypesOfAnotherModule) {
  Module other;
  const Type foreign = int_range(other, Kind::i64, 0, 9);
  expect_mistake("the type of a variable does not exist", [&](Builder& b) { b.ret(b.var("z", foreign, 1)); });
  expect_mistake("the type of a variable does not exist", [&](Builder& b) {
    Var z = b.var("z", foreign, Undefined::throws);
    b.ret(z + 1);
  });
  expect_mistake("the type of an operation does not exist",
                 [&](Builder& b) { b.ret(b.op("pi", {b.param("x")}, foreign)); });
  expect_mistake("the type of a phi does not exist", [&](Builder& b) {
    Label head = b.label();
    b.jump(head, {1});
    b.at(head);
    b.ret(b.phi(foreign));
  });
  expect_mistake("the type of a constant does not exist", [&](Builder& b) { b.ret(b.constant(foreign, 1) + 1); });
  expect_mistake("the type of a constant does not exist", [&](Builder& b) { b.ret(b.constant(Type{1u << 30}, 1)); });
  expect_mistake("the type of a test does not exist", [&](Builder& b) { b.ret(b.select(b.is(b.constant(i64, 1), foreign), 1, 2)); });
  expect_mistake("the type of a load does not exist", [&](Builder& b) { b.ret(b.load(foreign, b.stack_slot(8))); });
  expect_mistake("the type of a call does not exist", [&](Builder& b) {
    b.ret(b.call_indirect(foreign, b.function_address("host"), {b.param("x")}));
  });
  Builder from(other, "from", {{"v", foreign}}, foreign);
  Val value = from.param("v");
  expect_mistake("a value of another builder", [&](Builder& b) { b.ret(b.param("x") + value); });
  expect_mistake("a value of another builder", [&](Builder& b) { b.ret(b.op("add", {value, value})); });
  expect_mistake("a value of another builder", [&](Builder& b) { b.ret(b.select(b.param("c"), value, 1)); });
  expect_mistake("a value of another builder", [&](Builder& b) {
    Label head = b.label();
    b.jump(head, {value});
    b.at(head);
    b.ret(b.phi(i64));
  });
  expect_mistake("a value of another builder", [&](Builder& b) {
    Label out = b.label();
    b.switch_(value, out, {{1, out}});
    b.at(out).ret(1);
  });

  Module m;
  Builder b(m, "f", {{"a", foreign}}, foreign);
  b.ret(b.param("a"));
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].message, "in '@f': the type of parameter 'a' does not exist");
  EXPECT_EQ(f.error()[1].message, "in '@f': the type of the result does not exist");
  EXPECT_EQ(to_text(m, foreign), "a type that does not exist");
  EXPECT_EQ(kinds(m, foreign), 0u);
  EXPECT_EQ(join(m, foreign, i64), i64);
  EXPECT_FALSE(is_within(m, foreign, i64));
  EXPECT_FALSE(range_of(m, foreign, Kind::i64));
  EXPECT_TRUE(verify(m));
  m.declare({"bad.one", {foreign}, i64, Effects::pure});
  m.declare_external("bad", std::vector<Type>{foreign}, i64);
  Expected<void> checked = verify(m);
  ASSERT_FALSE(checked);
  EXPECT_NE(render(checked.error()).find("a type of the intrinsic 'bad.one' does not exist in this module"), std::string::npos);
  EXPECT_NE(render(checked.error()).find("a type of '@bad' does not exist in this module"), std::string::npos);
  static_cast<void>(tuple_of(m, std::vector<Type>{foreign}));  // from here on, the number is that of a type

  Module refining;
  IntrinsicDef def{"my.op", {i64}, i64, Effects::pure};
  def.refine = [&](TypeTable&, std::span<const Type>) { return foreign; };
  refining.declare(def);
  Builder r(refining, "r", {{"x", i64}}, i64);
  r.ret(r.intrinsic("my.op", {r.param("x")}));
  Func& refined = r.done();
  EXPECT_TRUE(optimize(refined, "infer,dce"));
  EXPECT_EQ(narrow_type_of(refined, 0), i64);
}

TEST(BuilderMisuse, GlobalsThatNoTextHas) {
  Module m;
  m.add_global("largest", INT64_MAX);
  EXPECT_TRUE(verify(m));
  EXPECT_TRUE(parse(to_text(m)));
  m.add_global("larger", uint64_t{1} << 63);
  Expected<void> checked = verify(m);
  ASSERT_FALSE(checked);
  EXPECT_NE(render(checked.error()).find("@larger has 9223372036854775808 bytes, more than any memory [global]"), std::string::npos);
}

TEST(BuilderMisuse, NumbersThatDoNotFit) {
  expect_mistake("300 does not fit in i8", [](Builder& b) {
    b.var("z", i8, 300);
    b.ret(1);
  });
  expect_mistake("-129 does not fit in i8", [](Builder& b) {
    Var z = b.var("z", i8);
    z = -129;
    b.ret(1);
  });
  expect_mistake("2 does not fit in i1", [](Builder& b) {
    b.if_(2, [] {});
    b.ret(1);
  });
  expect_mistake("the number 1.5 cannot be of type i64", [](Builder& b) { b.ret(b.param("x") + 1.5); });
  expect_mistake("the number 1.5 cannot be of type i64", [](Builder& b) { b.ret(1.5); });
  expect_mistake("18446744073709551615 does not fit in i8", [](Builder& b) {
    b.var("z", i8, UINT64_MAX);
    b.ret(1);
  });
  expect_mistake("18446744073709551615 does not fit in i8", [](Builder& b) {
    Var z = b.var("z", i8, 0);
    b.ret(b.convert("sext", z + UINT64_MAX, i64));
  });
  expect_mistake("the number 9223372036854775808 cannot be of type ptr", [](Builder& b) {
    b.constant(ptr, uint64_t{1} << 63);
    b.ret(1);
  });
  expect_mistake("'stack_slot' needs a number of 32 bits", [](Builder& b) {
    b.op("stack_slot", {UINT64_MAX, 8});
    b.ret(1);
  });
  expect_mistake("1e+300 does not fit in f32", [](Builder& b) {
    b.constant(f32, 1.0f) + 1e300;
    b.ret(1);
  });
  expect_mistake("-3.5e+38 does not fit in f32", [](Builder& b) {
    b.var("z", f32, -3.5e38);
    b.ret(1);
  });
  expect_mistake("the operator '!' does not exist for i64", [](Builder& b) {
    !b.param("x");
    b.ret(1);
  });
  expect_mistake("the number 5 cannot be of type ref", [](Builder& b) { b.throw_(5); });
  expect_mistake("4294967296 does not fit in i32", [](Builder& b) {
    Label out = b.label();
    b.switch_(b.constant(i32, int64_t{1}), out, {{int64_t{1} << 32, out}});
    b.at(out).ret(1);
  });
  expect_mistake("the number 5 has no type here", [](Builder& b) {
    b.op("box", {5});
    b.ret(1);
  });
  expect_mistake("the number 5 has no type here", [](Builder& b) {
    b.store(5, b.global("g"));
    b.ret(1);
  });
  expect_mistake("the number 1 has no type here", [](Builder& b) { b.ret(b.select(b.param("c"), 1, 2)); });
  expect_mistake("the number 7 has no type here", [](Builder& b) {
    b.op("tuple", {b.param("y"), 7});
    b.ret(1);
  });
}

TEST(BuilderMisuse, LeavingLoopsThatAreNotThere) {
  expect_mistake("break_ outside of a loop", [](Builder& b) {
    b.break_();
    b.ret(1);
  });
  expect_mistake("continue_ outside of a loop", [](Builder& b) {
    b.loop([&] { b.break_(); });
    b.continue_();
    b.ret(1);
  });
}

TEST(BuilderMisuse, Labels) {
  expect_mistake("a label that was not made by this builder", [](Builder& b) {
    b.jump(Label());
  });
  expect_mistake("a label that was not made by this builder", [](Builder& b) {
    Module other;
    Builder c(other, "g", {});
    Label mine = b.label("mine"), foreign = c.label("foreign");
    b.branch(b.param("c"), mine, foreign);
    b.at(mine).ret(1);
  });
  expect_mistake("a label that was not made by this builder", [](Builder& b) {
    Module other;
    Builder c(other, "g", {});
    b.at(c.label());
    b.ret(2);
    b.ret(1);
  });
  // A label that outlives its builder may be given to another one in the same place.
  for (bool is_jump : {true, false}) {
    Module module;
    std::optional<Builder> b;
    b.emplace(module, "before", std::initializer_list<Param>{});
    Label last;
    for (int i = 0; i < 1000; ++i) last = b->label();
    b->ret(1);
    (void)b->try_done(false);
    b.emplace(module, "behind", std::initializer_list<Param>{});
    Label own = b->label();
    if (is_jump) {
      b->jump(last);
    } else {
      b->jump(own);
      b->at(last).ret(1);
    }
    Expected<Func*> done = b->try_done(false);
    ASSERT_FALSE(done);
    EXPECT_NE(render(done.error()).find("a label that was not made by this builder"), std::string::npos);
  }
  expect_mistake("block 'open' has no terminator", [](Builder& b) {
    Label open = b.label("open"), last = b.label("last");
    b.branch(b.param("c"), open, last);
    b.at(last).ret(1);
  });
  expect_mistake("block 'entry' has no terminator", [](Builder& b) { b.at(b.label("next")).ret(1); });
  expect_mistake("block 'full' has no terminator", [](Builder& b) {
    // A label that nothing jumps to and nothing stands in is no mistake; one with statements is.
    Label unused = b.label("unused"), full = b.label("full"), out = b.label("out");
    (void)unused;
    b.jump(out);
    b.at(full);
    b.param("x") + 1;
    b.at(out).ret(1);
  });
  expect_mistake("block 'done' has its terminator already", [](Builder& b) {
    Label done = b.label("done");
    b.jump(done);
    b.at(done).ret(1);
    b.at(done).ret(2);
  });
}

TEST(BuilderMisuse, MissingReturn) {
  expect_mistake("control reaches the end of the function, which returns i64", [](Builder&) {});
  expect_mistake("control reaches the end of the function", [](Builder& b) {
    b.if_(b.param("c"), [&] { b.ret(1); });
  });
  expect_mistake("control reaches the end of the function", [](Builder& b) {
    Var x = b.param("x");
    b.while_([&] { return x > 0; }, [&] { x -= 1; });
  });
}

TEST(BuilderMisuse, Callees) {
  expect_mistake("there is no function '@nobody'", [](Builder& b) { b.ret(b.call("nobody", {})); });
  expect_mistake("there is no function '@nobody'", [](Builder& b) {
    b.function_address("nobody");
    b.ret(1);
  });
  expect_mistake("'@host' takes 1 arguments, not 2", [](Builder& b) {
    b.call("host", {1, 2});
    b.ret(1);
  });
  expect_mistake("[call-signature]", [](Builder& b) {
    b.call("host", {b.param("y")});
    b.ret(1);
  });
  expect_mistake("'@g' belongs to another module", [](Builder& b) {
    Module other;
    Builder c(other, "g", {});
    b.call(c.done(), {});
    b.ret(1);
  });
  expect_mistake("there is no intrinsic 'sat.sub'", [](Builder& b) {
    b.intrinsic("sat.sub", {1, 2});
    b.ret(1);
  });
  expect_mistake("'sat.add' takes 2 operands, not 1", [](Builder& b) {
    b.intrinsic("sat.add", {1});
    b.ret(1);
  });
  expect_mistake("1000 does not fit in i8", [](Builder& b) {
    b.intrinsic("sat.add", {1, 1000});
    b.ret(1);
  });
  expect_mistake("there is no global '@nothing'", [](Builder& b) {
    b.load(i64, b.global("nothing"));
    b.ret(1);
  });
  expect_mistake("the number 3 has no type here", [](Builder& b) {
    b.ret(b.call_indirect(i64, b.function_address("host"), {3}));
  });
  // A call without a value has none that could be used.
  expect_mistake("", [](Builder& b) { b.ret(b.call("host", {1})); });
}

TEST(BuilderMisuse, Parameters) {
  expect_mistake("there is no parameter 'z'", [](Builder& b) { b.ret(b.param("z")); });
  expect_mistake("there is no parameter ''", [](Builder& b) { b.ret(b.param("")); });
  expect_mistake("there is no parameter 3", [](Builder& b) { b.ret(b.param(3)); });
  Module m;
  Builder b(m, "f", {{"a", i64}, {"b", i64}, {"a", i64}});
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].message, "in '@f': two parameters have the name 'a'");
}

TEST(BuilderMisuse, Operations) {
  auto with = [](std::string_view name, auto... operands) {
    return [=](Builder& b) {
      b.op(name, {operands...});
      b.ret(1);
    };
  };
  expect_mistake("'nonsense' is not an operation that can be built by name", with("nonsense"));
  for (const char* name : {"jump", "branch", "ret", "enter", "phi", "phi_c"})
    expect_mistake("is not an operation that can be built by name", with(name));
  expect_mistake("'call' is not an operation that can be built by name", with("call", 0));
  expect_mistake("'get' is not an operation that can be built by name", with("get", 0));
  expect_mistake("'set' is not an operation that can be built by name", with("set", 0, 1));
  expect_mistake("'throw_undef' is not an operation that can be built by name", with("throw_undef", 0, 1));
  expect_mistake("'add' does not take 1 operands", [](Builder& b) { b.ret(b.op("add", {b.param("x")})); });
  expect_mistake("'stack_slot' needs a number of 32 bits as operand 0", with("stack_slot", -1, 8));
  expect_mistake("'stack_slot' needs a number of 32 bits as operand 1", with("stack_slot", 8, 1.0));
  expect_mistake("[immediate]", with("stack_slot", 8, 3));
  expect_mistake("'load' needs a result type", [](Builder& b) { b.ret(b.op("load", {b.global("g")})); });
  expect_mistake("", [](Builder& b) { b.ret(b.extract(b.param("x"), 0)); });
  expect_mistake("there is no field 1 in a tuple of 1",
                 [](Builder& b) { b.ret(b.extract(b.op("tuple", {b.param("x")}), 1)); });
  expect_mistake("", [](Builder& b) { b.ret(b.op("nothing", {})); });
  expect_mistake("", [](Builder& b) { b.ret(b.op("upsilon", {b.param("x")})); });
}

TEST(BuilderMisuse, ValuesOfAnotherBuilder) {
  auto foreign = [](const std::function<void(Builder&, Builder&)>& use) {
    return [use](Builder& b) {
      Module other;
      Builder c(other, "g", {{"x", i64}});
      for (int i = 0; i < 100; ++i) c.param("x") + 1;
      use(b, c);
      b.ret(1);
    };
  };
  std::string_view message = "a value of another builder";
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.param("x") + c.param("x"); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.param("x") + (c.param("x") + 1); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) {
                   Var x = b.param("x");
                   x = c.param("x") + 1;
                 }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) {
                   Var x = b.param("x");
                   x = c.param("x");
                 }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.op("neg", {c.param("x") + 1}); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.call("host", {c.param("x") + 1}); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.if_(c.param("x") > 1, [] {}); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.var("y", i64, c.param("x") + 1); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.extract(c.param("x") + 1, 0); }));
  expect_mistake(message, foreign([](Builder& b, Builder& c) { b.leave(c.param("x") + 1); }));
}

TEST(BuilderMisuse, Handlers) {
  expect_mistake("enter needs a handler_label, which 'h' is not", [](Builder& b) {
    Label h = b.label("h"), body = b.label("body");
    b.enter(h, body);
    b.at(body).ret(1);
    b.at(h).ret(2);
  });
  // Its assignments were not remembered: the handler would see old values.
  expect_mistake("block 'body' was filled before the label of the handler that protects it was made", [](Builder& b) {
    Label body = b.label("body"), start = b.label("start");
    Var x = b.param("x");
    b.jump(start);
    b.at(body);
    x = 5;
    Label h = b.handler_label("h");
    b.at(start);
    Val token = b.enter(h, body);
    b.at(body);
    b.op("check_zero", {x});
    b.leave(token);
    b.ret(x);
    b.at(h).ret(x);
  });
  expect_mistake("[handler-block]", [](Builder& b) {
    Label h = b.handler_label("h"), body = b.label("body");
    Var x = b.param("x");
    Val token = b.enter(h, body);
    b.at(body);
    x += 1;
    b.leave(token);
    b.jump(h);
    b.at(h).ret(x);
  });
  expect_mistake("[ret-handler]", [](Builder& b) {
    Label h = b.handler_label("h"), body = b.label("body");
    b.enter(h, body);
    b.at(body).ret(1);
    b.at(h).ret(2);
  });
  expect_mistake("[leave]", [](Builder& b) {
    Label h = b.handler_label("h"), body = b.label("body");
    Val token = b.enter(h, body);
    b.at(body).leave(token);
    b.leave(token);
    b.ret(1);
    b.at(h).ret(2);
  });
  expect_mistake("[exception-context]", [](Builder& b) {
    b.the_exception();
    b.ret(1);
  });
  // A handler that nothing leads to is only unused.
  EXPECT_EQ(mistakes([](Builder& b) {
              Label h = b.handler_label("h");
              b.ret(1);
              b.at(h).ret(b.param("x"));
            }),
            "");
}

TEST(BuilderMisuse, UndefinedUses) {
  expect_mistake("[undef-use]", [](Builder& b) { b.ret(b.var("z", i64) + 1); });
  // An object has no constant that could stand for it, and need not: the check throws first.
  expect_mistake("[undef-use]", [](Builder& b) {
    Var z = b.var("z", string_type, Undefined::throws);
    b.op("check_null", {z});
    b.ret(1);
  });
}

TEST(BuilderMisuse, ScopesStillOpen) {
  Module m;
  Builder b(m, "f", {{"c", i1}}, i64);
  Var c = b.param("c");
  std::string first;
  b.while_([&] { return c.get(); }, [&] {
    b.if_(
        c,
        [&] {
          b.try_(
              [&] {
                Expected<Func*> f = b.try_done();
                ASSERT_FALSE(f);
                first = f.error()[0].message;
                b.ret(1);
              },
              [&](Val e) { b.throw_(e); });
          b.break_();
        },
        [&] { b.continue_(); });
  });
  b.ret(2);
  EXPECT_EQ(first, "in '@f': a loop, condition or try is still open");
  EXPECT_FALSE(b.try_done());
  EXPECT_EQ(block_count(*m.find("f")), 0u);
  EXPECT_TRUE(verify(m));
}

TEST(BuilderMisuse, UsedAfterItWasDone) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  Var y = b.var("y", i64, Undefined::throws);
  Val sum = x + 1;
  Label label = b.label("l");
  b.jump(label);
  b.at(label);
  b.ret(sum);
  Func& f = b.done();
  EXPECT_EQ(&b.done(), &f);
  std::string text = to_text(f);
  x = sum + x;
  y = x;
  b.if_(x > 1, [&] { b.ret(y); });
  b.try_([&] { b.load(i64, b.stack_slot(8)); }, [&](Val) { b.break_(); });
  b.extract(b.op("tuple", {sum, x}), 0);
  b.at(label);
  b.jump(b.label("k"));
  b.switch_(x, label, {{1, label}});
  b.leave(b.enter(b.handler_label(), label));
  Expected<Func*> late = b.try_done();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error()[0].message, "in '@f': the builder is used after it was done");
  // What was built stays what it was.
  EXPECT_EQ(to_text(f), text);
  EXPECT_EQ(m.find("f"), &f);
  EXPECT_TRUE(verify(m));
  EXPECT_EQ(interpret(f, 4).as_i64(), 5);
}

TEST(BuilderMisuse, UsedAfterItFailed) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var x = b.param("x");
  ASSERT_FALSE(b.try_done());
  Label label = b.label("l");
  b.at(label);
  b.ret(x + 1);
  EXPECT_FALSE(b.try_done());
  EXPECT_EQ(block_count(*m.find("f")), 0u);
  EXPECT_TRUE(verify(m));
}

TEST(BuilderMisuse, FunctionDefinedTwice) {
  Module m;
  {
    Builder b(m, "f", {{"x", i64}}, i64);
    b.ret(b.param("x") + 1);
    b.done();
  }
  Builder b(m, "f", {{"x", i64}}, i64);
  b.ret(b.param("x") + b.call("f", {2}));
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].message, "in '@f': the function is defined twice");
  EXPECT_EQ(interpret(*m.find("f"), 4).as_i64(), 5);
  EXPECT_EQ(m.functions().size(), 1u);
}

TEST(BuilderMisuse, WhatFailedCanBeBuiltAgain) {
  Module m;
  {
    Builder b(m, "f", {{"x", i64}}, i64);
    b.ret(b.param("x") + 1.5);
    ASSERT_FALSE(b.try_done());
  }
  Func* declared = m.find("f");
  {
    Builder b(m, "f", {{"x", i64}}, i64);  // and never done
  }
  {
    Builder b(m, "f", {{"x", i32}}, i64);
    b.ret(1);
    Expected<Func*> f = b.try_done();
    ASSERT_FALSE(f);
    EXPECT_EQ(f.error()[0].message, "in '@f': the function was declared with other types");
  }
  Builder b(m, "f", {{"n", i64}}, i64);
  b.ret(b.param("n") + 1);
  EXPECT_EQ(&b.done(), declared);
  EXPECT_EQ(interpret(*declared, 4).as_i64(), 5);
  EXPECT_EQ(m.functions().size(), 1u);
}

TEST(BuilderMisuse, DeclaredBefore) {
  Module m;
  Func& odd = m.declare_external("odd", std::vector<Type>{i64}, i1);
  for (const char* name : {"even", "odd"}) {
    const bool is_even = name[0] == 'e';
    Builder b(m, name, {{"n", i64}}, i1);
    b.if_(b.param("n") == 0, [&] { b.ret(is_even); });
    b.ret(b.call(is_even ? "odd" : "even", {b.param("n") - 1}));
    b.done();
  }
  EXPECT_EQ(m.find("odd"), &odd);
  EXPECT_TRUE(interpret(odd, 7).as_bool());
  EXPECT_TRUE(verify(m));
}

TEST(BuilderMisuse, TwoBuildersOfOneName) {
  Module m;
  Builder a(m, "f", {{"x", i64}}, i64), b(m, "f", {{"x", i64}}, i64);
  a.ret(1);
  b.ret(2);
  b.done();
  Expected<Func*> late = a.try_done();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error()[0].message, "in '@f': the function is defined twice");
  EXPECT_EQ(interpret(*m.find("f"), 0).as_i64(), 2);
}

TEST(BuilderMisuse, OthersSeeADeclarationWhileItIsBuilt) {
  const std::string declared = "extern @f(i64) -> i64\n";
  Module m;
  Builder b(m, "f", {{"n", i64}}, i64);
  EXPECT_EQ(to_text(m), declared);
  Var n = b.param("n");
  Val next = n + 1;
  b.if_(n > 0, [&] {
    EXPECT_EQ(to_text(m), declared);
    b.ret(next);
  });
  Func& f = *m.find("f");
  EXPECT_EQ(to_text(f), declared);
  EXPECT_EQ(statement_count(f), 0u);
  EXPECT_TRUE(verify(m)) << render(verify(m).error());
  EXPECT_TRUE(verify(f));
  EXPECT_TRUE(optimize(f, "dce,inline,sea"));
  Value argument(int64_t{1});
  EXPECT_EQ(run(f, {&argument, 1}).message, "fails: @f cannot be run: it has no body");
  {
    Builder c(m, "g", {}, i64);
    c.ret(c.call("f", {1}));
    Func& g = c.done();
    EXPECT_EQ(run(g, {}).message, "fails: there is no host function @f");
    EXPECT_TRUE(optimize(g, "inline,infer,sea"));
  }
  Expected<void> parsed = parse_into(m, "func @h() -> i64 {\nentry:\n  %x = call @f(2)\n  ret %x\n}\n");
  EXPECT_TRUE(parsed) << render(parsed.error());
  // A function of its own name is the one that is being built.
  b.ret(b.call("f", {1}));
  EXPECT_EQ(&b.done(), &f);
  EXPECT_EQ(interpret(f, -5).as_i64(), 2);
  EXPECT_EQ(interpret(*m.find("g")).as_i64(), 2);
  EXPECT_EQ(interpret(*m.find("h")).as_i64(), 3);
  EXPECT_TRUE(verify(m));
}

TEST(BuilderMisuse, FindingsShowTheListing) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"c", i1}}, i64);
  b.location("a.c", 12, 3);
  Var x = b.param("x");
  Val sum = x + 2;
  b.op("guard", {sum, b.save_state(1, {})});
  b.ret(sum);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].file, "a.c");
  EXPECT_EQ(f.error()[0].line, 12u);
  ASSERT_EQ(f.error()[1].severity, Severity::note);
  const std::string& note = f.error()[1].message;
  EXPECT_EQ(note.find("in the listing of @f:\n    entry:"), 0u) << note;
  EXPECT_NE(note.find("\n  --> guard %0, %1"), std::string::npos) << note;
}

TEST(BuilderMisuse, NeverDoneLeavesADeclaration) {
  Module m;
  {
    Builder b(m, "f", {{"x", i64}}, i64);
    b.ret(b.param("x") + 1);
  }
  EXPECT_EQ(block_count(*m.find("f")), 0u);
  EXPECT_TRUE(verify(m));
}

TEST(BuilderMisuse, ErrorsHaveTheLocation) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  b.location("a.c", 12, 3);
  b.ret(b.param("x") + 1.5);
  b.location("a.c", 14, 1);
  b.break_();
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].file, "a.c");
  EXPECT_EQ(f.error()[0].line, 12u);
  EXPECT_EQ(f.error()[1].line, 14u);
  EXPECT_EQ(f.error()[1].column, 1u);
}

TEST(BuilderMisuse, NoLocation) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  b.location("a.c", 12, 3);
  Val first = b.param("x") + 1;
  b.location("", 0, 0);
  b.ret(first + 2);
  std::string text = to_text(b.done());
  EXPECT_NE(text.find("%0 = add i64 %x, 1 !\"a.c\":12:3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("%1 = add i64 %0, 2\n"), std::string::npos) << text;
}

TEST(BuilderMisuse, ThousandsOfMistakesStayReadable) {
  Module m;
  Builder b(m, "f", {{"x", i64}});
  for (int i = 0; i < 10000; ++i) b.break_();
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().error_count(), 10000u);
  EXPECT_LE(f.error().size(), 100u);
}

TEST(BuilderMisuse, DeclarationsThatContradict) {
  auto mistakes_of = [](const std::function<void(Module&)>& declare) {
    Module m;
    m.declare_external("host", std::vector<Type>{i64}, void_type);
    m.declare({"sat.add", {i8, i8}, i8, Effects::pure});
    m.add_class("Animal");
    m.add_class("Dog", "Animal");
    EXPECT_TRUE(verify(m));
    declare(m);
    Builder b(m, "f", {}, i64);
    b.ret(1);
    Expected<Func*> f = b.try_done();
    Expected<void> sound = verify(m);
    EXPECT_EQ(f.has_value(), sound.has_value());
    return sound ? std::string() : sound.error()[0].message;
  };
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare_external("host", std::vector<Type>{i64}, void_type); }), "");
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare_external("host", std::vector<Type>{i32}, void_type); }),
            "'@host' is declared again with other types");
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare({"sat.add", {i8, i8}, i8, Effects::may_throw}); }), "");
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare({"sat.add", {i8, i8}, i16, Effects::pure}); }),
            "the intrinsic 'sat.add' is declared again with other types");
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare({"", {i8}, i8, Effects::pure}); }),
            "an intrinsic needs a name that can be printed, not ''");
  EXPECT_NE(mistakes_of([](Module& m) { m.declare({"a\nb", {i8}, i8, Effects::pure}); }), "");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_class("Dog", "Animal"); }), "");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_class("Dog"); }), "the class 'Dog' is declared again with another parent");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_class("Cat", "Pet"); }),
            "the class 'Cat' has a parent that there is not: 'Pet'");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_class(""); }), "a class needs a name");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_class("", "Animal"); }), "a class needs a name");
  EXPECT_EQ(mistakes_of([](Module& m) { m.add_global("", 4); }), "a global needs a name");
  EXPECT_EQ(mistakes_of([](Module& m) { m.declare_external("", {}, i64); }), "a function needs a name");
  const uint8_t bytes[] = {1, 2};
  EXPECT_EQ(mistakes_of([&](Module& m) { m.add_global("table", 4, bytes), m.add_global("table", 4, bytes); }), "");
  EXPECT_EQ(mistakes_of([&](Module& m) { m.add_global("table", 4, bytes), m.add_global("table", 4); }),
            "the global 'table' is declared again with another size or other bytes");
}

TEST(BuilderMisuse, AFunctionHasAName) {
  Module m;
  Builder b(m, "", {}, i64);
  b.ret(1);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].message, "in '@': a function needs a name");
  EXPECT_EQ(to_text(m), "");
  EXPECT_TRUE(verify(m));
  m.add_class("");
  m.add_global("", 4);
  EXPECT_EQ(to_text(m), "");
  EXPECT_FALSE(verify(m));
}

TEST(BuilderMisuse, FindingsNameTheStatement) {
  Module m;
  Builder b(m, "f", {{"x", i64}}, i64);
  Var y = b.var("y", i64);
  Val sum = b.param("x") + y;
  b.ret(sum);
  Expected<Func*> f = b.try_done();
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error()[0].message.substr(0, 27), "in '@f', %0 = add in 'entry");
}

}  // namespace
}  // namespace braid
