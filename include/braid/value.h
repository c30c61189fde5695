// A run-time value: what goes into and comes out of an execution.
#pragma once

#include <braid/type.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace braid {

/// A typed value. Integers are kept sign-extended, i1 as 0 or 1, f32 in the low half of `bits`.
struct Value {
  Type type = void_type;          ///< a single kind: i64, f64, ref, …; void is "no value"
  bool is_unsigned = false;       ///< made from an unsigned number: that is what a wider parameter gets
  uint64_t bits = 0;
  std::vector<Value> elements;    ///< of a tuple

  Value() = default;
  Value(Type t, uint64_t b) : type(t), bits(b) {}
  Value(bool value) : type(i1), bits(value) {}
  /// Integers by their size: `int` is i32, `long long` i64.
  template <std::integral T>
  Value(T value)
      : Value(sizeof(T) == 1 ? i8 : sizeof(T) == 2 ? i16 : sizeof(T) == 4 ? i32 : i64,
              extend(static_cast<std::make_signed_t<T>>(value))) {
    is_unsigned = std::is_unsigned_v<T>;
  }
  Value(float value) : type(f32), bits(std::bit_cast<uint32_t>(value)) {}
  Value(double value) : type(f64), bits(std::bit_cast<uint64_t>(value)) {}

  int64_t as_i64() const { return static_cast<int64_t>(bits); }
  int32_t as_i32() const { return static_cast<int32_t>(bits); }
  bool as_bool() const { return bits != 0; }
  double as_f64() const { return std::bit_cast<double>(bits); }
  float as_f32() const { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  bool is_void() const { return type == void_type; }

  friend bool operator==(const Value& a, const Value& b) {
    return a.type == b.type && a.bits == b.bits && a.elements == b.elements;
  }

 private:
  static uint64_t extend(int64_t value) { return static_cast<uint64_t>(value); }
};

}  // namespace braid
