// The type of a value: a set of kinds, in four bytes.
//
// A plain type is the set itself. A refined type (with a constant, a range, a class or tuple elements) is an
// index into the type table of its module. Both are canonical: two types mean the same exactly when their
// bits are equal.
#pragma once

#include <cassert>
#include <cstdint>
#include <string_view>

namespace braid {

enum class Kind : uint8_t {
  null_,
  i1,
  i8,
  i16,
  i32,
  i64,
  f32,
  f64,
  string,
  array,
  object,
  ptr,
  ref,
  tuple,
  token,
  state,
  void_
};
inline constexpr int kind_count = 17;

/// Bit `k` stands for the kind with number `k`.
using KindSet = uint32_t;

constexpr KindSet kind_bit(Kind kind) { return KindSet{1} << static_cast<uint32_t>(kind); }

/// The word for a kind in the text form.
constexpr std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[kind_count] = {"null", "i1",    "i8",     "i16",   "i32",    "i64",
                                                  "f32",  "f64",   "string", "array", "object", "ptr",
                                                  "ref",  "tuple", "token",  "state", "void"};
  return names[static_cast<int>(kind)];
}

constexpr bool is_integer(Kind kind) { return kind >= Kind::i1 && kind <= Kind::i64; }
constexpr bool is_float(Kind kind) { return kind == Kind::f32 || kind == Kind::f64; }

/// Width of a number in bits; 0 for everything that is not a number.
constexpr int bit_width(Kind kind) {
  constexpr uint8_t widths[kind_count] = {0, 1, 8, 16, 32, 64, 32, 64};
  return widths[static_cast<int>(kind)];
}

struct Type {
  static constexpr uint32_t table_bit = 0x8000'0000u;

  uint32_t bits = 0;

  /// No table is needed to read a plain type: `bits` is its set of kinds.
  constexpr bool is_plain() const { return (bits & table_bit) == 0; }
  constexpr bool is_none() const { return bits == 0; }
  constexpr uint32_t table_index() const { return bits & ~table_bit; }

  friend constexpr bool operator==(Type, Type) = default;
};
static_assert(sizeof(Type) == 4);

constexpr Type of(Kind kind) { return Type{kind_bit(kind)}; }

/// The union of two plain types, as in `i64 | null_type`; refined types are joined by their type table.
constexpr Type operator|(Type a, Type b) {
  assert(a.is_plain() && b.is_plain() && "refined types are joined by TypeTable::join");
  return Type{a.bits | b.bits};
}

inline constexpr Type none{0};
inline constexpr Type null_type = of(Kind::null_);
inline constexpr Type i1 = of(Kind::i1);
inline constexpr Type bool_ = i1;
inline constexpr Type i8 = of(Kind::i8);
inline constexpr Type i16 = of(Kind::i16);
inline constexpr Type i32 = of(Kind::i32);
inline constexpr Type i64 = of(Kind::i64);
inline constexpr Type f32 = of(Kind::f32);
inline constexpr Type f64 = of(Kind::f64);
inline constexpr Type string_type = of(Kind::string);
inline constexpr Type array_type = of(Kind::array);
inline constexpr Type object_type = of(Kind::object);
inline constexpr Type ptr = of(Kind::ptr);
inline constexpr Type ref = of(Kind::ref);
inline constexpr Type tuple_type = of(Kind::tuple);
inline constexpr Type token_type = of(Kind::token);
inline constexpr Type state_type = of(Kind::state);
inline constexpr Type void_type = of(Kind::void_);

/// Every value of a program. Tokens, save states and void are not values that it can compute with.
inline constexpr Type any{kind_bit(Kind::token) - 1};

}  // namespace braid
