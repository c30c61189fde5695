// What copying a statement must know of its op, in a form that needs no case distinction per operand.
#pragma once

#include <cstdint>

#include "ir/op.h"
#include "ir/operand.h"

namespace braid::ir {

/// Ops that compaction drops, shortens or takes note of, instead of copying them with renamed operands. Terminators too.
constexpr bool is_special_to_compaction(Op op) {
  switch (op) {
    case Op::nothing:
    case Op::same:
    case Op::phi:
    case Op::pi:
    case Op::upsilon:
    case Op::phi_c:
    case Op::leave:
    case Op::throw_undef: return true;
    default: return false;
  }
}

/// Which words of a statement name others: operand `i` does if it is below `names[i]`. Statements whose op is special, and
/// those that may have more operands or a value as their third one, are not plain.
struct PlainOp {
  static constexpr uint32_t not_plain = 1;
  /// Words from here on are names that are not final.
  static constexpr uint32_t first_name_ahead = static_cast<uint32_t>(Operand::Tag::old) << Operand::index_bits;

  uint32_t names[2] = {0, not_plain};

  constexpr PlainOp(Op op, const OpInfo& info) {
    if (is_special_to_compaction(op) || (info.traits & terminator) != 0) return;
    if (info.group_count != 0 || info.fixed_count > 3 || (info.value_mask & 4) != 0) return;
    for (uint32_t i = 0; i < 2; ++i) names[i] = (info.value_mask >> i & 1) << Operand::index_bits;
  }
  bool is_plain() const { return (names[1] & not_plain) == 0; }
};
static_assert(sizeof(PlainOp) == 8);

extern const PlainOp plain_ops[op_count];

}  // namespace braid::ir
