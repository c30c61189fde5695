// Phis that come and go in a function that is complete but for them: what compaction would do where nothing else is to be done.
//
// Who fills block after block, each after its dominators, and leaves none unreachable, needs only room for phis, fewer phis
// where some turned out to be needless, and new names. Both happen in place.
//
// Cost: O(statements that move + blocks).
#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace braid::ir {

/// So many phis come to the start of a block.
struct PhiGap {
  BlockId block;
  uint32_t count;
};

/// New words for the statements from `first` on, and for the numbers from `first_number` on, above which there is nothing else.
struct Renaming {
  const uint32_t* stmts;
  uint32_t first, count;
  uint32_t first_number;
  const uint32_t* numbers;

  [[gnu::always_inline]] uint32_t operator()(uint32_t word) const {
    if (uint32_t i = word - first; i < count) return stmts[i];
    return word >= first_number ? numbers[word - first_number] : word;
  }
};

/// Moves the statements from the first gap's block up to `end` so that there is room for all phis, which are not written, and
/// renames operands. Gaps are in the order of their blocks; every block from the first one on is one range, in the order of the
/// statements. There must be room behind `end`; sizes do not change. Locations are moved where they are in use.
void open_gaps(Function& f, std::span<const PhiGap> gaps, uint32_t end, const Renaming& names, bool with_locations);

/// Drops the phis that are flagged as unread, in a function where every block is one range, in the order of the statements.
/// Nothing but such phis reads them.
void remove_unread_phis(Function& f);

/// Erases the phis that nothing reads but such phis, in any function, whatever their flags say; compaction comes next.
void erase_dead_phis(Function& f);

}  // namespace braid::ir
