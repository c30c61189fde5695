// Restores SSA where a pass has given values further definitions: after copying blocks, splitting live
// ranges, or whenever one value is now computed in several places.
//
// From each use the predecessors are searched backwards, up to the nearest definitions; a block where the
// value is needed at the start is remembered, so that it is searched once per value. What the blocks that
// were searched need at their start is one equation system, and those that stand for one value are found by
// dominators over it (ssa/redundant_phis.h): phis are left exactly where different definitions meet and the
// value is live, also in irreducible graphs. (The search is that of Braun et al. 2013; Hack's reconstruction,
// 2007, asks for dominance frontiers, which a pass that has just changed the graph does not have.)
//
// Cost: O(definitions + new statements + uses of the values + blocks between these uses and the definitions,
// with their edges); where a block holds both, O(its statements) if it is not one range. Nothing else of the
// function is looked at, except that `Function::block_of` builds its column, once. `RepairReport::work`
// counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"
#include "ir/uses.h"

namespace braid::ssa {

/// From its place on, `value` is what `original` was.
struct NewDefinition {
  ir::Operand original;  ///< a statement that `uses` knows; it stays a definition, too
  ir::Operand value;     ///< a statement of the vector or of the insertion buffer
};

struct RepairReport {
  uint32_t phis = 0, phi_cs = 0;  ///< inserted
  uint64_t uses = 0;              ///< of values with new definitions
  uint64_t blocks = 0;            ///< searched, once for each value that was needed at their start
  uint64_t edges = 0;             ///< into them
  uint64_t statements = 0;        ///< new ones, and those of blocks whose order had to be found

  uint64_t work() const { return uses + blocks + edges + statements; }
};

/// Makes every use of an original or of a new definition read the definition that reaches it. `uses` was
/// built when the insertion buffer was empty; statements appended or buffered since are found, and old ones
/// that have become users since must be in `changed`. Dead blocks may remain. Upsilons need no repair. At a
/// handler definitions meet in a phi_c, written before each `enter` (the token of an `enter`, behind it);
/// regions of one handler must not nest in each other. Save states, which no phi can hold, must be used in
/// the block that makes them. Phis wait in the insertion buffer; keeps blocks and edges.
RepairReport repair(ir::Function& f, std::span<const NewDefinition> definitions, const ir::Uses& uses,
                    std::span<const ir::Operand> changed = {});

/// The values of copied blocks as new definitions, right after `clone_blocks` has made `copies` of `blocks`
/// in a function with an empty insertion buffer. O(statements of the blocks).
std::vector<NewDefinition> definitions_of_copies(const ir::Function& f, std::span<const ir::BlockId> blocks,
                                                 std::span<const ir::BlockId> copies);

}  // namespace braid::ssa
