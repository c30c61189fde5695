// Findings of the verifier as diagnostics: with their place in the source, and in the listing.
#pragma once

#include <braid/diagnostic.h>

#include <span>
#include <string>

#include "base/source_file.h"
#include "ir/verify.h"
#include "text/parse.h"

namespace braid::text {

/// What the source calls a statement, as `%x`; a statement without a name there is `%3 of the listing`.
std::string source_name(const ir::Function& f, ir::Operand statement, const SourceFile& source, const SourceMap& positions);

/// One error per finding, at the statement, or as near as the source knows; then a note with the lines of the listing
/// around it. `positions` is null when the program is not that of the source any more: then functions are known by their
/// listing only. O(functions with findings) and a few lines per finding.
Diagnostics describe(const ir::Module& module, std::span<const ir::Finding> findings, const SourceFile& source,
                     const SourceMap* positions);

}  // namespace braid::text
