// Where `undef` may flow, and which values it leaves undefined on all paths.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "base/csr.h"
#include "ir/op.h"

namespace braid::ir {

/// Its result is undefined if all that it is given is.
inline bool passes_undef_on(Op op) { return is_phi_like(op) || op == Op::pi || op == Op::upsilon; }
/// `undef` may be an operand.
inline bool may_take_undef(Op op) {
  return passes_undef_on(op) || op == Op::same || op == Op::set || op == Op::save_state;
}

/// Which of `count` statements that pass values on get a defined one. Optimistic: none does until one comes to it, so that
/// rings of phis fall out right. `visit(from, define)` is called twice; it calls `from(user, used)` where one such statement
/// reads another and `define(user)` where it reads something that is defined. O(statements + operands).
template <class Visit>
BitSet find_defined(uint32_t count, Visit&& visit) {
  BitSet defined(count);
  std::vector<uint32_t> work;
  auto define = [&](uint32_t i) {
    if (defined.insert(i)) work.push_back(i);
  };
  auto users = Csr<uint32_t>::build(
      count, [&](auto&& emit) { visit([&](uint32_t user, uint32_t used) { emit(used, user); }, define); });
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    for (uint32_t user : users.row(i)) define(user);
  }
  return defined;
}

}  // namespace braid::ir
