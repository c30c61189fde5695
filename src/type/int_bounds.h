// The least and the greatest integer of a kind, as the lattice counts: signed, except that i1 is 0 or 1.
#pragma once

#include <cassert>
#include <cstdint>

#include <braid/type.h>

namespace braid {

constexpr int64_t int_max(Kind kind) {
  assert(is_integer(kind));
  if (kind == Kind::i1) return 1;
  return static_cast<int64_t>(~uint64_t{0} >> (65 - bit_width(kind)));
}

constexpr int64_t int_min(Kind kind) { return kind == Kind::i1 ? 0 : -int_max(kind) - 1; }

}  // namespace braid
