// Whether an operation of two values is worth matching: a look at what its operands are, before any rule looks into them.
//
// Most operations of a program have no operands that a pattern asks for. The tables come from the rules, as the matcher does.
#pragma once

#include <braid/type.h>

#include <array>
#include <cstdint>

#include "ir/op.h"

namespace braid::rules {

/// What an operand is, as far as patterns tell operands of one operation apart.
enum class OperandClass : uint8_t {};
inline constexpr OperandClass other_operand{0}, constant_operand{1};

namespace operands {

using ir::Op;

template <size_t classes>
struct TakenOperands {
  std::array<uint64_t, classes> pairs;  ///< by the class of the left one, a bit for each class of the right one
  KindSet open;                         ///< kinds of which any two are taken
};

/// class_of(op), row_of(op), taken: a row for each op that patterns begin with, behind one for all others.
#include "rules/rule_operands.inc"

template <typename F>
constexpr std::array<uint8_t, ir::op_count> by_op(F f) {
  std::array<uint8_t, ir::op_count> all{};
  for (uint32_t op = 0; op < ir::op_count; ++op) all[op] = f(static_cast<Op>(op));
  return all;
}
inline constexpr std::array<uint8_t, ir::op_count> classes = by_op(class_of), rows = by_op(row_of);

}  // namespace operands

/// Of the operation that gives the operand.
constexpr OperandClass class_of_operand(ir::Op op) { return OperandClass{operands::classes[static_cast<size_t>(op)]}; }

/// False if no rule applies, and nothing is to be folded, for two operands of these classes that are not the same value and
/// whose kind is one of `kinds`.
constexpr bool may_match(ir::Op op, OperandClass left, OperandClass right, KindSet kinds) {
  const auto& row = operands::taken[operands::rows[static_cast<size_t>(op)]];
  return (row.pairs[static_cast<size_t>(left)] >> static_cast<uint32_t>(right) & 1) != 0 || (row.open & kinds) != 0;
}

}  // namespace braid::rules
