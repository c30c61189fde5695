// Blocks of the Builder's user: labels, jumps, and phis by hand.
#include "ssa/builder_impl.h"

namespace braid {

using ir::BlockId;
using ir::Operand;

/// Labels before anything else but statements, and phis by hand, are in order at first. Then labels without a
/// name need no call.
uint32_t Builder::new_label(std::string_view name) {
  Impl& impl = *impl_;
  if (!impl.ssa && !impl.has_labels && impl.at.is_open && impl.structured.has_only_entry())
    impl.labels.begin_in_order();
  else if (!impl.ssa && !impl.labels.is_in_order())
    impl.go_on_otherwise();
  if (impl.state != Impl::State::building) impl.open();
  impl.has_labels = true;
  Symbol symbol = name.empty() ? none_id<Symbol> : impl.module().symbol(name);
  return impl.labels.is_in_order() ? impl.labels.make(symbol) : impl.label_blocks.make(symbol);
}

Label Builder::handler_label(std::string_view name) {
  if (!impl_->ssa) impl_->go_on_otherwise();
  Label made = label(name);
  impl_->ssa->expect_handlers();
  impl_->ssa->mark_handler(impl_->block_of(made));
  return made;
}

void Builder::take_up(Label label) {
  Impl& impl = *impl_;
  if (impl.labels.is_in_order() && impl.is_ours(label) && impl.labels.fill(label.block_)) return;
  if (!impl.ssa) impl.go_on_otherwise();
  if (impl.state != Impl::State::building) impl.open();
  BlockId block = impl.block_of(label);
  if (!impl.f->terminator(block).is_undef()) {
    impl.error("block " + impl.block_name(block) + " has its terminator already");
    block = impl.f->new_block();
  }
  impl.start(block);
  if (impl.is_ours(label)) impl.label_blocks.take_up(label.block_);
}

detail::TypedWord Builder::phi_slow(Type type) {
  Impl& impl = *impl_;
  type = impl.known(type, "a phi");
  if (type == none || type == void_type) {
    impl.error("a phi cannot have the type " + impl.type_name(type));
    return impl.nothing().value_;
  }
  bool is_in_order = impl.labels.is_in_order();
  if (!is_in_order) impl.open();
  bool is_placed = is_in_order ? impl.labels.may_have_phi() : impl.label_blocks.may_have_phi();
  uint32_t made = 0;
  if (is_placed) made = is_in_order ? impl.labels.phi(type) : impl.label_blocks.phi(type);
  if (!is_in_order) impl.at.resume();
  if (is_placed) return detail::TypedWord::of(made, type);
  impl.error("a phi must be first in a block with a label, but for other phis");
  return impl.nothing(type).value_;
}

// ---- jumps ----

void Builder::Impl::bring(std::span<const Arg> values, std::vector<ssa::TypedWord>& to) {
  for (const Arg& value : values)
    if (value.form_ == Arg::Form::value)
      to.push_back(ssa::TypedWord::of(word(value, none), type_of(value)));
    else
      to.push_back(brought.add_number(value));
}

void Builder::Impl::arrive(Label target, ir::EdgeId edge, std::span<const Arg> values) {
  if (!is_ours(target)) return;  // a mistake, which was reported
  brought_words.clear();
  bring(values, brought_words);
  label_blocks.arrive(target.block_, edge, brought_words);
}

void Builder::jump(Label target, std::span<const Arg> values) {
  Impl& impl = *impl_;
  if (impl.fills_in_order() && impl.is_ours(target)) {
    impl.brought_words.clear();
    impl.bring(values, impl.brought_words);
    return impl.labels.jump(target.block_, impl.brought_words);
  }
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  BlockId from = impl.at.block;
  impl.jump(impl.block_of(target));
  impl.f->for_each_succ(from, [&](ir::EdgeId e) { impl.arrive(target, e, values); });
}

void Builder::branch_slow(Arg condition, Label if_true, Label if_false) { branch(condition, if_true, {}, if_false, {}); }

void Builder::branch(const Arg& condition, Label if_true, std::initializer_list<Arg> true_values, Label if_false,
                     std::initializer_list<Arg> false_values) {
  Impl& impl = *impl_;
  std::span<const Arg> first_values(true_values.begin(), true_values.size());
  std::span<const Arg> second_values(false_values.begin(), false_values.size());
  if (impl.fills_in_order() && impl.is_ours(if_true) && impl.is_ours(if_false)) {
    Operand value = Operand::from_word(impl.word(condition, i1));
    impl.brought_words.clear();
    impl.bring(first_values, impl.brought_words);
    impl.bring(second_values, impl.brought_words);
    std::span<const ssa::TypedWord> words = impl.brought_words;
    return impl.labels.branch(value, if_true.block_, words.first(first_values.size()), if_false.block_,
                                           words.subspan(first_values.size()));
  }
  if (!impl.ssa) impl.go_on_otherwise();
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  BlockId from = impl.at.block, first = impl.block_of(if_true), second = impl.block_of(if_false);
  impl.f->branch(from, value, first, second, impl.at.loc);
  impl.close();
  bool is_first = true;
  impl.f->for_each_succ(from, [&](ir::EdgeId e) {
    impl.arrive(is_first ? if_true : if_false, e, is_first ? first_values : second_values);
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
  const Type type = impl.type_of(value) == none ? i64 : impl.type_of(value);
  std::vector<ir::Function::Case> list;
  list.reserve(cases.size());
  for (const Case& c : cases) list.push_back({impl.integer(type, c.value), impl.block_of(c.target)});
  impl.f->switch_on(impl.at.block, Operand::from_word(impl.word(value, type)), impl.block_of(otherwise), list,
                    impl.at.loc);
  impl.close();
}

BlockId Builder::Impl::block_of(Label label) {
  if (is_ours(label))
    if (BlockId b = label_blocks.block(label.block_); index(b) < f->block_count()) return b;
  error("a label that was not made by this builder");
  return f->new_block();
}

void Builder::Impl::jump(BlockId to) {
  at.pause();
  f->jump(at.block, to, at.loc);
  close();
}

}  // namespace braid
