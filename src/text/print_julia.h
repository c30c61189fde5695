// Functions in the style of Julia's IR printer: a gutter with block numbers, and the symbols φ, φᶜ, ϒ and π. For reading
// only: there is no parser for it. Linear in the function.
#pragma once

#include <string>

#include "ir/function.h"

namespace braid::text {

/// Statements, blocks and parameters are counted from 1; buffered statements stand in their place, numbered behind all
/// others, and are green if `colour`. A branch falls through to its first target where that comes next; otherwise a line
/// `goto` follows it, and so does `enter` with its body.
std::string to_julia(const ir::Function& f, bool colour = false);
void append_julia(std::string& out, const ir::Function& f, bool colour = false);

}  // namespace braid::text
