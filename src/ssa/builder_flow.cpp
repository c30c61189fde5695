// Control flow of the Builder: structured scopes, blocks and jumps; and the small change of its implementation.
#include <bit>
#include <cassert>

#include "ir/bits.h"
#include "ir/transfer.h"
#include "ssa/builder_impl.h"
#include "type/type_text.h"

namespace braid {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ssa::ScopeKind;

// ---- conditions ----

void Builder::begin_if(Arg condition) {
  Impl& impl = *impl_;
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  BlockId then = impl.f.new_block(), otherwise = impl.f.new_block();
  impl.f.branch(impl.block, value, then, otherwise, impl.loc);
  impl.ssa.seal(then);
  impl.ssa.seal(otherwise);
  impl.scopes.push_back({ScopeKind::condition, otherwise, none_id<BlockId>, {}, false});
  impl.start(then);
}

void Builder::begin_else() {
  Impl& impl = *impl_;
  Impl::Scope& scope = impl.scopes.back();
  assert(scope.kind == ScopeKind::condition && !scope.has_else);
  scope.has_else = true;
  scope.after = impl.f.new_block();
  if (impl.is_open) impl.jump(scope.after);
  impl.start(scope.first);
}

/// Without an else part, the block that stood ready for it is where both ways meet.
void Builder::end_if() {
  Impl& impl = *impl_;
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  BlockId after = scope.has_else ? scope.after : scope.first;
  if (impl.is_open) impl.jump(after);
  impl.ssa.seal(after);
  impl.start(after);
}

// ---- loops ----

void Builder::begin_loop() {
  Impl& impl = *impl_;
  impl.open();
  BlockId head = impl.f.new_block();
  impl.jump(head);
  impl.scopes.push_back({ScopeKind::loop, head, none_id<BlockId>, {}, false});
  impl.start(head);
}

void Builder::loop_while(Arg condition) {
  Impl& impl = *impl_;
  Operand value = Operand::from_word(impl.word(condition, i1));
  Impl::Scope& scope = impl.scopes.back();
  BlockId body = impl.f.new_block();
  scope.after = impl.f.new_block();
  impl.open();
  impl.f.branch(impl.block, value, body, scope.after, impl.loc);
  impl.ssa.seal(body);
  impl.start(body);
}

void Builder::end_loop() {
  Impl& impl = *impl_;
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  if (impl.is_open) impl.jump(scope.first);
  impl.ssa.seal(scope.first);
  impl.close();
  if (is_none(scope.after)) return;  // nothing leaves the loop
  impl.ssa.seal(scope.after);
  impl.start(scope.after);
}

void Builder::break_() {
  Impl& impl = *impl_;
  for (size_t i = impl.scopes.size(); i-- > 0;) {
    if (impl.scopes[i].kind != ScopeKind::loop) continue;
    impl.open();
    impl.leave_scopes(i);
    if (is_none(impl.scopes[i].after)) impl.scopes[i].after = impl.f.new_block();
    impl.jump(impl.scopes[i].after);
    return;
  }
  impl.error("break_ outside of a loop");
}

void Builder::continue_() {
  Impl& impl = *impl_;
  for (size_t i = impl.scopes.size(); i-- > 0;) {
    if (impl.scopes[i].kind != ScopeKind::loop) continue;
    impl.open();
    impl.leave_scopes(i);
    impl.jump(impl.scopes[i].first);
    return;
  }
  impl.error("continue_ outside of a loop");
}

// ---- exceptions ----

void Builder::begin_try() {
  Impl& impl = *impl_;
  impl.open();
  impl.ssa.expect_handlers();
  BlockId handler = impl.f.new_block(), body = impl.f.new_block();
  Operand token = impl.f.enter(impl.block, handler, body, impl.loc);
  impl.ssa.mark_handler(handler);
  impl.ssa.seal(body);
  impl.scopes.push_back({ScopeKind::body, handler, impl.f.new_block(), token, false});
  impl.start(body);
}

Val Builder::begin_handler() {
  Impl& impl = *impl_;
  assert(impl.scopes.back().kind == ScopeKind::body);
  if (impl.is_open) {
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
  Impl::Scope scope = impl.scopes.back();
  impl.scopes.pop_back();
  if (impl.is_open) impl.jump(scope.after);
  impl.ssa.seal(scope.after);
  impl.start(scope.after);
}

/// Pops the handlers of the scopes from `from` on: a jump is about to leave them.
void Builder::Impl::leave_scopes(size_t from) {
  std::vector<uint32_t> tokens;
  for (size_t i = scopes.size(); i-- > from;)
    if (scopes[i].kind == ScopeKind::body) tokens.push_back(scopes[i].token.word());
  if (tokens.empty()) return;
  ir::Ref r = f.append(block, f.make(Op::leave, void_type, tokens, loc));
  ssa.note_leave(r, static_cast<uint32_t>(tokens.size()));
}

Val Builder::enter(Label handler, Label body) {
  Impl& impl = *impl_;
  impl.open();
  Operand token = impl.f.enter(impl.block, impl.block_of(handler), impl.block_of(body), impl.loc);
  impl.close();
  return Val(this, token.word(), token_type);
}

void Builder::leave(Val token) {
  Impl& impl = *impl_;
  impl.open();
  ir::Ref r = impl.f.append(impl.block, impl.f.make(Op::leave, void_type, {Operand::from_word(token.word_)}, impl.loc));
  impl.ssa.note_leave(r, 1);
}

// ---- blocks and jumps ----

Label Builder::label(std::string_view name) {
  impl_->has_labels = true;
  Symbol symbol = name.empty() ? none_id<Symbol> : impl_->f.module().symbol(name);
  return Label(index(impl_->f.new_block(symbol)));
}

Label Builder::handler_label(std::string_view name) {
  Label made = label(name);
  impl_->ssa.expect_handlers();
  impl_->ssa.mark_handler(static_cast<BlockId>(made.block_));
  return made;
}

Builder& Builder::at(Label block) {
  impl_->start(impl_->block_of(block));
  impl_->is_open = impl_->f.terminator(impl_->block).is_undef();
  return *this;
}

void Builder::jump(Label target) {
  impl_->open();
  impl_->jump(impl_->block_of(target));
}

void Builder::branch(Arg condition, Label if_true, Label if_false) {
  Impl& impl = *impl_;
  impl.open();
  Operand value = Operand::from_word(impl.word(condition, i1));
  impl.f.branch(impl.block, value, impl.block_of(if_true), impl.block_of(if_false), impl.loc);
  impl.close();
}

void Builder::switch_(Arg value, Label otherwise, std::initializer_list<Case> cases) {
  switch_(value, otherwise, std::span(cases.begin(), cases.size()));
}

void Builder::switch_(Arg value, Label otherwise, std::span<const Case> cases) {
  Impl& impl = *impl_;
  impl.open();
  Type type = value.form_ == Arg::Form::value ? value.type_ : i64;
  std::vector<ir::Function::Case> list;
  for (const Case& c : cases) list.push_back({impl.integer(type, c.value), impl.block_of(c.target)});
  impl.f.switch_on(impl.block, Operand::from_word(impl.word(value, type)), impl.block_of(otherwise), list, impl.loc);
  impl.close();
}

void Builder::ret() {
  impl_->open();
  impl_->leave_scopes(0);
  impl_->f.ret(impl_->block, impl_->loc);
  impl_->close();
}

void Builder::ret(Arg value) {
  impl_->open();
  Operand word = Operand::from_word(impl_->word(value, impl_->f.result_type()));
  impl_->leave_scopes(0);
  impl_->f.ret(impl_->block, word, impl_->loc);
  impl_->close();
}

void Builder::throw_(Arg exception) {
  impl_->open();
  impl_->f.throw_value(impl_->block, Operand::from_word(impl_->word(exception, ref)), impl_->loc);
  impl_->close();
}

void Builder::unreachable() {
  impl_->open();
  impl_->f.unreachable(impl_->block, impl_->loc);
  impl_->close();
}

// ---- implementation ----

BlockId Builder::Impl::block_of(Label label) {
  if (label.block_ < f.block_count()) return static_cast<BlockId>(label.block_);
  error("a label that was not made by this builder");
  return f.new_block();
}

void Builder::Impl::jump(BlockId to) {
  f.jump(block, to, loc);
  close();
}

/// A void function returns at its end. Where a value is due, the end must not be reachable.
void Builder::Impl::finish_open_block() {
  if (!is_open) return;
  if (f.result_type() == void_type) {
    f.ret(block, loc);
  } else {
    if (block == ir::Function::entry() || f.live_pred_count(block) != 0)
      error("control reaches the end of the function, which returns " + type_name(f.result_type()));
    f.unreachable(block, loc);
  }
  close();
}

uint32_t Builder::Impl::declare(Type type, Operand initial, Symbol name) {
  names.push_back(name);
  if (!flags.empty()) flags.push_back(no_flag);
  return ssa.declare(type, initial);
}

void Builder::Impl::add_flag(uint32_t variable) {
  uint32_t flag = declare(i1, f.module().constant(i1, 0), names[variable]);
  flags.resize(ssa.variable_count(), no_flag);
  flags[variable] = flag;
}

/// A variable that may be unassigned is checked at each read; compaction drops the checks that always pass.
uint32_t Builder::Impl::read(uint32_t variable) {
  open();
  Operand value = ssa.read(variable);
  if (flags.empty() || flags[variable] == no_flag) return value.word();
  Operand flag = ssa.read(flags[variable]);
  if (flag != f.module().constant(i1, 1)) {
    uint32_t words[] = {index(names[variable]), flag.word()};
    f.append(block, f.make(Op::throw_undef, void_type, words, loc));
  }
  return value.word();
}

void Builder::Impl::write(uint32_t variable, Operand value) {
  open();
  ssa.write(variable, value);
  if (!flags.empty() && flags[variable] != no_flag)
    ssa.write(flags[variable], f.module().constant(i1, value.is_undef() ? 0 : 1));
}

void Builder::unset(Var& variable) { impl_->write(variable.number_, Operand::undef()); }

Val Builder::is_defined(const Var& variable) {
  impl_->open();
  uint32_t flag = impl_->flags.empty() ? Impl::no_flag : impl_->flags[variable.number_];
  if (flag == Impl::no_flag) return constant(i1, int64_t{1});
  return Val(this, impl_->ssa.read(flag).word(), i1);
}

Val Builder::Impl::value(Builder* builder, Op op, std::span<const uint32_t> words, Type declared) {
  open();
  ir::Inst inst = f.make(op, declared, words, loc);
  Type derived = ir::result_type(f, inst.stmt);
  if (derived != none) inst.type = derived;
  return Val(builder, Operand(f.append(block, inst)).word(), inst.type);
}

uint32_t Builder::Impl::word(const Arg& arg, Type wanted) {
  switch (arg.form_) {
    case Arg::Form::value: return arg.word_;
    case Arg::Form::integer: return integer(wanted, arg.integer_).word();
    case Arg::Form::real: return real(wanted, arg.real_).word();
  }
  return 0;
}

Operand Builder::Impl::integer(Type type, int64_t value) {
  if (type == f64 || type == f32) return real(type, static_cast<double>(value));
  std::optional<Kind> kind = f.module().types.single_kind(type);
  if (kind && is_integer(*kind)) {
    uint64_t bits = ir::canonical(*kind, static_cast<uint64_t>(value));
    // A number may be meant signed or unsigned; it must fit one of the two.
    bool fits = static_cast<int64_t>(bits) == value ||
                (bit_width(*kind) < 64 && value >= 0 && (static_cast<uint64_t>(value) >> bit_width(*kind)) == 0);
    if (!fits) error(std::to_string(value) + " does not fit in " + type_name(type));
    return f.module().constants.get(type, bits);
  }
  if ((type == ptr || type == ref) && value == 0) return f.module().constant(type, 0);
  error("an integer cannot stand for " + type_name(type));
  return f.module().constant(i64, 0);
}

Operand Builder::Impl::real(Type type, double value) {
  if (type == f64) return f.module().constants.get(f64, std::bit_cast<uint64_t>(value));
  if (type == f32) return f.module().constants.get(f32, std::bit_cast<uint32_t>(static_cast<float>(value)));
  error("a floating-point number cannot stand for " + type_name(type));
  return f.module().constant(i64, 0);
}

Operand Builder::Impl::zero(Type type) {
  if (type == void_type || type == none) return f.module().constant(i64, 0);
  return integer(type, 0);
}

void Builder::Impl::error(std::string message) {
  errors.error("in '@" + std::string(f.name_text()) + "': " + std::move(message), "", 0, 0);
}

void Builder::Impl::mismatch(Op op, Type left, Type right) {
  if (left == right)
    error("the operator does not exist for " + type_name(left));
  else
    error("'" + std::string(ir::info(op).text) + "' of " + type_name(left) + " and " + type_name(right));
}

std::string Builder::Impl::block_name(BlockId b) const {
  Symbol name = f.block(b).name;
  return is_none(name) ? "b" + std::to_string(index(b)) : "'" + std::string(f.module().name(name)) + "'";
}

std::string Builder::Impl::type_name(Type type) const { return to_string(f.module().types, type); }

}  // namespace braid
