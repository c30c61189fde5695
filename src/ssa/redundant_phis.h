// Phis that stand for one value, alone or as a group.
//
// Let values be nodes, with an edge from each operand to its phi, and from a root to every value that is no phi. A phi needs
// two values exactly if the root is its immediate dominator; any other stands for the node just below the root that
// dominates it. That covers trivial phis as well as the strongly connected groups of irreducible graphs (Braun et al. 2013,
// algorithm 5), in one computation of dominators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace braid::ssa {

/// Phi p is the word of NewRef(p); its operands are `operands[first_operand[p] …]`, words. `value[p]` is its own word, or
/// what it is known to stand for already; what is found out is written there. A phi without any operand but itself is
/// undef.
void find_redundant_phis(std::span<const uint32_t> first_operand, std::span<const uint32_t> operands,
                         std::vector<uint32_t>& value);

/// Removes the phis and phi_cs of a function in SSA that stand for one value, and compacts it.
void remove_redundant_phis(ir::Function& f);

}  // namespace braid::ssa
