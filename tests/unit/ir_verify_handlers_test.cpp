// Rules of exceptions, each broken, and the shapes that are allowed.
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class VerifyHandlers : public Fixture {
 protected:
  void SetUp() override {
    make({i64, i1, ref});
    n = Operand::param(0), flag = Operand::param(1), r = Operand::param(2);
    m.add_function(m.symbol("opaque"), Signature{}, true);
    entry = block("entry"), body = block("body"), handler = block("handler"), done = block("done");
  }
  Operand call(BlockId b) { return add_words(b, Op::call, void_type, {1}); }
  Operand leave(BlockId b, std::initializer_list<Operand> tokens) { return add(b, Op::leave, void_type, tokens); }
  void handle(BlockId b, Operand token, BlockId next) {
    add(b, Op::the_exception, ref);
    add(b, Op::pop_exception, void_type, {token});
    f->jump(b, next);
  }
  /// entry: enter handler, body; body: call, leave; handler: pop; both to done.
  void try_catch() {
    token = f->enter(entry, handler, body);
    call(body);
    leave(body, {token});
    f->jump(body, done);
    handle(handler, token, done);
    f->ret(done);
  }
  Operand n, flag, r, token;
  BlockId entry{}, body{}, handler{}, done{};
};

TEST_F(VerifyHandlers, try_and_catch_is_sound) {
  try_catch();
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyHandlers, region_without_a_handler_is_sound) {
  token = f->enter(entry, none_id<BlockId>, body);
  leave(body, {token});
  f->ret(body);
  f->unreachable(handler);
  f->unreachable(done);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyHandlers, removed_handler_edge_is_sound) {
  try_catch();
  f->remove_edge(EdgeId{0});
  EXPECT_EQ(found(), "");
}

// ---- handler-balance ----

TEST_F(VerifyHandlers, join_with_different_depth) {
  token = f->enter(entry, handler, body);
  f->branch(body, flag, done, done);
  f->throw_value(done, r);
  handle(handler, token, done);
  EXPECT_EQ(found(), "[handler-balance] block 'done' is entered with no handler from 'handler', with the handler 'handler' from 'body'\n");
}

TEST_F(VerifyHandlers, join_with_different_handlers) {
  BlockId one = block("one"), two = block("two"), other = block("other");
  f->branch(entry, flag, one, two);
  f->enter(one, handler, body);
  f->enter(two, other, body);
  f->throw_value(body, r);
  f->unreachable(handler);
  f->unreachable(other);
  f->unreachable(done);
  EXPECT_EQ(found(), "[handler-balance] block 'body' is entered with the handler 'handler' from 'one', with the handler 'other' from 'two'\n");
}

TEST_F(VerifyHandlers, loop_that_enters_again_and_again) {
  token = f->enter(entry, handler, body);
  f->jump(body, done);
  f->enter(done, handler, body);
  f->unreachable(handler);
  std::string text = found();
  EXPECT_NE(text.find("[handler-balance] block 'body' is entered with 2 handlers 'handler', 'handler' from 'done'"), std::string::npos)
      << text;
}

// ---- tokens ----

TEST_F(VerifyHandlers, regions_with_one_handler_may_meet) {
  BlockId one = block("one"), two = block("two");
  f->branch(entry, flag, one, two);
  Operand first = f->enter(one, handler, body);
  Operand second = f->enter(two, handler, body);
  Operand both = phi(body, token_type, {first, second});
  call(body);
  leave(body, {both});
  f->jump(body, done);
  add(handler, Op::the_exception, ref);
  f->jump(handler, done);
  f->ret(done);
  EXPECT_EQ(found(), "");
  // Without a common token nobody can leave.
  f->set_operand(both, 1, Operand::undef());
  EXPECT_EQ(found(), "[leave] leave does not name the token of the innermost region\n");
}

TEST_F(VerifyHandlers, throwing_where_regions_meet_needs_no_token) {
  BlockId one = block("one"), two = block("two");
  f->branch(entry, flag, one, two);
  f->enter(one, handler, body);
  f->enter(two, handler, body);
  f->throw_value(body, r);
  f->unreachable(handler);
  f->unreachable(done);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyHandlers, a_region_that_goes_round_a_loop) {
  // entry enters; the loop leaves and enters again.
  token = f->enter(entry, handler, body);
  BlockId again = block("again");
  Operand current = phi(body, token_type, {token});
  leave(body, {current});
  f->branch(body, flag, again, done);
  Operand next = f->enter(again, handler, body);
  f->set_operand(current, 1, next);
  f->unreachable(handler);
  f->ret(done);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyHandlers, token_of_regions_that_do_not_fit) {
  BlockId one = block("one"), two = block("two"), other = block("other");
  f->branch(entry, flag, one, two);
  Operand first = f->enter(one, handler, body);
  leave(body, {first});
  f->jump(body, done);
  BlockId body2 = block("body2");
  Operand second = f->enter(two, other, body2);
  leave(body2, {second});
  f->jump(body2, done);
  phi(done, token_type, {first, second});
  f->ret(done);
  f->unreachable(handler);
  f->unreachable(other);
  EXPECT_EQ(found(), "[token] the token meets tokens of regions with another handler or depth\n");
}

TEST_F(VerifyHandlers, token_as_a_value) {
  try_catch();
  insert(f->before(Ref{1}), Op::select, token_type, {flag, token, token});
  EXPECT_EQ(found(), "[result-type] select has the type token, must have a value type\n"
                     "[token] select uses the token %0 as a value\n"
                     "[token] select uses the token %0 as a value\n");
}

// ---- leave ----

TEST_F(VerifyHandlers, leave_in_any_order) {
  BlockId inner = block("inner"), inner_handler = block("inner_handler");
  Operand outer_token = f->enter(entry, handler, body);
  Operand inner_token = f->enter(body, inner_handler, inner);
  Operand l = leave(inner, {outer_token, inner_token});
  f->ret(inner);
  f->unreachable(handler);
  f->throw_value(inner_handler, r);
  f->unreachable(done);
  EXPECT_EQ(found(), "");
  f->set_operand(l, 1, outer_token);
  EXPECT_EQ(found(), "[leave] leave does not name the tokens of the innermost regions\n");
}

TEST_F(VerifyHandlers, leave_of_the_outer_region_first) {
  BlockId inner = block("inner"), inner_handler = block("inner_handler");
  Operand outer_token = f->enter(entry, handler, body);
  Operand inner_token = f->enter(body, inner_handler, inner);
  leave(inner, {outer_token});
  leave(inner, {inner_token});
  f->ret(inner);
  f->unreachable(handler);
  f->throw_value(inner_handler, r);
  f->unreachable(done);
  EXPECT_EQ(found(), "[leave] leave does not name the token of the innermost region\n"
                     "[leave] leave does not name the token of the innermost region\n");
}

TEST_F(VerifyHandlers, leave_of_too_much) {
  try_catch();
  insert(f->before(f->terminator(body)), Op::leave, void_type, {token});
  EXPECT_EQ(found(), "[leave] leave of 1 regions where 0 are open\n");
}

TEST_F(VerifyHandlers, leave_of_what_is_no_token) {
  try_catch();
  f->set_operand(Ref{2}, 0, n);
  EXPECT_EQ(found(), "[operand-type] operand 0 of this leave has the type i64, needs token\n"
                     "[leave] leave does not name the token of the innermost region\n");
}

TEST_F(VerifyHandlers, leave_of_a_region_that_was_left_before) {
  BlockId second_body = block("second_body");
  token = f->enter(entry, handler, body);
  leave(body, {token});
  Operand again = f->enter(body, handler, second_body);
  leave(second_body, {token});
  f->ret(second_body);
  f->unreachable(handler);
  f->unreachable(done);
  EXPECT_EQ(found(), "[leave] leave does not name the token of the innermost region\n");
  f->set_operand(Ref{3}, 0, again);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyHandlers, ret_with_a_handler) {
  token = f->enter(entry, handler, body);
  f->ret(body);
  f->ret(handler);
  f->unreachable(done);
  EXPECT_EQ(found(), "[ret-handler] ret with the handler 'handler'\n");
}

// ---- handler blocks ----

TEST_F(VerifyHandlers, handler_entered_by_a_normal_edge) {
  try_catch();
  f->jump(body, handler);
  EXPECT_EQ(found(), "[handler-block] handler block 'handler' is also entered by a normal edge\n"
                     "[exception-context] the_exception where no exception is being handled on every path\n"
                     "[exception-context] pop_exception where no exception is being handled on every path\n");
}

TEST_F(VerifyHandlers, phi_in_a_handler) {
  token = f->enter(entry, handler, body);
  leave(body, {token});
  f->ret(body);
  phi(handler, i64, {n});
  f->ret(handler);
  f->unreachable(done);
  EXPECT_EQ(found(), "[handler-block] phi in handler block 'handler'\n");
}

TEST_F(VerifyHandlers, exceptions_where_there_are_none) {
  try_catch();
  insert(f->before(f->terminator(done)), Op::the_exception, ref);
  EXPECT_EQ(found(), "[exception-context] the_exception where no exception is being handled on every path\n");
}

TEST_F(VerifyHandlers, pop_twice) {
  try_catch();
  insert(f->before(f->terminator(handler)), Op::pop_exception, void_type, {token});
  EXPECT_EQ(found(), "[exception-context] pop_exception where no exception is being handled on every path\n");
}

TEST_F(VerifyHandlers, exceptions_inside_of_handlers) {
  // A handler that tries again: its inner handler has two exceptions, and popping the inner one leaves the outer one.
  BlockId retry = block("retry"), inner_handler = block("inner_handler"), after = block("after");
  token = f->enter(entry, handler, body);
  call(body);
  leave(body, {token});
  f->jump(body, done);
  add(handler, Op::the_exception, ref);
  Operand inner = f->enter(handler, inner_handler, retry);
  call(retry);
  leave(retry, {inner});
  f->jump(retry, after);
  add(inner_handler, Op::the_exception, ref);
  add(inner_handler, Op::pop_exception, void_type, {inner});
  f->jump(inner_handler, after);
  add(after, Op::the_exception, ref);
  add(after, Op::pop_exception, void_type, {token});
  f->jump(after, done);
  f->ret(done);
  EXPECT_EQ(found(), "");
}

// ---- phi_c and upsilon ----

class VerifyPhiC : public VerifyHandlers {
 protected:
  /// An upsilon before the enter, a throwing call, an upsilon in the body, another call.
  void slots() {
    before = add(entry, Op::upsilon, i64, {n});
    token = f->enter(entry, handler, body);
    call(body);
    inside = add(body, Op::upsilon, i64, {c(i64, 1)});
    call(body);
    leave(body, {token});
    f->jump(body, done);
    value = add(handler, Op::phi_c, i64, {before, inside});
    handle(handler, token, done);
    f->ret(done);
  }
  Operand before, inside, value;
};

TEST_F(VerifyPhiC, upsilon_before_the_enter_is_sound) {
  slots();
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyPhiC, places) {
  slots();
  insert(f->before(f->terminator(done)), Op::phi_c, i64);
  insert(f->before(f->terminator(handler)), Op::phi_c, i64);
  std::string text = found();
  EXPECT_NE(text.find("[phi-c-place] phi_c in a block that is no handler\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[phi-c-place] phi_c behind another statement\n"), std::string::npos) << text;
}

TEST_F(VerifyPhiC, operands) {
  slots();
  f->set_operand(value, 1, n);
  EXPECT_EQ(found(), "[upsilon-feeds] %3 is an operand of no phi_c\n"
                     "[phi-c-operands] operand 1 of this phi_c, %arg0, is not an upsilon\n");
}

TEST_F(VerifyPhiC, upsilon_is_no_value) {
  slots();
  insert(f->before(f->terminator(body)), Op::add, i64, {inside, n});
  EXPECT_EQ(found(), "[phi-c-operands] add uses the upsilon %3\n");
}

TEST_F(VerifyPhiC, upsilon_for_two) {
  slots();
  insert(f->after(value), Op::phi_c, i64, {inside, before});
  EXPECT_EQ(found(), "[upsilon-feeds] %0 is an operand of %7 and of %+0\n"
                     "[phi-c-written] call may throw to 'handler', but the slot of %+0 is not written on every path to it\n"
                     "[upsilon-feeds] %3 is an operand of %7 and of %+0\n");
}

TEST_F(VerifyPhiC, types) {
  slots();
  f->set_type(inside, i64 | f64);
  EXPECT_EQ(found(), "[phi-type] operand 1 has the type i64|f64, which is not within i64\n");
  f->set_type(inside, f64);
  EXPECT_EQ(found(), "[phi-type] operand 0 has the type i64, which is not within f64\n"
                     "[phi-type] operand 1 has the type f64, which is not within i64\n");
}

TEST_F(VerifyPhiC, slot_not_written) {
  slots();
  f->erase(before);
  EXPECT_EQ(found(), "[phi-c-written] call may throw to 'handler', but the slot of %7 is not written on every path to it\n"
                     "[phi-c-operands] operand 0 of this phi_c, %0, is not an upsilon\n");
}

TEST_F(VerifyPhiC, written_in_the_region_before_anything_throws) {
  token = f->enter(entry, handler, body);
  inside = add(body, Op::upsilon, i64, {n});
  call(body);
  leave(body, {token});
  call(body);
  f->jump(body, done);
  value = add(handler, Op::phi_c, i64, {inside});
  handle(handler, token, done);
  f->ret(done);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyPhiC, written_on_both_ways) {
  BlockId left = block("left"), right = block("right"), start = block("start");
  f->branch(entry, flag, left, right);
  Operand a = add(left, Op::upsilon, i64, {n});
  f->jump(left, start);
  Operand b = add(right, Op::upsilon, i64, {Operand::undef()});
  f->jump(right, start);
  token = f->enter(start, handler, body);
  call(body);
  leave(body, {token});
  f->jump(body, done);
  value = add(handler, Op::phi_c, i64, {a, b});
  handle(handler, token, done);
  f->ret(done);
  EXPECT_EQ(found(), "");
  f->erase(b);
  EXPECT_EQ(found(), "[phi-c-written] call may throw to 'handler', but the slot of %9 is not written on every path to it\n"
                     "[phi-c-operands] operand 1 of this phi_c, %3, is not an upsilon\n");
}

TEST_F(VerifyPhiC, each_enter_needs_a_write) {
  // Two places enter; each writes another slot, one of them twice. The slot that lacks a write at the first is named.
  BlockId left = block("left"), right = block("right");
  f->branch(entry, flag, left, right);
  Operand a = add(left, Op::upsilon, i64, {n});
  Operand a2 = add(left, Op::upsilon, i64, {n});
  f->enter(left, handler, body);
  Operand b = add(right, Op::upsilon, i64, {n});
  f->enter(right, handler, body);
  call(body);
  f->unreachable(body);
  Operand first = add(handler, Op::phi_c, i64, {a, a2});
  Operand second = add(handler, Op::phi_c, i64, {b});
  f->unreachable(handler);
  f->unreachable(done);
  std::string lacks = "[phi-c-written] call may throw to 'handler', but the slot of ";
  EXPECT_EQ(found(), lacks + "%9 is not written on every path to it\n");
  f->erase(second);
  f->erase(b);
  EXPECT_EQ(found(), lacks + "%8 is not written on every path to it\n");
  Operand a3 = insert(f->before(f->terminator(right)), Op::upsilon, i64, {n});
  EXPECT_EQ(found(), lacks + "%8 is not written on every path to it\n[upsilon-feeds] %+0 is an operand of no phi_c\n");
  f->erase(first);
  uint32_t writes[] = {w(a), w(a2), w(a3)};
  f->insert(f->before(f->terminator(handler)), f->make(Op::phi_c, i64, writes));
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyPhiC, what_cannot_throw_needs_no_slot) {
  slots();
  f->erase(before);
  f->set_flags(Ref{2}, cannot_throw);
  EXPECT_EQ(found(), "[phi-c-operands] operand 0 of this phi_c, %0, is not an upsilon\n");
}

TEST_F(VerifyPhiC, many_slots) {
  std::vector<uint32_t> first;
  for (int i = 0; i < 200; ++i) first.push_back(w(add(body, Op::upsilon, i64, {n})));
  call(body);
  token = f->enter(entry, handler, body);
  leave(body, {token});
  f->jump(body, done);
  for (uint32_t u : first) add_words(handler, Op::phi_c, i64, {u});
  handle(handler, token, done);
  f->ret(done);
  EXPECT_EQ(found(), "");
  f->erase(Ref{150});
  EXPECT_EQ(found(), "[phi-c-written] call may throw to 'handler', but the slot of %354 is not written on every path to it\n"
                     "[phi-c-operands] operand 0 of this phi_c, %150, is not an upsilon\n");
}

}  // namespace
}  // namespace braid::ir::testing_verify
