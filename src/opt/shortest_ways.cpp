#include "opt/shortest_ways.h"

#include <vector>

#include "base/bit_set.h"

namespace braid::opt {

using ir::BlockId;
using ir::EdgeId;

ShortestWays::ShortestWays(const ir::Function& f) : notes_(f.block_count()) {
  IdMap<BlockId, BlockId> only_next(f.block_count(), none_id<BlockId>);
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    uint32_t count = 0;
    f.for_each_succ(b, [&](EdgeId e) {
      ++count;
      only_next[b] = f.edge(e).to;
    });
    notes_[b].is_branch = count > 1;
    if (count > 1) only_next[b] = b;
  }
  std::vector<BlockId> order = {ir::Function::entry()};
  IdSet<BlockId> seen(f.block_count());
  seen.insert(order[0]);
  for (size_t at = 0; at < order.size(); ++at) {
    BlockId b = order[at];
    f.for_each_succ(b, [&](EdgeId e) {
      BlockId to = f.edge(e).to;
      if (!seen.insert(to)) return;
      Note& note = notes_[to];
      note.before = b;
      note.branches = notes_[b].branches + notes_[b].is_branch;
      note.behind_last_branch = notes_[b].is_branch ? to : notes_[b].behind_last_branch;
      order.push_back(to);
    });
  }
  // Rows of blocks with one successor, each walked once; a ring of them has no branch.
  IdSet<BlockId> done(f.block_count());
  std::vector<BlockId> row;
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    row.clear();
    BlockId b = static_cast<BlockId>(i);
    for (; !is_none(b) && done.insert(b); b = only_next[b]) {
      row.push_back(b);
      if (notes_[b].is_branch) notes_[b].next_branch = b;
    }
    BlockId branch = is_none(b) ? b : notes_[b].next_branch;
    for (BlockId on_row : row) notes_[on_row].next_branch = branch;
  }
}

}  // namespace braid::opt
