// Control flow of the Builder: structured scopes, and ends of blocks that lead nowhere else.
//
// A scope that is left after the builder was done finds none on the stack and does nothing: the mistake was reported.
#include <cassert>

#include "ssa/builder_impl.h"

namespace braid {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ssa::ScopeKind;

// ---- conditions ----

void Builder::begin_if(const Arg& condition) {
  Impl& impl = *impl_;
  if (!impl.is_structured()) [[unlikely]] return impl.begin_if(condition);
  impl.structured.begin_if(Operand::from_word(impl.word(condition, i1)));
}

void Builder::Impl::begin_if(const Arg& condition) {
  open();
  Operand value = Operand::from_word(word(condition, i1));
  BlockId then = f->new_block(), otherwise = f->new_block();
  f->branch(at.block, value, then, otherwise, at.loc);
  ssa->seal(then);
  ssa->seal(otherwise);
  scopes.push_back({ScopeKind::condition, otherwise, none_id<BlockId>, ssa->mark()});
  start(then);
}

void Builder::begin_else() {
  Impl& impl = *impl_;
  if (!impl.ends_structured()) [[unlikely]] return impl.begin_else();
  impl.structured.begin_else();
}

void Builder::Impl::begin_else() {
  if (scopes.empty()) return;
  Scope& scope = scopes.back();
  assert(scope.kind == ScopeKind::condition && !scope.has_else);
  scope.has_else = true;
  scope.after = f->new_block();
  if (at.is_open) jump(scope.after);
  if (scope.mark)
    ssa->second_side(*scope.mark, scope.first);
  else
    ssa->at(scope.first);
  take_up(scope.first);
}

void Builder::end_if() {
  Impl& impl = *impl_;
  if (!impl.ends_structured()) [[unlikely]] return impl.end_if();
  impl.structured.end_if();
}

/// Without an else part, the block that stood ready for it is where both ways meet.
void Builder::Impl::end_if() {
  if (scopes.empty()) return;
  Scope scope = scopes.back();
  scopes.pop_back();
  BlockId after = scope.has_else ? scope.after : scope.first;
  if (at.is_open) jump(after);
  start(after, scope, f->block(after).pred_count == 2);
}

// ---- loops ----

void Builder::begin_loop() {
  Impl& impl = *impl_;
  if (!impl.is_structured()) [[unlikely]] return impl.begin_loop();
  impl.structured.begin_loop();
}

void Builder::Impl::begin_loop() {
  open();
  BlockId head = f->new_block();
  scopes.push_back({ScopeKind::loop, head, none_id<BlockId>, ssa->mark()});
  jump(head);
  start(head);
}

void Builder::loop_while(const Arg& condition) {
  Impl& impl = *impl_;
  if (!impl.is_structured()) [[unlikely]] return impl.loop_while(condition);
  impl.structured.loop_while(Operand::from_word(impl.word(condition, i1)));
}

void Builder::Impl::loop_while(const Arg& condition) {
  if (scopes.empty()) return;
  open();
  Operand value = Operand::from_word(word(condition, i1));
  Scope& scope = scopes.back();
  BlockId body = f->new_block();
  if (is_none(scope.after)) scope.after = f->new_block();  // the condition may have left the loop already
  f->branch(at.block, value, body, scope.after, at.loc);
  ssa->seal(body);
  start(body);
}

void Builder::end_loop() {
  Impl& impl = *impl_;
  if (!impl.ends_structured(impl.structured.cost_of_loop_end())) [[unlikely]] return impl.end_loop();
  impl.structured.end_loop();
}

void Builder::Impl::end_loop() {
  if (scopes.empty()) return;
  Scope scope = scopes.back();
  scopes.pop_back();
  bool falls_back = at.is_open;
  if (falls_back) jump(scope.first);
  seal_loop(scope, falls_back);
  if (!is_none(scope.after)) return start(scope.after, scope, false);
  if (scope.mark) ssa->drop(*scope.mark);  // nothing leaves the loop
}

void Builder::break_() {
  Impl& impl = *impl_;
  if (impl.ends_structured() && impl.is_structured() && impl.structured.leave_loop(false)) return;
  for (size_t i = impl.scopes.size(); i-- > 0;) {
    Impl::Scope& scope = impl.scopes[i];
    if (scope.kind != ScopeKind::loop) continue;
    impl.open();
    impl.leave_scopes(i);
    if (is_none(scope.after)) scope.after = impl.f->new_block();
    return impl.jump(scope.after);
  }
  impl.error("break_ outside of a loop");
}

void Builder::continue_() {
  Impl& impl = *impl_;
  if (impl.ends_structured() && impl.is_structured() && impl.structured.leave_loop(true)) return;
  for (size_t i = impl.scopes.size(); i-- > 0;) {
    if (impl.scopes[i].kind != ScopeKind::loop) continue;
    impl.open();
    impl.leave_scopes(i);
    return impl.jump(impl.scopes[i].first);
  }
  impl.error("continue_ outside of a loop");
}

// ---- exceptions ----

void Builder::begin_try() {
  Impl& impl = *impl_;
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  impl.ssa->expect_handlers();
  BlockId handler = impl.f->new_block(), body = impl.f->new_block(), after = impl.f->new_block();
  Operand token = impl.f->enter(impl.at.block, handler, body, impl.at.loc);
  impl.ssa->mark_handler(handler);
  impl.ssa->seal(body);
  impl.scopes.push_back({ScopeKind::body, handler, after, {}, token});
  impl.start(body);
}

/// The exception ends here, at the start: whatever the handler does, jump or throw, there is nothing to clean up.
Val Builder::begin_handler() {
  Impl& impl = *impl_;
  if (impl.scopes.empty()) return null();
  assert(impl.scopes.back().kind == ScopeKind::body);
  if (impl.at.is_open) {
    impl.leave_scopes(impl.scopes.size() - 1);
    impl.jump(impl.scopes.back().after);
  }
  Impl::Scope& scope = impl.scopes.back();
  scope.kind = ScopeKind::handler;
  impl.start(scope.first);
  Val exception = the_exception();
  pop_exception(Val(this, scope.token.word(), token_type));
  return exception;
}

void Builder::end_try() {
  Impl& impl = *impl_;
  if (impl.scopes.empty()) return;
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  if (impl.at.is_open) impl.jump(scope.after);
  impl.ssa->seal(scope.after);
  impl.start(scope.after);
}

/// Pops the handlers of the scopes from `from` on: a jump is about to leave them.
void Builder::Impl::leave_scopes(size_t from) {
  words.clear();
  for (size_t i = scopes.size(); i-- > from;)
    if (scopes[i].kind == ScopeKind::body) words.push_back(scopes[i].token.word());
  if (!words.empty()) value(Op::leave, void_type);
  at.pause();
}

Val Builder::enter(Label handler, Label body) {
  Impl& impl = *impl_;
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  BlockId handler_block = impl.block_of(handler);
  if (!impl.ssa->is_handler(handler_block))
    impl.error("enter needs a handler_label, which " + impl.block_name(handler_block) + " is not");
  Operand token = impl.f->enter(impl.at.block, handler_block, impl.block_of(body), impl.at.loc);
  impl.close();
  return Val(this, token.word(), token_type);
}

void Builder::leave(Val token) {
  Arg operands[] = {token};
  impl_->build(Op::leave, operands, none);
}

// ---- ends ----

void Builder::ret() {
  Impl& impl = *impl_;
  if (impl.ends_block(Op::ret, nullptr)) return;
  impl.open();
  impl.leave_scopes(0);
  impl.f->ret(impl.at.block, impl.at.loc);
  impl.close();
}

void Builder::ret(Arg value) {
  Impl& impl = *impl_;
  Operand word = Operand::from_word(impl.word(value, impl.f->result_type()));
  if (impl.ends_block(Op::ret, &word)) return;
  impl.open();
  impl.leave_scopes(0);
  impl.f->ret(impl.at.block, word, impl.at.loc);
  impl.close();
}

void Builder::throw_(Arg exception) {
  Impl& impl = *impl_;
  Operand value = Operand::from_word(impl.word(exception, ref));
  if (impl.ends_block(Op::throw_, &value)) return;
  impl.open();
  impl.f->throw_value(impl.at.block, value, impl.at.loc);
  impl.close();
}

void Builder::deopt(Val state) {
  Impl& impl = *impl_;
  Operand value = Operand::from_word(impl.word(state, state_type));
  if (impl.ends_block(Op::deopt, &value)) return;
  impl.open();
  impl.f->deopt(impl.at.block, value, impl.at.loc);
  impl.close();
}

void Builder::unreachable() {
  Impl& impl = *impl_;
  if (impl.ends_block(Op::unreachable, nullptr)) return;
  impl.open();
  impl.f->unreachable(impl.at.block, impl.at.loc);
  impl.close();
}

}  // namespace braid
