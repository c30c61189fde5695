#include "front/simple/simple.h"

#include "front/simple/parse8.h"

namespace braid::simple {

Expected<Program> parse(ir::Module& module, const SourceFile& source, const ParseOptions& options) {
  return parse_simple8(module, source, options);
}

}  // namespace braid::simple
