// A program in pandasm with what is known of it: blocks and where they lead, the handlers of each, and the registers that are
// live before every instruction.
#pragma once

#include <string>

#include "front/pandasm/link.h"

namespace braid::pandasm {

/// Functions with a body, in their order. O(output).
std::string listing(const Program& program, const Links& links);

}  // namespace braid::pandasm
