// Where values and slots are alive, of those alone that concern leaving SSA.
//
// Most questions are answered without a live range: in a reducible graph a value is alive at a block only if
// it is read in a block that can be reached, along edges that lead forward, from the head of the outermost
// loop around the block that the definition is not in, or from the block itself (B. Boissinot, S. Hack, D.
// Grund, B. Dupont de Dinechin, F. Rastello, Fast Liveness Checking for SSA-Form Programs, 2008). What the
// place dominates can be reached, and what a block that it dominates leads to; what stands before it, or on
// the other side of a branch above it, cannot. Where that does not decide, the range of the value is found
// once, by a walk from its reads up to its definition: a sorted list of blocks. What a handler reads is alive
// wherever the region may throw: such statements count as readers.
//
// Cost: O(log reads) for most questions; a range O(its size). All ranges together are limited to a multiple
// of the statements, and so are the edges and throws that are walked for them; what goes beyond counts as
// alive everywhere, so that copies remain, and growth stays linear.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/stack.h"
#include "dessa/block_order.h"
#include "dessa/webs.h"
#include "ssa/regions.h"

namespace braid::dessa {

/// Statements that may throw to a handler of the same function.
class Throws {
 public:
  struct At {
    uint32_t position;
    uint32_t handler;  ///< a block
  };
  /// The throws of a block to one handler, with no other ones in between.
  struct Run {
    uint32_t block, first, last;
  };

  Throws() = default;
  Throws(const ir::Function& f, const ssa::Regions& regions);

  bool any() const { return at_.row_count() != 0; }
  /// In the order of the block.
  std::span<const At> in(uint32_t block) const {
    return at_.row_count() == 0 ? std::span<const At>() : at_.row(block);
  }
  /// Blocks that throw to a handler, each with the first and the last place where it does.
  std::span<const Run> to(uint32_t handler) const {
    return to_.row_count() == 0 ? std::span<const Run>() : to_.row(handler);
  }

 private:
  Csr<At> at_;
  Csr<Run> to_;
};

class LiveRanges {
 public:
  LiveRanges(const Webs& webs, const BlockOrder& order, const Throws& throws);

  /// A value, behind a point of a block.
  bool is_live_after(uint32_t node, uint32_t block, uint32_t point) {
    const Value& value = values_[node];
    if (!is_used(node)) return false;
    uint32_t home = webs_.nodes[node].block;
    if (home == block && webs_.nodes[node].point > point) return false;
    if (is_listed(value)) {
      const Read& last = reads_[value.last_read];
      // What is read elsewhere is read behind the block where it is made.
      if (home == block) return last.block != home || last.is_behind(point);
      if (last.block == home) return false;
      if (last.block < block && !order_.has_loops()) return false;
    }
    return is_live_elsewhere(node, block, point);
  }
  /// A value, at the start of a block, behind what its phis read.
  bool is_live_in(uint32_t node, uint32_t block) {
    const Value& value = values_[node];
    if (!is_used(node)) return false;
    uint32_t home = webs_.nodes[node].block;
    if (home == block) return false;
    if (is_listed(value)) {
      const Read& last = reads_[value.last_read];
      if (last.block == home) return false;
      if (last.block < block && !order_.has_loops()) return false;
    }
    return comes_in_from_elsewhere(node, block);
  }
  bool is_used(uint32_t node) const {
    const Value& value = values_[node];
    return value.last_read != no_read || value.is_copy || value.has_runs;
  }

  /// From now on only `is_used` is asked.
  void forget_reads() {
    reads_ = {};
    runs_ = {};
    last_run_ = {};
    singles_ = {};
    first_single_ = {};
    entries_ = {};
    entry_of_ = {};
    marked_ = {};
    mark_of_ = {};
  }

  bool is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point);
  bool is_slot_live_in(const Slot& slot, uint32_t block);

  /// A block of a live range.
  struct Entry {
    uint32_t block;
    bool comes_in, goes_out;
    uint32_t last_read;  ///< a point; 0: no statement of the block reads it

    bool is_live_after(uint32_t point) const { return goes_out || last_read > point; }
  };
  /// The blocks where a value is alive; empty if nobody reads it. Not to be asked if it is `everywhere`, which is what counts if
  /// the range is too large.
  std::span<const Entry> range(uint32_t node) {
    if (!is_used(node)) return {};
    find_range(node);
    return {entries_.data() + values_[node].first, values_[node].end - values_[node].first};
  }
  bool is_everywhere(uint32_t node) const { return values_[node].is_everywhere; }
  // One range can be looked at block by block, until something else is asked. Whether it has at most so many entries.
  bool look_at_range(uint32_t node, size_t most);
  /// Of a value made in block `home` and read at the ends of these blocks alone.
  bool look_at_range_to_ends(uint32_t home, std::span<const uint32_t> blocks, size_t most);
  /// Null where it is not alive.
  const Entry* entry(uint32_t block) const {
    static constexpr Entry first = {0, false, true, 0}, through = {0, true, true, 0};
    if (home_ != nothing) return block == home_ ? &first : mark_of_[block] == mark_ ? &through : nullptr;
    uint32_t at = entry_of_[block];
    return at >= walk_start_ && at < walk_end_ && entries_[at].block == block ? &entries_[at] : nullptr;
  }
  /// A new node, the next one: a value that is read at the ends of these blocks alone.
  void add_copy(std::span<const uint32_t> ends);
  /// A new node, the next one, that is no value.
  void add_node() { values_.emplace_back(); }

 private:
  struct Read {
    uint32_t block;
    uint32_t at;      ///< twice the point of the last reader, or 0; and one if a phi behind the block reads it
    uint32_t before;  ///< the read of the same node before this one, in an earlier block

    uint32_t point() const { return at >> 1; }
    bool is_at_end() const { return (at & 1) != 0; }
    bool is_behind(uint32_t other) const { return is_at_end() || point() > other; }
  };
  /// A value that comes to a phi along several edges side by side, into a block with very many: one for all these reads.
  struct Run {
    uint32_t block, first, count;  ///< edges into the block of the phi
    uint32_t before;               ///< the run of the same node before this one
  };
  /// A value that comes to a phi of such a block along one edge alone.
  struct Single {
    uint32_t word;
    uint32_t next;  ///< another one along this edge
  };
  static constexpr uint32_t no_read = 0;
  static constexpr uint32_t most_listed = 64;   ///< edges into a block whose reads are all noted one by one
  static constexpr uint32_t most_reads = 16;    ///< that are looked at one by one
  static constexpr ptrdiff_t most_unsorted = 16;  ///< entries of a range that are not put in order
  struct Value {
    uint32_t last_read = no_read;  ///< in reads_, which are in the order of the blocks
    uint32_t first = 0, end = 0;   ///< in entries_; of a copy that has no range yet, in copy_ends_
    bool has_range : 1 = false, is_everywhere : 1 = false, is_copy : 1 = false, is_sorted : 1 = false;
    bool has_runs : 1 = false;  ///< is read along runs, too
  };
  static_assert(sizeof(Value) == 16);

  void collect_reads();
  void collect_runs();
  bool is_very_wide(const Web& web) const { return web.count > most_listed; }
  /// Whether its list of reads answers questions.
  bool is_listed(const Value& value) const {
    return is_orderly_ && value.last_read != no_read && !value.has_range && !value.has_runs;
  }
  /// Whether a value may be alive behind the block with this number, or at its start, judging by where it is
  /// read.
  enum class Answer : uint8_t { no, yes, maybe };
  Answer is_read_from(uint32_t node, uint32_t from, uint32_t least) const;
  bool is_live_elsewhere(uint32_t node, uint32_t block, uint32_t point);
  bool comes_in_from_elsewhere(uint32_t node, uint32_t block);
  void find_range(uint32_t node);
  void begin_walk();
  bool walk_from_reads(uint32_t node, size_t limit);
  void enter_runs(uint32_t node, uint32_t home, size_t limit);
  bool walk_from_ends(uint32_t home, std::span<const uint32_t> blocks, size_t limit);
  bool climb(uint32_t home, size_t limit);
  void walk_slot(const Slot& slot);
  Entry& enter(uint32_t block);
  /// Keeps the present range as that of a node, if it is whole.
  void store(uint32_t node, bool is_whole);
  /// How many entries there may be, if so much was scanned for ranges like this one; 0: there is none any more.
  size_t limit_behind(size_t scanned) const { return scanned > most_scanned * limit_ ? 0 : limit_; }
  const Entry* find(uint32_t node, uint32_t block);

  const Webs& webs_;
  const ir::Function& f_;
  const BlockOrder& order_;
  const Throws& throws_;
  bool is_orderly_;            ///< blocks in order, without handlers
  Stack<Read> reads_;          ///< each block once for a node; the first is none
  std::vector<Value> values_;  ///< by node
  Stack<Run> runs_;
  std::vector<uint32_t> last_run_;  ///< by node; empty if there are none
  Stack<Single> singles_;
  std::vector<uint32_t> first_single_;  ///< by edge into a wide block; empty if there are none
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_;  ///< by block: its entry of the present walk, or one of an earlier walk
  size_t walk_start_ = 0, walk_end_ = 0;  ///< the range that is looked at
  static constexpr size_t most_scanned = 4;  ///< times the limit of entries
  size_t limit_ = 0;    ///< of entries
  size_t scanned_for_values_ = 0, scanned_for_slots_ = 0;  ///< edges and throws
  size_t scanned_ = 0;                                     ///< of them, in the present walk
  size_t stored_ = 0;  ///< entries that belong to nodes
  std::vector<std::span<const uint32_t>> copy_ends_;
  std::vector<uint32_t> mark_of_;           ///< the blocks of a range to ends that is looked at …
  std::vector<uint32_t> marked_;            ///< … those of them that have other predecessors than its first one
  uint32_t mark_ = 0, home_ = nothing;      ///< where it begins; `nothing` if it has entries
};

}  // namespace braid::dessa
