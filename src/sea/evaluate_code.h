// The code that the graph evaluator records, one control block at a time.
//
// An activation has slots of two words: a value, and the time at which it was computed. They are numbered by words, so that
// finding one costs no shift. Regions have slots too: their time is that of their last visit. A slot is fresh if it was
// written since the last visit of the region to which its value belongs.
//
// Most values are 64 bits. What may be undefined, tuples, and values whose type does not fix how they are kept are *wide*:
// the evaluator holds them in a cell beside the slot. `EvaluateOperand` says for each operand which of the two it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bit_set.h"
#include "ir/function.h"
#include "sea/graph.h"

namespace braid::sea {

/// The value of slot `s` is word `s`, its time the one behind it.
inline constexpr uint32_t evaluate_slot_words = 2;

/// 64-bit operations that have instructions of their own; comparisons also those that branch.
#define BRAID_EVALUATE_BINARY(X) \
  X(add) X(sub) X(mul) X(sdiv) X(srem) X(and_) X(or_) X(xor_) X(shl) X(lshr) X(ashr)
#define BRAID_EVALUATE_COMPARE(X) X(eq) X(ne) X(slt) X(sle) X(sgt) X(sge)
#define BRAID_EVALUATE_UNARY(X) X(neg) X(not_)
/// All others:
///   is_zero        to = (a == 0)
///   fold           to = what ir::fold says; a: the list (op, kinds, operands)
///   undefined      to = no value
///   value          to = what the op of node b makes of the operands of list a; may end the run
///   constant       to = constant a of the table
///   move           to = a, always fresh: phis
///   move_constant  to = constant a of the table, always fresh
///   moves          `move` and the instruction behind it, which is one too
///   move_region, moves_region, move_back_edge, moves_back_edge
///                  one or two moves and the edge behind them, at once
///   copy           to = the operand of list a, where one of the two is wide
///   check          to = a; b: the list (op, is_i1, second operand, node); throws if the check fails
///   effect         what node b does with the operands of list a; `to` is its result
///   group          if `to` is not older than region a, skip b instructions; otherwise `to` is fresh
///   skip_fresh     if `to` is not older than region a, skip one instruction
///   ensure         if `to` is older than region a, compute node b and what it needs
///   resume         ends what `ensure` has computed
///   branch         to block `to` if a is not zero, otherwise to the one behind it
///   switch_        on a; b: the list (number of cases, their constants); `to`: the default block, the others behind it
///   region         to block `to`, whose region has the slot a
///   back_edge      the same, counted
///   call           to = what the function of list a gives (callee, operands); b: the node
///   ret, ret_wide  a; b: the node
///   ret_void       b: the node
///   enter          to = the token; a: the block that leads to the handler, if b is not 0; the body is the one behind it
///   throw_         a; b: the node
///   fall           there is no way on
///   stop           what ends the run at node b, with the operands of list a
///   fail           a: the message, b: the node
///   record         of a block that control has not come to so far
///
/// The first of them are done in the dispatch loop itself.
#define BRAID_EVALUATE_FAST(X)                                                                                \
  X(is_zero) X(constant) X(move) X(move_constant) X(moves) X(move_region) X(moves_region) X(move_back_edge)   \
  X(moves_back_edge) X(group) X(skip_fresh) X(branch) X(region) X(back_edge)
#define BRAID_EVALUATE_SLOW(X)                                                                                \
  X(fold) X(undefined) X(value) X(copy) X(check) X(effect) X(ensure) X(resume) X(switch_) X(call) X(ret)      \
  X(ret_wide) X(ret_void) X(enter) X(throw_) X(fall) X(stop) X(fail) X(record)

enum class EvaluateOp : uint16_t {
#define X(name) name, name##_immediate,
  BRAID_EVALUATE_BINARY(X) BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) branch_##name, branch_##name##_immediate,
      BRAID_EVALUATE_COMPARE(X)
#undef X
#define X(name) name,
          BRAID_EVALUATE_UNARY(X) BRAID_EVALUATE_FAST(X) BRAID_EVALUATE_SLOW(X)
#undef X
              last_value = constant
};

struct EvaluateInstruction {
  EvaluateOp op;
  uint32_t to, a, b;
};
static_assert(sizeof(EvaluateInstruction) == 16);

/// Where an operand is; in lists it is two words.
struct EvaluateOperand {
  static constexpr uint32_t wide_bit = 0x80000000u;
  uint32_t word;
  Type type;  ///< of the node

  uint32_t slot() const { return word & ~wide_bit; }
  bool is_wide() const { return (word & wide_bit) != 0; }
};

/// A list of operands: whether the result is wide, their number, themselves. What a frame state is made of comes
/// behind them.
struct EvaluateOperands {
  const uint32_t* list;
  bool has_wide_result() const { return list[0] != 0; }
  uint32_t size() const { return list[1]; }
  EvaluateOperand operator[](uint32_t i) const { return {list[2 + 2 * i], Type{list[3 + 2 * i]}}; }
  const uint32_t* behind() const { return list + 2 + 2 * size(); }
};

class EvaluateCode {
 public:
  static constexpr uint32_t nothing = 0xffffffffu;

  /// `function` tells of the variables, if the graph has any; it may be null.
  void reset(const Graph& graph, const ir::Function* function);
  const Graph& graph() const { return *graph_; }
  const ir::Function* function() const { return function_; }

  /// The first slots are the arguments, whose number the first activation tells.
  bool accepts(uint32_t argument_count);
  bool is_wide_parameter(uint32_t number) const {
    return number < wide_parameters_.size() && wide_parameters_[number];
  }
  static constexpr uint32_t first_block = 0;
  uint32_t start_region_slot() const { return regions_[0].slot; }
  /// In words.
  uint32_t slot_count() const { return slot_count_; }

  const EvaluateInstruction* instructions() const { return instructions_.data(); }
  /// Where the code of each block begins, in bytes; at 0, which is `record`, if there is none so far.
  const uint32_t* begins() const { return begins_.data(); }
  /// Writes the code of a block that control has reached in an activation with these slots.
  void record(uint32_t block, const uint64_t* slots);
  /// What must be computed, in this order, so that a node is fresh. Ends with `resume`.
  void repair(NodeId n, const uint64_t* slots, std::vector<EvaluateInstruction>& out);

  const uint32_t* list(uint32_t at) const { return lists_.data() + at; }
  uint64_t constant(uint32_t at) const { return constants_[at]; }
  const std::string& message(uint32_t at) const { return messages_[at]; }

 private:
  struct Block {
    NodeId control;
    uint32_t region;
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
  NodeId origin(NodeId n) const {
    return is_none(n) || !(graph_->is(n, ir::Op::pi) || graph_->is(n, ir::Op::same)) ? n : origin_of_copy(n);
  }
  NodeId origin_of_copy(NodeId n) const;
  bool is_fresh(const Known& k, const uint64_t* slots) const {
    return k.code == always_fresh || slots[k.slot + 1] >= slots[regions_[k.region].slot + 1];
  }
  uint32_t new_slot() {
    slot_count_ += evaluate_slot_words;
    return slot_count_ - evaluate_slot_words;
  }
  uint32_t new_block(NodeId control, uint32_t region);
  uint32_t emit(EvaluateOp op, uint32_t to, uint32_t a = 0, uint32_t b = 0);
  uint32_t add_constant(uint64_t bits);
  void fail(NodeId n, std::string why);

  // Control (evaluate_control.cpp).
  NodeId find_end(NodeId control, uint32_t& way);
  NodeId projection(NodeId n, uint32_t number) const;
  void record_end(NodeId end, uint32_t way);
  void record_branch(NodeId n);
  void record_switch(NodeId n);
  void record_edge(NodeId region, uint32_t way);
  void join_moves(size_t count, bool is_back_edge);
  uint32_t reach_region(NodeId region);

  // What stands in a block (evaluate_effects.cpp).
  void order_effects();
  bool record_effect(NodeId n);
  bool record_call(NodeId n);
  bool record_check(NodeId n);
  bool record_upsilon(NodeId n);
  void record_enter(NodeId n);
  void record_stop(NodeId n);
  void record_region_start(NodeId region);
  void record_reads(NodeId effect);
  bool can_be_read(NodeId read);
  bool is_floating_read(NodeId n) const;
  bool demand_values(NodeId n);
  bool demand_state(NodeId state);
  void add_state(NodeId state);
  uint32_t slot_of_phi_c(NodeId phi_c);

  // Values (evaluate_record.cpp).
  bool is_wide(NodeId n) const;
  void find_undefined();
  uint32_t first_input(NodeId n) const;
  EvaluateOp fast_op(NodeId n) const;
  bool is_compare(NodeId n) const;
  bool demand(NodeId n);
  bool enter_value(NodeId n);
  bool finish_value(NodeId n);
  void flush();
  bool is_immediate(NodeId n, uint32_t input) const;
  bool instruction_for(NodeId n, EvaluateInstruction& out);
  bool fold_instruction(NodeId n, EvaluateInstruction& out);
  uint32_t slot_of(NodeId n) { return known(origin(n)).slot; }
  /// A slot with 64 bits, also of a value that is wide.
  uint32_t narrow_slot_of(NodeId n);
  uint32_t operand_list(NodeId n, uint32_t first);
  void emit_copy(uint32_t to, bool to_wide, Type type, EvaluateOperand from);
  EvaluateOperand operand_of(NodeId n);

  const Graph* graph_ = nullptr;
  const ir::Function* function_ = nullptr;
  BitSet undefined_;  ///< what may be undefined; empty if nothing is
  std::vector<bool> wide_parameters_;
  std::vector<uint32_t> begins_;  ///< by block
  std::unordered_map<uint32_t, uint32_t> phi_c_slots_;    ///< by phi_c: what its upsilons write; never iterated
  std::unordered_map<uint32_t, uint32_t> variable_slots_;  ///< never iterated
  std::vector<EvaluateInstruction> instructions_;
  std::vector<Block> blocks_;
  std::vector<Region> regions_;
  std::vector<NodeId> phis_;
  std::vector<Known> known_;
  std::vector<uint32_t> lists_;
  std::vector<uint64_t> constants_;
  std::vector<std::string> messages_;
  uint32_t slot_count_ = 0;  ///< in words
  uint32_t argument_count_ = nothing;

  // While a block is recorded.
  uint32_t block_ = 0;
  uint32_t region_ = 0;
  const uint64_t* slots_ = nullptr;
  std::vector<Visit> visits_;
  std::vector<Pending> own_, foreign_;
  std::vector<NodeId> effects_;
  std::vector<Move> moves_;
};

/// How an operation with one scalar result is kept: the kinds for `ir::fold`.
struct FoldKinds {
  std::optional<Kind> operand, result;
};
FoldKinds fold_kinds(const Graph& graph, NodeId n);

}  // namespace braid::sea
