// Values of the Builder: expressions, operations, calls, constants.
#include <braid/builder.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/number_text.h"
#include "ir/bits.h"
#include "ir/place.h"
#include "ir/transfer.h"
#include "ssa/builder_impl.h"

namespace braid {

using ir::Op;
using ir::Operand;
using ir::OperandKind;

// ---- operators ----

namespace {

struct SignOps {
  Op integer, real;
};
constexpr SignOps sign_ops[] = {{Op::add, Op::fadd},     {Op::sub, Op::fsub},     {Op::mul, Op::fmul},
                                {Op::sdiv, Op::fdiv},    {Op::srem, Op::frem},    {Op::and_, Op::nothing},
                                {Op::or_, Op::nothing},  {Op::xor_, Op::nothing}, {Op::shl, Op::nothing},
                                {Op::ashr, Op::nothing}, {Op::slt, Op::flt},      {Op::sle, Op::fle},
                                {Op::sgt, Op::fgt},      {Op::sge, Op::fge},      {Op::eq, Op::feq},
                                {Op::ne, Op::fne}};
constexpr unsigned sign_count = std::size(sign_ops);

constexpr uint32_t operator_head(Op op) { return op == Op::nothing ? 0 : ir::head_of(op, 2); }
}  // namespace

namespace detail {

#define BRAID_HEADS(i) operator_head(sign_ops[i].integer), operator_head(sign_ops[i].real)
const uint32_t operator_heads[] = {BRAID_HEADS(0),  BRAID_HEADS(1),  BRAID_HEADS(2),  BRAID_HEADS(3),
                                   BRAID_HEADS(4),  BRAID_HEADS(5),  BRAID_HEADS(6),  BRAID_HEADS(7),
                                   BRAID_HEADS(8),  BRAID_HEADS(9),  BRAID_HEADS(10), BRAID_HEADS(11),
                                   BRAID_HEADS(12), BRAID_HEADS(13), BRAID_HEADS(14), BRAID_HEADS(15)};
#undef BRAID_HEADS
const uint32_t jump_head = ir::head_of(Op::jump, 1), branch_head = ir::head_of(Op::branch, 3);
const uint32_t phi_head = ir::head_of(Op::phi, 0);
static_assert(sizeof operator_heads == 2 * sizeof(uint32_t) * sign_count);

}  // namespace detail

/// A block that is not open, no room, types that differ or are refined; or only a variable that had to be looked for.
detail::TypedWord Builder::binary_slow(Sign sign, uint32_t left, uint32_t right, Type type, Type right_type) {
  if (uint32_t head = head_of(sign, type, right_type); head != 0) return write_operator(sign, head, left, right, type);
  if (!impl_->module().types.has(right_type)) right_type = type;  // of another builder, which was reported
  if (type != right_type || !type.is_plain()) {
    // What is known of a value beyond its kind does not matter here.
    const TypeTable& types = impl_->module().types;
    type = Type{types.kinds(type)};
    right_type = Type{types.kinds(right_type)};
  }
  SignOps ops = sign_ops[static_cast<unsigned>(sign)];
  Op op = type == f64 || type == f32 ? ops.real : ops.integer;
  if (type != right_type || op == Op::nothing) {
    impl_->mismatch(op, type, right_type);
    return impl_->nothing().value_;
  }
  Type result = sign >= Sign::lt ? i1 : type;
  Operand made = impl_->operation(op, result, {Operand::from_word(left), Operand::from_word(right)});
  return detail::TypedWord::of(writer_.name(made.word()), result);
}

Val Builder::unary_minus(Val value) {
  Type type{impl_->module().types.kinds(value.type())};
  Op op = type == f64 || type == f32 ? Op::fneg : Op::neg;
  return Val(this, writer_.name(impl_->operation(op, type, {Operand::from_word(current(value.word()))}).word()), type);
}

Val Builder::complement(Val value) {
  Type type{impl_->module().types.kinds(value.type())};
  return Val(this, writer_.name(impl_->operation(Op::not_, type, {Operand::from_word(current(value.word()))}).word()), type);
}

Val Builder::negation(Val condition) {
  const Type type{impl_->module().types.kinds(condition.type())};
  if (type == i1) return complement(condition);
  impl_->error("the operator '!' does not exist for " + impl_->type_name(type) + "; compare with 0");
  return impl_->nothing(i1);
}

// ---- operations ----

Val Builder::op(std::string_view name, std::initializer_list<Arg> operands, Type result) {
  std::optional<Op> op = ir::find_op(name);
  if (!op || ir::is_terminator(*op) || ir::is_phi_like(*op)) {
    impl_->error("'" + std::string(name) + "' is not an operation that can be built by name");
    return impl_->nothing();
  }
  return impl_->build(*op, {operands.begin(), operands.size()}, impl_->known(result, "an operation"));
}

Val Builder::Impl::build(Op op, std::span<const Arg> operands, Type result) {
  const ir::OpInfo& table = ir::info(op);
  auto mistake = [&](const std::string& what) {
    error("'" + std::string(table.text) + "' " + what);
    return nothing();
  };
  uint32_t count = static_cast<uint32_t>(operands.size());
  if (!table.arity_ok(count)) return mistake("does not take " + std::to_string(count) + " operands");
  for (uint32_t i = 0; i < count; ++i)
    if (table.kind_of(i) != OperandKind::value && table.kind_of(i) != OperandKind::immediate)
      return mistake("is not an operation that can be built by name");

  // Numbers take the type of an operand that must have the same type as they, or of the result.
  auto type_of_literal = [&](Type shown, uint32_t i) { return ir::literal_type(*f, op, shown, {}, i); };
  Type shown = table.shown == ir::TypeShown::result ? result : none;
  for (uint32_t i = 0; i < count && shown == none; ++i)
    if (operands[i].form_ == Arg::Form::value && type_of_literal(i64, i) == i64 && type_of_literal(f64, i) == f64)
      shown = type_of(operands[i]);
  words.clear();
  for (uint32_t i = 0; i < count; ++i) {
    const Arg& arg = operands[i];
    if (table.kind_of(i) == OperandKind::value) {
      words.push_back(word(arg, type_of_literal(shown, i)));
    } else if (arg.form_ == Arg::Form::integer && arg.integer_ >= 0 && arg.integer_ <= int64_t{0xffffffff}) {
      words.push_back(static_cast<uint32_t>(arg.integer_));
    } else {
      return mistake("needs a number of 32 bits as operand " + std::to_string(i));
    }
  }
  return value(op, result == none ? shown : result);
}

Val Builder::Impl::value(Op op, Type declared) {
  open();
  ir::Inst inst = f->make(op, declared, words, at.loc);
  auto type_of_number = [](const void* structured, Operand operand) {
    return static_cast<const ssa::Structured*>(structured)->type_of_number(operand);
  };
  Type derived = ir::result_type(*f, inst.stmt, {type_of_number, &structured});
  if (derived != none) inst.type = derived;
  if (inst.type == none) error("'" + std::string(ir::info(op).text) + "' needs a result type");
  if (Maybe<Operand> made = simpler(op, inst.type, words)) return Val(&owner, owner.writer_.name(made->word()), inst.type);
  open();
  ir::Ref r = f->append(at.block, inst);
  at.resume();
  if (op == Op::leave && ssa) ssa->note_leave(r, static_cast<uint32_t>(words.size()));
  return Val(&owner, Operand(r).word(), inst.type);
}

Val Builder::select(Arg condition, Arg if_true, Arg if_false) {
  Arg operands[] = {condition, if_true, if_false};
  return impl_->build(Op::select, operands, none);
}

Val Builder::load(Type type, Arg address) {
  return impl_->build(Op::load, {&address, 1}, impl_->known(type, "a load"));
}

void Builder::store(Arg value, Arg address) {
  Arg operands[] = {value, address};
  impl_->build(Op::store, operands, none);
}

Val Builder::stack_slot(uint32_t bytes, uint32_t align) {
  Arg operands[] = {bytes, align};
  return impl_->build(Op::stack_slot, operands, none);
}

Val Builder::extract(Val tuple, uint32_t field) {
  Arg operands[] = {tuple, field};
  const TypeTable& types = impl_->module().types;
  if (tuple.builder_ == this && types.has_elements(tuple.type()) && field >= types.elements(tuple.type()).size()) {
    impl_->error("there is no field " + std::to_string(field) + " in a tuple of " +
                 std::to_string(types.elements(tuple.type()).size()));
    return impl_->nothing();
  }
  return impl_->build(Op::extract, operands, none);
}

Val Builder::is(Arg value, Type kinds) {
  const Type known = impl_->known(kinds, "a test");
  impl_->words.assign({impl_->word(value, i64), known.bits});
  return impl_->value(Op::is, none);
}

void Builder::throw_undef(std::string_view name, Arg defined) {
  impl_->words.assign({index(impl_->module().symbol(name)), impl_->word(defined, i1)});
  impl_->value(Op::throw_undef, none);
}

Val Builder::the_exception() { return impl_->build(Op::the_exception, {}, none); }

void Builder::pop_exception(Val token) {
  Arg operands[] = {token};
  impl_->build(Op::pop_exception, operands, none);
}

// ---- frame states ----

Val Builder::save_state(uint32_t position, std::initializer_list<Register> registers, Resume resume) {
  return impl_->save_state(position, resume, Operand::undef().word(), {registers.begin(), registers.size()});
}
Val Builder::save_state(uint32_t position, std::span<const Register> registers, Resume resume) {
  return impl_->save_state(position, resume, Operand::undef().word(), registers);
}
Val Builder::save_state(uint32_t position, std::span<const Register> registers, Resume resume, Val caller) {
  return impl_->save_state(position, resume, impl_->word(caller, state_type), registers);
}

/// A number says nothing of the register's type; it is the widest one.
Val Builder::Impl::save_state(uint32_t position, Resume resume, uint32_t caller, std::span<const Register> registers) {
  words.assign({position, static_cast<uint32_t>(resume), caller});
  for (const Register& reg : registers) {
    words.push_back(reg.number);
    words.push_back(word(reg.value, reg.value.form_ == Arg::Form::real ? f64 : i64));
  }
  return value(Op::save_state, state_type);
}

void Builder::guard(Arg condition, Val state) {
  Arg operands[] = {condition, state};
  impl_->build(Op::guard, operands, none);
}
void Builder::safepoint(Val state) {
  Arg operands[] = {state};
  impl_->build(Op::safepoint, operands, none);
}
void Builder::osr_state(Val state) {
  Arg operands[] = {state};
  impl_->build(Op::osr_state, operands, none);
}

// ---- calls and globals ----

Val Builder::call(std::string_view function, std::initializer_list<Arg> arguments) {
  const ir::Function* callee = impl_->module().find_function(function);
  if (callee != nullptr) return call(*callee, std::span(arguments.begin(), arguments.size()));
  impl_->error("there is no function '@" + std::string(function) + "'");
  return impl_->nothing();
}

Val Builder::call(const Func& callee, std::span<const Arg> arguments) {
  Impl& impl = *impl_;
  if (!ir::can_call(impl.module(), callee)) {
    const bool is_other = &callee.module() != &impl.module();
    impl.error("'@" + std::string(callee.name_text()) + "' " + (is_other ? "belongs to another module" : "is not in the module"));
    return impl.nothing();
  }
  if (arguments.size() != callee.param_count()) {
    impl.error("'@" + std::string(callee.name_text()) + "' takes " + std::to_string(callee.param_count()) +
               " arguments, not " + std::to_string(arguments.size()));
    return impl.nothing(callee.result_type());
  }
  impl.words.assign(1, index(callee.id()));
  for (uint32_t i = 0; i < arguments.size(); ++i)
    impl.words.push_back(impl.word(arguments[i], callee.param_type(i)));
  return impl.value(Op::call, callee.result_type());
}

Val Builder::function_address(std::string_view function) {
  const ir::Function* callee = impl_->module().find_function(function);
  if (callee == nullptr) {
    impl_->error("there is no function '@" + std::string(function) + "'");
    return impl_->nothing(ptr);
  }
  impl_->words.assign(1, index(callee->id()));
  return impl_->value(Op::func_addr, ptr);
}

Val Builder::call_indirect(Type result, Arg address, std::initializer_list<Arg> arguments) {
  Impl& impl = *impl_;
  result = impl.known(result, "a call");
  ir::Signature signature;
  signature.result = result;
  for (const Arg& arg : arguments) signature.params.push_back(impl.type_of(arg));
  impl.words.assign(1, index(impl.module().signature(signature)));
  impl.words.push_back(impl.word(address, ptr));
  for (const Arg& arg : arguments) impl.words.push_back(impl.word(arg, none));
  return impl.value(Op::call_indirect, result);
}

Val Builder::intrinsic(std::string_view name, std::initializer_list<Arg> operands) {
  Impl& impl = *impl_;
  ir::Module& module = impl.module();
  ir::IntrinsicId id = module.find_intrinsic(module.symbol(name));
  if (is_none(id)) {
    impl.error("there is no intrinsic '" + std::string(name) + "'");
    return impl.nothing();
  }
  const ir::Signature& signature = module.signature(module.intrinsics[id].signature);
  if (operands.size() != signature.params.size()) {
    impl.error("'" + std::string(name) + "' takes " + std::to_string(signature.params.size()) + " operands, not " +
               std::to_string(operands.size()));
    return impl.nothing(signature.result);
  }
  impl.words.assign(1, index(id));
  for (const Arg& arg : operands) impl.words.push_back(impl.word(arg, signature.params[impl.words.size() - 1]));
  return impl.value(Op::intrinsic, signature.result);
}

Val Builder::global(std::string_view name) {
  ir::Module& module = impl_->module();
  ir::GlobalId id = module.find_global(module.symbol(name));
  if (is_none(id)) {
    impl_->error("there is no global '@" + std::string(name) + "'");
    return impl_->nothing(ptr);
  }
  impl_->words.assign(1, index(id));
  return impl_->value(Op::global_addr, ptr);
}

void Builder::location(std::string_view file, uint32_t line, uint32_t column) {
  ssa::BlockEnd& at = impl_->at;
  at.pause();
  const bool is_known = !file.empty() || line != 0 || column != 0;
  at.loc = is_known ? impl_->module().location(impl_->module().symbol(file), line, column) : ir::Loc{};
  at.has_locations = true;
  if (at.is_open) at.resume();
}

// ---- numbers ----

uint32_t Builder::literal(Type type, int64_t value) { return impl_->integer(type, value).word(); }
uint32_t Builder::literal(Type type, uint64_t value) {
  const int64_t same = static_cast<int64_t>(value);
  return (same < 0 ? impl_->large(type, value) : impl_->integer(type, same)).word();
}
uint32_t Builder::literal(Type type, double value) { return impl_->real(type, value).word(); }

Val Builder::null() { return Val(this, impl_->module().constant(ref, 0).word(), ref); }

Type Builder::known_slow(Type type) { return impl_->known(type, "a constant"); }

Val Builder::Impl::nothing(Type type) {
  Operand zero_of_type = type == void_type ? Operand::undef() : zero(type);
  return Val(&owner, zero_of_type.word(), type);
}

uint32_t Builder::Impl::word_slow(const Arg& arg, Type wanted) {
  switch (arg.form_) {
    case Arg::Form::integer: return integer(wanted, arg.integer_).word();
    case Arg::Form::large: return large(wanted, static_cast<uint64_t>(arg.integer_)).word();
    case Arg::Form::real: return real(wanted, arg.real_).word();
    case Arg::Form::value: break;
  }
  if (arg.builder_ != &owner) error("a value of another builder");
  return nothing().word();
}

Operand Builder::Impl::integer(Type type, int64_t value) {
  std::optional<Kind> kind = module().types.single_kind(type);
  if (kind && is_float(*kind)) return real(type, static_cast<double>(value));
  if (kind && is_integer(*kind)) {
    uint64_t bits = ir::canonical(*kind, static_cast<uint64_t>(value));
    // A number may be meant signed or unsigned; it must fit one of the two.
    bool fits = static_cast<int64_t>(bits) == value ||
                (bit_width(*kind) < 64 && value >= 0 && (static_cast<uint64_t>(value) >> bit_width(*kind)) == 0);
    if (!fits) does_not_fit(type, std::to_string(value));
    return module().constants.get(of(*kind), bits);
  }
  if ((type == ptr || type == ref) && value == 0) return module().constant(type, 0);
  return refuse_number(type, std::to_string(value));
}

Operand Builder::Impl::large(Type type, uint64_t value) {
  std::optional<Kind> kind = module().types.single_kind(type);
  if (kind && is_float(*kind)) return real(type, static_cast<double>(value));
  if (kind == Kind::i64) return module().constants.get(i64, value);
  if (!kind || !is_integer(*kind)) return refuse_number(type, std::to_string(value));
  does_not_fit(type, std::to_string(value));
  return module().constants.get(of(*kind), 0);
}

Operand Builder::Impl::real(Type type, double value) {
  std::optional<Kind> kind = module().types.single_kind(type);
  if (kind == Kind::f64) return module().constants.get(f64, std::bit_cast<uint64_t>(value));
  const float narrow = static_cast<float>(value);
  const bool fits = !std::isinf(narrow) || std::isinf(value);
  if (kind == Kind::f32 && fits) return module().constants.get(f32, std::bit_cast<uint32_t>(narrow));
  std::string text;
  append_decimal_float(text, value);
  if (kind != Kind::f32) return refuse_number(type, text);
  does_not_fit(type, text);
  return module().constants.get(f32, 0);
}

Operand Builder::Impl::refuse_number(Type type, const std::string& number) {
  if (type == none)
    error("the number " + number + " has no type here; give it one with constant()");
  else
    error("the number " + number + " cannot be of type " + type_name(type));
  return module().constant(i64, 0);
}

Operand Builder::Impl::zero(Type type) const {
  constexpr KindSet with_zero = (i1 | i8 | i16 | i32 | i64 | f32 | f64 | ptr | ref).bits;
  KindSet kinds = module().types.kinds(type) & with_zero;
  if (kinds == 0) return Operand::undef();
  return module().constants.get(of(static_cast<Kind>(std::countr_zero(kinds))), 0);
}

}  // namespace braid
