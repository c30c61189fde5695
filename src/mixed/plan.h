// Which versions of which blocks: one per combination of kinds that comes in, on demand from the entry.
//
// A version of a block is reached with known kinds of the values that are wanted there (mixed/demand.h). Its
// statements are gone through with these kinds, which says with which kinds its successors are reached; versions with
// equal knowledge are one. Where knowledge ends, because a value of several kinds comes in or the budget is used up,
// the block has one more version that knows nothing. In the end versions that no gaining statement tells apart are
// one again (the coarsest partition, as of states of a machine), so that nothing is copied for nothing.
//
// Nothing here decides whether the result is right: any graph of versions that follows the edges of the original is.
// What is planned for nothing costs space only.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "infer/infer.h"
#include "mixed/demand.h"

namespace braid::mixed {

struct Budget {
  uint32_t statements;           ///< in versions that know something, of one function
  uint32_t versions_of_block = 8;
};

/// Where a version goes on by one edge: usually one way. A block that was cut behind a mixed definition goes on by
/// its kind.
struct WayOn {
  KindSet kinds;     ///< of the value that the block was cut at; all of them if it was not
  uint32_t version;  ///< in Plan::versions
};

struct Version {
  ir::BlockId block;
  std::vector<KindSet> known;            ///< for each that is wanted at the start: its kind, or 0
  std::vector<std::vector<WayOn>> ways;    ///< by edge, in the order of the terminator; none: it is never taken
  std::vector<uint32_t> gains;           ///< what its statements know of the values that they read
};

class Plan {
 public:
  /// `cut_at[b]`: the definition behind which block `b` was cut; undef if it was not.
  Plan(const ir::Function& f, const infer::Types& types, const Demand& demand, const std::vector<ir::Operand>& cut_at,
       Budget budget);

  const std::vector<Version>& versions() const { return versions_; }
  /// Of a block, in the order in which they were found; those that stand for others are not among them.
  const std::vector<uint32_t>& versions_of(ir::BlockId b) const { return of_block_[index(b)]; }
  /// Statements in further versions of blocks that have one already.
  uint32_t copied() const { return copied_; }
  bool changes_anything() const { return changes_; }
  bool ended_by_budget() const { return ended_by_budget_; }

 private:
  uint32_t version_of(ir::BlockId b, const std::vector<KindSet>& known);
  void walk(uint32_t number);
  void look_at(uint32_t position, std::vector<uint32_t>& gains);
  void leave(uint32_t number);
  WayOn way_to(ir::EdgeId e, KindSet kinds);
  Type type_of(ir::Operand operand) const;
  std::vector<uint32_t> looks(uint32_t number, const std::vector<uint32_t>& class_of) const;
  void merge_equal();
  void finish();

  const ir::Function& f_;
  const infer::Types& types_;
  const Demand& demand_;
  const std::vector<ir::Operand>& cut_at_;
  TypeTable& table_;
  Budget budget_;
  std::vector<Version> versions_;
  std::vector<std::vector<uint32_t>> of_block_;
  std::unordered_map<uint32_t, Type> narrowed_;  ///< by the word of a value, in the version that is gone through
  std::vector<Type> operands_;
  uint32_t copied_ = 0;
  bool changes_ = false, ended_by_budget_ = false;
};

}  // namespace braid::mixed
