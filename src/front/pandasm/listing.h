// A program in pandasm with what is known of it: blocks and where they lead, the handlers of each, what registers hold at the
// start of each, and which are live before every instruction.
#pragma once

#include <string>

#include "front/pandasm/verify.h"

namespace braid::pandasm {

/// Functions with a body, in their order. O(output).
std::string listing(const Program& program, const Links& links, const std::vector<FunctionTypes>& types);

}  // namespace braid::pandasm
