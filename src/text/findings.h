// Findings of the verifier as diagnostics: with their place in the source, and in the listing.
#pragma once

#include <braid/diagnostic.h>

#include <memory>
#include <span>
#include <string>

#include "base/source_file.h"
#include "ir/order.h"
#include "ir/verify.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::text {

/// What the source calls a statement, as `%x`; a statement without a name there is `%3 of the listing`.
std::string source_name(const ir::Function& f, ir::Operand statement, const SourceFile& source, const SourceMap& positions);

/// Lines of the listings of functions around findings. Findings of one function should come one after the other.
class Excerpts {
 public:
  /// The statement with its neighbours, below a line that names the function; empty if the finding is in no block.
  std::string around(const ir::Function& f, const ir::Finding& finding);

 private:
  const ir::Function* current_ = nullptr;
  std::unique_ptr<StatementPrinter> printer_;
  ir::PendingLists lists_;
};

/// One error per finding, at the statement, or as near as the source knows; then a note with the lines of the listing
/// around it. `positions` is null when the program is not that of the source any more: then functions are known by their
/// listing only. O(functions with findings) and a few lines per finding.
Diagnostics describe(const ir::Module& module, std::span<const ir::Finding> findings, const SourceFile& source,
                     const SourceMap* positions);

}  // namespace braid::text
