// Control flow of the Builder: structured scopes, blocks and jumps.
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

// ---- blocks and jumps ----

/// Labels before anything else but statements, and phis by hand, are in order at first. Then labels without a name need no call.
Label Builder::new_label(std::string_view name) {
  Impl& impl = *impl_;
  if (!impl.ssa && !impl.has_labels && impl.at.is_open && impl.structured.has_only_entry())
    impl.labels.begin_in_order();
  else if (!impl.ssa && !impl.labels.is_in_order())
    impl.go_on_otherwise();
  if (impl.state != Impl::State::building) impl.open();
  impl.has_labels = true;
  Symbol symbol = name.empty() ? none_id<Symbol> : impl.module().symbol(name);
  impl.labels.make(next_label_, symbol);
  label_room_ = impl.labels.room();
  return Label(this, next_label_++);
}

Label Builder::handler_label(std::string_view name) {
  if (!impl_->ssa) impl_->go_on_otherwise();
  Label made = label(name);
  impl_->ssa->expect_handlers();
  impl_->ssa->mark_handler(impl_->block_of(made));
  return made;
}

Builder& Builder::at(Label label) {
  Impl& impl = *impl_;
  if (impl.labels.is_in_order() && impl.is_ours(label) && impl.labels.fill(label.block_)) return *this;
  if (!impl.ssa) impl.go_on_otherwise();
  if (impl.state != Impl::State::building) impl.open();
  BlockId block = impl.block_of(label);
  if (!impl.f->terminator(block).is_undef()) {
    impl.error("block " + impl.block_name(block) + " has its terminator already");
    block = impl.f->new_block();
  }
  impl.start(block);
  if (impl.is_ours(label)) impl.labels.take_up(label.block_);
  return *this;
}

Val Builder::phi(Type type) {
  Impl& impl = *impl_;
  auto misplaced = [&] {
    impl.error("a phi must be first in a block with a label, but for other phis");
    return impl.nothing(type);
  };
  if (type == none || type == void_type) {
    impl.error("a phi cannot have the type " + impl.type_name(type));
    return impl.nothing();
  }
  if (impl.labels.is_in_order())
    return impl.labels.may_have_phi() ? Val(this, impl.labels.phi(type, impl.number()), type) : misplaced();
  impl.open();
  if (!impl.labels.may_have_phi_anywhere()) {
    impl.at.resume();
    return misplaced();
  }
  uint32_t made = impl.labels.phi_anywhere(type, impl.number());
  impl.at.resume();
  return Val(this, made, type);
}

void Builder::Impl::bring(std::initializer_list<Arg> values) {
  ssa::Labels::Brought* to = labels.bring(static_cast<uint32_t>(values.size()));
  for (const Arg& value : values)
    if (value.form_ == Arg::Form::value) {
      to->word = word(value, none);
      (to++)->type = value.type_;
    } else {
      *to++ = labels.number(value);
    }
}

void Builder::jump(Label target, std::initializer_list<Arg> values) {
  Impl& impl = *impl_;
  uint32_t mark = impl.labels.mark();
  impl.bring(values);
  if (impl.fills_in_order() && impl.is_ours(target))
    return impl.labels.jump(target.block_, mark, impl.number());
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  BlockId from = impl.at.block;
  impl.jump(impl.block_of(target));
  if (impl.is_ours(target))
    impl.f->for_each_succ(from, [&](ir::EdgeId e) { impl.labels.arrive_anywhere(target.block_, e, mark, impl.number()); });
}

void Builder::branch(const Arg& condition, Label if_true, Label if_false) {
  Impl& impl = *impl_;
  if (!impl.fills_in_order() || !impl.is_ours(if_true) || !impl.is_ours(if_false))
    return branch(condition, if_true, {}, if_false, {});
  impl.labels.branch(Operand::from_word(impl.word(condition, i1)), if_true.block_, if_false.block_);
}

void Builder::branch(const Arg& condition, Label if_true, std::initializer_list<Arg> true_values, Label if_false,
                     std::initializer_list<Arg> false_values) {
  Impl& impl = *impl_;
  if (impl.fills_in_order() && impl.is_ours(if_true) && impl.is_ours(if_false)) {
    uint32_t mark = impl.labels.mark();
    Operand value = Operand::from_word(impl.word(condition, i1));
    impl.bring(true_values);
    return impl.labels.branch(value, if_true.block_, mark, if_false.block_, [&] { impl.bring(false_values); }, impl.number());
  }
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  BlockId from = impl.at.block, first = impl.block_of(if_true), second = impl.block_of(if_false);
  impl.f->branch(from, value, first, second, impl.at.loc);
  impl.close();
  bool is_first = true;
  impl.f->for_each_succ(from, [&](ir::EdgeId e) {
    Label target = is_first ? if_true : if_false;
    uint32_t mark = impl.labels.mark();
    impl.bring(is_first ? true_values : false_values);
    is_first = false;
    if (impl.is_ours(target)) impl.labels.arrive_anywhere(target.block_, e, mark, impl.number());
  });
}

void Builder::switch_(Arg value, Label otherwise, std::initializer_list<Case> cases) {
  switch_(value, otherwise, std::span(cases.begin(), cases.size()));
}

void Builder::switch_(Arg value, Label otherwise, std::span<const Case> cases) {
  Impl& impl = *impl_;
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  Type type = value.form_ == Arg::Form::value ? value.type_ : i64;
  std::vector<ir::Function::Case> list;
  list.reserve(cases.size());
  for (const Case& c : cases) list.push_back({impl.integer(type, c.value), impl.block_of(c.target)});
  impl.f->switch_on(impl.at.block, Operand::from_word(impl.word(value, type)), impl.block_of(otherwise), list, impl.at.loc);
  impl.close();
}

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

BlockId Builder::Impl::block_of(Label label) {
  if (is_ours(label))
    if (BlockId b = labels.block(label.block_); !is_none(b) && index(b) < f->block_count()) return b;
  error("a label that was not made by this builder");
  return f->new_block();
}

void Builder::Impl::jump(BlockId to) {
  at.pause();
  f->jump(at.block, to, at.loc);
  close();
}

}  // namespace braid
