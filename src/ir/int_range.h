// Integer ranges through operations: what an op can give when its operands lie in ranges.
//
// A range holds the canonical values of a kind (ir/bits.h): signed, except that i1 is 0 or 1. Answers are sound, not always
// the least: the hull of all results where there are few, otherwise a formula, otherwise the whole kind. Monotone: larger
// operands never give a smaller answer. O(1).
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <optional>

#include "ir/op.h"

namespace braid::ir {

struct IntRange {
  int64_t low, high;  ///< low <= high
  friend bool operator==(const IntRange&, const IntRange&) = default;

  bool is_constant() const { return low == high; }
  bool contains(int64_t value) const { return low <= value && value <= high; }
};

IntRange whole(Kind kind);

/// For the rules int_binary, int_unary (`b` is not read) and the comparisons, whose answer is an i1.
IntRange range_of(Op op, Kind kind, IntRange a, IntRange b);
/// The value and the flag of an op that reports overflow.
struct OverflowRange {
  IntRange value, flag;
};
OverflowRange overflow_range(Op op, Kind kind, IntRange a, IntRange b);
/// For trunc, zext and sext.
IntRange converted_range(Op op, Kind from, Kind to, IntRange a);
/// What passes check_zero, check_negative, and check_bounds with the length `b`; nothing if all throws.
std::optional<IntRange> checked_range(Op op, Kind kind, IntRange a, IntRange b);

}  // namespace braid::ir
