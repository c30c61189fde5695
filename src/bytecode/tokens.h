// Which token each `leave` and each handler names, where a region is entered at several places.
//
// Tokens are in SSA from the start: a variable cannot hold one. Where tokens of one region meet, a phi is put if
// someone behind it leaves the region; in its handler they meet in a phi_c. O(blocks and edges of regions that are
// entered at several places).
#pragma once

#include <span>
#include <vector>

#include "base/csr.h"
#include "bytecode/blocks.h"
#include "ir/function.h"

namespace braid::bytecode {

class Tokens {
 public:
  Tokens(ir::Function& f, size_t list_count) : f_(f), regions_(list_count) {}

  /// A block that starts inside of the region of a list.
  void starts_in(ir::BlockId block, HandlerListId list) { blocks_.add(list, block); }
  /// The block ends in the only `enter` of a region.
  void enters(ir::BlockId block, HandlerListId list) { enters(block, block, {}, list); }
  /// … in one of several; its body is a block of its own, with an upsilon of the token.
  void enters(ir::BlockId block, ir::BlockId body, ir::Operand upsilon, HandlerListId list) {
    if (regions_[index(list)].enter_count++ == 0) regions_[index(list)].entrance = block;
    enters_.add(list, {block, body, upsilon});
  }
  /// A `leave` in a block that starts in this region; its operand is not known yet.
  void leaves(ir::Operand leave, ir::BlockId block, HandlerListId list) { leaves_.add(list, {leave, block}); }
  /// The `pop_exception` of the handler of a region.
  void handles(ir::Operand pop, ir::BlockId handler, HandlerListId list) {
    regions_[index(list)].pop = pop;
    regions_[index(list)].handler = handler;
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
    uint32_t enter_count = 0;
    ir::BlockId entrance{};  ///< the block of the first `enter`
    ir::Operand pop;
    ir::BlockId handler = none_id<ir::BlockId>;
  };
  /// What belongs to regions, in the order in which it came: most regions have one of each.
  template <typename T>
  struct Listed {
    std::vector<uint32_t> lists;
    std::vector<T> items;

    void add(HandlerListId list, const T& item) {
      lists.push_back(index(list));
      items.push_back(item);
    }
    Csr<T> rows(size_t list_count) const { return Csr<T>::from_arrays(list_count, lists, items); }
  };
  void connect(const Region& region, std::span<const Enter> enters, std::span<const Leave> leaves,
               std::span<const ir::BlockId> blocks);
  uint32_t token_of(ir::BlockId block);

  ir::Function& f_;
  std::vector<Region> regions_;  ///< by list
  Listed<Enter> enters_;
  Listed<Leave> leaves_;
  Listed<ir::BlockId> blocks_;
  std::vector<uint32_t> token_;  ///< by block: a word, or `unknown`
  std::vector<ir::BlockId> walk_;
};

}  // namespace braid::bytecode
