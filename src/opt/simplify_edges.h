// Clean-up of the graph: constant and needless branches, blocks that only jump, chains of blocks.
//
// Blocks are visited in post-order, so that an edge moves at most once, to where its empty blocks lead in the end; a ring
// of empty blocks ends as one block that jumps to itself. Multi-edges are legal, so phis never forbid a move, except that
// an empty block with phis must pass all of them on to the phis of its target. A move that would make many more phi
// operands than it removes is not made, which keeps the result linear in the input.
// Cost: O(rounds x (statements + edges + phi operands)), few rounds.
#pragma once

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::opt {

/// Folds branches on constants, branches and switch cases whose targets and phi operands are the same, switches without
/// cases; moves edges past empty blocks; merges a block with its only successor where that has no other predecessor;
/// drops unreachable blocks. Exceptional edges stay as they are. Needs the graph and uses; hands on those of its last round.
void simplify_edges(ir::Function& f, ir::Analyses& analyses);
void simplify_edges(ir::Function& f);

}  // namespace braid::opt
