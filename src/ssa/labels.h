// Blocks with labels and phis by hand, in order: each block is filled as a whole, behind a jump to it, and variables are
// neither assigned nor read but in the entry.
//
// A jump brings one value for each phi of its target, in their order. Statements get their final places at once: each block
// has a way from the entry through blocks before it, so its dominators stand before it. Nothing else is thought of while they
// are written, mostly without a call (detail::LabelWriter): jumps and branches name labels, and what they bring stands in one
// row. Blocks, edges and operands of phis are made at the end, in one walk; in a large function every so many blocks, as far
// as it is known where their jumps lead, while they are in the caches. What does not fit goes on with ssa/label_blocks.h.
//
// Cost: O(1) for each label, edge and value that is brought.
#pragma once

#include <braid/builder.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/stack.h"
#include "ir/link_blocks.h"
#include "ssa/block_filler.h"
#include "ssa/brought_values.h"

namespace braid::ssa {

class LabelBlocks;
class OnTheFly;
class Structured;

class Labels : public BlockFiller {
 public:
  Labels(BlockEnd& at, detail::VariableTable& table, detail::LabelWriter& flow, BroughtValues& brought)
      : BlockFiller(at, table), flow_(flow), brought_(brought), linker_(*at.f) {}

  bool is_in_order() const { return in_order_; }
  /// Nothing is there but statements of the entry, the current block.
  void begin_in_order();
  /// No longer: a block, a variable or a region that does not fit.
  void hand_over(OnTheFly& to, LabelBlocks& blocks, const Structured& variables);
  /// The function is done: what there was means nothing from now on.
  void forget() {
    in_order_ = false;
    flow_ = {};
  }

  /// The number of a new label.
  uint32_t make(Symbol name);
  ir::BlockId block(uint32_t label) const { return static_cast<ir::BlockId>(flow_.labels[label] / 2); }

  // The block is open.
  void jump(uint32_t label, std::span<const TypedWord> values);
  void branch(ir::Operand condition, uint32_t if_true, std::span<const TypedWord> true_values, uint32_t if_false,
              std::span<const TypedWord> false_values);
  void end(ir::Op op, const ir::Operand* operand) {
    put(op, operand != nullptr, 0, operand != nullptr ? operand->word() : 0, 0, 0);
    close();
  }
  /// Fills the block from now on; false if that is not in order.
  bool fill(uint32_t label);
  bool may_have_phi() const { return at_->is_open && position() == flow_.next_phi; }
  uint32_t phi(Type type);
  /// Makes what is missing of blocks and edges. True if every label that is jumped to has its block, and every block its end;
  /// then all mistakes are known.
  bool link();
  /// Brings the function to rest, which has no mistakes.
  void finish();

 private:
  static constexpr uint32_t columns_in_place = 3;
  static constexpr uint32_t blocks_at_once = 64;  ///< of a function that is no longer small, and divides it
  /// A branch that brings values; those of a jump are named in its statement.
  struct Branch {
    uint32_t position, first, counts[2];
  };
  struct Brought {
    uint32_t first, count;  ///< in values
  };
  /// What an edge brings that is not one of the first into its block.
  struct Wide {
    ir::EdgeId edge;
    Brought brought;
  };

  void make_room_for_labels();
  uint32_t bring(std::span<const TypedWord> values);
  void add_blocks(bool is_all);
  bool link_added();
  void link_with_rest(LabelBlocks& rest);
  template <typename PutDown>
  bool link_edges(PutDown&& put_down);
  void name_blocks();
  uint32_t phi_count(const ir::Block& block) const;
  void arrive(uint32_t label, ir::EdgeId edge, Brought brought, ir::Ref terminator, const ir::Block& to);
  void pool_operands();
  uint32_t position() const { return writer_->statements != nullptr ? writer_->position : f_->size(); }

  detail::LabelWriter& flow_;
  BroughtValues& brought_;
  bool in_order_ = false;
  ir::BlockLinker linker_;
  /// What is written without a call.
  struct Rows {
    TypedWord values[1024];
    uint32_t labels[1024];
    uint32_t starts[detail::LabelWriter::most_starts];
  };
  Rows rows_;                        ///< as long as it is not in order, never touched
  Stack<uint32_t> labels_;           ///< instead, when they have become more
  Stack<TypedWord> values_;
  std::vector<Branch> branches_;     ///< in their order
  size_t branches_linked_ = 0;
  LabelBlocks* rest_ = nullptr;      ///< who goes on, while edges are linked
  std::vector<Wide> wide_;
  std::vector<bool> has_mistake_;    ///< by label, as far as there are any
  struct Name {
    uint32_t label;
    Symbol name;
  };
  std::vector<Name> names_;          ///< of labels with one
};

}  // namespace braid::ssa
