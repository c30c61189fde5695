// What leaving SSA is about: the phis, the values that flow into them, and which of these would like to share
// a variable.
//
// A phi with n operands is one *web*, n copies into it on the edges, and one copy out of it at the start of
// the block (V. Sreedhar et al., Translating Out of Static Single Assignment Form, 1999): in this form any
// program is correct. A web is alive only from the copies on the edges to the copy at the start; all copies
// of an edge, and all at the start of a block, happen at once. Nodes are the webs, the values that are copied
// into or out of one, and the slots of phi_cs, which upsilons write where they stand. Two nodes may share a
// variable unless they interfere (dessa/interference.h). A web and what its phi is worth are one node until
// something interferes with it: most never part.
//
// Parameters, and values that come to several phis of one block, are *hubs*: at most one of these phis can
// share a variable with them.
//
// Tokens are no values and stay in phis.
//
// Cost: O(statements + phi operands).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stack.h"
#include "ir/function.h"

namespace braid::dessa {

inline constexpr uint32_t nothing = 0xffffffffu;

// Points of a program: the start of a block, where all its phis are written, before a statement, where it
// reads, and behind it, where it writes. Those of a block are in order.
constexpr uint32_t start_point(uint32_t first_position) { return 2 * first_position; }
constexpr uint32_t read_point(uint32_t position) { return 2 * position + 1; }
constexpr uint32_t write_point(uint32_t position) { return 2 * position + 2; }

/// A phi that leaves.
struct Web {
  uint32_t phi;  ///< position
  uint32_t block;
  uint32_t node;          ///< of the web itself
  uint32_t value;         ///< the node of what the phi is worth; its number is that of the web
  const uint32_t* words;  ///< the operands, one for each edge into the block
};

/// A phi_c that leaves: its slot is written by upsilons.
struct Slot {
  uint32_t phi_c;  ///< position
  uint32_t block;
  uint32_t node, value;
  uint32_t first_upsilon, end_upsilon;  ///< in Webs::upsilons
};
struct Upsilon {
  uint32_t position, block, slot;
};

struct Node {
  enum class Kind : uint8_t {
    value,
    phi,  ///< what a phi is worth, together with its web
    web,
    slot,
  };

  uint32_t block;  ///< where a value is made; of a web or slot, the block of the phi
  uint32_t point;  ///< of a value: where it is written
  uint32_t value;  ///< the same for values that are copies of each other; of a web or slot, its number
  ir::Operand id;  ///< the value; of a web or slot, the phi
  Type type;
  Kind kind;
  bool is_hub = false;
};

class Webs {
 public:
  /// `f` is at rest, without dead edges and without `same`.
  explicit Webs(const ir::Function& f);

  bool empty() const { return webs.empty() && slots.empty(); }
  /// The node of a value; `nothing` if it has none.
  uint32_t node_of(ir::Operand operand) const {
    static_assert(ir::Operand::Tag{} == ir::Operand::Tag::stmt, "a position is its own word");
    if (operand.word() < statement_count_) return node_of_[operand.word()];
    uint32_t parameter = operand.word() - ir::Operand::param(0).word();
    return parameter < param_count_ ? node_of_[statement_count_ + parameter] : nothing;
  }
  uint32_t node_at(uint32_t position) const { return node_of_[position]; }
  std::span<const uint32_t> made() const { return {made_.data(), first_made_.back()}; }
  /// The values that are made in a block, in order, without parameters.
  std::span<const uint32_t> made_in(uint32_t block) const {
    return {made_.data() + first_made_[block], first_made_[block + 1] - first_made_[block]};
  }
  /// Operands whose values are copies of each other have the same number here.
  uint32_t value_of(ir::Operand operand) const {
    return operand.is_stmt() && !copied_.empty() ? copied_[operand.number()] : operand.word();
  }
  /// None in a block that came later.
  std::span<const Web> webs_of(uint32_t block) const {
    if (block + 1 >= first_web_.size()) return {};
    return {webs.data() + first_web_[block], first_web_[block + 1] - first_web_[block]};
  }
  /// Calls `visit(EdgeId, webs)` for the edges of a terminator that lead to webs.
  template <class Visit>
  [[gnu::always_inline]] void for_each_edge_to_webs(const ir::Stmt& terminator, Visit&& visit) const {
    auto look_at = [&](ir::EdgeId e) __attribute__((always_inline)) {
      if (std::span<const Web> into = webs_of(index(f_.edge(e).to)); !into.empty()) visit(e, into);
    };
    if (terminator.op == ir::Op::jump || terminator.op == ir::Op::branch) {
      const uint32_t end = terminator.n;
      for (uint32_t k = terminator.op == ir::Op::branch; k < end; ++k)
        look_at(static_cast<ir::EdgeId>(terminator.arg[k]));
    } else if (terminator.op != ir::Op::ret) {
      f_.for_each_target(terminator, look_at);
    }
  }
  /// A second node for the same value.
  uint32_t add_copy_of(uint32_t node);
  /// Once the statements have moved.
  void find_words();
  /// Parts a web from the value of its phi: the web gets a node of its own.
  void part(Web& web);
  std::span<const Slot> slots_of(uint32_t block) const;
  /// What an edge brings to a web.
  static ir::Operand operand(const Web& web, uint32_t pred_index) {
    return ir::Operand::from_word(web.words[pred_index]);
  }
  std::span<const uint32_t> operands(const Web& web) const {
    return {web.words, f_.block(static_cast<ir::BlockId>(web.block)).pred_count};
  }
  /// Blocks with more edges than these are wide: most edges bring the same as the one before.
  static constexpr uint32_t most_narrow = 8;
  /// Calls `visit(word, first column, count)` for the operands of a web, those of a wide block that are the same one after the
  /// other together.
  template <class Visit>
  [[gnu::always_inline]] void for_each_run(uint32_t web, Visit&& visit) const {
    const std::span<const uint32_t> words = operands(webs[web]);
    const uint32_t count = static_cast<uint32_t>(words.size());
    if (count <= most_narrow) {
      for (uint32_t i = 0; i < count; ++i) visit(words[i], i, 1u);
      return;
    }
    for (uint32_t r = first_run_[web]; r < first_run_[web + 1]; ++r) {
      const uint32_t end = r + 1 < first_run_[web + 1] ? runs_[r + 1].first : count;
      visit(runs_[r].word, runs_[r].first, end - runs_[r].first);
    }
  }
  ir::Operand operand(const Upsilon& upsilon) const {
    return f_.operand(f_.columns().stmt(upsilon.position), 0);
  }
  std::span<const Upsilon> upsilons_of(const Slot& slot) const {
    return std::span(upsilons).subspan(slot.first_upsilon, slot.end_upsilon - slot.first_upsilon);
  }
  const ir::Function& function() const { return f_; }

  Stack<Web> webs;  ///< in the order of the vector
  std::vector<Slot> slots;
  std::vector<Upsilon> upsilons;  ///< by slot, in the order of the vector
  Stack<Node> nodes;              ///< first those of the phis, then slots and parameters, then all else in its order
  bool has_hubs = false;
  bool has_undef = false;         ///< flows into one of them
  uint32_t value_operands = 0, constant_operands = 0;  ///< of the phis

 private:
  void find_phis();
  void find_copies();
  void find_upsilons();
  void find_operands();
  void find_places();
  uint32_t add_value(ir::Operand operand, Node::Kind kind);
  void want(ir::Operand operand);
  void find_runs();
  void mark_hub(uint32_t node) { nodes[node].is_hub = has_hubs = true; }

  const ir::Function& f_;
  static constexpr uint32_t wanted = nothing - 1;  ///< a node to be
  uint32_t statement_count_, param_count_, wanted_count_ = 0;
  bool has_copies_ = false;
  std::vector<uint32_t> node_of_;    ///< by position, then by parameter
  std::vector<uint32_t> first_web_;  ///< by block
  struct Run {
    uint32_t word, first;
  };
  Stack<Run> runs_;                  ///< of wide blocks
  std::vector<uint32_t> first_run_;  ///< by web, and one more; empty if no block is wide
  std::vector<uint32_t> made_, first_made_;
  std::vector<uint32_t>
      copied_;  ///< by position: a word for what it is a copy of; empty if there are no copies
};

}  // namespace braid::dessa
