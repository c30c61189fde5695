// Which mixed values are wanted where: a value of several storages is wanted in a block if a statement there, or
// behind it, could do better if it knew the kind.
//
// From each statement that gains, the value is followed backwards to its definition, through phis and pis to what
// they read. Handlers are a limit: what is wanted only behind one is not wanted before it. O(blocks in which mixed
// values live), up to a limit that is linear in the function; beyond it nothing more is wanted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.h"
#include "base/hash_index.h"
#include "infer/infer.h"
#include "ir/function.h"

namespace braid::mixed {

/// The kinds of operand `i` with which the statement becomes a plain one, or a constant; 0 if it never does. The
/// types of the other operands are what `types` says.
KindSet gaining_kinds(const ir::Function& f, const infer::Types& types, const ir::Stmt& s, uint32_t i);

/// A value that is wanted, and the kinds that are worth knowing.
struct Want {
  ir::Operand value;
  KindSet useful;
  bool through_phi = false;  ///< by a phi, not only by what stands in straight line behind it
};

class Demand {
 public:
  /// Needs `f` at rest, in SSA, and what inference says of it.
  Demand(const ir::Function& f, const infer::Types& types);

  /// At the start of a block, its phis included, in the order of their words.
  std::span<const Want> at_start(ir::BlockId b) const { return wants_.row(b); }
  /// Definitions that are neither phis nor pis, wanted by a phi somewhere behind them, in the order of their words.
  std::span<const Want> into_phis() const { return wants_.row(into_phis_); }
  /// The kinds of one of them that are worth knowing.
  KindSet useful_into_phis(ir::Operand value) const;
  bool is_mixed(ir::Operand value) const;

 private:
  struct Step {
    Want want;
    ir::BlockId block;  ///< wanted at the end of it
  };

  /// One that was found, in the row of a block or of `into_phis_`.
  struct Found {
    uint32_t row;
    Want want;
  };

  void find_gains();
  void gain(ir::Operand user, ir::BlockId b, uint32_t i);
  /// Wanted just before a statement of `b`.
  void want_inside(Want want, ir::BlockId b);
  void want_at_start(const Want& want, ir::BlockId b);
  /// Whether the row has grown.
  bool add(uint32_t row, const Want& want);
  void sort_wants();

  const ir::Function& f_;
  const infer::Types& types_;
  TypeTable& table_;
  const uint32_t into_phis_;  ///< the row behind those of the blocks
  std::vector<Found> found_;  ///< a value once in each row
  HashIndex places_;          ///< in it, by row and value
  Csr<Want> wants_;           ///< by row, in the order of the words
  std::vector<Step> steps_;
  uint64_t left_;
};

}  // namespace braid::mixed
