#include "front/simple/simple.h"

#include "front/simple/parse8.h"
#include "front/simple/parser.h"

namespace braid::simple {

Expected<Program> parse(ir::Module& module, const SourceFile& source, const ParseOptions& options) {
  if (options.language == Language::simple8) return parse_simple8(module, source, options);
  return Parser(module, source, options).run();
}

}  // namespace braid::simple
