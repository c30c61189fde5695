// Who reads and who defines what may be live: variables, and values that other blocks read.
//
// An exception leaves a block in its middle: what its handler reads is live up to each statement that may
// throw. So blocks are cut into pieces, in each of which everything that defines a variable stands before
// whatever may throw; each piece that throws has an edge to its handler. O(function).
#pragma once

#include <string>
#include <vector>

#include "base/csr.h"
#include "flow/liveness.h"
#include "ir/function.h"

namespace braid::driver {

/// What liveness is about: the variables, then the parameters and statements whose values other blocks read.
struct LiveThing {
  std::string name;
  bool is_variable;
};

struct LiveMentions {
  explicit LiveMentions(const ir::Function& f);

  std::vector<LiveThing> things;
  flow::Graph pieces;  ///< the first piece of a block has the block's number
  flow::Mentions of_things;
  Csr<flow::Variable>
      phi_operands;  ///< by block: what the phis behind its edges read at its end, by number, each once
};

}  // namespace braid::driver
