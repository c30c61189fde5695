// A statement copied with its value operands under other names.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/stmt.h"

namespace braid::ir {

/// `map` takes and gives operand words. Operands in the pool stay where they are and are changed there.
template <class Map>
[[gnu::always_inline]] inline void copy_remapped(const Stmt& from, Stmt& to, std::vector<uint32_t>& pool, Map&& map) {
  uint32_t a = from.arg[0], b = from.arg[1], c = from.arg[2];
  uint32_t values = info(from.op).value_mask;
  if (from.n == 2 && (values & 3) == 3) [[likely]] {
    a = map(a);
    b = map(b);
  } else if (from.is_pooled()) {
    for (uint32_t i = 0; i < b; ++i)
      if (info(from.op).is_value(i)) pool[a + i] = map(pool[a + i]);
  } else {
    values &= (1u << from.n) - 1;
    if (values & 1) a = map(a);
    if (values & 2) b = map(b);
    if (values & 4) c = map(c);
  }
  // Part by part: a statement put together in memory and copied as a whole would have to wait until it is there.
  to.op = from.op;
  to.n = from.n;
  to.flags = from.flags;
  to.arg[0] = a;
  to.arg[1] = b;
  to.arg[2] = c;
}

}  // namespace braid::ir
