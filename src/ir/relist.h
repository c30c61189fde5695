// Writes the statements of a function anew, block by block: for what adds or drops statements everywhere and
// leaves the graph as it is, but for new blocks on edges. Operands in the pool stay where they are.
//
// Cost: O(1) for each statement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

/// The function is at rest and stays readable as it was until `finish`; but operands changed through
/// `operands_of` are changed at once.
class Relist {
 public:
  Relist(Function& f, uint32_t room) : f_(f), has_sources_(f.has_source_variables()), places_(f.block_count()) {
    out_.reserve(room);
  }

  /// A block on a normal edge, behind all others: it has no statement until it is written, and must end in a jump along the
  /// edge. The terminator before it is changed at once.
  BlockId split_edge(EdgeId e) {
    places_.emplace_back();
    return f_.put_on_edge(e);
  }

  /// Blocks come in the order in which they stand from then on: by number.
  void start(BlockId b) { places_[index(b)].first = out_.size(); }
  Ref add(const Stmt& stmt, Type type, Loc loc, VarId source = none_id<VarId>) {
    Ref added = static_cast<Ref>(out_.push(stmt, type, loc));
    if (has_sources_) [[unlikely]] add_source(source);
    return added;
  }
  /// The same, where it is hard to guess whether the statement is needed: written in any case, but only then there.
  Ref add_if(bool is_needed, const Stmt& stmt, Type type, Loc loc) {
    uint32_t place = out_.push(stmt, type, loc);
    out_.set_size(place + is_needed);
    return static_cast<Ref>(place);
  }
  /// The statement added last is the terminator.
  void end(BlockId b) { places_[index(b)].end = out_.size(); }

  std::span<uint32_t> operands_of(Stmt& stmt) {
    if (stmt.is_pooled()) return {f_.pool_.data() + stmt.arg[0], stmt.arg[1]};
    return {stmt.arg, stmt.n};
  }
  /// One that was added.
  Stmt& stmt(Ref r) { return out_.stmt(index(r)); }

  void finish() {
    for (uint32_t b = 0; b < places_.size(); ++b) {
      Block& block = f_.blocks_[static_cast<BlockId>(b)];
      block.first = places_[b].first;
      block.end = places_[b].end;
      block.terminator = static_cast<Ref>(block.end - 1);
    }
    out_.shrink_to_fit();
    if (has_sources_) sources_.resize(out_.size(), none_id<VarId>);
    f_.columns_ = std::move(out_);
    f_.source_variables_ = std::move(sources_);
    f_.block_of_ = {};
  }

 private:
  struct Place {
    uint32_t first, end;
  };

  /// Statements before it that were added without one have none.
  [[gnu::noinline]] void add_source(VarId source) {
    sources_.resize(out_.size(), none_id<VarId>);
    sources_.back() = source;
  }

  Function& f_;
  const bool has_sources_;
  Columns out_;
  std::vector<VarId> sources_;
  std::vector<Place> places_;
};

}  // namespace braid::ir
