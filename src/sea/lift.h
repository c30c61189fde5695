// From linear SSA to the sea (C. Click and M. Paleczny, A Simple Graph-Based Intermediate Representation,
// 1995).
//
// Pure statements lose their place; what has effects hangs on control and on the one chain of effects, whose
// phis stand in the iterated dominance frontier of the blocks that change something. Any valid function can
// be lifted, at rest or with edits pending, with reads and writes of variables too (they are effects then).
// Statements of no use do not arrive. What a block that is never left does hangs on stop by an exit that is
// never taken.
//
// O(statements + operands + edges), apart from the dominator tree and the frontier (flow/dominators.h,
// flow/iterated_frontier.h). Iterative.
#pragma once

#include <vector>

#include "ir/function.h"
#include "ir/graph_view.h"
#include "sea/graph.h"

namespace braid::sea {

/// What graphs have no room for. Nodes keep their ids, so it can be used as long as the graph lives.
struct SourceNames {
  std::vector<Symbol> blocks;        ///< by control node: the name of the block that it begins
  std::vector<ir::VarId> variables;  ///< by value: the variable of the source

  Symbol block(NodeId n) const { return index(n) < blocks.size() ? blocks[index(n)] : none_id<Symbol>; }
  ir::VarId variable(NodeId n) const {
    return index(n) < variables.size() ? variables[index(n)] : none_id<ir::VarId>;
  }
};

/// The graph of a function with a body. The function stays as it is.
Graph lift(const ir::Function& f, SourceNames* names = nullptr);
/// With dominance that is known already.
Graph lift(const ir::Function& f, const ir::BlockDominance& dominance, SourceNames* names = nullptr);

}  // namespace braid::sea
