// Clean-up of the graph: what is left of it when blocks that do nothing, chains and dead code are gone.
//
// Works before SSA and in SSA, and looks at no value: branches on constants stay (opt/simplify_edges.h folds
// them). An edge through an empty block goes on to where that block jumps; a branch whose edges all end in
// the same place, with the same phi operands, becomes a jump, which may leave another block empty; so on
// until nothing changes. A block stays where its edge would come to stand beside another one of the same
// source with different phi operands.
//
// An *impossible* edge connects nothing. It is kept to be shown as long as there is something to show: it
// moves past empty blocks, and from dead code to the first live block behind it; a block that has one is not
// collapsed, and a block that one leads to is not merged into its predecessor.
//
// Cost: O(statements + edges + phi operands), where no block turns empty after edges have been moved to it; a
// work list, no recursion, and no rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::opt {

struct CleanReport {
  std::vector<ir::BlockId> open;  ///< reachable blocks that had no terminator, by their numbers before
  uint32_t unreachable = 0;       ///< blocks that the entry does not reach
  uint32_t collapsed = 0;         ///< empty blocks removed
  uint32_t folded = 0;            ///< branches and switches that became jumps
  uint32_t merged = 0;            ///< blocks appended to their only predecessor

  bool changed() const { return !open.empty() || unreachable + collapsed + folded + merged != 0; }
};

/// Ends blocks that have no terminator in `unreachable !end`; answers those that the entry reaches.
/// O(statements + edges).
std::vector<ir::BlockId> end_open_blocks(ir::Function& f);

/// Appends to each block the chain of blocks behind it that nothing else enters; answers how many. Needs an
/// order of blocks in which dominators come first, and an empty insertion buffer; keeps nothing.
/// O(statements + edges).
uint32_t merge_chains(ir::Function& f);

/// Does all of it. Blocks may lack terminators, otherwise the function is valid. Needs the graph; keeps it and
/// dominators if no block goes and compaction gives none another number.
CleanReport clean_graph(ir::Function& f, ir::Analyses& analyses);
CleanReport clean_graph(ir::Function& f);

}  // namespace braid::opt
