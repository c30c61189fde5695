// The shortest ways from the entry to all blocks, and the branches on them: what is needed to tell someone how control comes
// to a place, without walking all of it.
//
// One breadth-first search. If block a dominates block b, the shortest way to b leads through a: what lies between is the
// shortest way from one to the other. O(blocks + edges) to build; a step from branch to branch is O(1).
#pragma once

#include <cstdint>

#include "base/id_map.h"
#include "ir/function.h"

namespace braid::opt {

class ShortestWays {
 public:
  explicit ShortestWays(const ir::Function& f);

  /// The block before it on the way; none for the entry.
  ir::BlockId before(ir::BlockId b) const { return notes_[b].before; }
  /// Branches on the way to a block, its own not counted.
  uint32_t branches(ir::BlockId b) const { return notes_[b].branches; }
  /// The block behind the last of them; none if there is none.
  ir::BlockId behind_last_branch(ir::BlockId b) const { return notes_[b].behind_last_branch; }
  bool is_branch(ir::BlockId b) const { return notes_[b].is_branch; }
  /// The first branch from the end of a block on, its own counted, where there is only one way to it; otherwise none.
  ir::BlockId next_branch(ir::BlockId b) const { return notes_[b].next_branch; }

 private:
  struct Note {
    ir::BlockId before = none_id<ir::BlockId>;
    ir::BlockId behind_last_branch = none_id<ir::BlockId>;
    ir::BlockId next_branch = none_id<ir::BlockId>;
    uint32_t branches = 0;
    bool is_branch = false;
  };

  IdMap<ir::BlockId, Note> notes_;
};

}  // namespace braid::opt
