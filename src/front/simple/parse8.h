// The parser of chapter 8's Simple, statement by statement into the graph. No recursion: nesting is limited by memory.
#pragma once

#include <braid/expected.h>

#include "base/source_file.h"
#include "front/simple/simple.h"

namespace braid::simple {

Expected<Program> parse_simple8(ir::Module& module, const SourceFile& source, const ParseOptions& options);

}  // namespace braid::simple
