// The blocks of a function, as leaving SSA asks about them: which dominate which, and which loops are around them.
//
// At rest, blocks stand in an order in which every edge leads to a later block or back to a dominator, unless
// the graph is irreducible. Then one walk is enough and no graph is built: a block hangs below the nearest
// common dominator of its predecessors, which jump pointers find (E. W. Myers, An Applicative Random-Access
// Stack, 1983); a loop is what leads to its back edges, inner loops folded into their heads. Otherwise
// dominators are those of flow/dominators.h.
//
// Cost: O(blocks + edges * log blocks) at worst, close to linear in practice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stack.h"
#include "ir/function.h"

namespace braid::dessa {

class BlockOrder {
 public:
  static constexpr uint32_t no_block = 0xffffffffu;

  explicit BlockOrder(const ir::Function& f);

  /// Every edge leads to a block with a higher number or back to a dominator. So a block that is reached later, without
  /// going round a loop, has a higher number.
  bool is_forward() const { return is_forward_; }
  /// Blocks could stand in such an order, but do not, or some cannot be reached, or some edge is dead: then nothing else is
  /// to be asked.
  bool is_out_of_order() const { return is_out_of_order_; }

  bool dominates(uint32_t a, uint32_t b) const { return spans_[b].first - spans_[a].first < spans_[a].size; }
  uint32_t idom(uint32_t block) const { return places_[block].idom; }
  uint32_t level(uint32_t block) const { return places_[block].level; }
  /// Each before what it dominates.
  std::span<const uint32_t> preorder() const { return {preorder_.data(), preorder_.size()}; }

  /// Where the edges into a block come from, in the order of the operands of its phis.
  std::span<const uint32_t> preds(uint32_t block) const {
    return {preds_.data() + first_pred_[block], first_pred_[block + 1] - first_pred_[block]};
  }

  /// No block with a higher number is reached from this one along edges that lead forward.
  uint32_t last_reached(uint32_t block) const { return last_reached_[block]; }
  bool has_loops() const { return !loops_.empty(); }
  /// The head of the outermost loop around `block` that `home`, which dominates it, is not in; `no_block` if there is none.
  /// A dominator of a block in a loop is in the loop if the head dominates it, and otherwise comes before the head.
  uint32_t loop_head(uint32_t block, uint32_t home) const {
    uint32_t head = no_block;
    if (loops_.empty()) return head;
    for (uint32_t at = loops_[block].head; at != no_block && at > home; at = loops_[at].around) head = at;
    return head;
  }

 private:
  struct Place {
    uint32_t idom, level;
    uint32_t jump;  ///< a dominator further up, so placed that a search takes O(log level) steps
  };
  struct Span {
    uint32_t first, size;  ///< in preorder
  };
  struct InLoop {
    uint32_t head;    ///< of the innermost loop; of a head, itself
    uint32_t around;  ///< of a head: that of the next loop
  };

  bool find_dominators(const ir::Function& f);
  uint32_t common_dominator(uint32_t a, uint32_t b) const;
  void number();
  bool are_heads_dominators() const;
  void find_loops();
  void take_general(const ir::Function& f);

  bool is_forward_ = false, is_out_of_order_ = false, has_dead_edges_ = false;
  std::vector<uint32_t> heads_;  ///< blocks that edges lead back to, in their order
  Stack<uint32_t> preds_;        ///< block by block
  Stack<uint32_t> first_pred_;   ///< by block, and one more
  Stack<Place> places_;
  Stack<Span> spans_;
  Stack<uint32_t> preorder_;
  Stack<uint32_t> last_reached_;
  std::vector<InLoop> loops_;  ///< by block; empty if there are none
};

}  // namespace braid::dessa
