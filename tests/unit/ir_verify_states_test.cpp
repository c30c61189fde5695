// Rules of frame states.
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class VerifyStates : public Fixture {
 protected:
  void SetUp() override {
    make({i64, i1, ptr});
    n = Operand::param(0), flag = Operand::param(1), p = Operand::param(2);
    entry = block("entry"), left = block("left"), right = block("right"), join = block("join");
  }
  void diamond() {
    f->branch(entry, flag, left, right);
    f->jump(left, join);
    f->jump(right, join);
    f->ret(join);
  }
  Operand state(BlockId b, Operand caller = Operand::undef(), uint32_t resume = 0) {
    return add_words(b, Op::save_state, state_type, {7, resume, w(caller), 0, w(n)});
  }
  Operand guard(BlockId b, Operand s) { return add(b, Op::guard, void_type, {flag, s}); }
  Operand store(BlockId b) { return add(b, Op::store, void_type, {n, p}); }
  static constexpr std::string_view out_of_date = "[state-effects] an effect that cannot be repeated lies between ";

  Operand n, flag, p;
  BlockId entry{}, left{}, right{}, join{};
};

TEST_F(VerifyStates, uses) {
  Operand s = state(entry);
  guard(entry, s);
  add(entry, Op::safepoint, void_type, {state(entry, s)});
  add(entry, Op::osr_state, void_type, {s});
  diamond();
  EXPECT_EQ(found(), "");
  insert(f->before(f->terminator(join)), Op::guard, void_type, {flag, n});
  insert(f->before(f->terminator(join)), Op::select, i64, {flag, n, s});
  std::string text = found();
  EXPECT_NE(text.find("[state-use] guard needs a save_state, not %arg0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[state-use] select uses the state %0 as a value\n"), std::string::npos) << text;
}

TEST_F(VerifyStates, state_through_a_phi) {
  Operand s = state(entry);
  f->branch(entry, flag, left, right);
  f->jump(left, join);
  f->jump(right, join);
  Operand merged = phi(join, state_type, {s, s});
  guard(join, merged);
  f->ret(join);
  EXPECT_EQ(found(), "[result-type] phi has the type state, must have a value type or token\n"
                     "[state-use] phi uses the state %0 as a value\n"
                     "[state-use] phi uses the state %0 as a value\n"
                     "[state-use] guard needs a save_state, not %4\n");
}

TEST_F(VerifyStates, caller_that_is_no_state) {
  state(entry, n);
  diamond();
  EXPECT_EQ(found(), "[state-use] save_state needs a save_state, not %arg0\n");
}

TEST_F(VerifyStates, ring_of_callers) {
  Operand a = state(entry), b = state(entry, a);
  diamond();
  EXPECT_EQ(found(), "");
  f->set_operand(a, 2, b);
  EXPECT_EQ(found(), "[dominance] %1 is not defined on every path to its use here\n"
                     "[state-caller] the callers of this state form a ring\n");
}

TEST_F(VerifyStates, resume_kind) {
  state(entry, Operand::undef(), 2);
  state(entry, Operand::undef(), 3);
  diamond();
  EXPECT_EQ(found(), "[state-resume] there is no resume kind 3\n");
}

TEST_F(VerifyStates, registers) {
  add_words(entry, Op::save_state, state_type, {7, 0, w(Operand::undef()), 4, w(n), 9, w(n), 4, w(p)});
  diamond();
  EXPECT_EQ(found(), "[state-registers] register 4 occurs more than once\n");
}

// ---- effects between a state and its user ----

TEST_F(VerifyStates, effect_in_the_same_block) {
  Operand s = state(entry);
  add(entry, Op::load, i64, {p});
  add(entry, Op::check_zero, i64, {n});
  guard(entry, s);
  store(entry);
  diamond();
  EXPECT_EQ(found(), "");
  insert(f->before(f->terminator(entry)), Op::guard, void_type, {flag, s});
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this guard\n");
}

TEST_F(VerifyStates, assignments_to_variables_do_no_harm) {
  VarId x = f->variables.push({m.symbol("x"), i64, UndefMeaning::zero});
  Operand s = state(entry);
  add_words(entry, Op::set, void_type, {index(x), w(n)});
  guard(entry, s);
  f->branch(entry, flag, left, right);
  add_words(left, Op::set, void_type, {index(x), w(n)});
  f->jump(left, join);
  f->jump(right, join);
  guard(join, s);
  f->ret(join);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyStates, effect_in_another_block) {
  Operand s = state(entry);
  f->branch(entry, flag, left, right);
  Operand effect = store(left);
  f->jump(left, join);
  guard(right, s);
  f->jump(right, join);
  guard(join, s);
  f->ret(join);
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this guard\n");
  f->erase(effect);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyStates, effect_before_the_state_does_no_harm) {
  store(entry);
  Operand s = state(entry);
  f->branch(entry, flag, left, right);
  guard(left, s);
  f->jump(left, join);
  f->jump(right, join);
  guard(join, s);
  store(join);
  f->ret(join);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyStates, effect_behind_the_state_at_the_end_of_its_block) {
  Operand s = state(entry);
  store(entry);
  f->branch(entry, flag, left, right);
  guard(left, s);
  f->jump(left, join);
  f->jump(right, join);
  f->ret(join);
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this guard\n");
}

TEST_F(VerifyStates, effect_on_the_way_round_a_loop) {
  // The guard comes before the effect, but the second time it comes after it.
  Operand s = state(entry);
  f->jump(entry, left);
  guard(left, s);
  f->branch(left, flag, right, join);
  Operand effect = store(right);
  f->jump(right, left);
  f->ret(join);
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this guard\n");
  f->erase(effect);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyStates, calls_are_effects_unless_declared_otherwise) {
  Function& external = m.add_function(m.symbol("init"), Signature{}, true);
  Operand s = state(entry);
  add_words(entry, Op::call, void_type, {index(external.id())});
  guard(entry, s);
  diamond();
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this guard\n");
  external.external_traits = writes_memory | idempotent;
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyStates, a_handler_starts_anew) {
  Operand s = state(entry);
  Operand token = f->enter(entry, right, left);
  add(left, Op::leave, void_type, {token});
  f->ret(left);
  f->deopt(right, s);
  f->unreachable(join);
  EXPECT_EQ(found(), std::string(out_of_date) + "%0 and this deopt\n");
}

}  // namespace
}  // namespace braid::ir::testing_verify
