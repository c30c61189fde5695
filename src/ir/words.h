// The operands of a statement that are of one kind.
//
// Cost: O(operands).
#pragma once

#include <cstdint>
#include <span>

#include "ir/op.h"

namespace braid::ir {

/// Calls `visit(word)` for them, in order. A switch may have very many: asking the table for each by its
/// number divides.
template <class Word, class Visit>
[[gnu::always_inline]] inline void for_each_word(OperandKind kind, const OpInfo& op, std::span<Word> words,
                                                 Visit&& visit) {
  uint32_t in_group = 0;
  for (uint32_t k = 0; k < words.size(); ++k) {
    const bool is_fixed = k < op.fixed_count;
    const OperandKind found = is_fixed ? op.fixed[k] : op.group[in_group];
    if (!is_fixed) in_group = in_group + 1 == op.group_count ? 0 : in_group + 1;
    if (found == kind) visit(words[k]);  // in one place, so that it can be written out there
  }
}

}  // namespace braid::ir
