// The tables of a module.
#include "ir/module.h"

#include <utility>

#include "base/hash.h"
#include "ir/function.h"

namespace braid::ir {

static uint32_t hash_of(Symbol name) { return static_cast<uint32_t>(mix64(index(name))); }

Module::Module() {
  symbols.intern({});  // symbol 0 (ir/strings.h)
  locations_.push_back({none_id<Symbol>, 0, 0});
}
Module::~Module() = default;

Function& Module::add_function(Symbol name, SigId signature, bool external) {
  FuncId id = static_cast<FuncId>(functions_.size());
  functions_.push(std::make_unique<Function>(*this, id, name, signature, external));
  functions_by_name_.add(hash_of(name));
  return *functions_[id];
}

Function& Module::replace_function(FuncId id, Function body) {
  *functions_[id] = std::move(body);
  return *functions_[id];
}

Function* Module::find_function(Symbol name) {
  uint32_t found = functions_by_name_.find(
      hash_of(name), [&](uint32_t i) { return functions_[static_cast<FuncId>(i)]->name() == name; });
  return found == SmallHashIndex::nobody ? nullptr : functions_[static_cast<FuncId>(found)].get();
}

Function* Module::find_function(std::string_view name) {
  Symbol symbol = symbols.find(name);
  return is_none(symbol) ? nullptr : find_function(symbol);
}

GlobalId Module::add_global(Global global) {
  Symbol name = global.name;
  GlobalId id = globals.push(std::move(global));
  globals_by_name_.add(hash_of(name));
  return id;
}

GlobalId Module::find_global(Symbol name) const {
  return static_cast<GlobalId>(globals_by_name_.find(
      hash_of(name), [&](uint32_t i) { return globals[static_cast<GlobalId>(i)].name == name; }));
}

IntrinsicId Module::add_intrinsic(Intrinsic intrinsic) {
  Symbol name = intrinsic.name;
  IntrinsicId id = intrinsics.push(std::move(intrinsic));
  intrinsics_by_name_.add(hash_of(name));
  return id;
}

IntrinsicId Module::find_intrinsic(Symbol name) const {
  return static_cast<IntrinsicId>(intrinsics_by_name_.find(
      hash_of(name), [&](uint32_t i) { return intrinsics[static_cast<IntrinsicId>(i)].name == name; }));
}

SigId Module::signature(Signature wanted) {
  uint64_t mixed = wanted.result.bits;
  for (Type type : wanted.params) mixed = hash_combine(mixed, type.bits);
  const uint32_t hash = static_cast<uint32_t>(mixed);
  uint32_t found = signatures_by_hash_.find(
      hash, [&](uint32_t i) { return signatures_[static_cast<SigId>(i)] == wanted; });
  if (found != SmallHashIndex::nobody) return static_cast<SigId>(found);
  signatures_by_hash_.add(hash);
  return signatures_.push(std::move(wanted));
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
