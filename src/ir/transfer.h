// Types of operations: the one place that knows what a statement's type is, given its operands.
#pragma once

#include <braid/type.h>

#include <span>

#include "ir/function.h"

namespace braid::ir {

/// The type that a literal in operand `i` of `op` has, where `shown` is the type that the text shows behind the op
/// (`none` if it shows none) and `words` are the operands before it (the callee of a call). `none` where a literal must
/// bring its own type.
Type literal_type(const Function& f, Op op, Type shown, std::span<const uint32_t> words, uint32_t i);

/// Who knows the types of operands that the function does not know: `none` for those that it does.
struct OperandTypes {
  Type (*type_of)(const void* context, Operand operand) = nullptr;
  const void* context = nullptr;
};

/// The plain result type that follows from the op, its operands and their types; `none` where the statement itself
/// declares it (load, phi, pi, conversions, unbox, …), `void` for a statement without a value.
Type result_type(const Function& f, const Stmt& stmt, const OperandTypes& others = {});

/// The type of a value operand, `same` resolved; of a constant, the type that holds nothing else.
Type value_type(const Function& f, Operand operand);

/// As narrow a result type as operand types allow: constants are folded by eval_op, integer ranges are followed where
/// that is cheap. `operands[i]` is the type of operand i where that is a value. `declared` is the type of the statement.
Type transfer(const Function& f, const Stmt& stmt, Type declared, std::span<const Type> operands);

/// The same for an operation that is no statement: its values alone, and its other operands in `words`.
Type transfer(Module& module, Op op, std::span<const uint32_t> words, Type declared, std::span<const Type> values);

}  // namespace braid::ir
