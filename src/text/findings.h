// What the verifier found, as diagnostics: with the place in the source where there is one, and with the statement as its
// listing shows it.
#pragma once

#include <braid/diagnostic.h>

#include <vector>

#include "base/source_file.h"
#include "ir/verify.h"
#include "text/parse.h"

namespace braid::text {

/// For a module that was read from `source`.
Diagnostics describe(const std::vector<ir::Finding>& findings, const ir::Module& module, const SourceFile& source,
                     const SourceMap& positions);
/// For a function without a source, or that was changed since it was read.
Diagnostics describe(const std::vector<ir::Finding>& findings, const ir::Module& module);

}  // namespace braid::text
