// The operands of a statement that are of one kind.
//
// Cost: O(operands).
#pragma once

#include <cstdint>
#include <span>

#include "ir/op.h"

namespace braid::dessa {

/// Calls `visit(word)` for them, in order. A switch may have very many: asking the table for each by its number divides.
template <class Word, class Visit>
[[gnu::always_inline]] inline void for_each_word(ir::OperandKind kind, const ir::OpInfo& op, std::span<Word> words,
                                                 Visit&& visit) {
  uint32_t k = 0;
  for (; k < op.fixed_count && k < words.size(); ++k)
    if (op.fixed[k] == kind) visit(words[k]);
  for (uint32_t in_group = 0; k < words.size(); ++k) {
    if (op.group[in_group] == kind) visit(words[k]);
    in_group = in_group + 1 == op.group_count ? 0 : in_group + 1;
  }
}

}  // namespace braid::dessa
