// Frames as large as what a function uses, not as the highest number that it mentions.
#pragma once

#include <cstdint>

#include "front/pandasm/link.h"

namespace braid::pandasm {

/// Of a function with a very high register: those that it uses, rows of arguments too, are numbered anew, in their
/// order, and keep their
/// names (`Function::local_names`). O(size x log size).
void renumber_registers(Program& program, const Links& links, uint32_t function);

}  // namespace braid::pandasm
