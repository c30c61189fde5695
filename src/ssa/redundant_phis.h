// Phis that stand for one value, alone or as a group.
//
// Alone: a phi whose operands are one value besides itself. A few looks at all of them are enough for most programs; after that a
// phi watches two different operands, as a solver watches two literals, so each operand is looked at once however often a phi is
// re-examined. O(operands * log phis). In a reducible graph this is all, if no two assignments give the same value.
//
// As a group: let values be nodes, with an edge from each operand to its phi, and from a root to every value that is no phi. A
// phi needs two values exactly if the root is its immediate dominator; any other stands for the node just below the root that
// dominates it. That covers phis that are alone as well as the strongly connected groups of irreducible graphs (Braun et al. 2013,
// algorithm 5), in one computation of dominators. Where no phi has an operand from behind it there are no groups, and one look at
// each in order is all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/function.h"

namespace braid::ssa {

/// Phis while it is not known which of them are needed: phi p is the word of NewRef(p).
class PhiCandidates {
 public:
  static bool is_phi(uint32_t word) { return ir::Operand::from_word(word).is_pending(); }
  static uint32_t number(uint32_t word) { return ir::Operand::from_word(word).number(); }
  static uint32_t word_of(uint32_t phi) { return ir::Operand(static_cast<ir::NewRef>(phi)).word(); }

  uint32_t count() const { return static_cast<uint32_t>(value_.size()); }
  void reserve(size_t count) { value_.reserve(count); }
  /// Answers its word.
  uint32_t add() {
    value_.push_back(word_of(count()));
    return value_.back();
  }
  /// What follows are the operands of this phi, which had none; phis may come in any order.
  void begin_operands(uint32_t phi) {
    if (ranges_.size() < value_.size()) ranges_.resize(value_.size());
    ranges_[phi].first = ranges_[phi].end = static_cast<uint32_t>(operands_.size());
    current_ = phi;
  }
  void add_operand(uint32_t word) {
    operands_.push_back(word);
    ++ranges_[current_].end;
  }
  std::span<const uint32_t> operands(uint32_t phi) const {
    if (phi >= ranges_.size()) return {};
    return std::span(operands_).subspan(ranges_[phi].first, ranges_[phi].end - ranges_[phi].first);
  }
  uint32_t operand_count() const { return static_cast<uint32_t>(operands_.size()); }

  /// Its own word as long as it stays, or what it stands for, which may stand for something else in turn.
  uint32_t value(uint32_t phi) const { return value_[phi]; }
  bool stays(uint32_t phi) const { return value_[phi] == word_of(phi); }
  void set_value(uint32_t phi, uint32_t word) { value_[phi] = word; }
  /// What a word stands for. Paths are shortened on the way, so that long ones are walked once.
  uint32_t resolved(uint32_t word) {
    uint32_t root = word;
    while (is_phi(root) && value_[number(root)] != root) root = value_[number(root)];
    while (word != root) word = std::exchange(value_[number(word)], root);
    return root;
  }

  /// Makes those that stand for one value alone, or for none, do so.
  void remove_single();
  /// The same for groups, too. A phi without any operand but itself and such phis is undef.
  void remove_redundant();

 private:
  struct Range {
    uint32_t first = 0, end = 0;
  };
  bool settle_now(uint32_t phi);
  bool settle_in_order();

  std::vector<uint32_t> value_;
  std::vector<Range> ranges_;  ///< by phi, in operands_; those behind the end have none
  std::vector<uint32_t> operands_;
  uint32_t current_ = 0;
};

/// Removes the phis and phi_cs of a function in SSA that stand for one value, and compacts it.
void remove_redundant_phis(ir::Function& f);

}  // namespace braid::ssa
