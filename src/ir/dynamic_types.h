// Types of dynamic operations, for the kinds that their operands may have: the one place, asked by ir/transfer.
#pragma once

#include <braid/type.h>

#include "ir/dynamic.h"
#include "ir/module.h"

namespace braid::ir {

struct DynamicType {
  Type result;     ///< `none`: it always throws
  bool may_throw;
};

/// The kinds that values of a type may have at run time: a reference may be null, and any other kind of reference.
KindSet dynamic_kinds(KindSet kinds);

/// The type of an operation for operands of these types (`b` is not read if it has one operand): constants are folded,
/// integer ranges followed. Monotone; `none` if an operand is. O(pairs of kinds), at most 64.
DynamicType dynamic_type(Module& module, const Language& language, Op op, Type a, Type b);

/// What the operation gives in the language, whatever its operands are.
KindSet dynamic_results(const Language& language, Op op);

/// Of `is`: whether a value of this type has one of these kinds.
Type kind_test_type(TypeTable& types, Type value, KindSet tested);

}  // namespace braid::ir
