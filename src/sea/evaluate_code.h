// The code that the graph evaluator records, one control block at a time.
//
// An activation has slots: a value, and the time at which it was computed. Regions have slots too: their time
// is that of their last visit. A slot is fresh if it was written since the last visit of the region to which
// its value belongs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

struct EvaluateSlot {
  uint64_t value, time;
};

/// 64-bit operations that have instructions of their own; comparisons also those that branch.
#define BRAID_EVALUATE_BINARY(X) \
  X(add) X(sub) X(mul) X(sdiv) X(srem) X(and_) X(or_) X(xor_) X(shl) X(lshr) X(ashr)
#define BRAID_EVALUATE_COMPARE(X) X(eq) X(ne) X(slt) X(sle) X(sgt) X(sge)
#define BRAID_EVALUATE_UNARY(X) X(neg) X(not_)

enum class EvaluateOp : uint16_t {
#define X(name) name, name##_immediate,
  BRAID_EVALUATE_BINARY(X) BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) branch_##name, branch_##name##_immediate,
      BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) name,
          BRAID_EVALUATE_UNARY(X)
#undef X
              is_zero,  ///< to = (a == 0)
  fold,                 ///< to = what ir::fold says; a: the list (op, kinds, operands)
  check,                ///< to = a; b: the list (op, kind, second operand, node); stops if the check fails
  constant,             ///< to = constant a of the table
  last_value = constant,
  move,  ///< to = a, always fresh: phis
  move_constant,
  group,       ///< if `to` is not older than region a, skip b instructions; otherwise `to` is fresh
  skip_fresh,  ///< if `to` is not older than region a, skip one instruction
  ensure,      ///< if `to` is older than region a, compute node b and what it needs
  resume,      ///< ends what `ensure` has computed
  branch,      ///< to block `to` if a is not zero, otherwise to the one behind it
  switch_,     ///< on a; b: the list (cases, then pairs of constant and block); `to`: the default block
  region,      ///< to block `to`, whose region has the slot a
  back_edge,   ///< the same, counted
  call,        ///< to = function of list a (callee, operands)
  ret,         ///< a; b: the node
  ret_void,    ///< b: the node
  fall,        ///< there is no way on
  fail,        ///< a: the message, b: the node
};

struct EvaluateInstruction {
  EvaluateOp op;
  uint32_t to, a, b;
};
static_assert(sizeof(EvaluateInstruction) == 16);

class EvaluateCode {
 public:
  static constexpr uint32_t nothing = 0xffffffffu;

  void reset(const Graph& graph);
  const Graph& graph() const { return *graph_; }

  /// The first slots are the arguments, whose number the first activation tells.
  bool accepts(uint32_t argument_count);
  static constexpr uint32_t first_block = 0;
  uint32_t start_region_slot() const { return regions_[0].slot; }
  uint32_t slot_count() const { return slot_count_; }

  const EvaluateInstruction* instructions() const { return instructions_.data(); }
  /// Where the code of a block begins; `nothing` if it is not recorded.
  uint32_t begin(uint32_t block) const { return blocks_[block].code; }
  /// Writes the code of a block that control has reached in an activation with these slots.
  void record(uint32_t block, const EvaluateSlot* slots);
  /// What must be computed, in this order, so that a node is fresh. Ends with `resume`.
  void repair(NodeId n, const EvaluateSlot* slots, std::vector<EvaluateInstruction>& out);

  const uint32_t* list(uint32_t at) const { return lists_.data() + at; }
  uint64_t constant(uint32_t at) const { return constants_[at]; }
  const std::string& message(uint32_t at) const { return messages_[at]; }

 private:
  struct Block {
    NodeId control;
    uint32_t region;
    uint32_t code;
  };
  /// Numbered in the order in which they are first reached: a region that dominates another has the lesser
  /// number.
  struct Region {
    NodeId node;
    uint32_t slot;
    uint32_t first_phi, phi_count;  ///< those with values; their slots follow each other
    uint32_t block;
  };
  struct Known {
    uint32_t slot = nothing;
    uint32_t region = 0;
    uint32_t code = always_fresh;  ///< an instruction that computes it
    uint32_t block = nothing;      ///< the block being recorded, if it is fresh there from here on
  };
  static constexpr uint32_t always_fresh = nothing;
  static constexpr uint32_t in_progress = nothing - 1;
  static constexpr uint32_t repairing = nothing - 1;
  struct Visit {
    NodeId node;
    uint32_t next_input;
  };
  struct Move {
    uint32_t to, from;
  };
  struct Pending {
    uint32_t region;
    NodeId node;
    EvaluateInstruction instruction;
    uint32_t order = 0;
  };

  Known& known(NodeId n) { return known_[index(n)]; }
  NodeId origin(NodeId n) const;
  bool is_fresh(const Known& k, const EvaluateSlot* slots) const {
    return k.code == always_fresh || slots[k.slot].time >= slots[regions_[k.region].slot].time;
  }
  uint32_t new_slot() { return slot_count_++; }
  uint32_t new_block(NodeId control, uint32_t region);
  uint32_t emit(EvaluateOp op, uint32_t to, uint32_t a = 0, uint32_t b = 0);
  uint32_t add_constant(uint64_t bits);
  void fail(NodeId n, std::string why);

  // Control (evaluate_control.cpp).
  NodeId find_end(NodeId control, uint32_t& way);
  NodeId projection(NodeId n, uint32_t number) const;
  void order_effects();
  bool record_effect(NodeId n);
  void record_end(NodeId end, uint32_t way);
  void record_branch(NodeId n);
  void record_switch(NodeId n);
  void record_edge(NodeId region, uint32_t way);
  uint32_t reach_region(NodeId region);

  // Values (evaluate_record.cpp).
  bool demand(NodeId n);
  bool enter_value(NodeId n);
  bool finish_value(NodeId n);
  void flush();
  bool is_immediate(NodeId n, uint32_t input) const;
  bool instruction_for(NodeId n, EvaluateInstruction& out);
  bool fold_instruction(NodeId n, EvaluateInstruction& out);
  uint32_t slot_of(NodeId n) { return known(origin(n)).slot; }

  const Graph* graph_ = nullptr;
  std::vector<EvaluateInstruction> instructions_;
  std::vector<Block> blocks_;
  std::vector<Region> regions_;
  std::vector<NodeId> phis_;
  std::vector<Known> known_;
  std::vector<uint32_t> lists_;
  std::vector<uint64_t> constants_;
  std::vector<std::string> messages_;
  uint32_t slot_count_ = 0;
  uint32_t argument_count_ = nothing;

  // While a block is recorded.
  uint32_t block_ = 0;
  uint32_t region_ = 0;
  const EvaluateSlot* slots_ = nullptr;
  std::vector<Visit> visits_;
  std::vector<Pending> own_, foreign_;
  std::vector<NodeId> effects_;
  std::vector<Move> moves_;
};

/// Whether an op of the table is a comparison of integers that has an instruction of its own, and which.
bool evaluate_compare(const Graph& graph, NodeId n, EvaluateOp& out);

}  // namespace braid::sea
