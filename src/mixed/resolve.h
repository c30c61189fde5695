// Mixed phis, one way or the other: versions as far as the budget goes, variants for what is left.
#pragma once

#include "mixed/variants.h"
#include "mixed/version.h"

namespace braid::mixed {

enum class Way : uint8_t {
  version,    ///< what the budget leaves mixed stays as it is
  variant,
  automatic,  ///< versions, then variants
};

struct Resolution {
  VersionReport versions;
  VariantReport variants;
};

/// Needs SSA; runs inference, with these summaries of what `f` calls, or its own. Leaves `f` at rest.
inline Resolution resolve(ir::Function& f, Way way, const VersionOptions& options = {},
                          const infer::Summaries* summaries = nullptr) {
  Resolution result;
  if (way != Way::variant) result.versions = version(f, options, summaries);
  if (way != Way::version) result.variants = use_variants(f, summaries);
  return result;
}

}  // namespace braid::mixed
