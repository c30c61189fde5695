// Ways round the blocks that do not concern a variable, for constructors that go from block to block: a variable that is
// mentioned in few blocks of a large function costs what it is mentioned, not all blocks where it is live.
//
// Variables that are mentioned in a fair part of the blocks have none: going through all blocks costs no more than they do.
// O(blocks + edges + assignments * log assignments) if there is any other, nothing otherwise; an answer is O(log blocks * log
// assignments).
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.h"
#include "flow/bypass.h"
#include "ir/function.h"
#include "ssa/regions.h"
#include "ssa/tracks.h"

namespace braid::ssa {

class Shortcuts {
 public:
  Shortcuts() = default;
  Shortcuts(const flow::Graph& graph, const Tracks& tracks, const Regions& regions);
  /// Of variables, by the blocks that assign them, each as often as one likes, when it is known that it pays.
  Shortcuts(const flow::Graph& graph, const Csr<ir::BlockId>& assignments, const Regions& regions);

  bool any() const { return !first_.empty(); }
  bool has(uint32_t track) const { return !first_.empty() && first_[track] != first_[track + 1]; }
  /// A dominator of `b` at whose end the track has the value that it has at the start of `b`; none if none is known.
  ir::BlockId above(ir::BlockId b, uint32_t track) const {
    return has(track) ? find(b, track) : none_id<ir::BlockId>;
  }

 private:
  template <typename IsRare, typename Definitions>
  void build(const flow::Graph& graph, uint32_t first, uint32_t end, const Regions& regions, IsRare&& is_rare,
             Definitions&& definitions);
  ir::BlockId find(ir::BlockId b, uint32_t track) const;

  flow::Bypass bypass_;
  std::vector<uint32_t> first_;    ///< by track, in numbers_; no track has any if it is empty
  std::vector<uint32_t> numbers_;  ///< of the blocks that assign a track, sorted; the last one of each is no block's
};

}  // namespace braid::ssa
