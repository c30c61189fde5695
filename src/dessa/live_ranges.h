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
// of the statements; what goes beyond counts as alive everywhere, so that copies remain, and growth stays
// linear.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "dessa/webs.h"
#include "flow/loops.h"
#include "ir/graph_view.h"
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

  bool any() const { return at_.row_count() != 0; }
  /// In the order of the block.
  std::span<const At> in(uint32_t block) const {
    return at_.row_count() == 0 ? std::span<const At>() : at_.row(block);
  }
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
  LiveRanges(const Webs& webs, const ir::BlockDominance& dominance, const Throws& throws);

  /// A value, behind a point of a block.
  bool is_live_after(uint32_t node, uint32_t block, uint32_t point);
  /// A value, at the start of a block, behind what its phis read.
  bool is_live_in(uint32_t node, uint32_t block);
  bool is_used(uint32_t node) const { return values_[node].first_read != values_[node].end_read; }

  bool is_slot_live_after(const Slot& slot, uint32_t block, uint32_t point) const;
  bool is_slot_live_in(const Slot& slot, uint32_t block) const;

  /// A block of a live range.
  struct Entry {
    uint32_t block;
    bool comes_in, goes_out;
    uint32_t last_read;  ///< a point; 0: no statement of the block reads it

    bool is_live_after(uint32_t point) const { return goes_out || last_read > point; }
  };
  using Range = std::vector<Entry>;
  /// Empty if it is too large, or if there is none.
  Range range(uint32_t node);
  /// Of a value made in block `home` and read at the ends of these blocks alone. Empty if it has more
  /// than so many entries.
  Range range_to_ends(uint32_t home, std::span<const uint32_t> blocks, size_t most);
  /// Gives a new node, the next one, this range.
  void add_node(const Range& range);

 private:
  struct Read {
    uint32_t node, block;
    uint32_t point;  ///< of the last reader; 0 if there is none but phis
    bool is_at_end;  ///< a phi behind the block reads it
  };
  struct Value {
    uint32_t first_read = 0, end_read = 0;  ///< in reads_, by block
    uint32_t last_number = 0;               ///< of a block that reads it
    uint32_t first = 0, end = 0;            ///< in entries_
    bool has_range = false, is_everywhere = false;
  };

  void collect_reads();
  void number_blocks();
  bool is_numbered_forwards() const;
  uint32_t number(uint32_t block) const { return numbers_.empty() ? block : numbers_[block]; }
  const Read* read_in(uint32_t node, uint32_t block) const;
  /// The head of the outermost loop around `block` that `home` is not in; `nothing` if there is none.
  uint32_t loop_head(uint32_t block, uint32_t home) const;
  /// Whether a value may be alive behind the block with this number, or at its start, judging by where it is
  /// read.
  enum class Answer : uint8_t { no, yes, maybe };
  Answer is_read_from(uint32_t node, uint32_t from, uint32_t least_number) const;
  void find_range(uint32_t node);
  void climb(uint32_t home, size_t limit);
  void walk_slot(const Slot& slot);
  Entry& enter(uint32_t block);
  void finish(uint32_t node);
  const Entry* find(uint32_t node, uint32_t block) const;

  const Webs& webs_;
  const ir::BlockDominance& dominance_;
  const flow::Graph& graph_;
  const Throws& throws_;
  bool is_orderly_ = false;  ///< reducible, without handlers
  std::vector<uint32_t>
      numbers_;  ///< by block, in an order in which edges that lead forward go up; empty: their own
  flow::Loops loops_;
  std::vector<Read> reads_;    ///< each block once for a node
  std::vector<Value> values_;  ///< by node
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_;  ///< by block: its entry of the present walk, or one of an earlier walk
  size_t walk_start_ = 0, limit_ = 0;
};

}  // namespace braid::dessa
