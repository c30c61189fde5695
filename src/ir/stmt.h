// One statement in 16 bytes, and a statement with its columns before it has a place.
#pragma once

#include <braid/type.h>

#include <array>
#include <bit>
#include <cstdint>

#include "ir/op.h"
#include "ir/operand.h"

namespace braid::ir {

/// Up to three operands stand in the statement; more stand in the function's operand pool: `arg[0]` is then the offset,
/// `arg[1]` the count, `arg[2]` the room there. What an operand is, the op table says.
struct Stmt {
  static constexpr uint8_t pooled = 255;

  Op op = Op::nothing;
  uint8_t n = 0;
  uint8_t flags = 0;
  uint32_t arg[3] = {0, 0, 0};

  bool is_pooled() const { return n == pooled; }
};
static_assert(sizeof(Stmt) == 16);

/// The first word of a statement with so many operands.
constexpr uint32_t head_of(Op op, uint8_t count, uint8_t flags = 0) {
  return std::bit_cast<std::array<uint32_t, 4>>(Stmt{op, count, flags, {0, 0, 0}})[0];
}

/// What is known of a statement beyond its op.
enum StmtFlag : uint8_t {
  cannot_throw = 1,  ///< an op that may throw, proved not to here
  refined = 2,       ///< its type or an operand's was narrowed: looking at it again may pay
  end_of_function = 4,  ///< an `unreachable` that ends a block without a terminator: who comes here has forgotten to return
  unfinished = 8,    ///< only in the finished part of a compaction: more operands, or what an `undef` stands for, are ahead
  // Only while a function is built, of phis:
  unread = 16,           ///< nothing has read it so far
  unread_operands = 32,  ///< … and, perhaps, what it reads itself
  copied = 64,           ///< it turned out to be its first operand, which stands for it
};

/// A statement with its columns, not placed yet.
struct Inst {
  Stmt stmt;
  Type type = void_type;
  Loc loc{};
};
static_assert(sizeof(Inst) == 24);

}  // namespace braid::ir
