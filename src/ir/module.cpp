// The tables of a module.
#include "ir/module.h"

#include <algorithm>

#include "ir/function.h"

namespace braid::ir {

Module::Module() {
  symbols.intern({});  // symbol 0 (ir/strings.h)
  locations_.push_back({none_id<Symbol>, 0, 0});
}
Module::~Module() = default;

Function& Module::add_function(Symbol name, Signature sig, bool external) {
  FuncId id = static_cast<FuncId>(functions_.size());
  functions_.push(std::make_unique<Function>(*this, id, name, signature(sig), external));
  function_by_name_.emplace(index(name), id);
  return *functions_[id];
}

Function& Module::replace_function(FuncId id, Function body) {
  *functions_[id] = std::move(body);
  return *functions_[id];
}

Function* Module::find_function(Symbol name) {
  auto found = function_by_name_.find(index(name));
  return found == function_by_name_.end() ? nullptr : functions_[found->second].get();
}

Function* Module::find_function(std::string_view name) {
  Symbol symbol = symbols.find(name);
  return is_none(symbol) ? nullptr : find_function(symbol);
}

GlobalId Module::add_global(Global global) {
  Symbol name = global.name;
  GlobalId id = globals.push(std::move(global));
  global_by_name_.emplace(index(name), id);
  return id;
}

GlobalId Module::find_global(Symbol name) const {
  auto found = global_by_name_.find(index(name));
  return found == global_by_name_.end() ? none_id<GlobalId> : found->second;
}

IntrinsicId Module::add_intrinsic(Intrinsic intrinsic) {
  Symbol name = intrinsic.name;
  IntrinsicId id = intrinsics.push(std::move(intrinsic));
  intrinsic_by_name_.emplace(index(name), id);
  return id;
}

IntrinsicId Module::find_intrinsic(Symbol name) const {
  auto found = intrinsic_by_name_.find(index(name));
  return found == intrinsic_by_name_.end() ? none_id<IntrinsicId> : found->second;
}

SigId Module::signature(const Signature& wanted) {
  uint64_t hash = wanted.result.bits;
  for (Type type : wanted.params) hash = (hash ^ type.bits) * 0x9e3779b97f4a7c15ull;
  auto [first, last] = signature_by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (signatures_[at->second] == wanted) return at->second;
  SigId id = signatures_.push(wanted);
  signature_by_hash_.emplace(hash, id);
  return id;
}

Type Module::constant_type(Operand operand) {
  Constant constant = constants.value(operand);
  std::optional<Kind> kind = types.single_kind(constant.type);
  if (kind && is_integer(*kind)) return types.int_constant(*kind, static_cast<int64_t>(constant.bits));
  if (kind && is_float(*kind)) return types.float_constant(*kind, constant.bits);
  if (kind == Kind::ref && constant.bits == 0) return null_type;
  if (kind == Kind::string) return types.string_constant(static_cast<uint32_t>(constant.bits));
  return constant.type;
}

Loc Module::location(Symbol file, uint32_t line, uint32_t column, Loc inlined_at) {
  Location wanted{file, line, column, inlined_at};
  if (!(locations_.back() == wanted)) locations_.push_back(wanted);
  return static_cast<Loc>(locations_.size() - 1);
}

}  // namespace braid::ir
