// The life of a Builder, and its variables.
#include <braid/builder.h>

#include <algorithm>
#include <cassert>

#include "flow/orders.h"
#include "ir/compact.h"
#include "ir/graph_view.h"
#include "ir/place.h"
#include "ir/place_phis.h"
#include "ssa/builder_impl.h"
#include "ssa/structured_steps.h"
#include "type/type_text.h"

namespace braid {

using ir::BlockId;
using ir::Op;
using ir::Operand;

// ---- life ----

Builder::Builder(Module& m, std::string_view name, std::initializer_list<Param> params, Type result)
    : Builder(m, name, std::span(params.begin(), params.size()), result) {}

Builder::Builder(Module& m, std::string_view name, std::span<const Param> params, Type result) {
  ir::Module& module = m.ir();
  ir::Signature signature;
  const Param* unknown = nullptr;
  signature.result = module.types.has(result) ? result : i64;
  signature.params.reserve(params.size());
  for (const Param& param : params) {
    const bool is_known = module.types.has(param.type);
    if (!is_known) unknown = &param;
    signature.params.push_back(is_known ? param.type : i64);
  }
  Symbol symbol = module.symbol(name);
  ir::SigId signature_id = module.signature(std::move(signature));
  const ir::Place place = ir::declare_place(module, symbol, signature_id);
  impl_ = std::make_unique<Impl>(*this, module, symbol, signature_id, place.declaration);
  if (place.mistake != nullptr) impl_->error(place.mistake);
  if (unknown != nullptr) impl_->error("the type of parameter '" + unknown->name + "' does not exist");
  if (!module.types.has(result)) impl_->error("the type of the result does not exist");

  impl_->names.reserve(16);
  std::vector<Symbol>& names = impl_->f->param_names;
  names.reserve(params.size());
  for (const Param& param : params) names.push_back(param.name.empty() ? none_id<Symbol> : module.symbol(param.name));
  constexpr size_t few = 16;
  Symbol in_place[few];
  std::vector<Symbol> many;
  if (names.size() > few) many.resize(names.size());
  std::span<Symbol> sorted(names.size() > few ? many.data() : in_place, names.size());
  std::copy(names.begin(), names.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] == sorted[i - 1] && !is_none(sorted[i]))
      impl_->error("two parameters have the name '" + std::string(module.name(sorted[i])) + "'");
  for (uint32_t i = 0; i < params.size(); ++i) impl_->declare(impl_->f->param_type(i), Operand::param(i), names[i]);
}

Builder::~Builder() = default;

void Builder::reserve(uint32_t statements, uint32_t blocks) {
  ssa::BlockEnd& at = impl_->at;
  at.pause();  // what is written to may move
  impl_->f->reserve(statements, blocks, 2 * blocks);
  if (at.is_open) at.resume();
}

Expected<Func*> Builder::try_done(bool verified) {
  Impl& impl = *impl_;
  if (impl.state == Impl::State::building) {
    impl.end_blocks();
    bool sound = impl.finish();
    if (sound && verified)
      if (Expected<void> checked = verify(*impl.f); !checked) {
        impl.errors.merge(std::move(checked).error());
        sound = false;
      }
    impl.scopes.clear();
    impl.labels.forget();
    impl.label_blocks.forget();
    impl.close();
    if (sound) sound = impl.take_place();
    // What is wrong must not be called or run: only the declaration stays.
    if (!sound) impl.own = ir::declaration_of(impl.own);
    impl.f = impl.at.f = impl.finished = sound ? impl.place : &impl.own;
    impl.state = sound ? Impl::State::done : Impl::State::failed;
  }
  if (impl.errors.has_errors()) return impl.errors;
  return impl.finished;
}

Func& Builder::done() { return *try_done().value(); }

/// Gives every block a terminator. A void function returns at its end; where a value is due, the end must not be reachable.
/// A label that was not used after all is no mistake.
void Builder::Impl::end_blocks() {
  if (!ssa) {
    end_last_block();
    bool is_complete = labels.is_in_order() ? labels.link() : !structured.has_scopes();
    if (is_complete) return report_brought_values();
    go_on_otherwise();
  }
  report_brought_values();
  at.pause();
  if (!scopes.empty()) error("a loop, condition or try is still open");
  BlockId end = none_id<BlockId>;
  if (at.is_open && f->result_type() == void_type) {
    f->ret(at.block, at.loc);
  } else if (at.is_open) {
    end = at.block;
    f->unreachable(at.block, at.loc);
  }
  for (uint32_t i = 0; i < f->block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    if (!f->terminator(b).is_undef()) continue;
    bool is_unused = b != ir::Function::entry() && f->block(b).pred_count == 0 && f->last_of(b).is_undef();
    if (!is_unused) error("block " + block_name(b) + " has no terminator");
    f->unreachable(b);
  }
  if (is_none(end) || (end != ir::Function::entry() && f->block(end).pred_count == 0)) return;
  if (flow::reachable(ir::block_graph(*f)).test(ir::node(end)))
    error(end_is_reached());
}

/// Every block but the current one has its terminator, and all of them can be reached.
void Builder::Impl::end_last_block() {
  if (!at.is_open || structured.has_scopes()) return;
  bool returns = f->result_type() == void_type;
  ends_block(returns ? Op::ret : Op::unreachable, nullptr);
  if (!returns) error(end_is_reached());
}

void Builder::Impl::report_brought_values() {
  if (ssa) label_blocks.find_mistakes();
  for (const ssa::BroughtValues::Mistake& mistake : brought.mistakes) {
    at.loc = mistake.loc;
    std::string block = "block " + block_name(ssa ? label_blocks.block(mistake.label) : labels.block(mistake.label));
    if (mistake.is_count())
      error(block + " has " + std::to_string(mistake.phis) + " phis, and a jump to it brings " +
            std::to_string(mistake.values) + " values");
    else
      error(block + " has a phi of type " + type_name(mistake.phi_type) + ", and a jump to it brings a value of type " +
            type_name(mistake.type));
  }
}

std::string Builder::Impl::end_is_reached() const {
  return "control reaches the end of the function, which returns " + type_name(f->result_type());
}

bool Builder::Impl::finish() {
  if (errors.has_errors()) return false;
  if (!ssa) {
    if (labels.is_in_order())
      labels.finish();
    else
      structured.finish();
    return true;
  }
  ssa::OnTheFly::Outcome outcome = ssa->finish(!has_labels);
  if (!is_none(outcome.unlogged)) {
    error("block " + block_name(outcome.unlogged) + " was filled before the label of the handler that protects it was made");
    return false;
  }
  // What has read a phi may have turned out to be none itself.
  ir::erase_dead_phis(*f);
  ir::compact(*f);
  return true;
}

/// The module gets the function, if another builder of this name has not given it one in the meantime.
bool Builder::Impl::take_place() {
  if (ir::take_place(*place, std::move(own))) return true;
  error("the function is defined twice");
  return false;
}

/// For mistakes behind the end: whatever is built from now on stays outside of the module.
void Builder::Impl::start_again() {
  error("the builder is used after it was done");
  late = std::make_unique<ir::Function>(module(), none_id<ir::FuncId>, f->name(), f->signature_id(), false);
  f = at.f = late.get();
  std::vector<Type> types;
  for (uint32_t v = 0; v < names.size(); ++v) types.push_back(ssa ? ssa->type(v) : structured.type(v));
  ssa.emplace(*f, owner.variables_);
  for (Type type : types) ssa->declare(type, Operand::undef());
}

bool Builder::Impl::go_on_otherwise() {
  if (state != State::building) {
    start_again();
    return true;
  }
  at.pause();
  ssa.emplace(*f, owner.variables_);
  std::vector<ssa::Structured::OpenScope> open_scopes;
  if (labels.is_in_order()) {
    labels.hand_over(*ssa, label_blocks, structured);
  } else {
    open_scopes = structured.hand_over(*ssa);
  }
  for (const ssa::Structured::OpenScope& open : open_scopes) {
    Scope& scope = scopes.emplace_back();
    scope.kind = open.is_loop ? ssa::ScopeKind::loop : ssa::ScopeKind::condition;
    scope.first = open.first;
    scope.after = open.has_else && is_none(open.after) ? f->new_block() : open.after;
    scope.has_else = open.has_else;
    if (!open.is_loop && !open.has_else) ssa->seal(open.first);
  }
  if (at.is_open)
    start(at.block);
  else
    ssa->pause();
  return true;
}

/// Jumps of the user's own may lead around the mark.
void Builder::Impl::start(BlockId b, const Scope& scope, bool sides) {
  if (has_labels || !scope.mark) {
    if (scope.mark) ssa->drop(*scope.mark);
    ssa->seal(b);
    ssa->at(b);
  } else {
    ssa->meet(*scope.mark, b, sides);
  }
  take_up(b);
}

void Builder::Impl::open_new() {
  if (!ssa) go_on_otherwise();
  if (state != State::building && f == finished) start_again();
  start(f->new_block());
}

// ---- variables ----

/// What is usual is done without a frame of its own: a phi is read for the first time.
uint32_t Builder::read_slow(uint32_t variable) {
  Impl& impl = *impl_;
  detail::VariableSlot& slot = variables_.slots[variable];
  if (!variables_.is_structured) [[unlikely]] return impl.read(variable);
  if (variables_.may_be_unread(slot) && impl.structured.reads_phi(slot)) return slot.word;
  return impl.at.is_open ? impl.structured.read(variable) : impl.read(variable);
}
void Builder::write_slow(uint32_t variable, uint32_t word) {
  impl_->write(variable, Operand::from_word(word));
}

Builder::NewVar Builder::find_param(uint32_t number) {
  if (number < impl_->f->param_count()) return {number, impl_->f->param_type(number)};
  impl_->error("there is no parameter " + std::to_string(number));
  return new_var("", i64, Undefined::zero);
}

Builder::NewVar Builder::find_param(std::string_view name) {
  Symbol symbol = impl_->module().symbols.find(name);
  const std::vector<Symbol>& names = impl_->f->param_names;
  for (uint32_t i = 0; i < names.size() && !is_none(symbol); ++i)
    if (names[i] == symbol) return find_param(i);
  impl_->error("there is no parameter '" + std::string(name) + "'");
  return new_var(name, i64, Undefined::zero);
}

Builder::NewVar Builder::new_var(std::string_view name, Type type, Undefined meaning) {
  Impl& impl = *impl_;
  type = impl.known(type, "a variable");
  if (type == none || type == void_type) impl.error("a variable cannot have the type " + impl.type_name(type));
  Operand zero = meaning == Undefined::reject ? Operand::undef() : impl.zero(type);
  if (meaning == Undefined::zero && zero.is_undef()) impl.error("there is no zero of type " + impl.type_name(type));
  Symbol symbol = impl.module().symbol(name);
  uint32_t number = impl.declare(type, zero, symbol);
  if (meaning != Undefined::throws) return {number, type};
  if (!impl.ssa) impl.go_on_otherwise();
  // Whether it is assigned is a variable of its own. Its value is zero until then, not undef: behind a check that always
  // fails, statements still need an operand.
  Impl::Checked parts;
  parts.value = impl.declare(type, zero, symbol);
  parts.flag = impl.declare(i1, impl.module().constant(i1, 0), symbol);
  impl.ssa->expect_equal_values();
  impl.checked.resize(number + 1);
  impl.checked[number] = parts;
  return {number, type};
}

Builder::NewVar Builder::new_var(std::string_view name, Type type, const Arg& initial) {
  Impl& impl = *impl_;
  type = impl.known(type, "a variable");
  if (type == none || type == void_type) impl.error("a variable cannot have the type " + impl.type_name(type));
  uint32_t number = impl.declare(type, Operand::undef(), impl.module().symbol(name));
  bool is_value = initial.form_ == Arg::Form::value && initial.builder_ == this;
  if (is_value) impl.check_assignment(initial.type(), type);
  write(number, impl.word(initial, type));
  return {number, type};
}

/// The value is again what it was before the first assignment.
void Builder::unset(Var& variable) {
  bool is_param = variable.number_ < impl_->f->param_count();
  impl_->write(variable.number_, is_param ? Operand::undef() : impl_->initial(variable.number_), false);
}

Val Builder::is_defined(const Var& variable) {
  impl_->open();
  if (!impl_->is_checked(variable.number_)) return constant(i1, int64_t{1});
  return Val(this, writer_.name(impl_->ssa->read(impl_->checked[variable.number_].flag).word()), i1);
}

uint32_t Builder::checked(Val value, Type wanted) {
  if (value.builder_ != this) {
    impl_->error("a value of another builder");
    return impl_->nothing().word();
  }
  impl_->check_assignment(value.type(), wanted);
  return current(value.word());
}

void Builder::Impl::check_assignment(Type from, Type to) {
  if (!module().types.leq(from, to))
    error("a variable of type " + type_name(to) + " gets a value of type " + type_name(from));
}

uint32_t Builder::current_slow(uint32_t word) const {
  if (impl_->state != Impl::State::building) return impl_->nothing().word();
  return impl_->structured.current(word);
}

uint32_t Builder::Impl::declare(Type type, Operand initial, Symbol name) {
  names.push_back(name);
  return ssa ? ssa->declare(type, initial) : structured.declare(type, initial);
}

/// A variable that may be unassigned is checked at each read; compaction drops the checks that always pass.
uint32_t Builder::Impl::read(uint32_t variable) {
  if (is_structured()) return structured.read(variable);
  if (!at.is_open) open_new();
  if (!is_checked(variable)) return ssa->read(variable).word();
  Operand value = ssa->read(checked[variable].value), flag = ssa->read(checked[variable].flag);
  if (flag != module().constant(i1, 1)) {
    uint32_t operands[] = {index(names[variable]), flag.word()};
    open();
    f->append(at.block, f->make(Op::throw_undef, void_type, operands, at.loc));
    at.resume();
  }
  return value.word();
}

void Builder::Impl::write(uint32_t variable, Operand value, bool defined) {
  if (is_structured()) return structured.write(variable, value.word());
  bool needs_end = ssa->remembers_assignments();
  if (!at.is_open) open_new();
  if (needs_end) at.pause();
  if (!is_checked(variable)) {
    ssa->write(variable, value);
  } else {
    ssa->write(checked[variable].value, value);
    ssa->write(checked[variable].flag, module().constant(i1, defined));
  }
  if (needs_end) at.resume();
}

// ---- messages ----

void Builder::Impl::error(std::string message) {
  const ir::Location& where = module().location(at.loc);
  std::string file = is_none(where.file) ? std::string() : std::string(module().name(where.file));
  errors.error("in '@" + std::string(f->name_text()) + "': " + std::move(message), std::move(file), where.line, where.column);
}

void Builder::Impl::mismatch(Op op, Type left, Type right) {
  if (op == Op::nothing)
    error("the operator does not exist for " + type_name(left));
  else
    error("'" + std::string(ir::info(op).text) + "' of " + type_name(left) + " and " + type_name(right));
}

std::string Builder::Impl::block_name(BlockId b) const {
  Symbol name = f->block(b).name;
  return is_none(name) ? "b" + std::to_string(index(b)) : "'" + std::string(f->module().name(name)) + "'";
}

std::string Builder::Impl::type_name(Type type) const { return to_string(f->module().types, type); }

}  // namespace braid
