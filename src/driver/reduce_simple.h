// Makes a program in Simple smaller as long as a check holds for it: drops and simplifies pieces of its text.
//
// Pieces are statements, blocks, arms, parentheses, operands, words, as they stand in the text: what is no program any more
// does not pass the check. O(rounds x pieces) checks; each costs O(size) beside the check itself. Deterministic.
#pragma once

#include <string>

#include "driver/reduce.h"

namespace braid::driver {

/// The smallest text found for which the check holds; it was made for `program`, and holds for it.
ReduceResult reduce_simple_text(std::string program, const ReduceCheck& check, const ReduceOptions& options = {});

/// What `reduce` does with a source in Simple; the options name its language.
Expected<ReduceResult> reduce_simple(const SourceFile& source, const ReduceCheck& check, const ReduceOptions& options);

}  // namespace braid::driver
