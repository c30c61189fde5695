// What reader and printer must agree on: when the text may leave the type of a statement out.
#pragma once

#include "ir/op.h"

namespace braid::text {

/// The type follows from the types of the operands. The text leaves it out only where all of these stand further up and
/// none is `same`, whose operand may stand further down.
constexpr bool depends_on_operands(ir::TypeRule rule) {
  return rule == ir::TypeRule::overflow || rule == ir::TypeRule::tuple || rule == ir::TypeRule::extract;
}

/// The text shows the type of the first operand behind the op.
inline bool shows_operand(ir::Op op) {
  ir::TypeShown shown = ir::info(op).shown;
  return shown == ir::TypeShown::operand || shown == ir::TypeShown::convert || op == ir::Op::switch_;
}

/// The text shows the type of the statement behind the op.
inline bool shows_result(ir::Op op) {
  return ir::info(op).shown == ir::TypeShown::result || ir::is_phi_like(op);
}

}  // namespace braid::text
