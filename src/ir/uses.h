// Uses of values, built on demand: users of each statement in compressed rows.
//
// 4 bytes per statement and 4 per use. A user appears once per operand; phis and terminators are users as any other.
// O(statements + operands) to build.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

class Uses {
 public:
  explicit Uses(const Function& f);

  /// The statements that use `id` (a statement of the vector or of the buffer), in order of their dense numbers.
  std::span<const Operand> of(Operand id) const {
    uint32_t dense = id.is_stmt() ? id.number() : size_ + id.number();
    return {users_.data() + starts_[dense], starts_[dense + 1] - starts_[dense]};
  }
  uint32_t count(Operand id) const { return static_cast<uint32_t>(of(id).size()); }
  /// Statements of the vector when it was built: those behind them are not in it.
  uint32_t statement_count() const { return size_; }
  bool operator==(const Uses&) const = default;
  size_t bytes() const { return starts_.capacity() * sizeof(uint32_t) + users_.capacity() * sizeof(Operand); }

 private:
  uint32_t size_;
  std::vector<uint32_t> starts_;
  std::vector<Operand> users_;
};

}  // namespace braid::ir
