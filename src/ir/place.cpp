#include "ir/place.h"

#include <utility>

namespace braid::ir {

Place declare_place(Module& module, Symbol name, SigId signature) {
  if (module.name(name).empty()) return {nullptr, "a function needs a name"};
  Function* known = module.find_function(name);
  if (known == nullptr) return {&module.add_function(name, signature, true), nullptr};
  if (!known->is_external()) return {nullptr, "the function is defined twice"};
  if (known->signature_id() != signature) return {nullptr, "the function was declared with other types"};
  return {known, nullptr};
}

bool take_place(Function& declaration, Function&& body) {
  if (!declaration.is_external()) return false;
  Module& module = declaration.module();
  const FuncId id = declaration.id();
  module.replace_function(id, std::move(body));
  module.changes.push_back(id);
  return true;
}

bool can_call(const Module& module, const Function& callee) {
  return &callee.module() == &module && module.has_function(callee.id());
}

Function declaration_of(const Function& f) { return Function(f.module(), f.id(), f.name(), f.signature_id(), true); }

}  // namespace braid::ir
