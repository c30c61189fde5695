// Blocks and edges of a function whose statements stand in the vector already, block after block, for those who write them
// without thinking of the graph: all of it is made at the end, in two walks over the blocks.
//
// Until then all statements are in the entry block, and terminators have in the place of an edge a word that says where it
// leads. Edges are numbered, and come to their targets, in the order of terminators.
//
// Cost: O(blocks + edges); no statements but terminators are looked at.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "ir/function.h"

namespace braid::ir {

class BlockLinker {
 public:
  /// Block `b` starts at `starts[b]` and goes up to the next one. Behind the last of them come `empty_blocks` blocks without
  /// statements. The last block with statements has a terminator unless it is open.
  BlockLinker(Function& f, std::span<const uint32_t> starts, uint32_t empty_blocks, bool last_is_open);

  /// `target(word)` says which block a word means; `arrive(EdgeId, Stmt& terminator, uint32_t slot, Block& to)` is called for
  /// each edge when it is linked. Terminators are jumps, branches, and those without edges.
  template <typename Target, typename Arrive>
  void link(Target&& target, Arrive&& arrive) {
    Stmt* stmts = f_.columns_.stmts();
    Block* blocks = f_.blocks_.begin();
    Edge* edges = f_.edges_.add(2 * ended_);
    Edge* next_edge = edges;
    uint32_t next = 0;
    auto link = [&](uint32_t from, Stmt& terminator, uint32_t slot) __attribute__((always_inline)) {
      uint32_t e = next++;
      BlockId to = target(terminator.arg[slot]);
      Block& block = blocks[index(to)];
      uint32_t column = block.pred_count++;
      Edge& edge = *next_edge++;
      edge.from = static_cast<BlockId>(from);
      edge.to = to;
      edge.next_pred = none_id<EdgeId>;
      edge.pred_index = column;
      edge.slot = slot;
      edge.kind = EdgeKind::normal;
      edge.dead = false;
      (column == 0 ? block.first_pred : edges[index(block.last_pred)].next_pred) = static_cast<EdgeId>(e);
      block.last_pred = static_cast<EdgeId>(e);
      arrive(static_cast<EdgeId>(e), terminator, slot, block);
      terminator.arg[slot] = e;
    };
    const Block* block = blocks;
    const uint32_t ended = ended_;
    for (uint32_t b = 0; b < ended; ++b, ++block) {
      Stmt& terminator = stmts[block->end - 1];
      if (terminator.op == Op::jump) {
        link(b, terminator, 0);
      } else if (terminator.op == Op::branch) {
        link(b, terminator, 1);
        link(b, terminator, 2);
      }
    }
    f_.edges_.cut(next);
  }

 private:
  Function& f_;
  uint32_t ended_;  ///< blocks with a terminator
};

}  // namespace braid::ir
