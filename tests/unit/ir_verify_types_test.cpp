// Rules of types: every op is right in some way, and each rule is broken.
#include <set>

#include "ir/transfer.h"
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class VerifyTypes : public Fixture {
 protected:
  void SetUp() override {
    make({i64, i1, f64, ptr, ref, i8, i32, f32}, i64);
    n = Operand::param(0), flag = Operand::param(1), x = Operand::param(2), p = Operand::param(3), r = Operand::param(4);
    byte = Operand::param(5), word = Operand::param(6), single = Operand::param(7);
    b = block("entry");
  }
  std::string finish() {
    f->ret(b, n);
    return found();
  }
  Type pair(Type first, Type second) {
    Type elements[] = {first, second};
    return m.types.tuple(elements);
  }
  Operand n, flag, x, p, r, byte, word, single;
  BlockId b{};
};

/// Statements that differ from plain ones (verify_plain.h) in one thing only.
TEST_F(VerifyTypes, nearly_plain_statements) {
  BlockId left = block("left"), right = block("right"), join = block("join");
  add(b, Op::add, i64, {n, word});
  add(b, Op::fadd, i64, {n, n});
  add(b, Op::slt, i1, {n, word});
  add(b, Op::slt, i64, {n, n});
  add(b, Op::flt, i1, {n, n});
  f->branch(b, n, left, right);
  f->jump(left, join);
  f->jump(right, join);
  add(join, Op::phi, i64, {n, word});
  f->set_type(f->terminator(left), i64);
  f->ret(join, word);
  EXPECT_EQ(found(), "[operand-type] operand 1 of this add has the type i32, needs i64\n"
                     "[result-type] fadd has the type i64, must have a float type\n"
                     "[operand-type] operand 1 of this slt has the type i32, needs i64\n"
                     "[result-type] slt has the type i64, must have i1\n"
                     "[operand-type] operand 0 of this flt has the type i64, needs a float\n"
                     "[operand-type] operand 0 of this branch has the type i64, needs i1\n"
                     "[result-type] jump has the type i64, must have void\n"
                     "[phi-type] operand 1 has the type i32, which is not within i64\n"
                     "[ret-type] ret with a value of type i32 in a function of type i64\n");
}

/// One right statement for every op: a verifier that says no to these is wrong, and so is `result_type`.
TEST_F(VerifyTypes, every_op_has_a_right_form) {
  FuncId callee = m.add_function(m.symbol("callee"), {{i64, f64}, i64}, true).id();
  IntrinsicId intrinsic = m.add_intrinsic({m.symbol("sat.add"), m.signature({{i64, i64}, i64}), no_traits, {}, {}});
  GlobalId global = m.add_global({m.symbol("table"), 16, 8, false, {}});
  VarId variable = f->variables.push({m.symbol("v"), i64});
  uint32_t undef = w(Operand::undef());

  for (unsigned i = 0; i < op_count; ++i) {
    Op op = static_cast<Op>(i);
    switch (info(op).rule) {
      case TypeRule::int_binary: add(b, op, i64, {n, n}), add(b, op, i8, {byte, c(i8, 3)}); break;
      case TypeRule::int_unary: add(b, op, i64, {n}); break;
      case TypeRule::overflow: add(b, op, pair(i64, i1), {n, n}); break;
      case TypeRule::float_binary: add(b, op, f64, {x, x}), add(b, op, f32, {single, single}); break;
      case TypeRule::float_unary: add(b, op, f64, {x}); break;
      case TypeRule::equality: add(b, op, i1, {n, n}), add(b, op, i1, {p, p}), add(b, op, i1, {r, c(ref, 0)}); break;
      case TypeRule::signed_compare: add(b, op, i1, {n, n}); break;
      case TypeRule::unsigned_compare: add(b, op, i1, {n, n}), add(b, op, i1, {p, p}); break;
      case TypeRule::float_compare: add(b, op, i1, {x, x}); break;
      case TypeRule::int_narrow: add(b, op, i8, {n}); break;
      case TypeRule::int_extend: add(b, op, i64, {byte}); break;
      case TypeRule::int_to_float: add(b, op, f64, {n}), add(b, op, f32, {byte}); break;
      case TypeRule::float_to_int: add(b, op, i64, {x}), add(b, op, i1, {single}); break;
      case TypeRule::float_extend: add(b, op, f64, {single}); break;
      case TypeRule::float_narrow: add(b, op, f32, {x}); break;
      case TypeRule::bitcast: add(b, op, f64, {n}), add(b, op, i32, {single}); break;
      case TypeRule::ptr_to_int: add(b, op, i64, {p}); break;
      case TypeRule::int_to_ptr: add(b, op, ptr, {n}); break;
      case TypeRule::select: add(b, op, i64, {flag, n, n}), add(b, op, i64 | f64, {flag, n, x}); break;
      case TypeRule::tuple: {
        Operand t = add(b, op, pair(i64, f64), {n, x});
        add_words(b, Op::extract, f64, {w(t), 1});
        break;
      }
      case TypeRule::extract: break;
      case TypeRule::box: add(b, op, ref, {n}), add(b, op, ref, {r}); break;
      case TypeRule::unbox: add(b, op, i64, {r}); break;
      case TypeRule::call: add_words(b, op, i64, {index(callee), w(n), w(x)}); break;
      case TypeRule::call_indirect:
        add_words(b, op, i64, {index(m.signature({{i64}, i64})), w(p), w(n)});
        break;
      case TypeRule::func_addr: add_words(b, op, ptr, {index(callee)}); break;
      case TypeRule::intrinsic: add_words(b, op, i64, {index(intrinsic), w(n), w(n)}); break;
      case TypeRule::stack_slot: add_words(b, op, ptr, {16, 8}); break;
      case TypeRule::global_addr: add_words(b, op, ptr, {index(global)}); break;
      case TypeRule::load: add(b, op, i64, {p}), add(b, op, ptr, {p}), add(b, op, f32, {p}); break;
      case TypeRule::store: add(b, op, void_type, {n, p}), add(b, op, void_type, {flag, p}); break;
      case TypeRule::mem_copy: add(b, op, void_type, {p, p, n}); break;
      case TypeRule::mem_fill: add(b, op, void_type, {p, byte, n}); break;
      case TypeRule::ptr_add:
        if (op == Op::ptr_index)
          add_words(b, op, ptr, {w(p), w(n), 8});
        else
          add(b, op, ptr, {p, n});
        break;
      case TypeRule::ptr_diff: add(b, op, i64, {p, p}); break;
      case TypeRule::get: add_words(b, op, i64, {index(variable)}); break;
      case TypeRule::set: add_words(b, op, void_type, {index(variable), w(n)}); break;
      case TypeRule::is_defined: add_words(b, op, i1, {index(variable)}); break;
      case TypeRule::pi: add(b, op, m.types.int_range(Kind::i64, 0, 9), {n}); break;
      case TypeRule::throw_undef: add_words(b, op, void_type, {index(m.symbol("v")), w(flag)}); break;
      case TypeRule::check_null: add(b, op, ref, {r}), add(b, op, ptr, {p}); break;
      case TypeRule::check_int: add(b, op, i64, {n}); break;
      case TypeRule::check_bounds: add(b, op, i64, {n, c(i64, 8)}); break;
      case TypeRule::check_overflow: {
        Operand t = add(b, Op::sadd_overflow, pair(i64, i1), {n, n});
        add(b, op, i64, {t});
        break;
      }
      case TypeRule::check_true: add(b, op, void_type, {flag}); break;
      case TypeRule::state_use:
      case TypeRule::save_state: {
        Operand state = add_words(b, Op::save_state, state_type, {12, 0, undef, 0, w(n), 3, undef});
        if (op != Op::save_state) add(b, op, void_type, {state});
        break;
      }
      case TypeRule::guard: {
        Operand state = add_words(b, Op::save_state, state_type, {12, 1, undef});
        add(b, op, void_type, {flag, state});
        break;
      }
      case TypeRule::dynamic:
        m.language = LanguageId::php;
        if (info(op).fixed_count == 2) add(b, op, result_type(*f, f->make(op, none, {n, x}).stmt), {n, x});
        else add(b, op, result_type(*f, f->make(op, none, {n}).stmt), {n});
        break;
      case TypeRule::kind_test: add_words(b, op, i1, {w(n), (i64 | f64).bits}); break;
      case TypeRule::variant_make: add(b, op, i64 | f64, {n}); break;
      case TypeRule::variant_tag: add(b, op, i8, {n}); break;
      case TypeRule::variant_get: add(b, op, i64, {n}); break;
      case TypeRule::none:
        if (op == Op::nothing) add(b, op, void_type);
        break;
      case TypeRule::same: add(b, op, i64, {n}); break;
      // These need blocks of their own.
      case TypeRule::phi:
      case TypeRule::upsilon:
      case TypeRule::phi_c:
      case TypeRule::leave:
      case TypeRule::the_exception:
      case TypeRule::pop_exception:
      case TypeRule::branch:
      case TypeRule::switch_:
      case TypeRule::ret:
      case TypeRule::throw_:
      case TypeRule::enter:
      case TypeRule::deopt: break;
    }
  }

  BlockId body = block("body"), handler = block("handler"), left = block("left"), join = block("join"), stop = block("stop");
  BlockId many = block("many"), out = block("out");
  Operand before = add(b, Op::upsilon, i64, {n});
  Operand token = f->enter(b, handler, body);
  Operand inside = add(body, Op::upsilon, i64, {c(i64, 1)});
  add(body, Op::leave, void_type, {token});
  f->branch(body, flag, left, join);
  f->jump(left, join);
  Operand chosen = phi(join, i64, {n, c(i64, 5)});
  Function::Case cases[] = {{c(i64, 1), stop}, {c(i64, 2), many}};
  f->switch_on(join, chosen, out, cases);
  Operand state = add_words(stop, Op::save_state, state_type, {1, 2, undef});
  f->deopt(stop, state);
  f->unreachable(many);
  f->ret(out, chosen);
  add(handler, Op::phi_c, i64, {before, inside});
  Operand thrown = add(handler, Op::the_exception, ref);
  add(handler, Op::pop_exception, void_type, {token});
  f->throw_value(handler, thrown);
  EXPECT_EQ(found_in_module(), "");

  std::set<Op> ops;
  for (uint32_t i = 0; i < f->size(); ++i) {
    Operand id = Ref{i};
    ops.insert(f->op(id));
    Type follows = result_type(*f, f->stmt(id));
    EXPECT_TRUE(follows == none || m.types.leq(f->type(id), follows)) << info(f->op(id)).text;
  }
  for (unsigned i = 0; i < op_count; ++i) EXPECT_TRUE(ops.contains(static_cast<Op>(i))) << op_table[i].text;
}

TEST_F(VerifyTypes, operands) {
  add(b, Op::add, i64, {x, n});
  add(b, Op::add, i64, {n, c(i32, 1)});
  add(b, Op::fadd, f64, {x, n});
  add(b, Op::slt, i1, {x, x});
  add(b, Op::slt, i1, {n, word});
  add(b, Op::eq, i1, {x, x});
  add(b, Op::eq, i1, {r, p});
  add(b, Op::flt, i1, {n, x});
  add(b, Op::ult, i1, {r, r});
  add(b, Op::select, i64, {n, n, x});
  add(b, Op::load, i64, {n});
  add(b, Op::store, void_type, {r, p});
  add(b, Op::mem_fill, void_type, {p, n, n});
  add(b, Op::check_null, i64, {n});
  add(b, Op::check_true, void_type, {n});
  add(b, Op::unbox, i64, {n});
  add(b, Op::check_overflow, i64, {n});
  add(b, Op::pi, f64, {n});
  EXPECT_EQ(finish(), "[operand-type] operand 0 of this add has the type f64, needs i64\n"
                      "[operand-type] operand 1 of this add has the type i32, needs i64\n"
                      "[operand-type] operand 1 of this fadd has the type i64, needs f64\n"
                      "[operand-type] operand 0 of this slt has the type f64, needs an integer\n"
                      "[operand-type] operand 1 of this slt has the type i32, needs i64\n"
                      "[operand-type] operand 0 of this eq has the type f64, needs an integer, a pointer or a reference\n"
                      "[operand-type] operand 0 of this eq has the type ref, needs an integer, a pointer or a reference\n"
                      "[operand-type] operand 0 of this flt has the type i64, needs a float\n"
                      "[operand-type] operand 0 of this ult has the type ref, needs an integer or a pointer\n"
                      "[operand-type] operand 0 of this select has the type i64, needs i1\n"
                      "[operand-type] operand 2 of this select has the type f64, needs i64\n"
                      "[operand-type] operand 0 of this load has the type i64, needs ptr\n"
                      "[operand-type] operand 0 of this store has the type ref, needs a number or an address\n"
                      "[operand-type] operand 1 of this mem_fill has the type i64, needs i8\n"
                      "[operand-type] operand 0 of this check_null has the type i64, needs a reference or a pointer\n"
                      "[operand-type] operand 0 of this check_true has the type i64, needs i1\n"
                      "[operand-type] operand 0 of this unbox has the type i64, needs a reference\n"
                      "[operand-type] operand 0 of this check_overflow has the type i64, needs a tuple made by an op that reports overflow\n");
}

TEST_F(VerifyTypes, dynamic_operations) {
  add(b, Op::dyn_truth, i1, {n});
  EXPECT_EQ(finish(), "[language] dyn.truth in a module without a language\n");
  SetUp();
  m.language = LanguageId::php;
  add(b, Op::dyn_add, i64 | f64, {n, byte});
  add(b, Op::dyn_add, string_type, {n, n});
  add(b, Op::dyn_add, none, {n, n});
  add_words(b, Op::is, i1, {w(n), void_type.bits});
  add_words(b, Op::is, i64, {w(n), i64.bits});
  add(b, Op::variant_make, f64, {n});
  add(b, Op::variant_tag, i64, {n});
  add(b, Op::variant_get, i64 | f64, {n});
  EXPECT_EQ(finish(), "[operand-type] operand 1 of this dyn.add has the type i8, needs a value of the language php\n"
                      "[result-type] dyn.add has the type string, must have i64|f64\n"
                      "[result-type] dyn.add has the type none, must have i64|f64\n"
                      "[immediate] the type void of this test is no plain value type\n"
                      "[result-type] is has the type i64, must have i1\n"
                      "[operand-type] operand 0 of this variant.make has the type i64, needs f64\n"
                      "[result-type] variant.tag has the type i64, must have i8\n"
                      "[result-type] variant.get has the type i64|f64, must have one kind of value\n");
}

TEST_F(VerifyTypes, a_statement_without_a_value_is_no_operand) {
  Operand nothing_there = add(b, Op::store, void_type, {n, p});
  add(b, Op::add, i64, {nothing_there, n});
  add(b, Op::box, ref, {nothing_there});
  EXPECT_EQ(finish(), "[operand-type] operand 0 of this add has the type void, needs i64\n"
                      "[operand-type] operand 0 of this box has the type void, needs a value\n");
}

TEST_F(VerifyTypes, conversions) {
  add(b, Op::trunc, i64, {byte});
  add(b, Op::zext, i8, {n});
  add(b, Op::sext, i64, {n});
  add(b, Op::bitcast, f32, {n});
  add(b, Op::bitcast, i64, {n});
  add(b, Op::bitcast, i8, {byte});
  add(b, Op::sitofp, f64, {x});
  add(b, Op::fptosi, f64, {x});
  add(b, Op::fpext, f64, {x});
  add(b, Op::ptrtoint, i32, {p});
  EXPECT_EQ(finish(), "[operand-type] trunc cannot make i64 of i8\n"
                      "[operand-type] zext cannot make i8 of i64\n"
                      "[operand-type] sext cannot make i64 of i64\n"
                      "[operand-type] bitcast cannot make f32 of i64\n"
                      "[operand-type] bitcast cannot make i64 of i64\n"
                      "[operand-type] bitcast cannot make i8 of i8\n"
                      "[operand-type] operand 0 of this sitofp has the type f64, needs an integer\n"
                      "[result-type] fptosi has the type f64, must have an integer\n"
                      "[operand-type] operand 0 of this fpext has the type f64, needs f32\n"
                      "[result-type] ptrtoint has the type i32, must have i64\n");
}

TEST_F(VerifyTypes, results) {
  add(b, Op::add, i64 | f64, {n, n});
  add(b, Op::add, none, {n, n});
  add(b, Op::slt, i64, {n, n});
  add(b, Op::store, i64, {n, p});
  add(b, Op::load, ref, {p});
  add(b, Op::sadd_overflow, pair(i32, i1), {n, n});
  add(b, Op::tuple, pair(i64, i64), {n, x});
  add(b, Op::pi, state_type, {n});
  add(b, Op::check_null, object_type, {r});
  add_words(b, Op::stack_slot, i64, {8, 8});
  EXPECT_EQ(finish(), "[result-type] add has the type i64|f64, must have an integer type\n"
                      "[result-type] add has the type none, must have an integer type\n"
                      "[result-type] slt has the type i64, must have i1\n"
                      "[result-type] store has the type i64, must have void\n"
                      "[result-type] load has the type ref, must have a number or an address\n"
                      "[result-type] sadd_overflow has the type (i32, i1), must have (i64, i1)\n"
                      "[result-type] tuple has the type (i64, i64), must have (i64, f64)\n"
                      "[result-type] pi has the type state, must have a value type\n"
                      "[operand-type] operand 0 of this pi has the type i64, needs a type that can be state\n"
                      "[result-type] check_null has the type object, must have ref\n"
                      "[result-type] stack_slot has the type i64, must have ptr\n");
}

TEST_F(VerifyTypes, refined_types_are_within_plain_ones) {
  Type small = m.types.int_range(Kind::i64, 0, 9);
  Operand a = add(b, Op::add, small, {n, n});
  add(b, Op::add, i64, {a, n});
  add(b, Op::slt, m.types.int_constant(Kind::i1, 1), {a, c(i64, 100)});
  EXPECT_EQ(finish(), "");
}

TEST_F(VerifyTypes, phi_inputs) {
  Type small = m.types.int_range(Kind::i64, 0, 9);
  BlockId left = block("left"), join = block("join");
  f->branch(b, flag, left, join);
  f->jump(left, join);
  phi(join, i64, {n, x});
  phi(join, small, {c(i64, 9), c(i64, 10)});
  phi(join, small, {n, c(i64, 0)});
  phi(join, i64 | f64, {n, x});
  phi(join, void_type, {n, n});
  f->ret(join, n);
  EXPECT_EQ(found(), "[phi-type] operand 1 has the type f64, which is not within i64\n"
                     "[phi-type] operand 1 has the type i64, which is not within i64[0..9]\n"
                     "[phi-type] operand 0 has the type i64, which is not within i64[0..9]\n"
                     "[result-type] phi has the type void, must have a value type or token\n");
}

TEST_F(VerifyTypes, calls) {
  FuncId callee = m.add_function(m.symbol("callee"), {{i64, m.types.int_range(Kind::i8, 0, 9)}, f64}, true).id();
  add_words(b, Op::call, f64, {index(callee), w(n)});
  add_words(b, Op::call, f64, {index(callee), w(x), w(c(i8, 9))});
  add_words(b, Op::call, f64, {index(callee), w(n), w(c(i8, 10))});
  add_words(b, Op::call, i64, {index(callee), w(n), w(c(i8, 0))});
  SigId signature = m.signature({{i64}, void_type});
  add_words(b, Op::call_indirect, void_type, {index(signature), w(n), w(n)});
  add_words(b, Op::call_indirect, void_type, {index(signature), w(p)});
  EXPECT_EQ(finish(), "[call-signature] @callee has 2 parameters, the call passes 1\n"
                      "[call-signature] argument 0 has the type f64, @callee takes i64\n"
                      "[call-signature] argument 1 has the type i8, @callee takes i8[0..9]\n"
                      "[result-type] call has the type i64, must have f64\n"
                      "[operand-type] operand 1 of this call_indirect has the type i64, needs ptr\n"
                      "[call-signature] the callee has 1 parameters, the call passes 0\n");
}

TEST_F(VerifyTypes, returns) {
  f->ret(b, x);
  EXPECT_EQ(found(), "[ret-type] ret with a value of type f64 in a function of type i64\n");
  f->ret(b);
  EXPECT_EQ(found(), "[ret-type] ret with 0 values in a function of type i64\n");
  make();
  b = block("entry");
  f->ret(b, c(i64, 1));
  EXPECT_EQ(found(), "[ret-type] ret with a value in a function without a result\n");
}

TEST_F(VerifyTypes, switches) {
  BlockId a = block("a");
  Function::Case cases[] = {{c(i64, 1), a}, {n, a}, {c(i64, 1), a}, {c(i8, 3), a}, {c(i64, 1), a}, {c(i64, 2), a}};
  f->switch_on(b, n, a, cases);
  f->ret(a, n);
  EXPECT_EQ(found(), "[switch-cases] case %arg0 is not a constant of the type i64\n"
                     "[switch-cases] case i8 3 is not a constant of the type i64\n"
                     "[switch-cases] case 1 occurs more than once\n");
}

TEST_F(VerifyTypes, immediates) {
  Operand t = add(b, Op::tuple, pair(i64, f64), {n, x});
  add_words(b, Op::extract, i64, {w(t), 2});
  add_words(b, Op::extract, i64, {w(t), 1});
  add_words(b, Op::stack_slot, ptr, {16, 12});
  EXPECT_EQ(finish(), "[immediate] field 2 of a tuple with 2\n"
                      "[result-type] extract has the type i64, must have f64\n"
                      "[immediate] the alignment 12 is not a power of two\n");
}

TEST_F(VerifyTypes, variables) {
  VarId v = f->variables.push({m.symbol("v"), m.types.int_range(Kind::i64, 0, 9)});
  add_words(b, Op::set, void_type, {index(v), w(c(i64, 9))});
  add_words(b, Op::set, void_type, {index(v), w(c(i64, 10))});
  add_words(b, Op::set, void_type, {index(v), w(x)});
  add_words(b, Op::get, f64, {index(v)});
  EXPECT_EQ(finish(), "[variable-type] variable v of type i64[0..9] is assigned a value of type i64\n"
                      "[variable-type] variable v of type i64[0..9] is assigned a value of type f64\n"
                      "[result-type] get has the type f64, must have i64[0..9]\n");
}

TEST_F(VerifyTypes, what_same_stands_for_counts) {
  Operand a = add(b, Op::add, i64, {n, n});
  add(b, Op::add, i64, {a, n});
  f->replace(a, x);
  EXPECT_EQ(finish(), "[operand-type] operand 0 of this add has the type f64, needs i64\n");
}

// ---- modules ----

TEST_F(VerifyTypes, module_tables) {
  f->ret(b, n);
  m.add_function(m.symbol("g"), {{void_type}, token_type}, true);
  m.add_function(m.symbol("g"), {{}, void_type}, true);
  m.globals.push({m.symbol("t"), 4, 3, false, {1, 2, 3, 4, 5}});
  m.globals.push({m.symbol("t"), 4, 4, false, {}});
  m.intrinsics.push({Symbol{9999}, m.signature(Signature{}), no_traits, {}, {}});
  f->variables.push({m.symbol("v"), none});
  EXPECT_EQ(found_in_module(), "[names] two functions have the name @g\n"
                               "[global] the alignment of @t, 3, is not a power of two\n"
                               "[global] @t has 4 bytes, but 5 initial ones\n"
                               "[names] two globals have the name @t\n"
                               "[names] the name of a declared intrinsic does not exist\n"
                               "[signature] variable v cannot have the type none\n"
                               "[signature] parameter %arg0 cannot have the type void\n"
                               "[signature] the result cannot have the type token\n");
}

TEST_F(VerifyTypes, external_with_blocks) {
  Function& external = m.add_function(m.symbol("host"), Signature{}, true);
  f = &external;
  EXPECT_EQ(found(), "");
  block("entry");
  EXPECT_EQ(found(), "[external] an external function has blocks\n");
}

}  // namespace
}  // namespace braid::ir::testing_verify
