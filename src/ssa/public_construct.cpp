// The public entry to the constructors.
#include <braid/construct.h>

#include "ssa/construct.h"

namespace braid {
namespace {

ssa::ConstructOptions options_of(Construction how) {
  switch (how) {
    case Construction::cytron: return {ssa::Algorithm::cytron, ssa::Prune::pruned};
    case Construction::cytron_semi: return {ssa::Algorithm::cytron, ssa::Prune::semi};
    case Construction::cytron_minimal: return {ssa::Algorithm::cytron, ssa::Prune::minimal};
    case Construction::braun: return {ssa::Algorithm::braun, ssa::Prune::pruned};
    case Construction::regmap: return {ssa::Algorithm::regmap, ssa::Prune::pruned};
  }
  return {};
}

}  // namespace

Expected<void> construct(Func& f, Construction how) {
  if (f.is_external()) return {};
  if (Expected<void> valid = verify(f); !valid) return valid;
  ssa::construct(f, options_of(how));
  f.module().changes.push_back(f.id());
  return {};
}

Expected<void> construct(Module& m, Construction how) {
  if (Expected<void> valid = verify(m); !valid) return valid;
  for (Func* f : m.functions())
    if (!f->is_external()) ssa::construct(*f, options_of(how));
  m.ir().changes.push_back(none_id<ir::FuncId>);
  return {};
}

}  // namespace braid
