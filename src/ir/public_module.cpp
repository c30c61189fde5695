// The public Module, and what can be asked of a function.
#include <braid/module.h>

#include <algorithm>

#include "ir/function.h"

namespace braid {
namespace {

ir::Traits traits_of(Effects effects) {
  ir::Traits traits = ir::no_traits;
  if (has(effects, Effects::reads_memory)) traits |= ir::reads_memory | ir::traps;
  if (has(effects, Effects::writes_memory)) traits |= ir::writes_memory | ir::traps;
  if (has(effects, Effects::may_throw)) traits |= ir::throws;
  if (has(effects, Effects::host)) traits |= ir::host_effect | ir::safepoint_effect;
  return traits;
}

/// Names stand in the text form, in quotes if they must.
bool is_printable(std::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

/// None is of another module.
bool are_known(const TypeTable& types, const ir::Signature& signature) {
  return types.has(signature.result) &&
         std::all_of(signature.params.begin(), signature.params.end(), [&](Type type) { return types.has(type); });
}

}  // namespace

Module::Module() : ir_(std::make_unique<ir::Module>()) {}
Module::Module(std::unique_ptr<ir::Module> ir) : ir_(std::move(ir)) {}
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

Func* Module::find(std::string_view name) const { return ir_->find_function(name); }

std::vector<Func*> Module::functions() const {
  std::vector<Func*> list;
  for (uint32_t i = 0; i < ir_->function_count(); ++i) list.push_back(&ir_->function(static_cast<ir::FuncId>(i)));
  return list;
}

Func& Module::declare_external(std::string_view name, std::span<const Type> params, Type result, Effects effects) {
  // What is answered must be a function, so one without a name is in the module; but that is not valid.
  if (name.empty()) ir_->mistakes.push_back("a function needs a name");
  Symbol symbol = ir_->symbol(name);
  ir::Signature signature{{params.begin(), params.end()}, result};
  if (!are_known(ir_->types, signature)) {
    ir_->mistakes.push_back("a type of '@" + std::string(name) + "' does not exist in this module");
    signature = {std::vector<Type>(params.size(), i64), i64};
  }
  if (Func* known = ir_->find_function(symbol)) {
    if (known->signature_id() != ir_->signature(std::move(signature)))
      ir_->mistakes.push_back("'@" + std::string(name) + "' is declared again with other types");
    return *known;
  }
  ir::Function& f = ir_->add_function(symbol, std::move(signature), true);
  f.external_traits = traits_of(effects);
  return f;
}

void Module::declare(IntrinsicDef def) {
  if (!is_printable(def.name))
    return ir_->mistakes.push_back("an intrinsic needs a name that can be printed, not '" + def.name + "'");
  if (!are_known(ir_->types, {def.params, def.result}))
    return ir_->mistakes.push_back("a type of the intrinsic '" + def.name + "' does not exist in this module");
  Symbol symbol = ir_->symbol(def.name);
  ir::Intrinsic intrinsic{symbol, ir_->signature({def.params, def.result}), traits_of(def.effects),
                          std::move(def.evaluate), std::move(def.refine)};
  ir::IntrinsicId known = ir_->find_intrinsic(symbol);
  if (is_none(known)) {
    ir_->add_intrinsic(std::move(intrinsic));
  } else if (ir_->intrinsics[known].signature == intrinsic.signature) {
    ir_->intrinsics[known] = std::move(intrinsic);
    ir_->changes.push_back(none_id<ir::FuncId>);
  } else {
    ir_->mistakes.push_back("the intrinsic '" + def.name + "' is declared again with other types");
  }
}

void Module::add_global(std::string_view name, uint64_t size, std::span<const uint8_t> initial, bool constant) {
  if (name.empty()) return ir_->mistakes.push_back("a global needs a name");
  ir::Global global{ir_->symbol(name), size, 8, constant, {initial.begin(), initial.end()}};
  const ir::GlobalId known = ir_->find_global(global.name);
  if (is_none(known))
    ir_->add_global(std::move(global));
  else if (ir_->globals[known] != global)
    ir_->mistakes.push_back("the global '" + std::string(name) + "' is declared again with another size or other bytes");
}

void Module::add_class(std::string_view name, std::string_view parent) {
  if (name.empty()) return ir_->mistakes.push_back("a class needs a name");
  ClassId above = parent.empty() ? none_id<ClassId> : ir_->types.find_class(parent);
  if (is_none(above) && !parent.empty())
    ir_->mistakes.push_back("the class '" + std::string(name) + "' has a parent that there is not: '" +
                            std::string(parent) + "'");
  else if (is_none(ir_->types.add_class(std::string(name), above)))
    ir_->mistakes.push_back("the class '" + std::string(name) + "' is declared again with another parent");
}

std::string_view name(const Func& f) { return f.name_text(); }
uint32_t statement_count(const Func& f) { return f.size(); }
uint32_t block_count(const Func& f) { return f.block_count(); }

uint32_t phi_count(const Func& f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += ir::is_phi_like(f.columns().stmt(i).op);
  return count;
}

}  // namespace braid
