// Which operations a function has: one look at all statements answers what most functions have none of.
//
// Cost: O(statements).
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace braid::dessa {

class Survey {
 public:
  explicit Survey(const ir::Function& f) {
    const ir::Stmt* stmts = f.columns().stmts();
    for (uint32_t i = 0, count = f.size(); i < count; ++i) is_there_[static_cast<unsigned>(stmts[i].op)] = true;
  }

  bool has(ir::Op op) const { return is_there_[static_cast<unsigned>(op)]; }

 private:
  bool is_there_[ir::op_count] = {};
};

}  // namespace braid::dessa
