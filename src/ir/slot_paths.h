// Whether a slot is written on every path to a place: the question that phi_c asks, for one slot after the other.
//
// A write holds in all places that it dominates: an interval of the dominator tree's preorder, so that many places are
// answered at once. A place behind no such write asks the nearest join above it that has a write at its side. The join
// asks its predecessors in the same way, back to the writes, or to a block that dominates all of them, in front of which
// nothing is written. What lies between a join and the next one with writes at its side is skipped by jump pointers
// (E. W. Myers, An Applicative Random-Access Stack, 1983), so that the work for a slot is that of its writes and of the
// joins where they come together: O((writes + joins + predecessors of those that no write dominates) * log blocks).
// O(blocks + edges) to build.
#pragma once

#include <span>
#include <vector>

#include "base/csr.h"
#include "ir/graph_view.h"

namespace braid::ir {

class SlotPaths {
 public:
  static constexpr uint32_t at_end = 0xffffffffu;

  /// A statement of a reachable block; ordered such that what dominates comes first.
  struct Place {
    uint32_t block;  ///< its number in the preorder of the dominator tree
    uint32_t order;  ///< of the statement in its block, or `at_end`
    auto operator<=>(const Place&) const = default;
  };

  explicit SlotPaths(const BlockDominance& blocks);

  uint32_t block_count() const { return static_cast<uint32_t>(tree_.preorder().size()); }
  uint32_t block_number(BlockId b) const { return tree_.preorder_number(node(b)); }
  BlockId block_at(uint32_t number) const { return block(tree_.preorder()[number]); }

  /// From here on it is about the slot that is written there.
  void take(std::vector<Place>& writes);

  struct Answer {
    bool written;
    uint32_t end;  ///< if written, it is in all places behind this one up to the block with this number
  };
  Answer is_written(Place place);

 private:
  struct Block {
    uint32_t end;        ///< of what it dominates
    uint32_t idom;       ///< the entry is its own
    uint32_t jump;       ///< some dominator
    uint32_t join;       ///< itself, or the nearest dominator, that has other than one predecessor
    uint32_t asked = 0;  ///< its number in `joins_`, if it stands there
  };
  /// Asked about its start. Those that ask it are a list in `users_`.
  struct Join {
    uint32_t block;
    bool open;  ///< there is a path from the entry without a write
    uint32_t first_user;
  };
  struct User {
    uint32_t join, next;
  };
  static constexpr uint32_t none = 0xffffffffu;

  uint32_t end_of_write_before(Place place) const;
  uint32_t join_above(uint32_t block) const;
  uint32_t number_of(uint32_t block);
  bool is_open(uint32_t block);
  void ask_predecessors(uint32_t join);
  void spread(size_t first);

  const flow::Dominators& tree_;
  std::vector<Block> blocks_;  ///< in preorder
  Csr<uint32_t> predecessors_;  ///< ascending

  std::vector<Place> writes_;  ///< ascending; none dominates another
  std::vector<Join> joins_;
  std::vector<User> users_;
  std::vector<uint32_t> work_;
};

}  // namespace braid::ir
