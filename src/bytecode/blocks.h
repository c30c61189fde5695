// The blocks of bytecode: runs of instructions with one entrance, under one list of handlers.
//
// A block begins at the first instruction, at every target and handler, behind every jump, and where a try range begins or ends;
// so all of its instructions have the same handlers. What cannot be reached is left out: its ranges protect nothing, and its
// jumps make no blocks. O(instructions + handlers over all blocks).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/id.h"
#include "bytecode/code.h"

namespace braid::bytecode {

enum class BlockId : uint32_t {};
/// A list of try ranges, by their order: those that protect a block. 0 is the empty one.
enum class HandlerListId : uint32_t {};
inline constexpr HandlerListId no_handlers = static_cast<HandlerListId>(0);

struct Block {
  Pc first, end;
  HandlerListId handlers = no_handlers;
  bool may_throw = false;   ///< one of its instructions may
  bool is_handler = false;  ///< a throw leads here
};

class Blocks {
 public:
  explicit Blocks(const Code& code);

  /// In the order of the bytecode; the first one is the entry.
  size_t size() const { return blocks_.size(); }
  const Block& operator[](BlockId b) const { return blocks_[index(b)]; }
  /// The block that holds this instruction, or none if it cannot be reached.
  BlockId block_of(Pc pc) const { return block_of_[pc]; }
  /// Where the last instruction may go: its targets, then the next one.
  std::span<const BlockId> successors(BlockId b) const { return successors_.row(b); }
  /// The try ranges of a list, in their order; behind one that takes all there is none.
  std::span<const uint32_t> ranges(HandlerListId list) const {
    return std::span(ranges_).subspan(first_range_[index(list)], first_range_[index(list) + 1] - first_range_[index(list)]);
  }
  size_t list_count() const { return first_range_.size() - 1; }
  /// Whether an instruction that it protects may throw; the other lists lead nowhere.
  bool is_thrown_to(HandlerListId list) const { return is_thrown_to_[index(list)]; }
  /// Of an instruction that can be reached.
  bool may_throw(Pc pc) const { return may_throw_[pc]; }

 private:
  std::vector<HandlerListId> find_handlers(const Code& code);
  void find_blocks(const Code& code, const std::vector<HandlerListId>& handlers);

  std::vector<Block> blocks_;
  std::vector<BlockId> block_of_;
  Csr<BlockId> successors_;
  std::vector<bool> may_throw_;            ///< by instruction
  std::vector<bool> is_thrown_to_;         ///< by list
  std::vector<uint32_t> ranges_;           ///< of all lists, each of which is there once
  std::vector<uint32_t> first_range_ = {0};  ///< by list, and one more
};

}  // namespace braid::bytecode
