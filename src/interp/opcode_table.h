// From an op and the width of its values to the instruction that computes it. The tables are made from opcodes.def.
#pragma once

#include <array>
#include <optional>

#include "interp/code.h"
#include "ir/op.h"
#include "type/type_table.h"

namespace braid::interp {

/// Where an op has instructions, by storage of its operands (float_to_int: of operand, then result).
struct OpcodeTable {
  static constexpr Opcode absent = Opcode::trap;
  struct Forms {
    Opcode plain = absent, immediate = absent;
  };
  struct CompareForms {
    Opcode plain = absent, immediate = absent, branch = absent, branch_immediate = absent, branch_not = absent;
    Opcode add_branch = absent, add_branch_immediate = absent;
  };
  std::array<std::array<Forms, 5>, ir::op_count> by_width{};       ///< i1, i8, i16, i32, i64
  std::array<std::array<Opcode, 2>, ir::op_count> by_float{};      ///< f32, f64
  std::array<CompareForms, ir::op_count> int_compare{};
  std::array<std::array<CompareForms, 2>, ir::op_count> float_compare{};
  std::array<std::array<std::array<Opcode, 5>, 2>, ir::op_count> by_float_and_width{};
  std::array<bool, opcode_count> may_end{};  ///< the run, or throw, in the middle of a block
};

extern const OpcodeTable opcode_table;

constexpr std::optional<unsigned> width_index(Storage storage) {
  if (storage < Storage::i1 || storage > Storage::i64) return std::nullopt;
  return static_cast<unsigned>(storage) - static_cast<unsigned>(Storage::i1);
}
constexpr std::optional<unsigned> float_index(Storage storage) {
  if (storage == Storage::f32) return 0;
  if (storage == Storage::f64) return 1;
  return std::nullopt;
}

}  // namespace braid::interp
