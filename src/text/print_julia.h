// Functions in the style of Julia's IR printer: a gutter with block numbers, and the symbols φ, φᶜ, ϒ and π. For reading
// only: there is no parser for it. Linear in the function.
#pragma once

#include <string>

#include "ir/compact.h"
#include "ir/function.h"

namespace braid::text {

/// Statements, blocks and parameters are counted from 1; buffered statements stand in their place, numbered behind all
/// others, and are green if `colour`. A branch falls through to its first target where that comes next; otherwise a line
/// `goto` follows it, and so does `enter` with its body.
std::string to_julia(const ir::Function& f, bool colour = false);
void append_julia(std::string& out, const ir::Function& f, bool colour = false);

/// A compaction under way: what is emitted, a rule, red if `colour`, and what is ahead. Below the rule statements have
/// their old numbers, above it those of the result; blocks have their old ones on both sides. A name from the other side
/// says so: `OldSSAValue(5)` above the rule is ahead; below it `NewSSAValue(2)` is emitted, and `NewSSAValue(-1)` waits in
/// the buffer of the result. The block under way goes on below the rule. O(function).
std::string to_julia(const ir::Compact& walk, bool colour = false);
void append_julia(std::string& out, const ir::Compact& walk, bool colour = false);

/// One statement by itself, without number and type. Where nobody sees blocks, targets are named by their first statement,
/// and the edges of a phi by the statement that they come from: `goto %4 if not true`, `φ (%2 => 1, %3 => _3)`.
/// O(function).
std::string to_julia(const ir::Function& f, ir::Operand id);

}  // namespace braid::text
