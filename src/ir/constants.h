// Constants: interned by type and bits, so that equal constants are equal operands.
//
// Integers of 26 bits or less stand in the operand itself and never touch the table. The bits of a constant are in the
// canonical form of `ir/bits.h`: integers sign-extended, i1 as 0 or 1, f32 in the low half.
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <vector>

#include "ir/operand.h"

namespace braid::ir {

struct Constant {
  Type type;  ///< a single plain kind
  uint64_t bits;
  friend bool operator==(const Constant&, const Constant&) = default;
};

class ConstTable {
 public:
  /// The operand for a constant; `bits` in canonical form. O(1) expected.
  Operand get(Type type, uint64_t bits) {
    int code = small_code(type);
    int64_t value = static_cast<int64_t>(bits);
    if (code >= 0 && value >= small_min && value <= small_max)
      return Operand::make(Operand::Tag::small, (static_cast<uint32_t>(code) << small_bits) |
                                                    (static_cast<uint32_t>(value) & small_mask));
    return intern(type, bits);
  }
  /// The constant behind an operand that `is_constant()`.
  Constant value(Operand operand) const {
    if (operand.tag() == Operand::Tag::constant) return entries_[operand.number()];
    uint32_t number = operand.number();
    int32_t value = static_cast<int32_t>(number << (32 - small_bits)) >> (32 - small_bits);
    return {small_types[number >> small_bits], static_cast<uint64_t>(static_cast<int64_t>(value))};
  }
  size_t size() const { return entries_.size(); }
  bool contains(Operand operand) const {
    return operand.tag() == Operand::Tag::small ? (operand.number() >> small_bits) < small_type_count
                                                : operand.number() < entries_.size();
  }

 private:
  static constexpr uint32_t small_bits = 26;
  static constexpr uint32_t small_mask = (1u << small_bits) - 1;
  static constexpr int64_t small_min = -(int64_t{1} << (small_bits - 1));
  static constexpr int64_t small_max = (int64_t{1} << (small_bits - 1)) - 1;
  static constexpr uint32_t small_type_count = 7;
  static constexpr Type small_types[8] = {i1, i8, i16, i32, i64, ptr, ref, none};

  static int small_code(Type type) {
    if (type == i64) return 4;
    if (type == i32) return 3;
    if (type == i1) return 0;
    if (type == i8) return 1;
    if (type == i16) return 2;
    if (type == ptr) return 5;
    if (type == ref) return 6;
    return -1;
  }
  Operand intern(Type type, uint64_t bits);
  void grow();

  std::vector<Constant> entries_;
  std::vector<uint32_t> slots_;  ///< open addressing: entry + 1, 0 is free
};

}  // namespace braid::ir
