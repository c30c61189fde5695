// The public Builder over on-the-fly construction: expressions, structured control flow, blocks and jumps.
#include <braid/builder.h>

#include <algorithm>
#include <cassert>

#include "flow/reducible.h"
#include "ir/compact.h"
#include "ir/graph_view.h"
#include "ir/transfer.h"
#include "ssa/builder_impl.h"

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
  signature.result = result;
  for (const Param& param : params) signature.params.push_back(param.type);
  Symbol symbol = module.symbol(name);
  bool taken = module.find_function(symbol) != nullptr;
  if (taken)
    impl_ = std::make_unique<Impl>(std::make_unique<ir::Function>(module, none_id<ir::FuncId>, symbol,
                                                                  module.signature(signature), false));
  else
    impl_ = std::make_unique<Impl>(module.add_function(symbol, signature));
  ir::Function& f = impl_->f;
  for (const Param& param : params) f.param_names.push_back(module.symbol(param.name));
  if (taken) impl_->error("function '@" + std::string(name) + "' is defined twice");
  impl_->start(f.new_block(module.symbol("entry")));
  for (uint32_t i = 0; i < params.size(); ++i) impl_->declare(params[i].type, Operand::param(i), f.param_names[i]);
}

Builder::~Builder() = default;

static bool is_reducible(const ir::Function& f) {
  ir::BlockDominance dominance(f);
  return flow::is_reducible(dominance.graph(), dominance.tree());
}

void Builder::reserve(uint32_t statements, uint32_t blocks) { impl_->f.reserve(statements, blocks, 2 * blocks); }

Expected<Func*> Builder::try_done(bool verified) {
  Impl& impl = *impl_;
  ir::Function& f = impl.f;
  if (impl.is_done) return &f;
  impl.finish_open_block();
  if (!impl.scopes.empty()) impl.error("a loop, condition or try is still open");
  for (uint32_t b = 0; b < f.block_count(); ++b)
    if (f.terminator(static_cast<BlockId>(b)).is_undef()) {
      impl.error("block " + impl.block_name(static_cast<BlockId>(b)) + " has no terminator");
      f.unreachable(static_cast<BlockId>(b));
    }
  if (!impl.errors.has_errors()) {
    impl.is_done = true;
    impl.ssa.finish(!impl.has_labels || is_reducible(f));
    ir::compact(f);
    if (!verified) return &f;
    Expected<void> sound = verify(f);
    if (sound) return &f;
    impl.errors.merge(sound.error());
  }
  // What is wrong must not be called or run: only the declaration stays.
  if (!impl.scratch)
    f.module().replace_function(f.id(), ir::Function(f.module(), f.id(), f.name(), f.signature_id(), true));
  return impl.errors;
}

Func& Builder::done() { return *try_done().value(); }

// ---- variables ----

uint32_t Builder::read(uint32_t variable) { return impl_->read(variable); }
void Builder::write(uint32_t variable, uint32_t word) { impl_->write(variable, Operand::from_word(word)); }

Var Builder::param(uint32_t number) {
  if (number >= impl_->f.param_count()) {
    impl_->error("function has no parameter " + std::to_string(number));
    return var("", i64, Undefined::zero);
  }
  return Var(this, number, impl_->f.param_type(number));
}

Var Builder::param(std::string_view name) {
  const std::vector<Symbol>& names = impl_->f.param_names;
  Symbol symbol = impl_->f.module().symbols.find(name);
  for (uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == symbol) return param(i);
  impl_->error("function has no parameter '" + std::string(name) + "'");
  return var(name, i64, Undefined::zero);
}

Var Builder::var(std::string_view name, Type type, Undefined meaning) {
  Operand initial = meaning == Undefined::zero ? impl_->zero(type) : Operand::undef();
  uint32_t number = impl_->declare(type, initial, impl_->f.module().symbol(name));
  if (meaning == Undefined::throws) impl_->add_flag(number);
  return Var(this, number, type);
}

Var Builder::var(std::string_view name, Type type, Arg initial) {
  uint32_t number = impl_->declare(type, Operand::undef(), impl_->f.module().symbol(name));
  write(number, impl_->word(initial, type));
  return Var(this, number, type);
}

// ---- expressions ----

uint32_t Builder::literal(Type type, int64_t value) { return impl_->integer(type, value).word(); }
uint32_t Builder::literal(Type type, double value) { return impl_->real(type, value).word(); }

Val Builder::constant(Type type, int64_t value) { return Val(this, literal(type, value), type); }
Val Builder::constant(Type type, double value) { return Val(this, literal(type, value), type); }
Val Builder::null() { return Val(this, impl_->f.module().constant(ref, 0).word(), ref); }

namespace {

struct SignOps {
  Op integer, real;
};
constexpr SignOps sign_ops[] = {
    {Op::add, Op::fadd},  {Op::sub, Op::fsub}, {Op::mul, Op::fmul}, {Op::sdiv, Op::fdiv},
    {Op::srem, Op::frem}, {Op::and_, Op::nothing}, {Op::or_, Op::nothing}, {Op::xor_, Op::nothing},
    {Op::shl, Op::nothing}, {Op::ashr, Op::nothing}, {Op::slt, Op::flt}, {Op::sle, Op::fle},
    {Op::sgt, Op::fgt},   {Op::sge, Op::fge},  {Op::eq, Op::feq},   {Op::ne, Op::fne}};

}  // namespace

Val Builder::binary(Sign sign, uint32_t left, uint32_t right, Type type, Type right_type) {
  SignOps ops = sign_ops[static_cast<unsigned>(sign)];
  bool real = type == f64 || type == f32;
  Op op = real ? ops.real : ops.integer;
  if (type != right_type || op == Op::nothing) {
    impl_->mismatch(op, type, right_type);
    return Val(this, impl_->zero(i64).word(), i64);
  }
  Type result = sign >= Sign::lt ? i1 : type;
  impl_->open();
  ir::Ref r = impl_->f.append(impl_->block, {{op, 2, 0, {left, right, 0}}, result, impl_->loc});
  return Val(this, Operand(r).word(), result);
}

Val Builder::unary_minus(Val value) {
  bool real = value.type_ == f64 || value.type_ == f32;
  return Val(this, impl_->append(real ? Op::fneg : Op::neg, value.type_, {Operand::from_word(value.word_)}), value.type_);
}

Val Builder::complement(Val value) {
  return Val(this, impl_->append(Op::not_, value.type_, {Operand::from_word(value.word_)}), value.type_);
}

Val Builder::op(std::string_view name, std::initializer_list<Arg> operands, Type result) {
  std::optional<Op> op = ir::find_op(name);
  if (!op || ir::is_terminator(*op) || ir::is_phi_like(*op) || *op == Op::get || *op == Op::set) {
    impl_->error("'" + std::string(name) + "' is not an operation that can be built by name");
    return constant(i64, int64_t{0});
  }
  const ir::OpInfo& table = ir::info(*op);
  Type shown = table.shown == ir::TypeShown::result ? result : none;
  if (shown == none)
    for (const Arg& arg : operands)
      if (shown == none && arg.form_ == Arg::Form::value) shown = arg.type_;
  std::vector<uint32_t> words;
  if (!table.arity_ok(static_cast<uint32_t>(operands.size()))) {
    impl_->error("'" + std::string(name) + "' does not take " + std::to_string(operands.size()) + " operands");
    return constant(i64, int64_t{0});
  }
  for (const Arg& arg : operands) {
    uint32_t i = static_cast<uint32_t>(words.size());
    if (table.kind_of(i) == ir::OperandKind::immediate && arg.form_ == Arg::Form::integer) {
      words.push_back(static_cast<uint32_t>(arg.integer_));
    } else if (table.kind_of(i) == ir::OperandKind::value) {
      Type wanted = ir::literal_type(impl_->f, *op, shown, words, i);
      words.push_back(impl_->word(arg, wanted == none ? shown : wanted));
    } else {
      impl_->error("operand " + std::to_string(i) + " of '" + std::string(name) + "' cannot be given here");
      return constant(i64, int64_t{0});
    }
  }
  return impl_->value(this, *op, words, result == none ? shown : result);
}

Val Builder::call(std::string_view function, std::initializer_list<Arg> arguments) {
  const ir::Function* callee = impl_->f.module().find_function(function);
  if (callee == nullptr) {
    impl_->error("there is no function '@" + std::string(function) + "' to call");
    return constant(i64, int64_t{0});
  }
  return call(*callee, std::span(arguments.begin(), arguments.size()));
}

Val Builder::call(const Func& callee, std::span<const Arg> arguments) {
  std::vector<uint32_t> words = {index(callee.id())};
  if (arguments.size() != callee.param_count()) {
    impl_->error("'@" + std::string(callee.name_text()) + "' takes " + std::to_string(callee.param_count()) +
                 " arguments, not " + std::to_string(arguments.size()));
    return Val(this, impl_->zero(callee.result_type()).word(), callee.result_type());
  }
  for (uint32_t i = 0; i < arguments.size(); ++i) words.push_back(impl_->word(arguments[i], callee.param_type(i)));
  return impl_->value(this, Op::call, words, callee.result_type());
}

Val Builder::intrinsic(std::string_view name, std::initializer_list<Arg> operands) {
  ir::Module& module = impl_->f.module();
  ir::IntrinsicId id = module.find_intrinsic(module.symbol(name));
  if (is_none(id)) {
    impl_->error("there is no intrinsic '" + std::string(name) + "'");
    return constant(i64, int64_t{0});
  }
  const ir::Signature& signature = module.signature(module.intrinsics[id].signature);
  std::vector<uint32_t> words = {index(id)};
  if (operands.size() != signature.params.size()) {
    impl_->error("'" + std::string(name) + "' takes " + std::to_string(signature.params.size()) + " operands, not " +
                 std::to_string(operands.size()));
    return Val(this, impl_->zero(signature.result).word(), signature.result);
  }
  for (const Arg& arg : operands) words.push_back(impl_->word(arg, signature.params[words.size() - 1]));
  return impl_->value(this, Op::intrinsic, words, signature.result);
}

Val Builder::select(Arg condition, Arg if_true, Arg if_false) { return op("select", {condition, if_true, if_false}); }
Val Builder::load(Type type, Arg address) { return op("load", {address}, type); }
void Builder::store(Arg value, Arg address) { op("store", {value, address}); }
Val Builder::stack_slot(uint32_t bytes, uint32_t align) { return op("stack_slot", {bytes, align}); }
Val Builder::extract(Val tuple, uint32_t field) { return op("extract", {tuple, field}); }
Val Builder::the_exception() { return op("the_exception", {}); }
void Builder::pop_exception(Val token) { op("pop_exception", {token}); }

Val Builder::global(std::string_view name) {
  ir::Module& module = impl_->f.module();
  ir::GlobalId id = module.find_global(module.symbol(name));
  if (is_none(id)) impl_->error("there is no global '@" + std::string(name) + "'");
  uint32_t words[] = {index(id)};
  return impl_->value(this, Op::global_addr, words, ptr);
}

void Builder::location(std::string_view file, uint32_t line, uint32_t column) {
  impl_->loc = impl_->f.module().location(impl_->f.module().symbol(file), line, column);
}

}  // namespace braid
