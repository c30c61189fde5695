// What an op has to do with the chain of effects: the one place that decides it.
//
// There is one chain. What must not vanish when nobody uses its value stands in it, as does what is new each
// time it is made: so that no two are taken for one. What only reads hangs on the chain and may float between
// two links of it. Which links end what it sees, sea/alias_classes.h says.
#pragma once

#include <cstdint>

#include "ir/op.h"

namespace braid::sea {

enum class EffectRole : uint8_t {
  none,     ///< takes no effect: floats
  reads,    ///< takes an effect and is none
  changes,  ///< takes an effect and is the next one
};

/// The role of an op with these traits. An upsilon writes what its handler reads, whatever the table says.
constexpr EffectRole effect_role(ir::Op op, ir::Traits traits) {
  constexpr ir::Traits reads = ir::reads_memory | ir::reads_variable | ir::reads_exception;
  if (op == ir::Op::upsilon || (traits & (ir::keeps_alive | ir::identity)) != 0) return EffectRole::changes;
  if (op == ir::Op::save_state || (traits & reads) != 0) return EffectRole::reads;
  return EffectRole::none;
}

}  // namespace braid::sea
