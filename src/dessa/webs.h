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

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stack.h"
#include "dessa/survey.h"
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
  uint32_t count;  ///< of operands, which is that of the edges into the block
  uint32_t block;
  uint32_t node;          ///< of the web itself
  uint32_t value;         ///< the node of what the phi is worth; its number is that of the web
  const uint32_t* words;  ///< the operands, one for each edge into the block
};

/// An edge into a block with webs.
struct WebEdge {
  ir::EdgeId edge;
  uint32_t column : 31;
  uint32_t comes_from_jump : 1;
  uint32_t first_web, end_web;
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
};

class Webs {
 public:
  /// `f` is at rest, without dead edges and without `same`.
  Webs(const ir::Function& f, const Survey& survey);

  bool empty() const { return webs.empty() && slots.empty(); }
  /// The nodes of values; `nothing` if one has none.
  struct NodeTable {
    const uint32_t* nodes;  ///< by position, then by parameter; the last one is `nothing`
    uint32_t statement_count, param_count;

    /// All that is neither statement nor parameter has the last place.
    uint32_t place_of(uint32_t word) const {
      static_assert(ir::Operand::Tag{} == ir::Operand::Tag::stmt, "a position is its own word");
      const uint32_t parameter = word - ir::Operand::param(0).word();
      return word < statement_count ? word : statement_count + std::min(parameter, param_count);
    }
    uint32_t operator[](uint32_t word) const { return nodes[place_of(word)]; }
  };
  NodeTable node_table() const { return {node_of_.data(), statement_count_, param_count_}; }
  uint32_t node_of(ir::Operand operand) const { return node_table()[operand.word()]; }
  uint32_t node_at(uint32_t position) const { return node_of_[position]; }
  std::span<const uint32_t> made() const { return {made_.data(), places_.back().first_made}; }
  /// The values that are made in a block, in order, without parameters.
  std::span<const uint32_t> made_in(uint32_t block) const {
    return {made_.data() + places_[block].first_made, places_[block + 1].first_made - places_[block].first_made};
  }
  /// The edges out of a block that lead to webs, in the order of its terminator.
  std::span<const WebEdge> edges_from(uint32_t block) const {
    return {edges_.data() + places_[block].first_edge, places_[block + 1].first_edge - places_[block].first_edge};
  }
  /// All of them, block by block.
  std::span<const WebEdge> edges() const { return {edges_.data(), edges_.size()}; }
  /// The only edge into a block, which no jump leads along.
  WebEdge edge_into(uint32_t block, ir::EdgeId edge) const {
    return {edge, 0, false, first_web_[block], first_web_[block + 1]};
  }
  std::span<const Web> webs_at(const WebEdge& edge) const {
    return {webs.data() + edge.first_web, edge.end_web - edge.first_web};
  }
  bool is_hub(uint32_t node) const { return is_hub_[node] != 0; }
  uint32_t phi_of(const Web& web) const { return nodes[web.value].id.number(); }
  /// Operands whose values are copies of each other have the same number here.
  uint32_t value_of(ir::Operand operand) const {
    return operand.is_stmt() && !copied_.empty() ? copied_[operand.number()] : operand.word();
  }
  std::span<const Web> webs_of(uint32_t block) const {
    return {webs.data() + first_web_[block], first_web_[block + 1] - first_web_[block]};
  }
  /// A second node for the same value.
  uint32_t add_copy_of(uint32_t node);
  /// Parts a web from the value of its phi: the web gets a node of its own.
  void part(Web& web);
  std::span<const Slot> slots_of(uint32_t block) const;
  /// What an edge brings to a web.
  static ir::Operand operand(const Web& web, uint32_t pred_index) {
    return ir::Operand::from_word(web.words[pred_index]);
  }
  static std::span<const uint32_t> operands(const Web& web) { return {web.words, web.count}; }
  /// Blocks with more edges than these are wide: most edges bring the same as the one before.
  static constexpr uint32_t most_narrow = 8;
  bool has_wide() const { return !first_run_.empty(); }
  /// The edges into wide blocks are numbered one after the other.
  uint32_t wide_edge(const WebEdge& edge) const {
    return first_wide_edge_[webs[edge.first_web].block] + edge.column;
  }
  uint32_t first_wide_edge(uint32_t block) const { return first_wide_edge_[block]; }
  uint32_t wide_edge_count = 0;
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
  bool has_one_type = true;       ///< all nodes have the same
  bool has_undef = false;         ///< flows into one of them
  uint32_t value_operands = 0, constant_operands = 0;  ///< of the phis

 private:
  void find_phis();
  void find_copies();
  void find_upsilons();
  void find_operands();
  void find_places();
  void find_edges(const ir::Stmt& terminator);
  uint32_t add_statement(uint32_t position, Node::Kind kind);
  uint32_t add_parameter(ir::Operand operand);
  uint32_t& node_entry(ir::Operand operand) { return node_of_[node_table().place_of(operand.word())]; }
  bool is_wanted(uint32_t node) const { return node >= wanted && node != nothing; }
  void find_runs();
  void mark_hub(uint32_t node) { is_hub_[node] = has_hubs = true; }

  const ir::Function& f_;
  /// A node to be; a number that is added says which web it came to last.
  static constexpr uint32_t wanted = 0x80000000u, wanted_by_no_web = nothing - 1;
  uint32_t statement_count_, param_count_, wanted_count_ = 0;
  bool has_copies_ = false;
  std::vector<uint32_t> node_of_;  ///< see NodeTable
  Stack<uint32_t> first_web_;      ///< by block, and one more
  struct Place {
    uint32_t first_made, first_edge;
  };
  Stack<Place> places_;  ///< by block, and one more
  Stack<WebEdge> edges_;
  std::vector<uint8_t> is_hub_;  ///< by node
  struct Run {
    uint32_t word, first;
  };
  Stack<Run> runs_;                  ///< of wide blocks
  std::vector<uint32_t> first_run_;  ///< by web, and one more; empty if no block is wide
  Stack<uint32_t> first_wide_edge_;  ///< by block: only those of wide ones are written
  Stack<uint32_t> made_;
  std::vector<uint32_t>
      copied_;  ///< by position: a word for what it is a copy of; empty if there are no copies
};

}  // namespace braid::dessa
