// Where values and slots are alive, of those alone that concern leaving SSA.
//
// Per value a walk from its uses up to its definition (A. Appel, J. Palsberg, Modern Compiler Implementation, 2002, 19.6); the
// result is a sorted list of blocks, of the size of the live range. What a handler reads is alive wherever the region may
// throw: such statements count as readers. Cost and memory: O(statements + sum of the lists). The sum is limited to a multiple
// of the statements; what goes beyond counts as alive everywhere, so that copies remain, and growth stays linear.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "dessa/webs.h"
#include "flow/graph.h"
#include "ssa/regions.h"

namespace braid::dessa {

/// Statements that may throw to a handler of the same function.
class Throws {
 public:
  struct At {
    uint32_t position;
    uint32_t handler;  ///< a block
  };
  struct Last {
    uint32_t block, position;
  };

  Throws(const ir::Function& f, const ssa::Regions& regions);

  /// In the order of the block.
  std::span<const At> in(uint32_t block) const { return at_.row_count() == 0 ? std::span<const At>() : at_.row(block); }
  /// Blocks that throw to a handler, each with the last place where it does.
  std::span<const Last> to(uint32_t handler) const {
    return to_.row_count() == 0 ? std::span<const Last>() : to_.row(handler);
  }

 private:
  Csr<At> at_;
  Csr<Last> to_;
};

class LiveRanges {
 public:
  LiveRanges(const Webs& webs, const flow::Graph& graph, const Throws& throws);

  /// A value, behind a point of a block.
  bool is_live_after(uint32_t node, uint32_t block, uint32_t point) const {
    const Node& value = webs_.nodes[node];
    if (value.block == block && value.point > point) return false;
    const Entry* entry = find(node, block);
    if (entry == nullptr) return ranges_[node].is_everywhere;
    return entry->goes_out || entry->last_read > point;
  }
  /// A value, at the start of a block, behind what its phis read.
  bool is_live_in(uint32_t node, uint32_t block) const {
    const Entry* entry = find(node, block);
    return entry == nullptr ? ranges_[node].is_everywhere : entry->comes_in;
  }
  bool is_used(uint32_t node) const { return ranges_[node].end != ranges_[node].first || ranges_[node].is_everywhere; }

  bool is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point) const;
  bool is_slot_live_in(const Slot& slot, uint32_t block) const;

 private:
  struct Entry {
    uint32_t block;
    bool comes_in, goes_out;
    uint32_t last_read;  ///< a point; 0: no statement of the block reads it
  };
  struct Range {
    uint32_t first = 0, end = 0;  ///< in entries_
    bool is_everywhere = false;
  };
  struct Read {
    uint32_t node, block, point;
  };
  static constexpr uint32_t at_edge = nothing;

  void collect_reads();
  void walk(uint32_t node, std::span<const Read> reads);
  void walk_slot(const Slot& slot);
  Entry& enter(uint32_t block);
  void finish(uint32_t node, size_t first);
  const Entry* find(uint32_t node, uint32_t block) const;

  const Webs& webs_;
  const flow::Graph& graph_;
  const Throws& throws_;
  std::vector<Read> reads_;       ///< each block once for a node
  std::vector<Range> ranges_;     ///< by node
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_;  ///< by block: its entry of the present walk, or one of an earlier walk
  size_t walk_start_ = 0, limit_ = 0;
};

}  // namespace braid::dessa
