// Which token each `leave` and each handler names, where a region is entered at several places.
//
// Tokens are in SSA from the start: a variable cannot hold one. Where tokens of one region meet, a phi is put if
// someone behind it leaves the region; in its handler they meet in a phi_c. O(blocks and edges of regions that are
// entered at several places).
#pragma once

#include <vector>

#include "bytecode/blocks.h"
#include "ir/function.h"

namespace braid::bytecode {

class Tokens {
 public:
  Tokens(ir::Function& f, size_t list_count) : f_(f), lists_(list_count) {}

  /// A block that starts inside of the region of a list.
  void starts_in(ir::BlockId block, HandlerListId list) { lists_[index(list)].blocks.push_back(block); }
  /// The block ends in the only `enter` of a region.
  void enters(ir::BlockId block, HandlerListId list) { lists_[index(list)].enters.push_back({block, block, {}}); }
  /// … in one of several; its body is a block of its own, with an upsilon of the token.
  void enters(ir::BlockId block, ir::BlockId body, ir::Operand upsilon, HandlerListId list) {
    lists_[index(list)].enters.push_back({block, body, upsilon});
  }
  /// A `leave` in a block that starts in this region; its operand is not known yet.
  void leaves(ir::Operand leave, ir::BlockId block, HandlerListId list) {
    lists_[index(list)].leaves.push_back({leave, block});
  }
  /// The `pop_exception` of the handler of a region.
  void handles(ir::Operand pop, ir::BlockId handler, HandlerListId list) {
    lists_[index(list)].pop = pop;
    lists_[index(list)].handler = handler;
  }

  /// Everything is there: puts phis and operands.
  void finish();

 private:
  static constexpr uint32_t unknown = 0xffffffffu;

  struct Enter {
    ir::BlockId block, body;
    ir::Operand upsilon;
  };
  struct Leave {
    ir::Operand leave;
    ir::BlockId block;
  };
  struct Region {
    std::vector<Enter> enters;
    std::vector<Leave> leaves;
    std::vector<ir::BlockId> blocks;
    ir::Operand pop;
    ir::BlockId handler = none_id<ir::BlockId>;
  };
  void connect(const Region& region);
  uint32_t token_of(ir::BlockId block);

  ir::Function& f_;
  std::vector<Region> lists_;
  std::vector<uint32_t> token_;  ///< by block: a word, or `unknown`
  std::vector<ir::BlockId> walk_;
};

}  // namespace braid::bytecode
