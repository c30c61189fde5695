// Blocks and edges of a function whose statements stand in the vector already, block after block, for those who write them
// without thinking of the graph: it is made later, in pieces or at the end.
//
// Until then all statements are in the entry block, and terminators have in the place of an edge a word that says where it
// leads. Edges are numbered, and come to their targets, in the order of terminators.
//
// Cost: O(blocks + edges); no statements but terminators are looked at.
#pragma once

#include <cstdint>
#include <span>

#include "ir/function.h"

namespace braid::ir {

class BlockLinker {
 public:
  explicit BlockLinker(Function& f) : f_(&f) {}

  /// The blocks behind those that are there: where each of them starts. The last one, as all before, goes up to the end of
  /// the vector and has its terminator. `is_all`: there will be no more of them.
  void add(std::span<const uint32_t> starts, bool is_all);
  /// The last block has no terminator after all; and so many blocks without statements come behind it.
  void add_open(bool last_is_open, uint32_t empty_blocks);

  /// Links the terminators, from the first that is not linked yet, up to one that leads to where there is no block; answers
  /// whether that was all. `target(word)` says which block a word means, the entry if there is none;
  /// `arrive(EdgeId, Stmt* stmts, Stmt& terminator, uint32_t slot, Block& to)` is called for each edge when it is linked.
  /// Terminators are jumps, branches, and those without edges.
  template <typename Target, typename Arrive>
  bool link(Target&& target, Arrive&& arrive) {
    begin();
    Stmt* stmts = f_->columns_.stmts();
    Block* blocks = f_->blocks_.begin();
    uint32_t next = f_->edge_count();
    Edge* next_edge = f_->edges_.add(2 * (ended_ - linked_));
    Edge* edges = f_->edges_.begin();
    auto link = [&](uint32_t from, Stmt& terminator, uint32_t slot, uint32_t to) __attribute__((always_inline)) {
      uint32_t e = next++;
      Block& block = blocks[to];
      uint32_t column = block.pred_count++;
      Edge& edge = *next_edge++;
      edge.from = static_cast<BlockId>(from);
      edge.to = static_cast<BlockId>(to);
      edge.next_pred = none_id<EdgeId>;
      edge.pred_index = column;
      edge.slot = slot;
      edge.kind = EdgeKind::normal;
      edge.dead = false;
      (column == 0 ? block.first_pred : edges[index(block.last_pred)].next_pred) = static_cast<EdgeId>(e);
      block.last_pred = static_cast<EdgeId>(e);
      arrive(static_cast<EdgeId>(e), stmts, terminator, slot, block);
      terminator.arg[slot] = e;
    };
    const uint32_t ended = ended_;
    uint32_t b = linked_;
    for (const Block* block = blocks + b; b < ended; ++b, ++block) {
      Stmt& terminator = stmts[block->end - 1];
      if (terminator.op == Op::jump) {
        uint32_t to = target(terminator.arg[0]);
        if (to == 0) break;
        link(b, terminator, 0, to);
      } else if (terminator.op == Op::branch) {
        uint32_t yes = target(terminator.arg[1]), no = target(terminator.arg[2]);
        if (yes == 0 || no == 0) break;
        link(b, terminator, 1, yes);
        link(b, terminator, 2, no);
      }
    }
    linked_ = b;
    f_->edges_.cut(next);
    return b == ended;
  }
  /// More comes: the entry takes everything again.
  void go_on();

 private:
  void begin();
  [[gnu::always_inline]] static inline void put(Block* block, uint32_t first, uint32_t end);

  Function* f_;
  uint32_t entry_end_ = 0;  ///< of a function with more blocks; until the end, the entry takes everything
  uint32_t ended_ = 0;      ///< blocks with a terminator
  uint32_t linked_ = 0;     ///< … whose edges are there
};

}  // namespace braid::ir
