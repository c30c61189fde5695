// In which order blocks are built, and which of them head a loop.
#pragma once

#include <vector>

#include "bytecode/blocks.h"

namespace braid::bytecode {

/// Reverse post-order over blocks and the lists of handlers that something throws to.
struct BuildOrder {
  struct Step {
    bool is_list;
    uint32_t number;  ///< of the block or the list
  };
  std::vector<Step> steps;
  std::vector<bool> list_is_reached;  ///< by list: something in it throws
  std::vector<bool> is_header;        ///< by block
  std::vector<bool> is_reached;       ///< by block
};

BuildOrder build_order(const Code& code, const Blocks& blocks, BlockId start);

}  // namespace braid::bytecode
