// Blocks of the Builder's user: labels, jumps, and phis by hand.
#include "ssa/builder_impl.h"

namespace braid {

using ir::BlockId;
using ir::Operand;

/// Labels before anything else but statements, and phis by hand, are in order at first. Then labels without a
/// name need no call.
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

void Builder::Impl::arrive(Label target, ir::EdgeId edge, std::initializer_list<Arg> values) {
  if (!is_ours(target)) return;  // a mistake, which was reported
  uint32_t mark = labels.mark();
  bring(values);
  labels.arrive_anywhere(target.block_, edge, mark, number());
}

void Builder::jump(Label target, std::initializer_list<Arg> values) {
  Impl& impl = *impl_;
  if (impl.fills_in_order() && impl.is_ours(target)) {
    uint32_t mark = impl.labels.mark_in_order();
    impl.bring(values);
    return impl.labels.jump(target.block_, mark, impl.number());
  }
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  BlockId from = impl.at.block;
  impl.jump(impl.block_of(target));
  impl.f->for_each_succ(from, [&](ir::EdgeId e) { impl.arrive(target, e, values); });
}

void Builder::branch(const Arg& condition, Label if_true, Label if_false) {
  Impl& impl = *impl_;
  if (!impl.fills_in_order() || !impl.is_ours(if_true) || !impl.is_ours(if_false))
    return branch(condition, if_true, {}, if_false, {});
  impl.labels.branch(Operand::from_word(impl.word(condition, i1)), if_true.block_, if_false.block_);
}

void Builder::branch(const Arg& condition, Label if_true, std::initializer_list<Arg> true_values,
                     Label if_false, std::initializer_list<Arg> false_values) {
  Impl& impl = *impl_;
  if (impl.fills_in_order() && impl.is_ours(if_true) && impl.is_ours(if_false)) {
    uint32_t mark = impl.labels.mark_in_order();
    Operand value = Operand::from_word(impl.word(condition, i1));
    impl.bring(true_values);
    return impl.labels.branch(
        value, if_true.block_, mark, if_false.block_, [&] { impl.bring(false_values); }, impl.number());
  }
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  BlockId from = impl.at.block, first = impl.block_of(if_true), second = impl.block_of(if_false);
  impl.f->branch(from, value, first, second, impl.at.loc);
  impl.close();
  bool is_first = true;
  impl.f->for_each_succ(from, [&](ir::EdgeId e) {
    impl.arrive(is_first ? if_true : if_false, e, is_first ? true_values : false_values);
    is_first = false;
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
  impl.f->switch_on(impl.at.block, Operand::from_word(impl.word(value, type)), impl.block_of(otherwise), list,
                    impl.at.loc);
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
