// What lowering must know of a function before it emits code: the order of statements, which values are other names of
// the same registers, which may be undefined, which comparisons melt into their branch, who uses what where.
//
// O(statements + operands). Only reachable blocks take part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "flow/graph.h"
#include "interp/layout.h"
#include "interp/lower.h"
#include "ir/function.h"
#include "ir/order.h"

namespace braid::interp {

class Analysis {
 public:
  static constexpr uint32_t unreachable = 0xffffffffu;

  struct Block {
    ir::BlockId id;
    uint32_t first, end;      ///< its statements in `order()`
    uint32_t phi_end;         ///< behind its last phi
    bool is_handler = false;
  };
  /// A use of a value, at twice the position of its user; the uses of phis stand behind the terminator, at an odd number.
  struct Use {
    uint32_t position;
    uint32_t user;
  };
  /// Where a value lies: in registers of its owner, behind `offset`. The owner is a statement, parameter or constant.
  struct Place {
    ir::Operand owner;
    uint32_t offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  /// To be traced, comparisons stay before their branches.
  Analysis(const ir::Function& f, Layouts& layouts, const LowerOptions& options);

  const ir::Function& function() const { return f_; }
  /// Reachable blocks in reverse post-order; a block's number is its place here.
  const std::vector<Block>& blocks() const { return blocks_; }
  uint32_t number_of(ir::BlockId b) const { return number_of_[b]; }
  /// Statements by dense number, without `nothing`, `same` and what is passed, up to the terminator of their block.
  const std::vector<uint32_t>& order() const { return order_; }
  std::span<const uint32_t> statements(const Block& block) const {
    return std::span(order_).subspan(block.first, block.end - block.first);
  }
  uint32_t position_of(uint32_t dense) const { return position_of_[dense]; }
  uint32_t block_at(uint32_t position) const { return block_at_[position]; }

  /// What an operand stands for: `same` is followed, and `pi` where it changes nothing in registers.
  ir::Operand resolve(ir::Operand operand) const;
  Place place(ir::Operand resolved) const {
    return resolved.is_stmt() || resolved.is_pending() ? places_[f_.dense(resolved)] : Place{resolved, 0};
  }
  bool owns_registers(uint32_t dense) const { return places_[dense].owner == f_.from_dense(dense); }
  /// Whether a value may be undefined, so that it has a flag beside it.
  bool is_flagged(uint32_t dense) const { return !flagged_.empty() && flagged_[dense]; }
  /// A comparison that is computed by the branch that uses it.
  bool is_fused(uint32_t dense) const { return fused_[dense]; }
  /// A check, or the length that it asks for, that waits for an access to the heap behind it in its block; between the two
  /// nothing happens that anybody could see. Its value is another name, or nobody else's.
  bool is_deferred(uint32_t dense) const { return !deferred_to_.empty() && deferred_to_[dense] != unreachable; }
  /// What an intrinsic does to the heap, if the machine may do it.
  Access access(const ir::Stmt& s) const;
  /// An access in a loop to an object that is known before the loop.
  bool is_held(uint32_t dense) const { return !held_.empty() && held_[dense]; }
  ir::Operand held_object(uint32_t access) const { return place(resolve(f_.operand(f_.from_dense(access), 1))).owner; }
  /// Equal for accesses that look for the same thing: of one reference, of one kind.
  uint64_t held_key(uint32_t access) const;
  /// The one use of a value is the next statement that does something where it stands.
  bool is_for_next(uint32_t dense) const;
  /// Read later than its uses tell: by a save state.
  bool is_pinned(uint32_t dense) const { return pinned_[dense]; }
  std::span<const Use> uses(uint32_t dense) const { return uses_.row(dense); }
  /// The phi_c that an upsilon feeds, as a dense number; `unreachable` if there is none.
  uint32_t phi_c_of(uint32_t upsilon) const { return phi_c_of_.empty() ? unreachable : phi_c_of_[upsilon]; }

 private:
  flow::Graph block_graph() const;
  void order_blocks();
  void order_statements(bool passes_stops);
  void place_values();
  Place place_of(ir::Operand id) const;
  void map_upsilons();
  void count_uses();
  void fuse_comparisons();
  void defer_checks();
  void defer_to(const Block& block, uint32_t position);
  void hold_objects();
  void collect_uses();
  void find_undefined();
  template <typename F>
  void for_each_use(F&& visit) const;

  const ir::Function& f_;
  Layouts& layouts_;
  std::vector<Block> blocks_;
  IdMap<ir::BlockId, uint32_t> number_of_;
  std::vector<uint32_t> order_, position_of_, block_at_;
  mutable std::vector<ir::Operand> resolved_;
  std::vector<Place> places_;
  std::vector<bool> flagged_, fused_, pinned_;
  const HeapAccess* heap_;
  std::vector<uint8_t> counts_;          ///< 0, 1, or more uses; until the analysis is done
  std::vector<uint32_t> deferred_to_;    ///< the position of the access; empty if there are none
  std::vector<bool> held_;               ///< empty if there are none
  std::vector<uint32_t> phi_c_of_;
  Csr<Use> uses_;
};

}  // namespace braid::interp
