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
  if (impl.is_structured()) return impl.structured.begin_if(Operand::from_word(impl.word(condition, i1)));
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  BlockId then = impl.f->new_block(), otherwise = impl.f->new_block();
  impl.f->branch(impl.at.block, value, then, otherwise, impl.at.loc);
  impl.ssa->seal(then);
  impl.ssa->seal(otherwise);
  impl.scopes.push_back({ScopeKind::condition, otherwise, none_id<BlockId>, impl.ssa->mark()});
  impl.start(then);
}

void Builder::begin_else() {
  Impl& impl = *impl_;
  if (impl.ends_structured()) return impl.structured.begin_else();
  if (impl.scopes.empty()) return;
  Impl::Scope& scope = impl.scopes.back();
  assert(scope.kind == ScopeKind::condition && !scope.has_else);
  scope.has_else = true;
  scope.after = impl.f->new_block();
  if (impl.at.is_open) impl.jump(scope.after);
  if (scope.mark)
    impl.ssa->second_side(*scope.mark, scope.first);
  else
    impl.ssa->at(scope.first);
  impl.take_up(scope.first);
}

/// Without an else part, the block that stood ready for it is where both ways meet.
void Builder::end_if() {
  Impl& impl = *impl_;
  if (impl.ends_structured()) return impl.structured.end_if();
  if (impl.scopes.empty()) return;
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  BlockId after = scope.has_else ? scope.after : scope.first;
  if (impl.at.is_open) impl.jump(after);
  impl.start(after, scope, impl.f->block(after).pred_count == 2);
}

// ---- loops ----

void Builder::begin_loop() {
  Impl& impl = *impl_;
  if (impl.is_structured()) return impl.structured.begin_loop();
  impl.open();
  BlockId head = impl.f->new_block();
  impl.scopes.push_back({ScopeKind::loop, head, none_id<BlockId>, impl.ssa->mark()});
  impl.jump(head);
  impl.start(head);
}

void Builder::loop_while(const Arg& condition) {
  Impl& impl = *impl_;
  if (impl.is_structured()) return impl.structured.loop_while(Operand::from_word(impl.word(condition, i1)));
  if (impl.scopes.empty()) return;
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  Impl::Scope& scope = impl.scopes.back();
  BlockId body = impl.f->new_block();
  if (is_none(scope.after)) scope.after = impl.f->new_block();  // the condition may have left the loop already
  impl.f->branch(impl.at.block, value, body, scope.after, impl.at.loc);
  impl.ssa->seal(body);
  impl.start(body);
}

void Builder::end_loop() {
  Impl& impl = *impl_;
  if (impl.ends_structured(impl.structured.cost_of_loop_end())) return impl.structured.end_loop();
  if (impl.scopes.empty()) return;
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  bool falls_back = impl.at.is_open;
  if (falls_back) impl.jump(scope.first);
  impl.seal_loop(scope, falls_back);
  if (!is_none(scope.after)) return impl.start(scope.after, scope, false);
  if (scope.mark) impl.ssa->drop(*scope.mark);  // nothing leaves the loop
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
